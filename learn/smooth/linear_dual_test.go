package smooth_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
)

// documents are rows of length 1 with ten entries each, of two classes that differ in how frequent columns are.
func documents(n, d int) smooth.LinearProblem {
	rng := rand.New(rand.NewPCG(7, 7))
	x := &data.CSR{R: n, C: d, Start: []int{0}}
	p := smooth.LinearProblem{C: 1, Loss: learn.SquaredHinge(), Weight: make([]float64, n)}
	for i := range n {
		y := float64(1 - 2*(i%2))
		has := map[int]bool{}
		for len(has) < 10 {
			u := rng.Float64()
			j := int(u * u * float64(d))
			if rng.Float64() < 0.7 && (j%2 == 0) != (y > 0) {
				continue
			}
			has[j] = true
		}
		for j := range d {
			if has[j] {
				x.Index, x.Value = append(x.Index, int32(j)), append(x.Value, 1/math.Sqrt(10)) //nolint:gosec // small
			}
		}
		x.Start = append(x.Start, len(x.Index))
		p.Y, p.Weight[i] = append(p.Y, y), float64(i%3) // some have none
	}
	p.X = data.Rows{Sparse: x}
	return p
}

// From where coordinate descent ends Newton's method goes to the same minimum as from zero, with fewer products; its
// order does not change between runs; rows that do not take part change nothing.
func TestDualStart(t *testing.T) {
	for _, o := range []smooth.Offset{smooth.None, smooth.Augmented} {
		for _, c := range []float64{0.1, 1, 100} {
			p := documents(600, 300)
			p.Offset, p.C = o, c
			options := smooth.Options{Method: smooth.CG, Tolerance: 1e-9, Dual: true}
			solve := func(p smooth.LinearProblem, start *smooth.LinearSolution) *smooth.LinearSolution {
				s, err := smooth.NewtonLinear(t.Context(), p, options, start)
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			got, again, want := solve(p, nil), solve(p, nil), solve(p, &smooth.LinearSolution{W: make([]float64, 300)})
			name := fmt.Sprintf("%v, C %g", o, c)
			near(t, name+": objective", got.Objective, want.Objective, 1e-10*want.Objective)
			for j := range got.W {
				near(t, name+": weight", got.W[j], want.W[j], 1e-6)
				near(t, name+": weight again", again.W[j], got.W[j], 0)
			}
			if c == 1 && got.Products >= want.Products {
				t.Errorf("%s: %d products, from zero %d", name, got.Products, want.Products)
			}
			var among []int
			part := p
			part.Y, part.Weight = nil, nil
			for i, w := range p.Weight {
				if w > 0 {
					among, part.Y, part.Weight = append(among, i), append(part.Y, p.Y[i]), append(part.Weight, w)
				}
			}
			part.Among = among
			near(t, name+": objective of the rows that take part", solve(part, nil).Objective, got.Objective, 1e-9*got.Objective)
		}
	}
}

// A context that has ended ends it where it begins.
func TestDualStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := smooth.NewtonLinear(ctx, documents(50, 30), smooth.Options{Method: smooth.CG, Dual: true}, nil); err == nil {
		t.Error("no error of the context")
	}
}
