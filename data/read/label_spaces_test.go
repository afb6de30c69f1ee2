package read

import (
	"strings"
	"testing"
)

// A column whose quoted name begins or ends with spaces is found by the name with or without them, and line 1 stays the line of names.
func TestLabelWithSpaces(t *testing.T) {
	for _, label := range []string{" 0", "0", "0 "} {
		s, _, err := CSV(t.Context(), strings.NewReader("A,\" 0\"\n0,4\n1,5\n2,7\n"), "f", Options{Label: label, Prepare: true})
		if err != nil {
			t.Fatalf("%q: %v", label, err)
		}
		if s.LabelName != " 0" || s.Rows.Len() != 3 || s.Answers[0] != "4" {
			t.Errorf("%q: label %q of %d rows, the first %q", label, s.LabelName, s.Rows.Len(), s.Answers[0])
		}
	}
	s, _, err := CSV(t.Context(), strings.NewReader("A,y,\" y\"\n0,4,1\n1,5,2\n2,7,3\n"), "f", Options{Label: "y", Prepare: true})
	if err != nil || s.LabelName != "y" {
		t.Errorf("of two names alike the one as it is given: %q, %v", s.LabelName, err)
	}
}
