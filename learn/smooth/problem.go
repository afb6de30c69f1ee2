package smooth

import (
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// Offset is the treatment of b.
type Offset int

const (
	// None is f alone, b = 0.
	None Offset = iota
	// Free is f + b with b outside the norm: shifts of the targets (regression) and, for
	// the linear form, of the features change b only.
	Free
	// Augmented is f + b with b^2 in the norm: x has a constant feature 1. b is shrunk.
	Augmented
)

func (o Offset) String() string {
	switch o {
	case None:
		return "none"
	case Free:
		return "free"
	case Augmented:
		return "augmented"
	}
	return fmt.Sprintf("Offset(%d)", int(o))
}

// problem is the kernel form for l rows.
type problem struct {
	// K is the l x l Gram matrix, symmetric positive semidefinite, both triangles
	// filled. It is kept by the solution and must not change.
	K *mat.Dense
	// Y holds the l targets, -1 and +1 for a loss of classes.
	Y []float64
	// C weighs the losses against the norm; 0 means 1.
	C float64
	// Weight multiplies C row by row, >= 0; nil means all 1. A row of weight 0 is as if
	// it were not there, one of weight 2 as if it were there twice.
	Weight []float64
	Loss   learn.Loss
	Offset Offset
}

// options tunes newton and newtonLinear. The zero value is the default.
type options struct {
	// Tolerance on the gradient, relative (solution.Gradient); default 1e-8.
	Tolerance float64
	// MaxSteps limits the Newton steps; default 200.
	MaxSteps int
	// Method chooses the linear algebra of newtonLinear; newton ignores it.
	Method algebra
	// Dual lets newtonLinear by CG begin where coordinate descent in the dual ends, for the squared hinge on sparse
	// rows. It takes a fraction of the products, but on one processor: for many problems side by side.
	Dual bool
}

func (o options) tolerance() float64 {
	if o.Tolerance == 0 {
		return 1e-8
	}
	return o.Tolerance
}

func (o options) steps() int {
	if o.MaxSteps <= 0 {
		return 200
	}
	return o.MaxSteps
}

// solution is a minimiser of the kernel form with its certificate:
// f(x) = sum_i Beta_i k(x_i, x) + B. Its methods share scratch memory and are not for
// concurrent use.
type solution struct {
	Beta []float64
	B    float64   // sum of Beta when Augmented, 0 when None
	F    []float64 // outputs f(x_i) + b of the l rows

	Objective float64
	// Gradient is max(|beta_i + c_i V'_i|, |sum_i c_i V'_i|) / max(|beta_i|, |c_i V'_i|), the
	// sum with a free offset only: zero exactly at the minimum.
	Gradient float64
	// Gap bounds Objective minus the minimum, by a feasible point of the dual.
	Gap float64
	// Steps counts Newton steps, Factors the Cholesky factorisations they took.
	Steps, Factors int
	// Status is gradientSmall, noProgress (rounding allows no more: judge by
	// Gap), budgetSpent, or unfinished when the context ended the work.
	Status status

	problem problem
	terms   *terms // evaluated at F
	inner   *inner // factor at F, see Pull
}

// terms are the loss terms of one column of targets, sum_i c_i V(y_i, f_i), with
// their derivatives at the last point evaluated.
type terms struct {
	loss learn.Loss
	y, c []float64
	g, d []float64 // c V', c V''
}

// newTerms checks targets and weights. The caller's shapes panic, the data's faults
// are errors.
func newTerms(v learn.Loss, y []float64, c float64, weight []float64, o Offset) (*terms, error) {
	switch {
	case v == nil:
		panic("smooth: no loss")
	case !learn.Smooth(v):
		panic(
			fmt.Sprintf(
				"smooth: the %s loss has no Lipschitz derivative; take squared-hinge, huber-hinge or squared-epsilon, or a dual solver",
				v.Name(),
			),
		)
	case weight != nil && len(weight) != len(y):
		panic(fmt.Sprintf("smooth: %d targets, %d weights", len(y), len(weight)))
	case o < None || o > Augmented:
		panic(fmt.Sprintf("smooth: %v", o))
	case len(y) == 0:
		return nil, errors.New("smooth: no row")
	}
	if c == 0 {
		c = 1
	}
	if !(c > 0) || math.IsInf(c, 1) {
		return nil, fmt.Errorf("smooth: C = %g; it must be positive and finite", c)
	}
	t := &terms{loss: v, y: y, c: make([]float64, len(y)), g: make([]float64, len(y)), d: make([]float64, len(y))}
	var plus, minus bool
	for i, yi := range y {
		switch {
		case v.Classes() && yi != 1 && yi != -1:
			return nil, fmt.Errorf("smooth: row %d has target %g; the %s loss needs -1 or +1", i, yi, v.Name())
		case math.IsNaN(yi) || math.IsInf(yi, 0):
			return nil, fmt.Errorf("smooth: row %d has target %g; targets must be finite", i, yi)
		}
		t.c[i] = c
		if weight != nil {
			t.c[i] = c * weight[i]
			if w := weight[i]; !(w >= 0) || math.IsInf(t.c[i], 1) {
				return nil, fmt.Errorf("smooth: row %d has weight %g; weights must be finite and not negative", i, w)
			}
		}
		if t.c[i] > 0 {
			plus = plus || yi > 0
			minus = minus || yi < 0
		}
	}
	if v.Classes() && o == Free && !(plus && minus) {
		return nil, errors.New(
			"smooth: all rows of positive weight are of one class, which leaves a free offset without a finite best value; fit without " +
				"the offset or with an augmented one",
		)
	}
	return t, nil
}

// eval fills g and d at the outputs f and returns the sum of the losses.
func (t *terms) eval(f []float64) float64 {
	var sum float64
	for i, c := range t.c {
		if c == 0 { // whatever the loss does
			t.g[i], t.d[i] = 0, 0
			continue
		}
		d1, d2 := t.loss.Derivatives(t.y[i], f[i])
		t.g[i], t.d[i] = c*d1, c*d2
		sum += c * t.loss.Value(t.y[i], f[i])
	}
	return sum
}

// slope returns the first two derivatives of sum_i c_i V(y_i, f_i + x t_i) by x.
func (t *terms) slope(f, dir []float64, x float64) (s, curv float64) {
	for i, c := range t.c {
		if c == 0 {
			continue
		}
		d1, d2 := t.loss.Derivatives(t.y[i], f[i]+x*dir[i])
		s += c * d1 * dir[i]
		curv += c * d2 * dir[i] * dir[i]
	}
	return s, curv
}

// checkGram panics on shapes and returns an error for the first value of K that is
// not finite.
func checkGram(k *mat.Dense, l int) error {
	if r, c := k.Dims(); r != l || c != l {
		panic(fmt.Sprintf("smooth: Gram matrix %dx%d, %d targets", r, c, l))
	}
	for i := range l {
		for j, v := range k.RawRowView(i) {
			if v-v != 0 { // NaN and the infinities only
				return fmt.Errorf(
					"smooth: the Gram matrix is %g at row %d, column %d; a kernel parameter or a feature is out of range",
					v,
					i,
					j,
				)
			}
		}
	}
	return nil
}

func maxAbs(x []float64) float64 {
	var m float64
	for _, v := range x {
		m = max(m, math.Abs(v))
	}
	return m
}

func sum(x []float64) float64 {
	var s float64
	for _, v := range x {
		s += v
	}
	return s
}
