package rls

// Problem   the path of a kernel with features, K = X X', X l x d with d < l: the eigenvectors
//           of K are those of the d x d matrix X'X, and all others have eigenvalue 0.
// Method    X'X = V diag(w) V' of the columns less their means (with the offset), U = X V diag(w)^-1/2.
//           With C = I, or with the offset I - 11'/l,
//             N = (C - U diag(w/(w + lambda)) U')/lambda,   alpha = N Y.
//           Rows with weights: X is S X of the columns less their weighted means, U is kept as S U (weights.go), and
//           C = W, or with the offset W - w w'/sum w.
// Folds     of rows B, more than columns: lambda N_BB = W_B - Z Z', Z = [U_B diag(w/(w + lambda))^1/2, w_B/(sum w)^1/2], so
//             N_BB^-1 = lambda (W_B^-1 + W_B^-1 Z (I - Z'W_B^-1 Z)^-1 Z'W_B^-1)   (Woodbury).
// Cost      l d^2 + O(d^3) once, O(l d c) a lambda; |B| d^2 + O(d^3) a fold and lambda. Memory: X and U.
// Limit     directions with w below eps d times the largest count as 0; they weigh nothing beside any
//           lambda that leaves digits to the rest.

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/moments"
	"github.com/mercer-ml/mercer/internal/parallel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// NewColumns is NewPath of K = X X' for features x (l x d). x, y and weight are kept and must not change.
func NewColumns(ctx context.Context, x, y *mat.Dense, weight []float64, offset bool) (*Path, error) {
	l, d := x.Dims()
	_, c := y.Dims()
	if ly, _ := y.Dims(); ly != l {
		panic(fmt.Sprintf("rls: features of %d rows, targets of %d", l, ly))
	}
	if offset && l == 1 {
		return nil, moments.ErrOneRow
	}
	p := newPath(nil, y, weight, offset)
	p.x = x
	centred := x
	if offset || weight != nil {
		centred = mat.DenseCopyOf(x)
	}
	if offset {
		p.mean = p.weigh.centre(centred)
	}
	p.weigh.Scale(centred)
	s, on := mat.NewDense(d, d, nil), blas.Within(ctx)
	on.Syrk(1, blas.T(centred), 0, s)
	if err := on.Stopped(); err != nil {
		return nil, err
	}
	for _, v := range s.RawMatrix().Data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, ErrNotFinite
		}
	}
	w := make([]float64, d)
	if err := on.SymEigenInPlace(s, w); err != nil {
		return nil, fmt.Errorf("rls: eigenvalues of the %dx%d matrix of features: %w", d, d, err)
	}
	none := moments.Lengthless(w)
	p.w = w[none:]
	p.zeros = l - len(p.w)
	if offset {
		p.zeros--
	}
	p.u = mat.NewDense(l, max(len(p.w), 1), nil)
	p.z = mat.NewDense(max(len(p.w), 1), c, nil)
	if len(p.w) == 0 { // all rows are alike
		p.w = []float64{0}
		p.zeros--
		return p, nil
	}
	p.v = mat.DenseCopyOf(s.Slice(0, d, none, d))
	on.Gemm(1, blas.N(centred), blas.N(p.v), 0, p.u)
	for i := range l {
		row := p.u.RawRowView(i)
		for k, v := range p.w {
			row[k] /= math.Sqrt(v)
		}
	}
	p.weigh.Scale(p.u)
	on.Gemm(1, blas.T(p.u), blas.N(y), 0, p.z)
	return p, on.Stopped()
}

// atColumns is At. The coefficients have one step of iterative refinement, because their rounding
// errors are those of Y - F over lambda.
func (p *Path) atColumns(lambda float64) *Fit {
	l, c := p.y.Dims()
	f := &Fit{Lambda: lambda, path: p, Alpha: mat.NewDense(l, c, nil), diag: make([]float64, l)}
	share := make([]float64, len(p.w))
	for k, w := range p.w {
		share[k] = w / (w + lambda)
	}
	parallel.Pieces(l, rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			f.diag[i] = (p.weigh.Of(i) - p.constant(i, i) - weighted(p.u.RawRowView(i), share)) / lambda
		}
	})
	p.solve(f.Alpha, p.y, p.z, share, lambda)
	wrong, step, z := mat.NewDense(l, c, nil), mat.NewDense(l, c, nil), new(mat.Dense)
	f.violation(wrong)
	z.CloneFrom(p.z)
	blas.Gemm(1, blas.T(p.u), blas.N(wrong), 0, z)
	p.solve(step, wrong, z, share, lambda)
	f.Alpha.Sub(f.Alpha, step)
	if p.offset {
		f.B = p.offsets(f)
	}
	return f
}

// constant is what the offset takes off C.
func (p *Path) constant(i, j int) float64 {
	if !p.offset {
		return 0
	}
	return p.weigh.Of(i) * p.weigh.Of(j) / p.weigh.Total
}

// solve stores N y in dst, z = U'y.
func (p *Path) solve(dst, y, z *mat.Dense, share []float64, lambda float64) {
	dst.Copy(y)
	p.weigh.Scale(dst)
	p.weigh.Scale(dst)
	shrunk := mat.DenseCopyOf(z)
	for k, v := range share {
		floats.Scale(v, shrunk.RawRowView(k))
	}
	blas.Gemm(-1/lambda, blas.N(p.u), blas.N(shrunk), 1/lambda, dst)
	if p.offset { // U'1 = 0 but for rounding, so C comes last
		p.weigh.balance(dst)
	}
}

