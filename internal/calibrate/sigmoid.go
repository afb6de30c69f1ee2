package calibrate

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Sigmoid is the probability of the second of two classes,
//
//	p(f) = 1/(1 + exp(-(Slope f + Offset))),  Slope >= 0,
//
// moved to the side of 1/2 where the decision is: at least (1+Margin)/2 where the
// second class is predicted, at most (1-Margin)/2 where the first is. It increases
// with f.
//
// Why this form: where Platt's p agrees with the decision it is kept, and where it
// does not, no agreeing probability is nearer (Agree). Held-out log loss, mean of 14
// sets x 3 machines (BenchmarkLogLoss/two; svm-train 3.24):
//
//	svm-predict -b 1                        0.383   contradicts its own labels
//	Platt, on five-fold outputs             0.382   contradicts them too
//	this one                                0.385
//	Isotonic                                0.388
//	a slope on each side of p(0) = 1/2      0.396
//	one slope, p(0) = 1/2                   0.400
//
// The median difference from Platt is 0.0000. The mean is that of 5 cases of the 42,
// 0.005 to 0.050 worse, where Platt is against 7 to 20 % of the labels, mostly of
// machines that leave a rare class out; a form that agrees gives the true class of a
// wrong label 1/2 at most.
//
// As LIBSVM writes it, probA = -Slope, and probB = -Offset where the first label of
// its file is the second class here, +Offset where it is the first.
type Sigmoid struct {
	Slope  float64 `json:"slope"`
	Offset float64 `json:"offset"`
}

// Probability returns 1/(1 + exp(-(Slope f + Offset))), before agreement.
func (s Sigmoid) Probability(f float64) float64 { return logistic(s.Slope*f + s.Offset) }

// Probabilities implements Calibration: one output, two classes.
func (s Sigmoid) Probabilities(dst, scores *mat.Dense, winner []int) error {
	mustFit(dst, scores, winner, 1, 2)
	for i, w := range winner {
		f := scores.RawRowView(i)
		if err := finiteRow(i, f); err != nil {
			return err
		}
		z := s.Slope*f[0] + s.Offset
		p := dst.RawRowView(i)
		p[0], p[1] = logistic(-z), logistic(z)
		if err := agreeRow(i, p, w); err != nil {
			return err
		}
	}
	return nil
}

// Check implements Calibration.
func (s Sigmoid) Check() error {
	if !(s.Slope >= 0) || math.IsInf(s.Slope, 1) || s.Offset-s.Offset != 0 {
		return fmt.Errorf("sigmoid: slope %g, offset %g; both must be finite, the slope not negative", s.Slope, s.Offset)
	}
	return nil
}

// platt is the function that FitSigmoid minimises, in x = f / unit, with weights w_i of mean one:
//
//	F(a, b) = sum_i w_i (t_i log(1 + exp(-z_i)) + (1 - t_i) log(1 + exp(z_i))),  z_i = a x_i + b
//	t_i = (N+ + 1)/(N+ + 2) in the second class, 1/(N- + 2) in the first, N+ and N- the sums of their weights
//
// (Platt 2000), convex, and by t_i other than 0 and 1 with a finite minimum.
type platt struct {
	x, t, w []float64
	unit    float64
}

func newPlatt(scores []float64, second []bool, weight []float64) (*platt, error) {
	if len(scores) != len(second) {
		panic(fmt.Sprintf("calibrate: %d outputs, %d classes", len(scores), len(second)))
	}
	if len(scores) == 0 {
		return nil, errors.New("calibrate: no held-out row to fit probabilities on; hold some out")
	}
	p := &platt{x: make([]float64, len(scores)), t: make([]float64, len(scores)), w: relative(weight, len(scores))}
	if weight != nil && !(floats.Sum(weight) > 0) {
		return nil, errors.New("calibrate: no held-out row has a weight")
	}
	var count float64
	for i, v := range scores {
		if err := finiteRow(i, scores[i:i+1]); err != nil {
			return nil, err
		}
		p.unit = max(p.unit, math.Abs(v))
		if second[i] {
			count += p.w[i]
		}
	}
	if p.unit == 0 {
		p.unit = 1
	}
	for i, v := range scores {
		p.x[i], p.t[i] = v/p.unit, 1/(float64(len(scores))-count+2)
		if second[i] {
			p.t[i] = (count + 1) / (count + 2)
		}
	}
	return p, nil
}

