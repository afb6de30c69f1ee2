package choose

import (
	"context"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
)

// changed are outputs of ten rows, and those of which so many have the other sign.
func changed(n int) func(context.Context, []Weighted) (within, outside *mat.Dense, err error) {
	return func(context.Context, []Weighted) (*mat.Dense, *mat.Dense, error) {
		a, b := mat.NewDense(10, 1, nil), mat.NewDense(10, 1, nil)
		for i := range 10 {
			a.Set(i, 0, 1)
			if b.Set(i, 0, 2); i < n {
				b.Set(i, 0, -2)
			}
		}
		return a, b, nil
	}
}

// A graph that answers rows otherwise as soon as they are not in it gives way to the baseline, if that changes more than it gains.
func TestGraphsThatAreNothingForNewRows(t *testing.T) {
	good, bad := []int{0}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}
	for _, c := range []struct {
		name        string
		graph, base []int // rows that are wrong
		moved       int   // of ten
		safe, taken bool
	}{
		{"nothing moves", good, good, 0, true, true},
		{"one row of ten, which may be chance", good, good, 1, true, true},
		{"half of the rows", good, good, 5, true, false},
		{"half of the rows, but it was asked for", good, good, 5, false, true},
		{"half of the rows, but the baseline errs far more", good, bad, 5, true, true},
	} {
		s := candidates(60, 40)
		s.Safe, s.Outside = c.safe, changed(c.moved)
		g := scored(s, 5, 2, c.graph...)
		s.Baseline, s.Members = scored(s, 0, 2, c.base...), []*Candidate{g}
		for _, r := range []Rule{Average{}, Least{}} {
			if _, ok := r.(Least); ok && len(c.graph) > len(c.base) {
				continue // which goes by the score alone
			}
			if s.moved = nil; (choice(t, r, s).Members[0].Candidate == g) != c.taken {
				t.Errorf("%s: %T takes the graph: %v", c.name, r, !c.taken)
			}
		}
		failed := errors.New("no memory")
		s.moved = nil
		s.Outside = func(context.Context, []Weighted) (*mat.Dense, *mat.Dense, error) { return nil, nil, failed }
		if _, err := (Average{}).Choose(t.Context(), s); c.safe && !errors.Is(err, failed) {
			t.Errorf("%s: error %v", c.name, err)
		}
		s.Outside = func(context.Context, []Weighted) (*mat.Dense, *mat.Dense, error) { return nil, nil, nil }
		if got := choice(t, Average{}, s); got.Members[0].Candidate != g {
			t.Errorf("%s: given up where nothing is known", c.name)
		}
	}
}

// Numbers are compared by squares: what moves, with what the graph has less of squared errors.
func TestGraphsOfNumbersThatAreNothingForNewRows(t *testing.T) {
	labels := data.Labels{Task: data.Regression, Value: make([]float64, 30)}
	for i := range labels.Value {
		if labels.Value[i] = float64(i); i >= 20 {
			labels.Value[i] = math.NaN()
		}
	}
	s := &Candidates{Criterion: score.Press{}, Safe: true,
		Problem: learn.NewProblem(data.Rows{Dense: mat.NewDense(30, 1, nil)}, labels)}
	with := func(neighbours int, off float64) *Candidate {
		left := mat.DenseCopyOf(s.Problem.Y)
		for i := range 20 {
			left.Set(i, 0, left.At(i, 0)+off*float64(2*(i%2)-1))
		}
		c := &Candidate{Machine: &Machine{LeftOut: left, Score: 10 * off * off}}
		c.Graph.Neighbours = neighbours
		return c
	}
	g, base := with(5, 1), with(0, 2) // squared errors 1 and 4
	s.Members = []*Candidate{base, g}
	for _, c := range []struct {
		moved float64
		taken bool
	}{{1.5, true}, {2, false}} { // squares 2.25 and 4, compared with 3
		s.Outside = func(context.Context, []Weighted) (*mat.Dense, *mat.Dense, error) {
			return mat.NewDense(2, 1, []float64{1, 2}), mat.NewDense(2, 1, []float64{1 + c.moved, 2 - c.moved}), nil
		}
		if s.moved = nil; (choice(t, Least{}, s).Members[0].Candidate == g) != c.taken {
			t.Errorf("moved by %g: the graph is taken: %v", c.moved, !c.taken)
		}
	}
}
