package model

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
)

// drawn are n rows of d columns.
func drawn(n, d int) *mat.Dense {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
		}
	}
	return x
}

// machines are models of every kind of function.
func machines(d int) map[string]*Model {
	gaussian := kernel.Expansion{Kernel: kernel.Gaussian{Sigma: 2}, Centres: data.Rows{Dense: drawn(40, d)}, Coef: drawn(40, 1)}
	one := func(parts []Part) *Model { return &Model{Task: data.Regression, Columns: d, Parts: parts} }
	return map[string]*Model{
		"expansion": one(Single([]kernel.Expansion{gaussian}, []float64{1})),
		"linear":    one([]Part{{Functions: []Function{Linear{drawn(d, 1)}}}}),
		"mean":      one(WeightedMean(gaussian, false, nil)),
	}
}

// TestPredictStops: whoever is asked while rows are predicted ends it with the error of the context.
func TestPredictStops(t *testing.T) {
	x := data.Rows{Dense: drawn(1200, 3)}
	for name, m := range machines(3) {
		for form, rows := range map[string]data.Rows{"dense": x, "sparse": {Sparse: data.CSRFromDense(x.Dense)}} {
			if name == "linear" && form == "dense" {
				continue // asked within the product, below
			}
			t.Run(name+"/"+form, func(t *testing.T) {
				stoptest.Everywhere(t, func(ctx context.Context) error {
					_, err := m.Predict(ctx, rows)
					return err
				})
			})
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := m.Predict(ctx, x); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: an ended context gives %v", name, err)
		}
	}
}

// TestLooksStop: whoever is asked while rows are compared with centres, remembered or judged ends it with the error of the context.
func TestLooksStop(t *testing.T) {
	m := machines(3)["expansion"]
	rows := data.Rows{Dense: drawn(60, 3)}
	out, err := m.Predict(t.Context(), rows)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Remember(t.Context(), rows, out); err != nil {
		t.Fatal(err)
	}
	other := data.Rows{Dense: drawn(70, 3)}
	_, centres, err := m.Centres()
	if err != nil {
		t.Fatal(err)
	}
	e, _ := expansionOf(m.Parts[0].Functions[0])
	classes := *m
	classes.Task, classes.Classes = data.Classification, []string{"a", "b"}
	remembered := m.profile
	for name, f := range map[string]func(context.Context) error{
		"nearest":            func(ctx context.Context) error { _, err := m.Nearest(ctx, other, centres, 2); return err },
		"drift of others":    func(ctx context.Context) error { _, err := m.Drift(ctx, other); return err },
		"drift of the known": func(ctx context.Context) error { _, err := m.Drift(ctx, rows); return err },
		"weights":            func(ctx context.Context) error { _, err := e.Weights(ctx, other); return err },
		"classes":            func(ctx context.Context) error { _, err := classes.Classify(ctx, other); return err },
		"remember":           func(ctx context.Context) error { return m.Remember(ctx, rows, out) },
	} {
		t.Run(name, func(t *testing.T) { stoptest.Everywhere(t, f) })
	}
	m.profile = remembered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.Remember(ctx, other, nil); !errors.Is(err, context.Canceled) || m.profile != remembered {
		t.Errorf("what is not remembered whole takes the place of what was: %v", err)
	}
	if _, err := m.Classify(t.Context(), other); err == nil || !strings.Contains(err.Error(), "predicts numbers, not classes") {
		t.Errorf("classes of numbers: %v", err)
	}
}

