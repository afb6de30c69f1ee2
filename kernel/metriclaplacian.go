package kernel

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// MetricLaplacian is k(x, z) = exp(-r / sigma), r^2 = (x-z)' M (x-z), for a metric M that is symmetric and has no eigenvalue below zero;
// the kernel is positive definite. Learned from labels M makes differences long that change the answer: a recursive feature machine has
// for M a mean outer product of the gradients of what was learned before, or its root.
//
// Metric is M; Diagonal is one with nothing beside its diagonal. Neither is the identity, which makes the kernel Laplacian. Sigma 0 means
// the median r of the rows (see Adapt). The parameter is "sigma": dk/dsigma = k r / sigma^2.
type MetricLaplacian struct {
	Sigma    float64
	Metric   *mat.Dense
	Diagonal []float64
}

var metricLaplacianKind = kindOf(param.Words{
	ID: "metric-laplacian", Title: "Laplacian of a metric",
	Formula:    "exp(-r / sigma),  r^2 = (x-z)' M (x-z)",
	About:      "of a recursive feature machine, which learns M from labels; metric-laplacian(diagonal=1:2:3) gives M by its diagonal",
	Parameters: []param.Meaning{widthMeaning()},
	Source:     "Radhakrishnan, Beaglehole, Pandit & Belkin, Science 383, 2024",
	Example:    "mercer fit wine --method rls --kernel metric-laplacian",
}, func(k *MetricLaplacian) []field {
	return []field{
		{name: "sigma", value: &k.Sigma}, {name: "metric", value: &matrix{&k.Metric}},
		{name: "diagonal", value: &k.Diagonal, spelled: true},
	}
})

// metricRank is the share of the largest eigenvalue of a metric below which another counts as zero.
const metricRank = 1e-12

// Space is the width "sigma", within a factor 64 of its present value.
func (k MetricLaplacian) Space() param.Space { return param.Space{logDim("sigma", k.Sigma)} }

// With returns the kernel of width theta[0] > 0.
func (k MetricLaplacian) With(theta []float64) (Kernel, error) {
	checkTheta(k, theta)
	k.Sigma = theta[0]
	return valid(k)
}

// Adapt replaces a zero width by the median r of at most 1000 rows.
func (k MetricLaplacian) Adapt(rows data.Rows) Kernel {
	if k.Sigma != 0 {
		return k
	}
	k.Sigma = 1
	if u, err := k.Map(rows.Select(sampled(rows.Len()))); err == nil { // else Bind reports it
		k.Sigma = medianDistance(u)
	}
	return k
}

// Bind takes the rows to where the metric is Euclidean: O(nd^2) and, once for a metric, O(d^3).
func (k MetricLaplacian) Bind(ctx context.Context, train data.Rows, _ *Work) (Gram, error) {
	if err := ready(ctx, k); err != nil {
		return nil, err
	}
	root, err := k.root(train.Dim())
	if err != nil {
		return nil, err
	}
	unit := &shapeGram{k: Laplacian{Sigma: k.Sigma}, train: train, p: euclidean{newPoints(mapBy(root, train), distance, nil)}}
	return &metricGram{unit, k, root}, nil
}

func (k MetricLaplacian) check(at stage) error {
	if k.Metric != nil && k.Diagonal != nil {
		return errors.New("metric-laplacian: a metric and a diagonal; give one of them")
	}
	for c, v := range k.Diagonal {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("metric-laplacian: diagonal[%d] is %g; it must be at least 0 and finite", c+1, v)
		}
	}
	if k.Metric != nil {
		if err := symmetric(k.Metric); err != nil {
			return err
		}
	}
	return positive("metric-laplacian", "sigma", k.Sigma, at)
}

// symmetric reports a matrix that is none, or not finite.
func symmetric(m *mat.Dense) error {
	r, c := m.Dims()
	if r != c {
		return fmt.Errorf("metric-laplacian: the metric has %d rows and %d columns", r, c)
	}
	for i := range r {
		for j := range i + 1 {
			v := m.At(i, j)
			if math.IsNaN(v) || math.IsInf(v, 0) || v != m.At(j, i) {
				return fmt.Errorf("metric-laplacian: the metric is not finite or not symmetric at (%d, %d)", i+1, j+1)
			}
		}
	}
	return nil
}

