package smooth

// Problem   minimise F(x) = f(x) + g(x), f convex with a Lipschitz gradient, g with a
//           proximal map in closed form.
// Method    accelerated proximal gradient steps with backtracking: with y_1 = x_0, tau_1 = 1,
//
//	p = prox_{g,1/M}(y_k - f'(y_k)/M),  M = zeta^i M_{k-1} with the smallest i >= 0 such that
//	f(p) <= f(y_k) + <f'(y_k), p - y_k> + M/2 ||p - y_k||^2                            (*)
//	x_k = p,  tau_{k+1} = (1 + sqrt(1 + 4 tau_k^2))/2
//	y_{k+1} = x_k + (tau_k - 1)/tau_{k+1} (x_k - x_{k-1})
//
//           Restart: tau = 1 and y = x_k whenever <y_k - p, p - x_{k-1}> > 0, the momentum
//           pointing uphill.
// Stop      at the prox-gradient mapping, M ||p - y_k||_inf <= Tolerance, in the source's
//           scale: of E = P/C, c = 1/C, whose losses have weight one. The source leaves open what
//           its precision of 1e-12 or 1e-4 measures.
// Rate      F(x_k) - F* <= 2 zeta L ||x_0 - x*||^2/(k + 1)^2; M never exceeds zeta L or M_0.
//           On Iris, stop 1e-8 (TestFISTAIris): 243 to 617 steps, 52 to 125 with restart, where
//           Newton takes 6 to 8; without centred features tens of thousands.
// Cost      a step: one product with the transpose, one with the matrix a trial of M. Outputs
//           are linear in x, so those of y_k are at hand.
// Source    Klatzer 2014, section 4.1, with M_0 = 1 and zeta = 2, which it leaves open; Beck and
//           Teboulle, SIAM J. Imaging Sci. 2 (2009); restart: O'Donoghue and Candes, Found.
//           Comput. Math. 15 (2015), eq. 12.

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
)

// fistaOptions tunes fista and fistaLinear. The zero value is the default.
type fistaOptions struct {
	// Tolerance on the prox-gradient mapping of P/C; default 1e-8.
	Tolerance float64
	// MaxSteps limits the steps; default 8000, the larger of the source's two limits.
	MaxSteps int
	// Restart drops the momentum where it points uphill: some five times fewer steps.
	Restart bool
	// First is M_0 in the scale of P/C, Growth zeta; defaults 1 and 2.
	First, Growth float64
}

func (o fistaOptions) withDefaults() fistaOptions {
	o.Tolerance = options{Tolerance: o.Tolerance}.tolerance()
	if o.MaxSteps <= 0 {
		o.MaxSteps = 8000
	}
	if !(o.First > 0) {
		o.First = 1
	}
	if !(o.Growth > 1) {
		o.Growth = 2
	}
	return o
}

// composite is a form of the training problem as sum_i c_i V(y_i, (A x)_i) + q(x) + g(x)
// with the quadratic q in the smooth part.
type composite interface {
	outputs(dst, x []float64)           // A x
	gradient(dst, x, v []float64)       // A'v + q'(x)
	quadratic(dx, df []float64) float64 // q(dx), df = A dx
	prox(dst []float64, m float64)      // of g, in place, step 1/m
}

// accelerated is the state of FISTA.
type accelerated struct {
	*terms
	composite
	o         fistaOptions
	m, tau    float64
	x, p, y   []float64 // x_{k-1}, x_k, y_k
	fx, fp    []float64 // their outputs
	fy        []float64
	grad, d   []float64
	df, vy    []float64
	restarted int
}

// newAccelerated starts at x, which it keeps.
func newAccelerated(t *terms, c composite, x []float64, scale float64, o fistaOptions) *accelerated {
	n, d := len(t.y), len(x)
	a := &accelerated{terms: t, composite: c, o: o, m: o.First * scale, tau: 1,
		x: x, p: make([]float64, d), y: append([]float64(nil), x...), grad: make([]float64, d), d: make([]float64, d),
		fx: make([]float64, n), fp: make([]float64, n), fy: make([]float64, n), df: make([]float64, n), vy: make([]float64, n)}
	a.outputs(a.fx, x)
	copy(a.fy, a.fx)
	return a
}

