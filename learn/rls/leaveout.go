package rls

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// ErrLeverage says that a fold determines its own prediction: 1 - H_ii vanished
// and the left-out residual does not exist to working precision, or, with an indefinite
// kernel, is negative.
var ErrLeverage = errors.New("rls: a left-out row has leverage one or more; lambda is too small")

// minSlack bounds lambda N_ii/w_i = 1 - H_ii from below; under it the quotient has
// lost every digit (Becker spec, "Safeguards"). Of a fold it bounds what each row has
// after those before it, the squares of the Cholesky factor of lambda N_BB.
const minSlack = 1e-12

// LeaveOut returns O (l x c): o_i is the prediction for row i of the machine
// trained, at the same lambda, without the labels of the fold that row i is in.
// folds nil means every row by itself; rows in no fold keep their fitted value.
// Cost: O(l c) for single rows, else one inverse and O(sum |B|^3), of a path of d columns O(sum |B| d^2 + d^3) for folds of more rows.
func (f *Fit) LeaveOut(ctx context.Context, folds [][]int) (*mat.Dense, error) {
	o := mat.DenseCopyOf(f.path.y)
	if folds == nil {
		diag, err := f.leverages(ctx)
		if err != nil {
			return nil, err
		}
		for i, d := range diag {
			if f.Lambda*d < minSlack*f.path.weigh.Of(i) {
				return nil, ErrLeverage
			}
			row, alpha := o.RawRowView(i), f.Alpha.RawRowView(i)
			for j := range row {
				row[j] -= alpha[j] / d
			}
		}
		return o, nil
	}
	f.Fitted(o)
	for _, b := range folds {
		r, err := f.foldResidual(ctx, b)
		if err != nil {
			return nil, err
		}
		for p, i := range b {
			row := o.RawRowView(i)
			for j := range row {
				row[j] = f.path.y.At(i, j) - r.At(p, j)
			}
		}
	}
	return o, nil
}

// foldResidual returns r_B = (N_BB)^-1 alpha_B, |B| x c.
func (f *Fit) foldResidual(ctx context.Context, b []int) (*mat.Dense, error) {
	_, c := f.Alpha.Dims()
	r := mat.NewDense(len(b), c, nil)
	for p, i := range b {
		r.SetRow(p, f.Alpha.RawRowView(i))
	}
	if err := f.solveFold(ctx, b, r); err != nil {
		return nil, err
	}
	return r, nil
}

// solveFold replaces x by (N_BB)^-1 x.
func (f *Fit) solveFold(ctx context.Context, b []int, x *mat.Dense) error {
	if f.path.x != nil && len(b) > len(f.path.w)+1 {
		return f.solveInColumns(ctx, b, x)
	}
	nb, err := f.block(ctx, b)
	if err != nil {
		return err
	}
	ch := blas.Cholesky{Backend: blas.Within(ctx)}
	err = ch.Factor(nb)
	if stopped := ch.Backend.Stopped(); stopped != nil {
		return stopped
	}
	for p, i := range b {
		if err != nil || f.Lambda*nb.At(p, p)*nb.At(p, p) < minSlack*f.path.weigh.Of(i) {
			return fmt.Errorf("%w (fold of %d rows)", ErrLeverage, len(b))
		}
	}
	ch.SolveTo(x)
	return ch.Backend.Stopped()
}

// PullLeaveOut is the adjoint of LeaveOut: given bar = dJ/dO (l x c; rows in no
// fold must be zero) it returns G = dJ/dK (l x l, symmetric) and dJ/dlambda.
//
// With w = dJ/dr = -bar, v_B = (N_BB)^-1 w_B and r the left-out residuals,
//
//	G = sym( -(N v) alpha' + N blockdiag(v_B r_B') N ),   dJ/dlambda = tr G W^-1
//
// (one O(l^3) for any number of parameters; the source needs one a parameter,
// Becker 2013, eqs 2.14-2.19).
func (f *Fit) PullLeaveOut(ctx context.Context, folds [][]int, bar *mat.Dense) (*mat.Dense, float64, error) {
	l, c := f.Alpha.Dims()
	n, err := f.n(ctx)
	if err != nil {
		return nil, 0, err
	}
	v := mat.NewDense(l, c, nil)
	g, on := mat.NewDense(l, l, nil), blas.Within(ctx)
	if folds == nil {
		q := make([]float64, l)
		for i, d := range f.diag {
			if f.Lambda*d < minSlack*f.path.weigh.Of(i) {
				return nil, 0, ErrLeverage
			}
			for j, w := range bar.RawRowView(i) {
				vij := -w / d
				v.Set(i, j, vij)
				q[i] += vij * f.Alpha.At(i, j) / d
			}
		}
		congruent(on, g, n, q)
	} else {
		mid := mat.NewDense(l, l, nil) // blockdiag(v r') N
		for _, b := range folds {
			r, err := f.foldResidual(ctx, b)
			if err != nil {
				return nil, 0, err
			}
			vb := mat.NewDense(len(b), c, nil)
			for p, i := range b {
				for j, w := range bar.RawRowView(i) {
					vb.Set(p, j, -w)
				}
			}
			if err := f.solveFold(ctx, b, vb); err != nil {
				return nil, 0, err
			}
			if err := spread(ctx, mid, n, vb, r, b); err != nil {
				return nil, 0, err
			}
			for p, i := range b {
				v.SetRow(i, vb.RawRowView(p))
			}
		}
		on.Gemm(1, blas.N(n), blas.N(mid), 0, g)
	}
	nv := mat.NewDense(l, c, nil)
	on.Gemm(1, blas.N(n), blas.N(v), 0, nv)
	on.Gemm(-1, blas.N(nv), blas.T(f.Alpha), 1, g)
	if err := on.Stopped(); err != nil {
		return nil, 0, err
	}
	return g, f.symmetrize(g), nil
}

