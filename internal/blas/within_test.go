package blas

import (
	"context"
	"errors"
	"strings"
	"testing"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/test/stoptest"
)

// within is a backend that asks the context.
func within(ctx context.Context, b Backend) Backend { return Backend{b.engine().within(ctx)} }

// polls is a context that counts how often it is asked, and is cancelled from the n-th time on.
type polls struct {
	context.Context
	n, asked int
}

func (p *polls) Err() error {
	if p.asked++; p.asked >= p.n && p.n > 0 {
		return context.Canceled
	}
	return nil
}

// operations are all that a backend does on matrices of order n, each with its result.
func operations(t *testing.T, n int) map[string]func(b Backend) (*mat.Dense, error) {
	rnd := source(n)
	x, _ := guarded(t, rnd, n, n)
	y, _ := guarded(t, rnd, n, n)
	_, spd, _ := definite(t, rnd, n)
	ops := map[string]func(b Backend) (*mat.Dense, error){
		"inverse": func(b Backend) (*mat.Dense, error) {
			a, c := mat.DenseCopyOf(spd), Cholesky{Backend: b}
			err := c.Factor(a)
			if err == nil {
				c.Inverse()
			}
			return a, err
		},
		"eigen": func(b Backend) (*mat.Dense, error) {
			a, w := mat.DenseCopyOf(spd), mat.NewDense(1, n, nil)
			return w, b.SymEigenInPlace(a, w.RawRowView(0))
		},
	}
	for name, trans := range map[string]bool{"": false, "'": true} {
		ops["gemm"+name] = func(b Backend) (*mat.Dense, error) {
			c := mat.DenseCopyOf(spd)
			b.Gemm(-1, op(trans, x), op(!trans, y), 0.5, c)
			return c, nil
		}
		ops["syrk"+name] = func(b Backend) (*mat.Dense, error) {
			c := mat.DenseCopyOf(spd)
			b.Syrk(-1, op(trans, x), 0.5, c)
			return c, nil
		}
		ops["cholesky"+name] = func(b Backend) (*mat.Dense, error) {
			z, c := mat.DenseCopyOf(y), Cholesky{Backend: b}
			err := c.Factor(mat.DenseCopyOf(spd))
			if err == nil {
				map[bool]func(*mat.Dense){false: c.SolveL, true: c.SolveLT}[trans](z)
			}
			return z, err
		}
	}
	ops["lu"] = func(b Backend) (*mat.Dense, error) {
		z, l := mat.DenseCopyOf(y), LU{Backend: b}
		err := l.Factor(mat.DenseCopyOf(x))
		if err == nil {
			l.Solve(z)
		}
		return z, err
	}
	return ops
}

// Work within a context is the same to the last bit, and asks in its midst.
func TestWithin(t *testing.T) {
	everyBackend(t, func(t *testing.T, b Backend) {
		for _, n := range []int{65, 130, 400} {
			for name, op := range operations(t, n) {
				want, err := op(b)
				if err != nil {
					t.Fatal(err)
				}
				ctx := &polls{Context: t.Context()}
				got, err := op(within(ctx, b))
				if err != nil {
					t.Fatal(err)
				}
				sameBits(t, name, got, want)
				least := 1
				if n == 400 && (hasKernels && !b.engine().plain || !strings.HasPrefix(name, "gemm")) {
					least = 3
				}
				if ctx.asked < least {
					t.Errorf("%s of %d rows asks its context %d times", name, n, ctx.asked)
				}
			}
		}
	})
}

