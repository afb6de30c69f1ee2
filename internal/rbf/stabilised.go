package rbf

// Problem   min |y - H alpha|^2 + lambda alpha'P alpha for all lambda: H n x m, P m x m
//           positive semi-definite, the stabiliser. P = I: ridge; P = G_0, the kernel
//           matrix of the centres: the generalised regularisation network; P = G_nu or
//           D: the measures that compare kernels (below); lambda = 0: least squares by
//           the pseudo-inverse. A sum of squares, no mean: scikit-learn's alpha.
// Method    P = L L', B = H L'^-1 = U S V' once; then
//             alpha = L'^-1 V S (S^2+lambda)^-1 U'y,   df = sum s^2/(s^2+lambda),
//             SSE = |y|^2 - |U'y|^2 + sum (lambda/(s^2+lambda))^2 (U'y)^2,
//             alpha'P alpha = sum (s/(s^2+lambda))^2 (U'y)^2.
//           No normal equations: the condition number is that of B, not its square.
//           With an offset H and y are centred, eq. 4.23.
// Cost      O(n m min(n, m)) once, O(m^2) a lambda. Memory: H and U.
// Source    Kokshenev 2010, eqs 2.19 to 2.21 and section 5.5.1.

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/blas"
)

// Stabilised is one design with one stabiliser, for all lambda.
type Stabilised struct {
	s     []float64
	v     *mat.Dense // L'^-1 V, m x k
	u     *mat.Dense // n x k
	z     *mat.Dense // U'y, k x outputs
	out   *mat.Dense // y - U U'y
	rest  []float64  // |y|^2 - |U'y|^2 of each output
	mu    []float64  // means of the columns of H, nil without offset
	mean  []float64  // of y
	Added float64    // what was added to the diagonal of P to make it definite
}

// StabilisedFit is the answer for one lambda. SSE and Q, alpha'P alpha, have one value
// an output.
type StabilisedFit struct {
	Lambda, DF float64
	Coef       *mat.Dense // m x outputs
	Offset     []float64
	SSE, Q     []float64
}

