package kernel

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/vec"
	"github.com/mercer-ml/mercer/search/param"
)

// Laplacian is k(x, z) = exp(-|x-z| / sigma) with the Euclidean norm (the Matern
// kernel of smoothness 1/2), positive definite. scikit-learn's kernel of the same
// name has the sum of absolute differences instead.
//
// Sigma is in the units of the features; zero means the median Euclidean
// distance (see Adapt). The parameter is "sigma": dk/dsigma = k |x-z| / sigma^2.
type Laplacian struct {
	Sigma float64 `json:"sigma,omitempty"`
}

var laplacianKind = kindOf(param.Words{
	ID: "laplacian", Title: "Laplacian (exponential)",
	Formula:    "exp(-|x-z| / sigma), Euclidean norm",
	About:      "rougher functions than the Gaussian: the Matern kernel of smoothness 1/2",
	Parameters: []param.Meaning{widthMeaning()},
	Source:     "Matern 1960; scikit-learn's kernel of the same name takes the sum of absolute differences instead",
	SciKit:     "gaussian_process.kernels.Matern(length_scale = sigma, nu = 0.5)",
	Example:    "mercer fit sinc --kernel laplacian",
}, func(k *Laplacian) []field { return []field{{name: "sigma", value: &k.Sigma}} })

// Space is the width "sigma", within a factor 64 of its present value.
func (k Laplacian) Space() param.Space { return param.Space{logDim("sigma", k.Sigma)} }

// With returns the Laplacian kernel of width theta[0] > 0.
func (k Laplacian) With(theta []float64) (Kernel, error) {
	checkTheta(k, theta)
	return valid(Laplacian{Sigma: theta[0]})
}

// Adapt replaces a zero width by the median distance of at most 1000 rows.
func (k Laplacian) Adapt(rows data.Rows) Kernel {
	if k.Sigma == 0 {
		k.Sigma = medianDistance(rows)
	}
	return k
}

// Bind prepares the rows: O(nd).
func (k Laplacian) Bind(ctx context.Context, train data.Rows, w *Work) (Gram, error) {
	return bindShape(ctx, k, train, w)
}

func (k Laplacian) check(at stage) error { return positive("laplacian", "sigma", k.Sigma, at) }
func (k Laplacian) compares() comparison { return distance }

func (k Laplacian) value(s []float64) {
	vec.Sqrt(s, s)
	vec.ExpScaled(s, -1/k.Sigma, s)
}

func (k Laplacian) slope(grad, s, bar []float64) {
	var d, e [lane]float64
	var sum float64
	for lo := 0; lo < len(s); lo += lane {
		hi := min(lo+lane, len(s))
		vec.Sqrt(d[:hi-lo], s[lo:hi])
		vec.ExpScaled(e[:hi-lo], -1/k.Sigma, d[:hi-lo])
		sum += dot3(e[:hi-lo], d[:hi-lo], bar[lo:hi])
	}
	grad[0] += sum / (k.Sigma * k.Sigma)
}

func (k Laplacian) tangent(grad, x, c []float64, a float64) error {
	var r float64
	for i, v := range c {
		r += (x[i] - v) * (x[i] - v)
	}
	if r = math.Sqrt(r); r == 0 {
		return NoSlope("the row is equal to one that the model keeps, where the laplacian kernel has a kink")
	}
	a *= math.Exp(-r/k.Sigma) / (k.Sigma * r)
	for i, v := range c {
		grad[i] += a * (v - x[i])
	}
	return nil
}
