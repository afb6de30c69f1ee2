package kernel

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// ARDGaussian is k(x, z) = exp(-sum_k (x_k-z_k)^2 / (2 sigma_k^2)), a Gaussian
// with one width a column (automatic relevance determination), positive definite.
//
// Sigma has d widths in the units of their columns. Zero widths, and an empty
// list, mean the median Euclidean distance of the rows for every column (see
// Adapt), which makes the kernel the default Gaussian. The parameters are
// "sigma[1]" ... "sigma[d]":
//
//	dk/dsigma_k = k (x_k-z_k)^2 / sigma_k^3
type ARDGaussian struct {
	Sigma []float64 `json:"sigma,omitempty"`
}

var ardGaussianKind = kindOf(param.Words{
	ID: "ard-gaussian", Title: "Gaussian with a width for each column",
	Formula: "exp(-sum_k (x_k-z_k)^2 / (2 sigma_k^2))",
	About: "automatic relevance determination: a useless column gets a large width; for the gradient search, which has all widths in " +
		"one pass",
	Parameters: []param.Meaning{
		meaning("sigma[1], sigma[2], ...", "> 0", "tuned, from the median distance",
			"width of a column, counted from 1; ard-gaussian(sigma=1:2:3) gives all of them"),
	},
	Source:  cite.Becker + ", 2.4.3 for the gradient; MacKay 1994, Neal 1996",
	SciKit:  "gaussian_process.kernels.RBF(length_scale = sigma), anisotropic",
	Example: "mercer fit wine --method rls --kernel ard-gaussian --search gradient",
}, func(k *ARDGaussian) []field { return []field{{name: "sigma", value: &k.Sigma}} })

// Space is the widths, each within a factor 64 of its present value.
func (k ARDGaussian) Space() param.Space {
	s := make(param.Space, len(k.Sigma))
	for c, v := range k.Sigma {
		s[c] = logDim(fmt.Sprintf("sigma[%d]", c+1), v)
	}
	return s
}

// With returns the kernel with the widths theta > 0.
func (k ARDGaussian) With(theta []float64) (Kernel, error) {
	checkTheta(k, theta)
	return valid(ARDGaussian{Sigma: append([]float64(nil), theta...)})
}

// Adapt replaces zero widths by the median distance of at most 1000 rows.
func (k ARDGaussian) Adapt(rows data.Rows) Kernel {
	sigma := make([]float64, rows.Dim())
	if len(k.Sigma) > 0 {
		sigma = append([]float64(nil), k.Sigma...)
	}
	var m float64
	for c, v := range sigma {
		if v == 0 {
			if m == 0 {
				m = medianDistance(rows)
			}
			sigma[c] = m
		}
	}
	return ARDGaussian{Sigma: sigma}
}

// Bind divides the columns by their widths: O(nd) time and memory.
func (k ARDGaussian) Bind(ctx context.Context, train data.Rows, _ *Work) (Gram, error) {
	if err := ready(ctx, k); err != nil {
		return nil, err
	}
	if d := train.Dim(); d != len(k.Sigma) {
		return nil, fmt.Errorf("kernel: ard-gaussian: %d widths for rows of %d columns; give one a column", len(k.Sigma), d)
	}
	factor := make([]float64, len(k.Sigma))
	for c, v := range k.Sigma {
		factor[c] = 1 / v
	}
	unit := &shapeGram{k: Gaussian{Sigma: 1}, train: train, p: euclidean{newPoints(train, distance, factor)}}
	return &ardGram{shapeGram: unit, k: k}, nil
}

func (k ARDGaussian) check(at stage) error {
	if at == bound && len(k.Sigma) == 0 {
		return fmt.Errorf("ard-gaussian: no widths; give one a column or take them from the rows with Adapt")
	}
	for c, v := range k.Sigma {
		if err := positive("ard-gaussian", fmt.Sprintf("sigma[%d]", c+1), v, at); err != nil {
			return err
		}
	}
	return nil
}

func (k ARDGaussian) share(variance, sigma float64) float64 { return variance / (sigma * sigma) }
func (k ARDGaussian) on(columns []int) Kernel {
	return ARDGaussian{Sigma: indices.Of(k.Sigma, columns)}
}

func (k ARDGaussian) tangent(grad, x, c []float64, a float64) error {
	return gaussianTangent(grad, x, c, a, func(i int) float64 { return k.Sigma[i] })
}

