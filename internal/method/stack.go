package method

import (
	"context"
	"fmt"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/design"
	"github.com/mercer-ml/mercer/internal/method/cost"
	"github.com/mercer-ml/mercer/internal/relevance"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
)

const (
	// stackedLabels is the number of labelled rows from which widths of columns are learned: half of fewer say little of them.
	stackedLabels = 100
	// stackedExact is the number of rows up to which machines of a stack have all for centres: 3000 rows are 2 s of processor a machine.
	stackedExact = 3000
	// stackedPairs is how many machines with learned kernels a stack has: three kernels, each by two halves of the rows.
	stackedPairs = 6
	// fullMetric is the number of features up to which a learned metric is no diagonal: its eigenvectors cost 9 d^3 flops a round.
	fullMetric = 200
)

// stackForm is for tables whose rows are all labelled: machines with a width or a weight for each column, and a linear one, joined by
// their left-out outputs.
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

// stacks says whether a stack alone decides. Of many rows with classes a race does, which has other losses too.
func stacks(s task.Size, r task.Request) bool {
	return stackable(s, r) && !(s.Labelled > racedRows && s.Task == data.Classification)
}

// stackable says whether all rows are labelled and nothing is set that asks for another kernel or search, or for a score other than by
// folds.
func stackable(s task.Size, r task.Request) bool {
	asked := forward(s, r)
	if strings.HasPrefix(r.Recipe.Tune, "kfold:") { // as of rows in groups: folds serve as well as single rows
		asked.Recipe.Tune = ""
	}
	free := freely(asked) && r.Recipe.Kernel == "" && len(r.Kernel) == 0 && r.Centres() == 0 &&
		(r.Recipe.Offset == "" || r.Recipe.Offset == "auto")
	least := stackedLabels
	if s.Grouped || s.Ordered { // rows of a group tell less than as many others; of rows in order the last alone judge
		least *= 2
	}
	return free && s.Labelled == s.Rows && s.Labelled >= least && !s.Sparse && s.Features <= widthColumns
}

// stackBytes are those of a search on some rows (the matrix, its factor, the inverse, the derivative and its halves), and of a machine of
// all rows, or of their sums on landmarks.
func stackBytes(s task.Size, r task.Request) float64 {
	l, m := float64(s.Labelled), teachers(s, r)
	whole := 4 * l * l
	if s.Labelled > stackedExact {
		z := float64(effortOf(r).marks().Of(s.Labelled))
		whole = (design.LandmarkFolds+4)*z*z + 2*pairs(r)*z*float64(s.Features)
	}
	kept := 6 * l * float64(s.Outputs) * (pairs(r)/2 + 1)
	return uncollected*8*max(6*m*m, whole) + 8*supervisedNumbers(s, r, kept+panelRows*l)
}

// pairs is how many machines with learned kernels there are.
func pairs(r task.Request) float64 {
	if effortOf(r).rounds > 0 {
		return stackedPairs + 2
	}
	return stackedPairs
}

// teachers is the number of rows that a search for widths has.
func teachers(s task.Size, r task.Request) float64 {
	l := float64(s.Labelled)
	if s.Ordered {
		l *= 1 - r.Scoring.Share
	}
	return min(l/2, float64(effortOf(r).teachers))
}

// stackWork is that of two halves with three kernels each, and of the linear machine.
func stackWork(s task.Size, r task.Request) Work {
	z := sizeOf(s)
	whole := pairWork(z.l, z.d).Plus(cost.Cholesky(z.l).Times(3))
	if s.Labelled > stackedExact {
		m := float64(effortOf(r).marks().Of(s.Labelled))
		each := cost.Product(z.l, m, m).Plus(cost.Cholesky(m).Times(3*design.LandmarkFolds), cost.Product(z.l, m, z.c).Times(4))
		whole = each.Plus(Work{Values: 4 * z.l * m, Passes: 16 * z.l * m * z.d})
	}
	linear := z
	linear.l = min(z.l, z.d+1)
	members := z.widthWork(teachers(s, r)).Plus(whole).Times(pairs(r))
	return z.rowWork().Plus(members, linear.pathWork(r), z.judgeWork().Times(6), z.choiceWork())
}

// choiceWork is that of the weights of a stack: found with all members, then with those that stay, and again for each part of the rows that
// the estimate leaves out. Numbers are quickly done.
func (z size) choiceWork() Work {
	if z.c == 1 {
		return Work{}
	}
	z.l = min(z.l, choose.StackRows)
	shares := z.l * z.c
	each := Work{Values: 2 * shares, Passes: 8 * shares * (2*(stackedPairs/2+1) + 12)} // a logarithm, an exponential, sums of all members
	return each.Times(float64(calibrate.ShareEvaluations(int(shares)))).Plus(z.judgeWork()).Times(2 * (1 + choose.Rechoices))
}

// pairWork is that of absolute differences of n rows, half a cycle each, or of ranks, two cycles, and of some twenty passes over the
// tables of an evaluation: without them 1500 rows took 2.4 times what was announced.
func pairWork(n, d float64) Work { return Work{Values: 2 * n * n, Passes: n * n * (6*d + 160)} }

// widthWork is a search for widths on n rows.
func (z size) widthWork(n float64) Work {
	return z.widthSystems(n).Plus(pairWork(n, z.d).Times(2)).Times(widthSteps)
}

// widthSystems is what an evaluation of the search does beside the table and its derivative: a factor, the inverse, and the cotangent.
func (z size) widthSystems(n float64) Work {
	return cost.Cholesky(n).Times(3).Plus(cost.Product(n, n, n).Times(0.5), cost.Product(n, n, z.c).Times(3))
}

// stack trains the members and leaves the choice to the stack.
func stack(ctx context.Context, t *task.Task) (*choose.Candidates, error) {
	if folds := halves(t, nil).Folds(t.Problem); folds != nil && t.Labels.Order == nil { // machines on landmarks leave out whole folds
		t.Folds = folds
		t.Scoring.Name, t.Scoring.Folds = fmt.Sprintf("kfold:%d", len(folds)), len(folds)
	}
	b := benchOf(t)
	b.Crew = t.Options.Share
	b.Score.Offset = true
	s, err := trainPlan(ctx, t, b, stackPlan(t))
	if err != nil {
		return nil, err
	}
	s.Rule, s.Safe = choose.Stack{}, true
	return s, nil
}

// stackPlan are the members.
func stackPlan(t *task.Task) []*choose.Candidate {
	var plan []*choose.Candidate
	for _, start := range append(columnKernels(t), rankKernel(t)) {
		learner := relevance.Widths{Start: start, Steps: widthSteps}
		plan = append(plan, &choose.Candidate{Method: "rls", Width: 1, Own: start, Maker: halves(t, learner)})
	}
	if n := effortOf(t.Request).rounds; n > 0 {
		learner := relevance.Metric{Rounds: n, Full: fullMetric, Steps: widthSteps}
		plan = append(plan, &choose.Candidate{Method: "rls", Width: 1, Own: kernel.MetricLaplacian{}, Maker: halves(t, learner)})
	}
	return append(plan, &choose.Candidate{Method: "rls", Width: 1, Linear: true})
}

// halves are two of the rows, of which each learns a kernel.
func halves(t *task.Task, learner design.Learner) design.Halves {
	e := effortOf(t.Request)
	return design.Halves{Learner: learner, Rows: e.teachers, Exact: stackedExact, Marks: e.marks(), Seed: t.Recipe.Drawn(), Held: held(t)}
}
