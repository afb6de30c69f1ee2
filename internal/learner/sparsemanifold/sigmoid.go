package sparsemanifold

// Problem   minimise over w, o = Phi w,
//
//	R(w) = (gammaA/2) w'w + gammaI c s'Ms + 1/2 sum_L V(y_i, o_i)
//	s = tanh(rho o/2), c = 1/8                 the default, symmetric in the two classes
//	s = 1/(1 + exp(-rho o)), c = 1/2           as printed; the same where M 1 = 0
//
//           With a normalised Laplacian M 1 is not 0, and the printed form pulls all outputs to the class of s = 0.
// Method    Newton's, with the Hessian
//
//	gammaA I + 1/2 Phi_L'V''Phi_L + 2 c gammaI Phi'[D M D + diag(s'' Ms)]Phi,   D = diag s'
//
//           of which the negative part of s'' Ms is left out where it is not positive definite; steps are halved until the
//           objective falls enough (Armijo). The problem is not convex: rho grows in steps of two from rho/32, where the penalty
//           is nearly (rho^2/32) gammaI o'Mo and the start its minimum in closed form.
// Cost      n d^2 flops, a product of M with d columns a step; memory 2 n d numbers.
// Source    Sindhwani 2007, eq. 5.5, who starts at coefficients that all labels gave; homotopy and tanh form are ours.

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/learn"
)

// Sigmoid is one output's problem.
type Sigmoid struct {
	Phi             *mat.Dense // n x d
	Norm            *graph.Power
	Labelled        []int
	Y               []float64  // of the labelled rows
	Loss            learn.Loss // smooth; nil: the square
	GammaA, GammaI  float64
	Rho             float64
	Logistic        bool // the printed form
	Tolerance       float64
	squash          func(o float64) (s, d1, d2 float64)
	weight          float64
	o, s, d1, d2    []float64
	ms, pull, trial []float64
}

const (
	sigmoidTolerance = 1e-8 // relative, the source's "stringent" stop
	sigmoidSteps     = 200  // of Newton's method for one rho; some ten are usual
	homotopySteps    = 5    // doublings of rho
)

// Solve minimises R, from w if it is not nil, else along the path of rho. It returns w, with the gradient relative to its parts
// as the certificate's residual.
func (p *Sigmoid) Solve(ctx context.Context, w []float64) ([]float64, learn.Certificate, error) {
	if !(p.Rho > 0) || math.IsInf(p.Rho, 0) {
		return nil, learn.Certificate{}, fmt.Errorf("sparsemanifold: rho = %g; it must be positive and finite", p.Rho)
	}
	if p.Tolerance == 0 {
		p.Tolerance = sigmoidTolerance
	}
	if w != nil {
		p.begin(p.Rho)
		return p.newton(ctx, w)
	}
	_, d := p.Phi.Dims()
	w = make([]float64, d)
	p.linear()
	w, all, err := p.newton(ctx, w)
	for k := homotopySteps; k >= 0 && err == nil; k-- {
		var c learn.Certificate
		p.begin(p.Rho * math.Pow(2, -float64(k)))
		w, c, err = p.newton(ctx, w)
		all.Steps += c.Steps
		all.Objective, all.Residual, all.Limited = c.Objective, c.Residual, c.Limited
	}
	return w, all, err
}

// storage makes the vectors of the rows.
func (p *Sigmoid) storage() {
	n, _ := p.Phi.Dims()
	for _, v := range []*[]float64{&p.o, &p.s, &p.d1, &p.d2, &p.ms, &p.pull, &p.trial} {
		if *v == nil {
			*v = make([]float64, n)
		}
	}
	if p.Loss == nil {
		p.Loss = learn.Square()
	}
}

// linear is the limit of small rho: the penalty of the outputs themselves, at the first rho of the path.
func (p *Sigmoid) linear() {
	p.storage()
	first := p.Rho * math.Pow(2, -homotopySteps)
	p.weight = first * first / 32
	p.squash = func(o float64) (s, d1, d2 float64) { return o, 1, 0 }
}

// begin sets the form for rho.
func (p *Sigmoid) begin(rho float64) {
	p.storage()
	if p.Logistic {
		p.weight = 0.5
		p.squash = func(o float64) (s, d1, d2 float64) {
			s = 1 / (1 + math.Exp(-rho*o))
			d1 = rho * s * (1 - s)
			return s, d1, rho * d1 * (1 - 2*s)
		}
		return
	}
	p.weight = 0.125
	p.squash = func(o float64) (s, d1, d2 float64) {
		s = math.Tanh(rho * o / 2)
		d1 = rho / 2 * (1 - s*s)
		return s, d1, -rho * s * d1
	}
}

// value is R for outputs o and |w|^2.
func (p *Sigmoid) value(o []float64, square float64) float64 {
	for i, v := range o {
		p.s[i], _, _ = p.squash(v)
	}
	p.product(p.ms, p.s)
	sum := p.GammaA/2*square + p.GammaI*p.weight*floats.Dot(p.s, p.ms)
	for q, i := range p.Labelled {
		sum += p.Loss.Value(p.Y[q], o[i]) / 2
	}
	return sum
}

func (p *Sigmoid) product(dst, x []float64) {
	n := len(x)
	p.Norm.MulTo(mat.NewDense(n, 1, dst), mat.NewDense(n, 1, x))
}

