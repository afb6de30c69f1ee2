package s3vm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
)

// cloud are normal rows in the plane.
func cloud(rnd *rand.Rand, n int) *mat.Dense {
	x := mat.NewDense(n, 2, nil)
	for i := range n {
		x.SetRow(i, []float64{rnd.NormFloat64(), rnd.NormFloat64()})
	}
	return x
}

// Costs that come, go and change sides are followed to the minimum that package smooth finds from nothing.
func TestWeightedSquaredHinge(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	const n = 40
	for _, offset := range []bool{false, true} {
		p := &Problem{K: gaussian(cloud(rnd, n), 0.7), Offset: offset}
		m := newWeighted(p, learn.SquaredHinge())
		for step := range 200 {
			for range 1 + rnd.IntN(3) {
				i, c := rnd.IntN(n), math.Exp(4*rnd.NormFloat64())
				switch rnd.IntN(4) {
				case 0:
					m.label(i, 1, 0)
				case 1:
					m.plus[i], m.minus[i] = c, c*rnd.Float64()
				default:
					m.label(i, float64(2*rnd.IntN(2)-1), c)
				}
			}
			if step < 3 { // some rows of both classes
				for i := range n {
					m.label(i, float64(1-2*(i%2)), 5)
				}
			}
			if err := m.train(t.Context()); err != nil {
				t.Fatal(err)
			}
			want := twice(t, m)
			if got := m.objective(); math.Abs(got-want) > 1e-10*want {
				t.Fatalf("offset %v, step %d: objective %.15g, want %.15g", offset, step, got, want)
			}
			if m.residual > 1e-8 {
				t.Fatalf("offset %v, step %d: residual %g", offset, step, m.residual)
			}
		}
	}
}

// twice is the minimum of the problem with every row twice, by another solver.
func twice(t *testing.T, m *weighted) float64 {
	t.Helper()
	n := len(m.plus)
	k := mat.NewDense(2*n, 2*n, nil)
	var y, weight []float64
	for i := range 2 * n {
		for j := range 2 * n {
			k.Set(i, j, m.k.At(i%n, j%n))
		}
		if i < n {
			y, weight = append(y, 1), append(weight, m.plus[i])
		} else {
			y, weight = append(y, -1), append(weight, m.minus[i-n])
		}
	}
	v := smooth.Learner{Loss: learn.SquaredHinge(), Tolerance: 1e-10}
	if m.offset {
		v.Offset = smooth.Free
	}
	return supervised(t, v, k, y, weight, 1).Certificate.Objective
}

// The dual of the hinge has the value of the primal, whatever came before; so has that of the squared hinge,
// and short of the minimum it is less.
func TestWeightedDual(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 2))
	const n = 30
	for _, v := range []learn.Loss{learn.Hinge(), learn.SquaredHinge()} {
		for _, offset := range []bool{false, true} {
			p := &Problem{K: gaussian(cloud(rnd, n), 0.7), Offset: offset}
			m := newWeighted(p, v)
			m.tolerance = 1e-6
			for i := range n {
				m.label(i, float64(1-2*(i%2)), 2)
			}
			for step := range 30 {
				i := rnd.IntN(n)
				if m.label(i, float64(2*rnd.IntN(2)-1), 3*rnd.Float64()); step%3 == 0 {
					m.label(i, 1, 0)
				}
				if err := m.train(t.Context()); err != nil {
					t.Fatal(err)
				}
				got, want := m.bound(), m.objective()
				if math.Abs(got-want) > 1e-5*want {
					t.Fatalf("%s, offset %v, step %d: dual %.10g, primal %.10g", v.Name(), offset, step, got, want)
				}
				for i := range m.at.alpha {
					m.at.alpha[i] *= 0.9 // also feasible
				}
				m.outputs(m.at)
				if b := m.bound(); b > got*(1-1e-4) {
					t.Fatalf("%s, offset %v, step %d: dual %g short of the minimum %g", v.Name(), offset, step, b, got)
				}
			}
		}
	}
}

// A tolerance that rounding does not let the solver of the hinge reach is said, until a machine has one that it does.
func TestWeightedSaysItsLimit(t *testing.T) {
	const n = 30
	m := newWeighted(&Problem{K: gaussian(cloud(rand.New(rand.NewPCG(5, 2)), n), 0.7), Offset: true}, learn.Hinge())
	for i := range n {
		m.label(i, float64(1-2*(i%2)), 2)
	}
	for _, c := range []struct {
		tolerance float64
		limited   bool
	}{{1e-100, true}, {0, false}} {
		m.tolerance = c.tolerance
		if err := m.train(t.Context()); err != nil {
			t.Fatal(err)
		}
		if said := strings.HasPrefix(m.limited, "dual solver: stopped: ") && strings.Contains(m.limited, "violation"); said != c.limited {
			t.Errorf("tolerance %g, violation %g: %q", c.tolerance, m.residual, m.limited)
		}
	}
}

// A kernel that is not positive is said to be that.
func TestWeightedIndefinite(t *testing.T) {
	k := mat.NewDense(2, 2, []float64{1, 3, 3, 1})
	m := newWeighted(&Problem{K: k}, learn.SquaredHinge())
	m.label(0, 1, 10)
	m.label(1, -1, 10)
	if err := m.train(t.Context()); err == nil {
		t.Error(fmt.Errorf("no error, objective %g", m.objective()))
	}
}
