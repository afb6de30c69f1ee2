package mixture

// Rows far from all others are drawn in, because a covariance and a mixture of one variance
// follow them more than all the rest.
//
//	x <- x - m,  m the medians of the columns;   r_i = |x_i|
//	x_i <- x_i min(1, q med(r)/r_i),   q = 1 + 3/sqrt(2 e),  e = tr(G)^2/tr(G^2)
//	x <- x - mean
//
// G = W'W is of the rows W cut to the length med(r), and e the number of directions that carry their
// variance: lengths of e-dimensional Gaussians spread by 1/sqrt(2 e) of their mean, so q leaves three
// standard deviations. Cost: n d min(n, d) flops for G.

import (
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/blas"
	"gonum.org/v1/gonum/mat"
)

// spreads is how many standard deviations of its length a row may be farther from the middle than
// usual.
const spreads = 3

// Cut is the map of rows, fitted: x -> (x - Middle) min(1, Reach/|x - Middle|) - Mean.
type Cut struct {
	Middle []float64 `json:"middle"`
	Reach  float64   `json:"reach"`
	Mean   []float64 `json:"mean"`
}

// NewCut fits the map to rows (n x d), and returns what it makes of them.
func NewCut(x *mat.Dense) (Cut, *mat.Dense) {
	n, d := x.Dims()
	c := Cut{Middle: make([]float64, d), Mean: make([]float64, d)}
	column := make([]float64, n)
	for j := range d {
		c.Middle[j] = median(mat.Col(column, j, x))
	}
	out := mat.NewDense(n, d, nil)
	length := make([]float64, n)
	for i := range n {
		length[i] = c.from(out.RawRowView(i), x.RawRowView(i))
	}
	usual := median(slices.Clone(length))
	unit := mat.NewDense(n, d, nil)
	for i := range n {
		scaleTo(unit.RawRowView(i), out.RawRowView(i), length[i], usual)
	}
	c.Reach = usual * (1 + spreads/math.Sqrt(2*directions(unit)))
	for i := range n {
		row := out.RawRowView(i)
		scaleTo(row, row, length[i], c.Reach)
		for j, v := range row {
			c.Mean[j] += v / float64(n)
		}
	}
	for i := range n {
		subtract(out.RawRowView(i), c.Mean)
	}
	return c, out
}

// Rows are the rows x, mapped.
func (c Cut) Rows(x *mat.Dense) *mat.Dense {
	n, d := x.Dims()
	out := mat.NewDense(max(n, 1), d, nil)
	for i := range n {
		row := out.RawRowView(i)
		scaleTo(row, row, c.from(row, x.RawRowView(i)), c.Reach)
		subtract(row, c.Mean)
	}
	return out
}

// from stores x - Middle in dst and returns its length.
func (c Cut) from(dst, x []float64) float64 {
	square := 0.0
	for j, v := range x {
		dst[j] = v - c.Middle[j]
		square += dst[j] * dst[j]
	}
	return math.Sqrt(square)
}

// scaleTo stores x of this length in dst, shortened to at most `most`.
func scaleTo(dst, x []float64, length, most float64) {
	by := 1.0
	if length > most {
		by = most / length
	}
	for j, v := range x {
		dst[j] = by * v
	}
}

func subtract(x, y []float64) {
	for j, v := range y {
		x[j] -= v
	}
}

// directions is tr(G)^2/tr(G^2) of G = W'W, at least 1.
func directions(w *mat.Dense) float64 {
	g := gram(w)
	n, _ := g.Dims()
	trace, square := 0.0, 0.0
	for i := range n {
		trace += g.At(i, i)
		for _, v := range g.RawRowView(i) {
			square += v * v
		}
	}
	if square == 0 {
		return 1
	}
	return trace * trace / square
}

// gram is W'W or W W', whichever is smaller; both have the same eigenvalues but for zeros.
func gram(w *mat.Dense) *mat.Dense {
	n, d := w.Dims()
	g, op := mat.NewDense(min(n, d), min(n, d), nil), blas.N(w)
	if d <= n {
		op = blas.T(w)
	}
	blas.Syrk(1, op, 0, g)
	return g
}

// median of the values, which are sorted in place.
func median(x []float64) float64 {
	slices.Sort(x)
	n := len(x)
	return (x[(n-1)/2] + x[n/2]) / 2
}
