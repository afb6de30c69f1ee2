package smooth

// Problem   minimise 1/2 w'w (+ 1/2 b^2 when Augmented) + sum_i c_i V(y_i, x_i'w + b).
// Method    Newton with the safeguards of newton.go. With d = c V'', h = X'd and
//           tau = sum d (+ 1 when Augmented) a step solves
//
//	[I + X'DX  h  ] [p]     [w + X'cV'         ]
//	[h'        tau] [q] = - [sum cV' (+ b)     ]
//
//           Cholesky: b is eliminated in centred form, free of cancellation,
//
//	I + sum_i d_i (x_i - m)(x_i - m)' + rho m m',   m = h/sum d,   rho = sum d/tau when
//	Augmented (0 when Free; m = 0 when None),
//
//           CG: linear_cg.go, from where linear_dual.go ends.
// Cost      Cholesky: a d^2 + d^3/3 flops a step for a rows with curvature; three
//           products with X a step besides.
// Source    Keerthi and DeCoste, JMLR 6 (2005).

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/solve"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// linear is the state of one fit of the linear form. With centred features b is that of
// the centred rows until finish.
type linear struct {
	*terms
	x      *features
	offset Offset
	method algebra
	enough float64 // the tolerance

	w, f   []float64
	b      float64
	gw     []float64 // gradient by w
	xg     []float64 // X'g
	gb     float64   // gradient by b
	sumV   float64
	dir, t []float64
	q      float64
	backW  []float64
	backF  []float64
	hess   *mat.Dense
	ones   []float64
	shift  []float64 // m
	bent   []float64 // curvatures of the rows on that have some
	on     []int
	solver solve.DiagonalCG
	rhs    []float64 // of a system, with the offset's
	diag   []float64 // of its preconditioner
	unit   []float64 // ones
}

// newtonLinear solves p from start (zeros when nil). Errors are those of newton.
func newtonLinear(ctx context.Context, p linearProblem, o options, start *linearSolution) (*linearSolution, error) {
	t, err := p.check()
	if err != nil {
		return nil, err
	}
	method := o.Method.choose(len(p.Y), p.X.Dim(), p.X.IsSparse())
	if method == byGram {
		return gram(ctx, p, t, o, start)
	}
	m := newLinear(p, t, start)
	m.method, m.enough = method, o.tolerance()
	s := &linearSolution{Method: method}
	if o.Dual && start == nil && method == byCG && p.descends() {
		m.approach(ctx, m.enough)
	}
	s.Status, err = iterate(ctx, m, o, p.Offset, &s.Steps)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	m.finish(s)
	rounded := s.Gradient > m.enough || p.Loss == learn.Square() && s.Gradient > 1e-10 // far above what one exact step leaves at moderate C
	if err == nil && s.Status != budgetSpent && rounded && method == byCholesky {
		err = m.agree(ctx, s)
	}
	return s, err
}

// agree changes Beta as little as makes X'Beta equal to W where rounding of the outputs keeps it from that, at a large C: with the
// Hessian's factor, Beta gains d_i (x_i'u + q) for the solution (u, q) of what is missing. What is left is that over 1 + the eigenvalues
// of X'DX.
func (m *linear) agree(ctx context.Context, s *linearSolution) error {
	c, err := m.factor(ctx)
	if err != nil {
		return err
	}
	m.x.MulT(m.dir, s.Beta, nil)
	floats.SubTo(m.dir, m.w, m.dir)
	missing := 0.0
	switch m.offset {
	case Free:
		missing = -sum(s.Beta)
	case Augmented:
		missing = m.b - sum(s.Beta)
	}
	q := m.solve(c, m.dir, missing)
	m.x.Mul(m.t, m.dir, nil)
	for i, d := range m.d {
		s.Beta[i] += d * (m.t[i] + q)
	}
	return nil
}

func (p linearProblem) check() (*terms, error) {
	rows := p.X.Len()
	if p.Among != nil {
		rows = len(p.Among)
	}
	if rows != len(p.Y) {
		panic(fmt.Sprintf("smooth: %d rows, %d targets", rows, len(p.Y)))
	}
	t, err := newTerms(p.Loss, p.Y, p.C, p.Weight, p.Offset)
	if err != nil {
		return nil, err
	}
	if p.X.Dim() == 0 {
		return nil, errors.New("smooth: rows without features")
	}
	if err := p.X.Check(); err != nil {
		return nil, fmt.Errorf("smooth: %w", err)
	}
	return t, nil
}