// gaussianTangent is tangent with a width for each column.
func gaussianTangent(grad, x, c []float64, a float64, sigma func(i int) float64) error {
	var r float64
	for i, v := range c {
		t := (x[i] - v) / sigma(i)
		r += t * t
	}
	a *= math.Exp(-r / 2)
	for i, v := range c {
		grad[i] += a * (v - x[i]) / (sigma(i) * sigma(i))
	}
	return nil
}

// ardGram is the unit Gaussian on the rows u = x / sigma.
type ardGram struct {
	*shapeGram
	k ARDGaussian
}

// Pull, with B = bar o K, r = B 1, c = B'1 and the rows u, v of I and J:
//
//	grad_k += (sum_i r_i u_ik^2 + sum_j c_j v_jk^2 - 2 sum_i u_ik (B V)_ik) / sigma_k
//
// Cost: 2 |I||J| d flops for all d widths (for sparse rows the pairs of entries in
// a common column), besides Block and U V'.
func (g *ardGram) Pull(grad []float64, bar Cotangent) error {
	checkGrad(grad, g.k)
	sum := make([]float64, len(grad))
	_, m := bar.dims(g.Len())
	pj := g.points().take(bar.J)
	columns := make([]float64, m)
	var work *mat.Dense
	bar.panels(g.Len(), func(i []int, b *mat.Dense) {
		k := panelOf(&work, len(i), m)
		g.Block(k, i, bar.J)
		weigh(k, b)
		addSquaredTerms(sum, columns, g.points().take(i), pj, k)
	})
	addSquares(sum, pj, columns)
	for q, v := range sum {
		grad[q] += v / g.k.Sigma[q]
	}
	return nil
}

func (g *ardGram) Expand(alpha *mat.Dense, j []int) ([]Expansion, error) {
	return expand(g.k, g.train, alpha, j), nil
}

// weigh multiplies the elements of k by those of b.
func weigh(k, b *mat.Dense) {
	r, _ := k.Dims()
	parallel.Pieces(r, chunk, func(lo, hi int) {
		for a := lo; a < hi; a++ {
			to := row(k, a)
			for j, v := range row(b, a) {
				to[j] *= v
			}
		}
	})
}

// addSquaredTerms adds sum_ab weight_ab ((u_ak - v_bk)^2 - v_bk^2) to sum_k, and the sums of the columns of the weights to columns, by
// which addSquares adds the rest.
func addSquaredTerms(sum, columns []float64, u, v *points, weight *mat.Dense) {
	n, m := weight.Dims()
	r := make([]float64, n)
	parallel.Pieces(n, chunk, func(lo, hi int) {
		for a := lo; a < hi; a++ {
			for _, w := range row(weight, a) {
				r[a] += w
			}
		}
	})
	parallel.Pieces(m, 512, func(lo, hi int) { // 512 doubles of a row are one page
		for a := range n {
			for j, w := range row(weight, a)[lo:hi] {
				columns[lo+j] += w
			}
		}
	})
	addSquares(sum, u, r)
	if u.dense == nil {
		addSparse(sum, u, v, weight)
		return
	}
	p := mat.NewDense(n, len(sum), nil)
	blas.Gemm(1, blas.N(weight), blas.N(v.dense), 0, p)
	for a := range n {
		x := row(u.dense, a)
		for q, w := range row(p, a) {
			sum[q] -= 2 * x[q] * w
		}
	}
}

// addSquares adds sum_a weight_a u_ak^2 to sum_k.
func addSquares(sum []float64, p *points, weight []float64) {
	for a, w := range weight {
		if p.dense != nil {
			for k, v := range row(p.dense, a) {
				sum[k] += w * v * v
			}
			continue
		}
		idx, val := p.csr.Row(a)
		for q, k := range idx {
			sum[k] += w * val[q] * val[q]
		}
	}
}

// addSparse adds -2 sum_ab u_ak B_ab v_bk to sum_k, over the pairs of entries in
// a common column.
func addSparse(sum []float64, pi, pj *points, b *mat.Dense) {
	n, d := pi.len(), len(sum)
	t := pj.transpose()
	pieces := (n + chunk - 1) / chunk
	part := make([]float64, pieces*d)
	parallel.Pieces(n, chunk, func(lo, hi int) {
		to := part[lo/chunk*d:][:d]
		for a := lo; a < hi; a++ {
			ba := row(b, a)
			idx, val := pi.csr.Row(a)
			for q, k := range idx {
				var s float64
				rows, values := t.Row(int(k))
				for p, r := range rows {
					s += values[p] * ba[r]
				}
				to[k] -= 2 * val[q] * s
			}
		}
	})
	for q, v := range part {
		sum[q%d] += v
	}
}
