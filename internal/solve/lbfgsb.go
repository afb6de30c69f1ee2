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
//              subspace minimiser is Morales and Nocedal, ACM TOMS 38 (2011). Without
//              any bound: lbfgsb_free.go.

import (
	"cmp"
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
	l := newBoxDescent(ctx, f, x, lo, hi, o)
	status, err := l.run()
	return l.ev.result(status, l.iterations), err
}

// boxDescent is what LBFGSB keeps beside its model.
type boxDescent struct {
	*boxBFGS
	ev                            *counted
	line                          lineSearch
	fx, noise                     float64 // at x
	gain                          float64 // of the last step; +Inf: none that proves anything
	xn, gn                        []float64
	iterations                    int
	gradTol, decreaseTol, stepTol float64
}

func newBoxDescent(ctx context.Context, f Func, x, lo, hi []float64, o LBFGSBOptions) *boxDescent {
	vector := func() []float64 { return make([]float64, len(x)) }
	b := &boxBFGS{
		lo: lo, hi: hi, m: orLimit(o.Memory, 10), theta: 1,
		x: append([]float64(nil), x...), g: vector(),
		xc: vector(), d: vector(), r: vector(), t: vector(), order: make([]int, 0, len(x)),
	}
	b.alloc()
	b.free = b.unbounded()
	clip(b.x, lo, hi)
	ev := newCounted(ctx, f, b.x, lo, hi, o.MaxEvaluations)
	ev.noiseOf = o.Noise
	return &boxDescent{
		boxBFGS: b, ev: ev, line: lineSearch{f: ev, x: vector(), g: vector()}, gain: math.Inf(1), xn: vector(), gn: vector(),
		gradTol: cmp.Or(o.Gradient, 1e-5), decreaseTol: cmp.Or(o.Decrease, 1e-9), stepTol: cmp.Or(o.Step, 1e-6),
	}
}

func (l *boxDescent) run() (Status, error) {
	fx, err := l.ev.at(l.x, l.g)
	switch {
	case err != nil:
		return Unfinished, err
	case math.IsInf(fx, 1):
		return Infeasible, nil
	}
	l.fx, l.noise = fx, l.ev.noise
	for {
		if s := l.ev.arrived(l.x, l.g, l.fx, l.gradTol); s != Unfinished {
			return s, nil
		}
		if ok := l.direction(); !ok { // the compact matrix is singular to working precision
			l.reset()
			l.direction()
		}
		fresh, slope := l.k == 0, floats.Dot(l.g, l.d)
		if !fresh { // without curvature the length of the direction promises nothing
			if s := Gained(l.gain, -slope/2, l.noise, l.decreaseTol*math.Abs(l.fx)); s != Unfinished {
				return s, nil
			}
		}
		fn, err := l.search(slope, fresh)
		if err != nil {
			return Unfinished, err
		}
		if fn < l.fx {
			if s := l.step(fn, fresh); s != Unfinished {
				return s, nil
			}
			continue
		}
		switch { // the line search found no decrease
		case l.ev.left == 0:
			return BudgetSpent, nil
		case fresh:
			return NoProgress, nil
		}
		l.reset()
		l.gain = math.Inf(1)
	}
}

// search is the line search along d: it leaves a lower point in xn, gn; +Inf where d does
// not descend.
func (l *boxDescent) search(slope float64, fresh bool) (float64, error) {
	if !(slope < 0) {
		return math.Inf(1), nil
	}
	first, longest := 1.0, l.longest()
	if fresh { // no curvature known: begin with a step of length one
		first = min(1/floats.Norm(l.d, 2), longest)
	}
	from := ray{x: l.x, d: l.d, lo: l.lo, hi: l.hi, f: l.fx, noise: l.noise, slope: slope}
	return l.line.run(from, first, longest, l.xn, l.gn)
}

// step goes to xn. It is StepSmall where that ends the iteration.
func (l *boxDescent) step(fn float64, fresh bool) Status {
	l.iterations++
	step := floats.Distance(l.xn, l.x, math.Inf(1))
	l.gain = l.fx - fn
	l.update(l.xn, l.gn)
	l.fx, l.noise = fn, l.line.noise
	// The length of a first step comes from no curvature, so that its gain
	// and its size prove nothing.
	if fresh {
		l.gain = math.Inf(1)
		return Unfinished
	}
	// A model that knows the stiffest direction alone takes short steps along soft ones: they end nothing while they gain.
	small := step < l.stepTol && (l.decreaseTol < 0 || l.gain <= l.decreaseTol*math.Abs(l.fx))
	if small && kkt(l.x, l.g, l.lo, l.hi) > l.gradTol {
		return StepSmall
	}
	return Unfinished
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

// steepest are slopes of which the squares of a few are still numbers.
const steepest = 0x1p400

// rounding is the relative error that any function may have: a few operations.
const rounding = 0x1p-50

func newCounted(ctx context.Context, f Func, x, lo, hi []float64, limit int) *counted {
	return &counted{
		ctx:     ctx,
		f:       f,
		left:    orLimit(limit, 1000),
		best:    math.Inf(1),
		bestX:   append([]float64(nil), x...),
		bestKKT: math.Inf(1),
		lo:      lo,
		hi:      hi,
	}
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
	if v = finite(v); !math.IsInf(v, 0) && floats.HasNaN(g) {
		v = math.Inf(1)
	}
	for i := range g { // as of a root at zero: an infinite slope has no direction in which a step of zero length is known
		g[i] = min(max(g[i], -steepest), steepest)
	}
	c.noise = 0 // of a point where f does not exist, so that a line search backs off from it
	if !math.IsInf(v, 0) {
		c.noise = rounding * math.Abs(v)
		if c.noiseOf != nil {
			c.noise = max(c.noise, c.noiseOf())
		}
	}
	if v < c.best {
		c.best, c.bestKKT = v, kkt(x, g, c.lo, c.hi)
		copy(c.bestX, x)
	}
	return v, nil
}

// arrived says why a descent ends at x with the value fx, or Unfinished.
func (c *counted) arrived(x, g []float64, fx, gradient float64) Status {
	switch {
	case math.IsInf(fx, -1):
		return Unbounded
	case kkt(x, g, c.lo, c.hi) <= gradient:
		return GradientSmall
	case c.left == 0:
		return BudgetSpent
	}
	return Unfinished
}

// result is the answer: the best point.
func (c *counted) result(s Status, iterations int) Result {
	return Result{X: c.bestX, F: c.best, Gradient: c.bestKKT, Evaluations: c.n, Iterations: iterations, Status: s}
}
