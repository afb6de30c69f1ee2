package manifold

// Derivatives of a function J of the reduced warped kernel. With K~ = Phi S^-1 Phi' on
// rows I and columns J written over the kernel values C = K[.,Z] and W = K[Z,Z],
//
//	K~[I,J] = C_I (W + Ratio C'R C)^-1 C_J',   A_I, A_J the coefficients over Z,
//	dK~ = dC_I A_J + A_I'dC_J' - A_I'(dW + Ratio d(C'R C) + dRatio C'R C) A_J
//
// so that a cotangent X of rank k, X = U V', pulls to, with a = A_I U, b = A_J V (m x k) and
// f_a = C a, f_b = C b the functions they stand for (n x k),
//
//	C_I: U b'    C_J: V a'    W: -a b'    C: -Ratio (R f_b a' + R f_a b')
//	Ratio: -<f_a, R f_b> = -<S^-1 Phi_I'U, B S^-1 Phi_J'V>     norm: -Ratio <f_a f_b', dR>
//
// Nothing of W^-1 or of the factors is differentiated. For a symmetric X, as the scores
// have, R f_a is not needed. Where k exceeds a quarter of m, as with many labelled rows, the same by
// panels of 256 landmarks: with E = S^-1 Phi_I'X Phi_J S^-1 (m x m),
//
//	C: R Phi H, H = -Ratio (E + E') L^-1     W: -L^-T E L^-1     Ratio: -<E, B>
//	norm: -Ratio <Phi E Phi', dR>
//
// Cost: the kernel's own pull of n x m values and, small terms apart, 8 n m k flops (4 n m k for a
// symmetric X), or 2 n m^2 by panels, and 2 p nnz min(k, m) for R = L^p; with norms that have
// parameters 2 n m^2 more by panels. That is no more than the value costs twice.
// Memory: three n x k or, by panels, two n x 256.