// Map takes rows to where r is the Euclidean distance: u = R' x with M = R R'.
func (k MetricLaplacian) Map(rows data.Rows) (data.Rows, error) {
	root, err := k.root(rows.Dim())
	if err != nil {
		return data.Rows{}, err
	}
	return mapBy(root, rows), nil
}

// root is R, d x rank; nil of the identity.
func (k MetricLaplacian) root(d int) (*mat.Dense, error) {
	own := d
	switch {
	case k.Metric != nil:
		own = k.Metric.RawMatrix().Rows
	case k.Diagonal != nil:
		own = len(k.Diagonal)
	}
	if own != d {
		return nil, fmt.Errorf("kernel: metric-laplacian: a metric of %d columns for rows of %d", own, d)
	}
	switch {
	case k.Metric != nil:
		return metricRoot(k.Metric)
	case k.Diagonal != nil:
		root := mat.NewDense(d, d, nil)
		for c, v := range k.Diagonal {
			root.Set(c, c, math.Sqrt(v))
		}
		return root, nil
	}
	return nil, nil
}

// metricRoot is that of a matrix, by its eigenvectors.
func metricRoot(m *mat.Dense) (*mat.Dense, error) {
	d, _ := m.Dims()
	values, vectors := make([]float64, d), mat.NewDense(d, d, nil)
	if err := blas.SymEigen(mat.DenseCopyOf(m), values, vectors); err != nil {
		return nil, fmt.Errorf("kernel: metric-laplacian: %w", err)
	}
	largest := values[d-1]
	if values[0] < -1e-8*max(largest, 0) || largest < 0 {
		return nil, fmt.Errorf("kernel: metric-laplacian: the metric has the eigenvalue %.3g; all must be at least 0", values[0])
	}
	rank := 0
	for q := d - 1; q >= 0 && values[q] > metricRank*largest; q-- {
		rank++
	}
	root := mat.NewDense(d, max(rank, 1), nil)
	for q := range rank {
		for c := range d {
			root.Set(c, q, vectors.At(c, d-1-q)*math.Sqrt(values[d-1-q]))
		}
	}
	return root, nil
}

// mapBy takes rows x to R' x, R nil for the identity.
func mapBy(root *mat.Dense, rows data.Rows) data.Rows {
	if root == nil {
		return rows
	}
	x := rows.Dense
	if x == nil {
		x = rows.Sparse.ToDense()
	}
	u := mat.NewDense(rows.Len(), root.RawMatrix().Cols, nil)
	blas.Gemm(1, blas.N(x), blas.N(root), 0, u)
	return data.Rows{Dense: u}
}

// tangent is a k M (c - x) / (sigma r).
func (k MetricLaplacian) tangent(grad, x, c []float64, a float64) error {
	apart := make([]float64, len(c))
	for i, v := range c {
		apart[i] = v - x[i]
	}
	along := apart
	switch {
	case k.Metric != nil:
		along = make([]float64, len(c))
		for i := range along {
			along[i] = inner(row(k.Metric, i), apart)
		}
	case k.Diagonal != nil:
		along = make([]float64, len(c))
		for i, v := range k.Diagonal {
			along[i] = v * apart[i]
		}
	}
	r := math.Sqrt(max(inner(apart, along), 0))
	if r == 0 {
		return NoSlope("the row is as near as can be to one that the model keeps, where the metric-laplacian kernel has a kink")
	}
	a *= math.Exp(-r/k.Sigma) / (k.Sigma * r)
	for i, v := range along {
		grad[i] += a * v
	}
	return nil
}

// metricGram is the Euclidean Laplacian on mapped rows.
type metricGram struct {
	*shapeGram
	k    MetricLaplacian
	root *mat.Dense
}

// Cross maps the new rows.
func (g *metricGram) Cross(dst *mat.Dense, x data.Rows, j []int) error {
	if d := g.train.Dim(); x.Dim() != d {
		return fmt.Errorf("kernel: the new rows have %d columns, the training rows %d; give both the same features", x.Dim(), d)
	}
	return g.shapeGram.Cross(dst, mapBy(g.root, x), j)
}

// Expand is the kernel itself.
func (g *metricGram) Expand(alpha *mat.Dense, j []int) ([]Expansion, error) {
	return expand(g.k, g.train, alpha, j), nil
}
