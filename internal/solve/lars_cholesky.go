package solve

import (
	"github.com/mercer-ml/mercer/internal/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Near dependence: a column whose distance from the span of the active ones is
// below this share of its length would bring entries of 1e14 into the inverse.
const dependent = 1e-7

// lassoCholesky is L L' = H_A'H_A, with columns joining at the end and leaving
// anywhere. Joining costs n k + k^2/2 multiplications, leaving k^2 at most.
type lassoCholesky struct {
	blas.Growing
	z, e []float64
}

// join appends column h, the active ones being the rows slot of rows. It returns
// false, changing nothing, if h is zero or nearly depends on them; forced, it takes
// the least pivot allowed instead.
func (f *lassoCholesky) join(rows *mat.Dense, slot []int32, h []float64, forced bool) bool {
	norm2 := blas64.Dot(vector(h), vector(h))
	if norm2 == 0 {
		return false
	}
	z := f.Next()
	for a, s := range slot {
		z[a] = blas64.Dot(vector(rows.RawRowView(int(s))), vector(h))
	}
	left := norm2
	f.Forward(z)
	left -= blas64.Dot(vector(z), vector(z))
	// Below 1e-6 the difference has lost ten digits of sixteen: measure the distance
	// itself, |h - H_A q| with q = L'^-1 z.
	if left < 1e-6*norm2 {
		f.z, f.e = sized(f.z, len(z)), sized(f.e, len(h))
		copy(f.z, z)
		copy(f.e, h)
		f.Backward(f.z)
		for a, s := range slot {
			blas64.Axpy(-f.z[a], vector(rows.RawRowView(int(s))), vector(f.e))
		}
		left = blas64.Dot(vector(f.e), vector(f.e))
		if least := dependent * dependent * norm2; left < least {
			if !forced {
				return false
			}
			left = least
		}
	}
	f.Append(left)
	return true
}

// factor computes the factor of all columns anew: k^2 n/2 + k^3/6 multiplications,
// as matrix products. It returns false if they are dependent.
func (f *lassoCholesky) factor(rows *mat.Dense, k int) bool {
	f.Truncate(0)
	if k == 0 {
		return true
	}
	_, n := rows.Dims()
	g := mat.NewDense(k, k, nil)
	blas.SyrkLower(1, blas.N(rows.Slice(0, k, 0, n).(*mat.Dense)), 0, g)
	var c blas.Cholesky
	if c.Factor(g) != nil {
		return false
	}
	f.Take(g)
	return true
}
