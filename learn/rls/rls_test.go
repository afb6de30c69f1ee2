package rls_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// instance returns a positive definite l x l matrix and l x c targets.
func instance(l, c int, seed uint64) (k, y *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 1))
	normal := func(r, c int) *mat.Dense {
		a := mat.NewDense(r, c, nil)
		a.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, a)
		return a
	}
	x := normal(l, l+2)
	k = mat.NewDense(l, l, nil)
	k.Mul(x, x.T())
	k.Scale(1/float64(l), k)
	return k, normal(l, c)
}

// bordered solves the system of the package comment by dense LU: the slow twin.
func bordered(k, y *mat.Dense, lambda float64, offset bool) (alpha *mat.Dense, b []float64) {
	l, c := y.Dims()
	n := l
	if offset {
		n++
	}
	a, rhs := mat.NewDense(n, n, nil), mat.NewDense(n, c, nil)
	for i := range l {
		for j := range l {
			a.Set(i, j, k.At(i, j))
		}
		a.Set(i, i, k.At(i, i)+lambda)
		rhs.SetRow(i, y.RawRowView(i))
		if offset {
			a.Set(i, l, 1)
			a.Set(l, i, 1)
		}
	}
	var x mat.Dense
	if err := x.Solve(a, rhs); err != nil {
		panic(err)
	}
	alpha = mat.DenseCopyOf(x.Slice(0, l, 0, c))
	if offset {
		b = append(b, x.RawRowView(l)...)
	}
	return alpha, b
}

func fit(t *testing.T, k, y *mat.Dense, lambda float64, offset bool) *rls.Fit {
	t.Helper()
	p, err := rls.NewPath(context.Background(), k, y, nil, offset)
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.At(lambda)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*(1+math.Abs(want))) {
		t.Errorf("%s = %.15g, want %.15g", what, got, want)
	}
}

func TestPathSolvesTheBorderedSystem(t *testing.T) {
	for _, offset := range []bool{false, true} {
		k, y := instance(12, 3, 7)
		for _, lambda := range []float64{1e-6, 0.1, 30} {
			f := fit(t, k, y, lambda, offset)
			alpha, b := bordered(k, y, lambda, offset)
			for i := range 12 {
				for j := range 3 {
					near(t, "alpha", f.Alpha.At(i, j), alpha.At(i, j), 1e-8)
				}
			}
			for j := range b {
				near(t, "b", f.B[j], b[j], 1e-8)
			}
			if r := f.Residual(); r > 1e-10 {
				t.Errorf("offset %v lambda %g: residual %g", offset, lambda, r)
			}
		}
	}
}

// A fit for one lambda must equal the fit on the path, in all that follows from it;
// few and many outputs take different ways on the path.
func TestSolveEqualsPath(t *testing.T) {
	for _, c := range []int{1, 3, 7} {
		for _, offset := range []bool{false, true} {
			k, y := instance(13, c, 21)
			want := fit(t, k, y, 0.07, offset)
			got, err := rls.Solve(context.Background(), k, y, nil, offset, 0.07)
			if err != nil {
				t.Fatal(err)
			}
			same := func(what string, a, b *mat.Dense) {
				var d mat.Dense
				d.Sub(a, b)
				near(t, what, mat.Norm(&d, 2), 0, 1e-11)
			}
			same("alpha", got.Alpha, want.Alpha)
			for j, b := range want.B {
				near(t, "b", got.B[j], b, 1e-11)
			}
			near(t, "residual", got.Residual(), 0, 1e-12)
			near(t, "objective", got.Objective(), want.Objective(), 1e-11)
			for _, folds := range [][][]int{nil, {{0, 2, 4}, {1, 3, 5}}} {
				a, errA := got.LeaveOut(context.Background(), folds)
				b, errB := want.LeaveOut(context.Background(), folds)
				if errA != nil || errB != nil {
					t.Fatal(errA, errB)
				}
				same("left out", a, b)
			}
			_, bar := instance(13, c, 22)
			ga, da, errA := got.PullLeaveOut(context.Background(), nil, bar)
			gb, db, errB := want.PullLeaveOut(context.Background(), nil, bar)
			if errA != nil || errB != nil {
				t.Fatal(errA, errB)
			}
			same("cotangent", ga, gb)
			near(t, "dJ/dlambda", da, db, 1e-9)
		}
	}
}

func TestRefusals(t *testing.T) {
	k, y := instance(9, 2, 4)
	if _, err := rls.Solve(context.Background(), k, y, nil, false, 0); err == nil {
		t.Error("lambda 0 accepted")
	}
	k.Set(1, 1, math.NaN())
	if _, err := rls.Solve(context.Background(), k, y, nil, false, 1); !errors.Is(err, rls.ErrNotFinite) {
		t.Errorf("NaN: %v", err)
	}
}

