package s3vm

// Problem   minimise over alpha, b  J = 1/2 alpha'K alpha + sum_i c_i L(y_i, f_i),  f = K alpha + b, with the
//           squared hinge and means of labels y in [-1, 1],
//
//             L' = -(1 + y)(1 - f) for f <= -1,  2 (f - y) for |f| < 1,  (1 - y)(1 + f) for f >= 1
//
// Method    Conjugate gradients in the metric of a curvature d, of which there is a factor (fstep_square.go). With
//           r = alpha + c L' the step to the minimum of the quadratic that has this curvature is
//
//             z:  (K + diag(1/d)) z_alpha + z_b 1 = -r/d,  1'z_alpha = 0
//
//           and the direction
//
//             d = z + max(0, <r - r_last, z>/<r_last, z_last>) d_last,   <r, z> = r'z_f
//
//           (Polak and Ribiere), z_f being z on the rows, with an almost exact search along it, on which J is
//           piecewise quadratic. No product with K is needed. The curvature is 2c at first, which bounds
//           that of J: exact where no row is outside the margin, and one factor serves the hundreds of y
//           of an annealing, where Newton's method factors for each of them. Where that takes many steps,
//           or long ones, the curvature becomes that of J at the point at hand: then the next step
//           is Newton's on the rows inside the margin, which ends after finitely many, and later ones
//           are those of its conjugate gradients. Rows outside keep a little, or their coefficients would
//           not move.
// Cost      2 n^2 flops a step, n^3/3 a factor, which takes as long as some 100 steps (n = 1500).
// Source    Sindhwani 2007, section 3.5.1, whose search along the ray is garbled (fault: the point moved is
//           alpha + x (direction), the minimum over x >= 0).

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
	"gonum.org/v1/gonum/floats"
)

const (
	// newtonSteps limits the steps for one y.
	newtonSteps = 1000
	// afterSteps without an end, or a step so long as longStep, the curvature is made anew. A step of
	// length x multiplies what K does not see of the coefficients by 1 - x.
	afterSteps = 60
	longStep   = 100
	// unnoticed is the relative gradient up to which an end by rounding is an end: LIBSVM's tolerance.
	unnoticed = 1e-3
	// rounded is the relative size of what some thousand roundings leave of a sum that is zero.
	rounded = 1e-12
	// least is the curvature of rows outside the margin, over 2c.
	least = 1e-4
)

// squaredHinge is the step of the squared hinge.
type squaredHinge struct {
	*ridge
	short               bool      // the last minimisation ended at the limit of its steps
	stuck               float64   // or at this relative gradient, where no step lowered J; 0: it did neither
	z, d                *function // the step to the minimum of the quadratic, and the direction
	targets, pull, last []float64 // -r/d; r, and that of the step before
}

func newSquaredHinge(r *ridge) *squaredHinge {
	n := len(r.rows)
	return &squaredHinge{
		ridge: r, z: newFunction(n), d: newFunction(n),
		targets: make([]float64, n), pull: make([]float64, n), last: make([]float64, n),
	}
}

func (*squaredHinge) tolerances() (rough, fine, final float64) { return 1e-6, 1e-8, 1e-8 }

// residual implements fstep.
func (s *squaredHinge) residual(at *function, y []float64) float64 {
	return s.gradient(learn.SquaredHinge(), at, y)
}

// limited implements fstep.
func (s *squaredHinge) limited() string {
	switch {
	case s.stuck > 0:
		return fmt.Sprintf("conjugate gradients ended at the relative gradient %.2g, where no step lowered the objective", s.stuck)
	case !s.short:
		return ""
	}
	return fmt.Sprintf("conjugate gradients stopped at their limit of %d steps", newtonSteps)
}

// hinged is L' and L”.
func hinged(y, f float64) (first, second float64) {
	switch {
	case f <= -1:
		return -(1 + y) * (1 - f), 1 + y
	case f >= 1:
		return (1 - y) * (1 + f), 1 - y
	}
	return 2 * (f - y), 2
}

