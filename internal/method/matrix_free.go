package method

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/learner/primal"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
)

// conjugate is the word of --set solver= for a machine with a graph trained over all rows by
// conjugate gradients, which keeps no n x n table.
const conjugate = "cg"

// solverOf is the setting of the solver with the words of a method.
func solverOf(words []string) setting.Setting {
	return setting.Setting{
		Name:    "solver",
		Words:   words,
		Default: "exact",
		About:   solvers(words),
	}
}

// solvers says what the words of the setting are.
func solvers(words []string) string {
	var list []string
	if slices.Contains(words, "cg") {
		list = append(list, "cg: conjugate gradients over all rows, without n x n tables, for one machine (--tune none)")
	}
	if slices.Contains(words, "gradient") {
		list = append(list, "of smooth losses, to compare with and slow: gradient descent with a constant step (gradient, --kernel "+
			"linear), the "+
			"literature's accelerated gradient steps (fista, fista-restart)")
	} else if slices.Contains(words, "fista") {
		list = append(list, "of smooth losses, to compare with and slow: the literature's accelerated gradient steps (fista, "+
			"fista-restart)")
	}
	return strings.Join(list, "; ")
}

// gramBytes is what conjugate gradients may keep of the Gram matrix: its lower triangle
// in single precision up to 32 000 rows; beyond, panels are computed anew at every step.
const gramBytes = 2 << 30

// primalLoss is the loss that conjugate gradients train with: the one asked for, or
// the machine's last smooth one.
func (k machine) primalLoss(v setting.Values) string {
	if name := v.Word(loss_); name != "" {
		return name
	}
	smooth := slices.Clone(k.losses)
	slices.Reverse(smooth) // squared-hinge before huber-hinge: the published machine
	for _, name := range smooth {
		if smoothLoss(name) {
			return name
		}
	}
	return "square"
}

// matrixFree trains the machine by conjugate gradients with the values set, or those
// of --tune none.
func (k machine) matrixFree(ctx context.Context, t *task.Task) (*choose.Candidates, error) {
	p := t.Problem
	if p.Weight != nil {
		return nil, task.Usage("--weight with --set solver=cg: it weighs all rows alike; leave one of them out")
	}
	s, g := k.literature(t, k.strengths(t), t.Graph())
	lambda := s.lambda
	if s.lambdaOf != nil {
		lambda = s.lambdaOf(s.ratio)
	}
	recipe := manifold.Graph{Recipe: g}
	machine, product, norm, err := k.primal(ctx, t, recipe, lambda, s.ratio)
	if err != nil {
		return nil, err
	}
	res, err := machine.CG(ctx, product, norm, p.Labelled, p.Y, primal.Options{Tolerance: t.Recipe.Tolerance})
	interrupted := err != nil && ctx.Err() != nil && res != nil
	if err != nil && !interrupted {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%s: %w", t.Input.Set.Source, err)
	}
	m := &choose.Machine{
		Kernel: manifold.Warp{Base: t.Base, Norm: recipe, Ratio: s.ratio},
		Lambda: lambda, Outputs: res.F, Expansions: []kernel.Expansion{res.Expansion(t.Base, p.Rows)},
	}
	if learner := k.learner(t); learner != nil {
		m.Theta = learner.Space(1, p.Spread()).Defaults()
	}
	if machine.Bias {
		m.B = res.B
	}
	unit := float64(t.Labelled()) // the objective in the terms of the machine with tables
	if !k.closed() {
		unit = score.Strength(t.Terms().Weight(lambda))
	}
	for q := range res.Status {
		m.Join(
			learn.Certificate{
				Objective: unit * res.Objective[q],
				Residual:  res.Gradient[q],
				Gap:       res.Gap[q] / max(res.Objective[q], 0x1p-1022),
				Steps:     res.Iterations[q],
			},
		)
		if res.Status[q] == primal.Limited {
			m.Limited = "conjugate gradients " + res.Status[q].String() + "; the machine is not exact"
		}
	}
	candidates := choose.Alone(m)
	candidates.Tuning.Score = t.Scoring.Name
	if interrupted {
		candidates.Tuning.Status = string(search.Ended(ctx))
	}
	return candidates, nil
}

// primal is the problem over all rows, and the products that it is solved by.
func (k machine) primal(
	ctx context.Context,
	t *task.Task,
	g manifold.Graph,
	lambda, ratio float64,
) (m primal.Machine, product primal.Product, norm graph.Operator, err error) {
	v, err := learn.ParseLoss(k.primalLoss(t.Values))
	if err != nil {
		return m, nil, nil, err
	}
	if tube, ok := v.(learn.Tubed); ok {
		v = tube.WithTube(learn.Tube(t.Values.Number(epsilon), t.Problem.Spread()).Default)
	}
	gram, err := t.Base.Bind(ctx, t.Problem.Rows, nil)
	if err != nil {
		return m, nil, nil, err
	}
	if norm, err = g.Bind(ctx, t.Problem.Rows, new(kernel.Work)); err != nil {
		return m, nil, nil, err
	}
	product, err = primal.NewProduct(ctx, gram, gramBytes)
	gammaA := t.Terms().Weight(lambda)
	return primal.Machine{Loss: v, Ambient: gammaA, Intrinsic: gammaA * ratio, Bias: t.Offset}, product, norm, err
}
