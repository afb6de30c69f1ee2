package kernel

// A kernel that is not positive semi-definite has no norm and no minimum to speak of. Here
// is what tells it from one whose negative eigenvalues are rounding.

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/solve"
	"gonum.org/v1/gonum/mat"
)

// Semidefinite says whether a bound kernel has positive semi-definite matrices by its
// construction, so that a negative eigenvalue can only be rounding. It is false where the
// values alone could tell: for a sigmoid, for a precomputed matrix and what is made of
// them. Gram objects of other packages say it by a method of this name.
func Semidefinite(g Gram) bool {
	switch g := g.(type) {
	case interface{ Semidefinite() bool }:
		return g.Semidefinite()
	case made:
		return !slices.ContainsFunc(g.inside(), func(t Gram) bool { return !Semidefinite(t) })
	}
	return false
}

// made is a Gram object of which every block is made of the same blocks of others.
type made interface{ inside() []Gram }

func (g *columnsGram) inside() []Gram    { return []Gram{g.Gram} }
func (g *mappedGram) inside() []Gram     { return []Gram{g.Gram} }
func (g *scaledGram) inside() []Gram     { return []Gram{g.base} }
func (g *normalisedGram) inside() []Gram { return []Gram{g.base} }
func (g *sumGram) inside() []Gram        { return g.terms }
func (g *productGram) inside() []Gram    { return g.terms }

// Rounding is the size up to which a negative eigenvalue of an l x l matrix may be
// rounding; largest is the largest eigenvalue by size, or a bound of it.
func Rounding(l int, largest float64) float64 { return 0x1p-50 * float64(l) * largest }

// Least returns the smallest eigenvalue of the symmetric matrix k, with centred of P k P,
// P = I - 11'/l, if it is negative beyond rounding, else 0. k is left as it is. Cost: a
// Cholesky factorisation, l^3/3, and only of an indefinite matrix some hundred products.
func Least(ctx context.Context, k *mat.Dense, centred bool) (float64, error) {
	s := mat.DenseCopyOf(k)
	if centred {
		Centre(s)
	}
	l, _ := s.Dims()
	slack := Rounding(l, Bound(k))
	for i := range l {
		s.Set(i, i, s.At(i, i)+slack)
	}
	var chol blas.Cholesky
	if chol.Factor(s) == nil {
		return 0, nil
	}
	s.Copy(k)
	if centred {
		Centre(s)
	}
	e, err := solve.Eigen(ctx, func(dst, x *mat.Dense) {
		blas.Gemm(1, blas.N(s), blas.N(x), 0, dst)
	}, l, 1, solve.EigenOptions{})
	if err != nil {
		return 0, fmt.Errorf("kernel: smallest eigenvalue of the %dx%d Gram matrix: %w", l, l, err)
	}
	if v := e.Values[0]; v < -slack {
		return v, nil
	}
	return 0, nil
}

// Bound is the largest sum of absolute values of a row: no eigenvalue is larger.
func Bound(k *mat.Dense) float64 {
	var most float64
	l, _ := k.Dims()
	for i := range l {
		var sum float64
		for _, v := range row(k, i) {
			sum += math.Abs(v)
		}
		most = max(most, sum)
	}
	return most
}

// Centre replaces the symmetric matrix s by P s P.
func Centre(s *mat.Dense) {
	l, _ := s.Dims()
	mean := make([]float64, l)
	var all float64
	for i := range l {
		for _, v := range row(s, i) {
			mean[i] += v
		}
		mean[i] /= float64(l)
		all += mean[i]
	}
	all /= float64(l)
	for i := range l {
		r := row(s, i)
		for j := range r {
			r[j] += all - mean[i] - mean[j]
		}
	}
}
