package dual

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// At a fine tolerance the objective is that of the matrix in double precision, for all rows
// and for some of them labelled.
func TestFineObjective(t *testing.T) {
	const n = tableRows + 90
	r := source(n)
	x := mat.NewDense(n, 3, nil)
	labels := data.Labels{Task: data.Classification, Classes: []string{"a", "b"}}
	for i := range n {
		var sum float64
		for k := range 3 {
			x.Set(i, k, r.NormFloat64())
			sum += x.At(i, k)
		}
		class := 0
		if sum+r.NormFloat64() > 0 {
			class = 1
		}
		if i%50 == 7 {
			class = -1
		}
		labels.Class = append(labels.Class, class)
	}
	g, err := kernel.Gaussian{Sigma: 0.7}.Bind(t.Context(), data.Rows{Dense: x}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := learn.NewProblem(data.Rows{Dense: x}, labels)
	trainer, err := Classifier{Options: Options{Tolerance: 1e-4}}.Bind(t.Context(), g, p)
	if err != nil {
		t.Fatal(err)
	}
	m, err := trainer.Train(t.Context(), nil, []float64{5}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var k, f mat.Dense
	k.ReuseAs(len(m.Rows), len(m.Rows))
	g.Block(&k, m.Rows, m.Rows)
	f.Mul(&k, m.Coef)
	var want float64
	for i := range m.Rows {
		b := m.Coef.At(i, 0)
		want += b*f.At(i, 0)/2 - math.Abs(b)
	}
	if got := m.Certificate.Dual; math.Abs(got-want) > 1e-11*math.Abs(want) {
		t.Errorf("objective %.12g, in double precision %.12g", got, want)
	}
}

// From a tolerance of 1e-4 down the objective is that of the matrix in double precision, above it that of single precision.
func TestToleranceOfAFineObjective(t *testing.T) {
	const n = 40
	r := source(n)
	x, y := mat.NewDense(n, 3, nil), make([]float64, n)
	for i := range n {
		y[i] = float64(1 - 2*(i%2))
		for j := range 3 {
			x.Set(i, j, r.NormFloat64()+0.5*y[i])
		}
	}
	g, err := kernel.Gaussian{Sigma: 1}.Bind(t.Context(), data.Rows{Dense: x}, nil)
	if err != nil {
		t.Fatal(err)
	}
	single, double := make([]float32, n*n), mat.NewDense(n, n, nil)
	kernel.NewSingle(g).Block(single, nil, nil)
	g.Block(double, nil, nil)
	for tol, fine := range map[float64]bool{1e-4: true, 1.01e-4: false} {
		s, err := run(t.Context(), finer{kernel.NewSingle(g), g, nil}, SVC(nil, y, constant(n, 5)), Options{Tolerance: tol}, directSize, nil)
		if err != nil || s.Status != Optimal {
			t.Fatal(err)
		}
		var want, other float64
		for i, a := range s.A {
			want -= a
			other -= a
			for j, b := range s.A {
				want += a * b * y[i] * y[j] * double.At(i, j) / 2
				other += a * b * y[i] * y[j] * float64(single[i*n+j]) / 2
			}
		}
		if !fine {
			want, other = other, want
		}
		if math.Abs(s.Objective-want) > 1e-11*math.Abs(want) || math.Abs(s.Objective-other) < 1e-10*math.Abs(want) {
			t.Errorf("tolerance %g: %.13g, want %.13g and not %.13g", tol, s.Objective, want, other)
		}
	}
}
