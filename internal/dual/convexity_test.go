package dual

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// noisy returns l rows of two overlapping classes in an order of their own.
func noisy(l int, order []int) *learn.Problem {
	rng := rand.New(rand.NewPCG(5, 6))
	x, class := mat.NewDense(l, 3, nil), make([]int, l)
	for i := range l {
		class[i] = i % 2
		for c := range 3 {
			x.Set(i, c, rng.NormFloat64()+float64(class[i]))
		}
	}
	p := &learn.Problem{Task: data.Classification, Classes: []string{"a", "b"}, Coding: learn.Coding{Classes: 2}}
	for q := range order {
		p.Labelled = append(p.Labelled, q)
		p.Class = append(p.Class, class[order[q]])
	}
	p.Rows = data.Rows{Dense: x}.Select(order)
	p.Y = p.Coding.Code(p.Class)
	return p
}

// trained is the machine at C = 30 with the matrix of the labelled rows.
func trained(t *testing.T, k kernel.Kernel, p *learn.Problem, noOffset bool) (*learn.Machine, *mat.Dense) {
	t.Helper()
	g, err := k.Bind(context.Background(), p.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := Classifier{NoOffset: noOffset, Options: Options{Tolerance: 1e-6}}.Bind(context.Background(), g, p)
	if err != nil {
		t.Fatal(err)
	}
	m, err := tr.Train(context.Background(), nil, []float64{30}, nil)
	if err != nil {
		t.Fatal(err)
	}
	full := mat.NewDense(g.Len(), g.Len(), nil)
	g.Block(full, nil, nil)
	return m, full
}

// With an indefinite kernel two orders of the same rows end in different solutions, so
// neither has a gap; what both have is the violation that they print, and the smallest
// eigenvalue.
func TestIndefiniteHasNoGap(t *testing.T) {
	const l = 80
	rng := rand.New(rand.NewPCG(9, 9))
	for _, noOffset := range []bool{false, true} {
		low, high := math.Inf(1), math.Inf(-1)
		for range 8 {
			p := noisy(l, rng.Perm(l))
			m, k := trained(t, kernel.Sigmoid{Scale: 0.5, Offset: -1}, p, noOffset)
			c := m.Certificate
			if c.Gap != 0 || c.Limited != "" {
				t.Errorf("gap %g, limited %q", c.Gap, c.Limited)
			}
			if want := least(t, k, !noOffset); math.Abs(c.Least-want) > 1e-6*math.Abs(want) {
				t.Errorf("smallest eigenvalue %g, want %g", c.Least, want)
			}
			// The violation anew, from the matrix in double precision.
			most, fewest, value := math.Inf(-1), math.Inf(1), 0.0
			for i := range l {
				var f float64
				for j := range l {
					f += k.At(i, j) * m.Coef.At(j, 0)
				}
				y, b := p.Y.At(i, 0), m.Coef.At(i, 0)
				value += b * (f/2 - y)
				if b < 30*max(y, 0) {
					most = max(most, y-f)
				}
				if b > 30*min(y, 0) {
					fewest = min(fewest, y-f)
				}
			}
			if noOffset {
				most, fewest = max(most, -fewest), 0
			}
			if v := most - fewest; !(v <= 1.01e-6) || v > c.Residual+1e-9 {
				t.Errorf("violation %g, printed %g", v, c.Residual)
			}
			if math.Abs(value-c.Dual) > 1e-9*math.Abs(value) {
				t.Errorf("objective %g, printed %g", value, c.Dual)
			}
			low, high = min(low, value), max(high, value)
		}
		if !noOffset && high-low < 1e-3*math.Abs(low) {
			t.Errorf("objectives %g to %g: the case does not show what it should", low, high)
		}
	}
}

// least is the smallest eigenvalue by a full decomposition.
func least(t *testing.T, k *mat.Dense, centred bool) float64 {
	t.Helper()
	a := mat.DenseCopyOf(k)
	if centred {
		kernel.Centre(a)
	}
	l, _ := a.Dims()
	s := mat.NewSymDense(l, nil)
	for i := range l {
		for j := range i + 1 {
			s.SetSym(i, j, a.At(i, j))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, false) {
		t.Fatal("no eigenvalues")
	}
	return e.Values(nil)[0]
}

// A kernel that is semi-definite has a gap, whether it is so by construction or by
// its values, and a sample that shows nothing leaves none.
func TestSemidefiniteHasAGap(t *testing.T) {
	order := rand.New(rand.NewPCG(1, 9)).Perm(60)
	p := noisy(60, order)
	g, err := kernel.Gaussian{Sigma: 1}.Bind(context.Background(), p.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	table := mat.NewDense(60, 60, nil)
	g.Block(table, nil, nil)
	for name, k := range map[string]kernel.Kernel{"gaussian": kernel.Gaussian{Sigma: 1}, "its table": kernel.Precomputed{K: table}} {
		q := *p
		q.Rows.ID = nil
		m, _ := trained(t, k, &q, false)
		if c := m.Certificate; !(c.Gap > 0 && c.Gap < 1e-5) || c.Least != 0 {
			t.Errorf("%s: gap %g, smallest eigenvalue %g", name, c.Gap, c.Least)
		}
	}
	many := tableRows + 50
	p = noisy(many, rand.New(rand.NewPCG(2, 9)).Perm(many))
	diag := mat.NewDense(many, many, nil)
	for i := range many {
		diag.Set(i, i, 1)
	}
	c := convexity{gram: mustBind(t, kernel.Precomputed{K: diag}, p.Rows), rows: p.Labelled}
	if v, certain, err := c.find(context.Background()); v != 0 || certain || err != nil {
		t.Errorf("sample: %g, %v, %v", v, certain, err)
	}
}

func mustBind(t *testing.T, k kernel.Kernel, x data.Rows) kernel.Gram {
	t.Helper()
	x.ID = nil
	g, err := k.Bind(context.Background(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}
