package moments

// Problem   see sums.go: every lambda from one decomposition of S, with closed leave-one-out in one more pass over the rows.
// Method    S = V diag(w) V', w = V (diag(w) + lambda)^-1 V'P, refined once by the residual of (S + lambda I) w = P.
//           Without the offset S and P are those of the rows themselves, not of these less their means.
// Leave-out with z = V'(x - mean),
//             h = 1/n + sum_k z_k^2/(w_k + lambda)   (1/n with the offset),   o = y - (y - f)/(1 - h)
//           is the output for a row of the machine trained without it (PRESS; Allen, Technometrics 16, 1974).
// Beside    Path of NewColumns, which keeps the rows and their eigenvectors: the same machine for rows that fit in memory.
// Cost      9 d^3 flops, then d^2 c a lambda; leave-one-out n (d^2 + d c) for all lambdas of one pass, and n d a lambda.
// Limit     directions with w below eps d times the largest count as 0, as in NewColumns.

import (
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Path solves the problem for every lambda. Its exported fields are all it is made of.
type Path struct {
	N      int
	Offset bool
	X, Y   []float64  // the means, zero without the offset
	S, P   *mat.Dense // about these
	YY     []float64
	W      []float64  // r eigenvalues, ascending
	V      *mat.Dense // d x r
}

// ErrOneRow says that there is no machine with an offset of one row.
var ErrOneRow = errors.New("rls: one labelled row cannot determine an offset; label more rows, or set the offset to no")

// Path decomposes the sums. Fewer than one row, or than two with the offset, and sums that are not finite are an error.
func (s *Sums) Path(offset bool) (*Path, error) {
	if s.N == 0 {
		return nil, fmt.Errorf("rls: no labelled row")
	}
	if offset && s.N == 1 {
		return nil, ErrOneRow
	}
	d, c := s.P.Dims()
	p := &Path{N: s.N, Offset: offset, X: s.X, Y: s.Y, YY: append([]float64(nil), s.YY...)}
	p.S, p.P = mat.DenseCopyOf(s.S), mat.DenseCopyOf(s.P)
	if !offset {
		p.about(s)
	}
	for _, v := range p.S.RawMatrix().Data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, ErrNotFinite
		}
	}
	v, w := mat.DenseCopyOf(p.S), make([]float64, d)
	if err := (blas.Backend{}).SymEigenInPlace(v, w); err != nil {
		return nil, fmt.Errorf("rls: eigenvalues of the %dx%d matrix of features: %w", d, d, err)
	}
	none := Lengthless(w)
	p.W = w[none:]
	if none == d { // all rows are alike: a direction that weighs nothing stands for all
		p.W, p.V = []float64{0}, mat.NewDense(d, 1, nil)
		p.P = mat.NewDense(d, c, nil)
		return p, nil
	}
	p.V = mat.DenseCopyOf(v.Slice(0, d, none, d))
	return p, nil
}

// about makes the sums those of the rows themselves.
func (p *Path) about(s *Sums) {
	n := float64(s.N)
	for j, m := range s.X {
		floats.AddScaled(p.S.RawRowView(j), n*m, s.X)
		floats.AddScaled(p.P.RawRowView(j), n*m, s.Y)
	}
	for j, m := range s.Y {
		p.YY[j] += n * m * m
	}
	p.X, p.Y = make([]float64, len(s.X)), make([]float64, len(s.Y))
}

// Lengthless counts the first of ascending eigenvalues that rounding alone may have made.
func Lengthless(w []float64) int {
	d, none := len(w), 0
	for none < d && w[none] <= 0x1p-52*float64(d)*w[d-1] {
		none++
	}
	return none
}

// Fit is the machine for one lambda: f(x) = W'x + B.
type Fit struct {
	Lambda float64
	W      *mat.Dense // d x c
	B      []float64  // c offsets, nil without
	// Residual is the largest violation of (S + lambda I) w = P, relative to the largest of P: the certificate.
	Residual float64
	// Objective is that of the problem, summed over outputs.
	Objective float64
}

