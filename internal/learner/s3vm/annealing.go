package s3vm

// Problem   that of the package. The labels of unlabelled rows become probabilities, and their entropy,
//           at a temperature T that falls, smooths the objective:
//
//             J_T(f, p) = 1/2 ||f||^2 + sum_L C_i V(y_i f_i) + C_u sum_U (p_j V(f_j) + (1 - p_j) V(-f_j))
//                         + T (h C l/u) sum_U (p_j log p_j + (1 - p_j) log(1 - p_j)),   mean p = r
//
// Symbols   r the share of +1, rounded to so many rows; h = 2 of the squares, 1 of the hinge. With it T is
//           that of the source, whose entropy is averaged as its losses are, C l = 1/lambda of the hinge and
//           1/(2 lambda) of squares, which it halves.
// Method    At each temperature the minimum over f for p (fstep) and the minimum over p for f (pstep.go)
//           take turns until p changes no more; both lower J_T. T falls from 10 by the factor 1.5 until p
//           is settled. Of all functions on the way the one with the best objective at T = 0 is kept, and
//           from it labels and function take turns at T = 0 until the labels stay: each turn lowers the
//           objective, so this ends. With a fixed temperature there are one such loop and no labels at
//           the end.
// Cost      some 150 f-steps and as many p-steps.
// Source    Sindhwani 2007, sections 3.4 and 3.5 and table 3.3. Ours: loops that nest, as the table's do
//           not; p is compared after a turn, for before the first it is itself (both as the text
//           means); thresholds for each row, as in section 6.4.3, not for their sum; the end at T = 0;
//           the kept function is that of the best balanced objective, because the objective without the
//           balance may be less where the balance is not kept.

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/learn"
)

// Annealing is deterministic annealing. The objective of its certificate is that at T = 0, with the labels
// that are kept in balance, and the residual that of the function for these labels: the machine is a
// minimum among its neighbours, and nothing is known of others.
type Annealing struct {
	Loss        learn.Loss // loss.Square, loss.Hinge or loss.SquaredHinge; nil: the last
	Temperature float64    // the one temperature; 0: it falls
	// Tolerance at which the last f-step stops: of squares the relative gradient, default 1e-8; of
	// the hinge LIBSVM's, default 1e-3.
	Tolerance float64
}

var _ Solver = Annealing{}

// The schedule of the source.
const (
	hottest = 10.0
	cooling = 1.5
	settled = 1e-6 // of divergence and entropy, for each row
	coldest = 1e-7
	// mostTurns are taken at one temperature, and of labels at the end. Near the temperature at
	// which the labels part a turn changes little: of 550 rows (g50c, C = 1000) 129 are needed there.
	mostTurns = 300
	// lessened is what remains at most of the gradient that an f-step begins with: p moves before more is
	// worth its time.
	lessened = 0.1
)

// Solve implements Solver. An annealing does not begin at a solution: how good its minimum is comes from
// where it begins.
func (s Annealing) Solve(ctx context.Context, p *Problem, _ *Solution) (Solution, error) {
	a, err := begun(ctx, s, p)
	if err != nil {
		return Solution{}, err
	}
	defer a.step.end()
	switch {
	case len(a.p) == 0:
		err = a.settle(ctx)
	case s.Temperature > 0:
		err = a.fixed(ctx, s.Temperature)
	default:
		err = a.run(ctx)
	}
	if err != nil && (ctx.Err() == nil || !a.known) {
		return Solution{}, err
	}
	return a.solution(), nil
}

// begun is an annealing before its first step.
func begun(ctx context.Context, s Annealing, p *Problem) (*annealed, error) {
	if s.Loss == nil {
		s.Loss = learn.SquaredHinge()
	}
	sys := newSystem(p)
	step, err := newStep(ctx, sys, p.Labelled(), s.Loss)
	if err != nil {
		return nil, err
	}
	n, u := len(sys.rows), len(sys.rows)-p.Labelled()
	a := &annealed{
		system: sys, step: step, problem: p, loss: s.Loss, at: newFunction(n), best: newFunction(n),
		y: make([]float64, n), labels: make([]float64, n), bestY: make([]float64, n),
		p: make([]float64, u), g: make([]float64, u), last: make([]float64, u),
	}
	a.rough, a.fine, a.final = step.tolerances()
	a.final = cmp.Or(s.Tolerance, a.final)
	copy(a.y, p.Y)
	return a, nil
}

// newStep is the f-step of a loss.
func newStep(ctx context.Context, s *system, labelled int, v learn.Loss) (fstep, error) {
	switch v {
	case learn.Square():
		r, err := newRidge(ctx, s)
		return square{r}, err
	case learn.SquaredHinge():
		r, err := newRidge(ctx, s)
		if err != nil {
			return nil, err
		}
		return newSquaredHinge(r), nil
	case learn.Hinge():
		return newHinge(s, labelled), nil
	}
	panic("s3vm: no annealing with the loss " + v.Name())
}

// annealed is the state of an annealing.
type annealed struct {
	*system
	step        fstep
	problem     *Problem
	loss        learn.Loss
	rough, fine float64 // tolerances of f-steps: at first, and where that is not enough
	final       float64 // and of the last
	at          *function
	y           []float64 // of each row: its label, or the mean 2p - 1 of its labels
	p, g, last  []float64 // of the unlabelled rows: probability, cost of +1, probability before
	labels      []float64 // in which the function at hand costs least

	known     bool      // there is a best function
	best      *function // of the least objective
	bestY     []float64 // the labels, or means, that it was kept with
	objective float64   // of best
	steps     int
	limited   string
}

