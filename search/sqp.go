package search

// Problem      minimise F(x), lo <= x <= hi, weights x_k >= 0 with a sum a group.
// Step         d = argmin h'd + 1/2 d'B d over the polytope (quadratic.go), h = dF/dx;
//              all constraints are linear, so that x + t d is feasible for t in [0, 1]
//              and F is its own merit function: t = 1, 1/2, 1/4, ... until
//              F(x + t d) <= F(x) + 1e-4 t h'd, at most 20 halvings.
// Curvature    s = x+ - x, y = h+ - h; if s'y < 0.2 s'B s, y <- phi y + (1 - phi) B s,
//              phi = 0.8 s'B s/(s'B s - s'y); B <- B - B s s'B/s'B s + y y'/s'y.
//              B = I s'y/s's before the first update.
// Stop         max |P(x - h) - x| <= 1e-5, P the projection on the polytope: the plain
//              gradient of the source's algorithm 1 need not vanish at a bound. Or where the
//              model promises less than the noise of F, or last step and promise are small.
// Cost         an evaluation a trial; O(n^3) a step beside it, O(n^2) memory.
// Source       Becker 2013, section 4.2, algorithm 1 and 4.3.1 (SQP with box limits and
//              sum(mu) = 1; its stopping rule corrected); Powell 1978 (the damping);
//              Nocedal & Wright, Numerical Optimization, 2nd ed., procedure 18.2.
// Departure    The first step, of no known curvature, is at most of length one.

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/solve"
	"github.com/mercer-ml/mercer/search/param"
)

// sqpMost bounds the free dimensions of a search by SQP: a face of the quadratic program costs n^3/3
// flops, 2.7 million for 200, and a step may visit as many faces as dimensions.
const sqpMost = 200

// coordinates are those of a search by gradients.
type coordinates interface {
	FromSearch(z []float64) []float64
	ToSearch(theta []float64) []float64
	Gradient(theta, grad []float64) []float64
}

// simplices are the search coordinates with weights as they are.
type simplices struct {
	*param.Transform
	weights []int // coordinates that are weights
	polytope
}

func newSimplices(s param.Space, t *param.Transform) (*simplices, error) {
	if n := t.Len(); n > sqpMost {
		return nil, fmt.Errorf(
			"sqp: %d free hyper-parameters; its dense quadratic model takes at most %d: fix some, or search by gradient",
			n,
			sqpMost,
		)
	}
	c := &simplices{Transform: t}
	c.lo, c.hi = t.Bounds()
	c.group = make([]int, t.Len())
	even := t.FromSearch(t.Midpoint())
	number := map[int]int{}
	for k := range c.group {
		c.group[k] = -1
		d := s[t.Dim(k)]
		if d.Kind != param.Simplex {
			continue
		}
		c.weights = append(c.weights, k)
		c.lo[k], c.hi[k] = 0, math.Inf(1)
		if !(even[t.Dim(k)] > 0) { // fixed weights leave nothing
			c.hi[k] = 0
			continue
		}
		j, ok := number[d.Group]
		if !ok {
			j = len(c.mass)
			number[d.Group] = j
			c.mass = append(c.mass, 1)
			for _, e := range s { // what the fixed weights leave
				if e.Kind == param.Simplex && e.Group == d.Group && e.Fixed {
					c.mass[j] -= e.Default
				}
			}
		}
		c.group[k] = j
	}
	return c, nil
}

// FromSearch returns the theta of x.
func (c *simplices) FromSearch(x []float64) []float64 {
	theta := c.Transform.FromSearch(x)
	for _, k := range c.weights {
		theta[c.Dim(k)] = x[k]
	}
	return theta
}

// ToSearch returns the x of theta.
func (c *simplices) ToSearch(theta []float64) []float64 {
	x := c.Transform.ToSearch(theta)
	for _, k := range c.weights {
		x[k] = theta[c.Dim(k)]
	}
	c.project(x)
	return x
}

// Gradient returns dF/dx.
func (c *simplices) Gradient(theta, grad []float64) []float64 {
	g := c.Transform.Gradient(theta, grad)
	for _, k := range c.weights {
		g[k] = grad[c.Dim(k)]
	}
	return g
}

// sqp minimises f from x in the polytope. It is solve.Infeasible if f is at the start; the
// error is f's, which has the best point, the budget and the context (Driver).
func (c *simplices) sqp(ctx context.Context, score *smoothly, x []float64, decrease float64) (solve.Status, error) {
	const gradient, shortest = 1e-5, 1e-6
	if decrease == 0 {
		decrease = 1e-9
	}
	if len(x) == 0 { // all parameters are fixed: there is one point
		_, err := score.eval(ctx, x, nil)
		return solve.GradientSmall, err
	}
	q := newQuadratics(c, score, x)
	fx, err := score.eval(ctx, q.x, q.g)
	if err != nil {
		return solve.Unfinished, err
	}
	if !usable(fx, q.g) {
		return solve.Infeasible, nil
	}
	q.fx, q.noise = fx, score.noise
	for {
		if math.IsInf(q.fx, -1) {
			return solve.Unbounded, nil
		}
		if c.residual(q.x, q.g) <= gradient {
			return solve.GradientSmall, nil
		}
		slope := q.direction()
		if !q.fresh && !(slope < 0) { // the model is singular to working precision
			q.reset()
			slope = q.direction()
		}
		if !q.fresh { // of no known curvature nothing is promised
			if s := solve.Gained(q.gain, -slope/2, q.noise, decrease*math.Abs(q.fx)); s != solve.Unfinished {
				return s, nil
			}
		}
		fn, err := q.search(ctx, slope)
		if err != nil {
			return solve.Unfinished, err
		}
		if fn < q.fx {
			first := q.fresh
			step := q.step(fn)
			// A model that knows the stiffest direction alone takes short steps along soft ones: they end nothing while they gain.
			if small := step < shortest && q.gain <= decrease*math.Abs(q.fx); !first && small && c.residual(q.x, q.g) > gradient {
				return solve.StepSmall, nil
			}
			continue
		}
		if q.fresh {
			return solve.NoProgress, nil
		}
		q.reset()
	}
}

