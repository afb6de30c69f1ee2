package relevance

// Problem  a metric M for exp(-|x-z|_M / sigma) that makes the directions long in which the answer changes.
// Method   recursive feature machine: M = I; then, so many times, least squares with an offset, and M becomes the root of the mean over
//          rows and outputs of the outer product of the gradient of what was learned, its trace the number of columns. The width
//          is the same multiple of the median distance in all rounds. Width and ridge of the first round, and those beside the last M, are
//          found by derivatives of PRESS (Learn): the last from rows whose labels have no part in M, since leave-one-out is fooled
//          where the left-out label has made M. Of many columns M is diagonal.
// Cost     two searches; n^3/3 + 2 n^2 d c + n d^2 c and 9 d^3 flops a round, of c outputs.
// Source   Radhakrishnan, Beaglehole, Pandit & Belkin, Science 383, 2024; the root: Beaglehole et al., arXiv 2508.10053, 2025.

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
)

// Metric learns the metric of kernel.MetricLaplacian.
type Metric struct {
	Start  kernel.MetricLaplacian
	Rounds int
	Full   int // columns up to which the metric is no diagonal
	Steps  int // evaluations of a search at most
}

// Learn finds M from the rows of one problem, width and ridge from those of another.
func (m Metric) Learn(ctx context.Context, own, other *learn.Problem) (Learned, error) {
	first, err := Learn(ctx, m.Start.Adapt(own.Rows), own, Options{Steps: m.Steps})
	if err != nil {
		return Learned{}, err
	}
	at := first.Kernel.(kernel.MetricLaplacian)
	wide := at.Sigma / m.Start.Adapt(own.Rows).(kernel.MetricLaplacian).Sigma
	for range m.Rounds {
		outer, err := gradients(ctx, at, own, first.Lambda)
		if err != nil {
			return Learned{}, err
		}
		if at, err = m.next(outer); err != nil {
			return Learned{}, err
		}
		at = at.Adapt(own.Rows).(kernel.MetricLaplacian)
		at.Sigma *= wide
	}
	return Learn(ctx, at, other, Options{Steps: m.Steps})
}

// next is the kernel whose metric is the root of a mean outer product.
func (m Metric) next(outer *mat.Dense) (kernel.MetricLaplacian, error) {
	d, _ := outer.Dims()
	if mat.Trace(outer) == 0 { // nothing changes the answer
		return kernel.MetricLaplacian{}, nil
	}
	if d > m.Full {
		k := kernel.MetricLaplacian{Diagonal: make([]float64, d)}
		var trace float64
		for c := range k.Diagonal {
			k.Diagonal[c] = math.Sqrt(outer.At(c, c))
			trace += k.Diagonal[c]
		}
		for c := range k.Diagonal {
			k.Diagonal[c] *= float64(d) / trace
		}
		return k, nil
	}
	values, vectors := make([]float64, d), mat.NewDense(d, d, nil)
	if err := blas.SymEigen(outer, values, vectors); err != nil {
		return kernel.MetricLaplacian{}, err
	}
	var trace float64
	for q, v := range values {
		values[q] = math.Sqrt(max(v, 0))
		trace += values[q]
	}
	scaled := mat.NewDense(d, d, nil)
	for c := range d {
		for q, v := range values {
			scaled.Set(c, q, vectors.At(c, q)*v*float64(d)/trace)
		}
	}
	metric := mat.NewDense(d, d, nil)
	blas.Gemm(1, blas.N(scaled), blas.T(vectors), 0, metric)
	symmetrise(metric)
	return kernel.MetricLaplacian{Metric: metric}, nil
}

// symmetrise gives both triangles the mean of the two.
func symmetrise(m *mat.Dense) {
	d, _ := m.Dims()
	for i := range d {
		for j := range i {
			v := (m.At(i, j) + m.At(j, i)) / 2
			m.Set(i, j, v)
			m.Set(j, i, v)
		}
	}
}

