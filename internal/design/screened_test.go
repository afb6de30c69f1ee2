package design

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/relevance"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/score"
	"gonum.org/v1/gonum/mat"
)

func makeScreened(t *testing.T, p *learn.Problem, folds [][]int) *choose.Machine {
	t.Helper()
	c := Screened{Start: kernel.ARDRational{Power: 1}.Adapt(p.Rows).(kernel.ARDRational), Factor: 0.5, Seed: 3}
	m, err := c.Make(context.Background(), &score.LeaveOut{Problem: p, Criterion: score.Press{}, Offset: true, Folds: folds})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The left-out output of a row is that of a machine trained again without its fold, widths and all; of folds that are given too. The label
// of a row has no part in it.
func TestScreenedLeavesOut(t *testing.T) {
	p := waves(40)
	folds := [][]int{{0, 3, 17, 22}, {1, 2, 39}}
	for i := 4; i < 39; i++ {
		if i != 17 && i != 22 {
			folds = append(folds, []int{i})
		}
	}
	m := makeScreened(t, p, folds)
	start := kernel.ARDRational{Power: 1}.Adapt(p.Rows).(kernel.ARDRational)
	for _, fold := range folds[:5] {
		rest := p.Only(learn.Others(40, fold))
		k, err := relevance.Screen(context.Background(), start, rest)
		if err != nil {
			t.Fatal(err)
		}
		wide, err := Widened(k, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		g, err := wide.Bind(context.Background(), p.Rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		n := len(rest.Labelled)
		gram, cross := mat.NewDense(n, n, nil), mat.NewDense(len(fold), n, nil)
		if err := kernel.Fill(context.Background(), gram, g, learn.Others(40, fold), learn.Others(40, fold)); err != nil {
			t.Fatal(err)
		}
		if err := kernel.Fill(context.Background(), cross, g, fold, learn.Others(40, fold)); err != nil {
			t.Fatal(err)
		}
		f, err := rls.Solve(context.Background(), gram, rest.Y, nil, true, m.Lambda)
		if err != nil {
			t.Fatal(err)
		}
		var out mat.Dense
		out.Mul(cross, f.Alpha)
		for q, i := range fold {
			if got, want := m.LeftOut.At(i, 0), out.At(q, 0)+f.B[0]; math.Abs(got-want) > 1e-8 {
				t.Errorf("row %d: left-out output %g, of a machine without its fold %g", i, got, want)
			}
		}
	}
}

// Without folds single rows are left out, and the machine is that of all rows.
func TestScreenedOfSingleRows(t *testing.T) {
	p := waves(60)
	m := makeScreened(t, p, nil)
	k, err := relevance.Screen(context.Background(), kernel.ARDRational{Power: 1}.Adapt(p.Rows).(kernel.ARDRational), p)
	if err != nil {
		t.Fatal(err)
	}
	got := m.Kernel.(kernel.ARDRational)
	for c, s := range got.Sigma {
		if math.Abs(s/k.Sigma[c]-0.5) > 1e-12 {
			t.Errorf("column %d: width %g, half of %g is due", c, s, k.Sigma[c])
		}
	}
	plain := makeMachine(t, p)
	if m.Score > plain.Score {
		t.Errorf("one of three columns decides; score %g with widths from labels, %g without", m.Score, plain.Score)
	}
}

// makeMachine is that of the same kernel with one width.
func makeMachine(t *testing.T, p *learn.Problem) *choose.Machine {
	t.Helper()
	k, err := Widened(kernel.ARDRational{Power: 1}.Adapt(p.Rows), 0.5)
	if err != nil {
		t.Fatal(err)
	}
	g, err := k.Bind(context.Background(), p.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &score.LeaveOut{Kernel: k, Problem: p, Criterion: score.Press{}, Offset: true}
	m, err := train(context.Background(), s, k, g, 0, ridges(p.Task, false), nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Without folds of the score the rows are dealt out by the seed.
func TestSeedOfScreened(t *testing.T) {
	p := waves(30)
	of := func(seed uint64) *mat.Dense {
		c := Screened{Start: kernel.ARDRational{Power: 1}.Adapt(p.Rows).(kernel.ARDRational), Factor: 0.5, Seed: seed}
		m, err := c.Make(t.Context(), &score.LeaveOut{Problem: p, Criterion: score.Press{}, Offset: true})
		if err != nil {
			t.Fatal(err)
		}
		return m.LeftOut
	}
	if a := of(3); !mat.Equal(a, of(3)) || mat.Equal(a, of(4)) {
		t.Error("the seed does not deal the folds")
	}
}

// Up to a hundred labelled rows there are ten folds, and five beyond.
func TestScreenedFolds(t *testing.T) {
	for labelled, want := range map[int]int{7: 7, 20: 10, 100: 10, 101: 5, 5000: 5} {
		if got := ScreenedFolds(labelled); got != want {
			t.Errorf("%d rows have %d folds, expected %d", labelled, got, want)
		}
	}
}
