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

// Of two rows of one class, on a centre and where its kernel is small, a step of the majorisation brings the coefficient nearer to the one
// that answers both by a factor: while the objective falls by a thousandth of it, and a hundred times at most.
func TestStepsOfHinge(t *testing.T) {
	for squared, steps := range map[float64]int{5e-3: 100, 6e-4: 100, 4e-4: 2} {
		small := math.Sqrt(squared)
		x := data.Rows{Dense: mat.NewDense(2, 1, []float64{0, math.Sqrt(-2 * math.Log(small))})}
		d := &Distillation{x: x, kernel: kernel.Gaussian{Sigma: 1}, y: mat.NewDense(2, 1, []float64{1, 1}), offset: []float64{0}}
		var err error
		if d.gram, err = d.kernel.Bind(t.Context(), x, nil); err != nil {
			t.Fatal(err)
		}
		beta, _, err := d.hinge(t.Context(), []int{0})
		if err != nil {
			t.Fatal(err)
		}
		want := (1 + small) / (1 + squared) // the row on the centre is right from here on
		for range steps - 1 {
			want = (want + small) / (1 + squared)
		}
		if got := beta.At(0, 0); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("a value of %g: %g, after %d steps %g", small, got, steps, want)
		}
	}
}

// Functions are compared on 40 000 rows at most where nothing is said.
func TestRowsOfOptions(t *testing.T) {
	for n, want := range map[int]int{40_000: 40_000, 40_001: 40_000} {
		if got := (Options{}).completed().drawn(n); len(got) != want || got[0] < 0 || got[want-1] >= n {
			t.Errorf("%d of %d rows take part", len(got), n)
		}
	}
}
