package cli

import "testing"

// TestTokens: white space around a token is no part of it, and one of nothing else is refused.
func TestTokens(t *testing.T) {
	text := func(s string) *string { return &s }
	for _, c := range []struct {
		flag           *string
		variable, want string
		refused        bool
	}{
		{text("a b"), "other", "a b", false}, {text(" a\t"), "", "a", false}, {text(" \n"), "other", "", true}, {nil, "a\r\n", "a", false},
		{nil, "\n", "", true}, {nil, "", "", true},
	} {
		t.Setenv(tokenVariable, c.variable)
		if got, err := (guarded{Token: c.flag}).token(); got != c.want || (err != nil) != c.refused {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
}