func newLinear(p linearProblem, t *terms, start *linearSolution) *linear {
	x := newFeatures(p.X, p.Among, p.Offset == Free)
	n, d := x.n, x.d
	m := &linear{terms: t, x: x, offset: p.Offset,
		w: make([]float64, d), gw: make([]float64, d), xg: make([]float64, d), dir: make([]float64, d), backW: make([]float64, d),
		f: make([]float64, n), t: make([]float64, n), backF: make([]float64, n)}
	if start != nil {
		if len(start.W) != d {
			panic(fmt.Sprintf("smooth: start of %d features for %d", len(start.W), d))
		}
		copy(m.w, start.W)
		if p.Offset != None {
			m.b = start.B
			if x.mean != nil {
				m.b += floats.Dot(x.mean, m.w)
			}
		}
	}
	return m
}

// refresh recomputes the outputs from w and b and everything from them.
func (m *linear) refresh() {
	m.x.Mul(m.f, m.w, nil)
	floats.AddConst(m.b, m.f)
	m.evaluate()
}

// evaluate fills g, d and the gradient at f.
func (m *linear) evaluate() {
	m.sumV = m.eval(m.f)
	m.x.MulT(m.xg, m.g, nil)
	floats.AddTo(m.gw, m.w, m.xg)
	switch m.offset {
	case None:
		m.gb = 0
	case Free:
		m.gb = sum(m.g)
	case Augmented:
		m.gb = sum(m.g) + m.b
	}
}

// gradient is linearSolution.Gradient of the present point.
func (m *linear) gradient() float64 {
	var r float64
	if g := floats.Norm(m.gw, 2); g > 0 {
		r = g / max(floats.Norm(m.w, 2), floats.Norm(m.xg, 2))
	}
	if g := math.Abs(m.gb); g > 0 {
		r = max(r, g/max(floats.Norm(m.g, 1), math.Abs(m.b)))
	}
	return r
}

func (m *linear) objective() float64 {
	o := floats.Dot(m.w, m.w)/2 + m.sumV
	if m.offset == Augmented {
		o += m.b * m.b / 2
	}
	return o
}

// direction fills dir and q.
func (m *linear) direction(ctx context.Context, grad float64) error {
	for j, g := range m.gw {
		m.dir[j] = -g
	}
	if m.method == byCG {
		var err error
		m.q, err = m.cg(ctx, m.dir, -m.gb, max(min(0.25, grad), enoughShare*m.enough/grad))
		return err
	}
	c, err := m.factor(ctx)
	if err != nil {
		return err
	}
	m.q = m.solve(c, m.dir, -m.gb)
	return nil
}

// factor forms and factors the Hessian with b eliminated.
func (m *linear) factor(ctx context.Context) (*blas.Cholesky, error) {
	d := m.x.d
	if m.hess == nil {
		m.hess = mat.NewDense(d, d, nil)
	}
	m.hess.Zero()
	for j := range d {
		m.hess.Set(j, j, 1)
	}
	var centre []float64
	sumD := sum(m.d)
	if m.offset != None && sumD > 0 {
		if m.shift == nil {
			m.shift = make([]float64, d)
		}
		m.x.MulT(m.shift, m.d, nil)
		floats.Scale(1/sumD, m.shift)
		centre = m.shift
		if m.offset == Augmented {
			rho := sumD / (1 + sumD)
			for j, a := range centre {
				row := m.hess.RawRowView(j)[:j+1]
				floats.AddScaled(row, rho*a, centre[:j+1])
			}
		}
	}
	if err := m.x.scatter(ctx, m.hess, m.d, centre); err != nil {
		return nil, err
	}
	c := &blas.Cholesky{Backend: blas.Within(ctx)}
	err := c.Factor(m.hess)
	stopped := c.Backend.Stopped()
	c.Backend = blas.Backend{} // solutions are short
	if stopped != nil {
		return nil, stopped
	}
	if err != nil {
		return nil, fmt.Errorf("smooth: the Hessian of %d features is not finite at this C; scale the features: %w", d, err)
	}
	return c, nil
}

// tau is the lower right corner of the Hessian.
func (m *linear) tau() float64 {
	switch m.offset {
	case Free:
		return sum(m.d)
	case Augmented:
		return 1 + sum(m.d)
	}
	return 0
}

