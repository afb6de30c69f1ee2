package score

import (
	"context"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/search/param"
)

// Refit is the cross-validation score of any learner with any kernel, by training
// again for every fold: k-fold and hold-out for machines without a closed form,
// and the slow twin of LeaveOut.
//
// Transductive (default): the labels of the fold are removed, its rows stay in
// the kernel and the graph, and the folds share the bound kernel; for
// regularised least squares equal to LeaveOut. Inductive: the rows themselves are
// removed, the graph is rebuilt without them and they are predicted as new rows.
// Unlabelled rows always train and are never judged. Cost: a training for each
// fold, inductive with its own Gram matrix and graph. It has a gradient where the
// criterion is smooth, the learner's machines can be differentiated
// (learn.Sensitive) and folds are transductive.
//
// Parameters: those of the kernel, then those of the learner.
type Refit struct {
	Kernel    kernel.Kernel
	Learner   learn.Learner
	Problem   *learn.Problem
	Work      *kernel.Work
	Criterion Criterion
	Folds     [][]int // of labelled rows, by their number among the labelled; nil: leave-one-out
	Inductive bool
	// Warm starts every fold from its machine of the last evaluation; results then
	// depend on the order of evaluations within the solver's tolerance.
	Warm bool
	// Inexact ties the tolerance of the inner solver to the gradient (inexact.go): early
	// evaluations of a search by gradients are cheaper, late ones exact. Values with gradient
	// then have a Noise that depends on the evaluations before; those without stay exact.
	// Free is the space searched, where it is not Space().
	Inexact bool
	Free    param.Space
	// Spread sets the range of a tube, see learn.Learner.Space; 0: that of the targets.
	Spread float64

	scale scale
	mu    sync.Mutex
	last  []*learn.Machine // of the folds
	tol   float64          // of the last inexact evaluation; 0: none yet
}

var _ param.Objective = (*Refit)(nil)

// Space lists the kernel's parameters and the learner's, whose ranges are for the scale of the
// Kernel as it is at the first call.
func (s *Refit) Space() param.Space {
	return s.scale.learned(s.Kernel, s.Learner, s.Problem, s.Work, s.Spread)
}

// Eval implements Objective. Only values with a gradient know their Noise.
func (s *Refit) Eval(ctx context.Context, theta []float64, want param.Want) (param.Value, error) {
	if l, ok := s.Learner.(learn.Inexact); ok && s.Inexact && want == param.WithGradient && !s.Inductive {
		return s.controlled(ctx, theta, l)
	}
	return s.eval(ctx, theta, want, s.Learner)
}

// eval is Eval with the machines of a learner.
func (s *Refit) eval(ctx context.Context, theta []float64, want param.Want, learner learn.Learner) (param.Value, error) {
	var v param.Value
	err := s.outputs(ctx, theta, learner, func(g kernel.Gram, t learn.Trainer, o *mat.Dense, machines []*learn.Machine) error {
		sens, ok := t.(learn.Sensitive)
		var bar *mat.Dense
		if want == param.WithGradient && ok && Smooth(s.Criterion) {
			l, c := o.Dims()
			bar = mat.NewDense(l, c, nil)
		}
		v.F = s.Criterion.Eval(s.Problem, Judged(s.Folds), o, bar)
		if math.IsNaN(v.F) {
			v.F = math.Inf(1)
		}
		if bar == nil || math.IsInf(v.F, 1) {
			return nil
		}
		v.Noise = s.noise(o, bar, machines)
		var err error
		v.Grad, err = s.pull(ctx, g, sens, theta, machines, bar)
		return err
	})
	if err != nil {
		return infeasible(ctx, err)
	}
	return v, nil
}

// Judged lists the labelled rows that some fold leaves out; nil folds, and so nil
// rows, are all.
func Judged(folds [][]int) []int {
	if folds == nil {
		return nil
	}
	rows := slices.Concat(folds...)
	slices.Sort(rows)
	return rows
}

// Outputs returns the left-out outputs (l x c); rows in no fold are zero.
func (s *Refit) Outputs(ctx context.Context, theta []float64) (out *mat.Dense, err error) {
	err = s.outputs(ctx, theta, s.Learner, func(_ kernel.Gram, _ learn.Trainer, o *mat.Dense, _ []*learn.Machine) error {
		out = o
		return nil
	})
	return out, err
}

