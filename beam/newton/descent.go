package newton

// Problem   that of the package for one output and one C, of which one point is evaluated in every pass over the shards.
// Method    Newton's method. With d = C V'' and D = sum d, m = sum d x/D and tau = D, or D + 1 of a penalised offset, b is eliminated
//           in centred form (learn/smooth/linear_newton.go):
//
//	[I + sum d (x - m)(x - m)' + (D - D^2/tau) m m'] p = -(gw - (D/tau) gb m),   q = -(gb + D m'p)/tau
//
//           The full step is tried first. It is taken where it halves the smallest gradient so far or lowers the objective by
//           1e-4 of what the slope promises; else the next pass has the step at the least of the cubic of both values and
//           slopes, between 0.1 and 0.5 of it. Sums of the point that is taken make the next step at once, so that a pass is a
//           Newton step wherever the full one will do.
// Cost      2 d^3/3 flops a step here.
// Source    Nocedal and Wright, Numerical Optimization, 2006, sections 3.1 and 3.5 (eq. 3.59).

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
)

const (
	// enough is the share of the promised descent that a step must have, and shortest and longest bound the next one where it has not.
	enough            = 1e-4
	shortest, longest = 0.1, 0.5
	// stalls steps that gain less than stallGain of the objective end the descent: rounding has the last word.
	stalls    = 3
	stallGain = 1e-14
	// mostSteps is where a machine is left as it is; ten are usual.
	mostSteps = 200
)

// descent is the state of one output with one C.
type descent struct {
	c         float64
	offset    smooth.Offset
	tolerance float64

	at    Point // of the least objective so far
	sums  *Sums // there
	value float64
	best  float64 // the smallest gradient so far

	dir   Point // the way of Newton's method, and the objective's slope along it
	slope float64
	step  float64
	try   Point // at + step dir: the next to be evaluated

	steps, stalled int
	done           bool
	limited        bool
}

// begin is the descent from a point of known sums.
func begin(at Point, sums *Sums, c float64, offset smooth.Offset, tolerance float64) (*descent, error) {
	s := &descent{c: c, offset: offset, tolerance: tolerance, best: math.Inf(1), try: at, value: math.Inf(1)}
	return s, s.take(sums)
}

// objective is that of the problem.
func (s *descent) objective(p Point, sums *Sums) float64 {
	v := floats.Dot(p.W, p.W)/2 + s.c*(sums.Value[0]+sums.Value[1])
	if s.offset == smooth.Augmented {
		v += p.B * p.B / 2
	}
	return v
}

// gradient is that of the objective, and its size relative to the terms that cancel in it, as smooth.LinearSolution.Gradient.
func (s *descent) gradient(p Point, sums *Sums) (w []float64, b, relative float64) {
	w = make([]float64, len(p.W))
	for k := range sums.Grad {
		floats.AddScaled(w, s.c, sums.Grad[k])
	}
	size := max(floats.Norm(p.W, 2), floats.Norm(w, 2))
	floats.Add(w, p.W)
	if g := floats.Norm(w, 2); g > 0 {
		relative = g / size
	}
	if s.offset == smooth.None {
		return w, 0, relative
	}
	b = s.c * (sums.Slope[0] + sums.Slope[1])
	if s.offset == smooth.Augmented {
		b += p.B
	}
	if g := math.Abs(b); g > 0 {
		relative = max(relative, g/max(s.c*(math.Abs(sums.Slope[0])+math.Abs(sums.Slope[1])), math.Abs(p.B)))
	}
	return w, b, relative
}

// take learns the sums at the point that was tried, and says in done or in try what is next.
func (s *descent) take(sums *Sums) error {
	value := s.objective(s.try, sums)
	gw, gb, relative := s.gradient(s.try, sums)
	if s.sums != nil {
		s.steps++
		ok := relative <= max(s.best/2, s.tolerance) || value <= s.value+enough*s.step*s.slope
		gain := s.value - value
		if gain <= stallGain*math.Abs(s.value) && relative > s.best/2 && gain >= -stallGain*math.Abs(s.value) {
			s.stalled++
		} else if ok {
			s.stalled = 0
		}
		if !ok {
			s.shorten(value, floats.Dot(gw, s.dir.W)+gb*s.dir.B)
			return nil
		}
	}
	s.at, s.sums, s.value, s.best = s.try, sums, value, min(s.best, relative)
	if !(value-value == 0) {
		return fmt.Errorf("the loss of %d columns is not finite at C=%g; choose a smaller C, or --scale standard", len(gw), s.c)
	}
	if s.stop(relative <= s.tolerance) {
		return nil
	}
	h, err := s.factor()
	if err != nil {
		return err
	}
	s.dir = h.solve(gw, gb)
	s.slope, s.step = floats.Dot(gw, s.dir.W)+gb*s.dir.B, 1
	s.aim()
	return nil
}

// stop says whether the descent is at its end.
func (s *descent) stop(small bool) bool {
	s.limited = !small && s.steps >= mostSteps
	s.done = small || s.limited || s.stalled >= stalls
	return s.done
}

