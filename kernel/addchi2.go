package kernel

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/search/param"
)

// AddChi2 is the additive chi-square kernel for features that are not negative,
//
//	k(x, z) = sum_k 2 x_k z_k / (x_k + z_k),   0/0 = 0,
//
// positive definite; k(x, x) = |x|_1. It has no parameters; Scaled gives it a weight.
// Chi2Map approximates it by a linear kernel. scikit-learn's additive_chi2_kernel is
// -sum_k (x_k-z_k)^2/(x_k+z_k) = 2 k(x, z) - |x|_1 - |z|_1 instead.
//
// Negative features are an error of Bind and Cross. Cost: histograms.go. Source: Klatzer
// 2014, eq. 6.2; Vedaldi and Zisserman, Efficient additive kernels via explicit feature
// maps (2012).
type AddChi2 struct{}

var addChi2Kind = kindOf[AddChi2](param.Words{
	ID: "add-chi2", Title: "additive chi-square",
	Formula: "sum_k 2 x_k z_k / (x_k + z_k),  0/0 = 0",
	About:   "for features that are not negative; leave them unscaled or use --scale minmax",
	Source:  cite.Klatzer + ", eq. 6.2; Vedaldi & Zisserman 2012",
	SciKit:  "metrics.pairwise.additive_chi2_kernel = 2 k(x,z) - |x|_1 - |z|_1",
	Example: "mercer fit digits --kernel add-chi2 --scale none --labels 40",
}, nil)

// Space is empty.
func (k AddChi2) Space() param.Space { return nil }

// With returns the kernel itself; theta must be empty.
func (k AddChi2) With(theta []float64) (Kernel, error) {
	checkTheta(k, theta)
	return k, nil
}

// Adapt returns the kernel itself.
func (k AddChi2) Adapt(data.Rows) Kernel { return k }

// Bind prepares the rows: O(nd).
func (k AddChi2) Bind(ctx context.Context, train data.Rows, w *Work) (Gram, error) {
	return bindChi(ctx, k, train, w)
}

func (k AddChi2) compares() comparison    { return innerProduct }
func (k AddChi2) value([]float64)         {}
func (k AddChi2) slope(_, _, _ []float64) {}
