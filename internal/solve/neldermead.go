package solve

// Problem   minimise f(x), lo <= x <= hi, without derivatives.
// Method    a simplex of n+1 points; the worst is reflected (1), expanded (2) or
//           contracted (1/2) through the centroid of the rest, else all shrink
//           (1/2) towards the best. Trial points are clipped to the box; since
//           that can flatten the simplex on a face, a run that clipped begins
//           again around its best point until that gains nothing.
// Cost      O(n^2) memory; O(n log n + n) time a step beside f.
// Source    Nelder and Mead, "A simplex method for function minimization",
//           Computer Journal 7 (1965); order of the tests as Lagarias et al.,
//           SIAM J. Optim. 9 (1998). The restarts are ours.

import (
	"cmp"
	"context"
	"math"
	"sort"
)

// NelderMeadOptions tunes NelderMead. Negative tolerances switch a test off.
type NelderMeadOptions struct {
	MaxEvaluations int               // of f; default 1000
	Size           float64           // first simplex: start + Size (hi - lo) e_i; default 0.25
	Diameter       float64           // stop: largest distance to the best point, with Spread; default 1e-4
	Spread         float64           // stop: worst value less best value, with Diameter; default 1e-6
	Round          func(x []float64) // rounds x in place before f sees it; nil for none
}

// NelderMead minimises f from x in the finite box lo..hi; f is called with a
// nil gradient. A corner of the first simplex that would leave the box goes the
// other way. +Inf and NaN rank last. Round, for whole-numbered variables, is
// applied to a copy: the simplex itself stays continuous so that it can shrink;
// X is the rounded point.
func NelderMead(ctx context.Context, f Func, x, lo, hi []float64, o NelderMeadOptions) (Result, error) {
	mustBox(x, lo, hi)
	s := newSimplex(f, x, lo, hi, o)
	status, err := s.run(ctx)
	if s.res.X == nil {
		s.res.X = append([]float64(nil), x...)
	}
	s.res.Status = status
	return s.res, err
}

type vertex struct {
	x []float64
	f float64
}

// simplex is the state of NelderMead.
type simplex struct {
	f                      Func
	lo, hi                 []float64
	round                  func(x []float64)
	size, diameter, spread float64
	budget                 int

	v                 []vertex // n+1, sorted by their values before a step
	seen, centre      []float64
	reflected, second vertex  // trial points
	clipped           bool    // a trial point of this run was
	last              float64 // minimum of the run before
	res               Result
}

func newSimplex(f Func, x, lo, hi []float64, o NelderMeadOptions) *simplex {
	n := len(x)
	s := &simplex{
		f: f, lo: lo, hi: hi, round: o.Round,
		size: cmp.Or(
			o.Size,
			0.25,
		), diameter: cmp.Or(o.Diameter, 1e-4), spread: cmp.Or(o.Spread, 1e-6), budget: orLimit(o.MaxEvaluations, 1000),
		v: make([]vertex, n+1), seen: make([]float64, n), centre: make([]float64, n),
		reflected: vertex{x: make([]float64, n)}, second: vertex{x: make([]float64, n)},
		last: math.Inf(1), res: Result{F: math.Inf(1), Gradient: math.NaN()},
	}
	s.v[0].x = append([]float64(nil), x...)
	clip(s.v[0].x, lo, hi)
	return s
}

func (s *simplex) run(ctx context.Context) (Status, error) {
	if err := s.eval(ctx, &s.v[0]); err != nil {
		return Unfinished, err
	}
	if err := s.surround(ctx); err != nil {
		return Unfinished, err
	}
	n := len(s.centre)
	if s.v[n].x == nil {
		return BudgetSpent, nil
	}
	for {
		sort.SliceStable(s.v, func(i, j int) bool { return s.v[i].f < s.v[j].f })
		best := s.v[0].f
		var err error
		switch {
		case math.IsInf(best, -1):
			return Unbounded, nil
		case width(s.v) < s.diameter && (s.v[n].f-best < s.spread || math.IsInf(best, 1)):
			if math.IsInf(best, 1) {
				return Infeasible, nil
			}
			if !s.clipped || s.last-best < s.spread {
				return StepSmall, nil
			}
			s.clipped, s.last = false, best
			err = s.surround(ctx)
		case s.res.Evaluations >= s.budget:
			return BudgetSpent, nil
		default:
			err = s.step(ctx)
		}
		if err != nil {
			return Unfinished, err
		}
	}
}

