package kernel_test

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

func pull(t *testing.T, k kernel.Kernel, rows data.Rows, bar kernel.Cotangent) []float64 {
	t.Helper()
	grad := make([]float64, len(k.Space()))
	if err := bind(t, k, rows, nil).Pull(grad, bar); err != nil {
		t.Fatal(err)
	}
	return grad
}

func total(x []float64) float64 {
	var s float64
	for _, v := range x {
		s += v
	}
	return s
}

// Equal penalties c are the linear kernel over c, and the derivatives sum to that of 1/c.
func TestARDLinearOfEqualPenalties(t *testing.T) {
	rows := cloud(30, 4, 5)
	a := kernel.ARDLinear{C: []float64{2.5, 2.5, 2.5, 2.5}}
	s := kernel.Scaled{Weight: 1 / 2.5, Base: kernel.Linear{}}
	if e := distance(t, full(bind(t, a, rows, nil)), full(bind(t, s, rows, nil))); e > 1e-14 {
		t.Errorf("matrices differ by %g", e)
	}
	bar := kernel.Cotangent{U: rows.Dense, V: rows.Dense, D: full(bind(t, kernel.Gaussian{Sigma: 1}, rows, nil))}
	got, want := total(pull(t, a, rows, bar)), -pull(t, s, rows, bar)[0]/(2.5*2.5)
	if math.Abs(got-want) > 1e-13*math.Abs(want) {
		t.Errorf("derivatives sum to %.15g, expected %.15g", got, want)
	}
	if got := (kernel.ARDLinear{}).Adapt(rows).(kernel.ARDLinear).C; total(got) != 4 || len(got) != 4 {
		t.Errorf("adapted to %v", got)
	}
}

// A huge penalty deletes its column.
func TestARDLinearDeletes(t *testing.T) {
	rows := cloud(20, 3, 6)
	with := full(bind(t, kernel.ARDLinear{C: []float64{2, 1e300, 0.5}}, rows, nil))
	without := full(bind(t, kernel.ARDLinear{C: []float64{2, 0.5}}, rows.SelectColumns([]int{0, 2}), nil))
	if e := distance(t, with, without); e > 1e-14 {
		t.Errorf("matrices differ by %g", e)
	}
}

// The low-rank part of a cotangent, pulled by its factors, agrees with the same matrix
// given whole.
func TestARDLinearPullsFactors(t *testing.T) {
	x := cloud(40, 6, 7).Dense
	k := kernel.ARDLinear{C: []float64{1, 2, 3, 4, 5, 6}}
	u, v := cloud(40, 3, 8).Dense, cloud(25, 3, 9).Dense
	var whole mat.Dense
	whole.Mul(u, v.T())
	j := indices.To(25)
	for _, rows := range []data.Rows{{Dense: x}, {Sparse: data.CSRFromDense(x)}} {
		a, b := pull(t, k, rows, kernel.Cotangent{J: j, U: u, V: v}), pull(t, k, rows, kernel.Cotangent{J: j, D: &whole})
		for q := range a {
			if math.Abs(a[q]-b[q]) > 1e-12*(1+math.Abs(a[q])) {
				t.Errorf("sparse %v, c[%d]: %.15g by factors, %.15g by the matrix", rows.IsSparse(), q+1, a[q], b[q])
			}
		}
	}
}

// With gamma_k = 1/(2 sigma_k^2): a width of no end, gamma_k = 0, deletes its column, and
// the derivative by gamma_k of equal widths sums to the Gaussian's.
func TestARDIdentities(t *testing.T) {
	rows := cloud(25, 3, 13)
	with := full(bind(t, kernel.ARDGaussian{Sigma: []float64{1.2, 1e200, 0.7}}, rows, nil))
	without := full(bind(t, kernel.ARDGaussian{Sigma: []float64{1.2, 0.7}}, rows.SelectColumns([]int{0, 2}), nil))
	if e := distance(t, with, without); e > 1e-15 {
		t.Errorf("a deleted column changes the matrix by %g", e)
	}
	// dK/dgamma = -sigma^3 dK/dsigma = -|x-z|^2 K, against the sum by its definition.
	const sigma = 0.9
	bar := kernel.Cotangent{U: cloud(25, 2, 14).Dense, V: cloud(25, 2, 15).Dense}
	one := -math.Pow(sigma, 3) * pull(t, kernel.Gaussian{Sigma: sigma}, rows, bar)[0]
	each := pull(t, kernel.ARDGaussian{Sigma: []float64{sigma, sigma, sigma}}, rows, bar)
	var brute float64
	for i := range 25 {
		for j := range 25 {
			var d2, b float64
			for k := range 3 {
				d2 += math.Pow(rows.Dense.At(i, k)-rows.Dense.At(j, k), 2)
			}
			for q := range 2 {
				b += bar.U.At(i, q) * bar.V.At(j, q)
			}
			brute -= b * d2 * math.Exp(-d2/(2*sigma*sigma))
		}
	}
	if sum := -math.Pow(sigma, 3) * total(each); math.Abs(sum-one) > 1e-12*math.Abs(one) || math.Abs(one-brute) > 1e-12*math.Abs(one) {
		t.Errorf("derivative by gamma %.15g, sum of the widths' %.15g, by definition %.15g", one, sum, brute)
	}
}