// NewStabilised decomposes. p nil is the identity; a p that is not definite to working
// precision gets multiples of 1e-14 of its mean diagonal, up to 1e-8. h, p and y are
// left alone.
func NewStabilised(ctx context.Context, h *mat.Dense, p *mat.SymDense, y *mat.Dense, offset bool) (*Stabilised, error) {
	n, m := h.Dims()
	ny, c := y.Dims()
	if ny != n || p != nil && p.SymmetricDim() != m {
		panic(fmt.Sprintf("rbf: design of %d x %d, %d targets, stabiliser of order %v", n, m, ny, p != nil && p.SymmetricDim() != m))
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b, t := mat.DenseCopyOf(h), mat.DenseCopyOf(y)
	out := &Stabilised{mean: make([]float64, c)}
	if offset {
		out.mu = make([]float64, m)
		centreColumns(b, out.mu)
		centreColumns(t, out.mean)
	}
	var l blas.Cholesky
	if p != nil {
		f, added, err := factorDefinite(p)
		if err != nil {
			return nil, err
		}
		l, out.Added = f, added
		// B' = L^-1 H'
		bt := mat.DenseCopyOf(b.T())
		l.SolveL(bt)
		b = mat.DenseCopyOf(bt.T())
		if offset { // L^-1 has enlarged what rounding left of the means
			centreColumns(b, make([]float64, m))
		}
	}
	var svd mat.SVD
	if !svd.Factorize(b, mat.SVDThin) {
		return nil, errors.New("rbf: the singular values of the design did not converge; look for columns that are not finite")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out.s = svd.Values(nil)
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	out.u = &u
	out.z = mat.NewDense(len(out.s), c, nil)
	out.z.Mul(u.T(), t)
	if p != nil {
		l.SolveLT(&v)
	}
	out.v = &v
	// The part outside the span, by subtraction of vectors and not of squares.
	out.out = mat.NewDense(n, c, nil)
	out.out.Mul(&u, out.z)
	out.out.Sub(t, out.out)
	out.rest = make([]float64, c)
	for k := range c {
		r := out.out.ColView(k)
		out.rest[k] = mat.Dot(r, r)
	}
	return out, nil
}

// At returns the fit for lambda >= 0. At lambda = 0 singular values that are
// negligible count as zero.
func (p *Stabilised) At(lambda float64) *StabilisedFit {
	if !(lambda >= 0) {
		panic(fmt.Sprintf("rbf: lambda %g", lambda))
	}
	k, c := p.z.Dims()
	f := &StabilisedFit{
		Lambda: lambda,
		Offset: append([]float64(nil), p.mean...),
		SSE:    append([]float64(nil), p.rest...),
		Q:      make([]float64, c),
	}
	w := mat.NewDense(k, c, nil)
	for i, s := range p.s {
		if s <= negligible*p.s[0] && lambda == 0 {
			for q := range c {
				f.SSE[q] += p.z.At(i, q) * p.z.At(i, q)
			}
			continue
		}
		d := s*s + lambda
		f.DF += s * s / d
		for q := range c {
			z := p.z.At(i, q)
			w.Set(i, q, s/d*z)
			f.SSE[q] += lambda / d * z * (lambda / d * z)
			f.Q[q] += s / d * z * (s / d * z)
		}
	}
	m, _ := p.v.Dims()
	f.Coef = mat.NewDense(m, c, nil)
	f.Coef.Mul(p.v, w)
	for j, mu := range p.mu {
		for q := range c {
			f.Offset[q] -= mu * f.Coef.At(j, q)
		}
	}
	return f
}

// negligible is the share of the greatest singular value below which others are rounding.
const negligible = 1e-13

// rank counts the singular values above rounding.
func (p *Stabilised) rank() int {
	r := 0
	for r < len(p.s) && p.s[r] > negligible*p.s[0] {
		r++
	}
	return r
}

// Lambda is the lambda at which the fit has df degrees of freedom, 0 < df < rank, by bisection
// of its logarithm: they fall as it grows.
func (p *Stabilised) Lambda(df float64) float64 {
	rank := p.rank()
	if !(df > 0 && df < float64(rank)) {
		panic(fmt.Sprintf("rbf: %g degrees of freedom of %d", df, rank))
	}
	// Were there the least above rounding only, or were all the greatest, lambda would be these.
	lo := 2*math.Log(p.s[rank-1]) + math.Log(float64(rank)/df-1)
	hi := 2*math.Log(p.s[0]) + math.Log(float64(len(p.s))/df-1)
	for range 60 {
		mid := lo + (hi-lo)/2
		var sum float64
		for _, v := range p.s {
			sum += 1 / (1 + math.Exp(mid-2*math.Log(v)))
		}
		if sum > df {
			lo = mid
		} else {
			hi = mid
		}
	}
	return math.Exp(lo + (hi-lo)/2)
}

func centreColumns(a *mat.Dense, mean []float64) {
	n, _ := a.Dims()
	for i := range n {
		for j, v := range a.RawRowView(i) {
			mean[j] += v / float64(n)
		}
	}
	for i := range n {
		row := a.RawRowView(i)
		for j := range row {
			row[j] -= mean[j]
		}
	}
}

// factorDefinite returns L of p + added I.
func factorDefinite(p *mat.SymDense) (l blas.Cholesky, added float64, err error) {
	m := p.SymmetricDim()
	scale := mat.Trace(p) / float64(m)
	for share := 0.0; share <= 1e-8; share = max(10*share, 1e-14) {
		a := mat.DenseCopyOf(p)
		added = share * scale
		for i := range m {
			a.Set(i, i, a.At(i, i)+added)
		}
		if err = l.Factor(a); err == nil {
			return l, added, nil
		}
	}
	return l, 0, fmt.Errorf("rbf: the stabiliser is not positive semi-definite: %w", err)
}

// Normalised is G_nu = S K S, S = diag(sqrt(K_ii)): the stabiliser of Q_norm, invariant to
// k -> c k with alpha -> alpha/c (eqs 5.9, 5.10 corrected: K_ij stands outside the root).
func Normalised(k mat.Symmetric) *mat.SymDense {
	n := k.SymmetricDim()
	out := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			out.SetSym(i, j, k.At(i, j)*math.Sqrt(k.At(i, i))*math.Sqrt(k.At(j, j)))
		}
	}
	return out
}
