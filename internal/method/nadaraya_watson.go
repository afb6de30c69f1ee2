package method

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/rbf"
	"github.com/mercer-ml/mercer/internal/rounding"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
)

// nadarayaWatson is the weighted mean of the targets.
func nadarayaWatson() Method {
	return machine{id: "nadaraya-watson", family: WeightedMean}.declare(Method{
		Title:    "weighted mean of the targets",
		Formula:  "f(x) = sum_i y_i k(x, x_i) / sum_i k(x, x_i)",
		About:    "needs no training; the width by leave-one-out; far from all rows f is the nearest one's target",
		Cost:     "rows x columns a prediction",
		Source:   cite.Kokshenev + ", eq. 2.13; Nadaraya 1964, Watson 1964",
		Example:  "mercer fit iris --method nadaraya-watson",
		Settings: []setting.Setting{task.Kernel, task.Tune, task.Outer},
		Rules:    []rule{gaussianOnly},
		Params: func(_ *task.Task, c *choose.Candidate) map[string]any {
			return map[string]any{"sigma": c.Kernel.(kernel.Gaussian).Sigma}
		},
		Forms: []Form{{
			Name: "rows",
			Bytes: func(s task.Size, r task.Request) float64 {
				return 8 * (3*s.Stored + 2*panelRows*float64(s.Labelled) + 8*float64(s.Rows)*float64(s.Outputs)) // and two panels
			},
			Work:    smootherWork,
			Produce: smoothed,
		}},
	})
}

// gaussianOnly is the kernel of weights and units.
func gaussianOnly(r task.Request) string {
	k := r.Recipe.Kernel
	return when(
		k != "" && k != "gaussian",
		"--kernel %s with --method %s: its weights are Gaussian, of one width; leave it out, or choose another method",
		k,
		r.Recipe.Method,
	)
}

// smootherWidths is how many widths are tried: 31 from a thirtieth to thirty times the default,
// then ten by halving the step five times.
const smootherWidths = 41

// smootherWork is that of left-out means at every width, pair by pair.
func smootherWork(s task.Size, r task.Request) Work {
	z := sizeOf(s)
	widths := float64(smootherWidths)
	if len(r.Kernel) > 0 || r.Scoring.None {
		widths = 1
	}
	return z.rowWork().Plus(Work{Passes: 8 * (z.d + 8) * z.l * (widths*z.l + z.n)})
}

// smoothed finds the width whose left-out rows score best. Nothing is trained.
func smoothed(ctx context.Context, t *task.Task) (*choose.Candidates, error) {
	s := smoother{t: t, rows: rbf.NadarayaWatson{Sigma: t.Base.(kernel.Gaussian).Sigma}, best: math.Inf(1), criterion: t.Scoring.Criterion}
	if s.criterion == nil {
		s.criterion = score.Press{}
	}
	status := search.Complete
	try := s.run
	if len(t.Fixed) > 0 || t.Scoring.None {
		try = s.one
	}
	if err := try(ctx); err != nil {
		if ctx.Err() == nil || s.left == nil {
			return nil, err
		}
		status = search.Ended(ctx)
	}
	p := t.Problem
	rows := p.Rows.Select(p.Labelled)
	candidates := choose.Alone(&choose.Machine{
		Kernel: kernel.Gaussian{Sigma: s.rows.Sigma}, Score: s.best, LeftOut: s.left,
		Expansions: []kernel.Expansion{{Kernel: kernel.Gaussian{Sigma: s.rows.Sigma}, Centres: rows, Coef: p.Y}},
	})
	candidates.Members[0].Mean = true
	candidates.Tuning = result.Tuning{Score: t.Scoring.Name, Value: s.best, Evaluations: s.tried, Search: "grid", Status: string(status)}
	return candidates, nil
}

// smoother is the search for a width.
type smoother struct {
	t         *task.Task
	rows      rbf.NadarayaWatson
	criterion score.Criterion
	best      float64
	left      *mat.Dense
	tried     int
	widths    int // to be tried
}

// one tries the width that is given.
func (s *smoother) one(ctx context.Context) error {
	s.widths = 1
	return s.try(ctx, s.rows.Sigma)
}

// run tries all widths.
func (s *smoother) run(ctx context.Context) error {
	first := s.rows.Sigma
	s.widths = smootherWidths
	step := math.Pow(30, 1.0/15)
	for q := -15; q <= 15; q++ {
		if err := s.try(ctx, first*math.Pow(step, float64(q))); err != nil {
			return err
		}
	}
	for range 5 {
		step = math.Sqrt(step)
		at := s.rows.Sigma
		for _, sigma := range []float64{at / step, at * step} {
			if err := s.try(ctx, sigma); err != nil {
				return err
			}
		}
	}
	return nil
}

// try keeps a width that scores better than the best so far.
func (s *smoother) try(ctx context.Context, sigma float64) error {
	p := s.t.Problem
	left, err := s.leftOut(ctx, rbf.NadarayaWatson{Sigma: sigma})
	if err != nil {
		return fmt.Errorf("%s: %w", s.t.Input.Set.Source, err)
	}
	s.tried++
	if v := s.criterion.Eval(p, score.Judged(s.t.Folds), left, nil); rounding.Below(v, s.best) || s.left == nil {
		s.best, s.rows.Sigma, s.left = v, sigma, left
	}
	s.t.Progressed("widths", s.tried, s.widths, s.best)
	return nil
}

// leftOut are the outputs on labelled rows by all others, or by those outside of their fold where there are folds.
func (s *smoother) leftOut(ctx context.Context, w rbf.NadarayaWatson) (*mat.Dense, error) {
	p := s.t.Problem
	if s.t.Folds == nil {
		return w.LeaveOneOut(ctx, p.Rows.Select(p.Labelled), p.Y)
	}
	left := mat.NewDense(len(p.Labelled), p.Outputs(), nil)
	for _, fold := range s.t.Folds {
		rest := slices.DeleteFunc(indices.To(len(p.Labelled)), func(i int) bool { return slices.Contains(fold, i) })
		others, judged := p.Only(rest), p.Only(fold)
		out, err := w.Predict(ctx, others.Rows.Select(others.Labelled), others.Y, judged.Rows.Select(judged.Labelled))
		if err != nil {
			return nil, err
		}
		for q, i := range fold {
			left.SetRow(i, out.RawRowView(q))
		}
	}
	return left, nil
}
