package shrink

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// The coefficients make the derivative of the squared hinge with its ridge nearly zero, and least squares do not.
func TestHingeIsLeast(t *testing.T) {
	const n = 60
	x := mat.NewDense(n, 2, nil)
	decided := make([]int, n)
	for i := range n {
		x.SetRow(i, []float64{math.Sin(float64(i)), math.Cos(2.3 * float64(i))})
		if x.At(i, 0)*x.At(i, 1) > 0.1 {
			decided[i] = 1
		}
	}
	d := &Distillation{x: data.Rows{Dense: x}, kernel: kernel.Gaussian{Sigma: 0.4}}
	d.code(decided, 2)
	var err error
	if d.gram, err = d.kernel.Bind(t.Context(), d.x, nil); err != nil {
		t.Fatal(err)
	}
	d.gamma = 1e-3
	centres := []int{0, 5, 9, 14, 22, 31, 40, 44, 52, 59}
	beta, out, err := d.hinge(t.Context(), centres)
	if err != nil {
		t.Fatal(err)
	}
	k, kj := mat.NewDense(n, len(centres), nil), mat.NewDense(len(centres), len(centres), nil)
	d.gram.Block(k, nil, centres)
	d.gram.Block(kj, centres, centres)
	slope := func(beta *mat.Dense) float64 {
		o, g, r := mat.NewDense(n, 1, nil), mat.NewDense(len(centres), 1, nil), mat.NewDense(len(centres), 1, nil)
		o.Mul(k, beta)
		for i := range n {
			y := d.y.At(i, 0)
			o.Set(i, 0, -y*max(0, 1-y*(o.At(i, 0)+d.offset[0])))
		}
		g.Mul(k.T(), o)
		r.Mul(kj, beta)
		r.Scale(d.gamma, r)
		g.Add(g, r)
		return mat.Norm(g, 2)
	}
	if end, start := slope(beta), slope(mat.NewDense(len(centres), 1, nil)); end > 0.02*start {
		t.Errorf("the derivative is %g of %g at zero", end, start)
	}
	var want mat.Dense
	want.Mul(k, beta)
	for i := range n {
		if math.Abs(out.At(i, 0)-want.At(i, 0)-d.offset[0]) > 1e-12 {
			t.Fatalf("output %d is %g, want %g", i, out.At(i, 0), want.At(i, 0)+d.offset[0])
		}
	}
}
