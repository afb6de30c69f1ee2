package solve

// Problem      minimise f over lo <= x <= hi, f smooth, by the signs of its gradient
// Method       every variable has a step D of its own, which grows by 1.2 while its
//              derivative keeps its sign and shrinks by half when that changes:
//              x <- P(x - sign(g) D). No line search; f may rise; the best point counts.
//              At a bound that the gradient pushes against D does not grow.
// Cost         one value and gradient a step
// Source       Riedmiller and Braun, "A direct adaptive method for faster backpropagation
//              learning: the RPROP algorithm", ICNN 1993, in the variant without
//              back-tracking; Klatzer 2014, section 4.3, which does not give the first
//              step (0.1, after Riedmiller and Braun).

import (
	"context"
	"math"
)

// RPROPOptions tunes RPROP. A negative tolerance switches its test off.
type RPROPOptions struct {
	MaxEvaluations int     // of f; default 1000
	First          float64 // first step of every variable; default 0.1
	Least, Most    float64 // bounds of a step; default 1e-6 and 50
	Step           float64 // stop: largest |x_k+1 - x_k|; default 1e-5
	Gradient       float64 // stop: largest |projected gradient|; default 1e-5
}

const (
	rpropGrow   = 1.2
	rpropShrink = 0.5
)

// RPROP minimises f from x in the box lo..hi. A point where f does not exist halves all
// steps and is left for the one before. The error is f's or the context's; the result is
// valid beside it.
func RPROP(ctx context.Context, f Func, x, lo, hi []float64, o RPROPOptions) (Result, error) {
	mustBox(x, lo, hi)
	n := len(x)
	least, most := orDefault(o.Least, 1e-6), orDefault(o.Most, 50)
	tol, flat := orDefault(o.Step, 1e-5), orDefault(o.Gradient, 1e-5)
	x = append([]float64(nil), x...)
	clip(x, lo, hi)
	ev := newCounted(ctx, f, x, lo, hi, o.MaxEvaluations)
	res := Result{}
	finish := func(s Status, err error) (Result, error) {
		res.X, res.F, res.Gradient, res.Evaluations, res.Status = ev.bestX, ev.best, ev.bestKKT, ev.n, s
		return res, err
	}
	g, last, step, back := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range step {
		step[i] = orDefault(o.First, 0.1)
	}
	fx, err := ev.at(x, g)
	switch {
	case err != nil:
		return finish(Unfinished, err)
	case math.IsInf(fx, 1):
		return finish(Infeasible, nil)
	}
	for {
		switch {
		case math.IsInf(fx, -1):
			return finish(Unbounded, nil)
		case kkt(x, g, lo, hi) <= flat:
			return finish(GradientSmall, nil)
		case ev.left == 0:
			return finish(BudgetSpent, nil)
		}
		copy(back, x)
		var moved float64
		for i := range x {
			switch s := g[i] * last[i]; {
			case s < 0:
				step[i] = max(step[i]*rpropShrink, least)
			case s > 0 && !(g[i] > 0 && x[i] <= lo[i]) && !(g[i] < 0 && x[i] >= hi[i]):
				step[i] = min(step[i]*rpropGrow, most)
			}
			if g[i] != 0 {
				x[i] = min(max(x[i]-math.Copysign(step[i], g[i]), lo[i]), hi[i])
			}
			moved = max(moved, math.Abs(x[i]-back[i]))
		}
		if moved < tol {
			return finish(StepSmall, nil)
		}
		copy(last, g)
		if fx, err = ev.at(x, g); err != nil {
			return finish(Unfinished, err)
		}
		if math.IsInf(fx, 1) {
			// The gradient there is not known: go back, with smaller steps.
			copy(x, back)
			copy(g, last)
			clear(last)
			fx = ev.best
			for i := range step {
				step[i] = max(step[i]*rpropShrink, least)
			}
		}
		res.Iterations++
	}
}
