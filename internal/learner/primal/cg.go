package primal

// Preconditioned nonlinear conjugate gradients in the space of the kernel.
//
// With g = K alpha and z = K d kept beside alpha and the direction d, a step costs one
// product, t = K s, whatever the number of outputs; the preconditioner gives q and K q
// from s and t without another (see precondition.go), and
//
//	beta = max(0, (s - s_old)'K q / s_old'K q_old)      (Polak and Ribiere)
//	d = -q + beta d,  z = -K q + beta z,  alpha += r d,  g += r z
//
// with r minimising J exactly on the ray, a convex problem of the l labelled rows. b is
// one more coordinate. Outputs that have ended rest; the others go on.
//
// Stop. The rule of Melacci and Belkin, decisions that stay the same for a while, ends
// too early where labels travel slowly through the graph: with one label a class of two
// moons it leaves 57 and 40 errors of 198 where the minimum has none
// (TestPrimalStabilityAloneStopsTooEarly). Here an output ends when
//
//	converged   s'Ks/(4 gamma_A) <= Tolerance J    (then J - min J <= Tolerance J), or
//	decided     over the last Window steps at most the fraction Flips of the decisions
//	            changed, J fell by less than Settled J, and the preconditioner expects
//	            no more from the next steps: q'Ks/2 < Settled J.
//
// Cost: a product a step, and 2 n m + 2 p nnz(L) + 30 n flops a step and output, besides
// the landmarks'. Two moons with noise in 20 columns, n = 50 000, 50 labels, K by panels,
// c/gamma_A = 100, on two cores of an AMD EPYC: 63 s of processor time, of which 19
// products took 2.3 s each and 1459 landmarks the rest; 18 steps; 1.3 GB with the graph.
// Memory: K as Product keeps it, n m, m^2 c, and 12 n c doubles.

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/graph"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Options tunes Machine.CG; the zero value is the default.
type Options struct {
	// Landmarks is m of the preconditioner; 0 means 0.5 n^0.7 (102 of 2000 rows) where K is
	// kept, 0.75 n^0.7 (1459 of 50 000) where each product computes it anew, at least 100;
	// negative none: K alone preconditions, as published.
	Landmarks int
	// Tolerance ends at this certified relative gap; default 1e-6.
	Tolerance float64
	// Exact switches the rule "decided" off.
	Exact bool
	// Window, Flips and Settled belong to the rule "decided"; defaults 3 steps, 0.0005
	// and 3e-4.
	Window  int
	Flips   float64
	Settled float64
	// MaxIterations defaults to 1000.
	MaxIterations int
}

func (o Options) defaults(k Product) Options {
	if o.Landmarks == 0 {
		n, share := k.Len(), 0.5
		if _, anew := k.(panels); anew {
			share = 0.75
		}
		o.Landmarks = min(n, max(100, int(share*math.Pow(float64(n), 0.7))))
	}
	o.Tolerance = cmp.Or(o.Tolerance, 1e-6)
	o.Flips = cmp.Or(o.Flips, 0.0005)
	o.Settled = cmp.Or(o.Settled, 3e-4)
	if o.Window <= 0 {
		o.Window = 3
	}
	if o.MaxIterations <= 0 {
		o.MaxIterations = 1000
	}
	return o
}

// roundedTolerance is the tolerance from which a matrix in doubles is rounded to floats:
// 2^-24 of the kernel's values move J by less.
const roundedTolerance = 1e-7

// CG trains by preconditioned conjugate gradients. r may be nil without an intrinsic
// weight; y is l x c, one column an output. When the context ends, the error is its
// and the result the best point so far, with the certificate of its last product.
func (p Machine) CG(ctx context.Context, k Product, r graph.Operator, labelled []int, y *mat.Dense, o Options) (*Result, error) {
	n := k.Len()
	if err := p.check(n, r, labelled, y); err != nil {
		return nil, err
	}
	o = o.defaults(k)
	if !o.Exact && o.Tolerance >= roundedTolerance {
		k = round(k)
	}
	lm, err := newLandmarks(ctx, p, k, r, labelled, o.Landmarks)
	if err != nil {
		return nil, fmt.Errorf("manifold: before the first step: %w", err)
	}
	_, c := y.Dims()
	s := &training{p: p, k: k, r: r, labelled: labelled, o: o, lm: lm}
	s.x = withOnes(len(labelled), lm.features(labelled))
	s.scratch = mat.DenseCopyOf(s.x)
	for q := range c {
		s.cols = append(s.cols, s.start(ctx, mat.Col(nil, q, y)))
	}
	err = s.run(ctx)
	return s.result(), err
}