// without returns the problem without the rows of a fold, and the rows that stay.
func without(k, y *mat.Dense, fold []int) (sub, ys *mat.Dense, keep []int) {
	l, c := y.Dims()
	for i := range l {
		if !slices.Contains(fold, i) {
			keep = append(keep, i)
		}
	}
	sub, ys = mat.NewDense(len(keep), len(keep), nil), mat.NewDense(len(keep), c, nil)
	for p, i := range keep {
		for q, j := range keep {
			sub.Set(p, q, k.At(i, j))
		}
		ys.SetRow(p, y.RawRowView(i))
	}
	return sub, ys, keep
}

// refit returns the prediction for output c of row i of the machine without its fold.
func refit(k, y *mat.Dense, fold []int, lambda float64, offset bool, i, c int) float64 {
	sub, ys, keep := without(k, y, fold)
	alpha, bias := bordered(sub, ys, lambda, offset)
	var v float64
	for p, j := range keep {
		v += k.At(i, j) * alpha.At(p, c)
	}
	if offset {
		v += bias[c]
	}
	return v
}

// foldings are ways to leave out rows of 14; single rows are nil.
var foldings = map[string][][]int{
	"single rows": nil,
	"3 folds":     {{0, 3, 6, 9, 12}, {1, 4, 7, 10, 13}, {2, 5, 8, 11}},
	"hold-out":    {{2, 5, 11}},
}

func singles(l int, folds [][]int) [][]int {
	if folds != nil {
		return folds
	}
	for i := range l {
		folds = append(folds, []int{i})
	}
	return folds
}

// Every closed form of leave-out must equal the refits, whatever the folds.
func TestLeaveOutEqualsRefits(t *testing.T) {
	k, y := instance(14, 2, 3)
	for _, offset := range []bool{false, true} {
		for name, fs := range foldings {
			got, err := fit(t, k, y, 0.05, offset).LeaveOut(context.Background(), fs)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range singles(14, fs) {
				for _, i := range b {
					for c := range 2 {
						near(t, name, got.At(i, c), refit(k, y, b, 0.05, offset, i, c), 1e-10)
					}
				}
			}
		}
	}
}

// The adjoint must equal central differences of <bar, O> by every entry of K
// and by lambda.
func TestPullLeaveOutEqualsDifferences(t *testing.T) {
	const h = 1e-5
	k, y := instance(9, 2, 11)
	_, bar := instance(9, 2, 12)
	for _, offset := range []bool{false, true} {
		for _, folds := range [][][]int{nil, {{0, 2, 4}, {1, 3, 5}, {6, 7, 8}}, {{1, 5}}} {
			in := make([]bool, 9)
			for _, b := range folds {
				for _, i := range b {
					in[i] = true
				}
			}
			w := mat.DenseCopyOf(bar)
			for i := range 9 {
				if folds != nil && !in[i] {
					w.SetRow(i, []float64{0, 0})
				}
			}
			value := func(k *mat.Dense, lambda float64) float64 {
				o, err := fit(t, k, y, lambda, offset).LeaveOut(context.Background(), folds)
				if err != nil {
					t.Fatal(err)
				}
				var v mat.Dense
				v.MulElem(o, w)
				return mat.Sum(&v)
			}
			g, dl, err := fit(t, k, y, 0.3, offset).PullLeaveOut(context.Background(), folds, w)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "dJ/dlambda", dl, (value(k, 0.3+h)-value(k, 0.3-h))/(2*h), 1e-6)
			for i := range 9 {
				for j := range i + 1 {
					at := func(d float64) float64 { return value(nudged(k, i, j, d), 0.3) }
					got := g.At(i, j)
					if i != j {
						got *= 2
					}
					near(t, "dJ/dK", got, (at(h)-at(-h))/(2*h), 1e-6)
				}
			}
		}
	}
}

// nudged adds d to the entries (i,j) and (j,i) of a copy.
func nudged(k *mat.Dense, i, j int, d float64) *mat.Dense {
	c := mat.DenseCopyOf(k)
	c.Set(i, j, k.At(i, j)+d)
	c.Set(j, i, k.At(i, j)+d)
	return c
}