// eval sets the value of p.
func (s *simplex) eval(ctx context.Context, p *vertex) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	copy(s.seen, p.x)
	if s.round != nil {
		s.round(s.seen)
	}
	s.res.Evaluations++
	v, err := s.f(ctx, s.seen, nil)
	if err != nil {
		return err
	}
	p.f = finite(v)
	if s.res.X == nil || p.f < s.res.F {
		s.res.F = p.f
		s.res.X = append(s.res.X[:0], s.seen...)
	}
	return nil
}

// surround puts the other points around the first.
func (s *simplex) surround(ctx context.Context) error {
	for k := range s.centre {
		if s.res.Evaluations >= s.budget {
			return nil
		}
		step := s.size * (s.hi[k] - s.lo[k])
		if s.v[0].x[k]+step > s.hi[k] {
			step = -step
		}
		p := &s.v[k+1]
		p.x = append(p.x[:0], s.v[0].x...)
		p.x[k] += step
		clip(p.x, s.lo, s.hi)
		if err := s.eval(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// step replaces the worst point or shrinks the simplex, as far as the budget goes.
func (s *simplex) step(ctx context.Context) error {
	s.res.Iterations++
	s.centroid()
	if err := s.try(ctx, &s.reflected, 1); err != nil {
		return err
	}
	n := len(s.centre)
	best, next, worst := s.v[0].f, s.v[max(n-1, 0)].f, s.v[n].f
	if s.reflected.f < best || s.reflected.f >= next {
		if s.res.Evaluations == s.budget {
			return nil
		}
		a := 2.0 // expand
		switch {
		case s.reflected.f >= worst:
			a = -0.5 // contract inside
		case s.reflected.f >= best:
			a = 0.5 // contract outside
		}
		if err := s.try(ctx, &s.second, a); err != nil {
			return err
		}
		if a < 2 && s.second.f >= min(s.reflected.f, worst) && !(a > 0 && s.second.f <= s.reflected.f) {
			return s.shrink(ctx)
		}
		if s.second.f <= s.reflected.f {
			s.reflected, s.second = s.second, s.reflected
		}
	}
	s.v[n], s.reflected = s.reflected, s.v[n]
	return nil
}

// centroid is that of all points but the worst.
func (s *simplex) centroid() {
	n := len(s.centre)
	for k := range s.centre {
		s.centre[k] = 0
		for i := range n {
			s.centre[k] += s.v[i].x[k] / float64(n)
		}
	}
}

// try evaluates centre + a (centre - worst).
func (s *simplex) try(ctx context.Context, p *vertex, a float64) error {
	worst := s.v[len(s.centre)].x
	for k, c := range s.centre {
		p.x[k] = c + a*(c-worst[k])
		s.clipped = s.clipped || p.x[k] < s.lo[k] || p.x[k] > s.hi[k]
	}
	clip(p.x, s.lo, s.hi)
	return s.eval(ctx, p)
}

// shrink moves every point halfway to the best one.
func (s *simplex) shrink(ctx context.Context) error {
	for i := 1; i < len(s.v) && s.res.Evaluations < s.budget; i++ {
		p := &s.v[i]
		for k, best := range s.v[0].x {
			p.x[k] = best + (p.x[k]-best)/2
		}
		if err := s.eval(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// width is the largest distance to the best point.
func width(s []vertex) float64 {
	w := 0.0
	for _, p := range s[1:] {
		d := 0.0
		for k := range p.x {
			d = math.Hypot(d, p.x[k]-s[0].x[k])
		}
		w = max(w, d)
	}
	return w
}
