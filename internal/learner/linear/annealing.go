package linear

// Problem   that of package s3vm with the squared hinge, for a linear machine whose offset is penalised.
// Method    the labels of unlabelled rows become probabilities p_j, whose entropy at a temperature T that falls smooths
//           the objective; p (s3vm.Probabilities) and w, with the prices 2 C_u p_j and 2 C_u (1 - p_j) of each row, take
//           turns until neither moves. Kept is the w of the least objective on the way, each row with the label that costs
//           less; at the end the labels are decided in balance. On the way machines are trained to the square root of the
//           tolerance, and the last to it.
// Schedule  T from 10 times the weight of the unlabelled rows, in units of their mean loss, by the factor 1.5, until the
//           mean entropy is below 1e-6.
// Cost      some 40 temperatures of a few turns, each a training from where it was.
// Source    Sindhwani 2007, section 6.4, whose test for the end is not met before the first turn.

import (
	"context"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/learner/s3vm"
)

// Annealing is deterministic annealing. The objective of its certificate is that with the label for each row that costs
// less, the residual that of the probabilities with which the machine was kept.
type Annealing struct {
	Temperature float64 // the one temperature; 0: it falls
	Tolerance   float64 // of least-squares systems and of margins, at least 1e-12; 0: 1e-6
}

var _ s3vm.InColumns = Annealing{}

// InColumns implements s3vm.InColumns.
func (Annealing) InColumns() {}

const (
	hottest, cooling = 10, 1.5
	calm             = 1e-6 // of divergence and entropy, for each row
	mostTurns        = 100
	mostCoolings     = 50
)

// Solve implements s3vm.Solver. An annealing does not begin at a solution: how good its minimum is comes from where it
// begins.
func (s Annealing) Solve(ctx context.Context, p *s3vm.Problem, _ *s3vm.Solution) (s3vm.Solution, error) {
	a := &annealed{transduced: begun(p, s.Tolerance)}
	var err error
	if a.each == 0 {
		if _, err = a.train(ctx, false); err == nil {
			a.keep()
		}
	} else {
		err = a.whole(ctx, s.Temperature)
	}
	if err != nil && (ctx.Err() == nil || a.bestO == nil) {
		return s3vm.Solution{}, err
	}
	says := ""
	if err != nil {
		says = "the annealing was stopped; the machine is the best of those that it came by"
	}
	a.o, a.w = a.bestO, a.bestW
	for j, p := range a.bestP {
		a.believe(j, p)
	}
	return a.solution(a.best, says), nil
}

// annealed is the state of an annealing.
type annealed struct {
	*transduced
	p, last, g []float64 // of the unlabelled rows: probability of +1, the one before, what +1 costs more than -1

	best                float64
	bestW, bestO, bestP []float64
}

// whole is the annealing, the best machine on the way, and its labels decided in balance.
func (a *annealed) whole(ctx context.Context, fixed float64) error {
	exact := a.fine
	a.fine = math.Sqrt(exact)
	if err := a.run(ctx, fixed); err != nil {
		return err
	}
	a.fine, a.best = exact, math.Inf(1) // what is trained better is kept in its place
	a.w, a.o = append(a.w[:0], a.bestW...), append(a.o[:0], a.bestO...)
	copy(a.p, a.bestP)
	if err := a.move(ctx, true); err != nil {
		return err
	}
	return a.harden(ctx)
}

// run lowers the temperature, or stays at one.
func (a *annealed) run(ctx context.Context, fixed float64) error {
	u := a.unlabelled()
	a.p, a.last, a.g = make([]float64, u), make([]float64, u), make([]float64, u)
	for j := range a.p {
		a.p[j] = a.problem.Positive
	}
	if err := a.move(ctx, false); err != nil {
		return err
	}
	for t, k := hottest*a.problem.Unlabelled, 0; k < mostCoolings; t, k = t/cooling, k+1 {
		if fixed > 0 {
			t = fixed * a.problem.Unlabelled
		}
		if err := a.turns(ctx, t); err != nil {
			return err
		}
		if fixed > 0 || s3vm.Entropy(a.p) < calm*float64(u) {
			return nil
		}
	}
	return nil
}

// turns takes turns at one temperature.
func (a *annealed) turns(ctx context.Context, t float64) error {
	for range mostTurns {
		copy(a.last, a.p)
		for j := range a.g {
			o := a.at(a.l + j)
			a.g[j] = a.problem.Unlabelled * (square(max(0, 1-o)) - square(max(0, 1+o)))
		}
		s3vm.Probabilities(a.p, a.g, a.problem.Positive, t)
		if err := a.move(ctx, true); err != nil {
			return err
		}
		if s3vm.Divergence(a.p, a.last) < calm*float64(len(a.p)) {
			return nil
		}
	}
	return nil
}

// harden decides the rows at the best machine, as many +1 as are asked for, and trains, until no label changes.
func (a *annealed) harden(ctx context.Context) error {
	a.w, a.o = append(a.w[:0], a.bestW...), append(a.o[:0], a.bestO...)
	for range mostTurns {
		copy(a.last, a.p)
		clear(a.p)
		for _, i := range a.byOutput()[:a.problem.Count()] {
			a.p[i-a.l] = 1
		}
		if slices.Equal(a.p, a.last) {
			return nil
		}
		if err := a.move(ctx, true); err != nil {
			return err
		}
	}
	return nil
}

// move trains for the present probabilities.
func (a *annealed) move(ctx context.Context, warm bool) error {
	for j, p := range a.p {
		a.believe(j, p)
	}
	if _, err := a.train(ctx, warm); err != nil {
		return err
	}
	a.keep()
	return nil
}

// believe sets the prices of unlabelled row j for the probability p.
func (a *annealed) believe(j int, p float64) {
	r := a.problem.Rows[a.l+j]
	a.up[r], a.down[r] = 2*a.each*p, 2*a.each*(1-p)
}

// keep keeps the present machine if its objective is the least.
func (a *annealed) keep() {
	sum := a.decided()
	if a.bestO != nil && !(sum <= a.best) {
		return
	}
	a.best = sum
	a.bestW = append(a.bestW[:0], a.w...)
	a.bestO = append(a.bestO[:0], a.o...)
	a.bestP = append(a.bestP[:0], a.p...)
}
