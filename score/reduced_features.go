package score

// Regularised least squares on features, for more labelled rows l than features r: what
// package rls does with the l x l matrix K = Psi Psi', without it.
//
// Symbols   Psi (l x r); P = I, or I - 11'/l with an offset; Psi_c = P Psi;
//
//	T T' = Psi_c'Psi_c + lambda I (r x r),   U' = T^-1 Psi_c',   Z' = T^-T U'      (r x l)
//	N    = (P - U U')/lambda,   alpha = N Y       where alpha and N are those of package rls
//	N^2  = (N - Z Z')/lambda,   N Psi = Z         because U'U = I - lambda T^-1 T^-T
//
// Weights   of the squared errors, W = S^2 (package rls, weights.go): P = I, or I - s s'/|s|^2, s = S 1; Psi_c = P S Psi; U and Z
//           are kept as S U and S Z, so that N = (C - U U')/lambda with C = S P S, N Psi = Z, and in the place of
//           N^2 stands N W^-1 N = (N - Z Z')/lambda.
// Left-out  r_B = (N_BB)^-1 alpha_B for a fold B, exact for fixed lambda, as there.
// Adjoint   of outputs with cotangent bar: v_B = -(N_BB)^-1 bar_B,
//           Q = blockdiag(v_B r_B' + r_B v_B')/2, and
//
//	G = dJ/dK = N Q N - (N v alpha' + alpha v'N)/2,   dJ/dlambda = tr G
//
//           known by G Psi = N (Q Z) - (N v (alpha'Psi) + alpha (v'Z))/2 and
//           tr G = <Q, N^2> - <v, N alpha>.
// Cost      3 l r^2 + r^3/3 flops, folds sum |B|^2 (r + |B|) more, the adjoint 4 l r c for leave-one-out;
//           memory three l x r, six with the adjoint.

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/moments"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/search/param"
)

// featureRLS is the fit for one lambda.
type featureRLS struct {
	lambda float64
	y      *mat.Dense // l x c
	weight []float64  // of the rows, nil for 1 each
	total  float64    // their sum
	mean   []float64  // of the features, nil without an offset
	u, z   *mat.Dense // r x l
	alpha  *mat.Dense // l x c
	diag   []float64  // of N
	w      *mat.Dense // Psi'alpha, r x c
}

// minSlack bounds lambda N_ii = 1 - H_ii as in package rls.
const minSlack = 1e-12

// solveFeatures fits psi (l x r), which it centres with an offset and scales by weights, to the targets of p.
func solveFeatures(psi *mat.Dense, p *learn.Problem, offset bool, lambda float64) (*featureRLS, error) {
	y := p.Y
	l, r := psi.Dims()
	_, c := y.Dims()
	if offset && l == 1 {
		return nil, moments.ErrOneRow
	}
	f := &featureRLS{
		lambda: lambda, y: y, weight: p.Weight, total: float64(l), u: mat.NewDense(r, l, nil), diag: make([]float64, l),
		w: mat.NewDense(r, c, nil),
	}
	if f.weight != nil {
		f.total = floats.Sum(f.weight)
	}
	if offset {
		f.mean = f.average(psi)
	}
	for i := range l {
		row, w := psi.RawRowView(i), f.of(i)
		if offset {
			floats.Sub(row, f.mean)
		}
		for k, v := range row {
			f.u.Set(k, i, w*v)
		}
	}
	blas.Gemm(1, blas.N(f.u), blas.N(y), 0, f.w)
	for i := range f.weight {
		floats.Scale(math.Sqrt(f.weight[i]), psi.RawRowView(i))
	}
	t := mat.NewDense(r, r, nil)
	blas.SyrkLower(1, blas.T(psi), 0, t)
	for k := range r {
		t.Set(k, k, t.At(k, k)+lambda)
	}
	var chol blas.Cholesky
	if err := chol.Factor(t); err != nil {
		return nil, err
	}
	chol.SolveTo(f.w) // (Psi_c'Psi_c + lambda I)^-1 Psi_c'S Y = Psi'alpha
	chol.SolveL(f.u)
	f.z = mat.DenseCopyOf(f.u)
	chol.SolveLT(f.z)
	for k := range r {
		for i, v := range f.u.RawRowView(k) {
			f.diag[i] += v * v
		}
	}
	for i := range f.diag {
		f.diag[i] = (f.of(i) - f.constant(i, i) - f.diag[i]) / lambda
	}
	f.alpha = f.times(y)
	return f, nil
}

