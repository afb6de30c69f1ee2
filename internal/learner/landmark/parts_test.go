package landmark_test

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/internal/learner/landmark"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Features in two parts give the machines that whole features give, with weights and folds too, and are not made where rounding
// would show: the kernel of width 4 is too near a singular one for the small lambda, so that the answers are the same bits.
func TestFeaturesInParts(t *testing.T) {
	const n, m = 4000, 60
	rows, y := waves(n, 4, 2, 6)
	weight := make([]float64, n)
	for i := range weight {
		weight[i] = 1 + float64(i%3)
	}
	folds := [][]int{ran(0, 500), ran(900, 1300)}
	for _, c := range []struct{ sigma, lambda, most float64 }{{0.7, 0.01, 1e-9}, {1.5, 1, 1e-9}, {4, 1e-8, 0}} {
		p := products(t, kernel.Gaussian{Sigma: c.sigma}, rows, ran(0, m))
		var left, out []*mat.Dense
		for _, least := range []float64{0, c.lambda} {
			f, err := landmark.NewFolds(t.Context(), p, y, weight, folds, landmark.Options{Offset: true, Least: least})
			if err != nil {
				t.Fatal(err)
			}
			if r := landmark.FirstPart(f); (r < m) != (least > 0 && c.most > 0) {
				t.Errorf("width %g, least %g: the first part has %d of %d landmarks", c.sigma, least, r, m)
			}
			l, err := f.LeaveOut(t.Context(), []float64{c.lambda})
			if err != nil {
				t.Fatal(err)
			}
			fit, err := f.At(t.Context(), c.lambda)
			if err != nil {
				t.Fatal(err)
			}
			left, out = append(left, l[0]), append(out, outputs(t, fit, p))
		}
		if a, b := apart(left[0], left[1]), apart(out[0], out[1]); !(a <= c.most && b <= c.most) {
			t.Errorf("width %g: left-out outputs are off by %g, outputs by %g", c.sigma, a, b)
		}
	}
}

// Features are made in two parts from 32 landmarks and eight times as many rows on, where the error that this makes of sums of
// features, by the estimate of parts.go, is no more than 1e-4 of the smallest lambda. Eigenvalues are known to their order there.
func TestWhenFeaturesAreInParts(t *testing.T) {
	const n, m, sigma = 400, 40, 1.5
	rows, y := waves(1000, 4, 1, 6)
	// What the first quarter of the landmarks leaves of the others' matrix, by elimination.
	k := mat.NewDense(m, m, nil)
	k.Apply(func(i, j int, _ float64) float64 {
		var square float64
		for q, v := range rows.Dense.RawRowView(i) {
			square += (v - rows.Dense.At(j, q)) * (v - rows.Dense.At(j, q))
		}
		return math.Exp(-square / (2 * sigma * sigma))
	}, k)
	for q := range m / 4 {
		for i := q + 1; i < m; i++ {
			share := k.At(i, q) / k.At(q, q)
			for j := q + 1; j < m; j++ {
				k.Set(i, j, k.At(i, j)-share*k.At(q, j))
			}
		}
	}
	left := mat.NewSymDense(m-m/4, nil)
	for i := range m - m/4 {
		for j := range i + 1 {
			left.SetSym(i, j, k.At(m/4+i, m/4+j))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(left, false) {
		t.Fatal("no eigenvalues")
	}
	values := e.Values(nil)
	most, least := values[len(values)-1], values[0]
	off := 0x1p-53 * n / m * most * most / least
	for _, c := range []struct {
		n, m  int
		sigma float64
		least float64
		parts bool
	}{
		{256, 32, 0.7, 1, true}, {255, 32, 0.7, 1, false}, {1000, 31, 0.7, 1, false},
		{n, m, sigma, 1e5 * off, true}, {n, m, sigma, 1e3 * off, false},
	} {
		at := rows.Select(ran(0, c.n))
		p := products(t, kernel.Gaussian{Sigma: c.sigma}, at, ran(0, c.m))
		f, err := landmark.NewFolds(t.Context(), p, y.Slice(0, c.n, 0, 1).(*mat.Dense), nil, nil, landmark.Options{Least: c.least})
		if err != nil {
			t.Fatal(err)
		}
		if r := landmark.FirstPart(f); (r < c.m) != c.parts {
			t.Errorf("%d rows, least lambda %g: the first part has %d of %d landmarks", c.n, c.least, r, c.m)
		}
	}
}