// outputs calls use with the left-out outputs and what made them; the trainer is nil
// where every fold had its own.
func (s *Refit) outputs(
	ctx context.Context,
	theta []float64,
	learner learn.Learner,
	use func(g kernel.Gram, t learn.Trainer, o *mat.Dense, machines []*learn.Machine) error,
) error {
	n := len(s.Kernel.Space())
	k, err := s.Kernel.With(theta[:n])
	if err != nil {
		return err
	}
	if s.Inductive {
		o, err := s.inductive(ctx, k, theta[n:])
		if err != nil {
			return err
		}
		return use(nil, nil, o, nil)
	}
	g, err := k.Bind(ctx, s.Problem.Rows, s.Work)
	if err != nil {
		return err
	}
	if r, ok := g.(interface{ Release() }); ok {
		defer r.Release() // the n x n tables serve the next evaluation
	}
	t, err := learner.Bind(ctx, g, s.Problem)
	if err != nil {
		return err
	}
	var warm []*learn.Machine
	if s.Warm {
		s.mu.Lock()
		warm = s.last
		s.mu.Unlock()
	}
	o, machines, err := LeftOut(ctx, g, t, s.Problem, s.Folds, theta[n:], warm)
	if err != nil {
		return err
	}
	if s.Warm {
		s.mu.Lock()
		s.last = machines
		s.mu.Unlock()
	}
	return use(g, t, o, machines)
}

// LeftOut trains once for each fold on the others' labels and returns what the
// rows of the fold are given (l x c; rows in no fold are zero), and the machines;
// those of nearby parameters may be given as warm. Nil folds are single rows.
func LeftOut(
	ctx context.Context,
	g kernel.Gram,
	t learn.Trainer,
	p *learn.Problem,
	folds [][]int,
	theta []float64,
	warm []*learn.Machine,
) (*mat.Dense, []*learn.Machine, error) {
	l := len(p.Labelled)
	if folds == nil {
		folds = singles(l)
	}
	if f, ok := t.(learn.Folder); ok {
		if out, machines, ok, err := f.Folds(ctx, folds, theta, warm); ok || err != nil {
			return out, machines, err
		}
	}
	c := p.Outputs()
	o := mat.NewDense(l, c, nil)
	machines := make([]*learn.Machine, len(folds))
	sens, held := t.(learn.Sensitive)
	one := func(q int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		var start *learn.Machine
		if warm != nil {
			start = warm[q]
		}
		m, err := t.Train(ctx, learn.Others(l, folds[q]), theta, start)
		if err != nil {
			return err
		}
		machines[q] = m
		part := mat.NewDense(len(folds[q]), c, nil)
		if held {
			sens.Outputs(part, m, folds[q])
		} else {
			if err := m.Sparse().Evaluate(ctx, part, g, p.Subset(folds[q])); err != nil {
				return err
			}
		}
		for a, i := range folds[q] {
			o.SetRow(i, part.RawRowView(a))
		}
		return nil
	}
	// A trainer that cannot be differentiated may fill the cores itself.
	err := eachFold(len(folds), held && c == 1, one)
	if err == nil {
		err = ctx.Err() // which ends a training without an error
	}
	if err != nil {
		return nil, nil, err
	}
	return o, machines, nil
}

// inductive trains without the rows of each fold.
func (s *Refit) inductive(ctx context.Context, k kernel.Kernel, theta []float64) (*mat.Dense, error) {
	p := s.Problem
	l := len(p.Labelled)
	folds := s.Folds
	if folds == nil {
		folds = singles(l)
	}
	o := mat.NewDense(l, p.Outputs(), nil)
	for _, fold := range folds {
		rows, place := without(p, fold)
		g, err := k.Bind(ctx, p.Rows.Select(rows), nil)
		if err != nil {
			return nil, err
		}
		kept := learn.Others(l, fold)
		rest := *p
		rest.Rows, rest.Labelled = p.Rows.Select(rows), make([]int, len(kept))
		rest.Y = mat.NewDense(max(len(kept), 1), p.Outputs(), nil)
		rest.Class, rest.Weight = nil, nil
		for q, i := range kept {
			rest.Labelled[q] = place[p.Labelled[i]]
			rest.Y.SetRow(q, p.Y.RawRowView(i))
			if p.Class != nil {
				rest.Class = append(rest.Class, p.Class[i])
			}
			if p.Weight != nil {
				rest.Weight = append(rest.Weight, p.Weight[i])
			}
		}
		t, err := s.Learner.Bind(ctx, g, &rest)
		if err != nil {
			return nil, err
		}
		m, err := t.Train(ctx, nil, theta, nil)
		if err != nil {
			return nil, err
		}
		part := mat.NewDense(len(fold), p.Outputs(), nil)
		if err := m.Predict(ctx, part, g, p.Rows.Select(p.Subset(fold))); err != nil {
			return nil, err
		}
		for a, i := range fold {
			o.SetRow(i, part.RawRowView(a))
		}
	}
	return o, ctx.Err() // which ends a training without an error
}

func singles(l int) [][]int {
	folds := make([][]int, l)
	for i := range folds {
		folds[i] = []int{i}
	}
	return folds
}

// without returns the rows that are not in the fold, and where each row went.
func without(p *learn.Problem, fold []int) (rows, place []int) {
	out := make(map[int]bool, len(fold))
	for _, i := range fold {
		out[p.Labelled[i]] = true
	}
	place = make([]int, p.Rows.Len())
	for i := range place {
		if !out[i] {
			place[i] = len(rows)
			rows = append(rows, i)
		}
	}
	return rows, place
}