// training is the state of all outputs.
type training struct {
	p        Machine
	k        Product
	r        graph.Operator
	labelled []int
	o        Options
	lm       *landmarks
	x        *mat.Dense // features of the labelled rows and a column of ones
	scratch  *mat.Dense
	cols     []*descent
	products int
}

// descent is the state of one output; vectors without remark have length n.
type descent struct {
	y       []float64 // l
	machine *features // holds H
	theta   float64   // 0 until measured

	alpha, g, rg []float64 // coefficients, K alpha, R g
	s, old, t    []float64 // gradient, the last one, K s
	kq           []float64
	d, z, rz     []float64 // direction, K d, R z
	b, sb, oldsb float64
	db           float64
	aKa, gRg     float64

	f, fz, d1 []float64  // l: outputs, changes, slopes of the labelled rows
	u, w      []float64  // m+1
	wView     *mat.Dense // of w
	value     float64    // J
	sks       float64    // s'Ks at the last product
	delta     float64    // q'Ks
	fresh     bool       // no direction yet

	values  []float64 // J of the last Window+1 products, a ring
	signs   [][]bool  // decisions then
	seen    int       // products
	steps   int
	status  Status
	resting bool
}

// start trains on the landmarks alone.
func (s *training) start(ctx context.Context, y []float64) *descent {
	n, l, m := s.k.Len(), len(s.labelled), len(s.lm.j)
	vec := func(n int) []float64 { return make([]float64, n) }
	a := &descent{
		y: y, alpha: vec(n), g: vec(n), rg: vec(n), s: vec(n), old: vec(n), t: vec(n), kq: vec(n),
		d: vec(n), z: vec(n), rz: vec(n), f: vec(l), fz: vec(l), d1: vec(l), u: vec(m + 1), w: vec(m + 1), fresh: true,
	}
	a.wView = mat.NewDense(m+1, 1, a.w)
	a.values = make([]float64, s.o.Window+1)
	for range a.values {
		a.signs = append(a.signs, make([]bool, n))
	}
	a.machine = newFeatures(s.p, s.x, s.scratch, s.lm.penalty)
	a.machine.train(ctx, y, 1e-8)
	a.b = a.machine.w[m]
	if m > 0 {
		copy(a.w, a.machine.w[:m])
		s.lm.addFeatures(a.g, a.w[:m])
		s.lm.addCoefficients(a.alpha, a.w[:m])
		a.aKa = floats.Dot(a.alpha, a.g)
	}
	return a
}

// multiply applies op to one vector of each output that is not resting.
func (s *training) multiply(op func(dst, x *mat.Dense) error, vectors func(a *descent) (dst, x []float64)) error {
	var live []*descent
	for _, a := range s.cols {
		if !a.resting {
			live = append(live, a)
		}
	}
	n := s.k.Len()
	if len(live) == 1 {
		dst, x := vectors(live[0])
		return op(mat.NewDense(n, 1, dst), mat.NewDense(n, 1, x))
	}
	dst, x := mat.NewDense(n, len(live), nil), mat.NewDense(n, len(live), nil)
	for q, a := range live {
		_, v := vectors(a)
		for i, e := range v {
			x.Set(i, q, e)
		}
	}
	if err := op(dst, x); err != nil {
		return err
	}
	for q, a := range live {
		v, _ := vectors(a)
		for i := range v {
			v[i] = dst.At(i, q)
		}
	}
	return nil
}

