// Package rls is regularised least squares on a Gram matrix K (l x l) with c
// outputs, with or without an unpenalised offset:
//
//	minimise over alpha (l x c), b (c):  ||Y - K alpha - 1 b'||^2 + lambda tr(alpha' K alpha)
//
// solved by
//
//	(K + lambda I) alpha + 1 b' = Y,   1' alpha = 0          (the last only with the offset)
//
// With the offset it is the least-squares SVM. Everything else follows from the
// matrix N with alpha = N Y: N = (K + lambda I)^-1 without the offset, the upper
// left block of the inverse of the bordered matrix with it. Then
//
//	fitted values     F = Y - lambda alpha
//	left-out residual r_B = (N_BB)^-1 alpha_B   for a fold B of rows
//
// the latter exact for fixed lambda (Pahikkala et al. 2006; for one row
// alpha_i/N_ii, Becker 2013, eq. 2.8; his eq. 2.7 has the wrong denominator).
//
// lambda is the ridge in the matrix: the objective (1/l) loss + lambda_obj ||f||^2
// of the sources has lambda = l lambda_obj.
//
// An indefinite K is solved as it is, by the same system wherever that is not singular:
// the function is the one that stabilises the objective, which then has no minimum (Ong,
// Mary, Canu and Smola, "Learning with non-positive kernels", ICML 2004), and predictions
// use the kernel that it was trained with. Left-out residuals stay exact. Where some
// N_BB is not positive definite the fit without the fold is of another kind than
// the fit with it, as K + lambda I has lost a negative eigenvalue; that happens only for
// lambda below the size of one, and counts as a leverage of one or more.
//
// Change here how least squares are solved and left out; nothing here knows of graphs, scores
// or searches.
package rls

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/moments"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Path solves the problem for every lambda from one eigendecomposition,
// K = U diag(w) U' (with the offset, of P K P on the complement of the constant
// vector, P = I - 11'/l). Cost: O(l^3) once, O(l^2 c) a lambda.
type Path struct {
	k, y   *mat.Dense
	u      *mat.Dense // l x r, r = l, or l-1 with the offset
	w      []float64  // r eigenvalues, ascending, negative rounding set to zero
	z      *mat.Dense // U'Y, r x c
	weigh  weights    // U is S U where rows have weights
	offset bool
	slack  float64 // what of an eigenvalue may be rounding

	// Of features, which stand in for k: see columns.go.
	x     *mat.Dense
	v     *mat.Dense // d x r, eigenvectors of X'X; nil: all rows are alike
	mean  []float64  // of the columns, with the offset
	zeros int        // eigenvalues that are 0 and not in w
}

// ErrNotFinite says that a Gram matrix holds NaN or an infinity.
var ErrNotFinite = moments.ErrNotFinite

// NewPath decomposes the symmetric matrix k (l x l) for targets y (l x c) of rows with these weights, nil
// for 1 each (see weights.go). k, y and weight are kept and must not change. When the context ends its error is
// returned, within a second.
func NewPath(ctx context.Context, k, y *mat.Dense, weight []float64, offset bool) (*Path, error) {
	p := newPath(k, y, weight, offset)
	s, _, err := p.matrix()
	if err != nil {
		return nil, err
	}
	l, c := y.Dims()
	bound, w := p.bound(s), make([]float64, l)
	on := blas.Within(ctx)
	if err := on.SymEigenInPlace(s, w); err != nil {
		return nil, fmt.Errorf("rls: eigenvalues of the %dx%d Gram matrix: %w", l, l, err)
	}
	r := l
	if offset {
		r-- // the constant vector
	}
	p.w, p.slack = w[:r], kernel.Rounding(l, bound)
	for i, v := range p.w {
		if v < 0 && v >= -p.slack {
			p.w[i] = 0
		}
	}
	p.u = s.Slice(0, l, 0, r).(*mat.Dense)
	p.weigh.Scale(p.u)
	p.z = mat.NewDense(r, c, nil)
	on.Gemm(1, blas.T(p.u), blas.N(y), 0, p.z)
	return p, on.Stopped()
}

func newPath(k, y *mat.Dense, weight []float64, offset bool) *Path {
	l, _ := y.Dims()
	return &Path{k: k, y: y, weigh: newWeights(weight, l), offset: offset}
}

