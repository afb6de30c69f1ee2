package mercer_test

import (
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fit"
)

// TestNothingGiven: what gets no rows, or answers of other rows, says so.
func TestNothingGiven(t *testing.T) {
	x := data.Rows{Dense: mat.NewDense(4, 2, []float64{1, 2, 3, 4, 5, 6, 7, 8})}
	for name, set := range map[string]*data.Set{
		"no set": nil, "no rows": {}, "no answers": {Rows: x}, "too few answers": {Rows: x, Answers: data.Answers{"a", "b"}},
		"too many answers": {Rows: x, Answers: make(data.Answers, 5)}, "no label": {Rows: x, Answers: make(data.Answers, 4)},
	} {
		in, o := mercer.Input{Set: set}, mercer.Options{}
		for call, err := range map[string]error{
			"Fit":       second(mercer.Fit(t.Context(), in, mercer.Recipe{}, o)),
			"Fit rls":   second(mercer.Fit(t.Context(), in, mercer.Recipe{Method: "rls", Basis: "auto"}, o)),
			"Fit CV":    second(mercer.Fit(t.Context(), in, mercer.Recipe{CV: 2}, o)),
			"Pareto":    second(mercer.Pareto(t.Context(), in, mercer.Recipe{}, o, 0)),
			"FitSplits": first(mercer.FitSplits(t.Context(), set, [][]int{{0, 1}}, mercer.Recipe{}, o)),
			"FitSplit":  first(fit.Split(t.Context(), set, []int{0, 1}, mercer.Recipe{}, o)),
			"Interpret": first(fit.Interpret(set, mercer.Recipe{})),
		} {
			if strings.HasPrefix(call, "FitSplit") && name == "too many answers" || call == "Interpret" && set != nil {
				continue // rows and answers are the caller's there
			}
			if err == nil || strings.Contains(err.Error(), "internal error") || strings.ContainsRune(err.Error(), '\n') {
				t.Errorf("%s of %s: %v", call, name, err)
			}
		}
		_ = mercer.ForecastFit(in, mercer.Recipe{}, o)
	}
}

func first[A any](_ A, err error) error { return err }

func second[A, B any](_ A, _ B, err error) error { return err }

// TestReadmeIsTheExample: the snippet of README.md is what Example_tableOfWords runs.
func TestReadmeIsTheExample(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, snippet, _ := strings.Cut(string(readme), "```go\n")
	snippet, _, _ = strings.Cut(snippet, "```")
	_, body, _ := strings.Cut(string(source), "func Example_tableOfWords() {\n")
	body, _, _ = strings.Cut(body, "\t// Output:")
	squeeze := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	if snippet == "" || !strings.Contains(squeeze(body), squeeze(snippet)) {
		t.Errorf("README.md has\n%s\nthe example\n%s", snippet, body)
	}
}
