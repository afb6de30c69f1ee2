package sparsemanifold

// The derivative of a score of left-out outputs by everything that the machine is made of.
//
// Left out   the machine without the fold B is alpha^(-B) = N^(-B) y, N^(-B) = N - N_.B N_BB^-1 N_B. (with an offset the
//            bordered inverse). Of outputs o_B = G_B. alpha^(-B) + b^(-B) with cotangents bar_B,
//
//	v = N^(-B) G_B.'bar_B + z^(-B) 1'bar_B,   dJ/dK = -sum_B v alpha^(-B)',   dJ/dlambda = -sum_B v'alpha^(-B),
//	dJ/dG_B. = bar_B alpha^(-B)'
//
// Warp       with S = I + r Phi'M G and B, G, E = B Phi as in warp.go, cotangents go from K~_LL and the given matrix to S, G and B;
//            H = B dJ/dG takes d more systems of the graph:
//
//	dJ/dPhi = v H + r M G (dJ/dS)' + labelled part,   dJ/dv = <dJ/dG, E> - v <H, E> - <X dJ/dK, X>,   X = B I_L
//	dJ/dr = <dJ/dS, Phi'M G> - v <H, M E> - <X dJ/dK, M X>
//
// Features   Phi = K_NZ L^-T, and the score does not see rotations of Phi, so the symmetric root stands for L:
//            dJ/dK_NZ = dJ/dPhi L^-1,  dJ/dK_ZZ = -1/2 L^-T (Phi' dJ/dPhi) L^-1, symmetrised.
// Cost       about twice that of the score, and l^3.

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/blas"
)

// pull returns the derivatives by K (l x l, symmetric), by the given matrix and by lambda of left-out outputs with cotangent bar
// (l x c).
func (r *ridge) pull(given *mat.Dense, folds [][]int, bar *mat.Dense) (dk, dg *mat.Dense, dLambda float64) {
	l, c := bar.Dims()
	dk, dg = mat.NewDense(l, l, nil), mat.NewDense(l, l, nil)
	for _, fold := range folds {
		m := len(fold)
		nb := mat.NewDense(m, m, nil)
		for p, i := range fold {
			for q, j := range fold {
				nb.Set(p, q, r.n.At(i, j))
			}
		}
		var f blas.Cholesky
		if f.Factor(nb) != nil {
			return dk, dg, math.NaN() // leftOut has refused it before
		}
		columns := chosen(r.n, fold) // N_B., m x l
		without := func(x *mat.Dense) {
			part := chosen(x, fold)
			f.SolveTo(part)
			blas.Gemm(true, false, -1, columns, part, 1, x)
		}
		alpha := mat.DenseCopyOf(r.alpha)
		without(alpha)
		bb, gb := chosen(bar, fold), chosen(given, fold)
		u, v := mat.NewDense(l, c, nil), mat.NewDense(l, c, nil)
		blas.Gemm(true, false, 1, gb, bb, 0, u)
		blas.Gemm(false, false, 1, r.n, u, 0, v)
		if r.z != nil {
			sums := make([]float64, c)
			for q := range m {
				floats.Add(sums, bb.RawRowView(q))
			}
			for i, z := range r.z {
				addTo(v.RawRowView(i), z, sums)
			}
		}
		without(v)
		blas.Gemm(false, true, -1, v, alpha, 1, dk)
		part := mat.NewDense(m, l, nil)
		blas.Gemm(false, true, 1, bb, alpha, 0, part)
		for q, i := range fold {
			floats.Add(dg.RawRowView(i), part.RawRowView(q))
		}
		dLambda -= inner(v, alpha)
	}
	blas.Symmetrise(dk)
	return dk, dg, dLambda
}

// inner is the sum of the products of entries.
func inner(a, b *mat.Dense) (sum float64) {
	n, _ := a.Dims()
	for i := range n {
		sum += floats.Dot(a.RawRowView(i), b.RawRowView(i))
	}
	return sum
}

// product is op(a) op(b).
func product(transA, transB bool, a, b *mat.Dense) *mat.Dense {
	r, c := a.RawMatrix().Rows, b.RawMatrix().Cols
	if transA {
		r = a.RawMatrix().Cols
	}
	if transB {
		c = b.RawMatrix().Rows
	}
	out := mat.NewDense(r, c, nil)
	blas.Gemm(transA, transB, 1, a, b, 0, out)
	return out
}

// times is M x by panels.
func (w *Warp) times(x *mat.Dense) *mat.Dense {
	n, c := x.Dims()
	out := mat.NewDense(n, c, nil)
	for lo := 0; lo < c; lo += panel {
		hi := min(lo+panel, c)
		w.norm.MulTo(out.Slice(0, n, lo, hi).(*mat.Dense), x.Slice(0, n, lo, hi).(*mat.Dense))
	}
	return out
}

// pull returns the derivatives by the features (n x d), by the ratio and by nu, 0 without slack.
func (w *Warp) pull(ctx context.Context, dk, dg *mat.Dense) (phi *mat.Dense, dRatio, dNu float64, err error) {
	n, d := w.g.Dims()
	gl, pl := chosen(w.g, w.labelled), chosen(w.features.Phi, w.labelled)
	s := func(x *mat.Dense) *mat.Dense { // x S^-1
		t := mat.DenseCopyOf(x.T())
		w.t.SolveTo(t)
		return mat.DenseCopyOf(t.T())
	}
	if w.slack == nil { // given is the kernel
		dk = mat.DenseCopyOf(dk)
		dk.Add(dk, dg)
		blas.Symmetrise(dk)
		dg = mat.NewDense(len(w.labelled), len(w.labelled), nil)
	}
	// Of the labelled rows.
	toG := s(product(false, false, dk, gl))
	toG.Scale(2, toG)
	toG.Add(toG, s(product(true, false, dg, pl)))
	toPhi := s(product(false, false, dg, gl))
	inside := product(true, false, gl, product(false, false, dk, gl))
	inside.Add(inside, product(true, false, pl, product(false, false, dg, gl)))
	w.t.SolveTo(inside)
	ds := s(inside)
	ds.Scale(-1, ds)
	// Through S.
	mg := w.times(w.g)
	dRatio = inner(ds, product(true, false, w.features.Phi, mg))
	back := product(false, false, w.times(w.features.Phi), ds)
	back.Scale(w.ratio, back)
	phi = product(false, true, mg, ds)
	phi.Scale(w.ratio, phi)
	for q, i := range w.labelled {
		floats.Add(back.RawRowView(i), toG.RawRowView(q))
		floats.Add(phi.RawRowView(i), toPhi.RawRowView(q))
	}
	if w.slack == nil {
		phi.Add(phi, back)
		return phi, dRatio, 0, ctx.Err()
	}
	h := mat.NewDense(n, d, nil)
	if _, err = w.slack.Solve(ctx, h, back); err != nil {
		return nil, 0, 0, err
	}
	dNu = inner(back, w.g)/w.nu - inner(h, w.g) // E = G/nu
	dRatio -= inner(h, mg)
	h.Scale(w.nu, h)
	phi.Add(phi, h)
	x, units := mat.NewDense(n, len(w.labelled), nil), mat.NewDense(n, len(w.labelled), nil)
	for q, i := range w.labelled {
		units.Set(i, q, 1)
	}
	if _, err = w.slack.Solve(ctx, x, units); err != nil {
		return nil, 0, 0, err
	}
	xk := product(false, false, x, dk)
	dNu -= inner(xk, x)
	dRatio -= inner(xk, w.times(x))
	return phi, dRatio, dNu, nil
}
