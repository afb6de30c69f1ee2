// Package manifold turns unlabelled rows into kernels. The warped kernel adds
// an intrinsic norm f'Mf on the training rows to the norm of a base kernel; any
// learner on a Gram matrix that takes it becomes semi-supervised. Laplacian RLS
// is RLS with the warped kernel.
//
// A new intrinsic norm is a Norm here, and works with every learner and score. Change here,
// too, how the warped kernel is factored.
package manifold

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// Norm is the recipe of an intrinsic norm f'Rf: bound to rows it is an operator.
type Norm interface {
	Space() param.Space
	With(theta []float64) (Norm, error)
	Bind(ctx context.Context, rows data.Rows, w *kernel.Work) (graph.Operator, error)
}

// Warp is the point-cloud kernel of a base kernel K and an intrinsic norm R over
// the n training rows, with M = Ratio R:
//
//	k~(x, z) = k(x, z) - k_x' (I + M K)^-1 M k_z
//
// (Sindhwani 2007, eq. 2.22; Becker 2013, eq. 3.16 with the missing transpose).
// On the training rows K~ = K (I + M K)^-1, never larger than K; Ratio 0 gives
// the base kernel back. The ratio is gamma_I/gamma_A, times 1/(l+u)^2 in the
// convention of the averaged objective (see docs/notation.md).
//
// Parameters: those of Base, then those of Norm, then `ratio`.
type Warp struct {
	Base  kernel.Kernel
	Norm  Norm
	Ratio float64
}

var _ kernel.Kernel = Warp{}

// Space lists the parameters of the base kernel, of the norm, and the ratio.
func (w Warp) Space() param.Space {
	s := slices.Concat(w.Base.Space(), w.Norm.Space())
	return append(s, param.Dim{
		Name: "ratio", Kind: param.Log, Default: w.Ratio,
		// Twenty octaves each way: the box of Becker's table 4.1.
		Lo: w.Ratio * 0x1p-20, Hi: w.Ratio * 0x1p20,
	})
}

// With replaces the parameters, in the order of Space.
func (w Warp) With(theta []float64) (kernel.Kernel, error) {
	nb, nn := len(w.Base.Space()), len(w.Norm.Space())
	if len(theta) != nb+nn+1 {
		panic(fmt.Sprintf("manifold: %d parameters for a warped kernel with %d", len(theta), nb+nn+1))
	}
	base, err := w.Base.With(theta[:nb])
	if err != nil {
		return nil, err
	}
	norm, err := w.Norm.With(theta[nb : nb+nn])
	if err != nil {
		return nil, err
	}
	ratio := theta[nb+nn]
	if !(ratio >= 0) || math.IsInf(ratio, 0) {
		return nil, fmt.Errorf("manifold: ratio = %g; it must be finite and not negative", ratio)
	}
	return Warp{Base: base, Norm: norm, Ratio: ratio}, nil
}

// Warped takes a kernel warped by a norm apart, exact or reduced.
func Warped(k kernel.Kernel) (w Warp, ok bool) {
	switch k := k.(type) {
	case Warp:
		return k, true
	case Reduced:
		return Warp{Base: k.Base, Norm: k.Norm, Ratio: k.Ratio}, k.Norm != nil
	}
	return Warp{}, false
}

// Adapt fills the zero parameters of the base kernel.
func (w Warp) Adapt(rows data.Rows) kernel.Kernel {
	w.Base = w.Base.Adapt(rows)
	return w
}

