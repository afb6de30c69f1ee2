package solve

import (
	"context"
	"testing"

	"github.com/mercer-ml/mercer/internal/stoptest"
	"gonum.org/v1/gonum/mat"
)

// Every solver ends with the error of its context, wherever it is stopped.
func TestStoppedAnywhere(t *testing.T) {
	problems := bank()
	rosenbrock := problems[3]
	n, ring, _ := rings(5, 7, 9)
	x, y := gaussians(40, 1, 0.5, 1)
	a, b := spd(12, 2, 1)
	for name, f := range map[string]func(context.Context) error{
		"L-BFGS-B": func(ctx context.Context) error {
			_, err := LBFGSB(ctx, watched(rosenbrock, new(int), nil), rosenbrock.x, rosenbrock.lo, rosenbrock.hi, LBFGSBOptions{})
			return err
		},
		"Nelder-Mead": func(ctx context.Context) error {
			_, err := NelderMead(ctx, watched(rosenbrock, new(int), nil), rosenbrock.x, rosenbrock.lo, rosenbrock.hi, NelderMeadOptions{})
			return err
		},
		"RPROP": func(ctx context.Context) error {
			_, err := RPROP(ctx, watched(rosenbrock, new(int), nil), rosenbrock.x, rosenbrock.lo, rosenbrock.hi, RPROPOptions{})
			return err
		},
		"Brent": func(ctx context.Context) error {
			_, err := Brent(ctx, func(x float64) float64 { return (x - 1) * (x - 1) }, 0, 3, ScalarOptions{})
			return err
		},
		"root": func(ctx context.Context) error {
			_, err := Root(ctx, func(x float64) (float64, float64) { return x*x - 2, 2 * x }, 0, 3, ScalarOptions{})
			return err
		},
		"conjugate gradients": func(ctx context.Context) error {
			_, err := CG(ctx, operator(a), mat.NewDense(12, 2, nil), b, CGOptions{})
			return err
		},
		"eigenpairs": func(ctx context.Context) error { _, err := Eigen(ctx, ring, n, 4, EigenOptions{}); return err },
		"largest": func(ctx context.Context) error {
			_, err := Eigen(ctx, ring, n, 4, EigenOptions{Largest: true})
			return err
		},
		"all pairs": func(ctx context.Context) error { _, err := Eigen(ctx, ring, n, n, EigenOptions{}); return err },
		"path":      func(ctx context.Context) error { _, err := Lasso(ctx, x, y, LassoOptions{}); return err },
		"screened":  func(ctx context.Context) error { _, err := Lasso(ctx, x, y, LassoOptions{Working: 8}); return err },
		"descent": func(ctx context.Context) error {
			_, err := LassoDescent(ctx, x, y, 0.01, make([]float64, 80), DescentOptions{})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) { stoptest.Everywhere(t, f) })
	}
}
