package smooth_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
	"gonum.org/v1/gonum/mat"
)

var offsets = []smooth.Offset{smooth.None, smooth.Free, smooth.Augmented}

func smoothLosses() []learn.Loss {
	return []learn.Loss{
		learn.Square(),
		learn.SquaredHinge(),
		learn.HuberHinge(0),
		learn.HuberHinge(0.05),
		learn.Logistic(),
		learn.SquaredEpsilon(0),
		learn.SquaredEpsilon(0.5),
	}
}

// sample is n points of two overlapping clouds in the plane, labels of one in five
// rows flipped; for regression a noisy wave.
func sample(n int, classes bool, seed uint64) (x *mat.Dense, y []float64) {
	rng := rand.New(rand.NewPCG(seed, 5))
	x, y = mat.NewDense(n, 2, nil), make([]float64, n)
	for i := range y {
		y[i] = 1
		if rng.IntN(2) == 0 {
			y[i] = -1
		}
		a, b := rng.NormFloat64()+y[i], rng.NormFloat64()
		x.SetRow(i, []float64{a, b})
		switch {
		case !classes:
			y[i] = math.Sin(2*a) + 0.2*rng.NormFloat64()
		case rng.IntN(5) == 0:
			y[i] = -y[i]
		}
	}
	y[0], y[1] = math.Abs(y[0]), -math.Abs(y[1])
	return x, y
}

func gaussian(x, z *mat.Dense, sigma float64) *mat.Dense {
	n, _ := x.Dims()
	m, _ := z.Dims()
	k := mat.NewDense(n, m, nil)
	k.Apply(func(i, j int, _ float64) float64 {
		var d float64
		for q, v := range x.RawRowView(i) {
			e := v - z.At(j, q)
			d += e * e
		}
		return math.Exp(-d / (2 * sigma * sigma))
	}, k)
	return k
}

func problem(n int, v learn.Loss, o smooth.Offset, c float64) smooth.Problem {
	x, y := sample(n, v.Classes(), 1)
	return smooth.Problem{K: gaussian(x, x, 1), Y: y, C: c, Loss: v, Offset: o}
}

// objective by its definition, for any coefficients.
func objective(p smooth.Problem, beta []float64, b float64) float64 {
	var s float64
	for i := range beta {
		f := b
		for j, v := range beta {
			f += p.K.At(i, j) * v
		}
		w := 1.0
		if p.Weight != nil {
			w = p.Weight[i]
		}
		s += beta[i]*(f-b)/2 + p.C*w*p.Loss.Value(p.Y[i], f)
	}
	if p.Offset == smooth.Augmented {
		s += b * b / 2
	}
	return s
}

// No direction descends from the answer, the certificate bounds what a search finds, and
// the optimality condition holds row by row.
func TestOptimal(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for _, v := range smoothLosses() {
		for _, o := range offsets {
			for _, c := range []float64{1e-3, 1, 300} {
				p := problem(40, v, o, c)
				s := fit(t, p, smooth.Options{})
				best := objective(p, s.Beta, s.B)
				near(t, v.Name()+" objective", s.Objective, best, 1e-12)
				if s.Gap < 0 || s.Gap > 1e-10*(1+best) {
					t.Errorf("%s %v C=%g: gap %g of objective %g", v.Name(), o, c, s.Gap, best)
				}
				var total float64
				for i, b := range s.Beta {
					d, _ := v.Derivatives(p.Y[i], s.F[i])
					if math.Abs(b+c*d) > 1e-7*(1+c) {
						t.Errorf("%s %v C=%g: beta %g, -c V' %g", v.Name(), o, c, b, -c*d)
					}
					total += b
				}
				switch o {
				case smooth.None:
					if s.B != 0 {
						t.Errorf("offset %g", s.B)
					}
				case smooth.Free:
					near(t, "sum of beta", total, 0, 1e-7*(1+c))
				case smooth.Augmented:
					near(t, "augmented offset", s.B, total, 1e-9)
				}
				for range 20 {
					beta, b := append([]float64(nil), s.Beta...), s.B
					h := math.Pow(10, -4*rng.Float64())
					for i := range beta {
						beta[i] += h * rng.NormFloat64()
					}
					if o != smooth.None {
						b += h * rng.NormFloat64()
					}
					if w := objective(p, beta, b); w < best-s.Gap-1e-12*best && o != smooth.Augmented {
						t.Errorf("%s %v C=%g: %g below the minimum %g", v.Name(), o, c, w, best)
					}
				}
			}
		}
	}
}