// of is the weight of a row.
func (f *featureRLS) of(i int) float64 {
	if f.weight == nil {
		return 1
	}
	return f.weight[i]
}

// average is the weighted mean of each column.
func (f *featureRLS) average(x *mat.Dense) []float64 {
	l, c := x.Dims()
	mean := make([]float64, c)
	for i := range l {
		floats.AddScaled(mean, f.of(i)/f.total, x.RawRowView(i))
	}
	return mean
}

// constant is what the offset takes off C = diag(w).
func (f *featureRLS) constant(i, j int) float64 {
	if f.mean == nil {
		return 0
	}
	return f.of(i) * f.of(j) / f.total
}

// times returns N x.
func (f *featureRLS) times(x *mat.Dense) *mat.Dense {
	r, l := f.u.Dims()
	_, c := x.Dims()
	ux, out := mat.NewDense(r, c, nil), mat.DenseCopyOf(x)
	blas.Gemm(1, blas.N(f.u), blas.N(x), 0, ux)
	if f.mean != nil {
		mean := f.average(x)
		for i := range l {
			floats.Sub(out.RawRowView(i), mean)
		}
	}
	for i, w := range f.weight {
		floats.Scale(w, out.RawRowView(i))
	}
	blas.Gemm(-1/f.lambda, blas.T(f.u), blas.N(ux), 1/f.lambda, out)
	return out
}

// block returns N_BB.
func (f *featureRLS) block(b []int) *mat.Dense {
	n := f.product(f.u, b)
	for p, i := range b {
		for q, j := range b {
			v := -f.constant(i, j) - n.At(p, q)
			if p == q {
				v += f.of(i)
			}
			n.Set(p, q, v/f.lambda)
		}
	}
	return n
}

// product returns x_B'x_B for x of r x l.
func (f *featureRLS) product(x *mat.Dense, b []int) *mat.Dense {
	r, _ := x.Dims()
	xb := mat.NewDense(r, len(b), nil)
	for k := range r {
		from, to := x.RawRowView(k), xb.RawRowView(k)
		for q, i := range b {
			to[q] = from[i]
		}
	}
	n := mat.NewDense(len(b), len(b), nil)
	blas.Syrk(1, blas.T(xb), 0, n)
	return n
}

// fold is what a fold needs: r_B, and (N_BB)^-1 as a factor.
type fold struct {
	rows []int
	n    *mat.Dense // N_BB; nil for a single row
	chol blas.Cholesky
	r    *mat.Dense // |B| x c
}

// folds factors the blocks; nil lists mean each row by itself.
func (f *featureRLS) folds(lists [][]int) ([]*fold, error) {
	_, c := f.y.Dims()
	if lists == nil {
		all := make([]*fold, len(f.diag))
		for i, d := range f.diag {
			if f.lambda*d < minSlack*f.of(i) {
				return nil, rls.ErrLeverage
			}
			all[i] = &fold{rows: []int{i}, r: mat.NewDense(1, c, nil)}
			all[i].r.Scale(1/d, f.alpha.Slice(i, i+1, 0, c))
		}
		return all, nil
	}
	all := make([]*fold, len(lists))
	for q, b := range lists {
		o := &fold{rows: b, n: f.block(b), r: mat.NewDense(len(b), c, nil)}
		for p, i := range b {
			o.r.SetRow(p, f.alpha.RawRowView(i))
		}
		if err := o.chol.Factor(mat.DenseCopyOf(o.n)); err != nil {
			return nil, fmt.Errorf("%w (fold of %d rows)", rls.ErrLeverage, len(b))
		}
		o.chol.SolveTo(o.r)
		all[q] = o
	}
	return all, nil
}

// leaveOut returns the left-out outputs; rows in no fold keep their fitted value.
func (f *featureRLS) leaveOut(folds []*fold) *mat.Dense {
	o := mat.DenseCopyOf(f.y)
	for i := range f.diag {
		floats.AddScaled(o.RawRowView(i), -f.lambda/f.of(i), f.alpha.RawRowView(i))
	}
	for _, b := range folds {
		for p, i := range b.rows {
			for j, r := range b.r.RawRowView(p) {
				o.Set(i, j, f.y.At(i, j)-r)
			}
		}
	}
	return o
}

