package dual

// Bounds and estimates of the leave-one-out error of a two-class machine from one
// training. Of the hinge, sum_i c_i xi_i, and of the squared hinge, sum_i c_i xi_i^2,
// with xi = (1 - y f)+, the dual coefficients are a_i >= 0, f = sum_i y_i a_i k(x_i, .) + b.
// The squared hinge is the hard margin of K + D, D = diag(1/(2 c_i)); below K stands for it,
// and D = 0 for the hinge. Each gives either the count of rows whose left-out margin,
// y_i f^(-i)(x_i), may be negative, or something above that count, over l:
//
//	SupportVectors    a_i > 0                                                    bound
//	JaakkolaHaussler  y_i f_i - a_i K_ii <= 0, no offset                         bound
//	XiAlpha           1 - xi_i - 2 a_i R_D^2 <= 0, R_D^2 = max K_ii - min K_ij;
//	                  no offset: a_i max K_ii in place of 2 a_i R_D^2            bound
//	Span              y_i f_i - a_i S_i^2 <= 0                                   estimate
//	RadiusMargin      4 (R^2 + D/C) (|w|^2 + 2 sum c_i V_i)/l, R the radius of the ball
//	                  around the rows, D/C = 1/min c (1/(2 min c) of the squared hinge);
//	                  no offset: (max K_ii + D/C) (|w|^2 + 2 sum c_i V_i)/l      bound
//
// With an offset XiAlpha and RadiusMargin suppose that free support vectors (0 < a < c), of
// this machine and of that without the row, have room in their boxes for a_i (Joachims'
// "stable"): moving it there keeps b. Two classes alike in number at small C are the
// counterexample, for each row left out then tips the balance. S_i is the distance of x_i from the affine hull of
// the free support vectors V other than x_i (the linear hull without an offset: Opper
// and Winther's estimate), exact if V stays V without the row. With P = K_VV, s = P^-1 1
// and k = K_Vi,
//
//	i in V:     S_i^2 = 1/((P^-1)_ii - s_i^2/1's)
//	else:       S_i^2 = K_ii - k'P^-1 k + (1 - s'k)^2/1's        (without s: no offset)
//
// For the squared hinge it is smooth.Solution.LeaveOneOut.
//
// Sources: Vapnik 1995 (support vectors); Jaakkola and Haussler, AISTATS 1999; Joachims,
// ICML 2000 (xi-alpha); Opper and Winther 2000; Vapnik and Chapelle, Neural Computation
// 12 (2000), Chapelle, Vapnik, Bousquet and Mukherjee, Machine Learning 46 (2002) (span,
// radius-margin); Chung, Kao, Sun, Wang and Lin, Neural Computation 15 (2003), eq. 3.2 (D/C
// for the hinge, D = 1). That the two with D/C are bounds: sum a = |w|^2 + sum c xi by
// complementarity, so XiAlpha's 4 R^2 sum a + sum xi is below RadiusMargin's product.
//
// Cost: SupportVectors and JaakkolaHaussler l; XiAlpha l^2 kernel values; Span
// |V|^3 + |V|^2 (support vectors at the bound) flops and |V|^2 numbers; RadiusMargin a
// quadratic programme of l variables (ball.go).

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Bound names a bound or estimate of the leave-one-out error. The zero value is none.
type Bound int

// The bounds, see the formula above.
const (
	SupportVectors Bound = iota + 1
	JaakkolaHaussler
	XiAlpha
	Span
	RadiusMargin
)

var boundNames = [...]string{
	SupportVectors: "sv", JaakkolaHaussler: "jaakkola-haussler", XiAlpha: "xi-alpha", Span: "span", RadiusMargin: "radius-margin",
}

func (b Bound) String() string {
	if b < SupportVectors || int(b) >= len(boundNames) {
		return fmt.Sprintf("Bound(%d)", int(b))
	}
	return boundNames[b]
}

