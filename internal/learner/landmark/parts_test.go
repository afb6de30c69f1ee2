package landmark_test

import (
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