// TestPieces: rows are predicted as each of them alone, whatever piece and panel they are in.
func TestPieces(t *testing.T) {
	const n = predictRows + 700
	x := data.Rows{Dense: drawn(n, 3)}
	for name, m := range machines(3) {
		all, err := m.Predict(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range []int{0, 511, 512, predictRows - 1, predictRows, n - 1} {
			one, err := m.Predict(t.Context(), x.Select([]int{i}))
			if err != nil {
				t.Fatal(err)
			}
			if a, b := all.At(i, 0), one.At(0, 0); !within(a, b, 1e-12) {
				t.Errorf("%s: row %d is %v among all and %v alone", name, i, a, b)
			}
		}
	}
}

func within(a, b, tolerance float64) bool { return a-b <= tolerance && b-a <= tolerance }

// TestPanel: a panel has neither more values nor more work than it may, as long as it has more rows than the least, and
// panels of the centres cover all of them: an expansion is the same function whatever its panels are.
func TestPanel(t *testing.T) {
	for _, n := range []int{1, 100, 8192, 100_000, 5_000_000} {
		for _, features := range []int{0, 10, 1000, 100_000} {
			for _, c := range []int{1, 300} {
				rows, centres := panel(n, features, c)
				value := valueWork + 2*features + 2*c
				if rows < leastRows || rows > mostRows || centres < 1 || centres > n {
					t.Errorf("%d centres of %d features, %d outputs: %d x %d", n, features, c, rows, centres)
				}
				if rows > leastRows && (rows*n > panelValues || rows*n*value > panelWork) || centres > 1 && leastRows*centres*value > panelWork {
					t.Errorf("%d centres of %d features, %d outputs: %d x %d is too much", n, features, c, rows, centres)
				}
			}
		}
	}
	for _, c := range []struct{ n, features, c, rows, centres int }{ // values of 64 + 2 (features + c) operations
		{1024, 10, 1, 1024, 1024}, {1025, 10, 1, 512, 1025}, {256, 10, 1, 4096, 256}, {8192, 10, 1, 512, 8192}, {8193, 10, 1, 256, 8193},
		{4096, 479, 1, 512, 4096}, {4097, 479, 1, 256, 4097}, {4096, 479, 2, 256, 4096}, {4096, 480, 1, 256, 4096},
		{1 << 20, 479, 1, 16, 1 << 17}, {7, 1 << 26, 1, 16, 1}, {1024, 991, 1, 1024, 1024}, {1024, 992, 1, 512, 1024},
	} {
		if rows, centres := panel(c.n, c.features, c.c); rows != c.rows || centres != c.centres {
			t.Errorf("%+v: a panel of %d x %d", c, rows, centres)
		}
	}
	for _, idx := range [][]int{some(0, 3, 3), some(1, 3, 3)} {
		if idx != nil && (len(idx) != 2 || idx[0] != 1 || idx[1] != 2) {
			t.Errorf("%v", idx)
		}
	}
}

// TestFilledAtAQuarter: rows become dense from a quarter of their entries on.
func TestFilledAtAQuarter(t *testing.T) {
	x := mat.NewDense(2, 4, nil)
	for n := 1; n <= 8; n++ {
		x.RawMatrix().Data[n-1] = float64(n)
		rows := data.Rows{Sparse: data.CSRFromDense(x), ID: []int{7, 8}}
		got := filled(rows)
		if got.IsSparse() != (n < 2) || got.RowID(1) != 8 || !got.IsSparse() && !mat.Equal(got.Dense, x) {
			t.Errorf("%d of 8 entries: sparse %v", n, got.IsSparse())
		}
	}
}

// TestFilled: rows of which most entries are stored are predicted as they are in their other form.
func TestFilled(t *testing.T) {
	z, x := drawn(30, 5), drawn(20, 5)
	for i := range 30 {
		z.Set(i, i%5, 0)
	}
	e := kernel.Expansion{Kernel: kernel.Gaussian{Sigma: 2}, Centres: data.Rows{Sparse: data.CSRFromDense(z)}, Coef: drawn(30, 2)}
	if filled(e.Centres).IsSparse() || !filled(data.Rows{Sparse: data.CSRFromDense(mat.NewDense(4, 5, nil))}).IsSparse() {
		t.Error("the share of stored entries does not decide")
	}
	m := &Model{Task: data.Classification, Classes: []string{"a", "b", "c"}, Columns: 5, Sparse: true}
	e.Coef = drawn(30, 3)
	m.Parts = Single([]kernel.Expansion{e}, nil)
	got, err := m.Predict(t.Context(), data.Rows{Sparse: data.CSRFromDense(x)})
	if err != nil {
		t.Fatal(err)
	}
	g, err := e.Kernel.Bind(t.Context(), e.Centres, nil)
	if err != nil {
		t.Fatal(err)
	}
	k, want := mat.NewDense(20, 30, nil), mat.NewDense(20, 3, nil)
	if err := g.Cross(k, data.Rows{Sparse: data.CSRFromDense(x)}, nil); err != nil {
		t.Fatal(err)
	}
	if want.Mul(k, e.Coef); !mat.EqualApprox(got, want, 1e-12) {
		t.Errorf("%v\nwant %v", mat.Formatted(got), mat.Formatted(want))
	}
}
