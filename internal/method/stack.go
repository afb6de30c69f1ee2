package method

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/design"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
)

const (
	// stackedLabels is the number of labelled rows from which widths of columns are learned: half of fewer say little of them.
	stackedLabels = 100
	// stackedColumns is the number of features up to which each column has a width: an evaluation costs rows^2 x features.
	stackedColumns = 500
	// widthSteps are the evaluations of a search for widths. On the design sets of docs/automatic-choice.md the errors of new rows are
	// least after some ten of them: what later steps gain is the left-out error alone.
	widthSteps = 12
)

// stackForm is for tables whose rows are all labelled: machines with a width for each column, and a linear one, joined by their left-out
// outputs.
func stackForm() Form {
	return Form{
		Name:    "stack",
		Scale:   data.ScaleStandard,
		Suits:   stacks,
		Bytes:   stackBytes,
		Work:    stackWork,
		Produce: stack,
	}
}

// stacks says whether all rows are labelled and nothing is set that asks for another kernel, search or score.
func stacks(s task.Size, r task.Request) bool {
	return s.Labelled == s.Rows && s.Labelled >= stackedLabels && s.Labelled <= racedRows && !s.Sparse && s.Features <= stackedColumns &&
		freely(r) && r.Recipe.Kernel == "" && len(r.Kernel) == 0 && r.Centres() == 0 && r.Recipe.Offset == ""
}

// stackBytes are those of a search on half of the rows, or of one machine of all: the matrix, its factor, the inverse, the derivative.
func stackBytes(s task.Size, r task.Request) float64 {
	l, n := float64(s.Labelled), float64(s.Rows)
	return 8 * (6*l*l + panelRows*l + supervisedNumbers(s, r, 12*n*float64(s.Outputs)))
}

// stackWork is that of two halves with two powers each, and of the linear machine.
func stackWork(s task.Size, r task.Request) Work {
	z := sizeOf(s)
	m := min(z.l/2, float64(effortOf(r).teachers))
	pairs := func(n float64) Work { return Work{Values: n * n, Passes: 4 * n * n * z.d} } // half a cycle a difference
	search := choleskyWork(m).plus(productWork(m, m, m).times(2), pairs(m).times(2)).times(widthSteps)
	whole := pairs(z.l).plus(choleskyWork(z.l), productWork(z.l, z.l, z.l)).times(2)
	linear := z
	linear.l = min(z.l, z.d+1)
	return z.rowWork().plus(search.plus(whole).times(4), linear.pathWork(r), z.judgeWork().times(6))
}

// stack trains the members and leaves the choice to the stack.
func stack(ctx context.Context, t *task.Task) (*choose.Candidates, error) {
	b := benchOf(t)
	b.Crew = t.Options.Share
	b.Score.Offset = true
	plan, err := stackPlan(t)
	if err != nil {
		return nil, err
	}
	s, err := trainPlan(ctx, t, b, plan)
	if err != nil {
		return nil, err
	}
	s.Rule, s.Safe = choose.Stack{}, true
	return s, nil
}

// stackPlan are the members.
func stackPlan(t *task.Task) ([]*choose.Candidate, error) {
	var plan []*choose.Candidate
	for _, power := range []int{1, 2} {
		start := task.ByColumnOfTable(kernel.ARDRational{Power: power}, t.Input.Set.Table).Adapt(t.Problem.Rows)
		plan = append(plan, &choose.Candidate{Method: "rls", Width: 1, Own: start, Maker: design.Halves{
			Start: start, Rows: effortOf(t.Request).teachers, Steps: widthSteps, Seed: t.Recipe.Drawn(),
		}})
	}
	return append(plan, &choose.Candidate{Method: "rls", Width: 1, Linear: true}), nil
}
