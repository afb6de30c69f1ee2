package smooth

// The two forms of the training problem for FISTA (Klatzer 2014, section 4.1).
//
// Linear    x = (w, b): f = sum_i c_i V(y_i, w'x_i + b), g = 1/2 ||w||^2 (+ 1/2 b^2 when Augmented),
//           prox v -> v/(1 + 1/M), b unchanged when Free. Dense features are centred for a free
//           offset: the same problem, with b that of the centred rows. L = C max V'' sigma_max(X~)^2.
// Kernel    x = (alpha, b): f = P, g = 0. The gradient by alpha is K (alpha + cV'), so that
//           directions of small eigenvalues of K hardly move: alpha is never found, its outputs are.
//           L = sigma_max(K) + C max V'' sigma_max(K)^2.
//
// The kernel form ends with the projection alpha <- -c V'(K alpha + b), the condition of the
// minimum read as an assignment: its error is that of the outputs times c V'', and so are those
// of derivatives through the machine. On 40 rows with one feature, stop 1e-4, coefficients off by
// 1.3 are then off by 1.2e-4 (TestFISTAProjection).

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/floats"
)

// fistaLinear solves p from start (zeros when nil) by accelerated proximal gradient
// steps: the literature's method, to compare with; newtonLinear is the one to use. Errors are
// those of newtonLinear.
func fistaLinear(ctx context.Context, p linearProblem, o fistaOptions, start *linearSolution) (*linearSolution, error) {
	t, err := p.check()
	if err != nil {
		return nil, err
	}
	m := newLinear(p, t, start)
	x := append([]float64(nil), m.w...)
	if p.Offset != None {
		x = append(x, m.b)
	}
	scale := strength(p.C)
	a := newAccelerated(t, linearForm{m}, x, scale, o.withDefaults())
	s := &linearSolution{}
	s.Status, s.Steps, err = a.run(ctx, scale)
	copy(m.w, a.x)
	if p.Offset != None {
		m.b = a.x[len(m.w)]
	}
	m.finish(s)
	return s, err
}

// strength is C with its default.
func strength(c float64) float64 {
	if c == 0 {
		return 1
	}
	return c
}

type linearForm struct{ m *linear }

// offset is b of x.
func (l linearForm) offset(x []float64) float64 {
	if l.m.offset == None {
		return 0
	}
	return x[l.m.x.d]
}

func (l linearForm) outputs(dst, x []float64) {
	l.m.x.Mul(dst, x[:l.m.x.d], nil)
	floats.AddConst(l.offset(x), dst)
}

func (l linearForm) gradient(dst, _, v []float64) {
	l.m.x.MulT(dst[:l.m.x.d], v, nil)
	if l.m.offset != None {
		dst[l.m.x.d] = sum(v)
	}
}

func (linearForm) quadratic(_, _ []float64) float64 { return 0 }

func (l linearForm) penalised(x []float64) []float64 {
	if l.m.offset == Free {
		return x[:l.m.x.d]
	}
	return x
}

func (l linearForm) prox(x []float64, m float64) { floats.Scale(1/(1+1/m), l.penalised(x)) }

// fista solves p, which is checked, from start (zeros when nil) by accelerated gradient steps in the coefficients: the literature's
// method, to compare with; newton is the one to use.
func fista(ctx context.Context, p problem, t *terms, o fistaOptions, start *solution) (*solution, error) {
	l := len(p.Y)
	x := make([]float64, l, l+1)
	var b float64
	if start != nil {
		if len(start.Beta) != l {
			panic(fmt.Sprintf("smooth: start of %d rows for %d", len(start.Beta), l))
		}
		copy(x, start.Beta)
		b = start.B
	}
	if p.Offset == Free {
		x = append(x, b)
	}
	scale := strength(p.C)
	a := newAccelerated(t, &kernelForm{p: p, l: l, at: make([]float64, l)}, x, scale, o.withDefaults())
	s := &solution{}
	var err error
	s.Status, s.Steps, err = a.run(ctx, scale)
	m := &machine{terms: t, p: p, n: &inner{k: p.K, offset: p.Offset},
		beta: make([]float64, l), f: a.fx, r: make([]float64, l), t: make([]float64, l), back: make([]float64, l)}
	if p.Offset == Free {
		m.b = a.x[l]
	}
	m.eval(m.f)
	for i, g := range m.g {
		m.beta[i] = -g
	}
	m.finish(s)
	return s, err
}

type kernelForm struct {
	p  problem
	l  int
	at []float64 // scratch
}

func (k *kernelForm) augmented() bool { return k.p.Offset == Augmented }

func (k *kernelForm) outputs(dst, x []float64) {
	mulRows(dst, k.p.K, nil, x[:k.l], k.augmented())
	if k.p.Offset == Free {
		floats.AddConst(x[k.l], dst)
	}
}

func (k *kernelForm) gradient(dst, x, v []float64) {
	floats.AddTo(k.at, x[:k.l], v)
	mulRows(dst[:k.l], k.p.K, nil, k.at, k.augmented())
	if k.p.Offset == Free {
		dst[k.l] = sum(v)
	}
}

// quadratic is 1/2 dalpha'K dalpha.
func (k *kernelForm) quadratic(dx, df []float64) float64 {
	q := floats.Dot(dx[:k.l], df)
	if k.p.Offset == Free {
		q -= dx[k.l] * sum(dx[:k.l])
	}
	return q / 2
}

func (*kernelForm) prox([]float64, float64) {}