// congruent stores N diag(q) N of a symmetric N in g: the product of the rows with q >= 0, times sqrt(q), with themselves, less that of
// the others, l^3 flops in all.
func congruent(on blas.Backend, g, n *mat.Dense, q []float64) {
	l := len(q)
	scaled, front, back := mat.NewDense(l, l, nil), 0, l
	for i, v := range q {
		at := front
		if v >= 0 {
			front++
		} else {
			back--
			at = back
		}
		v, to := math.Sqrt(math.Abs(v)), scaled.RawRowView(at)
		for k, w := range n.RawRowView(i) {
			to[k] = v * w
		}
	}
	g.Zero()
	if front > 0 {
		on.Syrk(1, blas.T(scaled.Slice(0, front, 0, l).(*mat.Dense)), 0, g)
	}
	if back < l {
		on.Syrk(-1, blas.T(scaled.Slice(back, l, 0, l).(*mat.Dense)), 1, g)
	}
}

// symmetrize replaces g by (g + g')/2 and returns tr G W^-1, the derivative by lambda of what depends
// on K + lambda W^-1.
func (f *Fit) symmetrize(g *mat.Dense) float64 {
	blas.Symmetrise(g)
	return f.path.weigh.trace(g)
}

// GCV returns generalised cross-validation, l sum_i w_i ||y_i - f_i||^2 / tr(I - H)^2 summed
// over outputs, in the form l A/B^2; and, if wanted, its cotangent dJ/dK and dJ/dlambda:
//
//	G = l ( -2 N W^-1 alpha alpha' / B^2 + 2 A N W^-1 N / B^3 ),   A = tr alpha' W^-1 alpha, B = tr N W^-1.
//
// It is +Inf, without a cotangent, where no degree of freedom is left.
func (f *Fit) GCV(ctx context.Context, want param.Want) (value float64, g *mat.Dense, dLambda float64, err error) {
	l, c := f.Alpha.Dims()
	square, free, err := f.residuals(ctx)
	if err != nil {
		return 0, nil, 0, err
	}
	if math.IsInf(square, 1) {
		return square, nil, 0, nil
	}
	a, b := square/(f.Lambda*f.Lambda), free/f.Lambda
	value = float64(l) * square / (free * free)
	if want == param.ValueOnly {
		return value, nil, 0, nil
	}
	n, err := f.n(ctx)
	if err != nil {
		return 0, nil, 0, err
	}
	g = mat.NewDense(l, l, nil)
	on := blas.Within(ctx)
	on.Gemm(2*float64(l)*a/(b*b*b), blas.N(n), blas.N(f.path.weigh.divided(n)), 0, g)
	na := mat.NewDense(l, c, nil)
	on.Gemm(1, blas.N(n), blas.N(f.path.weigh.divided(f.Alpha)), 0, na)
	on.Gemm(-2*float64(l)/(b*b), blas.N(na), blas.T(f.Alpha), 1, g)
	return value, g, f.symmetrize(g), on.Stopped()
}

// spread adds v r' N_b to the rows b of mid.
func spread(ctx context.Context, mid, n, v, r *mat.Dense, b []int) error {
	for p, i := range b {
		if err := ctx.Err(); err != nil {
			return err
		}
		out := mid.RawRowView(i)
		for q, k := range b {
			s := mat.Dot(v.RowView(p), r.RowView(q))
			for m, nv := range n.RawRowView(k) {
				out[m] += s * nv
			}
		}
	}
	return nil
}