// Evidence is a trained two-class machine as its bounds see it.
type Evidence struct {
	Gram kernel.Gram
	Rows []int     // of the Gram object, l
	Y    []float64 // -1 and +1
	A    []float64 // dual coefficients, y_i times those of the expansion
	F    []float64 // outputs with the offset
	C    []float64 // weights of the losses, > 0
	// Squared says that the loss is the squared hinge.
	Squared bool
	// Offset says that there is a free offset; Augmented that K + 1 stands for K, and
	// there is none.
	Offset, Augmented bool
}

// Estimate is what a bound says of a machine.
type Estimate struct {
	// Value is the bound or estimate of the leave-one-out error, a share of the rows;
	// RadiusMargin may be above 1.
	Value float64
	// Margin holds the left-out margins, or what they are at least; nil for
	// SupportVectors and RadiusMargin.
	Margin []float64
	// Radius are the terms of RadiusMargin.
	Radius *RadiusTerms
}

// RadiusTerms are the terms of RadiusMargin: its value is
// Factor (Square + Ratio) Twice / l.
type RadiusTerms struct {
	Factor  float64
	Square  float64 // R^2, or the largest K_ii
	Ball    *Ball   // nil without an offset
	Largest int     // without an offset: the row, below l, of the largest K_ii
	Ratio   float64 // D/C
	Twice   float64 // |w|^2 + 2 sum c V, twice the primal objective
	Losses  float64 // sum c V
}

// Of evaluates the bound.
func (b Bound) Of(ctx context.Context, e Evidence) (Estimate, error) {
	l := len(e.Y)
	if len(e.Rows) != l || len(e.A) != l || len(e.F) != l || len(e.C) != l || l == 0 {
		panic(
			fmt.Sprintf(
				"svm: bound of %d targets, %d rows, %d coefficients, %d outputs and %d weights",
				l,
				len(e.Rows),
				len(e.A),
				len(e.F),
				len(e.C),
			),
		)
	}
	if err := ctx.Err(); err != nil {
		return Estimate{}, err
	}
	v := e.view()
	switch b {
	case SupportVectors:
		n := 0
		for _, a := range e.A {
			if a > 0 {
				n++
			}
		}
		return Estimate{Value: float64(n) / float64(l)}, nil
	case JaakkolaHaussler:
		if e.Offset {
			return Estimate{}, fmt.Errorf(
				"svm: the bound of Jaakkola and Haussler is for machines without an offset; take xi-alpha, or leave the offset out",
			)
		}
		margin := make([]float64, l)
		for i, a := range e.A {
			margin[i] = e.Y[i]*e.F[i] - a*(v.diag[i]-v.d(i)) // K's own diagonal: see bounds_test.go
		}
		return counted(margin), nil
	case XiAlpha:
		return v.xiAlpha(ctx)
	case Span:
		return v.span(ctx)
	case RadiusMargin:
		return v.radiusMargin(ctx)
	}
	panic("svm: " + b.String())
}

// counted is the share of margins that are not positive.
func counted(margin []float64) Estimate {
	n := 0
	for _, m := range margin {
		if !(m > 0) {
			n++
		}
	}
	return Estimate{Value: float64(n) / float64(len(margin)), Margin: margin}
}

// view is the evidence in the terms of K + D.
type view struct {
	Evidence
	diag  []float64 // of K + D
	extra float64   // 1 when Augmented
}

func (e Evidence) view() view {
	v := view{Evidence: e, diag: kernel.Diagonal(e.Gram, e.Rows)}
	if e.Augmented {
		v.extra = 1
	}
	for i := range v.diag {
		v.diag[i] += v.extra + v.d(i)
	}
	return v
}

// d is D_ii.
func (v *view) d(i int) float64 {
	if !v.Squared {
		return 0
	}
	return 1 / (2 * v.C[i])
}

// slack is xi_i of the machine on K + D.
func (v *view) slack(i int) float64 {
	return max(0, 1-v.Y[i]*v.F[i]-v.d(i)*v.A[i])
}