// The gap bounds the distance to the minimum at every point of the way.
func TestGapIsHonest(t *testing.T) {
	for _, v := range smoothLosses() {
		for _, o := range offsets {
			p := problem(60, v, o, 20)
			best := fit(t, p, smooth.Options{Tolerance: 1e-11})
			for steps := 1; steps < best.Steps; steps++ {
				s, err := smooth.Newton(context.Background(), p, smooth.Options{MaxSteps: steps, Tolerance: 1e-11}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if s.Objective-best.Objective > s.Gap*(1+1e-6)+1e-10 || s.Gap < 0 {
					t.Errorf("%s %v after %d steps: %g above the minimum, gap %g", v.Name(), o, steps, s.Objective-best.Objective, s.Gap)
				}
				if s.Status != smooth.BudgetSpent {
					t.Errorf("%v after %d steps", s.Status, steps)
				}
			}
		}
	}
}

// At large C the rounding of the outputs, multiplied by c V”, keeps the gradient from
// its tolerance; the gap still tells that the answer is exact.
func TestGapAtLargeC(t *testing.T) {
	for _, v := range []learn.Loss{learn.SquaredHinge(), learn.HuberHinge(0), learn.Logistic(), learn.Square(), learn.SquaredEpsilon(0)} {
		for _, o := range offsets {
			s, err := smooth.Newton(context.Background(), problem(60, v, o, 1e8), smooth.Options{}, nil)
			if err != nil || s.Status == smooth.BudgetSpent {
				t.Errorf("%s %v: %v, %v", v.Name(), o, s.Status, err)
			}
			if s.Gap > 1e-8*s.Objective {
				t.Errorf("%s %v: gap %g of %g", v.Name(), o, s.Gap, s.Objective)
			}
		}
	}
}

// A narrow Huber hinge from a cold start, where each row decides nearly alone.
func TestNarrowHuber(t *testing.T) {
	x, y := sample(100, true, 7)
	for _, o := range offsets {
		for _, h := range []float64{1e-2, 1e-4, 1e-6} {
			p := smooth.Problem{K: gaussian(x, x, 0.1), Y: y, C: 1000, Loss: learn.HuberHinge(h), Offset: o}
			s, err := smooth.Newton(context.Background(), p, smooth.Options{}, nil)
			if err != nil || s.Status == smooth.BudgetSpent || s.Gap > 1e-10*s.Objective {
				t.Errorf("%v h=%g: %v, %v after %d steps, gap %g of %g", o, h, err, s.Status, s.Steps, s.Gap, s.Objective)
			}
		}
	}
}

// The dual of the squared hinge has no upper bounds: coordinate ascent on it, without
// offset and with an augmented one, is an independent solver.
func TestSquaredHingeDual(t *testing.T) {
	for _, o := range []smooth.Offset{smooth.None, smooth.Augmented} {
		p := problem(25, learn.SquaredHinge(), o, 3)
		extra := 0.0
		if o == smooth.Augmented {
			extra = 1
		}
		a := make([]float64, 25)
		for range 20000 {
			for i := range a {
				// max sum a - 1/2 a'Qa - sum a^2/(4C), a >= 0
				grad := 1 - a[i]/(2*p.C)
				for j := range a {
					grad -= p.Y[i] * p.Y[j] * (p.K.At(i, j) + extra) * a[j]
				}
				a[i] = max(0, a[i]+grad/(p.K.At(i, i)+extra+1/(2*p.C)))
			}
		}
		s := fit(t, p, smooth.Options{})
		for i := range a {
			near(t, "beta", s.Beta[i], p.Y[i]*a[i], 1e-8)
		}
	}
}

// Only rows inside the margin carry coefficients.
func TestSquaredHingeIsSparse(t *testing.T) {
	p := problem(80, learn.SquaredHinge(), smooth.Free, 10)
	s := fit(t, p, smooth.Options{})
	zeros := 0
	for i, b := range s.Beta {
		if p.Y[i]*s.F[i] > 1 {
			zeros++
			if b != 0 {
				t.Errorf("row %d with margin %g has coefficient %g", i, p.Y[i]*s.F[i], b)
			}
		}
	}
	if zeros == 0 {
		t.Error("no row outside the margin: the test shows nothing")
	}
}

// Weight 2 is the row twice, weight 0 is no row.
func TestWeightsAreCopies(t *testing.T) {
	for _, v := range smoothLosses() {
		for _, o := range offsets {
			x, y := sample(20, v.Classes(), 3)
			p := smooth.Problem{K: gaussian(x, x, 1), Y: y, C: 2, Loss: v, Offset: o, Weight: make([]float64, 20)}
			var rows []int
			for i := range 20 {
				w := []int{1, 1, 2, 0, 3}[i%5]
				p.Weight[i] = float64(w)
				for range w {
					rows = append(rows, i)
				}
			}
			q := smooth.Problem{K: mat.NewDense(len(rows), len(rows), nil), Y: make([]float64, len(rows)), C: 2, Loss: v, Offset: o}
			for a, i := range rows {
				q.Y[a] = y[i]
				for b, j := range rows {
					q.K.Set(a, b, p.K.At(i, j))
				}
			}
			s, r := fit(t, p, smooth.Options{Tolerance: 1e-11}), fit(t, q, smooth.Options{Tolerance: 1e-11})
			near(t, v.Name()+" objective", s.Objective, r.Objective, 1e-11)
			near(t, v.Name()+" offset", s.B, r.B, 1e-8)
			for a, i := range rows {
				near(t, v.Name()+" output", s.F[i], r.F[a], 1e-8)
			}
			for i, w := range p.Weight {
				if w == 0 && s.Beta[i] != 0 {
					t.Errorf("%s: a row of weight 0 has coefficient %g", v.Name(), s.Beta[i])
				}
			}
		}
	}
}

// The other label on every row: the other sign of everything.
func TestLabelFlip(t *testing.T) {
	for _, v := range smoothLosses() {
		for _, o := range offsets {
			p := problem(30, v, o, 5)
			s := fit(t, p, smooth.Options{Tolerance: 1e-11})
			q := p
			q.Y = make([]float64, 30)
			for i, y := range p.Y {
				q.Y[i] = -y
			}
			r := fit(t, q, smooth.Options{Tolerance: 1e-11})
			near(t, v.Name()+" offset", -r.B, s.B, 1e-9)
			for i := range s.Beta {
				near(t, v.Name()+" beta", -r.Beta[i], s.Beta[i], 1e-8)
			}
		}
	}
}

// A constant added to the kernel changes nothing when the offset is free; an
// augmented offset is no offset with K + 1.
func TestShiftOfTheKernel(t *testing.T) {
	for _, v := range smoothLosses() {
		p := problem(30, v, smooth.Free, 5)
		s := fit(t, p, smooth.Options{Tolerance: 1e-11})
		q := p
		q.K = mat.NewDense(30, 30, nil)
		q.K.Apply(func(_, _ int, k float64) float64 { return k + 1 }, p.K)
		r := fit(t, q, smooth.Options{Tolerance: 1e-11})
		for i := range s.F {
			near(t, v.Name()+" free output", r.F[i], s.F[i], 1e-8)
		}
		p.Offset, q.Offset = smooth.Augmented, smooth.None
		s, r = fit(t, p, smooth.Options{Tolerance: 1e-11}), fit(t, q, smooth.Options{Tolerance: 1e-11})
		for i := range s.F {
			near(t, v.Name()+" augmented output", r.F[i], s.F[i], 1e-8)
			near(t, v.Name()+" augmented beta", r.Beta[i], s.Beta[i], 1e-8)
		}
	}
}

// K singular (each row three times) and separable classes at a large C: coefficients
// are finite, equal on equal rows, and the certificate is small.
func TestSingularAndSeparable(t *testing.T) {
	x, y := sample(15, true, 4)
	for i := range y {
		y[i] = math.Copysign(1, x.At(i, 0))
		x.Set(i, 0, x.At(i, 0)+y[i])
	}
	y3, k := make([]float64, 45), mat.NewDense(45, 45, nil)
	g := gaussian(x, x, 2)
	for i := range 45 {
		y3[i] = y[i/3]
		for j := range 45 {
			k.Set(i, j, g.At(i/3, j/3))
		}
	}
	for _, v := range []learn.Loss{learn.Logistic(), learn.SquaredHinge(), learn.HuberHinge(0)} {
		for _, o := range offsets {
			for _, c := range []float64{1, 1e4, 1e7} {
				s, err := smooth.Newton(context.Background(), smooth.Problem{K: k, Y: y3, C: c, Loss: v, Offset: o}, smooth.Options{}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if s.Gap > 1e-8*s.Objective || math.IsNaN(s.B) {
					t.Errorf(
						"%s %v C=%g: %v, gap %g of %g, gradient %g, b %g",
						v.Name(),
						o,
						c,
						s.Status,
						s.Gap,
						s.Objective,
						s.Gradient,
						s.B,
					)
				}
				for i := range 45 {
					if y3[i]*s.F[i] <= 0 {
						t.Errorf("%s %v C=%g: separable row %d is wrong", v.Name(), o, c, i)
					}
					if d := s.Beta[i] - s.Beta[i/3*3]; math.Abs(d) > 1e-6*(1+math.Abs(s.Beta[i])) {
						t.Errorf("%s %v C=%g: equal rows have coefficients %g apart", v.Name(), o, c, d)
					}
				}
			}
		}
	}
}

// A warm start at the answer is the answer; a path ends where separate fits do.
func TestWarmStartAndPath(t *testing.T) {
	cs := []float64{0.01, 0.1, 1, 10, 100}
	for _, v := range smoothLosses() {
		for _, o := range offsets {
			p := problem(40, v, o, 0)
			path, err := smooth.Path(context.Background(), p, cs, smooth.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for q, c := range cs {
				p.C = c
				s := fit(t, p, smooth.Options{})
				near(t, v.Name()+" path", path[q].Objective, s.Objective, 1e-12)
				again, err := smooth.Newton(context.Background(), p, smooth.Options{}, s)
				if err != nil || again.Steps > 0 || again.Objective != s.Objective {
					t.Errorf(
						"%s %v: %d steps from the answer, objective %g -> %g, %v",
						v.Name(),
						o,
						again.Steps,
						s.Objective,
						again.Objective,
						err,
					)
				}
			}
		}
	}
}

func TestColumnsAreSeparateFits(t *testing.T) {
	x, y := sample(50, true, 6)
	p := smooth.Problem{K: gaussian(x, x, 1), C: 4, Loss: learn.Logistic(), Offset: smooth.Free}
	m := mat.NewDense(50, 3, nil)
	for i := range y {
		for j := range 3 {
			m.Set(i, j, -1)
		}
		m.Set(i, (i+int(y[i])+3)%3, 1)
	}
	all, err := smooth.Columns(context.Background(), p, m, smooth.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for j, s := range all {
		p.Y = mat.Col(nil, j, m)
		one := fit(t, p, smooth.Options{})
		for i := range one.Beta {
			if one.Beta[i] != s.Beta[i] || one.B != s.B {
				t.Fatalf("column %d differs from its own fit", j)
			}
		}
	}
	warm, err := smooth.Columns(context.Background(), p, m, smooth.Options{}, all)
	if err != nil || warm[2].Steps != 0 {
		t.Errorf("%d steps from the answer, %v", warm[2].Steps, err)
	}
}

// Results do not depend on the number of cores; large enough for every parallel path.
func TestThreads(t *testing.T) {
	p := problem(300, learn.Logistic(), smooth.Free, 2)
	x, y := sample(3000, true, 8)
	q := smooth.LinearProblem{X: data.Rows{Dense: x}, Y: y, Loss: learn.SquaredHinge(), Offset: smooth.Free}
	old := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(old)
	a, la := fit(t, p, smooth.Options{}), fitLinear(t, q, smooth.Options{})
	runtime.GOMAXPROCS(2)
	b, lb := fit(t, p, smooth.Options{}), fitLinear(t, q, smooth.Options{})
	for i := range a.Beta {
		if a.Beta[i] != b.Beta[i] {
			t.Fatalf("kernel form differs by %g", a.Beta[i]-b.Beta[i])
		}
	}
	for j := range la.W {
		if la.W[j] != lb.W[j] {
			t.Fatalf("linear form differs by %g", la.W[j]-lb.W[j])
		}
	}
}

func TestLimitsAndFaults(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := problem(30, learn.Logistic(), smooth.Free, 5)
	s, err := smooth.Newton(ctx, p, smooth.Options{}, nil)
	if !errors.Is(err, context.Canceled) || s == nil || s.Status != smooth.Unfinished || s.Steps != 0 || math.IsNaN(s.Gap) {
		t.Errorf("cancelled: %+v, %v", s, err)
	}
	x, y := sample(30, true, 1)
	q := smooth.LinearProblem{X: data.Rows{Dense: x}, Y: y, Loss: learn.Logistic()}
	for _, m := range []smooth.Method{smooth.Cholesky, smooth.CG, smooth.Gram} {
		ls, err := smooth.NewtonLinear(ctx, q, smooth.Options{Method: m}, nil)
		if !errors.Is(err, context.Canceled) || (ls == nil) != (m == smooth.Gram) { // which ends before it has a matrix
			t.Errorf("cancelled, linear by %v: %v", m, err)
		}
	}
	bad := func(what, say string, change func(p *smooth.Problem)) {
		t.Helper()
		r := p
		r.K, r.Y = mat.DenseCopyOf(p.K), append([]float64(nil), p.Y...)
		change(&r)
		_, err := smooth.Newton(context.Background(), r, smooth.Options{}, nil)
		if err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%s: %v", what, err)
		}
	}
	bad("NaN in K", "row 3, column 4", func(p *smooth.Problem) { p.K.Set(3, 4, math.NaN()) })
	bad("label 2", "row 5 has target 2", func(p *smooth.Problem) { p.Y[5] = 2 })
	bad("infinite target", "row 5 has target +Inf", func(p *smooth.Problem) { p.Loss, p.Y[5] = learn.Square(), math.Inf(1) })
	bad("negative C", "C = -1", func(p *smooth.Problem) { p.C = -1 })
	bad("negative weight", "row 0 has weight -1", func(p *smooth.Problem) {
		p.Weight = make([]float64, 30)
		p.Weight[0] = -1
	})
	bad("one class", "one class", func(p *smooth.Problem) {
		for i := range p.Y {
			p.Y[i] = 1
		}
	})
	bad("indefinite K", "not positive", func(p *smooth.Problem) { p.K.Scale(-1, p.K) })
	for what, f := range map[string]func(){
		"hinge": func() {
			_, _ = smooth.Newton(ctx, smooth.Problem{K: p.K, Y: p.Y, Loss: learn.Hinge()}, smooth.Options{}, nil)
		},
		"shapes": func() {
			_, _ = smooth.Newton(ctx, smooth.Problem{K: p.K, Y: p.Y[1:], Loss: learn.Square()}, smooth.Options{}, nil)
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", what)
				}
			}()
			f()
		}()
	}
}

// The three methods of the linear form, dense and sparse, and the kernel form are one
// machine, for rows fewer and more than features.
func TestLinearFormsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, shape := range [][2]int{{60, 5}, {20, 30}} {
		n, d := shape[0], shape[1]
		x := mat.NewDense(n, d, nil)
		x.Apply(func(int, int, float64) float64 {
			if rng.IntN(3) == 0 {
				return 0
			}
			return rng.NormFloat64()
		}, x)
		y := make([]float64, n)
		for i := range y {
			y[i] = math.Copysign(1, x.At(i, 0)+0.5*rng.NormFloat64())
		}
		for _, v := range smoothLosses() {
			for _, o := range offsets {
				p := smooth.LinearProblem{X: data.Rows{Dense: x}, Y: y, C: 0.7, Loss: v, Offset: o}
				k := fit(t, kernelForm(p), smooth.Options{Tolerance: 1e-12})
				for _, m := range []smooth.Method{smooth.Auto, smooth.Cholesky, smooth.CG, smooth.Gram} {
					for _, rows := range []data.Rows{{Dense: x}, {Sparse: data.CSRFromDense(x)}} {
						p.X = rows
						s := fitLinear(t, p, smooth.Options{Tolerance: 1e-11, Method: m})
						what := v.Name() + " " + o.String() + " by " + s.Method.String()
						near(t, what+": objective", s.Objective, k.Objective, 1e-12)
						near(t, what+": offset", s.B, k.B, 1e-8)
						if s.Gap < 0 || s.Gap > 1e-10*s.Objective {
							t.Errorf("%s: gap %g", what, s.Gap)
						}
						for i := range s.F {
							near(t, what+": output", s.F[i], k.F[i], 1e-8)
							near(t, what+": beta", s.Beta[i], k.Beta[i], 1e-7)
							f := s.B
							for j, w := range s.W {
								f += w * x.At(i, j)
							}
							near(t, what+": w'x + b", f, s.F[i], 1e-9)
						}
						again, err := smooth.NewtonLinear(context.Background(), p, smooth.Options{Method: m}, s)
						if err != nil || again.Steps > 0 {
							t.Errorf("%s: %d steps from the answer, %v", what, again.Steps, err)
						}
					}
				}
			}
		}
	}
}

