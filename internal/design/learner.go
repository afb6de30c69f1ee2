package design

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

// trainLearner trains the machine of t.Learner on the bound kernel g (of recipe k)
// with the best value of its first parameter, the strength of the data (C), which
// is tried in decades from weak to strong, every training starting from the last;
// equal scores go to the weaker. `at` > 0 fixes it as the ridge lambda = 1/(2C).
// The learner's other parameters keep their defaults. Cost: a training for each
// fold and decade.
func (b *Bench) trainLearner(ctx context.Context, k kernel.Kernel, g kernel.Gram, at float64) (*choose.Machine, error) {
	p := b.Score.Problem
	trainer, err := b.Learner.Bind(ctx, g, p)
	if err != nil {
		return nil, err
	}
	scale, err := meanDiagonal(ctx, g, p.Labelled)
	if err != nil {
		return nil, err
	}
	space := b.Learner.Space(scale, p.Spread())
	m := &choose.Machine{Kernel: k, Score: math.Inf(1)}
	judge := b.judge(g, trainer)
	path := decades(space, at)
	if b.strengths != nil {
		path = along(space, b.strengths)
	}
	var all []judged
	var failed error // of parameters that no machine can be trained with
	for _, theta := range path {
		if len(path) == 1 && b.Unscored {
			all = append(all, judged{theta: theta})
			break
		}
		v, out, limited, err := judge(ctx, theta)
		if err != nil && !Numerical(err) {
			return nil, err
		}
		if err != nil { // an indefinite kernel allows small C alone
			failed = err
			continue
		}
		all = append(all, judged{theta, v, out})
		if out != nil {
			_ = m.Keep(p, func() (*mat.Dense, error) { return out, nil })
		}
		if limited {
			break // stronger data need more steps still
		}
	}
	f, err := trainBest(ctx, trainer, m, all, failed)
	if err != nil {
		return nil, err
	}
	m.Lambda = ridge(b.Learner, m.Theta)
	if _, ok := b.Learner.(learn.Anytime); ok && f.Certificate.Limited != "" && p.Rows.Len()*len(f.Rows) <= soonValues {
		ctx = context.WithoutCancel(ctx) // perhaps its end is the limit; the machine lacks its outputs alone
	}
	return m, adopt(ctx, m, f, g, p)
}

// judged are parameters with their score and the left-out outputs.
type judged struct {
	theta []float64
	score float64
	out   *mat.Dense
}

// trainBest trains with the parameters of the least score, or with the next ones where all rows cannot be trained with those. Without
// any the error is the one that has failed last.
func trainBest(ctx context.Context, trainer learn.Trainer, m *choose.Machine, all []judged, failed error) (*learn.Machine, error) {
	slices.SortStableFunc(all, func(a, b judged) int { return cmp.Compare(ranked(a.score), ranked(b.score)) })
	for _, one := range all {
		f, err := trainer.Train(ctx, nil, one.theta, nil)
		if err == nil {
			m.Score, m.LeftOut, m.Theta = one.score, one.out, one.theta
			return f, nil
		}
		if failed = err; !Numerical(err) {
			break
		}
	}
	return nil, failed
}

// ranked is a score, with what is not a number last.
func ranked(v float64) float64 {
	if math.IsNaN(v) {
		return math.Inf(1)
	}
	return v
}

// soonValues is the number of kernel values that are still computed for the outputs of a machine whose training the
// end of the time cut short: those of 8192 rows, which take about a second.
const soonValues = 1 << 26

