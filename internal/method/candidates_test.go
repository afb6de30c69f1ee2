package method

import (
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/design"
	"github.com/mercer-ml/mercer/internal/learner/multiview"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/result"
)

// TestNamesOfCandidates: candidates are called what recipes that were stored before call them, whatever types are called.
func TestNamesOfCandidates(t *testing.T) {
	for word, k := range map[string]kernel.Kernel{
		"gaussian": kernel.Gaussian{}, "ardgaussian": kernel.ARDGaussian{}, "linear": kernel.Linear{}, "polynomial": kernel.Polynomial{},
		"laplacian": kernel.Laplacian{}, "sigmoid": kernel.Sigmoid{}, "expchi2": kernel.ExpChi2{}, "addchi2": kernel.AddChi2{},
		"constant": kernel.Constant{}, "chi2map": kernel.Chi2Map{}, "ardlinear": kernel.ARDLinear{}, "clusters": kernel.Clusters{},
		"components": kernel.Components{}, "product": kernel.Product{}, "columns": kernel.Columns{}, "normalised": kernel.Normalised{},
		"scaled": kernel.Scaled{}, "precomputed": kernel.Precomputed{}, "coupled": multiview.Coupled{}, "sum": multiview.Sum{},
	} {
		if got := nameOf(&choose.Candidate{Method: "rls", Own: k}); got != "rls, "+word {
			t.Errorf("%T is called %q, not %q", k, got, word)
		}
	}
	if got := kernelWord(kernel.Sum{}); got != coupledSumWord {
		t.Errorf("a sum is called %q", got)
	}
	for name, c := range map[string]*choose.Candidate{
		"rls, linear":    {Method: "rls", Linear: true},
		"rls, width 0.5": {Method: "rls", Width: 0.5},
		`lap-rls, width 1, ratio 100, {"kind":"knn","neighbours":6,"metric":"euclidean","symmetry":"union","weights":"binary",` +
			`"laplacian":"normalised","degree":2}, of all views`: {
			Method: "lap-rls", Width: 1, Ratio: 100, Joint: true, Graph: graph.Recipe{Neighbours: 6, Degree: 2},
		},
	} {
		if nameOf(c) != name {
			t.Errorf("a candidate is called %q, not %q", nameOf(c), name)
		}
	}
}

// TestNamedCandidates: of a plan the candidates that the recipe names are compared, all where it names no list, and all with a warning
// where the design for the rows has none of them.
func TestNamedCandidates(t *testing.T) {
	for _, c := range []struct {
		names, want []string
		warned      bool
	}{
		{nil, []string{"rls, width 1", "rls, width 2", "rls, width 1 (2)", "rls, linear"}, false},
		{[]string{"rls, linear", "rls, width 1 (2)"}, []string{"rls, width 1 (2)", "rls, linear"}, false},
		{[]string{"rls, width 2", "rls, width 9"}, []string{"rls, width 2"}, false},
		{[]string{"rls, width 9"}, []string{"rls, width 1", "rls, width 2", "rls, width 1 (2)", "rls, linear"}, true},
	} {
		plan := []*choose.Candidate{{Method: "rls", Width: 1}, {Method: "rls", Width: 2}, {Method: "rls", Width: 1},
			{Method: "rls", Linear: true}}
		one := &task.Task{Request: task.Request{Recipe: result.Recipe{Candidates: c.names}}}
		var got []string
		for _, kept := range chosen(one, plan) {
			got = append(got, kept.Name)
		}
		if !slices.Equal(got, c.want) || (len(one.Warnings) > 0) != c.warned {
			t.Errorf("of %q are kept %q, want %q; warnings %q", c.names, got, c.want, one.Warnings)
		}
	}
}

// TestViewsOfAuto: several views bring machines of all with two couplings, and of each view alone, in all widths unless these are fixed or
// the kernel has none.
func TestViewsOfAuto(t *testing.T) {
	for _, c := range []struct {
		text  string
		fixed bool
		want  []float64
	}{{"auto", false, []float64{0.125, 0.25, 0.5, 1, 2}}, {"auto", true, []float64{1}}, {"auto --kernel linear", false, []float64{1}}} {
		m, r, err := Read(asked(t, c.text+" --view a=1..2 --view b=3..3"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := task.Prepare(t.Context(), inputs()["two"], r, result.Options{}, m.Coding, 0)
		if err != nil {
			t.Fatal(err)
		}
		widths := map[string][]float64{}
		for _, one := range viewDesign(p, design.Design{FixedWidth: c.fixed}) {
			widths[one.Method] = append(widths[one.Method], one.Width)
		}
		want := slices.Repeat(c.want, 2) // of two couplings, and of two views
		if len(widths) != 2 || !slices.Equal(widths["co-rls"], want) || !slices.Equal(widths["rls"], want) {
			t.Errorf("%s, widths fixed %v: %v", c.text, c.fixed, widths)
		}
	}
}
