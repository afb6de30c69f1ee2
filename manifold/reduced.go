package manifold

// The warped kernel on features of low rank, for rows of which an n x n table does
// not fit.
//
// Problem   k~ = k - k_x'(I + M K)^-1 M k_z (Warp) with the base kernel replaced by its
//           Nystrom approximation K = Phi Phi', Phi = K[.,Z] L^-T (n x m), by m landmarks Z
//           (kernel.NewNystrom). Then with
//
//	B = Phi' R Phi (m x m),   S = I + Ratio B = T T'
//
//	K~ = Phi S^-1 Phi' = Psi Psi',   Psi = Phi T^-T
//	k~(x, x_j) = k(x,Z) A_j,   A_j = L^-T S^-1 Phi_j'
//
//           (Sindhwani 2007, eq. 2.22 with K = C C'). Ratio 0 is the Nystrom kernel; all
//           rows as landmarks give Warp. Any learner that takes a Gram object is trained by
//           it on the labelled rows; what it stores are m coefficients.
// Ratios    S is factored anew for each: m^3/3 flops.
// Cost      n m kernel values (2 n m d flops where they need products), n m^2 flops each for
//           Phi and B, 2 p nnz m for R = L^p; a further ratio m^3/3 + l m^2 + l^2 m for l labelled
//           rows. Memory n m for Phi, some 5 m^2, and a panel of n x 256, in numbers of 8 bytes.
// Derivatives see reduced_pull.go.

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// Reduced is the recipe of the kernel above. Parameters: those of Base, then those of
// Norm, then `ratio`; without a Norm it is the Nystrom kernel of Base, with its parameters
// alone.
type Reduced struct {
	Base      kernel.Kernel
	Norm      Norm
	Ratio     float64
	Landmarks kernel.Landmarks
	// Rows and Centres are the landmarks, training rows and others; without any, Bind chooses them
	// for the kernel's present parameters. A search fixes them first (Choose), or its score
	// would jump.
	Rows    []int
	Centres *mat.Dense
}

var _ kernel.Kernel = Reduced{}

// Space lists the parameters of the base kernel, of the norm, and the ratio.
func (w Reduced) Space() param.Space {
	if w.Norm == nil {
		return w.Base.Space()
	}
	return Warp{Base: w.Base, Norm: w.Norm, Ratio: w.Ratio}.Space()
}

// With replaces the parameters, in the order of Space.
func (w Reduced) With(theta []float64) (kernel.Kernel, error) {
	if w.Norm == nil {
		base, err := w.Base.With(theta)
		w.Base = base
		return w, err
	}
	k, err := Warp{Base: w.Base, Norm: w.Norm, Ratio: w.Ratio}.With(theta)
	if err != nil {
		return nil, err
	}
	warp := k.(Warp)
	w.Base, w.Norm, w.Ratio = warp.Base, warp.Norm, warp.Ratio
	return w, nil
}

// Adapt fills the zero parameters of the base kernel.
func (w Reduced) Adapt(rows data.Rows) kernel.Kernel {
	w.Base = w.Base.Adapt(rows)
	return w
}

// Count is the number of landmarks chosen.
func (w Reduced) Count() int {
	if w.Centres == nil {
		return len(w.Rows)
	}
	m, _ := w.Centres.Dims()
	return len(w.Rows) + m
}

// Choose returns the kernel with its landmarks chosen, the rows of always among them. As many
// landmarks as rows are the rows, whatever the choice: then the machine is the exact one.
func (w Reduced) Choose(ctx context.Context, train data.Rows, always []int) (Reduced, error) {
	most := w.Landmarks.Of(train.Len())
	if w.Landmarks.Rows == nil && w.Landmarks.Choice == kernel.Means && train.Dense != nil && most < train.Len() {
		count := most - len(always)
		w.Rows = slices.Clone(always)
		var err error
		if count > 0 {
			w.Centres, err = kernel.Centres(ctx, train, count, w.Landmarks.Seed)
		}
		return w, err
	}
	base, err := w.Base.Bind(ctx, train, nil)
	if err != nil {
		return Reduced{}, err
	}
	w.Rows, err = w.Landmarks.Choose(ctx, base, always)
	return w, err
}