// minimise implements fstep.
func (s *squaredHinge) minimise(ctx context.Context, at *function, y []float64, tolerance, share float64) (int, error) {
	s.short, s.stuck = false, 0
	before, since := 0.0, 0 // <r_last, z_last>; steps since the factor
	for step := range newtonSteps {
		if err := ctx.Err(); err != nil {
			return step, err
		}
		grad := s.pulls(at, y)
		if step == 0 {
			tolerance = max(tolerance, share*grad)
		}
		if grad <= tolerance {
			return step, nil
		}
		s.solve(s.z, s.targets)
		now, beta := floats.Dot(s.pull, s.z.f), 0.0
		if before < 0 {
			beta = max(0, (now-floats.Dot(s.last, s.z.f))/before)
		}
		before = now
		copy(s.last, s.pull)
		s.d.onto(s.z, beta)
		x := s.along(at, y)
		since++
		if x > 0 && x < longStep && since < afterSteps {
			continue
		}
		if x == 0 && since == 1 && step > 0 {
			s.stop(at, y)
			return step, nil
		}
		before, since = 0, 0
		if err := s.renew(ctx, at, y); err != nil {
			return step, err
		}
	}
	s.short = true
	return newtonSteps, nil
}

// stop ends a minimisation whose steps no longer lower J. Mostly rounding hides what is left to gain. Where all
// rows are one point to the kernel it does not see the coefficients; they are given the values that the function
// asks for.
func (s *squaredHinge) stop(at *function, y []float64) {
	asked := newFunction(len(at.f))
	asked.b = at.b
	for i, f := range at.f {
		g, _ := hinged(y[i], f)
		asked.alpha[i] = -s.cost[i] * g
	}
	s.outputs(asked)
	if floats.EqualApprox(asked.f, at.f, rounded) {
		at.set(asked)
	}
	if grad := s.pulls(at, y); grad > unnoticed {
		s.stuck = grad
	}
}

// renew factors the curvature at hand.
func (s *squaredHinge) renew(ctx context.Context, at *function, y []float64) error {
	for i, c := range s.cost {
		_, second := hinged(y[i], at.f[i])
		s.bend[i] = c * max(second, 2*least)
	}
	return s.factor(ctx)
}

// pulls stores r and the targets, and returns the relative gradient.
func (s *squaredHinge) pulls(at *function, y []float64) float64 {
	var w violation
	for i, a := range at.alpha {
		g, _ := hinged(y[i], at.f[i])
		g *= s.cost[i]
		s.pull[i] = a + g
		s.targets[i] = -(a + g) / s.bend[i]
		w.add(a, g)
	}
	return w.relative(s.offset)
}

// along moves the function along d to the minimum there, and returns the length of the step, 0 if J does
// not fall.
func (s *squaredHinge) along(at *function, y []float64) float64 {
	slope := floats.Dot(s.pull, s.d.f)
	line, curve := floats.Dot(at.alpha, s.d.f), floats.Dot(s.d.alpha, s.d.f)
	if curve < 0 && -curve < rounded*floats.Norm(s.d.alpha, 1)*floats.Norm(s.d.f, math.Inf(1)) {
		curve = 0 // a direction of the offset alone, in which the loss bends J
	}
	if !(slope < 0 && curve >= 0) {
		return 0
	}
	x := smooth.Ray(slope, func(x float64) (first, second float64) {
		first, second = line+x*curve, curve
		for i, d := range s.d.f {
			g, bend := hinged(y[i], at.f[i]+x*d)
			c := s.cost[i] * d
			first += c * g
			second += c * d * bend
		}
		return first, second
	})
	floats.AddScaled(at.alpha, x, s.d.alpha)
	floats.AddScaled(at.f, x, s.d.f)
	at.b += x * s.d.b
	return x
}
