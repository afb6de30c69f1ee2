package method

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

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
		ridge float64 // over the mean diagonal; 0: not known here
		graph bool
	}{
		{"rls", Plain, plainRidge, false}, {"rls --kernel linear", Plain, plainRidge, false}, {"rls lambda=0.5", Plain, -0.5 * 20, false},
		{"lap-rls", Warped, 0, true}, {"lap-rls gamma_a=0.5 gamma_i=0", Warped, -0.5 * 20, false}, {"lap-rls gamma_i=2", Warped, 0, true},
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
		problem, err := risk(t.Context(), p, g, c.of)
		if err != nil {
			t.Fatal(err)
		}
		want := c.ridge * mean(kernel.Diagonal(g, nil))
		if c.ridge < 0 { // l lambda of the averaged objective
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
