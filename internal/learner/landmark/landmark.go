// Package landmark trains least squares on landmarks, for rows of which no n x m table fits.
package landmark

// Problem   minimise over a (m x c), b (c):
//
//	||Y - K_XZ a - 1 b'||^2 + lambda tr(a' W a),   W = K_ZZ + delta I = L L'
//
//           for n rows X and m centres Z (kernel.Products), with or without the unpenalised offset
//           b: the machine of package rls on the Nystrom kernel K_XZ W^-1 K_ZX; with all rows as centres, on K itself.
// Features  phi(x) = L^-1 k_Z(x), Phi n x m, a = L^-T beta: minimise ||Y - Phi beta - 1 b'||^2 + lambda ||beta||^2. With
//           the offset, Y and the columns of Phi less their means; b makes up for the means.
// Way       Folds   n m^2 flops twice at most, then every lambda with whole folds left out, in m^3/3 a fold
// delta     that of kernel.Nystrom, of rounding, unless the caller asks for more. It takes at most the part n delta/(m lambda)
//           of the targets from directions of W with eigenvalues below lambda m/n, which lambda shrinks anyway, and less of
//           others.
// Sources   Rudi, Camoriano and Rosasco, NIPS 2015, for the statistics of m ~ sqrt(n).

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/moments"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Options are what NewFolds asks. The zero value has no offset.
type Options struct {
	Offset bool
	Ridge  float64 // delta as a part of the mean diagonal of K_ZZ; 0: see above
	Least  float64 // the smallest lambda that will be asked for, which may spare work (parts.go); 0: not known
}

// Fit is the machine for one lambda.
type Fit struct {
	Lambda float64
	Alpha  *mat.Dense // m x c, the coefficients a over the centres
	B      []float64  // c offsets, nil without

	// The certificate, an output: what is left of the optimality condition
	// Phi'(Y - Phi beta) = lambda beta as a part of Phi'Y.
	Residual []float64
	// Objective is that of the problem, summed over outputs.
	Objective float64
}

// landmarks is a problem whose W is factored.
type landmarks struct {
	p       *kernel.Products
	f       *kernel.Nystrom
	y       *mat.Dense
	weigh   moments.Weights // of the rows
	o       Options
	n, m, c int
	level   []float64 // of the targets, 0 without the offset
	cut     division  // of the features
	square  float64   // ||Y||^2, less the means with the offset; means and squares are weighted as the rows are
}

// newLandmarks factors W.
func newLandmarks(p *kernel.Products, y *mat.Dense, weight []float64, o Options) (*landmarks, error) {
	n, m := p.Dims()
	ny, c := y.Dims()
	if ny != n {
		panic(fmt.Sprintf("rls: products of %d rows, targets of %d", n, ny))
	}
	if o.Offset && n == 1 {
		return nil, moments.ErrOneRow
	}
	f, err := kernel.NewProjection(p.Centres(), o.Ridge)
	if err != nil {
		return nil, err
	}
	l := &landmarks{p: p, f: f, y: y, weigh: moments.NewWeights(weight, n), o: o, n: n, m: m, c: c, level: make([]float64, c)}
	if o.Offset {
		for i := range n {
			for j, v := range y.RawRowView(i) {
				l.level[j] += l.weigh.Of(i) * v / l.weigh.Total
			}
		}
	}
	for i := range n {
		for j, v := range y.RawRowView(i) {
			l.square += l.weigh.Of(i) * (v - l.level[j]) * (v - l.level[j])
		}
	}
	return l, nil
}

// centred returns the targets less their means, themselves without the offset.
func (l *landmarks) centred(y *mat.Dense) *mat.Dense {
	if !l.o.Offset {
		return y
	}
	y = mat.DenseCopyOf(y)
	for i := range l.n {
		floats.Sub(y.RawRowView(i), l.level)
	}
	return y
}

// objective is that of the machine beta, which solves (S + lambda I) beta = P.
func (l *landmarks) objective(p, beta *mat.Dense) float64 {
	v := l.square
	for k := range l.m {
		v -= floats.Dot(p.RawRowView(k), beta.RawRowView(k))
	}
	return max(v, 0)
}

// residual is what is left of (S + lambda I) beta = P, column by column, as a part of P.
func residual(s, p, beta *mat.Dense, lambda float64) []float64 {
	left := mat.DenseCopyOf(p)
	blas.Gemm(-1, blas.N(s), blas.N(beta), 1, left)
	m, _ := beta.Dims()
	for k := range m {
		floats.AddScaled(left.RawRowView(k), -lambda, beta.RawRowView(k))
	}
	out := columnNorms(left)
	for j, size := range columnNorms(p) {
		if size > 0 {
			out[j] /= size
		}
	}
	return out
}

// columnNorms are the norms of the columns of x.
func columnNorms(x *mat.Dense) []float64 {
	r, c := x.Dims()
	out := make([]float64, c)
	for i := range r {
		for j, v := range x.RawRowView(i) {
			out[j] = math.Hypot(out[j], v)
		}
	}
	return out
}
