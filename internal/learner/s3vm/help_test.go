package s3vm

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
)

// gaussian is the kernel matrix of the rows.
func gaussian(x *mat.Dense, sigma float64) *mat.Dense {
	n, d := x.Dims()
	k := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			s := 0.0
			for q := range d {
				v := x.At(i, q) - x.At(j, q)
				s += v * v
			}
			k.Set(i, j, math.Exp(-s/(2*sigma*sigma)))
		}
	}
	return k
}

// clouds is a problem on n rows of two overlapping clouds in the plane, l of them labelled, in an order that is not that of K.
func clouds(n, l int, seed uint64, offset bool) *Problem {
	rng := rand.New(rand.NewPCG(seed, 7))
	x, y := mat.NewDense(n, 2, nil), make([]float64, n)
	for i := range y {
		y[i] = 1 - 2*float64(i%2)
		x.SetRow(i, []float64{rng.NormFloat64() + y[i], rng.NormFloat64()})
	}
	p := &Problem{K: gaussian(x, 0.8), Rows: rng.Perm(n), Positive: 0.4, Offset: offset, C: 3, Unlabelled: 0.7}
	for q := 0; len(p.Y) < l; q++ {
		v := y[p.Rows[q]]
		if q < 2 {
			v = float64(1 - 2*q) // both classes
		}
		p.Y = append(p.Y, v)
		p.Weight = append(p.Weight, 1+rng.Float64())
	}
	return p
}

// means are labels of a problem's rows, the unlabelled ones anywhere in [-1, 1], some of them at its ends.
func means(p *Problem, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 8))
	y := append([]float64(nil), p.Y...)
	for len(y) < len(p.Rows) {
		y = append(y, min(max(3*rng.Float64()-1.5, -1), 1))
	}
	return y
}

// formula is a problem on a set made by formula, with one row of each class labelled, and what is true of its rows.
func formula(t testing.TB, name string, sigma float64, plus, minus int) (p *Problem, truth []float64) {
	t.Helper()
	set, err := data.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	p = &Problem{K: gaussian(set.Rows.Dense, sigma), Rows: []int{plus, minus}, Y: []float64{1, -1}, Positive: 0.5, Unlabelled: 1}
	for i := range set.Rows.Len() {
		if i != plus && i != minus {
			p.Rows = append(p.Rows, i)
		}
	}
	for _, i := range p.Rows {
		v := 1.0
		if set.Answers[i] != set.Answers[plus] {
			v = -1
		}
		truth = append(truth, v)
	}
	return p, truth
}

// wrong counts the rows whose output has not the sign of the truth.
func wrong(f, truth []float64) (count int) {
	for i, v := range f {
		if v*truth[i] <= 0 {
			count++
		}
	}
	return count
}

// near says whether all values agree.
func near(a, b []float64, tolerance float64) bool {
	for i, v := range a {
		if !(math.Abs(v-b[i]) <= tolerance) {
			return false
		}
	}
	return len(a) == len(b)
}

// supervised is the machine that package smooth trains on labelled rows of which the kernel matrix is known.
func supervised(t *testing.T, v smooth.Learner, k *mat.Dense, y, weight []float64, c float64) *learn.Machine {
	t.Helper()
	rows := data.Rows{Dense: mat.NewDense(len(y), 1, nil)}
	g, err := kernel.Precomputed{K: k}.Bind(t.Context(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &learn.Problem{Rows: rows, Labelled: rows.Whole(), Y: mat.NewDense(len(y), 1, y), Weight: weight}
	trainer, err := v.Bind(t.Context(), g, p)
	if err != nil {
		t.Fatal(err)
	}
	m, err := trainer.Train(t.Context(), nil, []float64{c}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