// gradients is the mean outer product of the gradients of least squares at its rows. With u = R'x, M = R R', of the row i it is R g_i,
// g_i = sum_j w_ij (u_j - u_i), w_ij = a_j k_ij / (sigma r_ij), 0 where r_ij is.
func gradients(ctx context.Context, k kernel.MetricLaplacian, p *learn.Problem, lambda float64) (*mat.Dense, error) {
	g, err := k.Bind(ctx, p.Rows, nil)
	if err != nil {
		return nil, err
	}
	n := len(p.Labelled)
	gram := mat.NewDense(n, n, nil)
	if err := kernel.Fill(ctx, gram, g, p.Labelled, p.Labelled); err != nil {
		return nil, err
	}
	fit, err := rls.Solve(ctx, gram, p.Y, p.Weight, true, lambda)
	if err != nil {
		return nil, err
	}
	u, err := k.Map(p.Rows.Select(p.Labelled))
	if err != nil {
		return nil, err
	}
	for i := range n { // k / (sigma r), r = -sigma log k
		to := gram.RawRowView(i)
		for j, v := range to {
			if v < 1 && v > 0 {
				to[j] = -v / (k.Sigma * k.Sigma * math.Log(v))
			} else {
				to[j] = 0
			}
		}
	}
	_, rank := u.Dense.Dims()
	near, moved := mat.NewDense(n, rank, nil), mat.NewDense(n, rank, nil)
	sum := mat.NewDense(n, 1, nil)
	mean := mat.NewDense(rank, rank, nil)
	for c := range p.Outputs() {
		alpha := mat.NewDense(n, 1, nil)
		for j := range n {
			a := fit.Alpha.At(j, c)
			alpha.Set(j, 0, a)
			for q, v := range u.Dense.RawRowView(j) {
				near.Set(j, q, a*v)
			}
		}
		blas.Gemm(1, blas.N(gram), blas.N(near), 0, moved)
		blas.Gemm(1, blas.N(gram), blas.N(alpha), 0, sum)
		for i := range n {
			to, s := moved.RawRowView(i), sum.At(i, 0)
			for q, v := range u.Dense.RawRowView(i) {
				to[q] -= s * v
			}
		}
		blas.Gemm(1/float64(n), blas.T(moved), blas.N(moved), 1, mean)
	}
	return outward(k, p.Rows.Dim(), mean)
}

// outward is R G R'.
func outward(k kernel.MetricLaplacian, d int, g *mat.Dense) (*mat.Dense, error) {
	if k.Metric == nil && k.Diagonal == nil {
		return g, nil
	}
	unit := mat.NewDense(d, d, nil)
	for c := range d {
		unit.Set(c, c, 1)
	}
	mapped, err := k.Map(data.Rows{Dense: unit})
	if err != nil {
		return nil, err
	}
	root := mapped.Dense
	rank, _ := g.Dims()
	half, outer := mat.NewDense(d, rank, nil), mat.NewDense(d, d, nil)
	blas.Gemm(1, blas.N(root), blas.N(g), 0, half)
	blas.Gemm(1, blas.N(half), blas.T(root), 0, outer)
	symmetrise(outer)
	return outer, nil
}

// Mean has the mean of the metrics, and the geometric means of widths and ridges.
func (m Metric) Mean(learned []Learned) (Learned, error) {
	part := 1 / float64(len(learned))
	var mean kernel.MetricLaplacian
	var sigma, lambda float64
	for _, one := range learned {
		k := one.Kernel.(kernel.MetricLaplacian)
		sigma += part * math.Log(k.Sigma)
		lambda += part * math.Log(one.Lambda)
		if k.Metric != nil {
			if mean.Metric == nil {
				d, _ := k.Metric.Dims()
				mean.Metric = mat.NewDense(d, d, nil)
			}
			mean.Metric.Apply(func(i, j int, v float64) float64 { return v + part*k.Metric.At(i, j) }, mean.Metric)
		}
		if k.Diagonal != nil && mean.Diagonal == nil {
			mean.Diagonal = make([]float64, len(k.Diagonal))
		}
		for c, v := range k.Diagonal {
			mean.Diagonal[c] += part * v
		}
	}
	mean.Sigma = math.Exp(sigma)
	return Learned{Kernel: mean, Lambda: math.Exp(lambda)}, nil
}
