package kernel

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/param"
)

// Gaussian is k(x, z) = exp(-|x-z|^2 / (2 sigma^2)), positive definite.
//
// Sigma is the width in the units of the features; the gamma of LIBSVM and
// scikit-learn is 1/(2 sigma^2). Zero means the median Euclidean distance of at
// most 1000 evenly strided rows (see Adapt). The parameter is "sigma":
//
//	dk/dsigma = k |x-z|^2 / sigma^3
type Gaussian struct {
	Sigma float64 `json:"sigma,omitempty"`
}

// Space is the width "sigma", within a factor 64 of its present value.
func (k Gaussian) Space() param.Space { return param.Space{logDim("sigma", k.Sigma)} }

// With returns the Gaussian of width theta[0] > 0.
func (k Gaussian) With(theta []float64) (Kernel, error) {
	checkTheta(k, theta)
	return valid(Gaussian{Sigma: theta[0]})
}

// Adapt replaces a zero width by the median distance of the rows.
func (k Gaussian) Adapt(rows data.Rows) Kernel {
	if k.Sigma == 0 {
		k.Sigma = medianDistance(rows)
	}
	return k
}

// Bind prepares the rows: O(nd).
func (k Gaussian) Bind(ctx context.Context, train data.Rows, w *Work) (Gram, error) {
	return bindShape(ctx, k, train, w)
}

func (k Gaussian) check(bound bool) error { return positive("gaussian", "sigma", k.Sigma, bound) }
func (k Gaussian) plain() bool            { return true }
func (k Gaussian) distance() bool         { return true }

func (k Gaussian) value(s []float64) {
	c := -0.5 / (k.Sigma * k.Sigma)
	for j, d2 := range s {
		s[j] = math.Exp(c * d2)
	}
}

func (k Gaussian) slope(grad, s, bar []float64) {
	c := -0.5 / (k.Sigma * k.Sigma)
	var sum float64
	for j, d2 := range s {
		sum += bar[j] * d2 * math.Exp(c*d2)
	}
	grad[0] += sum / (k.Sigma * k.Sigma * k.Sigma)
}
