package method

import (
	"context"
	"errors"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/result"
)

// TestDecisionOfAPartialFront: the member of a front that was interrupted is chosen without folds, but of rows that are held out where
// rows are in groups or in order.
func TestDecisionOfAPartialFront(t *testing.T) {
	held := func(context.Context, [][]int) ([]float64, string, error) { return nil, "", nil }
	for _, c := range []struct {
		labels data.Labels
		want   string
	}{
		{data.Labels{}, "bic"},
		{data.Labels{Order: []float64{1, 2}}, "validation"},
		{data.Labels{Group: []string{"a", "b"}}, "validation"},
	} {
		s := &choose.Candidates{Front: &choose.Tradeoff{Partial: true, Quick: true, LeftOut: held}}
		d := decision{&task.Task{Labels: c.labels}}
		if got := d.word(s); got != c.want || len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "partial front") {
			t.Errorf("%+v: %s, %v", c.labels, got, s.Warnings)
		}
	}
}

// TestFoldsOfFewLabels: a decision that nobody asked for has as many folds as the labels allow; one that was asked for is refused beyond
// them, and the file is named once.
func TestFoldsOfFewLabels(t *testing.T) {
	for _, c := range []struct {
		decision string
		class    []int
		group    []string
		rule     string // else it is refused
		refused  string
	}{
		{class: []int{0, 1, 0, 1, 0, 1}, rule: "cv"},
		{class: []int{0, 1, 0, 1, -1, -1}, rule: "cv:4"},
		{class: []int{0, 1, 0, 1, 0, 1}, group: []string{"p", "p", "q", "q", "r", "r"}, rule: "cv:3"},
		{class: []int{0, 1}, rule: "cv:2"},
		{class: []int{0, -1}, refused: "few.csv: 1 labelled row is not enough for folds, by which a member of the front is chosen; " +
			"label more rows"},
		{decision: "cv", class: []int{0, 1, 0, 1}, refused: "few.csv: --decision cv asks 5 folds of 4 labelled rows; ask for fewer"},
		{decision: "cv:3", class: []int{0, 1, 0, 1}, rule: "cv:3"},
	} {
		labels := data.Labels{Task: data.Classification, Classes: []string{"a", "b"}, Class: c.class, Group: c.group}
		p := learn.NewProblem(data.Rows{Dense: mat.NewDense(len(c.class), 1, nil)}, labels)
		one := &task.Task{Labels: labels, Problem: p, Input: result.Input{Set: &data.Set{Source: "few.csv"}}}
		one.Recipe.Decision = c.decision
		folds := 0
		s := &choose.Candidates{Front: &choose.Tradeoff{Points: make([]choose.Point, 2), Rows: p.Rows.Len(), Outputs: 1,
			LeftOut: func(_ context.Context, f [][]int) ([]float64, string, error) {
				folds = len(f)
				return []float64{2, 1}, "loss,", nil
			}}}
		got, err := decision{one}.Choose(t.Context(), s)
		if c.refused != "" {
			failtest.Refused(t, err, c.refused)
			continue
		}
		if err != nil || got.Rule != c.rule || got.Point != 1 {
			t.Errorf("%+v: %+v, %v", c, got, err)
		}
		if _, want, _ := parseDecision(c.rule); folds != want {
			t.Errorf("%+v: %d folds", c, folds)
		}
	}
}

// TestFoldsThatFail: where the folds of a front cannot be learned from, no member is chosen, and the error says why and of which file.
func TestFoldsThatFail(t *testing.T) {
	labels := data.Labels{Task: data.Classification, Classes: []string{"a", "b"}, Class: []int{0, 1, 0, 1}}
	p := learn.NewProblem(data.Rows{Dense: mat.NewDense(4, 1, nil)}, labels)
	one := &task.Task{Labels: labels, Problem: p, Input: result.Input{Set: &data.Set{Source: "few.csv"}}}
	for _, losses := range [][]float64{nil, {2, 1}} {
		s := &choose.Candidates{Front: &choose.Tradeoff{Points: make([]choose.Point, 2), Rows: 4, Outputs: 1,
			LeftOut: func(context.Context, [][]int) ([]float64, string, error) {
				return losses, "loss,", errors.New("fold 2 is singular")
			}}}
		_, err := decision{one}.Choose(t.Context(), s)
		failtest.Refused(t, err, "few.csv: fold 2 is singular")
	}
}

// TestDecisionsThatDoNotSuit: a decision that a front, the labels or their groups have no use for is refused with another one.
func TestDecisionsThatDoNotSuit(t *testing.T) {
	classes := data.Labels{Task: data.Classification, Classes: []string{"a", "b"}, Class: []int{0, 1, 0, 1}}
	numbers, grouped := data.Labels{Task: data.Regression, Value: []float64{1, 2, 3, 4}}, classes
	grouped.Group = []string{"p", "p", "q", "q"}
	held := func(context.Context, [][]int) ([]float64, string, error) { return []float64{2, 1}, "loss,", nil }
	for _, c := range []struct {
		labels   data.Labels
		decision string
		front    choose.Tradeoff
		says     string
	}{
		{numbers, "vc-bound", choose.Tradeoff{Gaussian: true}, "--decision vc-bound: it is for classes; choose cv, aic, bic or gcv"},
		{classes, "bic", choose.Tradeoff{}, "--decision bic: machines with the hinge have no degrees of freedom; choose cv, knee or"},
		{classes, "cv:2", choose.Tradeoff{}, "--decision cv:2: method rofs is judged by its degrees of freedom; choose gcv, aic or bic"},
		{classes, "lcurve", choose.Tradeoff{Gaussian: true}, "few.csv: --decision lcurve: an L-curve needs three members"},
		{grouped, "cv:3", choose.Tradeoff{LeftOut: held}, "3 folds of 2 groups"},
	} {
		one := &task.Task{Labels: c.labels, Coding: task.Coding{Method: "rofs"}, Input: result.Input{Set: &data.Set{Source: "few.csv"}}}
		one.Problem = learn.NewProblem(data.Rows{Dense: mat.NewDense(4, 1, nil)}, c.labels)
		one.Recipe.Decision = c.decision
		front := c.front
		front.Points, front.Rows, front.Outputs = make([]choose.Point, 2), 4, 1
		got, err := decision{one}.Choose(t.Context(), &choose.Candidates{Front: &front})
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("--decision %s: %+v, %v, want %q", c.decision, got, err, c.says)
		}
	}
}
