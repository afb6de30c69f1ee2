package complexity

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/blas"
	"gonum.org/v1/gonum/mat"
)

// DefaultFloor is the relative eigenvalue floor of NewReference: for rounding alone. A floor
// of 1e-3 keeps fewer members and chooses better on easy pairs of classes, worse on hard
// ones (docs/results/README.md).
const DefaultFloor = 1e-12

// Reference is Q_ref, the leave-one-out stability of a function's image in the space of a
// reference kernel,
//
//	Q_ref = sum_i alpha_i^2/d_i,   d = diag(G^-1 G_ref G^-1)        (eq. 5.33)
//
// by default the Kronecker delta, G_ref = I: then it is the damage to the responses G alpha
// when each column of G is left out in turn and the others are fitted to them again. It does
// not change with the scale of either kernel up to a factor common to all functions.
//
// The rows must be distinct (Distinct). G = V diag(w) V' has its eigenvalues raised to
// floor w_max: in a kernel of deficient rank (a polynomial of low degree, a wide Gaussian)
// every 1/d_i is zero in exact arithmetic, and what stands there is proportional to the square of the
// floor. So kernels of full and of deficient rank are ordered by the floor; compare with one
// floor, and look at Rank.
type Reference struct {
	// Weight is 1/d_i.
	Weight []float64
	// Rank is the number of eigenvalues above the floor.
	Rank int
}

// sound is the condition number up to which the inverse by Cholesky's factor is as good as the
// eigenvalues: it leaves 1e-16 * 1e8 of error, and no floor below 1e-8 is reached.
const sound = 1e8

// NewReference decomposes the Gram matrix g, which is overwritten; reference may be nil, the
// identity. Floor 0 means DefaultFloor. Cost: n^3 flops where G is well conditioned, else 9 n^3 more,
// of slower kinds; 2 n^3 with a reference. Memory: a copy of g.
func NewReference(g, reference *mat.Dense, floor float64) (*Reference, error) {
	n, m := g.Dims()
	if n != m {
		panic(fmt.Sprintf("complexity: Gram matrix %d x %d", n, m))
	}
	if floor == 0 {
		floor = DefaultFloor
	}
	if reference == nil && floor*sound < 1 {
		if r := inverted(g); r != nil {
			return r, nil
		}
	}
	w, v := make([]float64, n), g
	if err := (blas.Backend{}).SymEigenInPlace(v, w); err != nil {
		return nil, fmt.Errorf("complexity: eigenvalues of the Gram matrix: %w", err)
	}
	top := w[n-1]
	if !(top > 0) {
		return nil, fmt.Errorf("complexity: the Gram matrix has no positive eigenvalue")
	}
	r := &Reference{Weight: make([]float64, n)}
	// In units of the largest eigenvalue, so that no power under- or overflows.
	inverse := make([]float64, n)
	for j, x := range w {
		if x > floor*top {
			r.Rank++
		}
		inverse[j] = 1 / max(x/top, floor)
	}
	if reference == nil {
		for i := range n {
			var d float64
			for j, x := range v.RawRowView(i) {
				d += x * x * inverse[j] * inverse[j]
			}
			r.Weight[i] = top * top / d
		}
		return r, nil
	}
	// G^-1 G_ref G^-1 = V D (V'G_ref V) D V'.
	left, core := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	blas.Gemm(1, blas.T(v), blas.N(reference), 0, left)
	blas.Gemm(1, blas.N(left), blas.N(v), 0, core)
	for i := range n {
		row := core.RawRowView(i)
		for j := range row {
			row[j] *= inverse[i] * inverse[j]
		}
	}
	blas.Gemm(1, blas.N(v), blas.N(core), 0, left)
	for i := range n {
		var d float64
		for j, x := range v.RawRowView(i) {
			d += x * left.At(i, j)
		}
		if !(d > 0) {
			return nil, fmt.Errorf("complexity: the reference kernel is not positive definite on row %d", i+1)
		}
		r.Weight[i] = top * top / d
	}
	return r, nil
}

// inverted is the reference of a well conditioned matrix, nil of another: d_i is the squared norm
// of a row of the inverse. G stays as it is.
func inverted(g *mat.Dense) *Reference {
	n, _ := g.Dims()
	var c blas.Cholesky
	inv := mat.DenseCopyOf(g)
	if c.Factor(inv) != nil {
		return nil
	}
	c.Inverse()
	r := &Reference{Weight: make([]float64, n), Rank: n}
	var all float64
	for i := range n {
		var d float64
		for _, x := range inv.RawRowView(i) {
			d += x * x
		}
		r.Weight[i] = 1 / d
		all += d
	}
	if trace := mat.Trace(g); !(trace*math.Sqrt(all) < sound) { // a bound on the condition number
		return nil
	}
	return r
}

// Of is Q_ref of the coefficients.
func (r *Reference) Of(alpha []float64) float64 {
	if len(alpha) != len(r.Weight) {
		panic(fmt.Sprintf("complexity: %d coefficients for %d rows", len(alpha), len(r.Weight)))
	}
	var q float64
	for i, a := range alpha {
		q += a * a * r.Weight[i]
	}
	return q
}

// Distinct numbers the rows of x so that equal rows have equal numbers, in the order of first
// occurrence, and returns which rows came first. Coefficients of equal rows are to be summed.
func Distinct(x mat.Matrix) (number, first []int) {
	n, d := x.Dims()
	at := map[string]int{}
	key := make([]byte, 8*d)
	for i := range n {
		for j := range d {
			bits := math.Float64bits(x.At(i, j) + 0) // -0 is 0
			for b := range 8 {
				key[8*j+b] = byte(bits >> (8 * b))
			}
		}
		k, ok := at[string(key)]
		if !ok {
			k = len(first)
			at[string(key)] = k
			first = append(first, i)
		}
		number = append(number, k)
	}
	return number, first
}
