package s3vm

// The problem that gradients are taken of, with the mean output of the unlabelled rows given.
//
//	J(w) = 1/2 w'w + sum_L C_i A(y_i, f_i; v_i) + C_u sum_U B(f_j; v_j)   subject to   mean_U f = m
//	A(y, t; 0) = max(0, 1 - y t)^2,   B(t; 0) = exp(-3 t^2),   f = Z w + b
//
// Symbols   Z the coordinates of the rows (coordinates.go), z_bar = mean_U z. v_i = tau^2 |a_i|^2 is the
//           variance of f_i where w is a Gaussian of width tau around its place, see smoothing below; 0
//           in the problem itself.
// With an offset  b = m - z_bar'w, so that f_i = a_i'w + m with a_i = z_i - z_bar: the rows moved to the mean
//           of the unlabelled ones, and no constraint is left.
// Without   w = w_0 + P v, w_0 = m z_bar/|z_bar|^2, P = I - z_bar z_bar'/|z_bar|^2, a_i = P z_i: the direction of
//           the constraint is fixed and the others are free. The source turns the axes so that it is the
//           first and leaves that out; gradients that are projected take the same steps.
// Smoothing the mean of J over w + tau e, e standard normal in the free directions, but for the
//           constant p tau^2/2. With s = sqrt(v), Phi and phi the distribution function and density of
//           the standard normal:
//
//	A(y, t; v) = (m^2 + v) Phi(m/s) + m s phi(m/s),  m = 1 - y t;   dA/dm = 2 m Phi(m/s) + 2 s phi(m/s)
//	B(t; v) = (1 + 6 v)^-1/2 exp(-3 t^2/(1 + 6 v))
//
// Method    L-BFGS on each of several problems in turn, the last of which is the one to be solved.
// Cost      4 n p flops an evaluation.
// Source    Chapelle and Zien, AISTATS 2005, section 3.2: B, the constraint; Chapelle, Chi and Zien, ICML
//           2006, section 3: smoothing.

