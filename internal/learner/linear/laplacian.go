package linear

// Problem   minimise over w and, of a free offset, b   1/2 w'w + sum_{i labelled} c_i V(y_i, o_i + b) + ratio/2 o'Ro,   o = Xw,
//           of which V is smooth and R the intrinsic norm of a graph of all rows, known by its products. Without a free offset b = 0.
// Method    b is the best one at every w, so the objective is one of w alone, and convex with modulus 1.
//           Newton's; a step solves [I + X'(D - D11'D/1'D1 + ratio R)X] p = -g, D = diag(c_i V''_i), without the second term where there
//           is no free offset, by conjugate gradients to the relative residual min(0.1, |g|/|parts of g|), preconditioned by a
//           diagonal, and goes to the least of the objective on its ray.
// Stop      the gradient g, relative to the larger of its two parts w and X'(...), is below the tolerance.
// Cost      two passes over the entries and a product with R for each step of conjugate gradients; eight vectors of d
//           and six of n numbers.
// Source    Sindhwani 2007, section 6.1, item 4, which promises such machines; 2.3 for the objective, here divided by
//           2 gamma_A: c = 1/(2 l gamma_A), ratio = gamma_I/(n^2 gamma_A).

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/passes"
	"github.com/mercer-ml/mercer/internal/solve"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
)

// labels are the labelled rows, their targets and what an error of each costs.
type labels struct {
	rows []int
	y, c []float64
}

// smoothed is one problem and where it stands.
type smoothed struct {
	x     *passes.Rows
	r     graph.Operator
	ratio float64
	loss  learn.Loss
	labels

	free           bool      // the offset
	b              float64   // the offset, where it is free
	w, o, ro       []float64 // the point, Xw and R Xw
	s              []float64 // of all rows: c V' + ratio R o
	curve          []float64 // of the labelled: c V''
	pull, grad     []float64 // X's, w + X's
	f              float64   // the objective
	step, t, rt    []float64 // the direction p, X p and R X p
	back, diagonal []float64
	onRows         []float64
	solver         solve.DiagonalCG
}

// mostNewton is where Newton's method is left as it is; some ten steps are usual.
const mostNewton = 100

// newSmoothed begins at w = 0.
func newSmoothed(x *passes.Rows, r graph.Operator, ratio float64, v learn.Loss, l labels) *smoothed {
	n, d := x.Dims()
	p := &smoothed{x: x, r: r, ratio: ratio, loss: v, labels: l, curve: make([]float64, len(l.rows))}
	for _, v := range []*[]float64{&p.o, &p.ro, &p.s, &p.t, &p.rt, &p.onRows} {
		*v = make([]float64, n)
	}
	for _, v := range []*[]float64{&p.w, &p.pull, &p.grad, &p.back, &p.diagonal} {
		*v = make([]float64, d)
	}
	return p
}

// from begins at the machine sum_i a_i x_i.
func (p *smoothed) from(a []float64) {
	p.x.MulT(p.w, a, nil)
	p.x.Mul(p.o, p.w, nil)
}

// solve goes to the minimum, and says whether a limit ended it before. The error is that of the context.
func (p *smoothed) solve(ctx context.Context, tolerance float64) (steps int, limited bool, err error) {
	p.evaluate()
	for steps < mostNewton {
		if err := ctx.Err(); err != nil {
			return steps, true, err
		}
		residual := p.residual()
		if residual <= tolerance {
			return steps, false, nil
		}
		steps++
		if err := p.direction(ctx, max(min(0.1, residual), 0.3*tolerance/residual)); err != nil {
			return steps, true, err
		}
		before := p.f
		if !p.along() || before-p.f <= unchanged*unchanged*before {
			return steps, p.residual() > tolerance, nil
		}
	}
	return steps, true, nil
}

// evaluate computes all that depends on the outputs.
func (p *smoothed) evaluate() {
	p.level()
	p.intrinsic(p.ro, p.o)
	p.f = (floats.Dot(p.w, p.w) + p.ratio*floats.Dot(p.o, p.ro)) / 2
	floats.ScaleTo(p.s, p.ratio, p.ro)
	for k, i := range p.rows {
		down, curve := p.loss.Derivatives(p.y[k], p.o[i]+p.b)
		p.s[i] += p.c[k] * down
		p.curve[k] = p.c[k] * curve
		p.f += p.c[k] * p.loss.Value(p.y[k], p.o[i]+p.b)
	}
	p.x.MulT(p.pull, p.s, nil)
	floats.AddTo(p.grad, p.w, p.pull)
}

// level moves a free offset to the least of the losses, whose slope there is a rounding of its terms.
func (p *smoothed) level() {
	if !p.free {
		return
	}
	const rounding, most = 1e-13, 50
	for range most {
		slope, size := p.slope(p.b)
		if math.Abs(slope) <= rounding*size {
			return
		}
		way := -math.Copysign(1, slope)
		delta := smooth.Ray(-math.Abs(slope), func(x float64) (s, curve float64) {
			for k, i := range p.rows {
				d1, d2 := p.loss.Derivatives(p.y[k], p.o[i]+p.b+way*x)
				s += way * p.c[k] * d1
				curve += p.c[k] * d2
			}
			return s, curve
		})
		if delta == 0 {
			return
		}
		p.b += way * delta
	}
}