// shorten makes the step that is tried next, after one with this value and slope at its end.
func (s *descent) shorten(value, slope float64) {
	t := s.step
	d1 := s.slope + slope - 3*(value-s.value)/t
	d2 := math.Sqrt(max(0, d1*d1-s.slope*slope))
	next := t - t*(slope+d2-d1)/(slope-s.slope+2*d2)
	if !(next >= shortest*t) {
		next = shortest * t
	}
	if s.step = min(next, longest*t); !(value-value == 0) {
		s.step = shortest * t
	}
	if !s.stop(false) {
		s.aim()
	}
}

// aim makes the point at the end of the step.
func (s *descent) aim() {
	s.try = Point{Output: s.at.Output, W: make([]float64, len(s.at.W)), B: s.at.B + s.step*s.dir.B}
	floats.AddScaledTo(s.try.W, s.at.W, s.step, s.dir.W)
}

// gap bounds the objective less the minimum by the dual point a = -C V', relative to the objective (learn/smooth/certificate.go). Of a free
// offset the larger side of a is scaled down by r to make sum a = 0, by which the dual loses at most (1 - r) C sum V of that side,
// because V* is convex and not above 0 at 0.
func (s *descent) gap() float64 {
	r, slack := [2]float64{1, 1}, 0.0
	if s.offset == smooth.Free {
		a, b := math.Abs(s.sums.Slope[0]), math.Abs(s.sums.Slope[1])
		k := 0
		if b > a {
			a, b, k = b, a, 1
		}
		if a > 0 {
			r[k] = b / a
		}
		slack = (1 - r[k]) * s.c * s.sums.Value[k]
	}
	e := append([]float64(nil), s.at.W...) // w - X'a
	for k, g := range s.sums.Grad {
		floats.AddScaled(e, r[k]*s.c, g)
	}
	v := floats.Dot(e, e)/2 + slack
	if s.offset == smooth.Augmented {
		b := s.at.B + s.c*(s.sums.Slope[0]+s.sums.Slope[1])
		v += b * b / 2
	}
	return v / max(math.Abs(s.value), 0x1p-1022)
}

// certificate says how exactly the machine solves its problem.
func (s *descent) certificate() learn.Certificate {
	_, _, relative := s.gradient(s.at, s.sums)
	c := learn.Certificate{Objective: s.value, Residual: relative, Gap: s.gap(), Steps: s.steps}
	if s.limited {
		c.Limited = fmt.Sprintf("Newton's method stopped at its limit of %d passes; the machine is not exact", s.steps)
	}
	return c
}

// hessian is the factored one, with the offset eliminated.
type hessian struct {
	chol      *blas.Cholesky
	factor    *mat.Dense
	mean      []float64
	sumD, tau float64 // D and tau
}

// factor makes that of the present point.
func (s *descent) factor() (*hessian, error) {
	d := len(s.at.W)
	h := &hessian{factor: mat.NewDense(d, d, nil), mean: s.sums.Mean, chol: &blas.Cholesky{}}
	weight := s.c * s.sums.Weight
	stays := weight // the share of m m' that the elimination leaves
	switch s.offset {
	case smooth.Free:
		h.sumD, h.tau, stays = weight, weight, 0
	case smooth.Augmented:
		h.sumD, h.tau, stays = weight, weight+1, weight/(weight+1)
	}
	at := 0
	for j, m := range s.sums.Mean {
		row := h.factor.RawRowView(j)[:j+1]
		floats.AddScaled(row, s.c, s.sums.Scatter[at:at+j+1])
		floats.AddScaled(row, stays*m, s.sums.Mean[:j+1])
		row[j]++
		at += j + 1
	}
	if err := h.chol.Factor(h.factor); err != nil {
		return nil, fmt.Errorf("the Hessian of %d features is not finite at C=%g; choose a smaller C, or --scale standard: %w", d, s.c, err)
	}
	return h, nil
}

// solve is the step for a gradient, downwards.
func (h *hessian) solve(gw []float64, gb float64) Point {
	p := Point{W: make([]float64, len(gw))}
	floats.AddScaled(p.W, -1, gw)
	if h.tau > 0 {
		floats.AddScaled(p.W, h.sumD*gb/h.tau, h.mean)
	}
	h.chol.SolveTo(mat.NewDense(len(p.W), 1, p.W))
	if h.tau > 0 {
		p.B = -(gb + h.sumD*floats.Dot(h.mean, p.W)) / h.tau
	}
	return p
}

// leave is what leaving rows out takes: L^-1 of the Hessian L L', by rows of its lower triangle, h/tau and 1/tau.
func (h *hessian) leave() (inverse, centre []float64, prior float64) {
	d := len(h.mean)
	l := mat.NewDense(d, d, nil)
	for j := range d {
		l.Set(j, j, 1)
	}
	h.chol.SolveL(l)
	inverse = make([]float64, 0, d*(d+1)/2)
	for j := range d {
		inverse = append(inverse, l.RawRowView(j)[:j+1]...)
	}
	if h.tau > 0 {
		centre, prior = make([]float64, d), 1/h.tau
		floats.AddScaled(centre, h.sumD/h.tau, h.mean)
	}
	return inverse, centre, prior
}
