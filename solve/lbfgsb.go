package solve

// Problem      minimise f(x), lo <= x <= hi, f smooth, x in R^n.
// Model        m(x) = f_k + g'(x - x_k) + 1/2 (x - x_k)' B (x - x_k),
//              B = theta I - W M W',  W = [Y, theta S] (n x 2m),
//              M^-1 = [-D, L'; L, theta S'S] (2m x 2m),
//              S, Y the last m steps and gradient changes, D = diag(s_i'y_i),
//              L the strictly lower triangle of S'Y.
// Step         Cauchy point of m along P(x_k - t g); minimise m over the
//              variables it leaves free; project; strong-Wolfe line search.
// Cost         O(n m + n log n + m^3) time a step beside f, O(n m) memory.
// Source       Byrd, Lu, Nocedal, Zhu, "A limited memory algorithm for bound
//              constrained optimization", SIAM J. Sci. Comput. 16 (1995),
//              algorithm CP, eqs. 3.2-3.6 and 5.1-5.11; the projection of the
//              subspace minimiser is Morales and Nocedal, ACM TOMS 38 (2011).

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
)

// LBFGSBOptions tunes LBFGSB. Negative tolerances switch a test off.
type LBFGSBOptions struct {
	MaxEvaluations int     // of f; default 1000
	Memory         int     // pairs kept; default 10
	Gradient       float64 // stop: largest |projected gradient|; default 1e-5
	Step           float64 // stop: largest |x_k+1 - x_k|; default 1e-6
	// Decrease stops where the last step gained at most this share of |f| and the model
	// promises no more of the next; default 1e-9. One short step alone proves nothing: in a
	// curved valley the model may only be old.
	Decrease float64
	// Noise returns how far the value that f gave last may be off; nil: by rounding only. The
	// method stops where the model promises less, and no line search goes into it.
	Noise func() float64
}

// LBFGSB minimises f from x in the box lo..hi (infinite bounds are allowed) by
// limited-memory BFGS steps. It never evaluates f outside the box, backs away
// from points where f is +Inf or NaN, and counts a value with its gradient as
// one evaluation. A start outside the box is clipped into it. The error is f's
// or the context's; the result is valid beside it.
func LBFGSB(ctx context.Context, f Func, x, lo, hi []float64, o LBFGSBOptions) (Result, error) {
	mustBox(x, lo, hi)
	n := len(x)
	b := &boxBFGS{
		lo: lo, hi: hi, m: orLimit(o.Memory, 10), theta: 1,
		x: append([]float64(nil), x...), g: make([]float64, n),
		xc: make([]float64, n), d: make([]float64, n), r: make([]float64, n), t: make([]float64, n), order: make([]int, 0, n),
	}
	b.alloc()
	clip(b.x, lo, hi)
	gradTol, decTol, stepTol := orDefault(o.Gradient, 1e-5), orDefault(o.Decrease, 1e-9), orDefault(o.Step, 1e-6)

	ev := newCounted(ctx, f, b.x, lo, hi, o.MaxEvaluations)
	ev.noiseOf = o.Noise
	res := Result{}
	finish := func(s Status, err error) (Result, error) {
		res.X, res.F, res.Gradient, res.Evaluations, res.Status = ev.bestX, ev.best, ev.bestKKT, ev.n, s
		return res, err
	}
	fx, err := ev.at(b.x, b.g)
	noise := ev.noise // of fx
	switch {
	case err != nil:
		return finish(Unfinished, err)
	case math.IsInf(fx, 1):
		return finish(Infeasible, nil)
	}
	xn, gn := make([]float64, n), make([]float64, n)
	line := lineSearch{f: ev, x: make([]float64, n), g: make([]float64, n)}
	gain := math.Inf(1) // of the last step
	for {
		if math.IsInf(fx, -1) {
			return finish(Unbounded, nil)
		}
		if kkt(b.x, b.g, lo, hi) <= gradTol {
			return finish(GradientSmall, nil)
		}
		if ev.left == 0 {
			return finish(BudgetSpent, nil)
		}
		ok := b.direction()
		if !ok { // the compact matrix is singular to working precision
			b.reset()
			b.direction()
		}
		fresh := b.k == 0
		slope, longest := floats.Dot(b.g, b.d), b.longest()
		if !fresh { // without curvature the length of the direction promises nothing
			if s := Gained(gain, -slope/2, noise, decTol*math.Abs(fx)); s != Unfinished {
				return finish(s, nil)
			}
		}
		first := 1.0
		if fresh { // no curvature known: begin with a step of length one
			first = min(1/floats.Norm(b.d, 2), longest)
		}
		fn := math.Inf(1)
		if slope < 0 {
			if fn, err = line.run(b.x, fx, noise, b.g, b.d, slope, first, longest, lo, hi, xn, gn); err != nil {
				return finish(Unfinished, err)
			}
		}
		if !(fn < fx) { // the line search found no decrease
			switch {
			case ev.left == 0:
				return finish(BudgetSpent, nil)
			case fresh:
				return finish(NoProgress, nil)
			}
			b.reset()
			gain = math.Inf(1)
			continue
		}
		res.Iterations++
		step := floats.Distance(xn, b.x, math.Inf(1))
		gain = fx - fn
		b.update(xn, gn)
		fx, noise = fn, line.noise
		// The length of a first step comes from no curvature, so that its gain
		// and its size prove nothing.
		if fresh {
			gain = math.Inf(1)
		} else if step < stepTol && kkt(b.x, b.g, lo, hi) > gradTol {
			return finish(StepSmall, nil)
		}
	}
}

// Gained is the stop of a quasi-Newton method by what its last step gained and its model
// promises of the next, against the noise of f and a small part of it; Unfinished: go on.
func Gained(last, promise, noise, small float64) Status {
	switch {
	case promise <= noise:
		return NoiseReached
	case last <= small && promise <= small:
		return DecreaseSmall
	}
	return Unfinished
}

// counted evaluates f within the budget and remembers the best point.
type counted struct {
	ctx     context.Context
	f       Func
	n, left int
	best    float64
	bestX   []float64
	bestKKT float64
	lo, hi  []float64
	noiseOf func() float64 // nil: rounding only
	noise   float64        // of the last value
}

// rounding is the relative error that any function may have: a few operations.
const rounding = 0x1p-50

func newCounted(ctx context.Context, f Func, x, lo, hi []float64, limit int) *counted {
	return &counted{ctx: ctx, f: f, left: orLimit(limit, 1000), best: math.Inf(1), bestX: append([]float64(nil), x...), bestKKT: math.Inf(1), lo: lo, hi: hi}
}

func (c *counted) at(x, g []float64) (float64, error) {
	if err := c.ctx.Err(); err != nil {
		return math.Inf(1), err
	}
	c.n++
	c.left--
	v, err := c.f(c.ctx, x, g)
	if err != nil {
		return math.Inf(1), err
	}
	v = finite(v)
	c.noise = rounding * math.Abs(v)
	if c.noiseOf != nil {
		c.noise = max(c.noise, c.noiseOf())
	}
	if !math.IsInf(v, 0) && floats.HasNaN(g) {
		v = math.Inf(1)
	}
	if v < c.best {
		c.best, c.bestKKT = v, kkt(x, g, c.lo, c.hi)
		copy(c.bestX, x)
	}
	return v, nil
}