// solve replaces x by the first part of the Hessian's solution for (x, xb) and returns
// the second: with h = sum(d) m, (x - h xb/tau) goes through the eliminated Hessian.
func (m *linear) solve(c *blas.Cholesky, x []float64, xb float64) (q float64) {
	tau, sumD := m.tau(), 0.0
	if m.offset != None {
		sumD = sum(m.d)
	}
	if sumD > 0 {
		floats.AddScaled(x, -sumD*xb/tau, m.shift)
	}
	c.SolveTo(mat.NewDense(len(x), 1, x))
	switch {
	case sumD > 0:
		return (xb - sumD*floats.Dot(m.shift, x)) / tau
	case tau > 0:
		return xb / tau
	}
	return 0
}

// step is machine.step for the linear form.
func (m *linear) step(best float64) bool {
	m.x.Mul(m.t, m.dir, nil)
	floats.AddConst(m.q, m.t)
	s0 := floats.Dot(m.gw, m.dir) + m.gb*m.q
	copy(m.backW, m.w)
	copy(m.backF, m.f)
	backB := m.b
	wp, pp := floats.Dot(m.w, m.dir), floats.Dot(m.dir, m.dir)
	if m.offset == Augmented {
		wp += m.b * m.q
		pp += m.q * m.q
	}
	m.move(1)
	if m.gradient() <= best/2 {
		return true
	}
	copy(m.w, m.backW)
	copy(m.f, m.backF)
	m.b = backB
	var x float64
	if s0 < 0 {
		x = Ray(s0, func(x float64) (s, curv float64) {
			s, curv = m.slope(m.f, m.t, x)
			return s + wp + x*pp, curv + pp
		})
	}
	m.move(x)
	if m.offset == Free && sum(m.d) == 0 {
		m.centre()
	}
	return x > 0
}

// move goes x along the direction.
func (m *linear) move(x float64) {
	floats.AddScaled(m.w, x, m.dir)
	floats.AddScaled(m.f, x, m.t)
	m.b += x * m.q
	m.evaluate()
}

// centre minimises over the free offset alone, see machine.centre.
func (m *linear) centre() {
	if m.gb == 0 {
		return
	}
	if m.ones == nil {
		m.ones = make([]float64, m.x.n)
	}
	sign := -math.Copysign(1, m.gb)
	for i := range m.ones {
		m.ones[i] = sign
	}
	x := sign * Ray(-math.Abs(m.gb), func(x float64) (float64, float64) { return m.slope(m.f, m.ones, x) })
	m.b += x
	floats.AddConst(x, m.f)
	m.evaluate()
}

// balance makes the sum of coefficients zero by a change of those that are not.
func balance(beta []float64) {
	some := 0
	for _, v := range beta {
		if v != 0 {
			some++
		}
	}
	off := sum(beta) / float64(max(1, some))
	for i, v := range beta {
		if v != 0 {
			beta[i] = v - off
		}
	}
}

// finish fills the solution from the present point; the gap is 1/2 |w - X'a|^2 (and the
// offset's part) + slack, see certificate.go.
func (m *linear) finish(s *linearSolution) {
	m.refresh()
	if m.offset == Free {
		if shift, _ := plateau(m.terms, m.f); shift != 0 {
			m.b += shift
			m.refresh()
		}
	}
	s.W, s.F = m.w, m.f
	s.Objective, s.Gradient = m.objective(), m.gradient()
	s.Beta = make([]float64, len(m.g))
	for i, g := range m.g {
		s.Beta[i] = -g
	}
	if m.x.mean != nil { // w is of the centred rows: what the sum is off would multiply their mean
		balance(s.Beta)
	}
	a := make([]float64, len(m.g))
	floats.ScaleTo(a, -1, m.g)
	slack := m.feasible(a, m.f, m.offset == Free)
	m.x.MulT(m.dir, a, nil)
	floats.Sub(m.dir, m.w)
	s.Gap = floats.Dot(m.dir, m.dir)/2 + slack
	if m.offset == Augmented {
		s.Gap += m.gb * m.gb / 2
	}
	s.B = m.b
	if m.x.mean != nil {
		s.B -= floats.Dot(m.x.mean, m.w)
	}
	s.Products += m.x.Products
}