import (
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Pull implements kernel.Gram.
func (g *reduced) Pull(grad []float64, bar kernel.Cotangent) error {
	g.checkGrad(grad)
	ci := g.columns(bar.I)
	cj, same := ci, (bar.I == nil) == (bar.J == nil) && slices.Equal(bar.I, bar.J)
	if !same {
		cj = g.columns(bar.J)
	}
	for _, f := range factors(bar) {
		var err error
		if same && f.v == nil && symmetric(f.u) {
			err = g.pullSymmetric(grad, ci, timesT(f.u, g.solved(ci)))
		} else {
			err = g.pullFactor(grad, ci, cj, f)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// PullFeatures adds the derivatives by a symmetric cotangent X of K~[I,I] known by its
// product with the features, xpsi = X Psi_I (|I| x m, Psi as Features gives it): what
// a learner on the features knows, without |I| x |I| numbers.
func (g *reduced) PullFeatures(grad []float64, i []int, xpsi *mat.Dense) error {
	g.checkGrad(grad)
	t := transposed(xpsi)
	g.other(t) // S^-1 Phi'X
	return g.pullSymmetric(grad, g.columns(i), transposed(t))
}

func (g *reduced) checkGrad(grad []float64) {
	if n := len(g.base.Space()); len(grad) != n {
		panic(fmt.Sprintf("manifold: gradient of length %d, %d parameters", len(grad), n))
	}
}

// split returns the parts of the gradient: of the base kernel, of the norm, and of the
// ratio, nil where there is none to be pulled.
func (g *reduced) split(grad []float64) (base, norm []float64, ratio *float64) {
	nb := len(g.base.Base.Space())
	if g.base.Norm == nil {
		return grad, nil, nil
	}
	return grad[:nb], grad[nb : len(grad)-1], &grad[len(grad)-1]
}

// pullSymmetric pulls a symmetric X on the rows of c, given xp = X Phi_I S^-1 (|I| x m).
func (g *reduced) pullSymmetric(grad []float64, c *reducedColumns, xp *mat.Dense) error {
	l, m := xp.Dims()
	p := g.solved(c) // m x l
	if l > m/4 {
		return g.pullPanels(grad, c, c, xp, xp, times(p, xp))
	}
	base, norm, ratio := g.split(grad)
	pa := transposed(xp)
	a := mat.DenseCopyOf(pa)
	g.parts.features.Coefficients(a) // A X
	if len(base) > 0 {
		if err := g.pullBlock(base, c.j, nil, twice(transposed(a))); err != nil {
			return err
		}
		if err := g.pullBlock(base, g.parts.features.Landmarks, nil, negative(timesT(a, g.coefficients(c)))); err != nil {
			return err
		}
	}
	if ratio == nil {
		return nil
	}
	*ratio -= inner(pa, times(g.parts.b, p))
	if g.base.Ratio == 0 {
		return nil
	}
	f := times(g.parts.features.Phi, p)
	if len(base) > 0 {
		if err := g.pullFunctions(base, -2*g.base.Ratio, f, a); err != nil {
			return err
		}
	}
	if len(norm) > 0 {
		g.pullNorm(norm, times(g.parts.features.Phi, pa), f)
	}
	return nil
}

// pullFactor pulls X = U V', V nil the identity, on the rows of ci and cj.
func (g *reduced) pullFactor(grad []float64, ci, cj *reducedColumns, f factor) error {
	_, k := f.u.Dims()
	pa, pb, v := times(g.solved(ci), f.u), g.solved(cj), f.v
	m, _ := pa.Dims()
	if v != nil {
		pb = times(pb, v)
	} else {
		v = mat.NewDense(k, k, nil)
		for i := range k {
			v.Set(i, i, 1)
		}
	}
	if k > m/4 {
		return g.pullPanels(grad, ci, cj, timesT(f.u, pb), timesT(v, pa), timesT(pa, pb))
	}
	base, norm, ratio := g.split(grad)
	a, b := mat.DenseCopyOf(pa), mat.DenseCopyOf(pb)
	g.parts.features.Coefficients(a)
	g.parts.features.Coefficients(b)
	if len(base) > 0 {
		if err := g.pullBlock(base, ci.j, f.u, b); err != nil {
			return err
		}
		if err := g.pullBlock(base, cj.j, v, a); err != nil {
			return err
		}
		if err := g.pullBlock(base, g.parts.features.Landmarks, negative(mat.DenseCopyOf(a)), b); err != nil {
			return err
		}
	}
	if ratio == nil {
		return nil
	}
	*ratio -= inner(pa, times(g.parts.b, pb))
	if g.base.Ratio == 0 {
		return nil
	}
	fa, fb := times(g.parts.features.Phi, pa), times(g.parts.features.Phi, pb)
	if len(base) > 0 {
		if err := g.pullFunctions(base, -g.base.Ratio, fb, a); err != nil {
			return err
		}
		if err := g.pullFunctions(base, -g.base.Ratio, fa, b); err != nil {
			return err
		}
	}
	if len(norm) > 0 {
		g.pullNorm(norm, fa, fb)
	}
	return nil
}

// pullBlock adds <u v', dK[i,Z]>, or, u nil, <v, dK[i,Z]>.
func (g *reduced) pullBlock(base []float64, i []int, u, v *mat.Dense) error {
	if i == nil {
		i = g.parts.rows
	}
	bar := kernel.Cotangent{I: i, J: g.parts.features.Landmarks, U: u, V: v}
	if u == nil {
		bar.V, bar.D = nil, v
	}
	return g.Gram.Pull(base, bar)
}

// pullFunctions adds s <R f a', dC>.
func (g *reduced) pullFunctions(base []float64, s float64, f, a *mat.Dense) error {
	_, k := f.Dims()
	u := mat.NewDense(g.n, k, nil)
	g.parts.norm.MulTo(u, f)
	u.Scale(s, u)
	return g.pullBlock(base, nil, u, a)
}

// pullNorm adds -Ratio <fa fb', dR> and overwrites fa.
func (g *reduced) pullNorm(norm []float64, fa, fb *mat.Dense) {
	fa.Scale(-g.base.Ratio, fa)
	g.parts.norm.Pull(norm, fa, fb)
}

// pullPanels is the pull by panels of landmarks: xj = X Phi_J S^-1 (|I| x m),
// xi = X'Phi_I S^-1 (|J| x m), the same matrix where X is symmetric, and e = E.
func (g *reduced) pullPanels(grad []float64, ci, cj *reducedColumns, xj, xi, e *mat.Dense) error {
	base, norm, ratio := g.split(grad)
	if len(base) > 0 {
		if xi == xj {
			if err := g.pullBlock(base, ci.j, nil, twice(g.overL(xj))); err != nil {
				return err
			}
		} else {
			if err := g.pullBlock(base, ci.j, nil, g.overL(xj)); err != nil {
				return err
			}
			if err := g.pullBlock(base, cj.j, nil, g.overL(xi)); err != nil {
				return err
			}
		}
		w := g.overL(e)
		g.parts.features.Coefficients(w)
		if err := g.pullBlock(base, g.parts.features.Landmarks, nil, negative(w)); err != nil {
			return err
		}
	}
	if ratio == nil {
		return nil
	}
	*ratio -= inner(e, g.parts.b)
	if g.base.Ratio == 0 {
		return nil
	}
	sum := transposed(e)
	sum.Add(sum, e)
	sum.Scale(-g.base.Ratio, sum)
	h := mat.DenseCopyOf(sum)
	g.parts.features.Coefficients(h) // L^-T (E + E') = ((E + E') L^-1)'
	phi, z := g.parts.features.Phi, g.parts.features.Landmarks
	n, m := phi.Dims()
	x, y := mat.NewDense(n, min(reducedPanel, m), nil), mat.NewDense(n, min(reducedPanel, m), nil)
	for lo := 0; lo < m; lo += reducedPanel {
		hi := min(lo+reducedPanel, m)
		xp, yp := x.Slice(0, n, 0, hi-lo).(*mat.Dense), y.Slice(0, n, 0, hi-lo).(*mat.Dense)
		if len(base) > 0 {
			blas.Gemm(1, blas.N(phi), blas.T(h.Slice(lo, hi, 0, m).(*mat.Dense)), 0, xp)
			g.parts.norm.MulTo(yp, xp)
			if err := g.Gram.Pull(base, kernel.Cotangent{I: g.parts.rows, J: z[lo:hi], D: yp}); err != nil {
				return err
			}
		}
		if len(norm) > 0 { // R is symmetric: half of (E + E')
			blas.Gemm(0.5, blas.N(phi), blas.T(sum.Slice(lo, hi, 0, m).(*mat.Dense)), 0, xp)
			yp.Copy(phi.Slice(0, n, lo, hi))
			g.parts.norm.Pull(norm, xp, yp)
		}
	}
	return nil
}

// overL returns x L^-1.
func (g *reduced) overL(x *mat.Dense) *mat.Dense {
	t := transposed(x)
	g.parts.features.Coefficients(t)
	return transposed(t)
}

// transposed returns a copy of x'.
func transposed(x *mat.Dense) *mat.Dense { return mat.DenseCopyOf(x.T()) }

// twice and negative scale in place.
func twice(x *mat.Dense) *mat.Dense {
	x.Scale(2, x)
	return x
}

func negative(x *mat.Dense) *mat.Dense {
	x.Scale(-1, x)
	return x
}

// inner returns sum_ij a_ij b_ij.
func inner(a, b *mat.Dense) float64 {
	var s float64
	r, _ := a.Dims()
	for i := range r {
		s += floats.Dot(a.RawRowView(i), b.RawRowView(i))
	}
	return s
}

func symmetric(a *mat.Dense) bool {
	n, m := a.Dims()
	if n != m {
		return false
	}
	for i := range n {
		for j := range i {
			if a.At(i, j) != a.At(j, i) {
				return false
			}
		}
	}
	return true
}