// slope is the derivative of the losses by the offset, and the sum of its terms' magnitudes.
func (p *smoothed) slope(b float64) (slope, size float64) {
	for k, i := range p.rows {
		d1, _ := p.loss.Derivatives(p.y[k], p.o[i]+b)
		slope += p.c[k] * d1
		size += p.c[k] * math.Abs(d1)
	}
	return slope, size
}

// mean is that of outputs of all rows over the labelled by their curvature: what a free offset takes from them.
func (p *smoothed) mean(t []float64) float64 {
	var sum, weight float64
	for k, i := range p.rows {
		sum += p.curve[k] * t[i]
		weight += p.curve[k]
	}
	if !p.free || weight == 0 {
		return 0
	}
	return sum / weight
}

// intrinsic stores R v in dst.
func (p *smoothed) intrinsic(dst, v []float64) {
	if p.ratio == 0 {
		clear(dst)
		return
	}
	p.r.MulTo(mat.NewDense(len(dst), 1, dst), mat.NewDense(len(v), 1, v))
}

// residual is the length of the gradient over that of its larger part.
func (p *smoothed) residual() float64 {
	if size := max(floats.Norm(p.w, 2), floats.Norm(p.pull, 2)); size > 0 {
		return floats.Norm(p.grad, 2) / size
	}
	return 0
}

// direction solves for the step.
func (p *smoothed) direction(ctx context.Context, tolerance float64) error {
	hessian := func(out, v []float64) {
		p.x.Mul(p.t, v, nil)
		p.intrinsic(p.onRows, p.t)
		floats.Scale(p.ratio, p.onRows)
		mean := p.mean(p.t)
		for k, i := range p.rows {
			p.onRows[i] += p.curve[k] * (p.t[i] - mean)
		}
		p.x.MulT(out, p.onRows, nil)
		floats.Add(out, v)
	}
	// The preconditioner is the diagonal with that of a normalised Laplacian, which is 1, in the place of R.
	for i := range p.onRows {
		p.onRows[i] = p.ratio
	}
	for k, i := range p.rows {
		p.onRows[i] += p.curve[k]
	}
	p.x.Diagonal(p.diagonal, p.onRows, nil)
	floats.AddConst(1, p.diagonal)
	floats.ScaleTo(p.back, -1, p.grad)
	step, err := p.solver.Solve(ctx, p.back, p.diagonal, tolerance, hessian)
	p.step = step
	return err
}

// along goes to the least of the objective on the ray of the step; false where nothing descends.
func (p *smoothed) along() bool {
	p.x.Mul(p.t, p.step, nil)
	p.intrinsic(p.rt, p.t)
	start := floats.Dot(p.grad, p.step)
	if !(start < 0) {
		return false
	}
	back := p.mean(p.t) // the offset goes with the step
	slope := floats.Dot(p.w, p.step) + p.ratio*floats.Dot(p.o, p.rt)
	bend := floats.Dot(p.step, p.step) + p.ratio*floats.Dot(p.t, p.rt)
	delta := smooth.Ray(start, func(x float64) (s, curve float64) {
		s, curve = slope+x*bend, bend
		for k, i := range p.rows {
			t := p.t[i] - back
			d1, d2 := p.loss.Derivatives(p.y[k], p.o[i]+p.b+x*t)
			s += p.c[k] * d1 * t
			curve += p.c[k] * d2 * t * t
		}
		return s, curve
	})
	floats.AddScaled(p.w, delta, p.step)
	floats.AddScaled(p.o, delta, p.t)
	if p.free {
		p.b -= delta * back
	}
	p.evaluate()
	return delta > 0
}

// keep goes to the machine sum_i a_i x_i, which differs from the present point by the gradient, and returns its certificate: it is above
// the minimum by no more than it is above the present point, and that above the minimum.
func (p *smoothed) keep(a []float64, c learn.Certificate) learn.Certificate {
	before := p.f
	p.from(a)
	p.evaluate()
	if c.Objective, c.Residual = p.f, p.residual(); p.f > 0 {
		c.Gap = (max(p.f-before, 0) + c.Gap*before) / p.f
	}
	return c
}

// certificate is that of the present point. The objective is strongly convex with modulus 1, so it is at most |g|^2/2
// above its minimum.
func (p *smoothed) certificate(steps int, limited bool) learn.Certificate {
	c := learn.Certificate{Objective: p.f, Residual: p.residual(), Steps: steps}
	if p.f > 0 {
		c.Gap = floats.Dot(p.grad, p.grad) / (2 * p.f)
	}
	if limited {
		c.Limited = "Newton's method stopped at its limit; the machine is not exact"
	}
	return c
}
