package dual

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// The one-class machine of the linear kernel on two rows, 1 and 3, has the sum nu sum c of coefficients, as much as fits at the
// nearer row, and learns from targets of 1 alone.
func TestDetector(t *testing.T) {
	p := learn.NewProblem(data.Rows{Dense: mat.NewDense(2, 1, []float64{1, 3})}, data.Labels{Task: data.Regression, Value: []float64{1, 1}})
	tr, err := Detector{Options: Options{Tolerance: 1e-9}}.Bind(t.Context(), mustBind(t, kernel.Linear{}, p.Rows), p)
	if err != nil {
		t.Fatal(err)
	}
	for nu, want := range map[float64][]float64{0.25: {0.5, 0}, 0.75: {1, 0.5}} {
		m, err := tr.Train(t.Context(), nil, []float64{nu}, nil)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "coefficients", m.Coef.RawMatrix().Data, want, 1e-9)
		w := want[0] + 3*want[1]
		rho := w // the output of a row within its bounds: 1 or 3
		if nu == 0.75 {
			rho = 3 * w
		}
		near(t, "offset", m.Offset, []float64{-rho}, 1e-9)
	}
	p.Y.Set(1, 0, -1)
	if _, err := tr.Train(t.Context(), nil, []float64{0.5}, nil); err == nil ||
		!strings.Contains(err.Error(), "row 1 of a one-class machine has target -1") {
		t.Errorf("another target: %v", err)
	}
	p.Labelled = nil
	for _, l := range []learn.Learner{Detector{}, Classifier{}, Regressor{}} {
		if _, err := l.Bind(t.Context(), mustBind(t, kernel.Linear{}, p.Rows), p); err == nil ||
			!strings.Contains(err.Error(), "no labelled row") {
			t.Errorf("%T without rows: %v", l, err)
		}
	}
}

// TestBorderOfRepeatedRows: of no more than the share nu of rows that repeat the machine says that they are outside.
func TestBorderOfRepeatedRows(t *testing.T) {
	x := mat.NewDense(200, 2, nil)
	for i := range 200 {
		x.SetRow(i, []float64{float64(i % 2), float64(i % 7 % 2)})
	}
	values := make([]float64, 200)
	for i := range values {
		values[i] = 1
	}
	p := learn.NewProblem(data.Rows{Dense: x}, data.Labels{Task: data.Regression, Value: values})
	tr, err := Detector{}.Bind(t.Context(), mustBind(t, kernel.Gaussian{Sigma: 1}, p.Rows), p)
	if err != nil {
		t.Fatal(err)
	}
	for _, nu := range []float64{0.05, 0.2, 0.5} {
		m, err := tr.Train(t.Context(), nil, []float64{nu}, nil)
		if err != nil {
			t.Fatal(err)
		}
		outside := 0
		for i := range 200 {
			if m.Fitted.At(i, 0) < 0 {
				outside++
			}
		}
		if float64(outside) > nu*200 {
			t.Errorf("nu %g: %d of 200 rows are outside", nu, outside)
		}
	}
}

// The stored matrix gives its blocks, its rows with zeros behind them and its diagonal, and so does that of some of its rows.
func TestTable(t *testing.T) {
	x := mat.NewDense(5, 1, []float64{1, -2, 3, 4, 0.5})
	g := mustBind(t, kernel.Linear{}, data.Rows{Dense: x})
	table, err := newTable(g, []int{4, 2, 0})
	if err != nil {
		t.Fatal(err)
	}
	v := []float64{0.5, 3, 1}
	if row := table.Double(1); !slices.Equal(row, []float64{1.5, 9, 3, 0, 0, 0, 0, 0}) || table.Len() != 3 {
		t.Errorf("row 1 of %d: %v", table.Len(), row)
	}
	few := subset{table, []int{2, 0}}
	for _, c := range []struct {
		m       Matrix
		of      []float64
		i, j    []int
		rows    []int
		columns []int
	}{
		{table, v, nil, nil, []int{0, 1, 2}, []int{0, 1, 2}}, {table, v, []int{2, 0}, nil, []int{2, 0}, []int{0, 1, 2}},
		{table, v, nil, []int{1}, []int{0, 1, 2}, []int{1}}, {table, v, []int{1, 2}, []int{2, 0, 1}, []int{1, 2}, []int{2, 0, 1}},
		{few, []float64{1, 0.5}, nil, nil, []int{0, 1}, []int{0, 1}}, {few, []float64{1, 0.5}, []int{1}, []int{1, 0}, []int{1}, []int{1, 0}},
	} {
		var want []float32
		for _, a := range c.rows {
			for _, b := range c.columns {
				want = append(want, float32(c.of[a]*c.of[b]))
			}
		}
		got := make([]float32, len(want))
		c.m.Block(got, c.i, c.j)
		if !slices.Equal(got, want) {
			t.Errorf("block %v, %v: %v, want %v", c.i, c.j, got, want)
		}
	}
	diagonal := make([]float64, 2)
	few.Diagonal(diagonal)
	if !slices.Equal(diagonal, []float64{1, 0.25}) || few.Len() != 2 {
		t.Errorf("diagonal of %d rows: %v", few.Len(), diagonal)
	}
	x.Set(2, 0, math.Inf(1))
	if _, err := newTable(mustBind(t, kernel.Linear{}, data.Rows{Dense: x}), []int{4, 2, 0}); err == nil {
		t.Error("an infinite value was taken")
	}
}

