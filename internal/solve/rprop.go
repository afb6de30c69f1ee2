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
	"cmp"
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
	vector := func() []float64 { return make([]float64, len(x)) }
	p := &rprop{
		lo: lo, hi: hi, least: cmp.Or(o.Least, 1e-6), most: cmp.Or(o.Most, 50),
		x: append([]float64(nil), x...), g: vector(), last: vector(), back: vector(), step: vector(),
	}
	clip(p.x, lo, hi)
	for i := range p.step {
		p.step[i] = cmp.Or(o.First, 0.1)
	}
	p.ev = newCounted(ctx, f, p.x, lo, hi, o.MaxEvaluations)
	status, err := p.run(cmp.Or(o.Step, 1e-5), cmp.Or(o.Gradient, 1e-5))
	return p.ev.result(status, p.iterations), err
}

// rprop is the state of RPROP.
type rprop struct {
	ev          *counted
	lo, hi      []float64
	least, most float64
	x, g        []float64
	back, last  []float64 // the point before and its gradient, zero where x was gone back to
	step        []float64
	iterations  int
}

func (p *rprop) run(tol, flat float64) (Status, error) {
	fx, err := p.ev.at(p.x, p.g)
	switch {
	case err != nil:
		return Unfinished, err
	case math.IsInf(fx, 1):
		return Infeasible, nil
	}
	for {
		if s := p.ev.arrived(p.x, p.g, fx, flat); s != Unfinished {
			return s, nil
		}
		if p.move() < tol {
			return StepSmall, nil
		}
		copy(p.last, p.g)
		if fx, err = p.ev.at(p.x, p.g); err != nil {
			return Unfinished, err
		}
		if math.IsInf(fx, 1) {
			p.retreat()
			fx = p.ev.best
		}
		p.iterations++
	}
}

// move adapts the steps, makes them and returns the longest.
func (p *rprop) move() float64 {
	copy(p.back, p.x)
	var moved float64
	for i, g := range p.g {
		switch s := g * p.last[i]; {
		case s < 0:
			p.step[i] = max(p.step[i]*rpropShrink, p.least)
		case s > 0 && !(g > 0 && p.x[i] <= p.lo[i]) && !(g < 0 && p.x[i] >= p.hi[i]):
			p.step[i] = min(p.step[i]*rpropGrow, p.most)
		}
		if g != 0 {
			p.x[i] = min(max(p.x[i]-math.Copysign(p.step[i], g), p.lo[i]), p.hi[i])
		}
		moved = max(moved, math.Abs(p.x[i]-p.back[i]))
	}
	return moved
}

// retreat goes back with smaller steps from where f, and so the gradient, does not exist.
func (p *rprop) retreat() {
	copy(p.x, p.back)
	copy(p.g, p.last)
	clear(p.last)
	for i := range p.step {
		p.step[i] = max(p.step[i]*rpropShrink, p.least)
	}
}