// Bind computes the features and factors S, see the cost above.
func (w Reduced) Bind(ctx context.Context, train data.Rows, work *kernel.Work) (kernel.Gram, error) {
	p, err := w.Parts(ctx, train, work)
	if err != nil {
		return nil, err
	}
	g, err := p.Warp(ctx, w)
	if err != nil {
		p.Release()
		return nil, err
	}
	g.(*reduced).release = p.Release
	return g, nil
}

// ReducedParts are what reduced kernels on the same rows share when they differ in the
// ratio, or in the weights of a combination of norms: features and B. Not for
// concurrent use, but the Gram objects made of them are.
type ReducedParts struct {
	Base kernel.Gram

	norm     graph.Operator // nil: none
	features *kernel.Nystrom
	rows     []int        // numbers of the problem's rows in Base; nil: all
	b        *mat.Dense   // Phi' R Phi; nil without a norm
	each     []*mat.Dense // B_j of a combination, where asked for
}

// Parts binds kernel and norm and computes features and B. The base kernel is bound
// without a Work, which would keep n x n tables; graphs are shared through it.
func (w Reduced) Parts(ctx context.Context, train data.Rows, work *kernel.Work) (*ReducedParts, error) {
	var err error
	if w.Rows == nil && w.Centres == nil {
		if w, err = w.Choose(ctx, train, nil); err != nil {
			return nil, err
		}
	}
	own, n := train, train.Len()
	z := slices.Clone(w.Rows)
	if w.Centres != nil {
		m, _ := w.Centres.Dims()
		if train, err = train.Append(data.Rows{Dense: w.Centres}); err != nil {
			return nil, err
		}
		for j := range m {
			z = append(z, n+j)
		}
	}
	base, err := w.Base.Bind(ctx, train, nil)
	if err != nil {
		return nil, err
	}
	p := &ReducedParts{Base: base}
	if base.Len() > n { // those of the problem, where the base kernel has the centres too
		p.rows = make([]int, n)
		for i := range p.rows {
			p.rows[i] = i
		}
	}
	if w.Norm != nil {
		if p.norm, err = w.Norm.Bind(ctx, own, work); err != nil {
			return nil, err
		}
		if p.norm.Len() != n {
			panic(fmt.Sprintf("manifold: intrinsic norm of %d rows for %d training rows", p.norm.Len(), n))
		}
	}
	if p.features, err = kernel.NewNystrom(ctx, base, n, z, work); err != nil {
		return nil, err
	}
	if p.norm != nil {
		if p.b, err = p.conjugate(ctx, p.norm); err != nil {
			p.Release()
			return nil, err
		}
	}
	return p, nil
}

// Release gives the n x m table back to the Work; nothing made of the parts must be
// used afterwards.
func (p *ReducedParts) Release() { p.features.Release() }

// reducedPanel is the width of the panels of R Phi: a product with 256 columns runs at the
// speed of wide ones, and for 100 000 rows they are 200 MB.
const reducedPanel = 256

// conjugate returns Phi' R Phi by panels of columns, of each only what lies on or below the
// diagonal: 2 p nnz m + n m^2 flops.
func (p *ReducedParts) conjugate(ctx context.Context, r graph.Operator) (*mat.Dense, error) {
	phi := p.features.Phi
	n, m := phi.Dims()
	b, on := mat.NewDense(m, m, nil), blas.Within(ctx)
	work := mat.NewDense(n, min(reducedPanel, m), nil)
	for lo := 0; lo < m; lo += reducedPanel {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+reducedPanel, m)
		panel := work.Slice(0, n, 0, hi-lo).(*mat.Dense)
		r.MulTo(panel, phi.Slice(0, n, lo, hi).(*mat.Dense))
		on.Gemm(1, blas.T(phi.Slice(0, n, lo, m).(*mat.Dense)), blas.N(panel), 0, b.Slice(lo, m, lo, hi).(*mat.Dense))
	}
	mirror(b)
	return b, on.Stopped()
}

