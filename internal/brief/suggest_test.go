package brief

import (
	"strings"
	"testing"
)

func TestSuggest(t *testing.T) {
	known := []string{"lap-svm", "svm", "diagnosis", "neighbours", "gaussian", "iris", "fit"}
	for name, want := range map[string]string{
		"lapsvm": "lap-svm", "SVM": "svm", "diagnosys": "diagnosis", "neighbour": "neighbours", "irsi": "iris", "gauss": "gaussian",
		"fti": "fit", "x": "", "kernel": "", "": "",
	} {
		if want != "" {
			want = "; did you mean " + want + "?"
		}
		if got := Suggest(name, known); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// The number of edits is a distance: nothing between equal words, as much one way as the other, no detour is shorter by more than an
// exchange.
func FuzzEdits(f *testing.F) {
	f.Add("kitten", "sitting")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a) > 60 || len(b) > 60 { // the work grows with the product of both lengths
			return
		}
		d := edits(a, b)
		if edits(a, a) != 0 || d != edits(b, a) || d > max(len(a), len(b)) || d < max(len(a), len(b))-min(len(a), len(b)) || d == 0 && a != b {
			t.Errorf("%q to %q: %d", a, b, d)
		}
	})
}

// TestLongNames: a name of more than 40 letters is like none.
func TestLongNames(t *testing.T) {
	for n, is := range map[int]bool{40: true, 41: false} {
		name := strings.Repeat("x", n)
		if got := Suggest(name, []string{name}); (got == "; did you mean "+name+"?") != is || (got == "") == is {
			t.Errorf("%d letters: %q", n, got)
		}
	}
}