// step makes p of y and returns the size of the prox-gradient mapping there, +Inf if no
// M is large enough: something is not finite.
func (a *accelerated) step() float64 {
	a.eval(a.fy)
	for i, f := range a.fy {
		a.vy[i] = 0
		if a.c[i] > 0 {
			a.vy[i] = a.c[i] * a.loss.Value(a.terms.y[i], f)
		}
	}
	a.gradient(a.grad, a.y, a.g)
	for {
		copy(a.p, a.y)
		floats.AddScaled(a.p, -1/a.m, a.grad)
		a.prox(a.p, a.m)
		floats.SubTo(a.d, a.p, a.y)
		a.outputs(a.fp, a.p)
		floats.SubTo(a.df, a.fp, a.fy)
		if size := maxAbs(a.d); size <= rounded*maxAbs(a.y) || a.excess() <= a.m/2*floats.Dot(a.d, a.d) {
			return a.m * size
		}
		if a.m *= a.o.Growth; math.IsInf(a.m, 1) {
			return a.m
		}
	}
}

const (
	// rounded is the relative change of the point up to which that of the outputs is mostly
	// rounding: some 1000 units of it.
	rounded = 2e-13
	// cancelled is the share of its terms below which the difference of (*) has lost half its
	// digits.
	cancelled = 1e-8
)

// excess is f(p) - f(y) - <f'(y), p - y>, row by row, so that what cancels is small. Where
// rounding has eaten a row's it is half the change of the derivative times that of the
// output, exact to the third order: else near the minimum M would grow for ever.
func (a *accelerated) excess() float64 {
	s := a.quadratic(a.d, a.df)
	for i, c := range a.c {
		if c == 0 {
			continue
		}
		t := a.df[i]
		vp, linear := c*a.loss.Value(a.terms.y[i], a.fp[i]), a.g[i]*t
		e := vp - a.vy[i] - linear
		if math.Abs(e) <= cancelled*(vp+a.vy[i]+math.Abs(linear)) {
			d1, _ := a.loss.Derivatives(a.terms.y[i], a.fp[i])
			e = (c*d1 - a.g[i]) * t / 2
		}
		s += e
	}
	return s
}

// advance makes p the point and y the next one to step from.
func (a *accelerated) advance() {
	if a.o.Restart {
		var uphill float64
		for i, p := range a.p {
			uphill -= a.d[i] * (p - a.x[i])
		}
		if uphill > 0 {
			a.tau = 1
			a.restarted++
			copy(a.x, a.p)
			copy(a.y, a.p)
			copy(a.fx, a.fp)
			copy(a.fy, a.fp)
			return
		}
	}
	next := (1 + math.Sqrt(1+4*a.tau*a.tau)) / 2
	momentum := (a.tau - 1) / next
	a.tau = next
	extrapolate(a.y, a.x, a.p, momentum)
	extrapolate(a.fy, a.fx, a.fp, momentum)
}

// extrapolate sets y = p + momentum (p - x), then x = p.
func extrapolate(y, x, p []float64, momentum float64) {
	for i, v := range p {
		y[i] = v + momentum*(v-x[i])
		x[i] = v
	}
}

// run steps until the mapping is small in the given scale or a limit is reached; x is
// then the last point.
func (a *accelerated) run(ctx context.Context, scale float64) (status status, steps int, err error) {
	for {
		switch {
		case steps >= a.o.MaxSteps:
			return budgetSpent, steps, nil
		case ctx.Err() != nil:
			return unfinished, steps, ctx.Err()
		}
		mapping := a.step()
		steps++
		if math.IsInf(mapping, 1) {
			return noProgress, steps, nil
		}
		a.advance()
		if mapping <= scale*a.o.Tolerance {
			return gradientSmall, steps, nil
		}
	}
}