// settle minimises over the function for the labels y and keeps it with these.
func (a *annealed) settle(ctx context.Context) error {
	err := a.minimise(ctx, a.y, a.final, 0)
	if err == nil {
		a.keep(a.y, a.value(a.loss, a.at, a.y))
	}
	return err
}

func (a *annealed) minimise(ctx context.Context, y []float64, tolerance, share float64) error {
	steps, err := a.step.minimise(ctx, a.at, y, tolerance, share)
	a.steps += steps
	return err
}

func (a *annealed) keep(y []float64, objective float64) {
	a.best.set(a.at)
	copy(a.bestY, y)
	a.known, a.objective = true, objective
}

// start makes all probabilities the share.
func (a *annealed) start() (share float64) {
	share = float64(a.problem.Count()) / float64(len(a.p))
	for j := range a.p {
		a.p[j] = share
		a.y[a.problem.Labelled()+j] = 2*share - 1
	}
	return share
}

// fixed makes the function of one temperature.
func (a *annealed) fixed(ctx context.Context, temperature float64) error {
	_, err := a.turns(ctx, a.start(), temperature)
	if err == nil {
		err = a.minimise(ctx, a.y, a.final, 0)
	}
	if err != nil {
		a.limited = "annealing was stopped; the machine is the best until then"
		return err
	}
	a.problem.decided(a.labels, a.at.f)
	a.keep(a.y, a.value(a.loss, a.at, a.labels))
	return nil
}

// run lowers the temperature.
func (a *annealed) run(ctx context.Context) error {
	share := a.start()
	for t := hottest; t >= coldest; t /= cooling {
		s, err := a.turns(ctx, share, t)
		if err != nil {
			a.limited = fmt.Sprintf("annealing was stopped at the temperature %.2g; the machine is the best until then", t)
			return err
		}
		if s < settled*float64(len(a.p)) {
			break
		}
	}
	if err := a.quench(ctx); err != nil {
		a.limited = "annealing was stopped at its end; the machine is the best until then"
		return err
	}
	return nil
}

// turns takes turns at one temperature, and returns the entropy at the end. Where J_T does not fall the
// f-step has been too rough, and is made fine.
func (a *annealed) turns(ctx context.Context, share, temperature float64) (float64, error) {
	tolerance, lowest := a.rough, math.Inf(1)
	for range mostTurns {
		v, err := a.turn(ctx, share, temperature, tolerance)
		if err != nil {
			return 0, err
		}
		switch {
		case v >= lowest && tolerance > a.fine:
			tolerance = max(tolerance/10, a.fine)
		case v >= lowest || Divergence(a.p, a.last) < settled*float64(len(a.p)):
			return Entropy(a.p), nil
		}
		lowest = v
	}
	return Entropy(a.p), nil
}

// turn is an f-step and a p-step, and returns J_T.
func (a *annealed) turn(ctx context.Context, share, temperature, tolerance float64) (float64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if err := a.minimise(ctx, a.y, tolerance, lessened); err != nil {
		return 0, err
	}
	a.problem.decided(a.labels, a.at.f)
	if v := a.value(a.loss, a.at, a.labels); !a.known || v < a.objective {
		a.keep(a.labels, v)
	}
	l, weight := a.problem.Labelled(), a.problem.Unlabelled*halved(a.loss)
	for j := range a.g {
		f := a.at.f[l+j]
		a.g[j] = weight * (a.loss.Value(1, f) - a.loss.Value(-1, f))
	}
	copy(a.last, a.p)
	Probabilities(a.p, a.g, share, temperature)
	for j, p := range a.p {
		a.y[l+j] = 2*p - 1
	}
	return a.annealed(temperature), nil
}

// annealed is J_T of the function and the probabilities at hand.
func (a *annealed) annealed(temperature float64) float64 {
	unit := a.problem.C * float64(a.problem.Labelled()) / float64(len(a.p)) / halved(a.loss)
	return a.value(a.loss, a.at, a.y) - temperature*unit*Entropy(a.p)
}

// quench takes turns of labels and function at T = 0 from the best function.
func (a *annealed) quench(ctx context.Context) error {
	a.at.set(a.best)
	for q := range mostTurns {
		a.problem.decided(a.labels, a.at.f)
		if q > 0 && slices.Equal(a.labels, a.y) {
			break
		}
		copy(a.y, a.labels)
		if err := a.minimise(ctx, a.y, a.final, 0); err != nil {
			return err
		}
		v := a.value(a.loss, a.at, a.y)
		if q > 0 && v >= a.objective {
			break
		}
		a.keep(a.y, v)
	}
	return nil
}

// solution is the best function, on all rows.
func (a *annealed) solution() Solution {
	n := len(a.problem.Rows)
	s := Solution{Alpha: make([]float64, n), Offset: a.best.b, Fitted: a.best.f, Certificate: learn.Certificate{
		Objective: a.objective, Residual: a.step.residual(a.best, a.bestY), Steps: a.steps, Limited: a.limited,
	}}
	copy(s.Alpha, a.best.alpha)
	if limit := a.step.limited(); s.Certificate.Limited == "" && limit != "" {
		s.Certificate.Limited = limit + "; the machine is not exact"
	}
	if len(a.rows) < n { // rows that cost nothing have outputs too
		all := *a.system
		all.rows = a.problem.Rows
		whole := &function{alpha: s.Alpha, f: make([]float64, n), b: a.best.b}
		all.outputs(whole)
		s.Fitted = whole.f
	}
	return s
}
