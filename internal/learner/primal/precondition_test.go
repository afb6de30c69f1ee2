package primal

import (
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// TestRidgeOfLandmarks: what is added to the diagonal of the landmarks' matrix is a share of its largest element, whatever the kernel is
// multiplied by. With K = s D, D diagonal, the columns of L^-1 K have the squared norm s d^2 / (d + delta top).
func TestRidgeOfLandmarks(t *testing.T) {
	d := []float64{2, 1, 0.5, 2}
	for _, s := range []float64{1e-6, 1, 1e6} {
		k := mat.NewDense(4, 4, nil)
		for i, v := range d {
			k.Set(i, i, s*v)
		}
		lm, err := newLandmarks(t.Context(), Machine{}, DenseProduct(k), nil, []int{0, 1, 2, 3}, 4)
		if err != nil {
			t.Fatal(err)
		}
		added := math.Sqrt(DenseProduct(k).Unit()) / 16 * 2
		for a, i := range lm.j {
			norm := 0.0
			for b := range 4 {
				norm += lm.ct.At(b, i) * lm.ct.At(b, i)
			}
			if want := d[i] * d[i] / (d[i] + added); math.Abs(norm/s-want) > 1e-14*want {
				t.Errorf("scale %g, landmark %d: %.17g, want %.17g", s, a, norm/s, want)
			}
		}
	}
}

// A kernel that is not positive on the landmarks is refused before the first step.
func TestLandmarksOfANegativeKernel(t *testing.T) {
	k := mat.NewDense(4, 4, nil)
	for i := range 4 {
		k.Set(i, i, -1)
	}
	y := mat.NewDense(2, 1, []float64{1, -1})
	_, err := Machine{Ambient: 1}.CG(t.Context(), DenseProduct(k), nil, []int{0, 1}, y, Options{})
	if err == nil || !strings.HasPrefix(err.Error(), "manifold: before the first step: kernel matrix of 2 landmarks: ") ||
		!strings.HasSuffix(err.Error(), "; is the kernel positive definite?") {
		t.Errorf("the error is %v", err)
	}
}

// productOf and singleOf are of n rows, of which nothing else is asked.
type productOf struct {
	Product
	n int
}

func (p productOf) Len() int { return p.n }

type singleOf struct {
	kernel.Single
	n int
}

func (s singleOf) Len() int { return s.n }

// TestDefaults: options that say nothing are those that their comments promise, others are kept.
func TestDefaults(t *testing.T) {
	usual := func(landmarks int) Options {
		return Options{Landmarks: landmarks, Tolerance: 1e-6, Window: 3, Flips: 0.0005, Settled: 3e-4, MaxIterations: 1000}
	}
	own := Options{Landmarks: -1, Tolerance: 0.5, Exact: true, Window: 7, Flips: 0.25, Settled: 0.125, MaxIterations: 9}
	for _, c := range []struct {
		given, want Options
		k           Product
	}{
		{Options{}, usual(50), productOf{n: 50}},
		{Options{}, usual(100), productOf{n: 300}},
		{Options{}, usual(102), productOf{n: 2000}},
		{Options{}, usual(1459), panels{s: singleOf{n: 50000}}},
		{Options{Landmarks: 7, Window: -1, MaxIterations: -1}, usual(7), productOf{n: 2000}},
		{own, own, productOf{n: 2000}},
	} {
		if got := c.given.defaults(c.k); got != c.want {
			t.Errorf("%d rows, %+v: %+v, want %+v", c.k.Len(), c.given, got, c.want)
		}
	}
}

// TestUnitsOfProducts: the unit is half the distance from 1 to the next number of its precision, and a matrix in doubles is rounded from
// a thousand rows on.
func TestUnitsOfProducts(t *testing.T) {
	double, single := (math.Nextafter(1, 2)-1)/2, float64(math.Nextafter32(1, 2)-1)/2
	for n, want := range map[int]float64{2: double, 999: double, 1000: single} {
		if got := round(DenseProduct(mat.NewDense(n, n, nil))).Unit(); got != want {
			t.Errorf("%d rows: a unit of %g, want %g", n, got, want)
		}
	}
	if got := (panels{}).Unit(); got != single {
		t.Errorf("panels in single precision: a unit of %g, want %g", got, single)
	}
}

// TestToleranceOfRounding: at a tolerance of 1e-7 outputs are those of a matrix rounded to floats, below it those of the matrix itself.
func TestToleranceOfRounding(t *testing.T) {
	const n = 1000
	k := mat.NewDense(n, n, nil)
	k.Apply(func(i, j int, _ float64) float64 { return math.Exp(-math.Abs(float64(i-j)) / 30) }, k)
	y := mat.NewDense(4, 1, []float64{1, -1, 1, -1})
	for tol, rounded := range map[float64]bool{1e-7: true, 0.99e-7: false} {
		o := Options{Landmarks: -1, MaxIterations: 3, Tolerance: tol}
		r, err := Machine{Ambient: 1e-2}.CG(t.Context(), DenseProduct(k), nil, []int{10, 300, 320, 800}, y, o)
		if err != nil {
			t.Fatal(err)
		}
		var f mat.Dense
		f.Mul(k, r.Alpha)
		off := 0.0
		for i := range n {
			off = max(off, math.Abs(f.At(i, 0)+r.B[0]-r.F.At(i, 0)))
		}
		if most := 1e-11 * max(mat.Max(&f), -mat.Min(&f)); off > most != rounded {
			t.Errorf("tolerance %g: outputs are off by %g", tol, off)
		}
	}
}