// block stores K of the rows a and columns b, numbers below l, in dst; D where they meet.
func (v *view) block(dst *mat.Dense, a, b []int) {
	at := func(idx []int) []int {
		rows := make([]int, len(idx))
		for q, i := range idx {
			rows[q] = v.Rows[i]
		}
		return rows
	}
	v.Gram.Block(dst, at(a), at(b))
	for p, i := range a {
		row := dst.RawRowView(p)
		for q, j := range b {
			row[q] += v.extra
			if i == j {
				row[q] += v.d(i)
			}
		}
	}
}

// boundPanel is the number of rows whose kernel values are in memory at once.
const boundPanel = 256

// eachPanel calls f with the kernel values of rows [lo, hi) of list and all of columns.
func (v *view) eachPanel(ctx context.Context, list, columns []int, f func(lo, hi int, k *mat.Dense)) error {
	if len(list) == 0 || len(columns) == 0 {
		return nil
	}
	k := mat.NewDense(min(boundPanel, len(list)), len(columns), nil)
	for lo := 0; lo < len(list); lo += boundPanel {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+boundPanel, len(list))
		part := k.Slice(0, hi-lo, 0, len(columns)).(*mat.Dense)
		v.block(part, list[lo:hi], columns)
		f(lo, hi, part)
	}
	return nil
}

func (v *view) xiAlpha(ctx context.Context) (Estimate, error) {
	var most float64
	for _, k := range v.diag {
		most = max(most, k)
	}
	reach := most
	if v.Offset {
		least, all := most, indices.To(len(v.Y))
		err := v.eachPanel(ctx, all, all, func(_, _ int, k *mat.Dense) { least = min(least, mat.Min(k)) })
		if err != nil {
			return Estimate{}, err
		}
		reach = 2 * (most - least)
	}
	margin := make([]float64, len(v.Y))
	for i, a := range v.A {
		margin[i] = 1 - v.slack(i) - a*reach
	}
	return counted(margin), nil
}

const (
	// atBound is the share of c from which a coefficient counts as at the bound.
	atBound = 1 - 1e-9
	// spanRidge, of the mean diagonal, stands between P and singular matrices of equal rows.
	spanRidge = 1e-10
)

func (v *view) span(ctx context.Context) (Estimate, error) {
	free, bounded := v.supports()
	var most float64
	for _, k := range v.diag {
		most = max(most, k)
	}
	margin := make([]float64, len(v.Y))
	for i := range margin {
		margin[i] = 1 - v.slack(i)
		if v.A[i] == 0 {
			margin[i] = v.Y[i] * v.F[i]
		}
	}
	// No point is farther from a hull that it shares the ball of radius sqrt(most) with.
	leave := func(i int, square float64) {
		if !(square >= 0 && square < 4*most) {
			square = 4 * most
		}
		margin[i] -= v.A[i] * square
	}
	if len(free) == 0 { // b stays as it is
		for _, i := range bounded {
			leave(i, v.diag[i])
		}
		return counted(margin), nil
	}
	h, err := v.hullOf(free)
	if err != nil {
		return Estimate{}, err
	}
	err = v.eachPanel(ctx, bounded, free, func(lo, hi int, k *mat.Dense) {
		less := h.nearer(k)
		for q := lo; q < hi; q++ {
			leave(bounded[q], v.diag[bounded[q]]-less.norm[q-lo]+h.shift(1-less.sum[q-lo]))
		}
	})
	if err != nil {
		return Estimate{}, err
	}
	diagonal, err := inverseDiagonal(ctx, &h.chol, len(free))
	if err != nil {
		return Estimate{}, err
	}
	for q, i := range free {
		leave(i, 1/(diagonal[q]-h.shift(h.s[q])))
	}
	return counted(margin), nil
}

// supports are the support vectors inside their boxes and at the bound.
func (v *view) supports() (free, bounded []int) {
	for i, a := range v.A {
		switch {
		case !(a > 0):
		case v.Squared || a < v.C[i]*atBound:
			free = append(free, i)
		default:
			bounded = append(bounded, i)
		}
	}
	return free, bounded
}