// With a free offset a constant added to all features changes b alone, however large.
func TestShiftOfTheFeatures(t *testing.T) {
	x, y := sample(50, true, 2)
	far := mat.NewDense(50, 2, nil)
	far.Apply(func(_, _ int, v float64) float64 { return v + 0x1p20 }, x)
	for _, v := range smoothLosses() {
		p := smooth.LinearProblem{X: data.Rows{Dense: x}, Y: y, C: 2, Loss: v, Offset: smooth.Free}
		q := p
		q.X = data.Rows{Dense: far}
		a, b := fitLinear(t, p, smooth.Options{}), fitLinear(t, q, smooth.Options{})
		for j := range a.W {
			near(t, v.Name()+" w", b.W[j], a.W[j], 1e-7)
		}
		p.Offset, q.Offset = smooth.Augmented, smooth.Augmented
		q.X.Dense.Apply(func(_, _ int, v float64) float64 { return v - 0x1p20 + 3 }, far)
		a, b = fitLinear(t, p, smooth.Options{}), fitLinear(t, q, smooth.Options{})
		if math.Abs(a.W[0]-b.W[0]) < 1e-6 {
			t.Errorf("%s: an augmented offset is not shrunk", v.Name())
		}
		far.Apply(func(_, _ int, v float64) float64 { return v - 3 + 0x1p20 }, far)
	}
}

