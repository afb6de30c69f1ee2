package kernel

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"gonum.org/v1/gonum/mat"
)

// asker is a Gram object of another package that asks a context by itself.
type asker struct {
	Gram
	ctx    context.Context
	within *int
}

func (a asker) Within(ctx context.Context) Gram {
	*a.within++
	a.ctx = ctx
	return a
}

func (a asker) Pull(grad []float64, bar Cotangent) error {
	if a.ctx == nil {
		return errors.New("not within")
	}
	return a.Gram.Pull(grad, bar)
}

// Fill is Block and PullWithin is Pull, which tell of a context that has ended; a Gram object that asks by itself is asked for its view.
func TestFill(t *testing.T) {
	rows := positiveRows(30, 3)
	base, err := Gaussian{Sigma: 0.7}.Bind(t.Context(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	within := 0
	want := mat.NewDense(30, 30, nil)
	base.Block(want, nil, nil)
	bar, slope := Cotangent{D: want}, []float64{0}
	if err := base.Pull(slope, bar); err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	for _, g := range []Gram{base, asker{base, nil, &within}} {
		got, grad := mat.NewDense(30, 30, nil), []float64{0}
		if err := Fill(t.Context(), got, g, nil, nil); err != nil || !mat.Equal(got, want) {
			t.Errorf("%T: Fill is not Block, %v", g, err)
		}
		if err := PullWithin(t.Context(), g, grad, bar); err != nil || grad[0] != slope[0] {
			t.Errorf("%T: the derivative is %g, expected %g, %v", g, grad[0], slope[0], err)
		}
		if err := Fill(ended, got, g, nil, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%T: Fill within a context that has ended: %v", g, err)
		}
		if err := PullWithin(ended, g, grad, bar); !errors.Is(err, context.Canceled) {
			t.Errorf("%T: Pull within a context that has ended: %v", g, err)
		}
		stoptest.Everywhere(t, func(ctx context.Context) error { return Fill(ctx, got, g, nil, nil) })
	}
	if within == 0 || Within(t.Context(), base) != base {
		t.Error("an object that asks by itself is not asked for its view, or another one has one")
	}
	if _, ok := Within(t.Context(), asker{base, nil, &within}).(asker); !ok {
		t.Error("the view is lost")
	}
}

// failing is a Gram object whose derivatives fail.
type failing struct{ Gram }

var errFailing = errors.New("failing")

func (failing) Pull([]float64, Cotangent) error { return errFailing }

// What a pull fails at is handed on, whole and by bands and by an object that asks by itself.
func TestPullWithinFails(t *testing.T) {
	rows, within := positiveRows(60, 3), 0
	base, err := Gaussian{Sigma: 0.7}.Bind(t.Context(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	bar := Cotangent{D: mat.NewDense(60, 60, nil)}
	for _, g := range []Gram{failing{base}, asker{failing{base}, nil, &within}} {
		if err := PullWithin(t.Context(), g, []float64{0}, bar); !errors.Is(err, errFailing) {
			t.Errorf("%T: error %v", g, err)
		}
	}
	if err := pullWithin(t.Context(), failing{base}, []float64{0}, bar, 100); !errors.Is(err, errFailing) {
		t.Errorf("by bands: error %v", err)
	}
}

// A band has two million values, whole chunks of rows and no fewer than 256.
func TestBandOf(t *testing.T) {
	for m, want := range map[int]int{2048: 1024, 2100: 992, 8192: 256, 1 << 20: 256} {
		if got := bandOf(m, wholeBlock); got != want {
			t.Errorf("a band of width %d has %d rows, expected %d", m, got, want)
		}
	}
	if wholeBlock != 1<<22 {
		t.Errorf("a block is cut from %d values on", wholeBlock)
	}
}

// A Work that is nil shares and lends nothing, and a value that was not made is made at the next call.
func TestShared(t *testing.T) {
	made := 0
	one := func() (int, error) { made++; return made, nil }
	for _, c := range []struct {
		w      *Work
		second int
	}{{nil, 2}, {new(Work), 1}} {
		made = 0
		first, err := Shared(c.w, "a", one)
		second, err2 := Shared(c.w, "a", one)
		if first != 1 || second != c.second || errors.Join(err, err2) != nil {
			t.Errorf("values %d and %d, %v, %v", first, second, err, err2)
		}
	}
	w := new(Work)
	if _, err := Shared(w, "a", func() (int, error) { return 0, errFailing }); !errors.Is(err, errFailing) {
		t.Errorf("error %v", err)
	}
	if v, err := Shared(w.Scope("x"), "a", one); v != 2 || err != nil {
		t.Errorf("a scope shares %d, %v", v, err)
	}
	if v, err := Shared(w, "xa", one); v != 2 || err != nil {
		t.Errorf("the value of the scope is %d, %v", v, err)
	}
	var none *Work
	none.Return(none.Borrow(2, 3))
	if none.Scope("x") != nil {
		t.Error("no Work has a scope")
	}
}

// Shapes that do not fit products are the caller's mistake.
func TestProductShapes(t *testing.T) {
	m := func(r, c int) *mat.Dense { return mat.NewDense(r, c, nil) }
	rows := positiveRows(6, 2)
	g, err := Linear{}.Bind(t.Context(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewProducts(g, positiveRows(4, 2))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []func(){
		func() { _ = p.Mul(t.Context(), m(4, 1), m(5, 1)) },
		func() { _ = p.Mul(t.Context(), m(3, 1), m(6, 1)) },
		func() { _ = p.Mul(t.Context(), m(4, 2), m(6, 1)) },
	} {
		failtest.Names(t, "kernel: products of 4 rows and 6 centres between ", f)
	}
	for want, f := range map[string]func(){
		"kernel: 6x1 = 6x6 times 5x1": func() { MulFeatures(m(6, 1), rows, nil, nil, m(5, 1)) },
		"kernel: 5x1 = 6x6 times 6x1": func() { MulFeatures(m(5, 1), rows, nil, nil, m(6, 1)) },
		"kernel: 6x2 = 6x6 times 6x1": func() { MulFeatures(m(6, 2), rows, nil, nil, m(6, 1)) },
		"kernel: 2x1 = 2x6 times 2x1": func() { MulFeatures(m(2, 1), rows, []int{1, 2}, nil, m(2, 1)) },
		"features without landmarks":  func() { _, _ = NewNystrom(t.Context(), g, 6, nil, nil) },
	} {
		failtest.Names(t, want, f)
	}
}

// The slope of the rational shape by alpha is the sum of the closed forms; distances and weights stay, and no other entry moves.
func TestSlopeOfRational(t *testing.T) {
	const alpha = 1.7
	k := rational{ARDRational{Alpha: alpha, Power: 2}}
	s, bar, grad := []float64{0, 0.3, 2, 40}, []float64{1, -2, 0.5, 3}, []float64{5, 7}
	want := 7.0
	for j, v := range s {
		r := v / alpha
		want += bar[j] * math.Pow(1+r, -alpha) * (r/(1+r) - math.Log1p(r))
	}
	k.slope(grad, s, bar)
	if grad[0] != 5 || math.Abs(grad[1]-want) > 1e-14*want {
		t.Errorf("%v, want 5 and %g", grad, want)
	}
	if !slices.Equal(s, []float64{0, 0.3, 2, 40}) || !slices.Equal(bar, []float64{1, -2, 0.5, 3}) {
		t.Errorf("distances %v and weights %v are overwritten", s, bar)
	}
}
