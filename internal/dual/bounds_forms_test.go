package dual_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/dual"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/kernel"
)

// Of an offset that is penalised every bound is that of the kernel with a constant and no offset.
func TestBoundsOfAPenalisedOffset(t *testing.T) {
	k := kernel.Gaussian{Sigma: 1.2}
	for _, squared := range []bool{false, true} {
		p := newBounded(t, kernel.Sum{Terms: []kernel.Kernel{k, kernel.Constant{}}}, 30, 1.5, 2, false, squared, 5)
		a, f := p.train(t, -1)
		whole := p.evidence(a, f)
		apart := whole
		var err error
		if apart.Gram, err = k.Bind(t.Context(), p.rows, nil); err != nil {
			t.Fatal(err)
		}
		for _, b := range []dual.Bound{dual.SupportVectors, dual.JaakkolaHaussler, dual.XiAlpha, dual.Span, dual.RadiusMargin} {
			apart.Augmented = true
			want, got := bound(t, b, whole), bound(t, b, apart)
			if math.Abs(got.Value-want.Value) > 1e-9*(1+want.Value) || len(got.Margin) != len(want.Margin) {
				t.Errorf("%v, squared %t: %g, with the constant in the kernel %g", b, squared, got.Value, want.Value)
			}
			for i, v := range want.Margin {
				if math.Abs(got.Margin[i]-v) > 1e-7*(1+math.Abs(v)) {
					t.Errorf("%v, squared %t: margin %d is %g, with the constant in the kernel %g", b, squared, i, got.Margin[i], v)
				}
			}
			apart.Augmented = false
			if other := bound(t, b, apart); b == dual.RadiusMargin && other.Value == want.Value {
				t.Errorf("%v, squared %t: the constant changes nothing", b, squared)
			}
		}
	}
}

// The span of free support vectors of a kernel that is not positive definite is none; a list that does not fit is the caller's mistake.
func TestBoundsRefuse(t *testing.T) {
	minus := mat.NewDense(4, 4, nil)
	for i := range 4 {
		minus.Set(i, i, -1)
	}
	g, err := kernel.Precomputed{K: minus}.Bind(t.Context(), data.Rows{Dense: mat.NewDense(4, 1, nil)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	e := dual.Evidence{Gram: g, Rows: []int{0, 1, 2, 3}, Y: []float64{1, -1, 1, -1}, A: []float64{0.5, 0.5, 0.5, 0.5},
		F: []float64{1, -1, 1, -1}, C: []float64{1, 1, 1, 1}, Offset: true}
	const words = "svm: the kernel matrix of 4 free support vectors: "
	if _, err := dual.Span.Of(t.Context(), e); err == nil || !strings.HasPrefix(err.Error(), words) ||
		!strings.HasSuffix(err.Error(), "; is the kernel positive definite?") {
		t.Errorf("error %v", err)
	}
	e.F = e.F[:3]
	failtest.Panics(t, "svm: bound of 4 targets, 4 rows, 4 coefficients, 3 outputs and 4 weights", func() {
		_, _ = dual.Span.Of(t.Context(), e)
	})
	failtest.Panics(t, "svm: a ball around no row", func() { _, _ = dual.EnclosingBall(t.Context(), g, nil) })
	for b, want := range map[dual.Bound]string{
		dual.Span: "span", dual.RadiusMargin: "radius-margin", dual.RadiusMargin + 1: "Bound(6)", 0: "Bound(0)", -1: "Bound(-1)",
	} {
		if b.String() != want {
			t.Errorf("%s, expected %s", b, want)
		}
	}
}