// A cold start on a loss of a curvature above 4 goes by losses ten and a hundred times as wide, each solved to a hundredth. Where every
// row is alone and C small a loss without curvature at zero takes one step, and one with curvature ends short of that.
func TestColdStartsWiden(t *testing.T) {
	// After one step on a loss of half width w(g), which has no curvature at zero yet, the gradient is g.
	w := func(g float64) float64 { return 0.9 / (1 - 2*g) }
	for _, c := range []struct {
		h    float64
		want int
	}{
		{0.125, 1},         // curvature 4: the loss itself
		{0.1249, 2},        // by the loss of 1.249, curved at zero
		{0.0126, 1},        // by 0.126, not curved at zero
		{0.0124, 2},        // by 1.24 and 0.124
		{w(0.009) / 10, 1}, // near enough
		{w(0.011) / 10, 3}, // a second step on the wide loss
	} {
		p := smooth.Problem{K: mat.NewDense(2, 2, []float64{1, 0, 0, 1}), Y: []float64{1, -1}, C: 0.1, Loss: learn.HuberHinge(c.h)}
		s := fit(t, p, smooth.Options{})
		if s.Steps != c.want {
			t.Errorf("half width %g: %d steps, want %d", c.h, s.Steps, c.want)
		}
		near(t, "coefficient", s.Beta[0], 0.1, 1e-12)
	}
}
