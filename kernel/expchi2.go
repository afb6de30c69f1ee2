package kernel

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// ExpChi2 is the exponential chi-square kernel for features that are not negative,
// such as histograms,
//
//	k(x, z) = exp(-chi2(x, z) / (2 sigma^2)),   chi2(x, z) = sum_k (x_k-z_k)^2 / (x_k+z_k),
//
// 0/0 = 0, positive definite. The gamma of the sources and of scikit-learn is
// 1/(2 sigma^2), as for the Gaussian.
//
// Sigma is the width in units of sqrt(chi2), which is a metric; zero means its median
// over at most 1000 evenly strided rows (see Adapt). The parameter is "sigma":
//
//	dk/dsigma = k chi2 / sigma^3
//
// Negative features are an error of Bind and Cross. Cost: histograms.go. Source: Klatzer
// 2014, eq. 6.1; Fowlkes et al., Spectral grouping using the Nystroem method (2004), for
// its definiteness.
type ExpChi2 struct {
	Sigma float64 `json:"sigma,omitempty"`
}

var expChi2Kind = kindOf(param.Words{
	ID: "exp-chi2", Title: "exponential chi-square",
	Formula: "exp(-sum_k (x_k-z_k)^2/(x_k+z_k) / (2 sigma^2)),  0/0 = 0",
	About:   "for histograms, counts and other features that are not negative; leave them unscaled or use --scale minmax",
	Parameters: []param.Meaning{
		meaning("sigma", "> 0", "tuned, from the median distance of the rows", "width, in the units of the square root of the features"),
		meaning("gamma", "> 0", "", "the sources' name: gamma = 1/(2 sigma^2); give one of the two"),
	},
	Source:  cite.Klatzer + ", eq. 6.1",
	SciKit:  "metrics.pairwise.chi2_kernel, gamma = 1/(2 sigma^2)",
	Example: "mercer fit digits --kernel exp-chi2 --scale none --labels 40",
}, func(k *ExpChi2) []field { return []field{{name: "sigma", value: &k.Sigma}} })

// Space is the width "sigma", within a factor 64 of its present value.
func (k ExpChi2) Space() param.Space { return param.Space{logDim("sigma", k.Sigma)} }

// With returns the kernel of width theta[0] > 0.
func (k ExpChi2) With(theta []float64) (Kernel, error) {
	checkTheta(k, theta)
	return valid(ExpChi2{Sigma: theta[0]})
}

// Adapt replaces a zero width by the median of sqrt(chi2) over the rows. Of rows with
// negative features, which Bind will refuse, it is 1.
func (k ExpChi2) Adapt(rows data.Rows) Kernel {
	if k.Sigma != 0 {
		return k
	}
	k.Sigma = 1
	idx := sampled(rows.Len())
	if len(idx) < 2 {
		return k
	}
	h, err := newHistograms("exp-chi2", rows.Select(idx))
	if err != nil {
		return k
	}
	k.Sigma = medianOfPairs(len(idx), func(s *mat.Dense) {
		parallel.Pieces(len(idx), chunk, func(lo, hi int) { h.pairs(s, h, lo, hi, distance) })
	})
	return k
}

// Bind prepares the rows: O(nd).
func (k ExpChi2) Bind(ctx context.Context, train data.Rows, w *Work) (Gram, error) {
	return bindChi(ctx, k, train, w)
}

func (k ExpChi2) check(at stage) error { return positive("exp-chi2", "sigma", k.Sigma, at) }
func (k ExpChi2) compares() comparison { return distance }

// A function of the squared metric: the Gaussian's.
func (k ExpChi2) value(s []float64)            { Gaussian(k).value(s) }
func (k ExpChi2) slope(grad, s, bar []float64) { Gaussian(k).slope(grad, s, bar) }