// pull returns G Psi (l x r) and dJ/dlambda for bar = dJ/dO.
func (f *featureRLS) pull(folds []*fold, bar *mat.Dense) (gpsi *mat.Dense, dLambda float64) {
	r, l := f.z.Dims()
	_, c := f.y.Dims()
	v, qz := mat.NewDense(l, c, nil), mat.NewDense(l, r, nil)
	zt := mat.DenseCopyOf(f.z.T())
	for _, b := range folds {
		vb := mat.NewDense(len(b.rows), c, nil)
		for p, i := range b.rows {
			for j, w := range bar.RawRowView(i) {
				vb.Set(p, j, -w)
			}
		}
		var square *mat.Dense // lambda N W^-1 N
		if b.n == nil {
			i := b.rows[0]
			vb.Scale(1/f.diag[i], vb)
			var zz float64
			for _, z := range zt.RawRowView(i) {
				zz += z * z
			}
			square = mat.NewDense(1, 1, []float64{f.diag[i] - zz})
		} else {
			b.chol.SolveTo(vb)
			square = f.product(f.z, b.rows)
			square.Sub(b.n, square)
		}
		q := mat.NewDense(len(b.rows), len(b.rows), nil)
		blas.Gemm(0.5, blas.N(vb), blas.T(b.r), 0, q)
		blas.Gemm(0.5, blas.N(b.r), blas.T(vb), 1, q)
		zb, out := mat.NewDense(len(b.rows), r, nil), mat.NewDense(len(b.rows), r, nil)
		for p, i := range b.rows {
			v.SetRow(i, vb.RawRowView(p))
			zb.SetRow(p, zt.RawRowView(i))
			for k, s := range square.RawRowView(p) {
				dLambda += q.At(p, k) * s / f.lambda
			}
		}
		blas.Gemm(1, blas.N(q), blas.N(zb), 0, out)
		for p, i := range b.rows {
			qz.SetRow(i, out.RawRowView(p))
		}
	}
	gpsi = f.times(qz)
	return gpsi, dLambda - f.outer(gpsi, v, 1)
}

// outer adds -s (N v alpha' + alpha v'N) Psi/2 to gpsi and returns s <v, N W^-1 alpha>.
func (f *featureRLS) outer(gpsi, v *mat.Dense, s float64) float64 {
	r, _ := f.z.Dims()
	_, c := v.Dims()
	nv, vz := f.times(v), mat.NewDense(r, c, nil)
	blas.Gemm(1, blas.N(f.z), blas.N(v), 0, vz)
	blas.Gemm(-s/2, blas.N(nv), blas.T(f.w), 1, gpsi)
	blas.Gemm(-s/2, blas.N(f.alpha), blas.T(vz), 1, gpsi)
	var sum float64
	l, _ := v.Dims()
	for i := range l {
		for j, a := range f.alpha.RawRowView(i) {
			sum += a * nv.At(i, j) / f.of(i)
		}
	}
	return s * sum
}

// gcv is rls.Fit.GCV with G Psi in the place of G.
func (f *featureRLS) gcv(want param.Want) (value float64, gpsi *mat.Dense, dLambda float64) {
	var a, b float64
	l := len(f.diag)
	for i, d := range f.diag {
		for _, v := range f.alpha.RawRowView(i) {
			a += v * v / f.of(i)
		}
		b += d / f.of(i)
	}
	value = float64(l) * a / (b * b)
	if want == param.ValueOnly {
		return value, nil, 0
	}
	s := 2 * float64(l) * a / (b * b * b)
	zt, v := mat.DenseCopyOf(f.z.T()), mat.DenseCopyOf(f.alpha)
	var zz float64
	for i := range l {
		row := zt.RawRowView(i)
		zz += floats.Dot(row, row) / f.of(i)
		floats.Scale(1/f.of(i), row)
		floats.Scale(1/f.of(i), v.RawRowView(i))
	}
	gpsi = f.times(zt)
	gpsi.Scale(s, gpsi)
	return value, gpsi, s*(b-zz)/f.lambda - f.outer(gpsi, v, 2*float64(l)/(b*b))
}
