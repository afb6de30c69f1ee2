// Package primal trains Laplacian machines in the primal over all rows, by products with the kernel matrix that need not be stored.
package primal

// Laplacian machines trained in the primal over all rows.
//
// Problem   minimise over alpha (n), b:
//
//	J = (1/l) sum_{i labelled} V(y_i, f_i) + gamma_A alpha'K alpha + c g'R g,
//	g = K alpha,  f = g + b
//
//           V smooth and convex in f; c = gamma_I/(l+u)^2 or gamma_I, as the caller
//           likes; b, if wanted, is in neither penalty (Sindhwani 2007, eq. 2.15).
// Symbols   S (l x n) selects the labelled rows, v = V'(y, f) and D = diag V''(y, f)
//           on them, B = (1/l) S'D S + 2 c R. The gradient in the space of the
//           kernel is sum_i s_i k(x_i, .), of squared norm s'Ks, with
//
//	s = (1/l) S'v + 2 gamma_A alpha + 2 c R g,   s_b = (1/l) sum v,
//
//           and the Hessian there 2 gamma_A I + B K.
// Solver    Machine.CG; the tests solve the same problem directly.
// Certificate  J minus its best b is 2 gamma_A-strongly convex in the norm of the
//           kernel, so a point where s_b = 0 is at most s'Ks/(4 gamma_A) above the
//           minimum, and its outputs at most sqrt(k(x,x) s'Ks)/(2 gamma_A) away.
// Source    Melacci and Belkin, "Laplacian support vector machines trained in the
//           primal", JMLR 12 (2011), for the squared hinge.

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// Machine is the recipe of a Laplacian machine (see the formula above): LapSVM with
// the squared hinge, LapRLS with the square, and so on for every smooth loss.
type Machine struct {
	Loss      learn.Loss // Smooth; the squared hinge if nil
	Ambient   float64    // gamma_A > 0
	Intrinsic float64    // c >= 0, the factor of g'Rg
	Bias      bool
}

func (p Machine) loss() learn.Loss {
	if p.Loss == nil {
		return learn.SquaredHinge()
	}
	return p.Loss
}

// Status says why the training of an output ended.
type Status int

const (
	// Unfinished means the context ended; the answer is the best so far.
	Unfinished Status = iota
	// Converged means the certified gap is below the tolerance.
	Converged
	// Decided means decisions and objective have settled.
	Decided
	// Limited means the limit on iterations was reached.
	Limited
	// NoProgress means rounding errors allow no further decrease.
	NoProgress
)

var statusText = [...]string{
	Unfinished: "unfinished",
	Converged:  "converged: certified gap below tolerance",
	Decided:    "stopped: decisions and objective have settled",
	Limited:    "stopped: limit of iterations",
	NoProgress: "stopped: no further decrease at working precision",
}

func (s Status) String() string {
	if s < 0 || int(s) >= len(statusText) {
		return fmt.Sprintf("Status(%d)", int(s))
	}
	return statusText[s]
}

// Result is a trained machine f(x) = sum_j k(x, x_j) Alpha[j,:] + B with its
// certificate; the lists have one entry an output.
type Result struct {
	Alpha *mat.Dense // n x c
	B     []float64  // zeros without a bias
	F     *mat.Dense // outputs on all rows, n x c

	Objective []float64 // J
	Gradient  []float64 // norm of the gradient: sqrt(s'Ks + s_b^2)
	// Gap bounds J - min J, by s'Ks/(4 gamma_A), where s_b is zero to rounding.
	Gap        []float64
	Iterations []int
	Status     []Status
	Products   int // with K, by matrices of at most c columns
	Landmarks  int // of the preconditioner
}

// Expansion is what a model stores: the kernel, the rows with a coefficient other
// than zero, and their coefficients.
func (r *Result) Expansion(k kernel.Kernel, rows data.Rows) kernel.Expansion {
	n, c := r.Alpha.Dims()
	if rows.Len() != n {
		panic(fmt.Sprintf("manifold: %d rows for a machine of %d", rows.Len(), n))
	}
	var used []int
	for i := range n {
		for _, a := range r.Alpha.RawRowView(i) {
			if a != 0 {
				used = append(used, i)
				break
			}
		}
	}
	if len(used) == n {
		return kernel.Expansion{Kernel: k, Centres: rows, Coef: r.Alpha}
	}
	if len(used) == 0 {
		used = []int{0} // a machine that was stopped before its first step is zero, and an expansion has a row
	}
	coef := mat.NewDense(len(used), c, nil)
	for a, i := range used {
		coef.SetRow(a, r.Alpha.RawRowView(i))
	}
	return kernel.Expansion{Kernel: k, Centres: rows.Select(used), Coef: coef}
}

