package rls_test

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/search/param"
)

// All that takes the cube of the rows ends with the error of its context.
func TestStopped(t *testing.T) {
	k, y := instance(12, 2, 3)
	x := mat.DenseCopyOf(k.Slice(0, 12, 0, 4))
	folds := [][]int{{0, 5}, {1, 2, 7}}
	bar := mat.NewDense(12, 2, nil)
	for i := range 12 {
		bar.Set(i, i%2, 1)
	}
	path := func(ctx context.Context) (*rls.Path, error) { return rls.NewPath(ctx, k, y, nil, true) }
	columns := func(ctx context.Context) (*rls.Path, error) { return rls.NewColumns(ctx, x, y, nil, true) }
	for name, from := range map[string]func(ctx context.Context) (*rls.Fit, error){
		"path": func(ctx context.Context) (*rls.Fit, error) {
			p, err := path(ctx)
			if err != nil {
				return nil, err
			}
			return p.At(0.1)
		},
		"columns": func(ctx context.Context) (*rls.Fit, error) {
			p, err := columns(ctx)
			if err != nil {
				return nil, err
			}
			return p.At(0.1)
		},
		"solve": func(ctx context.Context) (*rls.Fit, error) { return rls.Solve(ctx, k, y, nil, true, 0.1) },
		// Not positive definite, so that Cholesky gives way to the path.
		"indefinite": func(ctx context.Context) (*rls.Fit, error) {
			minus := mat.DenseCopyOf(k)
			minus.Scale(-1, minus)
			return rls.Solve(ctx, minus, y, nil, false, 1e3)
		},
	} {
		t.Run(name, func(t *testing.T) {
			stoptest.Everywhere(t, func(ctx context.Context) error { _, err := from(ctx); return err })
			for part, of := range map[string]func(ctx context.Context, f *rls.Fit) error{
				"folds": func(ctx context.Context, f *rls.Fit) error { _, err := f.LeaveOut(ctx, folds); return err },
				"pull":  func(ctx context.Context, f *rls.Fit) error { _, _, err := f.PullLeaveOut(ctx, nil, bar); return err },
				"pull of folds": func(ctx context.Context, f *rls.Fit) error {
					_, _, err := f.PullLeaveOut(ctx, folds, bar)
					return err
				},
				"GCV": func(ctx context.Context, f *rls.Fit) error {
					_, _, _, err := f.GCV(ctx, param.WithGradient)
					return err
				},
				"in sample": func(ctx context.Context, f *rls.Fit) error {
					_, _, _, err := f.InSample(ctx, 0.1, param.WithGradient)
					return err
				},
			} {
				t.Run(part, func(t *testing.T) {
					stoptest.Everywhere(t, func(ctx context.Context) error {
						f, err := from(t.Context())
						if err != nil {
							t.Fatal(err)
						}
						return of(ctx, f)
					})
				})
			}
		})
	}
}
