package rbf

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
)

// The weights of rows are those that predictions are made with, of dense rows and of sparse ones: all rows have some, or only those that a
// row is equal to, which share them.
func TestNadarayaWatsonWeights(t *testing.T) {
	dense, y := regression(20, 2, 11)
	for c := range 2 {
		dense.Dense.Set(9, c, dense.Dense.At(4, c)) // two equal rows
	}
	x := mat.NewDense(3, 2, []float64{0.3, -0.2, dense.Dense.At(4, 0), dense.Dense.At(4, 1), dense.Dense.At(7, 0), dense.Dense.At(7, 1)})
	for _, train := range []data.Rows{dense, {Sparse: data.CSRFromDense(dense.Dense)}} {
		for _, known := range []bool{false, true} {
			w := NadarayaWatson{Sigma: 0.4, Known: known}
			rows := data.Rows{Dense: x}
			if train.IsSparse() {
				rows = data.Rows{Sparse: data.CSRFromDense(x)}
			}
			weights, err := w.Weights(ctx, train, rows)
			if err != nil {
				t.Fatal(err)
			}
			got, err := w.Predict(ctx, train, y, rows)
			if err != nil {
				t.Fatal(err)
			}
			var want mat.Dense
			want.Mul(weights, y)
			if !mat.EqualApprox(got, &want, 1e-12) {
				t.Errorf("known %t, sparse %t: predictions are not those of the weights", known, train.IsSparse())
			}
			for r := range 3 {
				if sum := mat.Sum(weights.RowView(r)); math.Abs(sum-1) > 1e-12 {
					t.Errorf("known %t: weights of row %d sum to %g", known, r, sum)
				}
			}
			if alone := weights.At(2, 7) == 1; alone != known {
				t.Errorf("known %t: an equal row has the weight %g", known, weights.At(2, 7))
			}
			if shared := weights.At(1, 4) == 0.5 && weights.At(1, 9) == 0.5; shared != known {
				t.Errorf("known %t: two equal rows have the weights %g and %g", known, weights.At(1, 4), weights.At(1, 9))
			}
			stoptest.Everywhere(t, func(ctx context.Context) error { _, err := w.Predict(ctx, train, y, rows); return err })
			stoptest.Everywhere(t, func(ctx context.Context) error { _, err := w.Weights(ctx, train, rows); return err })
		}
	}
	// Rows of two forms are never equal.
	if equal(dense, 0, data.Rows{Sparse: data.CSRFromDense(dense.Dense)}, 0) {
		t.Error("a dense row is equal to a sparse one")
	}
	for name, f := range map[string]func() error{
		"predict": func() error {
			_, err := NadarayaWatson{Sigma: 1}.Predict(ctx, dense, y, data.Rows{Dense: mat.NewDense(1, 3, nil)})
			return err
		},
		"weights": func() error {
			_, err := NadarayaWatson{Sigma: 1}.Weights(ctx, dense, data.Rows{Dense: mat.NewDense(1, 3, nil)})
			return err
		},
	} {
		if f() == nil {
			t.Errorf("%s: rows of another width are accepted", name)
		}
	}
}

// A panel has 512 rows while that makes no more than four million exponents, and half as many again and again, at least one.
func TestPanelHeight(t *testing.T) {
	for n, want := range map[int]int{1: 512, 8192: 512, 8193: 256, 1 << 22: 1, 1 << 23: 1} {
		if got := panelHeight(n); got != want {
			t.Errorf("%d rows: panels of %d, expected %d", n, got, want)
		}
	}
}

// Sparse rows are as far from each other as dense ones, equal ones not at all.
func TestDistinctSparseRows(t *testing.T) {
	x, _ := regression(40, 1, 5)
	for i := range 40 {
		if i%3 == 0 {
			x.Dense.Set(i, 1, 0)
		}
		if i%7 == 6 {
			x.Dense.SetRow(i, x.Dense.RawRowView(i-2))
		}
	}
	sparse := data.Rows{Sparse: data.CSRFromDense(x.Dense)}
	for _, eps := range []float64{0, 0.1, 0.5, 2} {
		if a, b := Distinct(x, eps), Distinct(sparse, eps); !slices.Equal(a, b) || len(a) == 0 {
			t.Errorf("within %g: %v, of sparse rows %v", eps, a, b)
		}
	}
	if n := len(Distinct(sparse, 0)); n != 35 {
		t.Errorf("%d rows are distinct, expected 35", n)
	}
	far := data.Rows{Sparse: data.CSRFromDense(mat.NewDense(4, 2, []float64{1000, 0, 1000, 0.01, 1000, 0, 1000.1, 0.01}))}
	if got := Distinct(far, 0); !slices.Equal(got, []int{0, 1, 3}) {
		t.Errorf("far from the origin %v are distinct", got)
	}
}

// Rows of fewer values than means are asked for are means themselves, each once.
func TestMeansOfFewValues(t *testing.T) {
	x := data.Rows{Dense: mat.NewDense(6, 1, []float64{3, 1, 3, 1, 7, 3})}
	for _, k := range []int{3, 4, 6} {
		m, err := Means(ctx, x, k, 1)
		if err != nil {
			t.Fatal(err)
		}
		c := mat.Col(nil, 0, m.Dense)
		if slices.Sort(c); !slices.Equal(c, []float64{1, 3, 7}) {
			t.Errorf("%d means %v", k, c)
		}
	}
}

