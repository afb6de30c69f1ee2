package solve

// Blocks of vectors for Eigen.
//
// A block W joins an orthonormal set V by W - V V'W, twice (Kahan; Parlett,
// The Symmetric Eigenvalue Problem, 6.9), and then W <- W U D^-1/2 with W'W = U D U'
// (Stathopoulos and Wu, SIAM J. Sci. Comput. 23 (2002), SVQB), twice too.
// Directions that carry nothing beyond rounding are dropped, so that a block that
// lies in V, or a rank that falls, only makes the space smaller.

import (
	"math"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/parallel"
	"gonum.org/v1/gonum/mat"
)

// orthonormal returns an orthonormal basis of what w adds to the orthonormal
// blocks; nil if that is nothing. w is overwritten.
func orthonormal(blocks []*mat.Dense, w *mat.Dense) (*mat.Dense, error) {
	_, c := w.Dims()
	// Columns of equal length, so that what is small is small by direction.
	norm := make([]float64, c)
	columnDots(norm, w, w)
	for j, v := range norm {
		norm[j] = 0
		if v > 0 {
			norm[j] = 1 / math.Sqrt(v)
		}
	}
	scaleColumns(w, norm)
	for range 2 {
		for _, v := range blocks {
			d := blas.Product(blas.T(v), blas.N(w))
			blas.Gemm(-1, blas.N(v), blas.N(d), 1, w)
		}
		g := blas.Product(blas.T(w), blas.N(w))
		values, u := make([]float64, c), mat.NewDense(c, c, nil)
		if err := blas.SymEigen(g, values, u); err != nil {
			return nil, err
		}
		first := 0 // eigenvalues ascend; below 1e-24 the columns, of length one, were rounding
		for first < c && values[first] <= max(1e-24, 1e-14*values[c-1]) {
			first++
		}
		if first == c {
			return nil, nil
		}
		keep := c - first
		u = u.Slice(0, c, first, c).(*mat.Dense)
		for j := range keep {
			s := 1 / math.Sqrt(values[first+j])
			for i := range c {
				u.Set(i, j, s*u.At(i, j))
			}
		}
		next := blas.Product(blas.N(w), blas.N(u))
		w, c = next, keep
	}
	return w, nil
}

// residuals are |A x_j - theta_j x_j|.
func residuals(x, ax *mat.Dense, theta []float64) []float64 {
	n, k := x.Dims()
	r := make([]float64, k)
	for i := range n {
		xi, ai := x.RawRowView(i), ax.RawRowView(i)
		for j, t := range theta[:k] {
			d := ai[j] - t*xi[j]
			r[j] += d * d
		}
	}
	for j := range r {
		r[j] = math.Sqrt(r[j])
	}
	return r
}

// Orient makes the first entry of column j beyond 1e-8 of the largest positive
// and says whether it flipped the column.
func Orient(x *mat.Dense, j int) bool {
	n, _ := x.Dims()
	largest := 0.0
	for i := range n {
		largest = max(largest, math.Abs(x.At(i, j)))
	}
	for i := range n {
		v := x.At(i, j)
		if math.Abs(v) <= 1e-8*largest {
			continue
		}
		if v < 0 {
			for i := range n {
				x.Set(i, j, 0-x.At(i, j)) // no -0
			}
		}
		return v < 0
	}
	return false
}

// combine sets y = a y + b x + c z; z may be nil.
func combine(y *mat.Dense, a, b float64, x *mat.Dense, c float64, z *mat.Dense) {
	byRows(y, func(i int, yi []float64) {
		xi := x.RawRowView(i)
		if z == nil {
			for j := range yi {
				yi[j] = a*yi[j] + b*xi[j]
			}
			return
		}
		zi := z.RawRowView(i)
		for j := range yi {
			yi[j] = a*yi[j] + b*xi[j] + c*zi[j]
		}
	})
}

func scaleColumns(x *mat.Dense, s []float64) {
	byRows(x, func(_ int, row []float64) {
		for j := range row {
			row[j] *= s[j]
		}
	})
}

func dotColumn(x, y *mat.Dense) float64 {
	var d [1]float64
	columnDots(d[:], x, y)
	return d[0]
}

// pieceNumbers are worth a goroutine.
const pieceNumbers = 1 << 16

// byRows calls f for every row, from several goroutines where there is work for
// them. f must change nothing but its row.
func byRows(x *mat.Dense, f func(i int, row []float64)) {
	n, c := x.Dims()
	parallel.Pieces(n, 1+pieceNumbers/c, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			f(i, x.RawRowView(i))
		}
	})
}
