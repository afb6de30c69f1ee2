package mercer

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/rbf"
	"github.com/mercer-ml/mercer/score"
)

// smootherFit is Fit for nadaraya-watson: nothing is trained, and the width is the one whose
// left-out rows score best, of 31 from a thirtieth to thirty times the default, then by
// halving the step five times.
func (j *job) smootherFit(ctx context.Context) (*model.Model, *Result, error) {
	p := j.problem
	g, ok := j.base.(kernel.Gaussian)
	if !ok {
		return nil, nil, &UsageError{[]string{fmt.Sprintf("--kernel %s with --method %s: it has Gaussian weights of one width", j.kernelSpec(), j.method.id)}}
	}
	if j.tune.folds > 0 || j.tune.share > 0 || j.tune.gcv || j.recipe.Search != "" && j.recipe.Search != "auto" {
		return nil, nil, &UsageError{[]string{fmt.Sprintf("--method %s is tuned by leave-one-out; choose --tune loo:logloss, loo:press or loo:error", j.method.id)}}
	}
	rows := p.Rows.Select(p.Labelled)
	criterion := j.tune.criterion
	if criterion == nil {
		criterion = score.Press{}
	}
	evaluations := 0
	sigma, best := g.Sigma, math.Inf(1)
	var left *mat.Dense
	try := func(s float64) error {
		o, err := rbf.NadarayaWatson{Sigma: s}.LeaveOneOut(ctx, rows, p.Y)
		if err != nil {
			return err
		}
		evaluations++
		if v := criterion.Eval(p, nil, o, nil); v < best || left == nil {
			best, sigma, left = v, s, o
		}
		return nil
	}
	if len(j.fixed) > 0 || j.tune.none {
		if err := try(g.Sigma); err != nil {
			return nil, nil, err
		}
	} else {
		step := math.Pow(30, 1.0/15)
		for q := -15; q <= 15; q++ {
			if err := try(g.Sigma * math.Pow(step, float64(q))); err != nil {
				return nil, nil, err
			}
		}
		for range 5 {
			step = math.Sqrt(step)
			for _, s := range []float64{sigma / step, sigma * step} {
				if err := try(s); err != nil {
					return nil, nil, err
				}
			}
		}
	}
	m := &model.Model{
		Method: j.method.id, Task: p.Task, Classes: p.Classes, Label: j.in.Set.LabelName, Columns: p.Rows.Dim(), Features: j.in.Set.Features,
		Sparse: p.Rows.IsSparse(), Scaling: j.scaling,
		Parts: model.WeightedMean(kernel.Expansion{Kernel: kernel.Gaussian{Sigma: sigma}, Centres: rows, Coef: p.Y}),
	}
	if p.Task == data.Classification {
		m.Calibration = j.calibration(left)
	}
	f := &FrontResult{}
	if err := j.frontMetrics(f, m); err != nil {
		return nil, nil, err
	}
	res := &Result{Method: j.method.id, Kernel: "gaussian", Task: p.Task.String(), Classes: p.Classes, Rows: j.counts(), Params: map[string]any{"sigma": sigma},
		Support: rows.Len(), Metrics: f.Metrics, Scaling: j.scaled, Warnings: slices.Clone(j.warnings),
		Tuning: &Tuning{Score: j.tune.name, Value: best, Evaluations: evaluations, Search: "grid", Status: "complete"}}
	stored := *res
	stored.Metrics = nil
	var err error
	if m.Recipe, err = json.Marshal(j.recipe); err != nil {
		return nil, nil, err
	}
	m.Result, err = json.Marshal(stored)
	return m, res, err
}