// Bind computes K and factors I + M K. Memory: two n x n matrices. Cost: the
// Gram matrix, and as Parts.Warp.
func (w Warp) Bind(ctx context.Context, train data.Rows, work *kernel.Work) (kernel.Gram, error) {
	base, err := w.Base.Bind(ctx, train, work)
	if err != nil {
		return nil, err
	}
	norm, err := w.Norm.Bind(ctx, train, work)
	if err != nil {
		return nil, err
	}
	if w.Ratio == 0 {
		return unwarped{base, len(w.Base.Space()), norm, context.Background()}, nil
	}
	n := base.Len()
	p := Parts{Base: base, K: work.Borrow(n, n), Norm: norm}
	system := work.Borrow(n, n)
	release := func() {
		work.Return(p.K)
		work.Return(system)
	}
	if err := kernel.Fill(ctx, p.K, base, nil, nil); err != nil {
		release()
		return nil, err
	}
	g, err := p.Warp(ctx, w, system)
	if err != nil {
		release()
		return nil, err
	}
	g.(*warped).release = release
	return g, nil
}

// Parts are what warped kernels on the same rows share when they differ in the
// ratio alone: the bound base kernel, its Gram matrix K and the bound norm. The
// product R K is made again for each ratio: it costs a fifth of the factorisation,
// to keep it a third n x n matrix.
type Parts struct {
	Base kernel.Gram
	K    *mat.Dense
	Norm graph.Operator
}

