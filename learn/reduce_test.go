package learn_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
)

// threeClasses are five labelled rows of three classes among seven.
func threeClasses() *learn.Problem {
	x := data.Rows{Dense: mat.NewDense(7, 1, []float64{1, 2, 3, 4, 5, 6, 7})}
	return learn.NewProblem(
		x,
		data.Labels{Task: data.Classification, Classes: []string{"a", "b", "c"}, Class: []int{2, -1, 0, 1, -1, 0, 1}},
	)
}

// TestReduceByHand: every output is a problem of the rows that take part in it, with their targets, weights and
// what to start from; the machine has their solutions in their places.
func TestReduceByHand(t *testing.T) {
	p := threeClasses().OneVersusOne() // classes 2, 0, 1, 0, 1 in rows 0, 2, 3, 5, 6
	p.Weight = []float64{1, 2, 3, 4, 5}
	warm := &learn.Machine{
		Rows:   []int{2, 3, 5, 6},
		Coef:   mat.NewDense(4, 3, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}),
		Offset: []float64{0.5, 0.25, 0.125},
	}
	var parts []learn.Part
	solve := func(_ context.Context, part learn.Part) (learn.Piece, error) {
		parts = append(parts, part)
		piece := learn.Piece{
			Offset:      float64(part.Output) + 0.5,
			Certificate: learn.Certificate{Objective: 1, Residual: float64(part.Output), Steps: 2},
		}
		for q := range part.Rows {
			piece.Coef, piece.Fitted = append(piece.Coef, float64(10*part.Output+q+1)), append(piece.Fitted, -float64(q))
		}
		return piece, nil
	}
	m, err := learn.Reduce(t.Context(), p, []int{1, 2, 3, 4}, true, false, warm, solve)
	if err != nil {
		t.Fatal(err)
	}
	// Pair (0, 2) has rows of class 0 alone here, but both among all: its output is class 0 everywhere.
	want := "[{0 [1 2 3 4] [-1 1 -1 1] [2 3 4 5] [1 4 7 10] 0.5}]"
	if got := fmt.Sprint(parts); got != want {
		t.Errorf("parts %s, want %s", got, want)
	}
	coef := []float64{1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0}
	if !slices.Equal(m.Coef.RawMatrix().Data, coef) || !slices.Equal(m.Offset, []float64{0.5, -1, -1}) ||
		!slices.Equal(m.Rows, []int{2, 3, 5, 6}) ||
		m.Fitted != nil {
		t.Errorf("machine %+v", m)
	}
	if m.Certificate.Objective != 1 || m.Certificate.Steps != 2 {
		t.Errorf("certificate %+v", m.Certificate)
	}
	parts = nil
	if m, err = learn.Reduce(t.Context(), p, nil, false, false, nil, solve); err != nil || len(parts) != 3 {
		t.Fatalf("%d parts, %v", len(parts), err)
	}
	if m.Offset != nil || m.Certificate.Objective != 3 || m.Certificate.Residual != 2 || m.Certificate.Steps != 6 || len(m.Rows) != 5 {
		t.Errorf("machine of all rows %+v", m)
	}
	if got := fmt.Sprint(parts[1]); got != "{1 [0 1 3] [1 -1 -1] [1 2 4] [] 0}" {
		t.Errorf("the second pair is %s", got)
	}
	one := threeClasses()
	parts = nil
	if m, err = learn.Reduce(t.Context(), one, nil, true, false, &learn.Machine{Rows: []int{0}, Coef: mat.NewDense(1, 3, nil)},
		solve); err != nil ||
		m.Fitted == nil ||
		m.Fitted.At(4, 2) != -4 ||
		parts[0].Start != nil {
		t.Errorf("one against the rest: %+v, %v", m, err) // a machine of other rows is nothing to start from
	}
	gone := errors.New("gone")
	if _, err := learn.Reduce(t.Context(), one, nil, true, true, nil, func(context.Context, learn.Part) (learn.Piece,
		error) {
		return learn.Piece{}, gone
	}); !errors.Is(
		err,
		gone,
	) {
		t.Errorf("an error of a part is %v", err)
	}
}

// TestConstantParts: a part of one class is not solved where there is an offset and the problem has both; a part without
// rows is the second class.
func TestConstantParts(t *testing.T) {
	p := threeClasses()
	solved := 0
	solve := func(_ context.Context, part learn.Part) (learn.Piece, error) {
		solved++
		return learn.Piece{Coef: make([]float64, len(part.Rows)), Fitted: make([]float64, len(part.Rows))}, nil
	}
	m, err := learn.Reduce(t.Context(), p, []int{1, 3}, true, false, nil, solve) // of class 0 both
	if err != nil || solved != 0 || !slices.Equal(m.Offset, []float64{1, -1, -1}) ||
		!slices.Equal(m.Fitted.RawMatrix().Data, []float64{1, -1, -1, 1, -1, -1}) {
		t.Errorf("%d solved, machine %+v, %v", solved, m, err)
	}
	if m, err = learn.Reduce(t.Context(), p, []int{1, 3}, false, false, nil, solve); err != nil || solved != 3 || m.Offset != nil {
		t.Errorf("without an offset: %d solved, %v", solved, err)
	}
	solved = 0
	pairs := p.OneVersusOne()
	if m, err = learn.Reduce(t.Context(), pairs, []int{1, 3}, true, false, nil, solve); err != nil || solved != 0 ||
		!slices.Equal(m.Offset, []float64{-1, -1, 1}) ||
		m.Fitted != nil {
		t.Errorf("pairs: %d solved, machine %+v, %v", solved, m, err)
	}
}

