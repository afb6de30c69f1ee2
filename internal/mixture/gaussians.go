package mixture

// Clusters: Gaussians of one spherical variance.
//
// Problem   maximise sum_i log sum_k s_k N(x_i; m_k, v I) over shares s, means m and the variance v.
// Method    expectation-maximisation from k-means:  P_ik = s_k N(x_i; m_k, v I)/sum,  s_k = mean_i P_ik,
//           m_k = P_k'X/(n s_k),  v = sum_ik P_ik |x_i - m_k|^2/(n d).
// Number    the K with the least BIC = -2 log likelihood + parameters log n, K d + K parameters; one cluster is a
//           Gaussian with a variance a column, 2 d parameters.
// Cost      2 n d K flops a step.
// Source    Dempster, Laird and Rubin 1977; Schwarz 1978; Fraley and Raftery 2002 for the choice by BIC.

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/vec"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	starts     = 4    // of k-means
	seed       = 1    // of k-means++, so that the same rows have the same clusters
	steps      = 200  // of expectation-maximisation
	steady     = 1e-6 // change of the mean log likelihood that ends it
	continued  = 30   // steps in all columns
	leastShare = 1e-9 // of the rows' variance, for the variance of a cluster
)

// Clusters is a mixture of K Gaussians of one spherical variance on cut rows, fitted.
type Clusters struct {
	Cut      Cut         `json:"cut"`
	Share    []float64   `json:"share"`
	Means    [][]float64 `json:"means"` // K x d
	Variance float64     `json:"variance"`
}

// Map returns the posteriors of rows, n x K.
func (c *Clusters) Map(x *mat.Dense) *mat.Dense {
	cut := c.Cut.Rows(x)
	g := gaussians{c.Share, rows(c.Means), c.Variance}
	n, _ := cut.Dims()
	p := mat.NewDense(n, len(c.Share), nil)
	g.posteriors(p, cut)
	return p
}

// Dim is the number of columns of the rows that it maps.
func (c *Clusters) Dim() int { return len(c.Cut.Middle) }

// Valid says what is wrong with values that were read; nil: nothing.
func (c *Clusters) Valid() error {
	d := len(c.Cut.Middle)
	if err := c.Cut.valid(); err != nil {
		return err
	}
	if len(c.Share) == 0 || len(c.Share) != len(c.Means) {
		return fmt.Errorf("%d shares for %d means", len(c.Share), len(c.Means))
	}
	for _, s := range append([]float64{c.Variance}, c.Share...) {
		if !(s > 0) || math.IsInf(s, 0) {
			return fmt.Errorf("a share or variance of %g; it must be positive", s)
		}
	}
	return lengths("mean", c.Means, d)
}

func (c Cut) valid() error {
	if len(c.Middle) == 0 || len(c.Mean) != len(c.Middle) || !(c.Reach >= 0) {
		return fmt.Errorf("%d medians, %d means and reach %g", len(c.Middle), len(c.Mean), c.Reach)
	}
	return nil
}

func lengths(what string, list [][]float64, d int) error {
	for k, v := range list {
		if len(v) != d {
			return fmt.Errorf("%s %d has %d values, expected %d", what, k+1, len(v), d)
		}
		if i := slices.IndexFunc(v, func(v float64) bool { return v-v != 0 }); i >= 0 {
			return fmt.Errorf("%s %d has the value %g", what, k+1, v[i])
		}
	}
	return nil
}

// gaussians is the mixture while it is fitted.
type gaussians struct {
	share    []float64
	means    *mat.Dense
	variance float64
}

// posteriors stores P in dst and returns the log likelihood.
func (g gaussians) posteriors(dst, x *mat.Dense) float64 {
	n, d := x.Dims()
	k := len(g.share)
	blas.Gemm(1, blas.N(x), blas.T(g.means), 0, dst)
	constant := make([]float64, k)
	for j := range k {
		constant[j] = math.Log(g.share[j]) - norm(g.means.RawRowView(j))/(2*g.variance)
	}
	total := -float64(n) * float64(d) / 2 * math.Log(2*math.Pi*g.variance)
	for i := range n {
		p := dst.RawRowView(i)
		top := math.Inf(-1)
		for j := range p {
			p[j] = p[j]/g.variance + constant[j]
			top = max(top, p[j])
		}
		for j := range p {
			p[j] -= top
		}
		vec.Exp(p, p)
		sum := floats.Sum(p)
		for j := range p {
			p[j] /= sum
		}
		total += top + math.Log(sum) - norm(x.RawRowView(i))/(2*g.variance)
	}
	return total
}

// maximise fits shares, means and variance to posteriors. The variance is sum |x|^2 less what the
// means explain, at least `least`.
func (g *gaussians) maximise(p, x *mat.Dense, least float64) {
	n, d := x.Dims()
	k := len(g.share)
	blas.Gemm(1, blas.T(p), blas.N(x), 0, g.means)
	clear(g.share)
	within := 0.0
	for i := range n {
		for j, v := range p.RawRowView(i) {
			g.share[j] += v / float64(n)
		}
		within += norm(x.RawRowView(i))
	}
	for j := range k {
		g.share[j] = max(g.share[j], 1e-300) // a cluster that has lost all rows
		row := g.means.RawRowView(j)
		for q := range row {
			row[q] /= g.share[j] * float64(n)
		}
		within -= g.share[j] * float64(n) * norm(row)
	}
	g.variance = max(within/float64(n*d), least)
}

// climb runs expectation-maximisation from posteriors, for at most so many steps, and returns the log
// likelihood; p holds the posteriors.
func (g *gaussians) climb(ctx context.Context, p, x *mat.Dense, limit int) (float64, error) {
	n, d := x.Dims()
	least := 0.0
	for i := range n {
		least += norm(x.RawRowView(i))
	}
	least = max(least*leastShare/float64(n*d), math.SmallestNonzeroFloat64*0x1p60)
	last := math.Inf(-1)
	for range limit {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		g.maximise(p, x, least)
		now := g.posteriors(p, x)
		if now-last < steady*float64(n) {
			return now, nil
		}
		last = now
	}
	return last, nil
}

// fit is the best mixture of k Gaussians over several starts, its posteriors and its BIC.
func fit(ctx context.Context, x *mat.Dense, k int) (*mat.Dense, float64, error) {
	n, d := x.Dims()
	var best *mat.Dense
	top := math.Inf(-1)
	for start := range starts {
		_, of, _, err := KMeans(ctx, x, k, 1, seed+uint64(start))
		if err != nil {
			return nil, 0, err
		}
		p := mat.NewDense(n, k, nil)
		for i, j := range of {
			p.Set(i, j, 1)
		}
		g := gaussians{make([]float64, k), mat.NewDense(k, d, nil), 1}
		value, err := g.climb(ctx, p, x, steps)
		if err != nil {
			return nil, 0, err
		}
		if value > top {
			best, top = p, value
		}
	}
	return best, -2*top + float64(k*d+k)*math.Log(float64(n)), nil
}

// alone is the BIC of one Gaussian with a variance a column.
func alone(x *mat.Dense) float64 {
	n, d := x.Dims()
	column := make([]float64, n)
	value := 0.0
	for j := range d {
		mean, square := 0.0, 0.0
		for _, v := range mat.Col(column, j, x) {
			mean += v / float64(n)
			square += v * v / float64(n)
		}
		v := max(square-mean*mean, math.SmallestNonzeroFloat64*0x1p60)
		value += float64(n) * (math.Log(2*math.Pi*v) + 1)
	}
	return value + float64(2*d)*math.Log(float64(n))
}

func norm(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v * v
	}
	return s
}
