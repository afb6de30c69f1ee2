package blas

import (
	"context"
	"errors"
	"runtime"
	"testing"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/test/stoptest"
)

// cut is a backend that asks the context after so many flops.
func cut(ctx context.Context, b Backend, flops float64) Backend {
	return Backend{&within{engine: b.engine(), ctx: ctx, piece: flops}}
}

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

// Work in pieces gives what one call gives.
func TestWithin(t *testing.T) {
	everyBackend(t, func(t *testing.T, b Backend) {
		for _, n := range []int{65, 130, 300} {
			for name, op := range operations(t, n) {
				want, err := op(b)
				if err != nil {
					t.Fatal(err)
				}
				ctx := &polls{Context: t.Context()}
				got, err := op(cut(ctx, b, 1e5))
				largest := max(mat.Max(want), -mat.Min(want), 1)
				if err != nil || far(got, want, 1e5*eps*float64(n)*largest) {
					t.Errorf("%s of %d rows: pieces differ from one call, %v", name, n, err)
				}
				if ctx.asked < 2 && name != "eigen" || n == 300 && name != "eigen" && ctx.asked < 10 {
					t.Errorf("%s of %d rows asks its context %d times", name, n, ctx.asked)
				}
			}
		}
	})
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
				cut(t.Context(), b, 1e4).engine().trsm(side, half, x.RawMatrix())
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
	everyBackend(t, func(t *testing.T, b Backend) {
		const n = 300
		for name, op := range operations(t, n) {
			all := &polls{Context: t.Context()}
			if _, err := op(cut(all, b, 1e5)); err != nil {
				t.Fatal(err)
			}
			for at := 1; at <= all.asked; at += 1 + all.asked/9 {
				ctx := &polls{Context: t.Context(), n: at}
				within := cut(ctx, b, 1e5)
				_, err := op(within)
				if !errors.Is(within.Stopped(), context.Canceled) || err != nil && !errors.Is(err, context.Canceled) {
					t.Errorf("%s stopped at %d of %d: %v, %v", name, at, all.asked, err, within.Stopped())
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
			if err := (&Cholesky{Backend: cut(t.Context(), b, 1e5)}).Factor(a); !errors.As(err, &pd) || pd.Pivot != p {
				t.Errorf("pivot %d of Cholesky: %v", p, err)
			}
			for j := range n {
				a.Set(p, j, 0)
			}
			var s *Singular
			if err := (&LU{Backend: cut(t.Context(), b, 1e5)}).Factor(a); !errors.As(err, &s) || s.Pivot != p {
				t.Errorf("pivot %d of LU: %v", p, err)
			}
		}
	})
}

// Factorisations and eigenvalues hand the error of their context on.
func TestWithinEverywhere(t *testing.T) {
	for name, op := range operations(t, 130) {
		stoptest.Everywhere(t, func(ctx context.Context) error {
			b := cut(ctx, Go(), 1e4)
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

// waiting is an engine whose eigendecomposition ends when it is told to.
type waiting struct {
	engine
	begun, goOn, ended chan bool
}

func (w waiting) syev(a blas64.General, values []float64) bool {
	w.begun <- true
	<-w.goOn
	ok := w.engine.syev(a, values)
	w.ended <- ok
	return ok
}

// A caller that is let go of an eigendecomposition keeps nothing that it still writes to.
func TestEigenAbandoned(t *testing.T) {
	const n = 80
	w := waiting{pureGo, make(chan bool), make(chan bool), make(chan bool)}
	ctx, cancel := context.WithCancel(t.Context())
	_, a, _ := definite(t, source(n), n)
	values := make([]float64, n)
	go func() { <-w.begun; cancel() }()
	err := Backend{&within{engine: w, ctx: ctx, piece: 1}}.SymEigenInPlace(a, values)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("the error is %v", err)
	}
	if r, c := a.Dims(); r != 0 || c != 0 || a.RawMatrix().Data != nil {
		t.Errorf("the caller still has a matrix of %dx%d", r, c)
	}
	w.goOn <- true
	if !<-w.ended {
		t.Error("the eigendecomposition failed when it was let go")
	}
	runtime.Gosched()
	for _, v := range values {
		if v != 0 {
			t.Fatal("the caller's eigenvalues were written")
		}
	}
}