// bound bounds the eigenvalues of the matrix without the offset's part; s is what matrix returned.
func (p *Path) bound(s *mat.Dense) float64 {
	if p.weigh.Each == nil {
		return kernel.Bound(p.k)
	}
	return kernel.Bound(s)
}

// matrix checks the problem and returns a copy of K, S K S with weights, or, with the offset,
// P K P + shift 11'/l: the constant vector is made the eigenvector of the largest
// eigenvalue, shift, which is of the size of the others.
func (p *Path) matrix() (s *mat.Dense, shift float64, err error) {
	l, lc := p.k.Dims()
	if ly, _ := p.y.Dims(); l != lc || l != ly {
		panic(fmt.Sprintf("rls: Gram matrix %dx%d, targets of %d rows", l, lc, ly))
	}
	if l == 0 {
		return nil, 0, errors.New("rls: no labelled row")
	}
	if p.offset && l == 1 {
		return nil, 0, moments.ErrOneRow
	}
	s = mat.DenseCopyOf(p.k)
	p.weigh.both(s)
	if p.offset {
		whole := kernel.Bound(s)
		p.weigh.project(s)
		// Where hardly more than rounding is left of K, no eigenvalue of it may come near the shift.
		if shift = 2 * max(kernel.Bound(s), 0x1p-10*whole); shift == 0 {
			shift = 1
		}
		p.weigh.add(s, shift)
	}
	for i := range l {
		for _, v := range s.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, 0, ErrNotFinite
			}
		}
	}
	return s, shift, nil
}

// Solve is NewPath and At for one lambda alone, by a Cholesky factorisation: l^3/3 flops against some 9 l^3, and two l x l
// matrices against four. N is made of the factor when it is first needed, by 2 l^3/3 more.
// Where K + lambda I is not positive definite to working precision it is the path.
func Solve(ctx context.Context, k, y *mat.Dense, weight []float64, offset bool, lambda float64) (*Fit, error) {
	if err := moments.CheckLambda(lambda); err != nil {
		return nil, err
	}
	p := newPath(k, y, weight, offset)
	s, shift, err := p.matrix()
	if err != nil {
		return nil, err
	}
	l, c := y.Dims()
	for i := range l {
		s.Set(i, i, s.At(i, i)+lambda)
	}
	ch := blas.Cholesky{Backend: blas.Within(ctx)}
	if ch.Factor(s) != nil {
		if err := ch.Backend.Stopped(); err != nil {
			return nil, err
		}
		if p, err = NewPath(ctx, k, y, weight, offset); err != nil {
			return nil, err
		}
		return p.At(lambda)
	}
	f := &Fit{Lambda: lambda, path: p, Alpha: mat.DenseCopyOf(y), factor: s, chol: ch}
	p.weigh.Scale(f.Alpha)
	ch.SolveTo(f.Alpha)
	if err := ch.Backend.Stopped(); err != nil {
		return nil, err
	}
	if offset { // take the constant vector out again
		f.constant = 1 / (shift + lambda)
	}
	p.weigh.Scale(f.Alpha)
	if offset {
		constant := f.constant / p.weigh.Total
		for j := range c {
			var sum float64
			for i := range l {
				sum += p.weigh.Of(i) * y.At(i, j)
			}
			for i := range l {
				f.Alpha.Set(i, j, f.Alpha.At(i, j)-constant*p.weigh.Of(i)*sum)
			}
		}
		f.B = p.offsets(f)
	}
	return f, nil
}

// add adds v to every entry.
func add(s *mat.Dense, v float64) {
	l, _ := s.Dims()
	for i := range l {
		row := s.RawRowView(i)
		for j := range row {
			row[j] += v
		}
	}
}

// Eigenvalues returns the eigenvalues of K, or of P K P without the constant
// direction, ascending. The slice must not be changed.
func (p *Path) Eigenvalues() []float64 {
	if p.zeros == 0 {
		return p.w
	}
	return append(make([]float64, p.zeros, p.zeros+len(p.w)), p.w...)
}

// Least returns the smallest eigenvalue of an indefinite matrix, 0 if only rounding makes
// some negative.
func (p *Path) Least() float64 { return min(p.w[0], 0) }

// DegreesOfFreedom returns tr H = sum w/(w + lambda), plus one for the offset.
func (p *Path) DegreesOfFreedom(lambda float64) float64 {
	var df float64
	for _, w := range p.w {
		df += w / (w + lambda)
	}
	if p.offset {
		df++
	}
	return df
}