// gradient is that of R at w, whose outputs are o, with the size of the parts that cancel in it.
func (p *Sigmoid) gradient(g, w []float64) (size float64) {
	for i, v := range p.o {
		p.s[i], p.d1[i], p.d2[i] = p.squash(v)
	}
	p.product(p.ms, p.s)
	for i, v := range p.ms {
		p.pull[i] = 2 * p.weight * p.GammaI * p.d1[i] * v
	}
	for q, i := range p.Labelled {
		d, _ := p.Loss.Derivatives(p.Y[q], p.o[i])
		p.pull[i] += d / 2
	}
	n, d := p.Phi.Dims()
	blas.Gemm(1, blas.T(p.Phi), blas.N(mat.NewDense(n, 1, p.pull)), 0, mat.NewDense(d, 1, g))
	size = max(floats.Norm(g, 2), p.GammaA*floats.Norm(w, 2))
	floats.AddScaled(g, p.GammaA, w)
	return size
}

// outputs stores Phi w.
func (p *Sigmoid) outputs(o, w []float64) {
	n, d := p.Phi.Dims()
	blas.Gemm(1, blas.N(p.Phi), blas.N(mat.NewDense(d, 1, w)), 0, mat.NewDense(n, 1, o))
}

// newton goes to a stationary point, where no step lowers R any more or the gradient is small.
func (p *Sigmoid) newton(ctx context.Context, w []float64) ([]float64, learn.Certificate, error) {
	w = append([]float64(nil), w...)
	d := len(w)
	g, step, next := make([]float64, d), make([]float64, d), make([]float64, d)
	p.outputs(p.o, w)
	c := learn.Certificate{Objective: p.value(p.o, floats.Dot(w, w))}
	for {
		if err := ctx.Err(); err != nil {
			return w, c, err
		}
		size := p.gradient(g, w)
		if size == 0 {
			c.Residual = 0
			return w, c, nil
		}
		c.Residual = floats.Norm(g, 2) / size
		if c.Residual <= p.Tolerance {
			return w, c, nil
		}
		if c.Steps == sigmoidSteps {
			c.Limited = fmt.Sprintf("the sigmoid machine stopped at its limit of %d steps; it is not exact", c.Steps)
			return w, c, nil
		}
		c.Steps++
		if err := p.direction(ctx, step, g); err != nil {
			return w, c, err
		}
		p.outputs(p.trial, step)
		slope, t, moved := floats.Dot(g, step), 1.0, false
		o := p.pull // free until the next gradient
		for range 40 {
			floats.AddScaledTo(o, p.o, t, p.trial)
			floats.AddScaledTo(next, w, t, step)
			if v := p.value(o, floats.Dot(next, next)); v <= c.Objective+1e-4*t*slope {
				moved = v < c.Objective
				c.Objective = v
				copy(w, next)
				copy(p.o, o)
				break
			}
			t /= 2
		}
		if !moved { // rounding hides what is left
			return w, c, nil
		}
	}
}

// direction is -H^-1 g.
func (p *Sigmoid) direction(ctx context.Context, step, g []float64) error {
	n, d := p.Phi.Dims()
	h, on := mat.NewDense(d, d, nil), blas.Within(ctx)
	weighted, product := mat.NewDense(n, min(panel, d), nil), mat.NewDense(n, min(panel, d), nil)
	fill := func(bend bool) error {
		for lo := 0; lo < d; lo += panel {
			if err := ctx.Err(); err != nil {
				return err
			}
			hi := min(lo+panel, d)
			x, y := weighted.Slice(0, n, 0, hi-lo).(*mat.Dense), product.Slice(0, n, 0, hi-lo).(*mat.Dense)
			for i := range n {
				floats.ScaleTo(x.RawRowView(i), p.d1[i], p.Phi.RawRowView(i)[lo:hi])
			}
			p.Norm.MulTo(y, x)
			for i := range n {
				row := y.RawRowView(i)
				floats.Scale(2*p.weight*p.GammaI*p.d1[i], row)
				if b := 2 * p.weight * p.GammaI * p.d2[i] * p.ms[i]; bend || b > 0 {
					floats.AddScaled(row, b, p.Phi.RawRowView(i)[lo:hi])
				}
			}
			for q, i := range p.Labelled {
				_, curve := p.Loss.Derivatives(p.Y[q], p.o[i])
				floats.AddScaled(y.RawRowView(i), curve/2, p.Phi.RawRowView(i)[lo:hi])
			}
			on.Gemm(1, blas.T(p.Phi), blas.N(y), 0, h.Slice(0, d, lo, hi).(*mat.Dense))
		}
		blas.Symmetrise(h)
		for k := range d {
			h.Set(k, k, h.At(k, k)+p.GammaA)
		}
		return on.Stopped()
	}
	var chol blas.Cholesky
	for _, bend := range []bool{true, false} {
		if err := fill(bend); err != nil {
			return err
		}
		err := chol.Factor(h)
		if err == nil {
			floats.ScaleTo(step, -1, g)
			chol.SolveTo(mat.NewDense(d, 1, step))
			return nil
		}
		if !bend {
			return fmt.Errorf("sparsemanifold: the %dx%d Hessian of the sigmoid machine: %w; take a larger gamma_A", d, d, err)
		}
	}
	return nil
}