// judge returns the score of a trainer as a function of its parameters, each training
// starting from the last: with it the left-out outputs and whether a limit ended one of
// the trainings. A trainer that knows its bound, or what it gives rows left out one by
// one, is asked; others train for every fold.
func (b *Bench) judge(g kernel.Gram, trainer learn.Trainer) func(ctx context.Context, theta []float64) (float64, *mat.Dense, bool, error) {
	s := b.Score
	var warm []*learn.Machine
	folds := func(ctx context.Context, theta []float64) (float64, *mat.Dense, bool, error) {
		out, machines, err := score.LeftOut(ctx, g, trainer, s.Problem, s.Folds, theta, warm)
		if err != nil {
			return 0, nil, false, err
		}
		warm = machines
		return s.Criterion.Eval(s.Problem, s.Judged(), out, nil), out, limited(machines), nil
	}
	if b, ok := trainer.(score.Bounder); ok {
		var last *learn.Machine
		return func(ctx context.Context, theta []float64) (float64, *mat.Dense, bool, error) {
			v, out, m, err := b.Bound(ctx, theta, last)
			if err != nil {
				return 0, nil, false, err
			}
			last = m
			return v, out, m.Certificate.Limited != "", nil
		}
	}
	one, ok := trainer.(interface {
		LeaveOneOut(ctx context.Context, theta []float64, warm *learn.Machine) (*mat.Dense, *learn.Machine, bool, error)
	})
	if !ok || s.Folds != nil {
		return folds
	}
	var last *learn.Machine
	return func(ctx context.Context, theta []float64) (float64, *mat.Dense, bool, error) {
		out, m, ok, err := one.LeaveOneOut(ctx, theta, last)
		if err != nil {
			return 0, nil, false, err
		}
		if !ok {
			return folds(ctx, theta)
		}
		last = m
		return s.Criterion.Eval(s.Problem, nil, out, nil), out, m.Certificate.Limited != "", nil
	}
}

// limited says whether a limit ended one of the trainings.
func limited(machines []*learn.Machine) bool {
	for _, m := range machines {
		if m.Certificate.Limited != "" {
			return true
		}
	}
	return false
}

// adopt takes over a learner's machine on all labelled rows.
//
// The rows of a machine that will be stored as one vector of weights are not copied.
func adopt(ctx context.Context, m *choose.Machine, f *learn.Machine, g kernel.Gram, p *learn.Problem) error {
	var err error
	if f = f.Sparse(); len(f.Rows) > 0 {
		coef, rows := f.Coef, f.Rows
		if weighs(m.Kernel, p, len(rows)) {
			coef, rows = f.Spread(p.Rows.Len()), nil
		}
		if m.Expansions, err = kernel.Within(ctx, g).Expand(coef, rows); err != nil {
			return err
		}
	}
	m.B, m.Certificate = f.Offset, f.Certificate
	if f.Fitted != nil && len(p.Labelled) == p.Rows.Len() {
		m.Outputs = f.Fitted
		return nil
	}
	m.Outputs = mat.NewDense(p.Rows.Len(), p.Outputs(), nil)
	return f.Evaluate(ctx, m.Outputs, g, nil)
}

// weighs says whether the weights of a linear machine are fewer numbers than so many of its rows.
func weighs(k kernel.Kernel, p *learn.Problem, rows int) bool {
	each := float64(p.Rows.Dim())
	if s := p.Rows.Sparse; s != nil {
		each = float64(s.NNZ()) / float64(s.R)
	}
	return kernel.Weighs(k) && each*float64(rows) > float64(p.Rows.Dim()*p.Outputs())
}

// ridge is 1/(2C) of a learner whose first parameter is C, else 0.
func ridge(l learn.Learner, theta []float64) float64 {
	if space := l.Space(1, 1); len(space) > 0 && space[0].Name == "C" {
		return score.Strength(theta[0])
	}
	return 0
}

// decades lists the learner's parameters along its path: the first in decades of
// its range, or the one that stands for the ridge `at`; the others at their
// defaults.
func decades(space param.Space, at float64) [][]float64 {
	if len(space) == 0 || space[0].Fixed {
		return [][]float64{space.Defaults()}
	}
	if at > 0 {
		return along(space, []float64{score.Strength(at)})
	}
	d := space[0]
	var list []float64
	steps := int(math.Round(math.Log10(d.Hi / d.Lo)))
	for i := range steps + 1 {
		list = append(list, d.Lo*math.Pow(10, float64(i)))
	}
	return along(space, list)
}

// along lists the learner's parameters with values of the first.
func along(space param.Space, values []float64) (path [][]float64) {
	for _, v := range values {
		theta := space.Defaults()
		theta[0] = v
		path = append(path, theta)
	}
	return path
}