// At solves for one lambda > 0.
func (p *Path) At(lambda float64) (*Fit, error) {
	if err := CheckLambda(lambda); err != nil {
		return nil, err
	}
	d, c := p.P.Dims()
	f := &Fit{Lambda: lambda, W: mat.NewDense(d, c, nil)}
	left, step := mat.DenseCopyOf(p.P), mat.NewDense(d, c, nil)
	for range 2 {
		p.solve(step, left, lambda)
		f.W.Add(f.W, step)
		left.Copy(p.P)
		blas.Gemm(-1, blas.N(p.S), blas.N(f.W), 1, left)
		for j := range d {
			floats.AddScaled(left.RawRowView(j), -lambda, f.W.RawRowView(j))
		}
	}
	if scale := mat.Norm(p.P, math.Inf(1)); scale > 0 {
		f.Residual = mat.Norm(left, math.Inf(1)) / scale
	}
	for j := range c {
		f.Objective += p.YY[j]
		for k := range d {
			f.Objective -= p.P.At(k, j) * f.W.At(k, j)
		}
	}
	f.Objective = max(f.Objective, 0)
	if p.Offset {
		f.B = append([]float64(nil), p.Y...)
		for k, m := range p.X {
			floats.AddScaled(f.B, -m, f.W.RawRowView(k))
		}
	}
	return f, nil
}

// solve stores V (diag(w) + lambda)^-1 V'b in dst.
func (p *Path) solve(dst, b *mat.Dense, lambda float64) {
	z := blas.Product(blas.T(p.V), blas.N(b))
	for k, w := range p.W {
		floats.Scale(1/(w+lambda), z.RawRowView(k))
	}
	blas.Gemm(1, blas.N(p.V), blas.N(z), 0, dst)
}

// LeaveOut returns, for rows x (n x d) of targets y (n x c) that are among those of the sums, what the machine of each fit
// trained without the row gives it, n x c a fit. A row that determines its own output, because lambda is too small, is
// NaN: the machine without it has none to working precision. Fits must be of this path.
func (p *Path) LeaveOut(x, y *mat.Dense, fits []*Fit) []*mat.Dense {
	if len(fits) == 0 {
		return nil
	}
	n, _ := x.Dims()
	_, c := y.Dims()
	x = mat.DenseCopyOf(x)
	for i := range n {
		floats.Sub(x.RawRowView(i), p.X)
	}
	z := blas.Product(blas.N(x), blas.N(p.V))
	for i := range n {
		row := z.RawRowView(i)
		for k, v := range row {
			row[k] = v * v
		}
	}
	d, _ := p.P.Dims()
	inverse, own := mat.NewDense(len(p.W), len(fits), nil), 0.0
	weights := mat.NewDense(d, len(fits)*c, nil)
	for q, f := range fits {
		for k, w := range p.W {
			inverse.Set(k, q, 1/(w+f.Lambda))
		}
		weights.Slice(0, d, q*c, (q+1)*c).(*mat.Dense).Copy(f.W)
	}
	if p.Offset {
		own = 1 / float64(p.N)
	}
	h, f := mat.NewDense(n, len(fits), nil), mat.NewDense(n, len(fits)*c, nil)
	blas.Gemm(1, blas.N(z), blas.N(inverse), 0, h)
	blas.Gemm(1, blas.N(x), blas.N(weights), 0, f)
	out := make([]*mat.Dense, len(fits))
	for q := range fits {
		o := mat.NewDense(n, c, nil)
		for i := range n {
			slack := 1 - own - h.At(i, q)
			if slack < minSlack {
				slack = math.NaN()
			}
			row, target, fi := o.RawRowView(i), y.RawRowView(i), f.RawRowView(i)[q*c:]
			for j := range row {
				row[j] = target[j] - (target[j]-p.Y[j]-fi[j])/slack
			}
		}
		out[q] = o
	}
	return out
}

// DegreesOfFreedom returns tr H = sum w/(w + lambda), plus one for the offset.
func (p *Path) DegreesOfFreedom(lambda float64) float64 {
	var df float64
	for _, w := range p.W {
		df += w / (w + lambda)
	}
	if p.Offset {
		df++
	}
	return df
}

// GCV returns generalised cross-validation, n ||Y - F||^2/(n - tr H)^2 summed over outputs, without a pass over the rows; +Inf where
// no degree of freedom is left. It loses digits as ||Y - F||^2 falls below 1e-10 of ||Y||^2.
func (p *Path) GCV(f *Fit) float64 {
	n := float64(p.N)
	free := n - p.DegreesOfFreedom(f.Lambda)
	if free < minSlack*n {
		return math.Inf(1)
	}
	left := f.Objective // ||Y - F||^2 + lambda ||w||^2
	norm := mat.Norm(f.W, 2)
	left -= f.Lambda * norm * norm
	return n * max(left, 0) / (free * free)
}