// A hard margin that is met exactly leaves no gap, although its bounds are infinite.
func TestHardMarginHasNoGap(t *testing.T) {
	k := linear([][]float64{{-1}, {1}})
	for _, direct := range []int{directSize, 0} {
		s, err := run(t.Context(), k, SVC(nil, []float64{-1, 1}, []float64{math.Inf(1), math.Inf(1)}), Options{}, direct, nil)
		if err != nil || s.Gap != 0 || s.Objective != -0.5 || s.Rho != 0 {
			t.Errorf("%+v, %v", s, err)
		}
		near(t, "coefficients", s.A, []float64{0.5, 0.5}, 0)
	}
}

// A bound of slices of unequal lengths, or of no row, is the caller's mistake.
func TestShapesOfABound(t *testing.T) {
	two := func() Evidence {
		v := make([]float64, 2)
		return Evidence{Rows: make([]int, 2), Y: v, A: v, F: v, C: v}
	}
	for words, change := range map[string]func(e *Evidence){
		"bound of 2 targets, 1 rows, 2 coefficients, 2 outputs and 2 weights": func(e *Evidence) { e.Rows = e.Rows[1:] },
		"bound of 2 targets, 2 rows, 1 coefficients, 2 outputs and 2 weights": func(e *Evidence) { e.A = e.A[1:] },
		"bound of 2 targets, 2 rows, 2 coefficients, 1 outputs and 2 weights": func(e *Evidence) { e.F = e.F[1:] },
		"bound of 2 targets, 2 rows, 2 coefficients, 2 outputs and 1 weights": func(e *Evidence) { e.C = e.C[1:] },
		"bound of 0 targets": func(e *Evidence) { *e = Evidence{} },
	} {
		e := two()
		change(&e)
		failtest.Names(t, words, func() { _, _ = Span.Of(t.Context(), e) })
	}
	failtest.Names(t, "svm: a ball around no row", func() { _, _ = EnclosingBall(t.Context(), nil, nil) })
	e := two()
	e.Offset = true
	e.Gram = mustBind(t, kernel.Linear{}, data.Rows{Dense: mat.NewDense(1, 1, nil)})
	failtest.Names(t, "svm: Bound(9)", func() { _, _ = Bound(9).Of(t.Context(), e) })
	if _, err := JaakkolaHaussler.Of(t.Context(), e); err == nil || !strings.Contains(err.Error(), "machines without an offset") {
		t.Errorf("with an offset: %v", err)
	}
}

// A heap of the largest keeps as many as it may, and memory that is given back is taken again.
func TestTopAndSpare(t *testing.T) {
	var w top
	w.reset(3)
	for i, v := range []float64{2, 9, 4, 1, 7, 3, 8, 4} {
		if v > w.least {
			w.push(v, int32(i))
		}
	}
	var kept []float64
	for _, c := range w.items {
		kept = append(kept, c.v)
	}
	if slices.Sort(kept); !slices.Equal(kept, []float64{7, 8, 9}) || w.least != 7 {
		t.Errorf("kept %v, the least %g", kept, w.least)
	}
	if w.reset(0); w.quota != 1 || len(w.items) != 0 || !math.IsInf(w.least, -1) {
		t.Errorf("%+v", w)
	}
	small, large := make([]float32, 4), make([]float32, 9)
	s := new(spare)
	s.give(large)
	s.give(small)
	s.give(nil)
	if got := s.take(4); &got[0] != &small[0] || len(got) != 4 || len(s.list) != 1 {
		t.Errorf("%d numbers of the smaller that does, %d left", len(got), len(s.list))
	}
	s.give(small)
	if got := s.take(20); len(got) != 20 || len(s.list) != 1 || cap(s.list[0]) != 9 {
		t.Errorf("%d numbers; the smaller one does not go", len(got))
	}
	if got := s.take(9); &got[0] != &large[0] || len(s.list) != 0 {
		t.Error("what is as large as asked for is not taken")
	}
	if got := (*spare)(nil).take(3); len(got) != 3 {
		t.Errorf("%d numbers of nothing", len(got))
	}
	for m, want := range map[int]int{1: 1, 2: 1, 3: 1, 5: 3, 8: 3, 10: 3, 12: 7, 100: 61} {
		if got := coprime(m); got != want {
			t.Errorf("stride %d of %d, want %d", got, m, want)
		}
	}
}
