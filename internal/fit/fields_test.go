package fit_test

import (
	"errors"
	"testing"

	"github.com/mercer-ml/mercer/internal/fit"
	"github.com/mercer-ml/mercer/result"
)

// TestInFields: flags become the fields that they are of, what is no field stays, and the error is the same but for its text.
func TestInFields(t *testing.T) {
	for text, want := range map[string]string{
		"--method nope: not known; choose auto":   "Recipe.Method nope: not known; choose auto",
		"--set C=-1: must be positive":            "Recipe.Set C=-1: must be positive",
		"--class-weight with --tol; add --memory": "Recipe.ClassWeight with Recipe.Tolerance; add Options.Memory",
		"--unlabelled-mark, --group, --json":      "read.Options.UnlabelledMark, read.Options.Group, --json",
		"--cv 3 and --time-limit, --view a=1..2":  "Recipe.CV 3 and Options.TimeLimit, Recipe.Views a=1..2",
		"nothing of the kind -- so it is":         "nothing of the kind -- so it is",
	} {
		err := &result.UsageError{Problems: []string{text}}
		got := fit.InFields(err)
		if got.Error() != want || !errors.Is(got, err) || fit.InFlags(got).Error() != text {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if fit.InFields(nil) != nil || fit.InFlags(nil) != nil {
		t.Error("an error of none")
	}
}
