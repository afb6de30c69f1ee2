// Package kerneltest is the conformance suite of kernels: what every
// implementation of kernel.Kernel promises, checked on given rows.
//
// A promise that all kernels must keep is a check that is added here.
package kerneltest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// Run checks the kernel on the rows (at least 4). Its parameters must be set and
// lie inside their ranges by more than a hundredth, as they are varied by
// that. Cost: a few dozen Gram matrices and one eigenvalue problem.
func Run(t *testing.T, k kernel.Kernel, rows data.Rows) {
	t.Helper()
	s := suite{k: k, rows: rows, n: rows.Len()}
	if s.n < 4 {
		t.Fatal("kerneltest: give at least 4 rows")
	}
	s.full = s.block(t, s.bind(t, rows, nil), nil, nil)
	s.size = mat.Norm(s.full, math.Inf(1)) / float64(s.n)
	for _, c := range []struct {
		name string
		f    func(*testing.T)
	}{
		{"symmetric", s.symmetric}, {"definite", s.definite}, {"blocks", s.blocks}, {"cross", s.cross},
		{"pull", s.pull}, {"expand", s.expand}, {"space", s.space}, {"form", s.form}, {"work", s.work},
		{"json", s.json}, {"threads", s.threads}, {"concurrent", s.concurrent}, {"cancelled", s.cancelled},
	} {
		t.Run(c.name, c.f)
	}
}

type suite struct {
	k    kernel.Kernel
	rows data.Rows
	n    int
	full *mat.Dense // K on all rows
	size float64    // of its entries
}

func (s *suite) bind(t *testing.T, rows data.Rows, w *kernel.Work) kernel.Gram {
	t.Helper()
	g, err := s.k.Bind(context.Background(), rows, w)
	if err != nil {
		t.Fatalf("Bind: %v", err)
	}
	if g.Len() != rows.Len() {
		t.Fatalf("Len is %d for %d rows", g.Len(), rows.Len())
	}
	return g
}

// block computes a block inside a larger matrix, whose other entries must stay.
func (s *suite) block(t *testing.T, g kernel.Gram, i, j []int) *mat.Dense {
	t.Helper()
	r, c := length(i, s.n), length(j, s.n)
	frame := mat.NewDense(r+2, c+3, nil)
	for a := range r + 2 {
		for b := range c + 3 {
			frame.Set(a, b, 7)
		}
	}
	dst := frame.Slice(1, r+1, 2, c+2).(*mat.Dense)
	g.Block(dst, i, j)
	for a := range r + 2 {
		for b := range c + 3 {
			in := a > 0 && a <= r && b > 1 && b < c+2
			if !in && frame.At(a, b) != 7 {
				t.Fatalf("Block wrote outside its matrix at (%d, %d)", a-1, b-2)
			}
		}
	}
	return mat.DenseCopyOf(dst)
}

// some returns every third row from a, shuffled, with the last one repeated.
func (s *suite) some(a int) []int {
	var idx []int
	for ; a < s.n; a += 3 {
		idx = append(idx, a)
	}
	r := rand.New(rand.NewPCG(uint64(a), 5))
	r.Shuffle(len(idx), func(p, q int) { idx[p], idx[q] = idx[q], idx[p] })
	return append(idx, idx[len(idx)-1])
}

func (s *suite) sub(i, j []int) *mat.Dense {
	out := mat.NewDense(length(i, s.n), length(j, s.n), nil)
	r, c := out.Dims()
	for a := range r {
		for b := range c {
			out.Set(a, b, s.full.At(at(i, a), at(j, b)))
		}
	}
	return out
}

func (s *suite) symmetric(t *testing.T) {
	for _, i := range [][]int{nil, s.some(1)} {
		k := s.block(t, s.bind(t, s.rows, nil), i, i)
		if !mat.Equal(k, k.T()) {
			t.Errorf("the block of equal rows and columns is not exactly symmetric (all rows: %v)", i == nil)
		}
	}
}

