package kernel

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/vec"
	"github.com/mercer-ml/mercer/search/param"
)

// Sigmoid is k(x, z) = tanh(scale <x, z> + offset). It is not positive
// semi-definite in general: learners that need a positive definite matrix may
// fail on it.
//
// A zero Scale means 1 over the mean squared norm of the rows (see Adapt); Offset
// may have any sign. The parameters are "scale" and "offset":
//
//	dk/dscale = (1-k^2) <x, z>     dk/doffset = 1-k^2
type Sigmoid struct {
	Scale  float64 `json:"scale,omitempty"`
	Offset float64 `json:"offset,omitempty"`
}

var sigmoidKind = kindOf(param.Words{
	ID: "sigmoid", Title: "sigmoid",
	Formula: "tanh(scale <x, z> + offset)",
	About: "not positive definite in general: least squares are solved as they are, a machine in the dual may be one of several " +
		"solutions, and the fit says so",
	Parameters: []param.Meaning{
		factorMeaning(),
		meaning("offset", "any", "tuned, from 0", "additive constant; --set coef0= is the same"),
	},
	Source: cite.Becker + ", eq. 1.17",
	LIBSVM: "-t 3 -g scale -r offset", SciKit: "sigmoid, gamma = scale, coef0 = offset",
	Example: "mercer fit iris --kernel sigmoid",
}, func(k *Sigmoid) []field {
	return []field{{name: "scale", value: &k.Scale}, {name: "offset", value: &k.Offset}}
})

// Space is "scale", within a factor 64 of its present value, and "offset".
func (k Sigmoid) Space() param.Space {
	return param.Space{logDim("scale", k.Scale), offsetDim(-1, k.Offset)}
}

// With returns the kernel with scale theta[0] > 0 and offset theta[1].
func (k Sigmoid) With(theta []float64) (Kernel, error) {
	checkTheta(k, theta)
	return valid(Sigmoid{Scale: theta[0], Offset: theta[1]})
}

// Adapt replaces a zero scale by 1 over the mean squared norm of the rows.
func (k Sigmoid) Adapt(rows data.Rows) Kernel {
	if k.Scale == 0 {
		k.Scale = 1 / meanSquare(rows)
	}
	return k
}

// Bind prepares the rows: O(nd).
func (k Sigmoid) Bind(ctx context.Context, train data.Rows, w *Work) (Gram, error) {
	return bindShape(ctx, k, train, w)
}

func (k Sigmoid) check(at stage) error {
	if err := positive("sigmoid", "scale", k.Scale, at); err != nil {
		return err
	}
	return finite("sigmoid", "offset", k.Offset, math.Inf(-1))
}

func (k Sigmoid) indefinite()          {}
func (k Sigmoid) compares() comparison { return innerProduct }

func (k Sigmoid) value(s []float64) {
	for j, v := range s {
		s[j] = math.Tanh(k.Scale*v + k.Offset)
	}
}

func (k Sigmoid) slope(grad, s, bar []float64) {
	for j, v := range s {
		t := math.Tanh(k.Scale*v + k.Offset)
		d := bar[j] * (1 - t*t)
		grad[0] += d * v
		grad[1] += d
	}
}

func (k Sigmoid) tangent(grad, x, c []float64, a float64) error {
	t := math.Tanh(k.Scale*inner(c, x) + k.Offset)
	return along(grad, c, a*(k.Scale*(1-t*t)))
}

func (k Sigmoid) single(s *rowsSingle, terms int) bool {
	s.factor, s.most = math.Sqrt(k.Scale), singleError/noise(terms)/k.Scale
	s.form = sigmoid32(k.Offset)
	return true
}

// sigmoid32 is tanh(s + offset) = 1 - 2/(exp(2(s+offset)) + 1), in double precision.
func sigmoid32(offset float64) singleForm {
	return func(dst, s []float32, _ float32, _ []float32) {
		var e [lane]float64
		for lo := 0; lo < len(s); lo += lane {
			hi := min(lo+lane, len(s))
			t := e[:hi-lo]
			for q, v := range s[lo:hi] {
				t[q] = 2 * (float64(v) + offset)
			}
			vec.Exp(t, t)
			for q, v := range t {
				dst[lo+q] = float32(1 - 2/(v+1))
			}
		}
	}
}