// intrinsic multiplies by R, or does nothing without an intrinsic weight.
func (s *training) intrinsic(vectors func(a *descent) (dst, x []float64)) {
	if s.p.Intrinsic != 0 {
		_ = s.multiply(func(dst, x *mat.Dense) error { s.r.MulTo(dst, x); return nil }, vectors) // cannot fail
	}
}

func (s *training) run(ctx context.Context) error {
	s.intrinsic(func(a *descent) (dst, x []float64) { return a.rg, a.g })
	for _, a := range s.cols {
		a.gRg = floats.Dot(a.g, a.rg)
		s.evaluate(a)
	}
	for s.live() {
		for _, a := range s.cols {
			s.gradient(a)
		}
		err := s.multiply(func(dst, x *mat.Dense) error { return s.k.MulTo(ctx, dst, x) },
			func(a *descent) (dst, x []float64) { return a.t, a.s })
		if err != nil {
			return err
		}
		s.products++
		s.measure()
		for _, a := range s.cols {
			if !a.resting {
				s.direct(a)
				s.rest(a)
			}
		}
		if !s.live() {
			break
		}
		s.intrinsic(func(a *descent) (dst, x []float64) { return a.rz, a.z })
		for _, a := range s.cols {
			if !a.resting {
				s.step(a)
			}
		}
	}
	return nil
}

func (s *training) live() bool {
	return slices.ContainsFunc(s.cols, func(a *descent) bool { return !a.resting })
}

// evaluate sets the labelled outputs and J.
func (s *training) evaluate(a *descent) {
	for q, i := range s.labelled {
		a.f[q] = a.g[i] + a.b
	}
	a.value = risk(s.p.loss(), a.y, a.f) + s.p.Ambient*a.aKa + s.p.Intrinsic*a.gRg
}

// gradient sets s and s_b.
func (s *training) gradient(a *descent) {
	if a.resting {
		return
	}
	a.s, a.old, a.oldsb = a.old, a.s, a.sb
	ga, ci := 2*s.p.Ambient, 2*s.p.Intrinsic
	for i, v := range a.alpha {
		a.s[i] = ga*v + ci*a.rg[i]
	}
	slopes(s.p.loss(), a.y, a.f, a.d1, nil)
	a.sb = 0
	for q, i := range s.labelled {
		a.s[i] += a.d1[q]
		a.sb += a.d1[q]
	}
	if !s.p.Bias {
		a.sb = 0
	}
}

// measure sets theta at the first product: the curvature t'(2 gamma_A s + B t)/s't of
// the gradient's part outside the landmarks.
func (s *training) measure() {
	if s.products > 1 {
		return
	}
	m := len(s.lm.j)
	// d and z serve as scratch before the first direction.
	for _, a := range s.cols {
		copy(a.d, a.s)
		copy(a.z, a.t)
		if m > 0 {
			u := a.u[:m]
			s.lm.project(u, a.t)
			for j := range u {
				u[j] = -u[j]
			}
			s.lm.addFeatures(a.z, u)
			s.lm.addCoefficients(a.d, u)
		}
	}
	s.intrinsic(func(a *descent) (dst, x []float64) { return a.rz, a.z })
	for _, a := range s.cols {
		st := floats.Dot(a.d, a.z)
		curve := 2*s.p.Ambient*st + 2*s.p.Intrinsic*floats.Dot(a.z, a.rz)
		for q, i := range s.labelled {
			curve += a.machine.d2[q] * a.z[i] * a.z[i]
		}
		if a.theta = st / curve; !(a.theta > 0) || math.IsInf(a.theta, 0) {
			a.theta = 1 / (2 * s.p.Ambient)
		}
	}
}