// Targets of another number than the rows, and degrees of freedom or penalties that cannot be, are the caller's mistake.
func TestNumbersThatDoNotFit(t *testing.T) {
	rows, y := regression(12, 2, 3)
	m := MOBJ{Widths: Widths{Lo: 0.5, Hi: 2, Steps: 2}, Steps: 5}
	fronts, err := m.Fit(ctx, rows, y)
	if err != nil {
		t.Fatal(err)
	}
	g := GRN{Widths: m.Widths}
	networks, _, err := g.Fit(ctx, rows, y)
	if err != nil {
		t.Fatal(err)
	}
	h := mat.NewDense(12, 3, nil)
	h.Apply(func(i, j int, _ float64) float64 { return math.Sin(float64(i * (j + 1))) }, h)
	s, err := NewStabilised(ctx, h, nil, y, true)
	if err != nil {
		t.Fatal(err)
	}
	short := mat.NewDense(11, 2, nil)
	for words, f := range map[string]func(){
		"rbf: 12 rows, 11 targets":                    func() { _, _ = m.Fit(ctx, rows, short) },
		"12 rows, 11 targets":                         func() { _, _ = NadarayaWatson{Sigma: 1}.Predict(ctx, rows, short, rows) },
		"rbf: 12 rows, 3 targets":                     func() { _, _ = fronts[0].Validate(ctx, rows, make([]float64, 3)) },
		"rbf: 12 rows, 3 targets, the front is of 12": func() { _, _ = fronts[0].CrossValidate(ctx, rows, make([]float64, 3), nil) },
		"rbf: 11 rows, 11 targets, the front is of 12": func() {
			_, _ = fronts[0].CrossValidate(ctx, rows.Select(indexes(11)), make([]float64, 11), nil)
		},
		"rbf: 12 rows, 11 x 2 targets, 2 fronts of 12":     func() { _, _ = g.CrossValidate(ctx, networks, rows, short, nil) },
		"rbf: 12 rows, 12 x 2 targets, 1 fronts of 12":     func() { _, _ = g.CrossValidate(ctx, networks[:1], rows, y, nil) },
		"rbf: design of 12 x 3, 11 targets, stabiliser of": func() { _, _ = NewStabilised(ctx, h, nil, short, true) },
		"12 targets, stabiliser of order true":             func() { _, _ = NewStabilised(ctx, h, mat.NewSymDense(2, nil), y, true) },
		"rbf: lambda -1":                                   func() { s.At(-1) },
		"rbf: lambda NaN":                                  func() { s.At(math.NaN()) },
		"rbf: 0 degrees of freedom of 3":                   func() { s.Lambda(0) },
		"rbf: 3 degrees of freedom of 3":                   func() { s.Lambda(3) },
	} {
		failtest.Names(t, words, f)
	}
}

func indexes(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// A width whose kernels are all zero has the constant network only, for one penalty, and a gap of nothing where there is no target.
func TestConstantDesigns(t *testing.T) {
	s, err := NewStabilised(ctx, mat.NewDense(6, 2, nil), nil, mat.NewDense(6, 1, nil), true)
	if err != nil {
		t.Fatal(err)
	}
	if got := (GRN{}).lambdas(s); !slices.Equal(got, []float64{1}) {
		t.Errorf("penalties %v", got)
	}
	if got := (GRN{Lambdas: []float64{5, 2}}).lambdas(s); !slices.Equal(got, []float64{5, 2}) {
		t.Errorf("penalties %v", got)
	}
	if v := new(Front).gap(nil, 0, make([]float64, 4), nil); v != 0 {
		t.Errorf("a gap of %g", v)
	}
}

// What decides and fails ends the making of fronts, and a complexity that was not asked for is that of the front where widths grow.
func TestInsideFails(t *testing.T) {
	rows, y := regression(20, 1, 6)
	m := MOBJ{Widths: Widths{Lo: 0.3, Hi: 2, Steps: 4}, Steps: 5}
	broken := errors.New("broken")
	if _, err := Inside(ctx, m, rows, y, 2, func([]*Front) ([]int, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	ends := &Front{Widths: []float64{1, 2, 4}, MaxQ: 10, Elements: []Element{{Units: []Unit{{0, 0}}, Coef: []float64{1}}}}
	larger, _ := m.Enlarged([]*Front{ends}, []int{0})
	if got := larger.(MOBJ).MaxQ; got != 10 {
		t.Errorf("Q_max %g", got)
	}
	m.MaxQ = 3
	if larger, _ = m.Enlarged([]*Front{ends}, []int{0}); larger.(MOBJ).MaxQ != 3 {
		t.Errorf("Q_max %g, asked for 3", larger.(MOBJ).MaxQ)
	}
	bad := rows.Select(indexes(20))
	bad.Dense.Set(3, 1, math.NaN())
	if _, err := m.Fit(ctx, bad, y); err == nil {
		t.Error("rows that are not finite have a front")
	}
}
