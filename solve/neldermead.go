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
	n := len(x)
	size := orDefault(o.Size, 0.25)
	diameter, spread := orDefault(o.Diameter, 1e-4), orDefault(o.Spread, 1e-6)
	budget := orLimit(o.MaxEvaluations, 1000)
	res := Result{F: math.Inf(1), Gradient: math.NaN()}
	seen := make([]float64, n)
	eval := func(p *vertex) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		copy(seen, p.x)
		if o.Round != nil {
			o.Round(seen)
		}
		res.Evaluations++
		v, err := f(ctx, seen, nil)
		if err != nil {
			return err
		}
		p.f = finite(v)
		if res.X == nil || p.f < res.F {
			res.F = p.f
			res.X = append(res.X[:0], seen...)
		}
		return nil
	}
	stop := func(s Status, err error) (Result, error) {
		if res.X == nil {
			res.X = append([]float64(nil), x...)
		}
		res.Status = s
		return res, err
	}

	s := make([]vertex, n+1)
	s[0].x = append([]float64(nil), x...)
	clip(s[0].x, lo, hi)
	if err := eval(&s[0]); err != nil {
		return stop(Unfinished, err)
	}
	// surround puts the other points around s[0].
	surround := func() error {
		for i := 1; i <= n && res.Evaluations < budget; i++ {
			k := i - 1
			step := size * (hi[k] - lo[k])
			if s[0].x[k]+step > hi[k] {
				step = -step
			}
			s[i].x = append(s[i].x[:0], s[0].x...)
			s[i].x[k] += step
			clip(s[i].x, lo, hi)
			if err := eval(&s[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if err := surround(); err != nil {
		return stop(Unfinished, err)
	}
	if s[n].x == nil {
		return stop(BudgetSpent, nil)
	}
	centre := make([]float64, n)
	reflected, second := vertex{x: make([]float64, n)}, vertex{x: make([]float64, n)}
	clipped, last := false, math.Inf(1) // in this run; minimum of the run before
	// try evaluates centre + a (centre - worst).
	try := func(p *vertex, a float64) error {
		for k := range centre {
			p.x[k] = centre[k] + a*(centre[k]-s[n].x[k])
			clipped = clipped || p.x[k] < lo[k] || p.x[k] > hi[k]
		}
		clip(p.x, lo, hi)
		return eval(p)
	}
	for {
		sort.SliceStable(s, func(i, j int) bool { return s[i].f < s[j].f })
		switch {
		case math.IsInf(s[0].f, -1):
			return stop(Unbounded, nil)
		case width(s) < diameter && (s[n].f-s[0].f < spread || math.IsInf(s[0].f, 1)):
			if math.IsInf(s[0].f, 1) {
				return stop(Infeasible, nil)
			}
			if !clipped || last-s[0].f < spread {
				return stop(StepSmall, nil)
			}
			clipped, last = false, s[0].f
			if err := surround(); err != nil {
				return stop(Unfinished, err)
			}
			continue
		case res.Evaluations >= budget:
			return stop(BudgetSpent, nil)
		}
		res.Iterations++
		for k := range centre {
			centre[k] = 0
			for i := range n {
				centre[k] += s[i].x[k] / float64(n)
			}
		}
		if err := try(&reflected, 1); err != nil {
			return stop(Unfinished, err)
		}
		if reflected.f < s[0].f || reflected.f >= s[max(n-1, 0)].f {
			if res.Evaluations == budget {
				continue
			}
			a := 2.0 // expand
			switch {
			case reflected.f >= s[n].f:
				a = -0.5 // contract inside
			case reflected.f >= s[0].f:
				a = 0.5 // contract outside
			}
			if err := try(&second, a); err != nil {
				return stop(Unfinished, err)
			}
			if a < 2 && second.f >= min(reflected.f, s[n].f) && !(a > 0 && second.f <= reflected.f) {
				if err := shrink(s, &res, budget, eval); err != nil {
					return stop(Unfinished, err)
				}
				continue
			}
			if second.f <= reflected.f {
				reflected, second = second, reflected
			}
		}
		s[n], reflected = reflected, s[n]
	}
}

type vertex struct {
	x []float64
	f float64
}

// shrink moves every point halfway to the best one.
func shrink(s []vertex, res *Result, budget int, eval func(*vertex) error) error {
	for i := 1; i < len(s) && res.Evaluations < budget; i++ {
		for k := range s[i].x {
			s[i].x[k] = s[0].x[k] + (s[i].x[k]-s[0].x[k])/2
		}
		if err := eval(&s[i]); err != nil {
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
