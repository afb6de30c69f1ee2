package rls_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// features returns l x d features, of which the last `copies` are combinations of the others, and their
// linear kernel.
func features(l, d, copies int, far float64, seed uint64) (x, k *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 3))
	x = mat.NewDense(l, d, nil)
	for i := range l {
		for j := range d {
			x.Set(i, j, far+rng.NormFloat64()*math.Pow(10, -float64(j%3)))
			if j >= d-copies {
				x.Set(i, j, x.At(i, 0)-2*x.At(i, 1))
			}
		}
	}
	k = mat.NewDense(l, l, nil)
	k.Mul(x, x.T())
	return x, k
}

// TestColumns: the path of features is the path of their kernel, in everything that a fit is asked.
func TestColumns(t *testing.T) {
	folds := [][]int{{0, 3, 5}, {1, 2}, {9, 4, 11, 7}}
	for _, c := range []struct {
		l, d, copies, outputs int
		far                   float64
		offset                bool
	}{
		{20, 4, 0, 1, 0, false}, {20, 4, 0, 3, 0, true}, {30, 6, 2, 2, 0, true}, {30, 6, 2, 2, 0, false}, {25, 3, 0, 5, 4, true},
		{15, 14, 0, 2, 0, true}, {12, 1, 0, 1, 2, false},
	} {
		x, k := features(c.l, c.d, c.copies, c.far, uint64(c.l))
		_, y := instance(c.l, c.outputs, 5)
		whole, err := rls.NewPath(context.Background(), k, y, nil, c.offset)
		if err != nil {
			t.Fatal(err)
		}
		thin, err := rls.NewColumns(context.Background(), x, y, nil, c.offset)
		if err != nil {
			t.Fatal(err)
		}
		top := whole.Eigenvalues()[len(whole.Eigenvalues())-1]
		if a, b := thin.Eigenvalues(), whole.Eigenvalues(); len(a) != len(b) || !floats.EqualApprox(a, b, 1e-12*top) {
			t.Errorf("%+v: eigenvalues %v, want %v", c, a, b)
		}
		if thin.Least() != 0 {
			t.Errorf("%+v: least eigenvalue %g", c, thin.Least())
		}
		for _, lambda := range []float64{1e-4, 0.1, 100} {
			a, b := at(t, thin, lambda), at(t, whole, lambda)
			same := func(what string, got, want *mat.Dense, scale float64) {
				t.Helper()
				var diff mat.Dense
				diff.Sub(got, want)
				if d := mat.Norm(&diff, math.Inf(1)); !(d <= 1e-9*scale) {
					t.Errorf("%+v, lambda %g: %s differ by %g", c, lambda, what, d)
				}
			}
			number := func(what string, got, want float64) {
				t.Helper()
				if !(math.Abs(got-want) <= 2e-8*(1+math.Abs(want))) { // coefficients are known to eps over lambda
					t.Errorf("%+v, lambda %g: %s %g, want %g", c, lambda, what, got, want)
				}
			}
			same("coefficients", a.Alpha, b.Alpha, 1/lambda)
			for j := range a.B {
				number("offset", a.B[j], b.B[j])
			}
			if len(a.B) != len(b.B) {
				t.Errorf("%+v: %d offsets, want %d", c, len(a.B), len(b.B))
			}
			if d := math.Abs(a.Residual() - b.Residual()); !(d <= 1e-7) { // both are rounding alone
				t.Errorf("%+v, lambda %g: residual %g, want %g", c, lambda, a.Residual(), b.Residual())
			}
			number("objective", a.Objective(), b.Objective())
			number("degrees of freedom", thin.DegreesOfFreedom(lambda), whole.DegreesOfFreedom(lambda))
			for _, f := range [][][]int{nil, folds} {
				same("left-out outputs", leftOut(t, a, f), leftOut(t, b, f), 1)
			}
			va, ga, da, _ := a.GCV(context.Background(), param.WithGradient)
			vb, gb, db, _ := b.GCV(context.Background(), param.WithGradient)
			number("GCV", va, vb)
			number("its derivative", da*lambda, db*lambda)
			same("its cotangents", ga, gb, mat.Norm(gb, math.Inf(1)))
			bar := mat.NewDense(c.l, c.outputs, nil)
			for i := range 10 {
				bar.Set(i, 0, float64(i%3)-1)
			}
			ga, da, err = a.PullLeaveOut(context.Background(), nil, bar)
			gb, db, errb := b.PullLeaveOut(context.Background(), nil, bar)
			if err != nil || errb != nil {
				t.Fatal(err, errb)
			}
			number("derivative of what is left out", da*lambda, db*lambda)
			same("cotangents of what is left out", ga, gb, mat.Norm(gb, math.Inf(1)))
		}
	}
}

