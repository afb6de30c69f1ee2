package blas

// Problem   the Cholesky factor L of a symmetric positive definite k x k matrix that gains rows and columns at
//           its end and loses them anywhere.
// Method    A new row z of the matrix gets the row L^-1 z of the factor. Where row and column p leave, the
//           rows below lose column p and get their triangle back by rotations of neighbouring columns.
// Cost      k^2/2 multiplications for a new row, at most 2 (k-p)^2 for one that leaves, k^2 for a solution.
// Source    Golub and Van Loan, "Matrix computations" (4th ed., 2013), section 6.5.

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Growing is a Cholesky factor that grows and shrinks. The zero value is that of the empty matrix.
type Growing struct {
	k      int
	l      []float64 // by rows, stride ld, lower triangle
	ld     int
	cs, sn []float64
}

// leastOrder is the order that a factor has room for from the beginning.
const leastOrder = 32

// Len is the order k.
func (f *Growing) Len() int { return f.k }

// Row returns row i of L, i+1 numbers.
func (f *Growing) Row(i int) []float64 { return f.l[i*f.ld : i*f.ld+i+1] }

// Truncate drops all rows from k on.
func (f *Growing) Truncate(k int) { f.k = k }

// Solve replaces x by the solution of L L' z = x.
func (f *Growing) Solve(x []float64) {
	f.Forward(x)
	f.Backward(x)
}

// Forward replaces x by L^-1 x, row by row as inner products.
func (f *Growing) Forward(x []float64) {
	for i := range f.k {
		row := f.Row(i)
		x[i] = (x[i] - blas64.Dot(asVector(row[:i]), asVector(x[:i]))) / row[i]
	}
}

// Backward replaces x by L'^-1 x, row by row of L as multiples taken off.
func (f *Growing) Backward(x []float64) {
	for i := f.k - 1; i >= 0; i-- {
		row := f.Row(i)
		x[i] /= row[i]
		blas64.Axpy(-x[i], asVector(row[:i]), asVector(x[:i]))
	}
}

// Next returns the place of the next row of L without its diagonal, to be filled with the new row
// of the matrix and then by Forward; Append ends that. Until then nothing is changed.
func (f *Growing) Next() []float64 {
	if f.k == f.ld {
		f.enlarge()
	}
	return f.l[f.k*f.ld : f.k*f.ld+f.k]
}

// Append adds the row that Next returned, with the square of its diagonal, which must be positive.
func (f *Growing) Append(square float64) {
	f.l[f.k*f.ld+f.k] = math.Sqrt(square)
	f.k++
}

// Remove takes row and column p out.
func (f *Growing) Remove(p int) {
	k := f.k - 1
	if len(f.cs) < f.ld {
		f.cs, f.sn = make([]float64, f.ld), make([]float64, f.ld)
	}
	cos, sin := f.cs, f.sn
	for i := p; i < k; i++ {
		row := f.Row(i + 1) // which becomes row i
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

// Take copies the lower triangle of a factor that was computed as a whole.
func (f *Growing) Take(l *mat.Dense) {
	k, _ := l.Dims()
	if k > f.ld {
		f.ld = orderFor(f.ld, k)
		f.l = make([]float64, f.ld*f.ld)
	}
	for i := range k {
		copy(f.l[i*f.ld:i*f.ld+i+1], l.RawRowView(i))
	}
	f.k = k
}

// enlarge makes room for a further row.
func (f *Growing) enlarge() {
	ld := orderFor(f.ld, f.k+1)
	l := make([]float64, ld*ld)
	for i := range f.k {
		copy(l[i*ld:], f.Row(i))
	}
	f.l, f.ld = l, ld
}

// orderFor doubles the order that there is room for until k rows fit.
func orderFor(ld, k int) int {
	ld = max(leastOrder, ld)
	for ld < k {
		ld *= 2
	}
	return ld
}

func asVector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Data: x, Inc: 1} }