// TestSparseMachine: rows without a coefficient are left out, and a machine that has none of them is itself.
func TestSparseMachine(t *testing.T) {
	m := &learn.Machine{
		Rows:   []int{4, 5, 7},
		Coef:   mat.NewDense(3, 2, []float64{0, 1, 0, 0, 2, 0}),
		Offset: []float64{1, 2},
		Fitted: mat.NewDense(3, 2, nil),
	}
	s := m.Sparse()
	if !slices.Equal(s.Rows, []int{4, 7}) || !slices.Equal(s.Coef.RawMatrix().Data, []float64{0, 1, 2, 0}) || s.Fitted != m.Fitted ||
		!slices.Equal(s.Offset, m.Offset) ||
		len(m.Rows) != 3 {
		t.Errorf("%+v", s)
	}
	if s.Sparse() != s {
		t.Error("a machine of no such row is copied")
	}
	if none := (&learn.Machine{Rows: []int{1}, Coef: mat.NewDense(1, 1, nil)}).Sparse(); len(none.Rows) != 0 || none.Coef == nil {
		t.Errorf("%+v", none)
	}
	if empty := (&learn.Machine{}); empty.Sparse() != empty {
		t.Error("an empty machine is another")
	}
}

// TestRangesOfParameters, the join of certificates and errors, and the rows outside a fold.
func TestRangesOfParameters(t *testing.T) {
	if c := learn.Strength(4); c.Lo != 0.0025 || c.Hi != 2500 || c.Default != 0.25 || c.Name != "C" || c.Fixed {
		t.Errorf("%+v", c)
	}
	if e := learn.Tube(0, 2); e.Lo != 0.002 || e.Hi != 2 || math.Abs(e.Default-0.2) > 1e-15 || e.Fixed || e.Name != "epsilon" {
		t.Errorf("%+v", e)
	}
	if e := learn.Tube(3, 2); e.Default != 3 || !e.Fixed {
		t.Errorf("%+v", e)
	}
	c := learn.Certificate{Objective: 1, Residual: 2, Gap: 3, Steps: 4, Least: -1}
	c.Join(learn.Certificate{Objective: 5, Residual: 1, Gap: 7, Steps: 8, Limited: "first", Least: -0.5})
	c.Join(learn.Certificate{Limited: "second"})
	if c != (learn.Certificate{Objective: 6, Residual: 2, Gap: 7, Steps: 12, Limited: "first", Least: -1}) {
		t.Errorf("%+v", c)
	}
	if got := learn.Others(5, []int{3, 0}); !slices.Equal(got, []int{1, 2, 4}) {
		t.Errorf("others %v", got)
	}
}

// The coefficients of all rows of a problem are those of the machine's rows, and 0 elsewhere.
func TestSpreadOverAllRows(t *testing.T) {
	m := &learn.Machine{Rows: []int{3, 1}, Coef: mat.NewDense(2, 2, []float64{1, 2, 3, 4})}
	if got, want := m.Spread(4), mat.NewDense(4, 2, []float64{0, 0, 3, 4, 0, 0, 1, 2}); !mat.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Duals are added like objectives, and every part of a certificate that is larger counts.
func TestJoinOfCertificates(t *testing.T) {
	a := learn.Certificate{Objective: 1, Dual: -2, Residual: 3, Gap: 4, Steps: 5, Least: -6}
	b := learn.Certificate{Objective: 10, Dual: -20, Residual: 30, Gap: 40, Steps: 50, Limited: "b", Least: -60}
	want := learn.Certificate{Objective: 11, Dual: -22, Residual: 30, Gap: 40, Steps: 55, Limited: "b", Least: -60}
	for _, c := range [][2]learn.Certificate{{a, b}, {b, a}} {
		if c[0].Join(c[1]); c[0] != want {
			t.Errorf("%+v, want %+v", c[0], want)
		}
	}
}

// TestReduceEnds: a context that has ended is an error before the first output and between them, though solve does not look at it.
func TestReduceEnds(t *testing.T) {
	p := threeClasses()
	for _, most := range []int{0, 1} {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		if most == 0 {
			stop()
		}
		solved := 0
		m, err := learn.Reduce(ctx, p, nil, true, false, nil, func(_ context.Context, part learn.Part) (learn.Piece, error) {
			if solved++; solved == most {
				stop()
			}
			return learn.Piece{Coef: make([]float64, len(part.Rows)), Fitted: make([]float64, len(part.Rows))}, nil
		})
		if m != nil || !errors.Is(err, context.Canceled) || solved != most {
			t.Errorf("%d outputs solved, want %d: machine %v, error %v", solved, most, m, err)
		}
	}
}