// Of large products each piece of work is less than a second's by any kernel.
func TestWithinPieces(t *testing.T) {
	for _, c := range []struct{ m, n, k int }{{4000, 3000, 700}, {9000, 10, 13000}, {700, 5000, 400}} {
		x, y, z := mat.NewDense(c.m, c.k, nil), mat.NewDense(c.k, c.n, nil), mat.NewDense(c.m, c.n, nil)
		ctx := &polls{Context: t.Context()}
		within(ctx, Backend{}).Gemm(1, N(x), N(y), 0, z)
		if work := float64(c.m) * float64(c.n) * float64(c.k) / float64(ctx.asked); work > 1.3e9 {
			t.Errorf("%+v: %.1e multiplications between two looks at the context", c, work)
		}
		rows := plainRows(c.n, c.k)
		if work := float64(min(rows, c.m)) * float64(c.n) * float64(c.k); work > 1.3e9 {
			t.Errorf("%+v: %.1e multiplications of a plain product", c, work)
		}
	}
}

// Triangles from either side, either way.
func TestWithinTriangles(t *testing.T) {
	everyBackend(t, func(t *testing.T, b Backend) {
		const n = 200
		_, full, _ := definite(t, source(n), n)
		for mode := range 16 {
			right, lower, trans, unit := mode&1 > 0, mode&2 > 0, mode&4 > 0, mode&8 > 0
			tri := mat.DenseCopyOf(full)
			if unit {
				tri.Scale(0.1, tri)
			}
			for _, m := range []int{3, 150} {
				r, c := dims(right, n, m)
				x, ok := guarded(t, source(m), r, c)
				want := mat.DenseCopyOf(x)
				side, half := gblas.Left, triangle{op(trans, tri), !lower, unit}
				if right {
					side = gblas.Right
				}
				b.engine().trsm(side, half, want.RawMatrix())
				within(t.Context(), b).engine().trsm(side, half, x.RawMatrix())
				if far(x, want, 1e5*eps*n) {
					t.Errorf("right %v lower %v trans %v unit %v, %d sides: wrong", right, lower, trans, unit, m)
				}
				ok()
			}
		}
	})
}

// Wherever the context ends nothing is done any more, and the error says so; the pivots that fail are the same.
func TestWithinStopped(t *testing.T) {
	places := 9
	if testing.Short() {
		places = 3 // slow under the race detector
	}
	everyBackend(t, func(t *testing.T, b Backend) {
		const n = 300
		for name, op := range operations(t, n) {
			all := &polls{Context: t.Context()}
			if _, err := op(within(all, b)); err != nil {
				t.Fatal(err)
			}
			for at := 1; at <= all.asked; at += 1 + all.asked/places {
				ctx := &polls{Context: t.Context(), n: at}
				on := within(ctx, b)
				_, err := op(on)
				if !errors.Is(on.Stopped(), context.Canceled) || err != nil && !errors.Is(err, context.Canceled) {
					t.Errorf("%s stopped at %d of %d: %v, %v", name, at, all.asked, err, on.Stopped())
				}
				if ctx.asked != at {
					t.Errorf("%s stopped at %d asks again, %d times", name, at, ctx.asked)
				}
			}
		}
		for _, p := range []int{3, 77, n - 1} {
			a, _, _ := definite(t, source(n), n)
			a.Set(p, p, -1e6)
			var pd *NotPositiveDefinite
			if err := (&Cholesky{Backend: within(t.Context(), b)}).Factor(a); !errors.As(err, &pd) || pd.Pivot != p {
				t.Errorf("pivot %d of Cholesky: %v", p, err)
			}
			for j := range n {
				a.Set(p, j, 0)
			}
			var s *Singular
			if err := (&LU{Backend: within(t.Context(), b)}).Factor(a); !errors.As(err, &s) || s.Pivot != p {
				t.Errorf("pivot %d of LU: %v", p, err)
			}
		}
	})
}

// Factorisations and eigenvalues hand the error of their context on.
func TestWithinEverywhere(t *testing.T) {
	for name, op := range operations(t, 130) {
		stoptest.Everywhere(t, func(ctx context.Context) error {
			b := Within(ctx)
			_, err := op(b)
			if err == nil {
				err = b.Stopped()
			}
			return err
		})
		if t.Failed() {
			t.Fatal(name)
		}
	}
}
