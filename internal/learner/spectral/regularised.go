package spectral

// Regularised spectral clustering and Laplacian eigenmaps, known for new rows
// (Sindhwani 2007, section 2.8.1):
//
//	minimise over f in H_K:  gamma |f|_K^2 + u'R u   subject to  u'u = 1, u'u_0 = 0,
//
// u = D^1/2 f at the rows of the graph (D = I for the combinatorial Laplacian,
// the source's case), R = L^p the norm of the recipe, u_0 ~ D^1/2 1. The next
// functions are orthogonal to those before in u. gamma is gamma_A/gamma_I.
//
// The pencil printed in (2.28) is singular along K 1 and K's null space. Here on a
// basis: K ~ C C' by pivoted Cholesky, whose pivots P are r rows, f = C w with
// |f|_K^2 = w'w, and B an orthonormal basis of w'C'D^1/2 u_0 = 0 (a reflection):
//
//	S = B'(gamma I + C'D^1/2 R D^1/2 C) B = T T',   G = B'C'D C B,
//	T^-1 G T'^-1 y = mu y,   lambda = 1/mu,   w = B T'^-1 y / sqrt(mu)
//
// The wanted smallest lambda are the largest mu, S is no worse than
// its norm over gamma, and gamma enters without dividing by eigenvalues of K.
// f(x) = sum over P of k(x, x_p) beta_p with C_P' beta = w: the model keeps r rows.
//
// With r = n, or all that are independent (K's remaining diagonal below 1e-12 of
// its largest), this is exact; beyond 3000 rows r is 500 and the space the
// span of those rows. gamma -> 0 gives the eigenmap, large gamma the kernel's own
// directions of largest variance.
//
// Cost: n r (r + d + p k) flops for the basis and its products, r^3, and
// solve.Eigen on an r x r matrix; memory n r + 3 r^2.

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/internal/solve"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Regularised is the recipe. The zero value takes a Gaussian kernel of default
// width.
type Regularised struct {
	Kernel kernel.Kernel // nil means kernel.Gaussian{}; zero parameters are taken from the rows
	Gamma  float64       // gamma_A/gamma_I; 0 means 1e-4
	Rank   int           // most rows the functions are written over; 0 means 3000, 500 for more rows than that
	Seed   uint64        // of the iteration's start
}

const (
	defaultGamma = 1e-4
	exactRank    = 3000
	reducedRank  = 500
	rankFloor    = 1e-12
	pieceRows    = 2048 // are worth a goroutine; no result depends on it
)

// Fit places the rows, which are those of g, in m dimensions.
func (r Regularised) Fit(ctx context.Context, g *graph.Graph, rows data.Rows, m int) (*Embedding, error) {
	if rows.Len() != g.N {
		panic(fmt.Sprintf("spectral: graph of %d rows, %d rows of features", g.N, rows.Len()))
	}
	if err := checkDims(g, m); err != nil {
		return nil, err
	}
	gamma := r.Gamma
	if gamma == 0 {
		gamma = defaultGamma
	}
	if !(gamma > 0) || math.IsInf(gamma, 1) {
		return nil, fmt.Errorf("spectral: gamma %g must be positive and finite", r.Gamma)
	}
	k := r.Kernel
	if k == nil {
		k = kernel.Gaussian{}
	}
	k = k.Adapt(rows)
	if !kernel.Definite(k) {
		return nil, errors.New("spectral: the kernel is not positive definite and has no norm; take another")
	}
	gram, err := k.Bind(ctx, rows, nil)
	if err != nil {
		return nil, err
	}
	pivots, c, err := pivoted(ctx, gram, r.rank(g.N))
	if err != nil {
		return nil, err
	}
	if len(pivots) <= m {
		return nil, fmt.Errorf("spectral: %d dimensions, but the kernel has only %d independent functions on these rows beside "+
			"the constant; "+
			"take a narrower kernel or fewer dimensions", m, len(pivots)-1)
	}
	p := newPieces(g)
	out := &Embedding{Values: make([]float64, m), Residual: make([]float64, m), Constant: p.constant(), Components: len(p.size)}
	w, err := r.solve(ctx, g, p, c, gamma, out)
	if err != nil {
		return nil, err
	}
	out.Coordinates = blas.Product(blas.N(c), blas.N(w))
	for j := range m {
		if solve.Orient(out.Coordinates, j) {
			for i := range pivots {
				w.Set(i, j, -w.At(i, j))
			}
		}
	}
	// C_P' beta = w, C_P lower triangular in the order of the pivots.
	beta := w
	for i := len(pivots) - 1; i >= 0; i-- {
		row := c.RawRowView(pivots[i])
		b := beta.RawRowView(i)
		for j := range b {
			b[j] /= row[i]
		}
		for q, v := range row[:i] {
			to := beta.RawRowView(q)
			for j := range b {
				to[j] -= v * b[j]
			}
		}
	}
	parts, err := gram.Expand(beta, pivots)
	if err != nil {
		return nil, err
	}
	if len(parts) != 1 {
		return nil, errors.New("spectral: a kernel over several kinds of centres cannot be kept; take a plain one")
	}
	out.Expansion = &parts[0]
	return out, nil
}

