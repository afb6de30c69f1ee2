package blas

import (
	"math"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Problem   A = Q T Q', A symmetric n x n, T tridiagonal, Q the product of reflections H_i = I - tau_i v_i v_i'.
// Method    Panels of columns are reduced one by one. Column j is brought up to date by the earlier ones of its
//           panel, v_j is its reflection, and w_j = tau_j (A v_j - V W'v_j - W V'v_j) - (tau_j/2)(w_j'v_j) v_j; the
//           rest of the matrix waits for the product A - V W' - W V' of the whole panel.
// Cost      4n^3/3 flops, half of them in A v, which is bound by memory: it reads half of what is left of the
//           matrix for every column. Memory: 3 panels of n numbers, 16 vectors for the sums of the slabs.
// Source    LAPACK's dsytrd and dlatrd; Dongarra, Hammarling and Sorensen, "Block reduction of matrices to
//           condensed forms for eigenvalue computations", J. Comput. Appl. Math. 27 (1989).

// panel is the number of columns reduced between two updates of the rest, where there are as many.
const panel = 32

// reduction is a tridiagonalisation at work. Vectors of a panel are rows, of which element r belongs to
// row first+r of A, so that they are contiguous.
type reduction struct {
	g       *engine
	team    *team
	a       blas64.General
	d, e    []float64
	tau     []float64
	first   int            // the first row and column of the panel
	width   int            // of a panel
	rows    blas64.General // V' (width rows), W' and again V'
	product symmetricProduct
	coef    []float64
}

// tridiagonalise stores the diagonal of T in d, its other diagonal in e, and v_i, from its leading 1 on, in
// row i of A right of the diagonal. The lower triangle of A is read and destroyed.
func (g *engine) tridiagonalise(team *team, a blas64.General, d, e, tau []float64) {
	n := a.Rows
	ld := roundUp(n, 8)
	r := &reduction{g: g, team: team, a: a, d: d, e: e, tau: tau, width: min(panel, n-1)}
	r.rows = blas64.General{Rows: 3 * r.width, Cols: ld, Stride: ld, Data: make([]float64, 3*r.width*ld)}
	r.coef = make([]float64, r.width)
	r.product.prepare(g, team, ld)
	for ; r.first < n-1 && !team.stopped(); r.first += r.width {
		r.reducePanel(min(r.width, n-1-r.first))
	}
	d[n-1] = a.Data[(n-1)*a.Stride+n-1]
}

// row is vector t of the panel: V from 0, W from width on.
func (r *reduction) row(t int) []float64 {
	return r.rows.Data[t*r.rows.Stride : t*r.rows.Stride+r.a.Rows-r.first]
}

// reducePanel reduces so many columns and updates the rows and columns after them.
func (r *reduction) reducePanel(columns int) {
	i, n := r.first, r.a.Rows
	clear(r.rows.Data)
	panelRows(r.a, i, columns, r.rows)
	for j := range columns {
		r.reduceColumn(j)
	}
	for j := range columns {
		v := r.row(j)
		copy(r.a.Data[(i+j)*r.a.Stride+i+j+1:(i+j)*r.a.Stride+n], v[j+1:])
		copy(r.row(2*r.width+j), v)
	}
	left := n - i - columns
	to := block(r.a, i+columns, i+columns, left, left)
	if columns < r.width { // the last panel leaves rows of V' without vectors
		clear(r.rows.Data[columns*r.rows.Stride : r.width*r.rows.Stride])
	}
	vw, wv := block(r.rows, 0, columns, 2*r.width, left), block(r.rows, r.width, columns, 2*r.width, left)
	r.g.mulAdd(r.team, gblas.Lower, -1, Op{vw, true}, Op{wv, false}, to)
}

// panelRows copies so many columns of A from (i, i) down to the first rows of dst, by tiles.
func panelRows(a blas64.General, i, columns int, dst blas64.General) {
	const tile = 16
	for r0 := i; r0 < a.Rows; r0 += tile {
		for r := r0; r < min(r0+tile, a.Rows); r++ {
			src := a.Data[r*a.Stride+i : r*a.Stride+i+min(columns, r-i+1)]
			for j, v := range src {
				dst.Data[j*dst.Stride+r-i] = v
			}
		}
	}
}

// reduceColumn brings column j of the panel up to date and makes v_j and w_j of it.
func (r *reduction) reduceColumn(j int) {
	g, ld, i := r.g, r.rows.Stride, r.first
	v, w := r.row(j), r.row(r.width+j)
	allW := r.rows.Data[r.width*ld:]
	g.rowSub(v[j:], r.rows.Data[j:], ld, allW[j:], ld, j)
	g.rowSub(v[j:], allW[j:], ld, r.rows.Data[j:], ld, j)
	r.d[i+j] = v[j]
	clear(v[:j+1])
	r.e[i+j], r.tau[i+j] = g.reflect(v[j+1:])
	tau := r.tau[i+j]
	if tau == 0 {
		return // w_j = 0
	}
	// Products start at a multiple of 8, where v is still zero, so that vectors are aligned.
	s := (j + 1) &^ 7
	m := len(v) - s
	r.product.multiply(block(r.a, i+s, i+s, m, m), v[s:], w[s:])
	g.rowDots(r.coef, allW[s:], ld, v[s:], j)
	g.rowSub(w[s:], r.rows.Data[s:], ld, r.coef, 1, j)
	g.rowDots(r.coef, r.rows.Data[s:], ld, v[s:], j)
	g.rowSub(w[s:], allW[s:], ld, r.coef, 1, j)
	half := tau * tau * g.rowDot(w[s:], v[s:]) / 2
	for t, x := range v[s:] {
		w[s+t] = tau*w[s+t] - half*x
	}
	clear(w[:j+1])
}

// leastSquare is the sum of squares below which the tail of a column counts as zero: the matrix has entries
// near 1, and a smaller sum has lost digits, which a reflection cannot spare.
const leastSquare = 0x1p-900

// reflect overwrites x by v, v_0 = 1, with (I - tau v v') x = (beta, 0, ..., 0)'.
func (g *engine) reflect(x []float64) (beta, tau float64) {
	alpha, square := x[0], g.rowDot(x[1:], x[1:])
	x[0] = 1
	if square < leastSquare {
		clear(x[1:])
		return alpha, 0
	}
	beta = -math.Copysign(math.Sqrt(alpha*alpha+square), alpha)
	scale := 1 / (alpha - beta)
	for i := range x[1:] {
		x[1+i] *= scale
	}
	return beta, (beta - alpha) / beta
}