// Fit is the solution for one lambda.
type Fit struct {
	Lambda float64
	Alpha  *mat.Dense // l x c
	B      []float64  // c offsets, nil without

	path    *Path
	inverse *mat.Dense // N, made when first needed
	diag    []float64  // of N; nil: not made yet

	// Of Solve, until N is made of them.
	factor   *mat.Dense // of the matrix whose inverse, less the constant, is N
	spoilt   error      // what stopped an inversion, which left half of an inverse in the place of the factor
	chol     blas.Cholesky
	constant float64
}

// At solves for one lambda > 0 in O(l^2 c). A lambda that is minus an eigenvalue of an
// indefinite matrix is an error.
func (p *Path) At(lambda float64) (*Fit, error) {
	if err := moments.CheckLambda(lambda); err != nil {
		return nil, err
	}
	if p.x != nil {
		return p.atColumns(lambda), nil
	}
	l, r := p.u.Dims()
	_, c := p.y.Dims()
	f := &Fit{Lambda: lambda, path: p, Alpha: mat.NewDense(l, c, nil), diag: make([]float64, l)}
	inv := make([]float64, r)
	zs := mat.NewDense(c, r, nil) // by outputs
	for k, w := range p.w {
		if w < 0 && math.Abs(w+lambda) <= p.slack {
			return nil, fmt.Errorf(
				"rls: lambda = %g is minus an eigenvalue of the indefinite kernel; take a larger one: %w",
				lambda,
				&blas.Singular{Pivot: k},
			)
		}
		inv[k] = 1 / (w + lambda)
		for j, z := range p.z.RawRowView(k) {
			zs.Set(j, k, z*inv[k])
		}
	}
	if c > readOnce {
		blas.Gemm(1, blas.N(p.u), blas.T(zs), 0, f.Alpha)
	}
	parallel.Pieces(l, rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			u := p.u.RawRowView(i)
			if c <= readOnce {
				for j := range c {
					f.Alpha.Set(i, j, floats.Dot(u, zs.RawRowView(j)))
				}
			}
			f.diag[i] = weighted(u, inv)
		}
	})
	if p.offset {
		f.B = p.offsets(f)
	}
	return f, nil
}

// Up to readOnce outputs are computed beside the diagonal, for which each row of U
// has to be read in any case; more of them are faster by a matrix product. A
// goroutine takes so many rows.
const (
	readOnce = 4  // no result depends on it
	rows     = 64 // no result depends on it
)

// weighted returns sum_k w_k x_k^2 in four sums, which need not wait for each other.
func weighted(x, w []float64) float64 {
	var a, b, c, d float64
	w = w[:len(x)]
	k := 0
	for ; k+3 < len(x); k += 4 {
		a += x[k] * x[k] * w[k]
		b += x[k+1] * x[k+1] * w[k+1]
		c += x[k+2] * x[k+2] * w[k+2]
		d += x[k+3] * x[k+3] * w[k+3]
	}
	for ; k < len(x); k++ {
		a += x[k] * x[k] * w[k]
	}
	return a + b + c + d
}

// offsets returns b_c, the weighted mean of y_ic - (K alpha)_ic - lambda alpha_ic/w_i; that of the last
// term is zero.
func (p *Path) offsets(f *Fit) []float64 {
	l, c := p.y.Dims()
	b := make([]float64, c)
	if p.x != nil {
		return p.offsetsOf(p.weights(f.Alpha))
	}
	col := make([]float64, l) // w'K
	for i := range l {
		w := p.weigh.Of(i)
		for j, v := range p.k.RawRowView(i) {
			col[j] += w * v
		}
	}
	for i := range l {
		for j := range b {
			b[j] += p.weigh.Of(i)*p.y.At(i, j) - col[i]*f.Alpha.At(i, j)
		}
	}
	for j := range b {
		b[j] /= p.weigh.Total
	}
	return b
}

// Fitted stores F = Y - lambda W^-1 alpha in dst (l x c).
func (f *Fit) Fitted(dst *mat.Dense) {
	dst.Scale(-f.Lambda, f.path.weigh.divided(f.Alpha))
	dst.Add(dst, f.path.y)
}

