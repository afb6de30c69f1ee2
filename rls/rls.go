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
package rls

import (
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/blas"
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
	offset bool
}

// ErrNotFinite says that a Gram matrix holds NaN or an infinity.
var ErrNotFinite = errors.New("rls: the Gram matrix is not finite; a kernel parameter or a feature is out of range")

// NewPath decomposes the symmetric matrix k (l x l) for targets y (l x c). k and
// y are kept and must not change.
func NewPath(k, y *mat.Dense, offset bool) (*Path, error) {
	l, lc := k.Dims()
	ly, c := y.Dims()
	if l != lc || l != ly {
		panic(fmt.Sprintf("rls: Gram matrix %dx%d, targets %dx%d", l, lc, ly, c))
	}
	if l == 0 {
		return nil, errors.New("rls: no labelled row")
	}
	if offset && l == 1 {
		return nil, errors.New("rls: one labelled row cannot determine an offset; label more rows or fit without it")
	}
	s := mat.DenseCopyOf(k)
	r := l
	if offset {
		// The constant vector is made the eigenvector of the largest
		// eigenvalue, so that it can be dropped as the last column.
		shift := centre(s) + 1
		add(s, shift/float64(l))
		r = l - 1
	}
	for i := range l {
		for _, v := range s.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, ErrNotFinite
			}
		}
	}
	w := make([]float64, l)
	u := mat.NewDense(l, l, nil)
	if err := blas.SymEigen(s, w, u); err != nil {
		return nil, fmt.Errorf("rls: eigenvalues of the %dx%d Gram matrix: %w", l, l, err)
	}
	p := &Path{k: k, y: y, offset: offset, w: w[:r], z: mat.NewDense(max(r, 1), c, nil)}
	for i, v := range p.w {
		p.w[i] = max(v, 0)
	}
	p.u = u.Slice(0, l, 0, r).(*mat.Dense)
	blas.Gemm(true, false, 1, p.u, y, 0, p.z)
	return p, nil
}

// centre replaces s by P s P and returns its trace.
func centre(s *mat.Dense) float64 {
	l, _ := s.Dims()
	mean := make([]float64, l)
	var all float64
	for i := range l {
		for _, v := range s.RawRowView(i) {
			mean[i] += v
		}
		mean[i] /= float64(l)
		all += mean[i]
	}
	all /= float64(l)
	var trace float64
	for i := range l {
		row := s.RawRowView(i)
		for j := range row {
			row[j] += all - mean[i] - mean[j]
		}
		trace += row[i]
	}
	return trace
}

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
func (p *Path) Eigenvalues() []float64 { return p.w }

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
	diag    []float64  // of N
}

// At solves for one lambda > 0 in O(l^2 c).
func (p *Path) At(lambda float64) (*Fit, error) {
	if !(lambda > 0) || math.IsInf(lambda, 0) {
		return nil, fmt.Errorf("rls: lambda = %g; it must be positive and finite", lambda)
	}
	l, r := p.u.Dims()
	_, c := p.y.Dims()
	f := &Fit{Lambda: lambda, path: p, Alpha: mat.NewDense(l, c, nil), diag: make([]float64, l)}
	inv := make([]float64, r)
	zs := mat.NewDense(max(r, 1), c, nil)
	for k, w := range p.w {
		inv[k] = 1 / (w + lambda)
		for j, z := range p.z.RawRowView(k) {
			zs.RawRowView(k)[j] = z * inv[k]
		}
	}
	blas.Gemm(false, false, 1, p.u, zs, 0, f.Alpha)
	for i := range l {
		var d float64
		for k, u := range p.u.RawRowView(i) {
			d += u * u * inv[k]
		}
		f.diag[i] = d
	}
	if p.offset {
		f.B = p.offsets(f)
	}
	return f, nil
}

// offsets returns b_c = mean_i (y_ic - (K alpha)_ic - lambda alpha_ic); the last
// term has mean zero.
func (p *Path) offsets(f *Fit) []float64 {
	l, c := p.y.Dims()
	col := make([]float64, l) // 1'K
	for i := range l {
		for j, v := range p.k.RawRowView(i) {
			col[j] += v
		}
	}
	b := make([]float64, c)
	for i := range l {
		for j := range b {
			b[j] += p.y.At(i, j) - col[i]*f.Alpha.At(i, j)
		}
	}
	for j := range b {
		b[j] /= float64(l)
	}
	return b
}

// Fitted stores F = Y - lambda alpha in dst (l x c).
func (f *Fit) Fitted(dst *mat.Dense) {
	dst.Scale(-f.Lambda, f.Alpha)
	dst.Add(dst, f.path.y)
}

// Residual returns the largest violation of the optimality conditions,
// max |K alpha + lambda alpha + 1b' - Y| and |1'alpha|, relative to max |Y|: the
// certificate of the fit. Cost: 2 l^2 c.
func (f *Fit) Residual() float64 {
	l, c := f.Alpha.Dims()
	r := mat.NewDense(l, c, nil)
	blas.Gemm(false, false, 1, f.path.k, f.Alpha, 0, r)
	var worst, scale float64
	for j := range c {
		var sum float64
		for i := range l {
			v := r.At(i, j) + f.Lambda*f.Alpha.At(i, j) - f.path.y.At(i, j)
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

// Objective returns ||Y - F||^2 + lambda tr(alpha' K alpha).
func (f *Fit) Objective() float64 {
	l, c := f.Alpha.Dims()
	ka := mat.NewDense(l, c, nil)
	blas.Gemm(false, false, 1, f.path.k, f.Alpha, 0, ka)
	var obj float64
	for i := range l {
		for j, a := range f.Alpha.RawRowView(i) {
			e := f.Lambda * a
			obj += e*e + f.Lambda*a*ka.At(i, j)
		}
	}
	return obj
}

// n returns the matrix N with alpha = N Y. Cost: 2 l^3 at the first call.
func (f *Fit) n() *mat.Dense {
	if f.inverse == nil {
		l, r := f.path.u.Dims()
		s := mat.NewDense(l, r, nil)
		for i := range l {
			row := s.RawRowView(i)
			for k, u := range f.path.u.RawRowView(i) {
				row[k] = u / math.Sqrt(f.path.w[k]+f.Lambda)
			}
		}
		f.inverse = mat.NewDense(l, l, nil)
		blas.Syrk(false, 1, s, 0, f.inverse)
	}
	return f.inverse
}