// mirror copies the lower triangle to the upper one.
func mirror(b *mat.Dense) {
	m, _ := b.Dims()
	for i := range m {
		for j, v := range b.RawRowView(i)[:i] {
			b.Set(j, i, v)
		}
	}
}

// Reweigh moves the parts to other weights of a combination, whose terms must be those
// of Norm. The first call computes B_j of each term, n m^2 flops each; then
// B = sum_j mu_j B_j costs m^2 a term.
func (p *ReducedParts) Reweigh(ctx context.Context, to *graph.Combination) error {
	if p.each == nil {
		each := make([]*mat.Dense, len(to.Terms))
		for j := range to.Terms {
			alone, err := graph.Combine([]float64{1}, to.Terms[j:j+1], to.Normalise)
			if err != nil {
				return err
			}
			if each[j], err = p.conjugate(ctx, alone); err != nil {
				return err
			}
		}
		p.each = each
	}
	m, _ := p.b.Dims()
	p.b = mat.NewDense(m, m, nil) // Gram objects made before keep theirs
	for j, mu := range to.Mu {
		for i := range m {
			row := p.b.RawRowView(i)
			for q, v := range p.each[j].RawRowView(i) {
				row[q] += mu * v
			}
		}
	}
	p.norm = to
	return nil
}

// Warp returns the kernel of these parts with the ratio of w.
func (p *ReducedParts) Warp(ctx context.Context, w Reduced) (kernel.Gram, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	g := &reduced{Gram: p.Base, base: w, n: p.features.Phi.RawMatrix().Rows, parts: *p}
	if p.b == nil || w.Ratio == 0 {
		return g, nil
	}
	m, _ := p.b.Dims()
	s := mat.NewDense(m, m, nil)
	for i := range m {
		to := s.RawRowView(i)
		for j, v := range p.b.RawRowView(i)[:i+1] {
			to[j] = w.Ratio * v
		}
		to[i]++
	}
	g.chol = new(blas.Cholesky)
	if err := g.chol.Factor(s); err != nil {
		return nil, fmt.Errorf("manifold: I + M K with ratio %g on %d landmarks: %w", w.Ratio, m, err)
	}
	return g, nil
}

// reduced is the Gram object. The embedded Gram is that of the base kernel.
type reduced struct {
	kernel.Gram
	base    Reduced
	n       int
	parts   ReducedParts
	chol    *blas.Cholesky // of S; nil: S = I
	release func()

	mu   sync.Mutex
	last *reducedColumns
}

// Release gives the n x m table back to the Work of Bind. The Gram object must not be
// used afterwards.
func (g *reduced) Release() {
	if g.release != nil {
		g.release()
		g.release = nil
	}
}

// reducedColumns are T^-1 Phi_j', S^-1 Phi_j' and the coefficients A_j, all m x |j|.
type reducedColumns struct {
	j          []int
	psi, s, a  *mat.Dense
	onceS, aOf sync.Once
}

// columns returns those of the rows j, kept until others are asked for.
func (g *reduced) columns(j []int) *reducedColumns {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.last != nil && (g.last.j == nil) == (j == nil) && slices.Equal(g.last.j, j) {
		return g.last
	}
	c := &reducedColumns{j: slices.Clone(j), psi: g.features(j)}
	g.half(c.psi)
	g.last = c
	return c
}

// features returns Phi_j' (m x |j|).
func (g *reduced) features(j []int) *mat.Dense {
	phi := g.parts.features.Phi
	n, m := phi.Dims()
	if j != nil {
		n = len(j)
	}
	x := mat.NewDense(m, n, nil)
	for q := range n {
		i := q
		if j != nil {
			i = j[q]
		}
		for k, v := range phi.RawRowView(i) {
			x.Set(k, q, v)
		}
	}
	return x
}

// half replaces x by T^-1 x.
func (g *reduced) half(x *mat.Dense) {
	if g.chol != nil {
		g.chol.SolveL(x)
	}
}

// other replaces x by T'^-1 x.
func (g *reduced) other(x *mat.Dense) {
	if g.chol != nil {
		g.chol.SolveLT(x)
	}
}