func (s *suite) definite(t *testing.T) {
	if !kernel.Definite(s.k) {
		t.Skip("the kernel does not claim it")
	}
	sym := mat.NewSymDense(s.n, nil)
	for a := range s.n {
		for b := range a + 1 {
			sym.SetSym(a, b, s.full.At(a, b))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(sym, false) {
		t.Fatal("no eigenvalues")
	}
	v := e.Values(nil)
	if low, high := slices.Min(v), slices.Max(v); low < -1e-8*high {
		t.Errorf("smallest eigenvalue %g, largest %g", low, high)
	}
}

func (s *suite) blocks(t *testing.T) {
	g := s.bind(t, s.rows, nil)
	for _, i := range [][]int{nil, s.some(0), {2}, {1, 2, 3}} {
		for _, j := range [][]int{nil, s.some(1), {0}, {1, 2, 3}} {
			near(t, fmt.Sprintf("Block(%v, %v) against all rows", i, j), s.block(t, g, i, j), s.sub(i, j), 1e-12*s.size)
		}
	}
	d := mat.NewDense(1, s.n, kernel.Diagonal(g, nil))
	want := mat.NewDense(1, s.n, nil)
	for a := range s.n {
		want.Set(0, a, s.full.At(a, a))
	}
	near(t, "Diagonal", d, want, 1e-12*s.size)
}

func (s *suite) cross(t *testing.T) {
	g := s.bind(t, s.rows, nil)
	for _, j := range [][]int{nil, s.some(1)} {
		for _, i := range [][]int{s.some(0), {3}} {
			for _, x := range both(s.rows.Select(i)) {
				dst := mat.NewDense(len(i), length(j, s.n), nil)
				if err := g.Cross(dst, x, j); err != nil {
					t.Fatal(err)
				}
				near(t, fmt.Sprintf("Cross of training rows (sparse: %v) against Block", x.Sparse != nil), dst, s.sub(i, j), 1e-12*s.size)
			}
		}
	}
}

// pull compares with central differences of five points and step h = theta/200:
// their error is h^4/30 of the fifth derivative, 2e-11 relative.
func (s *suite) pull(t *testing.T) {
	space := s.k.Space()
	for _, i := range [][]int{nil, s.some(0)} {
		for _, j := range [][]int{nil, s.some(1)} {
			for what := 1; what <= 3; what++ {
				bar := s.cotangent(i, j, what)
				got := make([]float64, len(space))
				for q := range got {
					got[q] = 0.5 // Pull must add
				}
				if err := s.bind(t, s.rows, nil).Pull(got, bar); err != nil {
					t.Fatal(err)
				}
				for q, d := range space {
					if d.Fixed || d.Kind == param.Integer || d.Kind == param.Choice || d.Kind == param.Simplex {
						continue
					}
					want, scale := s.difference(t, bar, q)
					if e := math.Abs(got[q] - 0.5 - want); !(e <= 1e-6*scale) {
						t.Errorf(
							"d/d%s with cotangent %d (I all: %v, J all: %v): Pull %.10g, differences %.10g",
							d.Name,
							what,
							i == nil,
							j == nil,
							got[q]-0.5,
							want,
						)
					}
				}
			}
		}
	}
}

// difference is d<bar, K>/dtheta_q and the size of its summands.
func (s *suite) difference(t *testing.T, bar kernel.Cotangent, q int) (d, scale float64) {
	t.Helper()
	b := mat.NewDense(length(bar.I, s.n), length(bar.J, s.n), nil)
	if bar.U != nil {
		b.Mul(bar.U, bar.V.T())
	}
	if bar.D != nil {
		b.Add(b, bar.D)
	}
	h := math.Max(math.Abs(s.k.Space()[q].Default), 1e-3) / 200
	dk := mat.NewDense(length(bar.I, s.n), length(bar.J, s.n), nil)
	for _, p := range []struct{ step, weight float64 }{{-2, 1}, {-1, -8}, {1, 8}, {2, -1}} {
		theta := present(s.k)
		theta[q] += p.step * h
		k, err := s.k.With(theta)
		if err != nil {
			t.Fatalf("With(%v): %v; give parameters inside their ranges", theta, err)
		}
		moved := *s
		moved.k = k
		m := moved.block(t, moved.bind(t, s.rows, nil), bar.I, bar.J)
		m.Scale(p.weight/(12*h), m)
		dk.Add(dk, m)
	}
	var rounding float64
	dk.Apply(func(a, c int, v float64) float64 {
		scale += math.Abs(v * b.At(a, c))
		rounding += math.Abs(b.At(a, c)) * s.size * 1e-14 / h
		return v * b.At(a, c)
	}, dk)
	return mat.Sum(dk), scale + rounding/1e-6
}

func (s *suite) cotangent(i, j []int, what int) kernel.Cotangent {
	r := rand.New(rand.NewPCG(7, uint64(what)))
	random := func(a, b int) *mat.Dense {
		m := mat.NewDense(a, b, nil)
		for p := range a {
			for q := range b {
				m.Set(p, q, r.NormFloat64())
			}
		}
		return m
	}
	c := kernel.Cotangent{I: i, J: j}
	if what&1 != 0 {
		c.U, c.V = random(length(i, s.n), 2), random(length(j, s.n), 2)
	}
	if what&2 != 0 {
		c.D = random(length(i, s.n), length(j, s.n))
	}
	return c
}

func (s *suite) expand(t *testing.T) {
	g := s.bind(t, s.rows, nil)
	for _, j := range [][]int{nil, s.some(1)} {
		alpha := s.cotangent(j, nil, 1).U
		kept := mat.DenseCopyOf(alpha)
		parts, err := g.Expand(alpha, j)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(alpha, kept) {
			t.Error("Expand changed alpha")
		}
		got := mat.NewDense(s.n, 2, nil)
		for _, e := range parts {
			base, err := e.Kernel.Bind(context.Background(), e.Centres, nil)
			if err != nil {
				t.Fatal(err)
			}
			c := mat.NewDense(s.n, base.Len(), nil)
			if err := base.Cross(c, s.rows, nil); err != nil {
				t.Fatal(err)
			}
			var f mat.Dense
			f.Mul(c, e.Coef)
			got.Add(got, &f)
		}
		var want mat.Dense
		want.Mul(s.sub(nil, j), alpha)
		near(t, "expansion against K alpha", got, &want, 1e-11*s.size*float64(s.n))
	}
}

func (s *suite) space(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range s.k.Space() {
		if seen[d.Name] {
			t.Errorf("two parameters are named %q", d.Name)
		}
		seen[d.Name] = true
		if !(d.Lo <= d.Default && d.Default <= d.Hi) {
			t.Errorf("%s = %g is outside [%g, %g]", d.Name, d.Default, d.Lo, d.Hi)
		}
		if d.Kind == param.Log && !(d.Lo > 0) {
			t.Errorf("%s is searched in logarithms from %g", d.Name, d.Lo)
		}
	}
	theta := present(s.k)
	same, err := s.k.With(theta)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(same, s.k) {
		t.Errorf("With(present values) is %+v, not %+v", same, s.k)
	}
	for q, d := range s.k.Space() {
		moved := slices.Clone(theta)
		moved[q] = math.NaN()
		if _, err := s.k.With(moved); err == nil {
			t.Errorf("%s = NaN is accepted", d.Name)
		}
		if d.Kind == param.Simplex || d.Kind == param.Integer || d.Kind == param.Choice || d.Fixed {
			continue
		}
		moved[q] = theta[q] * 1.01
		k, err := s.k.With(moved)
		if err != nil {
			t.Fatal(err)
		}
		if got := present(k); !slices.Equal(got, moved) {
			t.Errorf("With(%v) has the values %v", moved, got)
		}
	}
	if !slices.Equal(present(s.k), theta) {
		t.Error("With changed the kernel itself")
	}
	if k := s.k.Adapt(s.rows); !reflect.DeepEqual(k, s.k) {
		t.Errorf("Adapt changed parameters that were set: %+v", k)
	}
}

func (s *suite) form(t *testing.T) {
	bar := s.cotangent(s.some(0), nil, 3)
	var grads [][]float64
	for _, rows := range both(s.rows) {
		g := s.bind(t, rows, nil)
		near(t, fmt.Sprintf("sparse: %v", rows.Sparse != nil), s.block(t, g, nil, nil), s.full, 1e-12*s.size)
		grad := make([]float64, len(s.k.Space()))
		if err := g.Pull(grad, bar); err != nil {
			t.Fatal(err)
		}
		grads = append(grads, grad)
	}
	agree(t, "Pull of dense and sparse rows", grads[0], grads[1], 1e-9)
}

func (s *suite) work(t *testing.T) {
	w := new(kernel.Work)
	bar := s.cotangent(s.some(0), s.some(1), 3)
	want := make([]float64, len(s.k.Space()))
	if err := s.bind(t, s.rows, nil).Pull(want, bar); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second binding finds what the first has left
		g := s.bind(t, s.rows, w)
		near(t, "Block with Work", s.block(t, g, nil, nil), s.full, 1e-14*s.size)
		i, j := s.some(1), s.some(2)
		near(t, "part with Work", s.block(t, g, i, j), s.sub(i, j), 1e-12*s.size)
		grad := make([]float64, len(want))
		if err := g.Pull(grad, bar); err != nil {
			t.Fatal(err)
		}
		agree(t, "Pull with Work", grad, want, 1e-9)
	}
}

func (s *suite) json(t *testing.T) {
	b, err := kernel.Marshal(s.k)
	if errors.Is(err, kernel.ErrForeign) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	k, err := kernel.Unmarshal(b, s.k)
	if err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	if !reflect.DeepEqual(k, s.k) {
		t.Errorf("%s reads as %+v, not %+v", b, k, s.k)
	}
}

func (s *suite) threads(t *testing.T) {
	bar := s.cotangent(s.some(0), nil, 3)
	run := func(procs int) (*mat.Dense, []float64) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		g := s.bind(t, s.rows, nil)
		grad := make([]float64, len(s.k.Space()))
		if err := g.Pull(grad, bar); err != nil {
			t.Fatal(err)
		}
		return s.block(t, g, nil, nil), grad
	}
	k1, g1 := run(1)
	k2, g2 := run(2)
	if !mat.Equal(k1, k2) {
		t.Error("Block depends on GOMAXPROCS")
	}
	if !slices.Equal(g1, g2) {
		t.Errorf("Pull depends on GOMAXPROCS: %v, %v", g1, g2)
	}
}

func (s *suite) concurrent(t *testing.T) {
	g := s.bind(t, s.rows, new(kernel.Work))
	var wg sync.WaitGroup
	for a := range 4 {
		wg.Go(func() {
			i := s.some(a % 3)
			dst := mat.NewDense(len(i), s.n, nil)
			g.Block(dst, i, nil)
			near(t, "concurrent Block", dst, s.sub(i, nil), 1e-12*s.size)
		})
	}
	wg.Wait()
}

func (s *suite) cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.k.Bind(ctx, s.rows, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Bind with a cancelled context: error %v", err)
	}
	stoptest.Everywhere(t, func(ctx context.Context) error { _, err := s.k.Bind(ctx, s.rows, nil); return err }, "kernel.Fill")
}
