package shrink_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/shrink"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// plane are n rows in the plane.
func plane(n int) data.Rows {
	rng := rand.New(rand.NewPCG(5, uint64(n)))
	x := mat.NewDense(n, 2, nil)
	for i := range n {
		x.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64()})
	}
	return data.Rows{Dense: x}
}

// sum is an expansion over the rows with c outputs.
func sum(k kernel.Kernel, rows data.Rows, c int) model.Expansion {
	coef := mat.NewDense(rows.Len(), c, nil)
	for i := range rows.Len() {
		for q := range c {
			coef.Set(i, q, math.Sin(float64(3*i+q)))
		}
	}
	return model.Expansion{Kernel: k, Centres: rows, Coef: coef}
}

func whole(c int, f ...model.Function) *model.Model {
	m := &model.Model{Task: data.Classification, Classes: []string{"a", "b", "c"}[:max(c, 2)], Columns: 2,
		Scaling: data.Scaling{Kind: data.ScaleNone}, Parts: []model.Part{{Functions: f, Offset: make([]float64, c)}}}
	m.Parts[0].Offset[0] = 0.3
	return m
}

// A function of four rows that is written over eight centres becomes one of at most seven near it.
func TestShrinkNearASmallModel(t *testing.T) {
	rows := plane(80)
	k := kernel.Gaussian{Sigma: 0.7}
	few := rows.Select([]int{3, 17, 42, 60})
	e := sum(k, few, 3)
	both, err := few.Append(few)
	if err != nil {
		t.Fatal(err)
	}
	twice := mat.NewDense(8, 3, nil)
	for i := range 8 {
		for q := range 3 {
			twice.Set(i, q, e.Coef.At(i%4, q)/2)
		}
	}
	m := whole(3, model.Expansion{Kernel: k, Centres: both, Coef: twice})
	small, change, err := shrink.Model(context.Background(), m, rows, 7, shrink.Options{Candidates: 80})
	if err != nil {
		t.Fatal(err)
	}
	if change.Before != 8 || change.After > 7 || change.Mean > 0.1*change.Size || change.Rows != 80 {
		t.Errorf("change %+v", change)
	}
	compare(t, m, small, rows, change)
}

// compare recomputes what shrink says of the change.
func compare(t *testing.T, m, small *model.Model, rows data.Rows, change *result.Shrunk) {
	t.Helper()
	a, err := m.Predict(context.Background(), rows)
	if err != nil {
		t.Fatal(err)
	}
	b, err := small.Predict(context.Background(), rows)
	if err != nil {
		t.Fatal(err)
	}
	was, is, changed := m.Decide(a), small.Decide(b), 0
	for i := range was {
		if was[i] != is[i] {
			changed++
		}
	}
	var d mat.Dense
	d.Sub(a, b)
	d.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, &d)
	r, c := d.Dims()
	if math.Abs(mat.Max(&d)-change.Largest) > 1e-12 || math.Abs(mat.Sum(&d)/float64(r*c)-change.Mean) > 1e-12 || *change.Decisions != changed {
		t.Errorf("change %+v, largest is %g, %d decisions", change, mat.Max(&d), changed)
	}
}

// More centres change less, and a sum of several kernels and a linear function becomes one of few centres in these.
func TestShrinkSeveralKernels(t *testing.T) {
	rows := plane(120)
	m := whole(1, sum(kernel.Gaussian{Sigma: 0.8}, rows, 1), model.Linear{Weights: mat.NewDense(2, 1, []float64{1, -2})},
		sum(kernel.Gaussian{Sigma: 2}, rows, 1))
	before := math.Inf(1)
	for _, size := range []int{10, 30, 60} {
		small, change, err := shrink.Model(context.Background(), m, rows, size, shrink.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if change.After != size || shrink.Centres(small) != size || !(change.Mean < before) {
			t.Errorf("%d centres: %+v after a mean of %g", size, change, before)
		}
		before = change.Mean
		compare(t, m, small, rows, change)
		if _, ok := small.Parts[0].Functions[0].(model.Linear); !ok {
			t.Error("the linear function is gone")
		}
	}
}

// Parts that look at columns of their own share the centres; a row that lacks one of them takes no part in it.
func TestShrinkParts(t *testing.T) {
	rows := plane(60)
	rows.Dense.Set(7, 1, math.NaN())
	one := func(c int, n int) model.Part {
		have := make([]int, n)
		for i := range have {
			have[i] = i + 8
		}
		return model.Part{View: "v", Columns: []int{c}, Functions: []model.Function{
			sum(kernel.Gaussian{Sigma: 1}, rows.SelectColumns([]int{c}).Select(have), 1),
		}}
	}
	m := whole(1)
	m.Parts = []model.Part{one(0, 40), one(1, 20)}
	small, change, err := shrink.Model(context.Background(), m, rows, 12, shrink.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if change.After > 12 || len(small.Parts) != 2 || change.Mean > 0.2*change.Size {
		t.Errorf("change %+v", change)
	}
	m.Parts[1].View = "w"
	lacking := plane(30)
	for i := range 30 {
		lacking.Dense.Set(i, 1, math.NaN())
	}
	_, _, err = shrink.Model(context.Background(), m, lacking, 12, shrink.Options{})
	failtest.Refused(t, err, "no row has view w; give rows that have it")
}

// What cannot be smaller is refused in one line.
func TestShrinkRefuses(t *testing.T) {
	rows := plane(30)
	e := sum(kernel.Gaussian{Sigma: 1}, rows, 1)
	for _, c := range []struct {
		m    *model.Model
		size int
		want string
	}{
		{whole(1, model.Linear{Weights: mat.NewDense(2, 1, nil)}), 5, "the model is linear and has no centres"},
		{whole(1, e), 30, "30 centres already"},
		{whole(1, e), 0, "at least 1"},
		{whole(1, model.Mean{Expansion: e}), 5, "weighted mean"},
	} {
		_, _, err := shrink.Model(context.Background(), c.m, rows, c.size, shrink.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	_, _, err := shrink.Model(context.Background(), whole(1, e), plane(4), 5, shrink.Options{})
	if err == nil || !strings.Contains(err.Error(), "5 basis functions of 4 rows") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := shrink.Model(ctx, whole(1, e), rows, 5, shrink.Options{}); err == nil {
		t.Error("the context is not heeded")
	}
}
