package kernel

// Features of low rank: the Nystrom approximation by m landmarks Z among the n rows.
//
//	W = K[Z,Z] + delta I = L L',   Phi = K[.,Z] L^-T  (n x m),   K ~ Phi Phi'
//
// Symbols   k(x, z) ~ k(x,Z) W^-1 k(Z,z): K less the part orthogonal to the landmarks,
//           never larger than K, exact on the landmarks but for delta; with all rows as
//           landmarks K itself. A function with weights w on Phi is sum_j a_j k(., z_j)
//           with a = L^-T w.
// delta     8 m 2^-52 mean diag W, some 2e-12 of the diagonal for m = 1000: rounding errors of
//           W are a few 2^-52 and would be divided by pivots that are nothing but rounding.
//           Ten times more each time that W is still not positive definite, up to 1e-6 of
//           the diagonal. It is a constant of the method: derivatives leave it out.
// Stability Phi by triangular solves of panels, never by an inverse: each row solves
//           Phi_i L' = k(x_i,Z) to rounding, so the error of Phi Phi' is of the order of
//           delta, however singular W is.
// Cost      n m kernel values, n m^2 + m^3/3 flops; memory n m + m^2 numbers.
// Source    Williams and Seeger, NIPS 13 (2001).

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/parallel"
	"gonum.org/v1/gonum/mat"
)

// Nystrom are the features Phi of a bound kernel.
type Nystrom struct {
	Landmarks []int      // Z, numbers of training rows
	Phi       *mat.Dense // n x m
	delta     float64    // the ridge of W

	chol blas.Cholesky
	w    *mat.Dense // L, in its lower triangle
	work *Work
}

const (
	// nystromRows is the number of rows whose features are made at once: for 1000 landmarks
	// 4 MB, which stay in the caches for the solve, and enough columns for it.
	nystromRows = 512 // no result depends on it
	// nystromRidge times m 2^-52 is delta relative to the diagonal, and nystromLimit its limit.
	nystromRidge = 8
	nystromLimit = 1e-6
)

// NewNystrom computes the features of the first n training rows for landmarks z among all of
// them: landmarks that are no rows of the problem stand behind those that are. Work may
// be nil; given, the n x m table is borrowed from it. A kernel bound without a Work stores no n x n
// table for it.
func NewNystrom(ctx context.Context, g Gram, n int, z []int, work *Work) (*Nystrom, error) {
	m := len(z)
	if m == 0 {
		panic("kernel: Nystrom features without landmarks")
	}
	f := &Nystrom{Landmarks: z, work: work}
	if err := f.factor(g, 0); err != nil {
		return nil, err
	}
	f.Phi = work.Borrow(n, m)
	all := indices.To(n)
	panel := mat.NewDense(m, min(nystromRows, n), nil)
	for lo := 0; lo < n; lo += nystromRows {
		if err := ctx.Err(); err != nil {
			f.Release()
			return nil, err
		}
		hi := min(lo+nystromRows, n)
		p := panel.Slice(0, m, 0, hi-lo).(*mat.Dense)
		g.Block(p, z, all[lo:hi])
		f.chol.SolveL(p)
		transposeTo(f.Phi, lo, p)
	}
	return f, nil
}

// NewProjection returns the features of a kernel bound to its landmarks alone, without a table Phi, for
// rows that come by panels. delta is at least ridge times the mean diagonal: 0, or what covers the rounding
// of kernel values that are not in double precision.
func NewProjection(g Gram, ridge float64) (*Nystrom, error) {
	f := &Nystrom{Landmarks: indices.To(g.Len())}
	return f, f.factor(g, ridge)
}

// factor computes L, with the smallest ridge, of at least the given one, that makes W positive definite.
func (f *Nystrom) factor(g Gram, least float64) error {
	z := f.Landmarks
	m := len(z)
	w := mat.NewDense(m, m, nil)
	for _, i := range z {
		if i < 0 || i >= g.Len() {
			panic(fmt.Sprintf("kernel: landmark %d of %d rows", i, g.Len()))
		}
	}
	g.Block(w, z, z)
	var diag float64
	for q := range m {
		diag += w.At(q, q) / float64(m)
	}
	f.w = mat.NewDense(m, m, nil)
	var err error
	least = max(least, nystromRidge*float64(m)*0x1p-52)
	for ridge := least; ridge <= max(least, nystromLimit); ridge *= 10 {
		f.w.Copy(w)
		f.delta = ridge * diag
		for q := range m {
			f.w.Set(q, q, f.w.At(q, q)+f.delta)
		}
		if err = f.chol.Factor(f.w); err == nil {
			return nil
		}
	}
	return fmt.Errorf("kernel: the %dx%d Gram matrix of the landmarks, with %g on its diagonal: %w", m, m, f.delta, err)
}

// Coefficients replaces weights x on the features (m x k) by coefficients over the
// landmarks, L^-T x.
func (f *Nystrom) Coefficients(x *mat.Dense) { f.chol.SolveLT(x) }

// Project replaces kernel values x = k(Z, .) (m x k) by features, L^-1 x.
func (f *Nystrom) Project(x *mat.Dense) { f.chol.SolveL(x) }

// ProjectRows replaces kernel values x = k(., Z) (r x m) by features, x L^-T.
func (f *Nystrom) ProjectRows(x *mat.Dense) { f.chol.SolveRight(x) }

// Factor returns a copy of L, with zeros above the diagonal: but for delta, the features of the landmarks.
func (f *Nystrom) Factor() *mat.Dense {
	m := len(f.Landmarks)
	l := mat.NewDense(m, m, nil)
	for i := range m {
		copy(row(l, i), row(f.w, i)[:i+1])
	}
	return l
}

// Release gives the n x m table back to the Work; the features must not be used
// afterwards.
func (f *Nystrom) Release() {
	if f.Phi != nil {
		f.work.Return(f.Phi)
		f.Phi = nil
	}
}

// transposeTo stores p' (p is m x r) in the rows first, first+1, ... of dst, 32 rows
// at a time, so that a line of p is used before it leaves the cache.
func transposeTo(dst *mat.Dense, first int, p *mat.Dense) {
	m, r := p.Dims()
	parallel.Pieces(r, chunk, func(lo, hi int) {
		for j := range m {
			from := row(p, j)[lo:hi]
			for a, v := range from {
				row(dst, first+lo+a)[j] = v
			}
		}
	})
}