// Residual returns the largest violation of the optimality conditions,
// max |K alpha + lambda W^-1 alpha + 1b' - Y| and |1'alpha|, relative to max |Y|: the
// certificate of the fit. Cost: 2 l^2 c, of features 4 l d c.
func (f *Fit) Residual() float64 {
	l, c := f.Alpha.Dims()
	r := mat.NewDense(l, c, nil)
	f.violation(r)
	var worst, scale float64
	for j := range c {
		var sum float64
		for i := range l {
			v := r.At(i, j)
			if f.B != nil {
				v += f.B[j]
				sum += f.Alpha.At(i, j)
			}
			worst = max(worst, math.Abs(v))
			scale = max(scale, math.Abs(f.path.y.At(i, j)))
		}
		worst = max(worst, math.Abs(sum)*f.Lambda)
	}
	if scale == 0 {
		return worst
	}
	return worst / scale
}

// violation stores K alpha + lambda W^-1 alpha - Y, without the offset.
func (f *Fit) violation(dst *mat.Dense) {
	f.path.times(dst, f.Alpha)
	for i := range f.Alpha.RawMatrix().Rows {
		row, alpha, y := dst.RawRowView(i), f.Alpha.RawRowView(i), f.path.y.RawRowView(i)
		own := f.Lambda / f.path.weigh.Of(i)
		for j := range row {
			row[j] += own*alpha[j] - y[j]
		}
	}
}

// Objective returns sum_i w_i ||y_i - f_i||^2 + lambda tr(alpha' K alpha).
func (f *Fit) Objective() float64 {
	l, c := f.Alpha.Dims()
	ka := mat.NewDense(l, c, nil)
	f.path.times(ka, f.Alpha)
	var obj float64
	for i := range l {
		for j, a := range f.Alpha.RawRowView(i) {
			e := f.Lambda * a
			obj += e*e/f.path.weigh.Of(i) + f.Lambda*a*ka.At(i, j)
		}
	}
	return obj
}

// leverages returns the diagonal of N, the leverages less one over -lambda.
func (f *Fit) leverages(ctx context.Context) ([]float64, error) {
	if f.diag == nil {
		if _, err := f.n(ctx); err != nil {
			return nil, err
		}
	}
	return f.diag, nil
}

// n returns the matrix N with alpha = N Y. Cost: l^3 at the first call.
func (f *Fit) n(ctx context.Context) (*mat.Dense, error) {
	if f.inverse != nil {
		return f.inverse, nil
	}
	if f.factor != nil {
		return f.inverted(ctx)
	}
	l, r := f.path.u.Dims()
	if f.path.x != nil {
		all := indices.To(l)
		whole, err := f.block(ctx, all)
		if err == nil {
			f.inverse = whole
		}
		return whole, err
	}
	s := mat.NewDense(l, r, nil)
	negative := 0 // eigenvalues of K + lambda I, the first ones
	for negative < r && f.path.w[negative]+f.Lambda < 0 {
		negative++
	}
	for i := range l {
		row := s.RawRowView(i)
		for k, u := range f.path.u.RawRowView(i) {
			row[k] = u / math.Sqrt(math.Abs(f.path.w[k]+f.Lambda))
		}
	}
	inverse, on := mat.NewDense(l, l, nil), blas.Within(ctx)
	if negative < r {
		on.Syrk(1, blas.N(s.Slice(0, l, negative, r).(*mat.Dense)), 0, inverse)
	}
	if negative > 0 {
		on.Syrk(-1, blas.N(s.Slice(0, l, 0, negative).(*mat.Dense)), 1, inverse)
	}
	if err := on.Stopped(); err != nil {
		return nil, err
	}
	f.inverse = inverse
	return inverse, nil
}

// inverted makes N in the place of the Cholesky factor of Solve.
func (f *Fit) inverted(ctx context.Context) (*mat.Dense, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if f.spoilt != nil {
		return nil, f.spoilt
	}
	n := f.factor
	f.chol.Backend = blas.Within(ctx)
	f.chol.Inverse()
	if f.spoilt = f.chol.Backend.Stopped(); f.spoilt != nil {
		return nil, f.spoilt
	}
	f.factor = nil
	if f.constant != 0 {
		f.path.weigh.add(n, -f.constant)
	}
	f.path.weigh.both(n)
	l, _ := n.Dims()
	f.diag = make([]float64, l)
	for i := range f.diag {
		f.diag[i] = n.At(i, i)
	}
	f.inverse = n
	return n, nil
}
