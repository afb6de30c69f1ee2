package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer"
)

// TestOneError: the first sentence of a report and the estimate below it tell one error with one interval, that of the fit.
func TestOneError(t *testing.T) {
	run := fitted(t, "iris", 150, mercer.Recipe{Method: "rls", Budget: 8})
	run.Judged = &Judged{Kind: "left out", Class: make([]int, 150), Given: make([]int, 150)}
	e := run.Result.Estimate
	if e == nil {
		t.Fatal("no estimate")
	}
	interval := fmt.Sprintf("%g %% confidence", 100*e.Level)
	for _, text := range []string{run.errorSentence(), estimateSentence(e)} {
		for _, part := range []string{measured("error", e.Error), interval} {
			if !strings.Contains(text, part) {
				t.Errorf("%q lacks %q", text, part)
			}
		}
	}
}