func TestGCV(t *testing.T) {
	const h = 1e-5
	k, y := instance(8, 2, 5)
	for _, offset := range []bool{false, true} {
		p, err := rls.NewPath(context.Background(), k, y, nil, offset)
		if err != nil {
			t.Fatal(err)
		}
		f, err := p.At(0.2)
		if err != nil {
			t.Fatal(err)
		}
		v, g, dl, _ := f.GCV(context.Background(), param.WithGradient)
		fitted := mat.NewDense(8, 2, nil)
		f.Fitted(fitted)
		var rss float64
		for i := range 8 {
			for j := range 2 {
				e := y.At(i, j) - fitted.At(i, j)
				rss += e * e
			}
		}
		free := 8 - p.DegreesOfFreedom(0.2)
		near(t, "GCV", v, 8*rss/(free*free), 1e-10)
		value := func(k *mat.Dense, lambda float64) float64 {
			v, _, _, _ := fit(t, k, y, lambda, offset).GCV(context.Background(), param.ValueOnly)
			return v
		}
		near(t, "dGCV/dlambda", dl, (value(k, 0.2+h)-value(k, 0.2-h))/(2*h), 1e-6)
		d := (value(nudged(k, 2, 6, h), 0.2) - value(nudged(k, 2, 6, -h), 0.2)) / (2 * h)
		near(t, "dGCV/dK", 2*g.At(2, 6), d, 1e-6)
	}
}

// Cp and its relatives: the formula, and both derivatives; a linear kernel of rank d without a
// ridge has d degrees of freedom.
func TestInSample(t *testing.T) {
	const h, c = 1e-5, 0.37
	k, y := instance(8, 2, 5)
	for _, offset := range []bool{false, true} {
		p, err := rls.NewPath(context.Background(), k, y, nil, offset)
		if err != nil {
			t.Fatal(err)
		}
		f, err := p.At(0.2)
		if err != nil {
			t.Fatal(err)
		}
		fitted := mat.NewDense(8, 2, nil)
		f.Fitted(fitted)
		var rss float64
		for i := range 8 {
			for j := range 2 {
				e := y.At(i, j) - fitted.At(i, j)
				rss += e * e
			}
		}
		df := p.DegreesOfFreedom(0.2)
		v, g, dl, _ := f.InSample(context.Background(), c, param.WithGradient)
		near(t, "in sample", v, rss/8+c*df/8, 1e-10)
		value := func(k *mat.Dense, lambda float64) float64 {
			v, _, _, _ := fit(t, k, y, lambda, offset).InSample(context.Background(), c, param.ValueOnly)
			return v
		}
		near(t, "d/dlambda", dl, (value(k, 0.2+h)-value(k, 0.2-h))/(2*h), 1e-6)
		d := (value(nudged(k, 2, 6, h), 0.2) - value(nudged(k, 2, 6, -h), 0.2)) / (2 * h)
		near(t, "d/dK", 2*g.At(2, 6), d, 1e-6)
	}
}

// The eight points of Odone and Rosasco's lecture fixture: linear kernel, loss
// averaged, so that the ridge in the matrix is 8 * 0.05.
func TestLectureFixture(t *testing.T) {
	x := mat.NewDense(8, 2, []float64{.2, .7, .9, .4, .5, .1, .3, .9, .8, .8, .1, .3, .6, .5, .7, .2})
	y := mat.NewDense(8, 1, []float64{1, -1, -1, 1, 1, -1, -1, 1})
	k := mat.NewDense(8, 8, nil)
	k.Mul(x, x.T())
	for _, c := range []struct {
		offset                      bool
		w0, w1, b, press, objective float64
	}{
		{false, -.537539383693, .808806578037, 0, 1.187940602034, .861849688773},
		{true, -.009764621235, 1.314112447322, -.635625449687, 1.263791045227, .786334669545},
	} {
		f := fit(t, k, y, 0.4, c.offset)
		var w mat.Dense
		w.Mul(x.T(), f.Alpha)
		near(t, "w0", w.At(0, 0), c.w0, 1e-11)
		near(t, "w1", w.At(1, 0), c.w1, 1e-11)
		if c.offset {
			near(t, "b", f.B[0], c.b, 1e-11)
		}
		o, err := f.LeaveOut(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var press float64
		for i := range 8 {
			e := y.At(i, 0) - o.At(i, 0)
			press += e * e / 8
		}
		near(t, "mean squared left-out residual", press, c.press, 1e-11)
		near(t, "objective", f.Objective()/8, c.objective, 1e-11)
	}
}

func TestLimits(t *testing.T) {
	k, y := instance(10, 1, 2)
	f := fit(t, k, y, 1e9, false)
	for i := range 10 {
		near(t, "alpha at large lambda", f.Alpha.At(i, 0)*1e9, y.At(i, 0), 1e-6)
	}
	f = fit(t, k, y, 1e-10, false)
	fitted := mat.NewDense(10, 1, nil)
	f.Fitted(fitted)
	for i := range 10 {
		near(t, "interpolation", fitted.At(i, 0), y.At(i, 0), 1e-6)
	}
	p, err := rls.NewPath(context.Background(), k, y, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.At(0); err == nil {
		t.Error("lambda 0 accepted")
	}
	k.Set(1, 1, math.NaN())
	if _, err := rls.NewPath(context.Background(), k, y, nil, false); err == nil {
		t.Error("a Gram matrix with NaN accepted")
	}
}
