package rls_test

import (
	"context"
	"slices"
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
	folds, long := [][]int{{0, 5}, {1, 2, 7}}, [][]int{{0, 1, 2, 3, 4, 5, 6}} // of more rows than there are columns
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
				"folds":  func(ctx context.Context, f *rls.Fit) error { _, err := f.LeaveOut(ctx, folds); return err },
				"rows":   func(ctx context.Context, f *rls.Fit) error { _, err := f.LeaveOut(ctx, nil); return err },
				"a long": func(ctx context.Context, f *rls.Fit) error { _, err := f.LeaveOut(ctx, long); return err },
				"pull of a long": func(ctx context.Context, f *rls.Fit) error {
					_, _, err := f.PullLeaveOut(ctx, long, bar)
					return err
				},
				"pull": func(ctx context.Context, f *rls.Fit) error { _, _, err := f.PullLeaveOut(ctx, nil, bar); return err },
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

// Left-out outputs by training again end with their context too, also where a factorisation fails.
func TestFoldsStopped(t *testing.T) {
	k, y := instance(40, 3, 5)
	for _, k := range []*mat.Dense{k, nudged(k, 5, 5, -30)} {
		f := rls.Folds{K: k, Y: y, Offset: true, Out: [][]int{{0, 7, 12, 39}, {1, 2, 3}}}
		stoptest.Everywhere(t, func(ctx context.Context) error { _, err := f.LeaveOut(ctx, 3); return err })
	}
}

// A kernel that is zero leaves the offset, the mean of the targets, and targets that are zero leave nothing.
func TestNothingToFit(t *testing.T) {
	_, y := instance(7, 2, 3)
	zero := mat.NewDense(7, 7, nil)
	for name, f := range map[string]func() (*rls.Fit, error){
		"solve": func() (*rls.Fit, error) { return rls.Solve(t.Context(), zero, y, nil, true, 0.5) },
		"path": func() (*rls.Fit, error) {
			p, err := rls.NewPath(t.Context(), zero, y, nil, true)
			if err != nil {
				return nil, err
			}
			return p.At(0.5)
		},
	} {
		got, err := f()
		if err != nil {
			t.Fatal(name, err)
		}
		for j := range 2 {
			mean := mat.Sum(y.ColView(j)) / 7
			near(t, name+": offset", got.B[j], mean, 1e-12)
			for i := range 7 {
				near(t, name+": coefficient", got.Alpha.At(i, j), (y.At(i, j)-mean)/0.5, 1e-12)
			}
		}
	}
	k, _ := instance(7, 2, 3)
	got, err := rls.Solve(t.Context(), k, mat.NewDense(7, 2, nil), nil, true, 0.5)
	if err != nil || mat.Norm(got.Alpha, 1) != 0 || got.Residual() != 0 {
		t.Errorf("targets of zero: %v, residual %g", err, got.Residual())
	}
}

// An eigenvalue of zero is none of an indefinite kernel: a ridge far below rounding is one still.
func TestTinyRidgeOfASingularKernel(t *testing.T) {
	k, y := mat.NewDense(2, 2, []float64{1, 0, 0, 0}), mat.NewDense(2, 1, []float64{3, 2})
	p, err := rls.NewPath(t.Context(), k, y, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.At(1e-20)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "coefficient", f.Alpha.At(0, 0), 3, 1e-12)
	near(t, "coefficient beyond the kernel", f.Alpha.At(1, 0), 2e20, 1e-12)
}

// numbers are those of a matrix, if there is one, and some more.
func numbers(m *mat.Dense, more ...float64) []float64 {
	if m == nil {
		return more
	}
	return append(slices.Clone(m.RawMatrix().Data), more...)
}

// Fits, and all that they are asked for, are whole or an error wherever their context has ended, at the last products too.
func TestWholeOrStopped(t *testing.T) {
	k, y := instance(12, 2, 3)
	x, minus := mat.DenseCopyOf(k.Slice(0, 12, 0, 4)), new(mat.Dense)
	minus.Scale(-1, k)
	bar := mat.NewDense(12, 2, nil)
	for i := range 12 {
		bar.Set(i, i%2, 1)
	}
	along := func(p *rls.Path, err error) (*rls.Fit, error) {
		if err != nil {
			return nil, err
		}
		return p.At(0.1)
	}
	asked := map[string]func(ctx context.Context, f *rls.Fit) ([]float64, error){}
	for name, out := range map[string][][]int{"rows": nil, "folds": {{0, 5}, {1, 2, 7}}, "a long fold": {{0, 1, 2, 3, 4, 5, 6}}} {
		asked[name] = func(ctx context.Context, f *rls.Fit) ([]float64, error) {
			o, err := f.LeaveOut(ctx, out)
			return numbers(o), err
		}
		asked["pull of "+name] = func(ctx context.Context, f *rls.Fit) ([]float64, error) {
			g, d, err := f.PullLeaveOut(ctx, out, bar)
			return numbers(g, d), err
		}
	}
	for name, want := range map[string]param.Want{"": param.ValueOnly, ", with its gradient": param.WithGradient} {
		asked["GCV"+name] = func(ctx context.Context, f *rls.Fit) ([]float64, error) {
			v, g, d, err := f.GCV(ctx, want)
			return numbers(g, v, d), err
		}
		asked["in sample"+name] = func(ctx context.Context, f *rls.Fit) ([]float64, error) {
			v, g, d, err := f.InSample(ctx, 0.1, want)
			return numbers(g, v, d), err
		}
	}
	for name, from := range map[string]func(ctx context.Context) (*rls.Fit, error){
		"path":       func(ctx context.Context) (*rls.Fit, error) { return along(rls.NewPath(ctx, k, y, nil, true)) },
		"columns":    func(ctx context.Context) (*rls.Fit, error) { return along(rls.NewColumns(ctx, x, y, nil, true)) },
		"solve":      func(ctx context.Context) (*rls.Fit, error) { return rls.Solve(ctx, k, y, nil, true, 0.1) },
		"indefinite": func(ctx context.Context) (*rls.Fit, error) { return rls.Solve(ctx, minus, y, nil, false, 1e3) },
	} {
		t.Run(name, func(t *testing.T) {
			stoptest.Whole(t, slices.Equal[[]float64], func(ctx context.Context) ([]float64, error) {
				f, err := from(ctx)
				if err != nil {
					return nil, err
				}
				return numbers(f.Alpha, f.B...), nil
			})
			for part, of := range asked {
				t.Run(part, func(t *testing.T) {
					stoptest.Whole(t, slices.Equal[[]float64], func(ctx context.Context) ([]float64, error) {
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
	definite, targets := instance(40, 3, 5)
	for name, k := range map[string]*mat.Dense{"folds": definite, "folds of an indefinite kernel": nudged(definite, 5, 5, -30)} {
		f := rls.Folds{K: k, Y: targets, Offset: true, Out: [][]int{{0, 7, 12, 39}, {1, 2, 3}}}
		t.Run(name, func(t *testing.T) {
			stoptest.Whole(t, slices.Equal[[]float64], func(ctx context.Context) ([]float64, error) {
				o, err := f.LeaveOut(ctx, 3)
				return numbers(o), err
			})
		})
	}
}
