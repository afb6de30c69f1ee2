// Package basis chooses few basis functions k(., x_j) among n rows for machines whose risk is quadratic in
// their outputs on the rows.
//
// A Problem states the risk; a Chooser orders centres; Fit solves for the coefficients on given centres.
// Kernel values are computed by columns as they are needed, never as the n x n matrix.
package basis

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Problem is a risk of a function on the centres J, d of the n rows: with o = K_NJ beta (n x c), summed over the c
// outputs, which share J,
//
//	R(beta) = (GammaA/2) beta' K_JJ beta + 1/2 o' Q o - T' o + Constant
//
// LapRLS has Q = gammaI M + I_L and T = Y on the labelled rows, times their weights (Laplacian); a target known on all rows has Q = I
// (Targets); a slack eliminated from the objective has Q = nu I - nu^2 A^-1, T = nu A^-1 Y.
// (Sindhwani 2007, eqs. 5.1 and 5.2; his gammas: sums of losses, halves.)
type Problem struct {
	Gram     kernel.Gram // k on the n rows
	Q        Form        // n x n
	Target   *mat.Dense  // T, n x c
	GammaA   float64     // at least 0
	Constant float64     // added to the objective: half the squared targets, so that R is a sum of squares
}

// Form is a symmetric positive semi-definite n x n matrix that is known by its products. A graph.Operator is one.
type Form interface {
	Len() int
	// MulTo stores Q x in dst (both n x k, not overlapping).
	MulTo(dst, x *mat.Dense)
}

// Path is an order of centres. The first d of them are the basis of size d.
type Path struct {
	Centres []int // numbers of rows, distinct but for several Scales
	Scales  []int // the kernel of each centre among Greedy.Scales; nil: all have that of the problem
	// Objective is R at the best coefficients on the first 1, 2, ... centres; nil where the chooser does not
	// compute it (Along does).
	Objective []float64

	factor blas.Growing // of H_J, centres in their order
	half   *mat.Dense   // L^-1 b_J, d x c
}

// Beta returns the best coefficients on the first d centres (d x c), d^2 flops an output, of a path with objectives.
func (p *Path) Beta(d int) *mat.Dense {
	if d < 1 || d > len(p.Objective) {
		panic(fmt.Sprintf("basis: coefficients on %d centres of a path with %d objectives", d, len(p.Objective)))
	}
	_, c := p.half.Dims()
	l, beta, x := p.factor, mat.NewDense(d, c, nil), make([]float64, d)
	l.Truncate(d)
	for q := range c {
		for i := range x {
			x[i] = p.half.At(i, q)
		}
		l.Backward(x)
		beta.SetCol(q, x)
	}
	return beta
}

// Chooser chooses at most size centres, fewer only where no further row adds anything to those chosen. A size below 1 or
// above n is an error, and so is a problem that the chooser has no answer for.
type Chooser interface {
	Choose(ctx context.Context, p Problem, size int) (Path, error)
}

// Laplacian is the problem of LapRLS: Y (l x c) on the labelled rows, each with its weight (nil: all 1), an intrinsic norm M on all
// rows (nil: none).
func Laplacian(
	g kernel.Gram, labelled []int, y *mat.Dense, weight []float64, norm graph.Operator, gammaA, gammaI float64,
) Problem {
	l, c := y.Dims()
	if len(labelled) != l {
		panic(fmt.Sprintf("basis: %d labelled rows with %d rows of targets", len(labelled), l))
	}
	if weight == nil {
		weight = slices.Repeat([]float64{1}, l)
	}
	t := mat.NewDense(g.Len(), c, nil)
	var squares float64
	for q, i := range labelled {
		floats.AddScaled(t.RawRowView(i), weight[q], y.RawRowView(q))
		for _, v := range y.RawRowView(q) {
			squares += weight[q] * v * v
		}
	}
	q := &intrinsic{n: g.Len(), norm: norm, gamma: gammaI, labelled: labelled, weight: weight}
	return Problem{Gram: g, Q: q, Target: t, GammaA: gammaA, Constant: squares / 2}
}

// Targets is the problem of least squares with the targets t (n x c) known on all rows, each with its weight; nil: all 1.
func Targets(g kernel.Gram, t *mat.Dense, weight []float64, gammaA float64) Problem {
	if weight == nil {
		weight = slices.Repeat([]float64{1}, g.Len())
	}
	q, wt := diagonal(weight), mat.DenseCopyOf(t)
	q.MulTo(wt, t)
	return Problem{Gram: g, Q: q, Target: wt, GammaA: gammaA, Constant: dot(wt, t) / 2}
}

// intrinsic is gamma M + I_L, I_L with the weights of the labelled rows.
type intrinsic struct {
	n        int
	norm     graph.Operator // nil: none
	gamma    float64
	labelled []int
	weight   []float64
}

func (q *intrinsic) Len() int { return q.n }

func (q *intrinsic) MulTo(dst, x *mat.Dense) {
	if q.norm != nil && q.gamma != 0 {
		q.norm.MulTo(dst, x)
		dst.Scale(q.gamma, dst)
	} else {
		dst.Zero()
	}
	for k, i := range q.labelled {
		floats.AddScaled(dst.RawRowView(i), q.weight[k], x.RawRowView(i))
	}
}

// diagonal is a diagonal matrix.
type diagonal []float64

func (q diagonal) Len() int { return len(q) }

func (q diagonal) MulTo(dst, x *mat.Dense) {
	for i, w := range q {
		floats.ScaleTo(dst.RawRowView(i), w, x.RawRowView(i))
	}
}

// check complains of a problem or a size that has no basis.
func (p Problem) check(size int) error {
	n := p.Gram.Len()
	if r, _ := p.Target.Dims(); r != n || p.Q.Len() != n {
		panic(fmt.Sprintf("basis: %d rows, %d rows of targets, a form of %d", n, r, p.Q.Len()))
	}
	if p.GammaA < 0 {
		panic(fmt.Sprintf("basis: gamma_a of %g", p.GammaA))
	}
	if size < 1 {
		return fmt.Errorf("basis: %d basis functions; ask for at least 1", size)
	}
	if size > n {
		return fmt.Errorf("basis: %d basis functions of %d rows; ask for at most as many as there are rows", size, n)
	}
	if mat.Norm(p.Target, 1) == 0 {
		return errors.New("basis: every target is 0, so no basis function lowers the risk; label some rows")
	}
	return nil
}