// TestColumnsLimits: rows that are all alike, features that are not finite, one row.
func TestColumnsLimits(t *testing.T) {
	_, y := instance(6, 2, 1)
	same := mat.NewDense(6, 2, nil)
	for i := range 6 {
		same.SetRow(i, []float64{3, -1})
	}
	p, err := rls.NewColumns(context.Background(), same, y, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	f := at(t, p, 0.5)
	for j := range 2 {
		if mean := mat.Sum(y.ColView(j)) / 6; math.Abs(f.B[j]-mean) > 1e-12 {
			t.Errorf("offset %g of rows that are alike, want the mean %g", f.B[j], mean)
		}
	}
	if df := p.DegreesOfFreedom(0.5); df != 1 {
		t.Errorf("%g degrees of freedom, want that of the offset", df)
	}
	same.Set(2, 1, math.NaN())
	if _, err := rls.NewColumns(context.Background(), same, y, nil, false); err == nil {
		t.Error("NaN was taken")
	}
	one, two := mat.NewDense(1, 1, []float64{1}), mat.NewDense(1, 1, []float64{2})
	if _, err := rls.NewColumns(context.Background(), two, one, nil, true); err == nil {
		t.Error("one row determined an offset")
	}
}

func at(t *testing.T, p *rls.Path, lambda float64) *rls.Fit {
	t.Helper()
	f, err := p.At(lambda)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func leftOut(t *testing.T, f *rls.Fit, folds [][]int) *mat.Dense {
	t.Helper()
	o, err := f.LeaveOut(context.Background(), folds)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestColumnFolds: folds of more rows than columns are left out of features as of their kernel, with weights of rows, and of features
// of which some are combinations of others; a fold that alone knows a column has no machine without it.
func TestColumnFolds(t *testing.T) {
	ctx := context.Background()
	folds := [][]int{{0, 3, 5, 6, 8, 12, 13, 20, 21, 22, 23, 24}, {1, 2}, {9, 4, 11, 7, 10, 14, 15, 16, 25, 26}}
	weight := make([]float64, 30)
	for i := range weight {
		weight[i] = 0.3 + float64(i%7)
	}
	for _, w := range [][]float64{nil, weight} {
		for _, offset := range []bool{false, true} {
			for _, copies := range []int{0, 2} {
				x, k := features(30, 6, copies, 2, 4)
				_, y := instance(30, 3, 5)
				thin, err := rls.NewColumns(ctx, x, y, w, offset)
				if err != nil {
					t.Fatal(err)
				}
				for _, lambda := range []float64{1e-4, 0.1, 100} {
					whole, err := rls.Solve(ctx, k, y, w, offset, lambda)
					if err != nil {
						t.Fatal(err)
					}
					got, want := leftOut(t, at(t, thin, lambda), folds), leftOut(t, whole, folds)
					if !mat.EqualApprox(got, want, 1e-8) {
						t.Errorf("weights %t, offset %t, %d copies, lambda %g: left-out outputs differ", w != nil, offset, copies, lambda)
					}
				}
			}
		}
	}
	x, _ := features(30, 3, 0, 0, 4)
	_, y := instance(30, 1, 5)
	for i := range 30 {
		x.Set(i, 2, 0)
	}
	x.Set(3, 2, 1e4)
	thin, err := rls.NewColumns(ctx, x, y, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := at(t, thin, 1e-5).LeaveOut(ctx, folds); !errors.Is(err, rls.ErrLeverage) {
		t.Errorf("a fold that decides its own outputs: %v", err)
	}
}

// The function of a path of features is the minimiser itself: its gradient by the weights and the offset vanishes,
// with unequal weights of rows too. Another path has none.
func TestLinearFunction(t *testing.T) {
	x, k := features(14, 3, 0, 5, 3)
	_, y := instance(14, 2, 1)
	some := make([]float64, 14)
	for i := range some {
		some[i] = 0.25 + float64(i%4)
	}
	const lambda = 0.8
	for _, weight := range [][]float64{nil, some} {
		for _, offset := range []bool{false, true} {
			p, err := rls.NewColumns(t.Context(), x, y, weight, offset)
			if err != nil {
				t.Fatal(err)
			}
			w, b := at(t, p, lambda).Linear()
			if (b != nil) != offset {
				t.Fatalf("offset %v: %v", offset, b)
			}
			for c := range 2 {
				slope, shift := make([]float64, 3), 0.0
				for i := range 14 {
					e := -y.At(i, c)
					for j := range 3 {
						e += x.At(i, j) * w.At(j, c)
					}
					if offset {
						e += b[c]
					}
					if weight != nil {
						e *= weight[i]
					}
					shift += e
					for j := range 3 {
						slope[j] += e * x.At(i, j)
					}
				}
				for j, v := range slope {
					near(t, "gradient by a weight", v+lambda*w.At(j, c), 0, 1e-10)
				}
				if offset {
					near(t, "gradient by the offset", shift, 0, 1e-11)
				}
			}
		}
	}
	p, err := rls.NewPath(t.Context(), k, y, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	if w, b := at(t, p, lambda).Linear(); w != nil || b != nil {
		t.Errorf("a function of features that are not there: %v, %v", w, b)
	}
	alike, err := rls.NewColumns(t.Context(), mat.NewDense(14, 2, nil), y, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	if w, b := at(t, alike, lambda).Linear(); mat.Norm(w, 1) != 0 || len(b) != 2 {
		t.Errorf("of rows that are alike: %v, %v", w, b)
	}
}