// hull is the affine hull of the free support vectors, the linear one without an offset.
type hull struct {
	chol  blas.Cholesky // of P
	s     []float64     // P^-1 1, zero without an offset
	total float64       // 1's
}

func (v *view) hullOf(free []int) (*hull, error) {
	n := len(free)
	p := mat.NewDense(n, n, nil)
	v.block(p, free, free)
	var trace float64
	for _, i := range free {
		trace += v.diag[i]
	}
	for q := range n {
		p.Set(q, q, p.At(q, q)+spanRidge*trace/float64(n))
	}
	h := &hull{s: make([]float64, n)}
	if err := h.chol.Factor(p); err != nil {
		return nil, fmt.Errorf("svm: the kernel matrix of %d free support vectors: %w; is the kernel positive definite?", n, err)
	}
	if v.Offset {
		for q := range h.s {
			h.s[q] = 1
		}
		h.chol.SolveTo(mat.NewDense(n, 1, h.s))
		for _, x := range h.s {
			h.total += x
		}
	}
	return h, nil
}

// shift is x^2/1's, 0 without an offset.
func (h *hull) shift(x float64) float64 {
	if h.total == 0 {
		return 0
	}
	return x * x / h.total
}

// projections are, of points, the squared norms of those on the span of V, k'P^-1 k, and s'k.
type projections struct{ norm, sum []float64 }

// nearer computes the projections of the points whose kernel values with V are the rows of k.
func (h *hull) nearer(k *mat.Dense) projections {
	m, _ := k.Dims()
	w := mat.DenseCopyOf(k.T())
	h.chol.SolveL(w)
	p := projections{make([]float64, m), make([]float64, m)}
	for q := range m {
		for r, x := range k.RawRowView(q) {
			p.sum[q] += h.s[r] * x
			p.norm[q] += w.At(r, q) * w.At(r, q)
		}
	}
	return p
}

// inverseDiagonal is the diagonal of P^-1 from P = L L': the squared norms of the columns
// of L^-1, a panel of them at a time.
func inverseDiagonal(ctx context.Context, chol *blas.Cholesky, n int) ([]float64, error) {
	out := make([]float64, n)
	for lo := 0; lo < n; lo += boundPanel {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+boundPanel, n)
		e := mat.NewDense(n, hi-lo, nil)
		for q := lo; q < hi; q++ {
			e.Set(q, q-lo, 1)
		}
		chol.SolveL(e)
		for r := lo; r < n; r++ {
			for q, x := range e.RawRowView(r) {
				out[lo+q] += x * x
			}
		}
	}
	return out, nil
}

// radiusMargin: |w|^2 = sum_i y_i a_i (f_i - b), and sum_i y_i a_i = 0 with a free offset.
func (v *view) radiusMargin(ctx context.Context) (Estimate, error) {
	r := &RadiusTerms{Factor: 1, Ratio: 1}
	if v.Squared {
		r.Ratio = 0.5
	}
	if v.Offset {
		ball, err := EnclosingBall(ctx, v.Gram, v.Rows)
		if err != nil {
			return Estimate{}, err
		}
		r.Factor, r.Square, r.Ball = 4, ball.Square, &ball
	} else {
		for i, k := range v.diag {
			if k -= v.d(i); k > r.Square {
				r.Square, r.Largest = k, i
			}
		}
	}
	least := math.Inf(1)
	for i, y := range v.Y {
		xi := max(0, 1-y*v.F[i])
		if v.Squared {
			xi *= xi
		}
		r.Losses += v.C[i] * xi
		r.Twice += y * v.A[i] * v.F[i]
		least = min(least, v.C[i])
	}
	r.Twice += 2 * r.Losses
	r.Ratio /= least
	return Estimate{Value: r.Factor * (r.Square + r.Ratio) * r.Twice / float64(len(v.Y)), Radius: r}, nil
}