func (r Regularised) rank(n int) int {
	switch {
	case r.Rank > 0:
		return min(n, r.Rank)
	case n > exactRank:
		return reducedRank
	}
	return n
}

// solve returns w, r x m, and fills values and residuals of out.
func (r Regularised) solve(ctx context.Context, g *graph.Graph, p *pieces, c *mat.Dense, gamma float64, out *Embedding) (*mat.Dense,
	error) {
	n, rank := c.Dims()
	m := len(out.Values)
	s, v := mat.NewDense(rank, rank, nil), mat.NewDense(rank, rank, nil)
	operator := &graph.Power{L: g.Laplacian(), P: g.Recipe.Degree}
	const panel = 64
	x, rx := mat.NewDense(n, panel, nil), mat.NewDense(n, panel, nil)
	left := mat.NewDense(rank, panel, nil)
	for lo := 0; lo < rank; lo += panel {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w := min(panel, rank-lo)
		xs, rs, ls := x.Slice(0, n, 0, w).(*mat.Dense), rx.Slice(0, n, 0, w).(*mat.Dense), left.Slice(0, rank, 0, w).(*mat.Dense)
		for i, root := range p.root { // D^1/2 C
			to := xs.RawRowView(i)
			for j, a := range c.RawRowView(i)[lo : lo+w] {
				to[j] = root * a
			}
		}
		operator.MulTo(rs, xs)
		for i, root := range p.root {
			a, b := rs.RawRowView(i), xs.RawRowView(i)
			for j := range a {
				a[j] *= root
				b[j] *= root
			}
		}
		blas.Gemm(1, blas.T(c), blas.N(rs), 0, ls)
		s.Slice(0, rank, lo, lo+w).(*mat.Dense).Copy(ls)
		blas.Gemm(1, blas.T(c), blas.N(xs), 0, ls)
		v.Slice(0, rank, lo, lo+w).(*mat.Dense).Copy(ls)
	}
	for i := range rank {
		s.Set(i, i, s.At(i, i)+gamma)
	}
	// The constraint C'D 1 as a reflection H = I - 2 h h' that maps it to the first axis.
	h := make([]float64, rank)
	for i, root := range p.root {
		for j, a := range c.RawRowView(i) {
			h[j] += root * root * a
		}
	}
	reflector(h)
	sb, gb := reflectBoth(s, h), reflectBoth(v, h)
	var chol blas.Cholesky
	if err := chol.Factor(sb); err != nil {
		return nil, fmt.Errorf("spectral: gamma %g is too small beside the norm of the graph: %w", gamma, err)
	}
	chol.SolveL(gb)
	blas.Transpose(gb)
	chol.SolveL(gb)
	res, err := solve.Eigen(ctx, func(dst, x *mat.Dense) { blas.Gemm(1, blas.N(gb), blas.N(x), 0, dst) }, rank-1, m,
		solve.EigenOptions{Largest: true, Tolerance: 1e-12, Seed: r.Seed})
	if err != nil && (res.Vectors == nil || !errors.Is(err, context.DeadlineExceeded)) {
		return nil, err
	}
	out.Status = res.Status
	y := res.Vectors
	chol.SolveLT(y)
	w := mat.NewDense(rank, m, nil)
	for j := range m {
		mu := res.Values[j]
		if !(mu > 0) {
			return nil, fmt.Errorf("spectral: function %d is zero on all rows; take a narrower kernel or fewer dimensions", j+1)
		}
		out.Values[j], out.Residual[j] = 1/mu, res.Residual[j]/(mu*mu)
		dot := 0.0
		for i := range rank - 1 {
			w.Set(i+1, j, y.At(i, j)/math.Sqrt(mu))
			dot += h[i+1] * w.At(i+1, j)
		}
		for i := range rank {
			w.Set(i, j, w.At(i, j)-2*dot*h[i])
		}
	}
	return w, nil
}

