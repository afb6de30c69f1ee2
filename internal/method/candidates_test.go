package method

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
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

// TestTextOfManyClasses: a machine that decides unlabelled rows of text is tried where one for each of up to five classes is trained, by
// ten folds, or as many as there are labels.
func TestTextOfManyClasses(t *testing.T) {
	for _, c := range []struct{ classes, labelled, folds int }{{2, 8, 8}, {2, 30, 10}, {5, 30, 10}, {6, 30, 0}} {
		set := &data.Set{Source: "text", Rows: data.Rows{Sparse: &data.CSR{R: 40, C: 8, Start: []int{0}}}, Answers: make(data.Answers, 40)}
		for i := range 40 {
			x := set.Rows.Sparse
			x.Index, x.Value, x.Start = append(x.Index, int32(i%8)), append(x.Value, 1+float64(i%3)), append(x.Start, i+1)
			if i < c.labelled {
				set.Answers[i] = fmt.Sprint("class ", i%c.classes)
			}
		}
		m, r, err := Read(asked(t, "auto"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := task.Prepare(t.Context(), result.Input{Set: set}, r, result.Options{}, m.Coding, 0)
		if err != nil {
			t.Fatal(err)
		}
		plan := textClusters(p, design.Design{Sparse: true})
		if len(plan) != min(c.folds, 1) {
			t.Errorf("%+v: %d machines", c, len(plan))
			continue
		}
		for _, one := range plan {
			if len(one.Trial.Folds) != c.folds || one.Prior != 3 {
				t.Errorf("%+v: %d folds, prior %g", c, len(one.Trial.Folds), one.Prior)
			}
		}
	}
}

// TestGraphsOfWords: in a table of words a machine with a graph loses five nats of its prior, in one that is words in part as much less.
func TestGraphsOfWords(t *testing.T) {
	priors := func(kinds ...string) map[string]float64 {
		in := inputs()["two"]
		if kinds != nil {
			var columns []data.Column
			for q, kind := range kinds {
				columns = append(columns, data.Column{Name: in.Set.Features[q], Kind: kind})
			}
			in.Set.Table = data.NewTable(columns)
		}
		_, c := producedFrom(t, in, "auto --kernel gaussian --scale standard")
		list := map[string]float64{}
		for _, one := range c.Members {
			if one.HasGraph() {
				list[one.Name] = one.Prior
			}
		}
		return list
	}
	plain := priors()
	for _, c := range []struct {
		kinds []string
		loses float64
	}{
		{[]string{data.KindYesNo, data.KindYesNo, data.KindYesNo}, 5}, {[]string{data.KindYesNo, data.KindNumber, data.KindYesNo}, 10. / 3},
		{[]string{data.KindNumber, data.KindNumber, data.KindNumber}, 0},
	} {
		got := priors(c.kinds...)
		if len(got) != len(plain) || len(got) == 0 {
			t.Fatalf("%v: %d machines with a graph, without a table %d", c.kinds, len(got), len(plain))
		}
		for name, prior := range got {
			if was, ok := plain[name]; !ok || math.Abs(was-c.loses-prior) > 1e-12 {
				t.Errorf("%v, %s: prior %g, without a table %g", c.kinds, name, prior, was)
			}
		}
	}
}