// relative are weights of n rows divided by their mean, and 1 each where there are none.
func relative(weight []float64, n int) []float64 {
	if weight == nil {
		return slices.Repeat([]float64{1}, n)
	}
	if len(weight) != n {
		panic(fmt.Sprintf("calibrate: %d weights for %d rows", len(weight), n))
	}
	mean, w := floats.Sum(weight)/float64(n), slices.Clone(weight)
	for i := range w {
		w[i] /= mean
	}
	return w
}

// value returns F.
func (p *platt) value(a, b float64) float64 {
	var f float64
	for i, x := range p.x {
		// t softplus(-z) + (1-t) softplus(z) = softplus(z) - t z
		z := a*x + b
		if z >= 0 {
			f += p.w[i] * (math.Log1p(math.Exp(-z)) + (1-p.t[i])*z)
		} else {
			f += p.w[i] * (math.Log1p(math.Exp(z)) - p.t[i]*z)
		}
	}
	return f
}

// derivatives returns gradient and Hessian of F.
func (p *platt) derivatives(a, b float64) (ga, gb, haa, hab, hbb float64) {
	for i, x := range p.x {
		z := a*x + b
		q := logistic(z)
		d, h := p.w[i]*(q-p.t[i]), p.w[i]*(q*logistic(-z))
		ga, gb = ga+d*x, gb+d
		haa, hab, hbb = haa+h*x*x, hab+h*x, hbb+h
	}
	return ga, gb, haa, hab, hbb
}

// Limits of Newton's method, as Lin, Lin and Weng's, with a smaller tolerance:
// convergence is quadratic.
const (
	newtonSteps     = 100
	newtonRidge     = 1e-12 // added to the Hessian's diagonal, which may be singular
	newtonHalvings  = 50
	newtonTolerance = 1e-10 // of the gradient a row
)

// FitSigmoid fits the sigmoid to held-out outputs of rows that are of the second
// class or not, weighted if weight is not nil, by Newton's method with backtracking (Lin, Lin and Weng 2007). An
// optimum of negative slope, from outputs that say nothing, or rows of one class
// only, gives the slope 0: the best constant. Separable outputs give a finite slope.
// No row, or an output that is not finite, is an error. Cost: a pass over the rows a
// step, 5 to 10 steps.
func FitSigmoid(scores []float64, second []bool, weight []float64) (Sigmoid, error) {
	p, err := newPlatt(scores, second, weight)
	if err != nil {
		return Sigmoid{}, err
	}
	var mean float64
	for i, t := range p.t {
		mean += p.w[i] * t / float64(len(p.t))
	}
	return leastSigmoid(p, len(p.x), mean, p.unit), nil
}

// convex is a function of the slope and the offset of n rows.
type convex interface {
	value(a, b float64) float64
	derivatives(a, b float64) (ga, gb, haa, hab, hbb float64)
}

// leastSigmoid minimises p, of n rows whose outputs have the given unit and whose targets have the given mean.
func leastSigmoid(p convex, n int, mean, unit float64) Sigmoid {
	constant := Sigmoid{Offset: math.Log(mean / (1 - mean))}
	a, b := 0.0, constant.Offset
	f := p.value(a, b)
	for range newtonSteps {
		ga, gb, haa, hab, hbb := p.derivatives(a, b)
		if max(math.Abs(ga), math.Abs(gb)) <= newtonTolerance*float64(n) {
			break
		}
		haa, hbb = haa+newtonRidge, hbb+newtonRidge
		det := haa*hbb - hab*hab
		da, db := -(hbb*ga-hab*gb)/det, -(haa*gb-hab*ga)/det
		descent := ga*da + gb*db
		if !(det > 0) || !(descent < 0) {
			da, db = -ga, -gb // rounding left no Newton direction
			descent = -(ga*ga + gb*gb)
		}
		step, moved := 1.0, false
		for range newtonHalvings {
			if g := p.value(a+step*da, b+step*db); g < f+1e-4*step*descent {
				a, b, f, moved = a+step*da, b+step*db, g, true
				break
			}
			step /= 2
		}
		if !moved {
			break // no decrease at working precision
		}
	}
	// F is convex, so where its minimum has a < 0 that over a >= 0 has a = 0.
	s := Sigmoid{Slope: a / unit, Offset: b}
	if !(a > 0) || s.Check() != nil {
		return constant
	}
	return s
}
