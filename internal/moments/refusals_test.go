package moments_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/internal/moments"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"gonum.org/v1/gonum/mat"
)

// A strength of the penalty is positive and finite, wherever it is asked for.
func TestLambdaIsChecked(t *testing.T) {
	x, y := drawn(1, 12, 2, 1)
	path, err := moments.New(x, y, nil, 0).Path(true)
	if err != nil {
		t.Fatal(err)
	}
	parts := []moments.Sums{*moments.New(x, y, nil, 0), *moments.New(x, y, nil, 0)}
	for lambda, words := range map[float64]string{0: "0", -1: "-1", math.Inf(1): "+Inf", math.NaN(): "NaN"} {
		words = "rls: lambda = " + words + "; it must be positive and finite"
		failtest.Refused(t, moments.CheckLambda(lambda), words)
		_, err := path.At(lambda)
		failtest.Refused(t, err, words)
		_, err = moments.NewFolds(t.Context(), parts, 2, true, []float64{1, lambda})
		failtest.Refused(t, err, words)
	}
	if err := moments.CheckLambda(1e-300); err != nil {
		t.Error(err)
	}
}

// Machines of folds end with their context, and say what is wrong with the sums of the others.
func TestFoldsRefuse(t *testing.T) {
	x, y := drawn(1, 12, 2, 1)
	good, one := *moments.New(x, y, nil, 0), *moments.New(mat.NewDense(1, 2, nil), mat.NewDense(1, 1, nil), nil, 0)
	stoptest.Everywhere(t, func(ctx context.Context) error {
		_, err := moments.NewFolds(ctx, []moments.Sums{good, good}, 2, true, []float64{1})
		return err
	})
	_, err := moments.NewFolds(t.Context(), []moments.Sums{good, one}, 2, true, []float64{1})
	failtest.Refused(t, err, "rls: 1 rows outside a fold are too few to train on; make more and smaller folds")
	_, err = moments.NewFolds(t.Context(), []moments.Sums{good, {}}, 2, false, []float64{1})
	failtest.Refused(t, err, "rls: 0 rows outside a fold are too few to train on; make more and smaller folds")
	bad := mat.DenseCopyOf(x)
	bad.Set(3, 1, math.Inf(1))
	_, err = moments.NewFolds(t.Context(), []moments.Sums{good, *moments.New(bad, y, nil, 0)}, 2, false, []float64{1})
	if !errors.Is(err, moments.ErrNotFinite) {
		t.Errorf("error %v", err)
	}
	if _, err := one.Path(true); !errors.Is(err, moments.ErrOneRow) {
		t.Errorf("error %v", err)
	}
}

// Rows that determine their own outputs have none left out, and no degree of freedom leaves GCV infinite; no machine leaves out nothing.
func TestNoFreedomIsLeft(t *testing.T) {
	x, y := drawn(2, 5, 5, 2)
	path, err := moments.New(x, y, nil, 0).Path(true)
	if err != nil {
		t.Fatal(err)
	}
	tight, err := path.At(1e-14)
	loose, err2 := path.At(1)
	if errors.Join(err, err2) != nil {
		t.Fatal(err, err2)
	}
	out := path.LeaveOut(x, y, []*moments.Fit{tight, loose})
	if len(out) != 2 || !math.IsNaN(out[0].At(3, 1)) || math.IsNaN(out[1].At(3, 1)) {
		t.Errorf("outputs left out %v", out)
	}
	if got := path.GCV(tight); !math.IsInf(got, 1) {
		t.Errorf("GCV %g of a machine through all rows", got)
	}
	if got := path.GCV(loose); !(got > 0) || math.IsInf(got, 1) {
		t.Errorf("GCV %g", got)
	}
	if got := path.LeaveOut(x, y, nil); got != nil {
		t.Errorf("%v of no machine", got)
	}
}

// Outputs left out of several machines of several targets are those of each machine alone; a row of which others say 1e-11
// still has one, and with 1e-13 none.
func TestLeaveOutOfSeveral(t *testing.T) {
	x, y := drawn(2, 30, 4, 3)
	path, err := moments.New(x, y, nil, 0).Path(true)
	if err != nil {
		t.Fatal(err)
	}
	var fits []*moments.Fit
	for _, lambda := range []float64{1, 10, 1e3} {
		f, err := path.At(lambda)
		if err != nil {
			t.Fatal(err)
		}
		fits = append(fits, f)
	}
	for q, got := range path.LeaveOut(x, y, fits) {
		if !mat.EqualApprox(got, path.LeaveOut(x, y, fits[q:q+1])[0], 1e-12) {
			t.Errorf("machine %d has other outputs among others", q)
		}
	}
	one := mat.NewDense(2, 1, []float64{1e5, 0})
	path, err = moments.New(one, mat.NewDense(2, 1, []float64{1, 2}), nil, 0).Path(false)
	if err != nil {
		t.Fatal(err)
	}
	for lambda, has := range map[float64]bool{0.1: true, 1e-3: false} {
		f, err := path.At(lambda)
		if err != nil {
			t.Fatal(err)
		}
		if v := path.LeaveOut(one, mat.NewDense(2, 1, []float64{1, 2}), []*moments.Fit{f})[0].At(0, 0); math.IsNaN(v) == has {
			t.Errorf("lambda %g: %g is left out", lambda, v)
		}
	}
	// Two rows outside a fold are enough for an offset.
	pair := *moments.New(x.Slice(0, 2, 0, 4).(*mat.Dense), y.Slice(0, 2, 0, 3).(*mat.Dense), nil, 0)
	if _, err := moments.NewFolds(t.Context(), []moments.Sums{pair, pair}, 2, true, []float64{1}); err != nil {
		t.Error(err)
	}
}