// quadratics is the state of sqp.
type quadratics struct {
	*simplices
	score     *smoothly
	x, g      []float64
	fx, noise float64 // at x
	gain      float64 // of the last step; +Inf: none that proves anything
	b         *mat.SymDense
	fresh     bool // B is the identity
	u, d      []float64
	xn, gn    []float64
}

func newQuadratics(c *simplices, score *smoothly, x []float64) *quadratics {
	n := len(x)
	q := &quadratics{simplices: c, score: score, x: x}
	for _, v := range []*[]float64{&q.g, &q.u, &q.d, &q.xn, &q.gn} {
		*v = make([]float64, n)
	}
	q.reset()
	return q
}

// reset forgets the curvature.
func (q *quadratics) reset() { q.b, q.fresh, q.gain = identity(len(q.x)), true, math.Inf(1) }

// direction sets u, the minimiser of the model, and d = u - x, and returns h'd; 0 if the model
// broke down.
func (q *quadratics) direction() float64 {
	if !q.minimise(q.u, q.x, q.g, q.b) {
		return 0
	}
	floats.SubTo(q.d, q.u, q.x)
	return floats.Dot(q.g, q.d)
}

// search halves the step to u until F falls enough, and leaves that point in xn, gn; +Inf if
// none does.
func (q *quadratics) search(ctx context.Context, slope float64) (float64, error) {
	const halvings = 20
	t := 1.0
	if q.fresh {
		t = min(1, 1/floats.Norm(q.d, 2))
	}
	for half := 0; half <= halvings && -slope*t > q.noise; half, t = half+1, t/2 {
		q.between(q.xn, q.x, q.u, t)
		fn, err := q.score.eval(ctx, q.xn, q.gn)
		if err != nil {
			return math.Inf(1), err
		}
		if usable(fn, q.gn) && fn <= q.fx+1e-4*t*slope {
			return fn, nil
		}
	}
	return math.Inf(1), nil
}

// step goes to xn and returns how far that is.
func (q *quadratics) step(fn float64) float64 {
	length := floats.Distance(q.xn, q.x, math.Inf(1))
	q.gain = q.fx - fn
	if q.fresh { // the length of a first step comes from no curvature: its gain and size prove nothing
		q.gain = math.Inf(1)
	}
	q.update(q.b, q.x, q.xn, q.g, q.gn, q.fresh)
	q.fresh = false
	q.fx, q.noise = fn, q.score.noise
	q.x, q.xn, q.g, q.gn = q.xn, q.x, q.gn, q.g
	return length
}

// usable says whether a line search may end at a value and its gradient.
func usable(f float64, g []float64) bool {
	return math.IsInf(f, -1) || !math.IsNaN(f) && !math.IsInf(f, 1) && !floats.HasNaN(g)
}

func identity(n int) *mat.SymDense {
	b := mat.NewSymDense(n, nil)
	for k := range n {
		b.SetSym(k, k, 1)
	}
	return b
}

// residual is max |P(x - h) - x|.
func (c *simplices) residual(x, h []float64) float64 {
	v := make([]float64, len(x))
	floats.SubTo(v, x, h)
	c.project(v)
	return floats.Distance(v, x, math.Inf(1))
}

// between stores x + t (u - x), u itself for t = 1. What the groups' sums lost to
// rounding is made up for, so that it does not add up over the steps.
func (c *simplices) between(dst, x, u []float64, t float64) {
	copy(dst, u)
	if t < 1 {
		for k := range dst {
			dst[k] = min(max(x[k]+t*(u[k]-x[k]), c.lo[k]), c.hi[k])
		}
	}
	for j, m := range c.mass {
		sum := 0.0
		for k, v := range dst {
			if c.group[k] == j {
				sum += v
			}
		}
		for k := range dst {
			if c.group[k] == j {
				dst[k] = dst[k] * m / sum // m itself for a lone one
			}
		}
	}
}

// update takes the step from x to xn into B. Steps keep the groups' sums, so that
// the level of the gradient in a group is of no account: its mean is taken out of y, lest
// it spoil the condition of B.
func (c *simplices) update(b *mat.SymDense, x, xn, g, gn []float64, fresh bool) {
	n := len(x)
	s, y := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	floats.SubTo(s.RawVector().Data, xn, x)
	floats.SubTo(y.RawVector().Data, gn, g)
	for j := range c.mass {
		mean, count := 0.0, 0.0
		for k := range n {
			if c.group[k] == j {
				mean += y.AtVec(k)
				count++
			}
		}
		for k := range n {
			if c.group[k] == j {
				y.SetVec(k, y.AtVec(k)-mean/count)
			}
		}
	}
	sy, ss := mat.Dot(s, y), mat.Dot(s, s)
	if fresh && sy > 0 {
		for k := range n {
			b.SetSym(k, k, sy/ss)
		}
	}
	var bs mat.VecDense
	bs.MulVec(b, s)
	sbs := mat.Dot(s, &bs)
	if sy < 0.2*sbs {
		phi := 0.8 * sbs / (sbs - sy)
		y.ScaleVec(phi, y)
		y.AddScaledVec(y, 1-phi, &bs)
		sy = mat.Dot(s, y)
	}
	if !(sbs > 0) || !(sy > 0) { // a step too small to square
		return
	}
	b.SymRankOne(b, -1/sbs, &bs)
	b.SymRankOne(b, 1/sy, y)
}
