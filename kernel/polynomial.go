package kernel

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/search/param"
)

// defaultDegree is LIBSVM's.
const defaultDegree = 3

// Polynomial is k(x, z) = (scale <x, z> + offset)^degree, positive semi-definite
// for scale > 0, offset >= 0.
//
// Degree is a fixed positive integer; zero means 3. A zero Scale means 1 over the
// mean squared norm of the rows (see Adapt). A zero Offset is the homogeneous
// kernel. The parameters are "scale" and "offset"; with b = scale <x, z> + offset
//
//	dk/dscale = degree b^(degree-1) <x, z>     dk/doffset = degree b^(degree-1)
type Polynomial struct {
	Degree int     `json:"degree,omitempty"`
	Scale  float64 `json:"scale,omitempty"`
	Offset float64 `json:"offset,omitempty"`
}

var polynomialKind = kindOf(param.Words{
	ID: "polynomial", Title: "polynomial",
	Formula: "(scale <x, z> + offset)^degree",
	About:   "degree is fixed, scale and offset are tuned; write polynomial(degree=2) for another degree",
	Parameters: []param.Meaning{
		meaning("degree", "whole, >= 1", "3", "in the specification; --set degree is the power of the Laplacian"),
		factorMeaning(),
		meaning("offset", ">= 0", "tuned, from 1", "additive constant; --set coef0= is the same"),
	},
	Source: cite.Becker + ", 1.2.2; " + cite.Sindhwani + ", 1.2",
	LIBSVM: "-t 1 -d degree -g scale -r offset", SciKit: "poly, gamma = scale, coef0 = offset",
	Example: "mercer fit iris --kernel 'polynomial(degree=2)'",
}, func(k *Polynomial) []field {
	return []field{{name: "degree", value: &k.Degree}, {name: "scale", value: &k.Scale}, {name: "offset", value: &k.Offset, usual: 1}}
})

// Space is "scale", within a factor 64 of its present value, and "offset" >= 0.
func (k Polynomial) Space() param.Space {
	return param.Space{logDim("scale", k.Scale), offsetDim(0, k.Offset)}
}

// With returns the kernel with scale theta[0] > 0 and offset theta[1] >= 0.
func (k Polynomial) With(theta []float64) (Kernel, error) {
	checkTheta(k, theta)
	k.Scale, k.Offset = theta[0], theta[1]
	return valid(k)
}

// Adapt replaces a zero degree by 3 and a zero scale by 1 over the mean squared
// norm of the rows.
func (k Polynomial) Adapt(rows data.Rows) Kernel {
	if k.Degree == 0 {
		k.Degree = defaultDegree
	}
	if k.Scale == 0 {
		k.Scale = 1 / meanSquare(rows)
	}
	return k
}

// Bind prepares the rows: O(nd).
func (k Polynomial) Bind(ctx context.Context, train data.Rows, w *Work) (Gram, error) {
	return bindShape(ctx, k, train, w)
}

func (k Polynomial) check(at stage) error {
	if k.Degree < 0 || k.Degree == 0 && at == bound {
		return fmt.Errorf("polynomial: degree is %d; it must be a positive integer", k.Degree)
	}
	if err := positive("polynomial", "scale", k.Scale, at); err != nil {
		return err
	}
	return finite("polynomial", "offset", k.Offset, 0)
}

func (k Polynomial) compares() comparison { return innerProduct }

func (k Polynomial) value(s []float64) {
	for j, v := range s {
		s[j] = power(k.Scale*v+k.Offset, k.Degree)
	}
}

func (k Polynomial) slope(grad, s, bar []float64) {
	var scale, offset float64
	for j, v := range s {
		t := bar[j] * power(k.Scale*v+k.Offset, k.Degree-1)
		scale += t * v
		offset += t
	}
	grad[0] += float64(k.Degree) * scale
	grad[1] += float64(k.Degree) * offset
}

// power is b^p for p >= 0 by repeated squaring.
func power(b float64, p int) float64 {
	r := 1.0
	for ; p > 0; p >>= 1 {
		if p&1 == 1 {
			r *= b
		}
		b *= b
	}
	return r
}

func (k Polynomial) tangent(grad, x, c []float64, a float64) error {
	b := k.Scale*inner(c, x) + k.Offset
	return along(grad, c, a*(float64(k.Degree)*k.Scale*math.Pow(b, float64(k.Degree-1))))
}

func (k Polynomial) single(s *rowsSingle, terms int) bool {
	largest := math.Pow(floatSquare, 1/float64(k.Degree)) - k.Offset // of scaled inner products whose power is in range
	if s.factor, s.most = math.Sqrt(k.Scale), min(floatSquare, largest)/k.Scale; !(s.most > 0) {
		return false
	}
	s.form = polynomial32(float32(k.Offset), k.Degree)
	return float64(k.Degree)*noise(terms) <= singleError
}

// polynomial32 is (s + offset)^degree.
func polynomial32(offset float32, degree int) singleForm {
	return func(dst, s []float32, _ float32, _ []float32) {
		for q, v := range s {
			r, b := float32(1), v+offset
			for p := degree; p > 0; p >>= 1 {
				if p&1 == 1 {
					r *= b
				}
				b *= b
			}
			dst[q] = r
		}
	}
}