// Features that are only moved keep their products, and a mean square that is none is one.
func TestScales(t *testing.T) {
	x, y := drawn(3, 20, 3, 1)
	s := moments.New(x, y, nil, 0)
	moved, same := s.Scaled([]float64{1, 2, 3}, nil), s.Scaled(nil, []float64{1, 1, 1})
	for j, by := range []float64{1, 2, 3} {
		if moved.X[j] != s.X[j]-by || same.X[j] != s.X[j] {
			t.Errorf("column %d: means %g and %g, were %g", j, moved.X[j], same.X[j], s.X[j])
		}
	}
	if !mat.Equal(moved.S, s.S) || !mat.Equal(same.P, s.P) {
		t.Error("a shift changes the products")
	}
	moved.S.Set(0, 0, -1)
	if s.S.At(0, 0) == -1 {
		t.Error("the sums are shared")
	}
	for _, v := range []float64{0, math.Inf(1), math.NaN()} {
		row := mat.NewDense(1, 2, []float64{v, 0})
		if got := moments.New(row, mat.NewDense(1, 1, nil), nil, 0).MeanSquare(); got != 1 {
			t.Errorf("a feature of %g has the mean square %g", v, got)
		}
	}
	if got := moments.New(mat.NewDense(1, 2, []float64{3, 1}), mat.NewDense(1, 1, nil), nil, 0).MeanSquare(); got != 10 {
		t.Errorf("mean square %g, expected 10", got)
	}
}

// Sums of no row change nothing, and rows that lack features join those that have them.
func TestJoinKeepsTheWider(t *testing.T) {
	x, y := drawn(5, 40, 3, 1)
	for i := 25; i < 40; i++ {
		x.Set(i, 2, 0)
	}
	whole := moments.New(x, y, nil, 0)
	s := moments.New(x.Slice(0, 25, 0, 3).(*mat.Dense), y.Slice(0, 25, 0, 1).(*mat.Dense), nil, 0)
	s.Join(new(moments.Sums))
	s.Join(moments.New(x.Slice(25, 40, 0, 2).(*mat.Dense), y.Slice(25, 40, 0, 1).(*mat.Dense), nil, 0))
	if s.N != 40 || away(s.S, whole.S) > 1e-12 || away(s.P, whole.P) > 1e-12 || math.Abs(s.YY[0]/whole.YY[0]-1) > 1e-12 {
		t.Errorf("%d rows, S differs by %.2g, P by %.2g", s.N, away(s.S, whole.S), away(s.P, whole.P))
	}
}

// Weights are those given, with their roots and their sum; without any a row weighs one and nothing changes.
func TestWeights(t *testing.T) {
	w := moments.NewWeights([]float64{4, 9, 0.25}, 3)
	if w.Total != 13.25 || w.Of(1) != 9 || !slices.Equal(w.Root, []float64{2, 3, 0.5}) {
		t.Errorf("%+v", w)
	}
	x := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})
	w.Scale(x)
	if !mat.Equal(x, mat.NewDense(3, 2, []float64{2, 4, 9, 12, 2.5, 3})) {
		t.Errorf("scaled %v", mat.Formatted(x))
	}
	none, before := moments.NewWeights(nil, 7), mat.DenseCopyOf(x)
	if none.Scale(x); none.Total != 7 || none.Of(5) != 1 || !mat.Equal(x, before) {
		t.Errorf("%+v", none)
	}
	failtest.Panics(t, "rls: 2 weights of 3 rows", func() { moments.NewWeights([]float64{1, 2}, 3) })
	failtest.Panics(t, "rls: weight 0 of row 1", func() { moments.NewWeights([]float64{1, 0}, 2) })
	failtest.Panics(t, "rls: weight NaN of row 0", func() { moments.NewWeights([]float64{math.NaN(), 1}, 2) })
}

// Rows that differ in number, and targets that do, are the caller's mistake.
func TestSumsPanic(t *testing.T) {
	x, y := drawn(5, 6, 2, 1)
	const rows = "rls: features and targets of different numbers of rows"
	failtest.Panics(t, rows, func() { moments.New(x, mat.NewDense(5, 1, nil), nil, 0) })
	failtest.Panics(t, rows, func() { moments.New(x, y, make([]int, 5), 2) })
	failtest.Panics(t, "rls: sums of different numbers of targets", func() {
		moments.New(x, y, nil, 0).Join(moments.New(x, mat.NewDense(6, 2, nil), nil, 0))
	})
}
