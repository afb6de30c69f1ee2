package kernel

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
)

// asks is a context that counts how often it is asked, and is cancelled from the n-th time on.
type asks struct {
	context.Context
	n, asked int
}

func (a *asks) Err() error {
	if a.asked++; a.n > 0 && a.asked >= a.n {
		return context.Canceled
	}
	return nil
}

func positiveRows(n, d int) data.Rows {
	rnd := rand.New(rand.NewPCG(5, 5))
	x := mat.NewDense(n, d, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return rnd.Float64() }, x)
	return data.Rows{Dense: x}
}

// bandKernels are all forms of Gram objects.
func bandKernels() map[string]Kernel {
	gauss := Gaussian{Sigma: 0.7}
	return map[string]Kernel{
		"gaussian":   gauss,
		"linear":     Linear{},
		"ard":        ARDGaussian{Sigma: []float64{1, 2, 0.5}},
		"chi2":       ExpChi2{Sigma: 1},
		"scaled":     Scaled{Weight: 2, Base: gauss},
		"columns":    Columns{Base: gauss, Columns: []int{0, 2}},
		"sum":        Sum{Terms: []Kernel{gauss, Linear{}}},
		"product":    Product{Terms: []Kernel{gauss, Laplacian{Sigma: 1}}},
		"normalised": Normalised{Base: Polynomial{Degree: 2, Scale: 1, Offset: 1}},
	}
}

// endsSoon stops work at each place where it asks its context, after which it asks no more.
func endsSoon(t *testing.T, name string, work func(ctx context.Context) error) {
	t.Helper()
	all := &asks{Context: t.Context()}
	if err := work(all); err != nil || all.asked < 6 {
		t.Errorf("%s: asked %d times, %v", name, all.asked, err)
	}
	for at := 1; at <= all.asked; at++ {
		ctx := &asks{Context: t.Context(), n: at}
		if err := work(ctx); !errors.Is(err, context.Canceled) || ctx.asked != at {
			t.Errorf("%s: stopped at %d of %d: %v after %d", name, at, all.asked, err, ctx.asked)
		}
	}
}

// Blocks and pulls by bands are those of one call, and end where their context does.
func TestBands(t *testing.T) {
	const n, whole = 150, 100
	rows := positiveRows(n, 3)
	some := make([]int, 0, n)
	for i := 0; i < n; i += 2 {
		some = append(some, i)
	}
	for name, k := range bandKernels() {
		for _, shared := range []bool{false, true} {
			fresh := func() Gram {
				var w *Work
				if shared {
					w = new(Work)
				}
				g, err := k.Bind(t.Context(), rows, w)
				if err != nil {
					t.Fatal(name, err)
				}
				return g
			}
			for _, s := range [][2][]int{{nil, nil}, {some, some}, {some, nil}, {nil, some}} {
				want := mat.NewDense(count(n, s[0]), count(n, s[1]), nil)
				fresh().Block(want, s[0], s[1])
				bar := Cotangent{I: s[0], J: s[1], D: want}
				slope := make([]float64, len(k.Space()))
				if err := fresh().Pull(slope, bar); err != nil {
					t.Fatal(name, err)
				}
				work := func(ctx context.Context) error {
					got, g := new(mat.Dense), fresh()
					got.CloneFrom(want)
					got.Zero()
					if err := fill(ctx, got, g, s[0], s[1], whole); err != nil {
						return err
					}
					if !mat.EqualApprox(got, want, 1e-12) {
						t.Errorf("%s, shared %v: bands differ from the block", name, shared)
					}
					grad := make([]float64, len(slope))
					if err := pullWithin(ctx, fresh(), grad, bar, whole); err != nil {
						return err
					}
					for i, v := range grad {
						if !(math.Abs(v-slope[i]) <= 1e-9*(1+math.Abs(slope[i]))) {
							t.Errorf("%s, shared %v: derivative %d is %g by bands, %g whole", name, shared, i, v, slope[i])
						}
					}
					return nil
				}
				stoptest.Everywhere(t, work)
				endsSoon(t, fmt.Sprintf("%s, shared %v", name, shared), work)
			}
		}
	}
}

// Rows that are sparse, and a cotangent of low rank.
func TestBandsSparse(t *testing.T) {
	const n, whole = 90, 100
	dense := positiveRows(n, 4)
	rows := data.Rows{Sparse: data.CSRFromDense(dense.Dense)}
	g, err := Gaussian{Sigma: 1}.Bind(t.Context(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, want := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	g.Block(want, nil, nil)
	if err := fill(t.Context(), got, g, nil, nil, whole); err != nil || !mat.EqualApprox(got, want, 1e-13) {
		t.Errorf("bands of sparse rows differ, %v", err)
	}
	bar := Cotangent{U: positiveRows(n, 2).Dense, V: dense.Dense.Slice(0, n, 0, 2).(*mat.Dense)}
	a, b := []float64{0}, []float64{0}
	err = errors.Join(g.Pull(a, bar), pullWithin(t.Context(), g, b, bar, whole))
	if err != nil || math.Abs(a[0]-b[0]) > 1e-11*math.Abs(a[0]) {
		t.Errorf("derivative %g by bands, %g whole, %v", b[0], a[0], err)
	}
}

// Rows as long as the bound are not too long yet; longer ones, or ones of no length, are.
func TestTooLong(t *testing.T) {
	s := &rowsSingle{most: 2}
	for norm, want := range map[float64]bool{1: false, 2: false, math.Nextafter(2, 3): true, math.Inf(1): true} {
		if got := s.tooLong(&points{norm: []float64{0, norm, 1}}); got != want {
			t.Errorf("a squared norm of %g with a bound of 2: %v", norm, got)
		}
	}
	if !s.tooLong(&points{norm: []float64{math.NaN()}}) {
		t.Error("a norm that is no number passes")
	}
}