// solved returns S^-1 Phi_j'.
func (g *reduced) solved(c *reducedColumns) *mat.Dense {
	c.onceS.Do(func() {
		c.s = mat.DenseCopyOf(c.psi)
		g.other(c.s)
	})
	return c.s
}

// coefficients returns A_j.
func (g *reduced) coefficients(c *reducedColumns) *mat.Dense {
	c.aOf.Do(func() {
		c.a = mat.DenseCopyOf(g.solved(c))
		g.parts.features.Coefficients(c.a)
	})
	return c.a
}

// Len is the number of training rows.
func (g *reduced) Len() int { return g.n }

// Block stores K~[i,j]: Psi_i Psi_i', exactly symmetric, where i and j are equal, else
// Phi_i S^-1 Phi_j'. Cost: |j| m^2 flops for new columns, 2 |i||j| m for their products.
func (g *reduced) Block(dst *mat.Dense, i, j []int) {
	c := g.columns(j)
	switch {
	case (i == nil) == (j == nil) && slices.Equal(i, j):
		blas.Syrk(1, blas.T(c.psi), 0, dst)
	case i == nil:
		blas.Gemm(1, blas.N(g.parts.features.Phi), blas.N(g.solved(c)), 0, dst)
	default:
		blas.Gemm(1, blas.T(g.features(i)), blas.N(g.solved(c)), 0, dst)
	}
}

// Values stores f = k~(., x_j) alpha on all training rows, Phi (S^-1 Phi_j' alpha):
// 2 n m flops an output, without the columns of K~.
func (g *reduced) Values(dst, alpha *mat.Dense, j []int) {
	blas.Gemm(1, blas.N(g.parts.features.Phi), blas.N(times(g.solved(g.columns(j)), alpha)), 0, dst)
}

func times(a, b *mat.Dense) *mat.Dense { return blas.Product(blas.N(a), blas.N(b)) }

func timesT(a, b *mat.Dense) *mat.Dense { return blas.Product(blas.N(a), blas.T(b)) }

// Cross stores k~(x, x_j) = k(x,Z) A_j, by panels of the new rows.
func (g *reduced) Cross(dst *mat.Dense, x data.Rows, j []int) error {
	a, z := g.coefficients(g.columns(j)), g.parts.features.Landmarks
	_, q := dst.Dims()
	for lo := 0; lo < x.Len(); lo += crossRows {
		idx := make([]int, min(crossRows, x.Len()-lo))
		for p := range idx {
			idx[p] = lo + p
		}
		k := mat.NewDense(len(idx), len(z), nil)
		if err := g.Gram.Cross(k, x.Select(idx), z); err != nil {
			return err
		}
		blas.Gemm(1, blas.N(k), blas.N(a), 0, dst.Slice(lo, lo+len(idx), 0, q).(*mat.Dense))
	}
	return nil
}

// Expand writes f over the base kernel: coefficients A_j alpha on the m landmarks.
func (g *reduced) Expand(alpha *mat.Dense, j []int) ([]kernel.Expansion, error) {
	return g.Gram.Expand(times(g.coefficients(g.columns(j)), alpha), g.parts.features.Landmarks)
}

// Features returns the rows Psi_j with K~[j,j] = Psi_j Psi_j', |j| x m; nil lists mean
// all rows, and two more n x m tables.
func (g *reduced) Features(j []int) *mat.Dense {
	psi := g.columns(j).psi
	m, n := psi.Dims()
	x := mat.NewDense(n, m, nil)
	for k := range m {
		for i, v := range psi.RawRowView(k) {
			x.Set(i, k, v)
		}
	}
	return x
}

// Featured is a Gram object that is Psi Psi' for features Psi it can show: a learner with
// more labelled rows than features works with those.
type Featured interface {
	kernel.Gram
	// Features returns Psi_j with K[j,j] = Psi_j Psi_j', |j| x m.
	Features(j []int) *mat.Dense
	// PullFeatures is Pull of a symmetric cotangent X of K[i,i], given X Psi_i.
	PullFeatures(grad []float64, i []int, xpsi *mat.Dense) error
}

var _ Featured = (*reduced)(nil)

// Semidefinite is true of a product of features.
func (g *reduced) Semidefinite() bool { return true }