// Warp factors I + M K in the storage of system (n x n): by the Cholesky factorisation of
// a symmetric form, (1/3) n^3 flops, which an even power of a Laplacian has at once and
// other norms with a factor of K, n^3 flops in all and one more n x n matrix (see
// warp_root.go). For ratios that rounding allows it, or where K is not positive
// semi-definite, I/Ratio + R K is factored by LU instead, (2/3) n^3.
func (p Parts) Warp(ctx context.Context, w Warp, system *mat.Dense) (kernel.Gram, error) {
	n := p.Base.Len()
	if p.Norm.Len() != n {
		panic(fmt.Sprintf("manifold: intrinsic norm of %d rows for %d training rows", p.Norm.Len(), n))
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	g := &warped{Gram: p.Base, base: w, n: n, norm: p.Norm, k: p.K, kept: new(kept)}
	r, err := p.root(ctx, w.Ratio)
	if err != nil {
		return nil, err
	}
	if r != nil {
		err := ridged(ctx, &g.chol, system, func() error {
			err := r.system(ctx, system)
			shift(system, 1/w.Ratio)
			return err
		})
		if err == nil {
			g.root = r
			return g, ctx.Err()
		}
		if !unfactored(err) {
			return nil, err
		}
	}
	if err := multiply(ctx, p.Norm, system, p.K); err != nil {
		return nil, err
	}
	shift(system, 1/w.Ratio)
	on := blas.Within(ctx)
	g.lu.Backend = on
	err = g.lu.Factor(system)
	g.lu.Backend = blas.Backend{} // the Gram object outlives the context
	if on.Stopped() != nil {
		return nil, on.Stopped()
	}
	if err != nil {
		return nil, fmt.Errorf("manifold: I + M K with ratio %g: %w", w.Ratio, err)
	}
	return g, nil
}

// shift adds v to the diagonal.
func shift(a *mat.Dense, v float64) {
	n, _ := a.Dims()
	for i := range n {
		a.Set(i, i, a.At(i, i)+v)
	}
}

// warped is the Gram object: K, the factorisation, and the columns
// last asked for.
type warped struct {
	kernel.Gram // of the base kernel
	base        Warp
	n           int
	norm        graph.Operator
	k           *mat.Dense
	root        *root         // nil with LU
	chol        blas.Cholesky // of I/Ratio + B' K B or I/Ratio + F' R F
	lu          blas.LU       // of I/Ratio + R K
	release     func()

	ctx context.Context // of a view, else nil
	on  blas.Backend    // of a view
	*kept
}

// kept are the columns last asked for, of a Gram object and its views.
type kept struct {
	mu   sync.Mutex
	last *columns
}

// Within implements what kernel.Within asks for: a view whose products and solutions ask the context.
func (g *warped) Within(ctx context.Context) kernel.Gram {
	v := *g
	v.ctx, v.on = ctx, blas.Within(ctx)
	v.chol.Backend, v.lu.Backend = v.on, v.on
	if g.root != nil {
		r := *g.root
		r.chol.Backend = v.on
		v.root = &r
	}
	return &v
}

// context is that of the view.
func (g *warped) context() context.Context {
	if g.ctx == nil {
		return context.Background()
	}
	return g.ctx
}

// Release gives the n x n tables back to the Work of Bind. The Gram object must
// not be used afterwards.
func (g *warped) Release() {
	if g.release != nil {
		g.release()
		g.release = nil
	}
}

// columns are T = (I + M K)^-1 E_j (n x |j|), the expansion of k~(., x_j) over
// the base kernel, and K T, the columns j of K~ (made when first needed).
type columns struct {
	j  []int
	t  *mat.Dense
	kt *mat.Dense
}

// at is the row of the q-th column's unit vector.
func (c *columns) at(q int) int {
	if c.j == nil {
		return q
	}
	return c.j[q]
}

// columns returns those of rows j, made anew unless they are the ones last asked for.
func (g *warped) columns(j []int) *columns {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.last != nil && (g.last.j == nil) == (j == nil) && slices.Equal(g.last.j, j) {
		return g.last
	}
	m := len(j)
	if j == nil {
		m = g.n
	}
	c := &columns{j: slices.Clone(j), t: mat.NewDense(g.n, m, nil)}
	if g.root == nil {
		for q := range m {
			c.t.Set(c.at(q), q, 1/g.base.Ratio)
		}
		g.lu.Solve(c.t)
	} else {
		g.root.columns(g.context(), c.t, c, &g.chol, g.base.Ratio)
	}
	if g.stopped() == nil {
		g.last = c
	}
	return c
}

// product returns K T, all columns j of K~.
func (g *warped) product(c *columns) *mat.Dense {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c.kt == nil {
		n, m := c.t.Dims()
		kt := mat.NewDense(n, m, nil)
		g.on.Gemm(1, blas.N(g.k), blas.N(c.t), 0, kt)
		if g.stopped() != nil {
			return kt
		}
		c.kt = kt
	}
	return c.kt
}

// Block stores K~[i,j] = K_i T_j; i and j equal give an exactly symmetric block.
// Cost: 2 n |i| |j| flops, once for all blocks of the same columns if i is nil.
func (g *warped) Block(dst *mat.Dense, i, j []int) {
	c := g.columns(j)
	if g.stopped() != nil {
		return
	}
	if i == nil {
		dst.Copy(g.product(c))
	} else {
		k := mat.NewDense(len(i), g.n, nil)
		for p, row := range i {
			copy(k.RawRowView(p), g.k.RawRowView(row))
		}
		g.on.Gemm(1, blas.N(k), blas.N(c.t), 0, dst)
	}
	if (i == nil) == (j == nil) && slices.Equal(i, j) && g.stopped() == nil {
		blas.Symmetrise(dst)
	}
}

// Values stores f = k~(., x_j) alpha on all training rows, K (T alpha): cheaper
// than by the columns of K~ (Block), which cost |j| instead of the outputs of alpha.
func (g *warped) Values(dst, alpha *mat.Dense, j []int) {
	g.on.Gemm(1, blas.N(g.k), blas.N(g.expand(alpha, j)), 0, dst)
}

// expand returns the coefficients T alpha over the base kernel.
func (g *warped) expand(alpha *mat.Dense, j []int) *mat.Dense {
	_, c := alpha.Dims()
	coef := mat.NewDense(g.n, c, nil)
	g.on.Gemm(1, blas.N(g.columns(j).t), blas.N(alpha), 0, coef)
	return coef
}

// crossRows is the panel of new rows whose base kernel values are held at once.
const crossRows = 512 // no result depends on it

// Cross stores k~(x, x_j) = k_x' T.
func (g *warped) Cross(dst *mat.Dense, x data.Rows, j []int) error {
	c := g.columns(j)
	m := x.Len()
	_, q := dst.Dims()
	for lo := 0; lo < m; lo += crossRows {
		hi := min(lo+crossRows, m)
		idx := make([]int, hi-lo)
		for p := range idx {
			idx[p] = lo + p
		}
		k := mat.NewDense(hi-lo, g.n, nil)
		if err := g.Gram.Cross(k, x.Select(idx), nil); err != nil {
			return err
		}
		g.on.Gemm(1, blas.N(k), blas.N(c.t), 0, dst.Slice(lo, hi, 0, q).(*mat.Dense))
		if err := g.stopped(); err != nil {
			return err
		}
	}
	return nil
}

// Pull sends a cotangent on rows I and columns J through the factorisation:
// with S = (I + K M)^-1, dK~ = S dK S' - K~ dM K~, so
//
//	base kernel: (T_I U)(T_J V)',   norm: -Ratio <(K~_I U)(K~_J V)', dR>,
//	ratio: -<U V', K~_I' R K~_J>
//
// Cost: O(n^2 r) for a cotangent of rank r, besides the base kernel's own pull.
func (g *warped) Pull(grad []float64, bar kernel.Cotangent) error {
	nb, nn := len(g.base.Base.Space()), len(g.base.Norm.Space())
	if len(grad) != nb+nn+1 {
		panic(fmt.Sprintf("manifold: gradient of length %d, %d parameters", len(grad), nb+nn+1))
	}
	ci := g.columns(bar.I)
	cj := ci
	if (bar.I == nil) != (bar.J == nil) || !slices.Equal(bar.I, bar.J) {
		cj = g.columns(bar.J)
	}
	for _, f := range factors(bar) {
		_, r := f.u.Dims()
		lift := func(a, x *mat.Dense) *mat.Dense {
			d := mat.NewDense(g.n, r, nil)
			g.on.Gemm(1, blas.N(a), blas.N(x), 0, d)
			return d
		}
		down := kernel.Cotangent{U: lift(ci.t, f.u), V: cj.t}
		ku, kv := lift(g.product(ci), f.u), g.product(cj)
		if f.v != nil {
			down.V, kv = lift(cj.t, f.v), lift(g.product(cj), f.v)
		}
		if err := g.stopped(); err != nil {
			return err
		}
		if err := kernel.PullWithin(g.context(), g.Gram, grad[:nb], down); err != nil {
			return err
		}
		rk := mat.NewDense(g.n, r, nil)
		if err := multiply(g.context(), g.norm, rk, kv); err != nil {
			return err
		}
		for i := range g.n {
			a := ku.RawRowView(i)
			for q, v := range rk.RawRowView(i) {
				grad[nb+nn] -= a[q] * v
			}
		}
		if nn > 0 {
			ku.Scale(-g.base.Ratio, ku)
			g.norm.Pull(grad[nb:nb+nn], ku, kv)
		}
	}
	return nil
}

// factor is u v'; v nil means the identity.
type factor struct{ u, v *mat.Dense }

// factors writes a cotangent as a sum of low-rank products.
func factors(bar kernel.Cotangent) []factor {
	var fs []factor
	if bar.U != nil {
		fs = append(fs, factor{bar.U, bar.V})
	}
	if bar.D != nil {
		fs = append(fs, factor{bar.D, nil})
	}
	return fs
}

// Expand writes f over the base kernel: coefficients T alpha on all n rows.
func (g *warped) Expand(alpha *mat.Dense, j []int) ([]kernel.Expansion, error) {
	coef := g.expand(alpha, j)
	if err := g.stopped(); err != nil {
		return nil, err
	}
	return g.Gram.Expand(coef, nil)
}

// stopped is the error of the view's context once it has stopped something.
func (g *warped) stopped() error {
	if err := g.on.Stopped(); err != nil {
		return err
	}
	return g.context().Err()
}

// Len is the number of training rows.
func (g *warped) Len() int { return g.n }

// Semidefinite is what the base kernel's matrices are.
func (g *warped) Semidefinite() bool { return kernel.Semidefinite(g.Gram) }