import (
	"context"
	"errors"
	"math"

	"github.com/mercer-ml/mercer/internal/solve"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// sharpness is s of exp(-s t^2): the source's, with which B is near the squared hinge of |t|.
const sharpness = 3

// stage is one of the problems that are solved in turn.
type stage struct {
	weight float64 // factor of C_u
	width  float64 // tau
}

// finalStage is the problem that is to be solved.
var finalStage = stage{weight: 1}

// descent is a problem with its mean output.
type descent struct {
	c      *Coordinates
	rows   []int     // of Z, of each row of the problem
	y      []float64 // by rows of Z; 0: unlabelled
	cost   []float64 // C_i and C_u by rows of Z
	count  int       // of unlabelled rows
	offset bool
	mean   []float64 // z_bar
	along  float64   // |z_bar|^2
	length []float64 // |a_i|^2, where a stage has a width

	level float64 // m
	stage
	w, f, pull []float64 // of the last evaluation: w, the outputs, and the derivatives by them
}

// errNoMean is of rows whose mean is the origin.
var errNoMean = errors.New("s3vm: the unlabelled rows have their mean at the origin of the kernel's space, so that without an offset " +
	"their mean output is zero whatever the function; add --set offset=yes")

func newDescent(ctx context.Context, t *coordinateTable, p *Problem) (*descent, error) {
	if len(p.Rows) == len(p.Y) {
		return nil, errors.New("s3vm: no row is unlabelled; train the supervised machine")
	}
	c, rows, err := t.of(ctx, p)
	if err != nil {
		return nil, err
	}
	n, dim := c.Z.Dims()
	d := &descent{
		c: c, rows: rows, count: len(rows) - len(p.Y), offset: p.Offset,
		y: make([]float64, n), cost: make([]float64, n), mean: make([]float64, dim), stage: finalStage,
		w: make([]float64, dim), f: make([]float64, n), pull: make([]float64, n),
	}
	for a, cost := range p.Costs() {
		d.cost[rows[a]] = cost
		if a < len(p.Y) {
			d.y[rows[a]] = p.Y[a]
		} else {
			floats.AddScaled(d.mean, 1/float64(d.count), c.Z.RawRowView(rows[a]))
		}
	}
	d.along = floats.Dot(d.mean, d.mean)
	return d, nil
}

// at fixes the mean output.
func (d *descent) at(level float64) error {
	d.level = level
	// The mean of rows that were centred is rounding.
	if !d.offset && level != 0 && !(d.along > 1e-20*floats.Sum(d.c.lambda)/float64(len(d.y))) {
		return errNoMean
	}
	return nil
}

// free takes the direction of the constraint from x, where that is not left to the offset.
func (d *descent) free(x []float64) {
	if !d.offset && d.along > 0 {
		floats.AddScaled(x, -floats.Dot(d.mean, x)/d.along, d.mean)
	}
}

// lift stores w of the free variables v in d.w and returns b.
func (d *descent) lift(v []float64) float64 {
	copy(d.w, v)
	if d.offset {
		return d.level - floats.Dot(d.mean, v)
	}
	d.free(d.w)
	if d.along > 0 {
		floats.AddScaled(d.w, d.level/d.along, d.mean)
	}
	return 0
}

// eval is J of the stage, as a function to minimise.
func (d *descent) eval(_ context.Context, v, grad []float64) (float64, error) {
	b := d.lift(v)
	n, dim := d.c.Z.Dims()
	mat.NewVecDense(n, d.f).MulVec(d.c.Z, mat.NewVecDense(dim, d.w))
	value, sum := floats.Dot(d.w, d.w)/2, 0.0
	for i := range d.f {
		d.f[i] += b
		var l, slope, variance float64
		if d.width > 0 {
			variance = d.width * d.width * d.length[i]
		}
		if y := d.y[i]; y != 0 {
			l, slope = hingeLoss(1-y*d.f[i], variance)
			l, slope = d.cost[i]*l, -d.cost[i]*y*slope
		} else {
			l, slope = bellLoss(d.f[i], variance)
			l, slope = d.weight*d.cost[i]*l, d.weight*d.cost[i]*slope
		}
		value += l
		sum += slope
		d.pull[i] = slope
	}
	if grad != nil {
		mat.NewVecDense(dim, grad).MulVec(d.c.Z.T(), mat.NewVecDense(n, d.pull))
		floats.Add(grad, d.w)
		if d.offset {
			floats.AddScaled(grad, -sum, d.mean)
		}
		d.free(grad)
	}
	return value, nil
}

// hingeLoss is max(0, m)^2 and its derivative, or their means where m has a variance.
func hingeLoss(m, variance float64) (value, slope float64) {
	if variance == 0 {
		m = max(0, m)
		return m * m, 2 * m
	}
	s := math.Sqrt(variance)
	z := m / s
	below, density := math.Erfc(-z/math.Sqrt2)/2, math.Exp(-z*z/2)/math.Sqrt(2*math.Pi)
	return (m*m+variance)*below + m*s*density, 2 * (m*below + s*density)
}

// bellLoss is exp(-3 t^2) and its derivative, or their means where t has a variance.
func bellLoss(t, variance float64) (value, slope float64) {
	q := 1 + 2*sharpness*variance
	value = math.Exp(-sharpness*t*t/q) / math.Sqrt(q)
	return value, -2 * sharpness * t / q * value
}

// lengths are |a_i|^2, made when first needed.
func (d *descent) lengths() []float64 {
	if d.length == nil {
		d.length = make([]float64, len(d.y))
		a := make([]float64, len(d.mean))
		for i := range d.length {
			copy(a, d.c.Z.RawRowView(i))
			if d.offset {
				floats.Sub(a, d.mean)
			}
			d.free(a)
			d.length[i] = floats.Dot(a, a)
		}
	}
	return d.length
}

// descend minimises J of the stage from v.
func (d *descent) descend(ctx context.Context, s stage, v []float64, tolerance float64, evaluations int) (solve.Result, error) {
	d.stage = s
	if s.width > 0 {
		d.lengths()
	}
	lo, hi := make([]float64, len(v)), make([]float64, len(v))
	for j := range lo {
		lo[j], hi[j] = math.Inf(-1), math.Inf(1)
	}
	return solve.LBFGSB(ctx, d.eval, v, lo, hi, solve.LBFGSBOptions{
		MaxEvaluations: evaluations, Gradient: tolerance, Step: -1, Decrease: -1, Memory: 20,
	})
}
