package kernel

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/vec"
	"github.com/mercer-ml/mercer/search/param"
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

var gaussianKind = kindOf(param.Words{
	ID: "gaussian", Title: "Gaussian (RBF)",
	Formula: "exp(-|x-z|^2 / (2 sigma^2))",
	About:   "the default for dense rows",
	Parameters: []param.Meaning{
		widthMeaning(),
		meaning("gamma", "> 0", "", "LIBSVM's name: gamma = 1/(2 sigma^2); give one of the two"),
	},
	Source: cite.Becker + ", eq. 1.16; " + cite.Sindhwani + ", 1.2",
	LIBSVM: "-t 2 -g gamma", SciKit: "rbf, gamma = 1/(2 sigma^2)",
	Example: "mercer fit digits --labels 40 --set gamma=0.001",
}, func(k *Gaussian) []field { return []field{{name: "sigma", value: &k.Sigma}} })

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

func (k Gaussian) check(at stage) error { return positive("gaussian", "sigma", k.Sigma, at) }
func (k Gaussian) compares() comparison { return distance }

func (k Gaussian) value(s []float64) { vec.ExpScaled(s, -0.5/(k.Sigma*k.Sigma), s) }

func (k Gaussian) slope(grad, s, bar []float64) {
	var e [lane]float64
	var sum float64
	for lo := 0; lo < len(s); lo += lane {
		hi := min(lo+lane, len(s))
		vec.ExpScaled(e[:hi-lo], -0.5/(k.Sigma*k.Sigma), s[lo:hi])
		sum += dot3(e[:hi-lo], s[lo:hi], bar[lo:hi])
	}
	grad[0] += sum / (k.Sigma * k.Sigma * k.Sigma)
}

func (k Gaussian) tangent(grad, x, c []float64, a float64) error {
	return gaussianTangent(grad, x, c, a, func(int) float64 { return k.Sigma })
}

func (k Gaussian) single(s *rowsSingle, _ int) bool {
	s.factor, s.form = math.Sqrt(math.Log2E)/k.Sigma, vec.Gaussian32
	return true
}
