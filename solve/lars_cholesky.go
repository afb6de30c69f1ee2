package solve

import (
	"math"

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
	k    int
	l    []float64 // row-major, stride ld, lower triangle
	ld   int
	z, e []float64
}

func (f *lassoCholesky) grow() {
	if f.k < f.ld {
		return
	}
	ld := max(32, 2*f.ld)
	l := make([]float64, ld*ld)
	for i := range f.k {
		copy(l[i*ld:], f.l[i*f.ld:i*f.ld+i+1])
	}
	f.l, f.ld = l, ld
}

// solve replaces x by (H_A'H_A)^-1 x.
func (f *lassoCholesky) solve(x []float64) {
	f.forward(x)
	f.backward(x)
}

// forward replaces x by L^-1 x, row by row as inner products.
func (f *lassoCholesky) forward(x []float64) {
	for i := range f.k {
		row := f.l[i*f.ld : i*f.ld+i+1]
		x[i] = (x[i] - blas64.Dot(vector(row[:i]), vector(x[:i]))) / row[i]
	}
}

// backward replaces x by L'^-1 x, row by row of L as multiples taken off.
func (f *lassoCholesky) backward(x []float64) {
	for i := f.k - 1; i >= 0; i-- {
		row := f.l[i*f.ld : i*f.ld+i+1]
		x[i] /= row[i]
		blas64.Axpy(-x[i], vector(row[:i]), vector(x[:i]))
	}
}

// join appends column h, the active ones being the rows slot of rows. It returns
// false, changing nothing, if h is zero or nearly depends on them; forced, it takes
// the least pivot allowed instead.
func (f *lassoCholesky) join(rows *mat.Dense, slot []int32, h []float64, forced bool) bool {
	f.grow()
	norm2 := blas64.Dot(vector(h), vector(h))
	if norm2 == 0 {
		return false
	}
	z := f.l[f.k*f.ld : f.k*f.ld+f.k]
	for a, s := range slot {
		z[a] = blas64.Dot(vector(rows.RawRowView(int(s))), vector(h))
	}
	left := norm2
	f.forward(z)
	left -= blas64.Dot(vector(z), vector(z))
	// Below 1e-6 the difference has lost ten digits of sixteen: measure the distance
	// itself, |h - H_A q| with q = L'^-1 z.
	if left < 1e-6*norm2 {
		f.z, f.e = sized(f.z, f.k), sized(f.e, len(h))
		copy(f.z, z)
		copy(f.e, h)
		f.backward(f.z)
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
	f.l[f.k*f.ld+f.k] = math.Sqrt(left)
	f.k++
	return true
}

// leave takes row and column p out: the rows below lose column p and get their
// triangle back by rotations of neighbouring columns, row after row.
func (f *lassoCholesky) leave(p int) {
	k := f.k - 1
	f.z, f.e = sized(f.z, f.k), sized(f.e, f.k)
	cos, sin := f.z, f.e
	for i := p; i < k; i++ {
		row := f.l[(i+1)*f.ld : (i+1)*f.ld+i+2] // the row that becomes row i
		x := row[p]
		for j := p; j < i; j++ {
			x, row[j] = cos[j]*row[j+1]-sin[j]*x, cos[j]*x+sin[j]*row[j+1]
		}
		d := math.Hypot(x, row[i+1])
		cos[i], sin[i] = x/d, row[i+1]/d
		row[i] = d
		copy(f.l[i*f.ld:], row[:i+1])
	}
	f.k = k
}

// factor computes the factor of all columns anew: k^2 n/2 + k^3/6 multiplications,
// as matrix products. It returns false if they are dependent.
func (f *lassoCholesky) factor(rows *mat.Dense, k int) bool {
	f.k = 0
	if k == 0 {
		return true
	}
	_, n := rows.Dims()
	g := mat.NewDense(k, k, nil)
	blas.SyrkLower(false, 1, rows.Slice(0, k, 0, n).(*mat.Dense), 0, g)
	var c blas.Cholesky
	if c.Factor(g) != nil {
		return false
	}
	for f.ld < k {
		f.ld = max(32, 2*f.ld)
	}
	f.l = make([]float64, f.ld*f.ld)
	for i := range k {
		copy(f.l[i*f.ld:i*f.ld+i+1], g.RawRowView(i))
	}
	f.k = k
	return true
}
