package kernel

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/internal/vec"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// L1Laplacian is k(x, z) = exp(-sum_k |x_k-z_k| / sigma), the product of Laplacian kernels of single columns, positive definite. It knows
// steps and thresholds of single columns, which kernels of Euclidean distances smooth out.
//
// Sigma is in the units of the features; zero means the median sum of absolute differences of at most 1000 rows (see Adapt). The parameter
// is "sigma": dk/dsigma = k s / sigma^2 with s the sum. Cost of a block: half a cycle or less a feature of a pair (package vec).
type L1Laplacian struct {
	Sigma float64 `json:"sigma,omitempty"`
}

var l1LaplacianKind = kindOf(param.Words{
	ID: "l1-laplacian", Title: "Laplacian of absolute differences",
	Formula: "exp(-sum_k |x_k-z_k| / sigma)",
	About: "for tables: the product of a Laplacian kernel for each column, which follows steps and thresholds of single columns as " +
		"decision trees do",
	Parameters: []param.Meaning{
		meaning("sigma", "> 0", "tuned, from the median distance of the rows", "width, in the units of the features"),
	},
	Source:  "Schoelkopf & Smola 2002, section 4.4; Rahimi & Recht 2007",
	SciKit:  "metrics.pairwise.laplacian_kernel, gamma = 1/sigma",
	Example: "mercer fit wine --kernel l1-laplacian",
}, func(k *L1Laplacian) []field { return []field{{name: "sigma", value: &k.Sigma}} })

// Space is the width "sigma", within a factor 64 of its present value.
func (k L1Laplacian) Space() param.Space { return param.Space{logDim("sigma", k.Sigma)} }

// With returns the kernel of width theta[0] > 0.
func (k L1Laplacian) With(theta []float64) (Kernel, error) {
	checkTheta(k, theta)
	return valid(L1Laplacian{Sigma: theta[0]})
}

// Adapt replaces a zero width by the median sum of absolute differences of at most 1000 rows.
func (k L1Laplacian) Adapt(rows data.Rows) Kernel {
	if k.Sigma == 0 {
		k.Sigma = medianAbsolute(rows)
	}
	return k
}

// medianAbsolute is medianDistance of sums of absolute differences.
func medianAbsolute(rows data.Rows) float64 {
	idx := sampled(rows.Len())
	if len(idx) < 2 {
		return 1
	}
	p := newManhattan(rows.Select(idx), nil)
	return medianOfPairs(len(idx), func(s *mat.Dense) {
		parallel.Pieces(len(idx), chunk, func(lo, hi int) {
			p.pairs(s, p.additive, lo, hi, sums{of: distance, factor: 1})
			for a := lo; a < hi; a++ {
				for b, v := range row(s, a)[:a] {
					row(s, a)[b] = v * v
				}
			}
		})
	})
}

// Bind prepares the rows: O(nd).
func (k L1Laplacian) Bind(ctx context.Context, train data.Rows, w *Work) (Gram, error) {
	if err := ready(ctx, k); err != nil {
		return nil, err
	}
	return &shapeGram{k: k, train: train, p: newManhattan(train, nil), w: w}, nil
}

func (k L1Laplacian) check(at stage) error { return positive("l1-laplacian", "sigma", k.Sigma, at) }
func (k L1Laplacian) compares() comparison { return distance }

func (k L1Laplacian) value(s []float64) { vec.ExpScaled(s, -1/k.Sigma, s) }

func (k L1Laplacian) slope(grad, s, bar []float64) {
	var e [lane]float64
	var sum float64
	for lo := 0; lo < len(s); lo += lane {
		hi := min(lo+lane, len(s))
		vec.ExpScaled(e[:hi-lo], -1/k.Sigma, s[lo:hi])
		sum += dot3(e[:hi-lo], s[lo:hi], bar[lo:hi])
	}
	grad[0] += sum / (k.Sigma * k.Sigma)
}

func (k L1Laplacian) tangent(grad, x, c []float64, a float64) error {
	return absoluteTangent(grad, x, c, a, func(int) float64 { return k.Sigma })
}

// absoluteTangent adds a dk(x, c)/dx_i = a k sign(c_i - x_i) / sigma_i. Where x_i = c_i it is the mean of both sides, zero.
func absoluteTangent(grad, x, c []float64, a float64, sigma func(i int) float64) error {
	var s float64
	for i, v := range c {
		s += math.Abs(x[i]-v) / sigma(i)
	}
	a *= math.Exp(-s)
	for i, v := range c {
		switch {
		case x[i] < v:
			grad[i] += a / sigma(i)
		case x[i] > v:
			grad[i] -= a / sigma(i)
		}
	}
	return nil
}