// times stores K alpha in dst.
func (p *Path) times(dst, alpha *mat.Dense) {
	if p.x == nil {
		blas.Gemm(1, blas.N(p.k), blas.N(alpha), 0, dst)
		return
	}
	blas.Gemm(1, blas.N(p.x), blas.N(p.weights(alpha)), 0, dst)
}

// weights are X'alpha.
func (p *Path) weights(alpha *mat.Dense) *mat.Dense {
	return blas.Product(blas.T(p.x), blas.N(alpha))
}

// offsetsOf are the offsets of the function w'x.
func (p *Path) offsetsOf(w *mat.Dense) []float64 {
	l, c := p.y.Dims()
	b := make([]float64, c)
	for j := range b {
		for i := range l {
			b[j] += p.weigh.Of(i) * p.y.At(i, j)
		}
		b[j] /= p.weigh.Total
		for k, m := range p.mean {
			b[j] -= m * w.At(k, j)
		}
	}
	return b
}

// Linear returns the function of a path of features, f(x) = W'x + B, W d x c and B nil without the offset; W is nil for other paths.
// The rounding errors of X'alpha are those of Y - F over lambda, so W has one step of refinement in the d x d system, after
// which it agrees with that of moments.Path. Cost: 6 l d c.
func (f *Fit) Linear() (w *mat.Dense, b []float64) {
	p := f.path
	if p.x == nil {
		return nil, nil
	}
	w, b = p.weights(f.Alpha), f.B
	if p.v == nil {
		return w, b
	}
	left := mat.DenseCopyOf(p.y)
	blas.Gemm(-1, blas.N(p.x), blas.N(w), 1, left)
	p.weigh.Scale(left)
	p.weigh.Scale(left)
	if p.offset {
		p.weigh.balance(left)
	}
	_, c := w.Dims()
	g, z := p.weights(left), mat.NewDense(len(p.w), c, nil)
	for j := range w.RawMatrix().Rows {
		floats.AddScaled(g.RawRowView(j), -f.Lambda, w.RawRowView(j))
	}
	blas.Gemm(1, blas.T(p.v), blas.N(g), 0, z)
	for k, v := range p.w {
		floats.Scale(1/(v+f.Lambda), z.RawRowView(k))
	}
	blas.Gemm(1, blas.N(p.v), blas.N(z), 1, w)
	if p.offset {
		b = p.offsetsOf(w)
	}
	return w, b
}

// block returns N_BB.
func (f *Fit) block(ctx context.Context, b []int) (*mat.Dense, error) {
	nb := mat.NewDense(len(b), len(b), nil)
	if f.path.x == nil {
		n, err := f.n(ctx)
		if err != nil {
			return nil, err
		}
		for p, i := range b {
			to, from := nb.RawRowView(p), n.RawRowView(i)
			for q, j := range b {
				to[q] = from[j]
			}
		}
		return nb, nil
	}
	p := f.path
	rows := f.shrunkRows(b, len(p.w))
	on := blas.Within(ctx)
	on.Syrk(-1/f.Lambda, blas.N(rows), 0, nb)
	if err := on.Stopped(); err != nil {
		return nil, err
	}
	for a, i := range b {
		row := nb.RawRowView(a)
		for c, j := range b {
			row[c] -= p.constant(i, j) / f.Lambda
		}
		row[a] += p.weigh.Of(i) / f.Lambda
	}
	return nb, nil
}

// shrunkRows are U_B diag(w/(w + lambda))^1/2, in the first of so many columns.
func (f *Fit) shrunkRows(b []int, columns int) *mat.Dense {
	p, rows := f.path, mat.NewDense(len(b), columns, nil)
	for a, i := range b {
		to := rows.RawRowView(a)
		for k, u := range p.u.RawRowView(i)[:len(p.w)] {
			to[k] = u * math.Sqrt(p.w[k]/(p.w[k]+f.Lambda))
		}
	}
	return rows
}

// solveInColumns is solveFold for a fold of more rows than columns.
func (f *Fit) solveInColumns(ctx context.Context, b []int, x *mat.Dense) error {
	p, r := f.path, len(f.path.w)
	if p.offset {
		r++
	}
	z := f.shrunkRows(b, r)
	for a, i := range b { // W^-1/2 Z and W^-1/2 x
		root := math.Sqrt(p.weigh.Of(i))
		if p.offset {
			z.Set(a, r-1, p.weigh.Of(i)/math.Sqrt(p.weigh.Total))
		}
		floats.Scale(1/root, z.RawRowView(a))
		floats.Scale(1/root, x.RawRowView(a))
	}
	_, c := x.Dims()
	on := blas.Within(ctx)
	m, zx := mat.NewDense(r, r, nil), mat.NewDense(r, c, nil)
	on.Syrk(-1, blas.T(z), 0, m)
	for k := range r {
		m.Set(k, k, 1+m.At(k, k))
	}
	on.Gemm(1, blas.T(z), blas.N(x), 0, zx)
	ch := blas.Cholesky{Backend: on}
	err := ch.Factor(m)
	if stopped := on.Stopped(); stopped != nil {
		return stopped
	}
	for k := range r {
		if err != nil || m.At(k, k)*m.At(k, k) < minSlack {
			return fmt.Errorf("%w (fold of %d rows)", ErrLeverage, len(b))
		}
	}
	ch.SolveTo(zx)
	on.Gemm(f.Lambda, blas.N(z), blas.N(zx), f.Lambda, x)
	for a, i := range b {
		floats.Scale(1/math.Sqrt(p.weigh.Of(i)), x.RawRowView(a))
	}
	return on.Stopped()
}