// reflector replaces a by the unit h with (I - 2 h h') a = -+|a| e_1; zeros
// stay.
func reflector(a []float64) {
	norm := 0.0
	for _, v := range a {
		norm = math.Hypot(norm, v)
	}
	if norm == 0 {
		return
	}
	a[0] += math.Copysign(norm, a[0])
	length := 0.0
	for _, v := range a {
		length = math.Hypot(length, v)
	}
	for i := range a {
		a[i] /= length
	}
}

// reflectBoth returns H A H without its first row and column, A symmetric:
// A - 2 h (A h)' - 2 (A h) h' + 4 (h'A h) h h'.
func reflectBoth(a *mat.Dense, h []float64) *mat.Dense {
	n, _ := a.Dims()
	ah := make([]float64, n)
	hah := 0.0
	for i := range n {
		for j, v := range a.RawRowView(i) {
			ah[i] += v * h[j]
		}
		hah += h[i] * ah[i]
	}
	out := mat.NewDense(n-1, n-1, nil)
	for i := 1; i < n; i++ {
		to, from := out.RawRowView(i-1), a.RawRowView(i)
		for j := 1; j < n; j++ {
			to[j-1] = from[j] - 2*h[i]*ah[j] - 2*ah[i]*h[j] + 4*hah*h[i]*h[j]
		}
	}
	return out
}

// pivoted factors K ~ C C', C n x r: at each step the row with the largest
// remaining diagonal, the first on ties, until r is the limit or that is below
// 1e-12 of the largest at first. C[pivots] is lower triangular. Cost: n r^2
// flops and r columns of K.
func pivoted(ctx context.Context, gram kernel.Gram, limit int) (pivots []int, c *mat.Dense, err error) {
	n := gram.Len()
	c = mat.NewDense(n, limit, nil)
	all := indices.To(n)
	rest := kernel.Diagonal(gram, all)
	top := 0.0
	for i, v := range rest {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, nil, fmt.Errorf("spectral: the kernel of row %d with itself is %g; scale the features", i, v)
		}
		top = max(top, v)
	}
	column := mat.NewDense(n, 1, nil)
	for r := range limit {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		p := 0
		for i, v := range rest {
			if v > rest[p] {
				p = i
			}
		}
		if !(rest[p] > rankFloor*top) {
			break
		}
		pivot := math.Sqrt(rest[p])
		gram.Block(column, nil, []int{p})
		at := c.RawRowView(p)[:r]
		parallel.Pieces(n, pieceRows, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				if i == p || math.IsInf(rest[i], -1) {
					continue // a pivot has nothing left
				}
				row := c.RawRowView(i)
				v := column.At(i, 0)
				for q, a := range at {
					v -= a * row[q]
				}
				v /= pivot
				row[r] = v
				rest[i] -= v * v
			}
		})
		c.Set(p, r, pivot)
		rest[p] = math.Inf(-1)
		pivots = append(pivots, p)
	}
	if len(pivots) == 0 {
		return nil, nil, errors.New("spectral: the kernel is zero on all rows")
	}
	return pivots, c.Slice(0, n, 0, len(pivots)).(*mat.Dense), nil
}
