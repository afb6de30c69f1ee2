package primal

// The machine in features F (l x m) of the labelled rows, and b:
//
//	minimise over w, b:  (1/l) sum V(y, F w + b) + w'P w
//
// by Newton steps with exact search (finite for piecewise quadratic losses: Keerthi and
// DeCoste, JMLR 6 (2005)). Machine.CG solves its landmarks so; the Hessian at the end, with
// b, preconditions it. Without b its row and column are those of the unit matrix.
//
// Cost: l m^2 + m^3/3 flops a step. Memory: (m+1)^2 an output and two l x m.

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// features is the problem of one output; train solves it.
type features struct {
	loss    learn.Loss
	x       *mat.Dense // l x (m+1): F and a column of ones
	penalty *mat.Dense // P, m x m; nil means ambient I
	ambient float64
	bias    bool

	w          []float64 // m+1, b last
	f, d1, d2  []float64 // outputs, slopes and curvatures at w, the last two over l
	hess       *mat.Dense
	chol       blas.Cholesky
	scaled     *mat.Dense // sqrt(d2) x
	grad, step []float64
	pw         []float64 // P w of the last vector, 0 for b
	z          []float64
	steps      int
}

// newFeatures shares x, made by withOnes, and scratch of its shape with others; they
// train one after another.
func newFeatures(p Machine, x, scratch, penalty *mat.Dense) *features {
	l, n := x.Dims()
	vec := func(n int) []float64 { return make([]float64, n) }
	return &features{
		loss: p.loss(), x: x, penalty: penalty, ambient: p.Ambient, bias: p.Bias,
		w: vec(n), f: vec(l), d1: vec(l), d2: vec(l), hess: mat.NewDense(n, n, nil),
		scaled: scratch, grad: vec(n), pw: vec(n), step: vec(n), z: vec(l),
	}
}

// withOnes is F (l x m) and a column of ones; nil has no columns.
func withOnes(l int, f *mat.Dense) *mat.Dense {
	m := 0
	if f != nil {
		_, m = f.Dims()
	}
	x := mat.NewDense(l, m+1, nil)
	for i := range l {
		if f != nil {
			copy(x.RawRowView(i), f.RawRowView(i))
		}
		x.Set(i, m, 1)
	}
	return x
}

// newtonSteps limits the Newton steps; the losses of TestPrimalLosses take 1 to 12.
const newtonSteps = 100

// train minimises for targets y from w = 0 until the Newton decrement, an estimate
// of what is left to gain, is below tol times the objective, or no step helps. An
// ended context leaves the last iterate.
//
// Where the loss is straight (V' other than 0, V” = 0 or nearly) the first steps
// assume a part tau of the largest curvature instead, tau = 1, 1/4, ...: without it
// Newton steps from f = 0 are as long as 1/gamma_A.
func (m *features) train(ctx context.Context, y []float64, tol float64) {
	clear(m.w)
	clear(m.f)
	m.steps = 0
	for tau := 1.0; ; tau /= 4 {
		slopes(m.loss, y, m.f, m.d1, m.d2)
		enough := tol
		if m.bend(tau, len(y)) {
			enough *= tau // the decrement is too small by up to that
		}
		value := risk(m.loss, y, m.f) + m.gradient()
		m.factor()
		copy(m.step, m.grad)
		m.chol.SolveTo(mat.NewDense(len(m.step), 1, m.step))
		gain := floats.Dot(m.grad, m.step) / 2
		if m.steps == newtonSteps || !(gain > enough*value) || ctx.Err() != nil {
			return
		}
		for i := range m.step {
			m.step[i] = -m.step[i]
		}
		matVec(m.z, m.x, m.step)
		m.penalise(m.step)
		t := ray(m.loss, y, m.f, m.z, 2*floats.Dot(m.pw, m.w), 2*floats.Dot(m.pw, m.step))
		if t == 0 {
			return
		}
		axpyVec(m.w, t, m.step)
		matVec(m.f, m.x, m.w)
		m.steps++
	}
}

// bend raises curvatures below tau times the loss's largest on rows with a slope,
// and tells whether there were any.
func (m *features) bend(tau float64, l int) bool {
	if tau < 1e-6 {
		return false
	}
	bent, floor := false, tau*m.loss.Curvature()/float64(l)
	for i, d := range m.d1 {
		if d != 0 && m.d2[i] < floor {
			m.d2[i], bent = floor, true
		}
	}
	return bent
}

// gradient fills grad and returns w'P w.
func (m *features) gradient() float64 {
	m.penalise(m.w)
	for j, v := range m.pw {
		m.grad[j] = 2 * v
	}
	for i, d := range m.d1 {
		axpyVec(m.grad, d, m.x.RawRowView(i))
	}
	if !m.bias {
		m.grad[len(m.grad)-1] = 0
	}
	return floats.Dot(m.pw, m.w)
}

// penalise stores P w in pw, 0 for b.
func (m *features) penalise(w []float64) {
	b := len(w) - 1
	if m.penalty != nil {
		matVec(m.pw[:b], m.penalty, w[:b])
		return
	}
	for j, v := range w[:b] {
		m.pw[j] = m.ambient * v
	}
}

// factor makes the Hessian of the present curvatures and its Cholesky factor, with a
// ridge where rounding, or a bias that no row with curvature holds, asks for one.
func (m *features) factor() {
	for i, d := range m.d2 {
		to, root := m.scaled.RawRowView(i), math.Sqrt(d)
		for j, v := range m.x.RawRowView(i) {
			to[j] = root * v
		}
		if !m.bias {
			to[len(to)-1] = 0
		}
	}
	n, _ := m.hess.Dims()
	for ridge := 0.0; ; ridge = max(100*ridge, 1e-16) {
		m.hess.Zero()
		for j := range n - 1 {
			row := m.hess.RawRowView(j)
			if m.penalty == nil {
				row[j] = 2 * m.ambient
				continue
			}
			for q, v := range m.penalty.RawRowView(j)[:j+1] {
				row[q] = 2 * v
			}
		}
		if !m.bias {
			m.hess.Set(n-1, n-1, 1)
		}
		blas.SyrkLower(1, blas.T(m.scaled), 1, m.hess)
		var trace float64
		for j := range n {
			trace += m.hess.At(j, j)
		}
		if trace == 0 { // b alone, on flat parts of the loss
			trace = 1 / max(ridge, 1e-16)
		}
		for j := range n {
			m.hess.Set(j, j, m.hess.At(j, j)+ridge*trace)
		}
		if m.chol.Factor(m.hess) == nil || ridge > 1 {
			return
		}
	}
}

// matVec stores A x in dst.
func matVec(dst []float64, a *mat.Dense, x []float64) {
	for i := range dst {
		dst[i] = floats.Dot(a.RawRowView(i), x)
	}
}