// direct sets the preconditioned gradient and the new direction.
func (s *training) direct(a *descent) {
	m := len(s.lm.j)
	a.sks = max(floats.Dot(a.s, a.t), 0)
	if m > 0 {
		s.lm.project(a.u[:m], a.t)
	}
	a.u[m] = a.sb
	copy(a.w, a.u)
	a.machine.chol.SolveTo(a.wView)
	qb := a.w[m]
	if !s.p.Bias {
		qb = 0
	}
	for j := range m {
		a.w[j] -= a.theta * a.u[j]
	}
	for i, v := range a.t {
		a.kq[i] = a.theta * v
	}
	if m > 0 {
		s.lm.addFeatures(a.kq, a.w[:m])
	}
	delta := floats.Dot(a.s, a.kq) + a.sb*qb
	beta := 0.0
	if !a.fresh && a.delta > 0 {
		beta = max(0, (delta-floats.Dot(a.old, a.kq)-a.oldsb*qb)/a.delta)
	}
	if beta > 0 && !(beta*(floats.Dot(a.s, a.z)+a.sb*a.db) < delta) {
		beta = 0
	}
	a.delta, a.fresh = delta, false
	for i, v := range a.s {
		a.d[i] = beta*a.d[i] - a.theta*v
		a.z[i] = beta*a.z[i] - a.kq[i]
	}
	a.db = beta*a.db - qb
	if m > 0 {
		for j := range m {
			a.w[j] = -a.w[j]
		}
		s.lm.addCoefficients(a.d, a.w[:m])
	}
}

// step minimises on the ray and moves.
func (s *training) step(a *descent) {
	aKd, dKd := floats.Dot(a.alpha, a.z), floats.Dot(a.d, a.z)
	gRz, zRz := floats.Dot(a.g, a.rz), floats.Dot(a.z, a.rz)
	for q, i := range s.labelled {
		a.fz[q] = a.z[i] + a.db
	}
	slope := 2 * (s.p.Ambient*aKd + s.p.Intrinsic*gRz)
	curve := 2 * (s.p.Ambient*dKd + s.p.Intrinsic*zRz)
	t := ray(s.p.loss(), a.y, a.f, a.fz, slope, curve)
	if t == 0 {
		a.status, a.resting = NoProgress, true
		return
	}
	axpyVec(a.alpha, t, a.d)
	axpyVec(a.g, t, a.z)
	axpyVec(a.rg, t, a.rz)
	a.b += t * a.db
	a.aKa += t * (2*aKd + t*dKd)
	a.gRg += t * (2*gRz + t*zRz)
	a.steps++
	s.evaluate(a)
}

// rest ends an output where a rule says so.
func (s *training) rest(a *descent) {
	o := s.o
	ring := len(a.values)
	now := a.signs[a.seen%ring]
	a.values[a.seen%ring] = a.value
	for i, v := range a.g {
		now[i] = v+a.b > 0
	}
	a.seen++
	settled := false
	if a.seen >= ring {
		first := a.seen % ring // the oldest
		flips := 0
		for i, v := range a.signs[first] {
			if v != now[i] {
				flips++
			}
		}
		settled = float64(flips) <= o.Flips*float64(len(now)) &&
			a.values[first]-a.value < o.Settled*a.value && a.delta/2 < o.Settled*a.value
	}
	// J is about s_b^2/(2 mean V'') from its least over b.
	var mean float64
	for _, d := range a.d1 {
		mean += math.Abs(d)
	}
	flat := a.sb*a.sb <= o.Tolerance*mean*mean
	switch {
	case flat && a.sks/(4*s.p.Ambient) <= o.Tolerance*a.value:
		a.status = Converged
	case settled && !o.Exact:
		a.status = Decided
	case a.steps >= o.MaxIterations:
		a.status = Limited
	case !(a.delta > 0):
		a.status = NoProgress
	default:
		return
	}
	a.resting = true
}

func (s *training) result() *Result {
	n := s.k.Len()
	res := newResult(n, len(s.cols))
	res.Products, res.Landmarks = s.products, len(s.lm.j)
	for q, a := range s.cols {
		for i, v := range a.alpha {
			res.Alpha.Set(i, q, v)
			res.F.Set(i, q, a.g[i]+a.b)
		}
		res.B[q], res.Objective[q], res.Iterations[q], res.Status[q] = a.b, a.value, a.steps, a.status
		res.Gradient[q] = math.Sqrt(a.sks + a.sb*a.sb)
		res.Gap[q] = a.sks / (4 * s.p.Ambient)
	}
	return res
}
