package method

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/result"
)

// TestRiskOfCentres: centres are chosen by the risk of labelled rows with the ridge that is set, or a tenth of the kernel's mean diagonal;
// with a graph they are by one that weighs unlabelled rows too, unless that has no weight.
func TestRiskOfCentres(t *testing.T) {
	const unlabelled = 5 // of the rows of inputs
	for _, c := range []struct {
		text  string
		of    Family
		total bool
		ridge float64 // over the mean diagonal; 0: not known here
		graph bool
	}{
		{"rls", Plain, false, 0.1, false}, {"rls --kernel linear", Plain, false, 0.1, false},
		{"rls lambda=0.5", Plain, false, -0.5 * 20, false},
		{"rn lambda=0.5", Plain, true, -0.5, false},
		{"lap-rls", Warped, false, 0, true}, {"lap-rls gamma_a=0.5 gamma_i=0", Warped, false, -0.5 * 20, false},
		{"lap-rls gamma_i=2", Warped, false, 0, true},
	} {
		m, r, err := Read(asked(t, c.text))
		if err != nil {
			t.Fatal(err)
		}
		p, err := task.Prepare(t.Context(), inputs()["two"], r, result.Options{}, m.Coding, 0)
		if err != nil {
			t.Fatal(err)
		}
		g, err := p.Base.Bind(t.Context(), p.Problem.Rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		problem, err := risk(t.Context(), p, g, machine{family: c.of, total: c.total})
		if err != nil {
			t.Fatal(err)
		}
		want := c.ridge * stat.Mean(kernel.Diagonal(g, nil), nil)
		if c.ridge < 0 { // l lambda of the averaged objective, lambda of the sum
			want = -c.ridge
		}
		if c.ridge != 0 && math.Abs(problem.GammaA-want) > 1e-12*want || !(problem.GammaA > 0) {
			t.Errorf("%s: the ridge %g, want %g", c.text, problem.GammaA, want)
		}
		unit, dst := mat.NewDense(24, 1, nil), mat.NewDense(24, 1, nil)
		unit.Set(unlabelled, 0, 1)
		problem.Q.MulTo(dst, unit)
		if got := dst.At(unlabelled, 0) > 0; got != c.graph {
			t.Errorf("%s: an unlabelled row has the weight %g", c.text, dst.At(unlabelled, 0))
		}
	}
}

// TestWeightsOfCentres: in the risk by which centres are chosen a row of weight 2 is one that stands twice.
func TestWeightsOfCentres(t *testing.T) {
	m, r, err := Read(asked(t, "rls lambda=0.5"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"two", "numbers"} {
		p, err := task.Prepare(t.Context(), inputs()[name], r, result.Options{}, m.Coding, 0)
		if err != nil {
			t.Fatal(err)
		}
		g, err := p.Base.Bind(t.Context(), p.Problem.Rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		whole := *p.Problem
		once := whole
		once.Weight = slices.Repeat([]float64{1}, p.Labelled())
		copy(once.Weight, []float64{2, 2, 2})
		p.Problem = &once
		weighed, err := risk(t.Context(), p, g, machine{})
		if err != nil {
			t.Fatal(err)
		}
		twice := whole
		twice.Labelled = append(slices.Clone(whole.Labelled), whole.Labelled[:3]...)
		if whole.Class != nil {
			twice.Class = append(slices.Clone(whole.Class), whole.Class[:3]...)
		}
		twice.Y = new(mat.Dense)
		twice.Y.Stack(whole.Y, whole.Y.Slice(0, 3, 0, whole.Outputs()))
		p.Problem = &twice
		want, err := risk(t.Context(), p, g, machine{})
		if err != nil {
			t.Fatal(err)
		}
		var unit, got, form mat.Dense
		unit.CloneFrom(mat.NewDiagDense(24, slices.Repeat([]float64{1}, 24)))
		got.CloneFrom(&unit)
		form.CloneFrom(&unit)
		weighed.Q.MulTo(&got, &unit)
		want.Q.MulTo(&form, &unit)
		if !mat.EqualApprox(&got, &form, 1e-12) || !mat.EqualApprox(weighed.Target, want.Target, 1e-12) ||
			math.Abs(weighed.Constant-want.Constant) > 1e-9 {
			t.Errorf("%s: weights are not copies", name)
		}
	}
}