// check panics where shapes do not fit and reports numbers that make no problem.
func (p Machine) check(n int, r graph.Operator, labelled []int, y *mat.Dense) error {
	l, c := y.Dims()
	switch {
	case l != len(labelled) || c == 0:
		panic(fmt.Sprintf("manifold: targets %dx%d for %d labelled rows", l, c, len(labelled)))
	case r == nil && p.Intrinsic != 0:
		panic("manifold: Primal with an intrinsic weight but no operator")
	case r != nil && r.Len() != n:
		panic(fmt.Sprintf("manifold: intrinsic norm of %d rows for %d training rows", r.Len(), n))
	case !learn.Smooth(p.loss()):
		return fmt.Errorf("manifold: the %s loss has no derivative everywhere; take a smooth one such as squared-hinge", p.loss().Name())
	case !(p.Ambient > 0) || math.IsInf(p.Ambient, 0):
		return fmt.Errorf("manifold: gamma_A = %g; it must be positive and finite", p.Ambient)
	case !(p.Intrinsic >= 0) || math.IsInf(p.Intrinsic, 0):
		return fmt.Errorf("manifold: intrinsic weight %g; it must be finite and not negative", p.Intrinsic)
	case l == 0:
		return fmt.Errorf("manifold: none of the %d rows is labelled; label at least one", n)
	}
	for a, i := range labelled {
		if i < 0 || i >= n {
			panic(fmt.Sprintf("manifold: labelled row %d of %d", i, n))
		}
		for j, v := range y.RawRowView(a) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("manifold: target %g of row %d, output %d; give finite targets", v, i, j)
			}
			if p.loss().Classes() && v != 1 && v != -1 {
				return fmt.Errorf("manifold: target %g of row %d, output %d; the %s loss is for -1 and +1", v, i, j, p.loss().Name())
			}
		}
	}
	return nil
}

// newResult has room for c outputs on n rows.
func newResult(n, c int) *Result {
	return &Result{
		Alpha: mat.NewDense(n, c, nil), F: mat.NewDense(n, c, nil), B: make([]float64, c),
		Objective: make([]float64, c), Gradient: make([]float64, c), Gap: make([]float64, c),
		Iterations: make([]int, c), Status: make([]Status, c),
	}
}

// risk is (1/l) sum_i V(y_i, f_i).
func risk(v learn.Loss, y, f []float64) float64 {
	var sum float64
	for i, yi := range y {
		sum += v.Value(yi, f[i])
	}
	return sum / float64(len(y))
}

// slopes stores (1/l) V'(y_i, f_i) in d1 and, unless nil, (1/l) V” in d2.
func slopes(v learn.Loss, y, f, d1, d2 []float64) {
	l := float64(len(y))
	for i, yi := range y {
		a, b := v.Derivatives(yi, f[i])
		d1[i] = a / l
		if d2 != nil {
			d2[i] = b / l
		}
	}
}

// ray minimises phi(t) = (1/l) sum V(y_i, f_i + t z_i) + slope t + curve t^2 / 2 over
// t >= 0 by Newton steps on phi' inside a bracket; curve > 0 or phi bounded below.
// For piecewise quadratic losses the answer is exact once the piece is found. The
// limit of 100 steps is reached by bisection only, at the last bit. Cost O(l) a step.
func ray(v learn.Loss, y, f, z []float64, slope, curve float64) float64 {
	l := float64(len(y))
	at := func(t float64) (d1, d2 float64) {
		for i, yi := range y {
			a, b := v.Derivatives(yi, f[i]+t*z[i])
			d1 += a * z[i]
			d2 += b * z[i] * z[i]
		}
		return d1/l + slope + t*curve, d2/l + curve
	}
	d1, d2 := at(0)
	if !(d1 < 0) {
		return 0
	}
	t, lo, hi, enough := 0.0, 0.0, math.Inf(1), 1e-14*-d1
	for range 100 {
		next := t - d1/d2
		if !(next > lo && next < hi) || d2 <= 0 {
			if next = (lo + hi) / 2; math.IsInf(hi, 1) {
				next = max(1, 4*lo)
			}
		}
		if next == t {
			break
		}
		t = next
		if d1, d2 = at(t); math.Abs(d1) <= enough {
			break
		}
		if d1 < 0 {
			lo = t
		} else {
			hi = t
		}
	}
	return t
}

func axpyVec(y []float64, a float64, x []float64) {
	for i, v := range x {
		y[i] += a * v
	}
}
