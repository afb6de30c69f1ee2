package method

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/learner/linear"
	"github.com/mercer-ml/mercer/internal/learner/multiview"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/result"
)

// Linear functions of several views, in passes over the entries of the rows: the machine along a graph
// (package linear) whose graph joins the descriptions of each row.

const (
	// viewTableRows is the number of rows beyond which linear views have no tables of kernel values.
	viewTableRows = 3000
	// viewColumnFolds are the folds of its score.
	viewColumnFolds = 5
)

// viewColumnsForm is the form without tables, for linear kernels and smooth losses.
func (k machine) viewColumnsForm() Form {
	return Form{
		Name: "columns",
		Suits: func(s task.Size, r task.Request) bool {
			if s.Rows <= viewTableRows || !(k.closed() || k.smooth(r.Values)) || searchedFor(r) ||
				r.Values.Given(centre) || r.Values.Given(lossOn) || r.Spec(s.Sparse) != "linear" {
				return false
			}
			return !slices.ContainsFunc(r.Recipe.Views, func(v result.View) bool { return v.Kernel != "" && v.Kernel != "linear" })
		},
		Produce: k.viewColumns,
		Bytes: func(s task.Size, r task.Request) float64 {
			v := float64(max(len(r.Recipe.Views), 2))
			return 8 * (3*s.Stored + 40*float64(s.Features) + v*float64(s.Rows)*(20+6*float64(s.Outputs)))
		},
		Work: func(s task.Size, r task.Request) Work {
			const systems, steps = 2, 60
			z, trainings := sizeOf(s), 1.0
			if !r.Scoring.None {
				trainings = float64(len(viewColumnStrengths()) * (len(autoCouplings) + 1) * (viewColumnFolds + 1))
			}
			return z.rowWork().Plus(Work{Passes: 8 * 4 * s.Stored * systems * steps * trainings * z.machines()})
		},
	}
}

// viewColumnStrengths are the values of C that are tried, for rows whose mean square is 1.
func viewColumnStrengths() []float64 { return []float64{1, 10, 100, 1000} }

// viewColumns trains the machines of some couplings and strengths.
func (k machine) viewColumns(ctx context.Context, t *task.Task) (*choose.Candidates, error) {
	if err := inFewFolds(t); err != nil {
		return nil, err
	}
	v := k.viewed(t)
	on, lists := v.on, t.ViewLists()
	weights := make([]float64, len(lists))
	for q, one := range v.base.Kernels {
		weights[q] = one.(kernel.Scaled).Weight
	}
	on.Problem.Rows, on.Base = t.Stacked.Blocks(t.Problem.Rows, lists, weights), kernel.Linear{}
	values := append([]float64{0}, autoCouplings...)
	if given := t.Values.Numbers(coupling); len(given) > 0 {
		values = given
	}
	_, b := k.bench(on, nil)
	strengths := viewColumnStrengths()
	if on.Scoring.None {
		values = []float64{v.base.Coupling}
		if b.Lambda == 0 || k.strengths(on).lambda == 0 {
			b.Lambda = on.Terms().Ridge(usualGamma)
		}
	}
	if b.Lambda > 0 {
		strengths = []float64{1 / (2 * b.Lambda)}
	}
	ties := multiview.Ties{Copies: t.Stacked.Copies}
	var plan []*choose.Candidate
	for _, c := range values {
		trial := &choose.Trial{Strengths: strengths, Folds: on.Folds, Learner: linear.Laplacian{
			Loss: k.lossSet(t.Values), Norm: ties, Ratio: c / float64(len(t.Stacked.Copies)), Offset: t.Offset, Free: true,
			Tolerance: t.Recipe.Tolerance,
		}}
		plan = append(plan, &choose.Candidate{Method: k.id, Width: 1, Linear: true, Transductive: c > 0, Trial: trial})
	}
	s, err := trainPlan(ctx, on, b, plan)
	t.Warnings = on.Warnings
	if err != nil {
		return nil, err
	}
	s.Safe = len(values) == 1 && values[0] == 0
	for i, c := range plan {
		if c.Machine != nil {
			own := v.base
			own.Coupling = values[i]
			c.Machine = k.linearOfThings(t, c.Machine, weights)
			c.Kernel = own
		}
	}
	s.Problem, s.Criterion, s.Judged = t.Problem, t.LeaveOut(nil).Criterion, nil
	return s, nil
}

// inFewFolds judges by folds where leave-one-out, which trains a machine for each label, was not asked for.
func inFewFolds(t *task.Task) error {
	if t.Scoring.None || t.Recipe.Tune != "" && t.Recipe.Tune != "auto" || t.Labelled() <= 2*viewColumnFolds {
		return nil
	}
	k := viewColumnFolds
	if t.Labels.Task == data.Classification {
		k = max(3, min(k, slices.Min(t.Labels.Counts())))
	}
	part, err := data.Folds(t.Labels, k, t.Recipe.Drawn())
	if err != nil {
		return err
	}
	t.Folds = t.Places(part)
	t.Scoring.Name, t.Scoring.Folds = fmt.Sprintf("kfold:%d", k), k
	return nil
}

// linearOfThings is the machine with outputs of things, and an expansion of each view over their rows.
func (k machine) linearOfThings(t *task.Task, m *choose.Machine, weights []float64) *choose.Machine {
	one := *m
	if k.closed() { // from 1/2 ||w||^2 + C sum to sum + ridge ||w||^2, which the machine with tables has
		one.Certificate.Objective *= 2 * m.Lambda
	}
	one.LeftOut = viewMean(m.LeftOut, t.Stacked.Groups(t.Problem))
	one.Outputs = viewMean(m.Outputs, t.Stacked.Copies)
	one.Expansions, one.Views = nil, nil
	// A function w'x is that of the centre w with the coefficient 1.
	w := m.Expansions[0].Weights()
	d, c := w.Dims()
	centres, unit := mat.NewDense(c, d, nil), mat.NewDense(c, c, nil)
	for j := range c {
		unit.Set(j, j, 1)
	}
	for v, columns := range t.ViewLists() {
		by := math.Sqrt(weights[v]) / float64(len(weights))
		for _, col := range columns {
			for j, a := range w.RawRowView(col) {
				centres.Set(j, col, by*a)
			}
		}
		one.Views = append(one.Views, v)
		one.Expansions = append(one.Expansions, kernel.Expansion{
			Kernel: kernel.Columns{Base: kernel.Linear{}, Columns: columns}, Centres: data.Rows{Dense: centres}, Coef: unit,
		})
	}
	return &one
}
