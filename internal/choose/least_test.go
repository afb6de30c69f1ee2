package choose

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
)

// A regression takes a graph whose squared errors are less than the baseline's by two standard errors of the mean difference, and no
// other: of rows of which one alone gains, mean and standard error are the same.
func TestGainsOfNumbersAreSure(t *testing.T) {
	const n = 12
	labels := data.Labels{Task: data.Regression, Value: make([]float64, n)}
	s := &Candidates{Criterion: score.Press{}, Safe: true,
		Problem: learn.NewProblem(data.Rows{Dense: mat.NewDense(n, 1, nil)}, labels)}
	for _, c := range []struct {
		rows int // whose errors the graph has not
		safe bool
		want bool
	}{{1, true, false}, {3, true, false}, {4, true, true}, {n, true, true}, {1, false, true}} {
		off := mat.NewDense(n, 1, nil)
		for i := range n {
			off.Set(i, 0, 2)
		}
		base := &Candidate{Machine: &Machine{LeftOut: mat.DenseCopyOf(off), Score: 4}}
		for i := range c.rows {
			off.Set(i, 0, 0)
		}
		g := &Candidate{Machine: &Machine{LeftOut: off, Score: 4 * float64(n-c.rows+1) / (n + 1)}}
		g.Graph.Neighbours = 5
		s.Safe, s.Members = c.safe, []*Candidate{base, g}
		// Of n gains, rows are 4 and the others 0.
		share := float64(c.rows) / n
		sure := 4*share >= 2*4*math.Sqrt(share*(1-share)/(n-1))
		if c.safe && sure != c.want {
			t.Fatalf("%d rows: by the formula %v", c.rows, sure)
		}
		if got := choice(t, Least{}, s).Members[0].Candidate == g; got != c.want {
			t.Errorf("%d of %d rows gain, safe %v: the graph is taken: %v", c.rows, n, c.safe, got)
		}
	}
}
