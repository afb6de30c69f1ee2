package linear

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/passes"
	"github.com/mercer-ml/mercer/learn"
)

// chain is the Laplacian of a path of n rows, as an operator.
func chain(t *testing.T, n int) graph.Operator {
	t.Helper()
	x, _ := waves(n, 0.3)
	g, err := graph.Recipe{Neighbours: 4}.Build(t.Context(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g.Operator()
}

// Of the square loss the minimum is the solution of the normal equations,
// (I + X_L'(2C)X_L + ratio X'RX) w = X_L'(2C) y, of a free offset with a constant column that neither I nor R counts.
func TestLaplacianSquare(t *testing.T) {
	const n, l, c, ratio = 40, 12, 0.7, 3
	x, side := waves(n, 0.3)
	r := chain(t, n)
	for _, free := range []bool{false, true} {
		for _, shift := range []float64{0, 1000} {
			y := append([]float64{}, side[:l]...)
			floats.AddConst(shift, y)
			p := newSmoothed(withConstant(x, !free), r, ratio, learn.Square(), labels{upTo(l), y, constant(c, l)})
			p.free = free
			if _, limited, err := p.solve(t.Context(), 1e-10); limited || err != nil {
				t.Fatal(limited, err)
			}
			got := p.w
			if free {
				got = append(got, p.b)
			}
			near(t, "weights", got, normalEquations(t, x, r, y, ratio, c, free), 1e-8*(1+shift))
		}
	}
}

// normalEquations solves those of TestLaplacianSquare; the offset is the last number.
func normalEquations(t *testing.T, x data.Rows, r graph.Operator, y []float64, ratio, c float64, free bool) []float64 {
	n, l, d := x.Len(), len(y), x.Dim()+1
	full := mat.NewDense(n, d, nil)
	for i := range n {
		copy(full.RawRowView(i), x.Dense.RawRowView(i))
		full.Set(i, d-1, 1)
	}
	rx, h := mat.NewDense(n, d, nil), mat.NewDense(d, d, nil)
	r.MulTo(rx, full)
	h.Mul(full.T(), rx)
	if free {
		for j := range d {
			h.Set(j, d-1, 0)
			h.Set(d-1, j, 0)
		}
	}
	h.Scale(ratio, h)
	rhs := mat.NewVecDense(d, nil)
	for i := range l {
		row := mat.NewVecDense(d, full.RawRowView(i))
		h.RankOne(h, 2*c, row, row)
		rhs.AddScaledVec(rhs, 2*c*y[i], row)
	}
	for j := range d {
		if !free || j < d-1 {
			h.Set(j, j, h.At(j, j)+1)
		}
	}
	var w mat.VecDense
	if err := w.SolveVec(h, rhs); err != nil {
		t.Fatal(err)
	}
	return w.RawVector().Data
}

// Of every smooth loss the objective grows in all directions from the minimum, by half the square of a step at least.
func TestLaplacianMinimum(t *testing.T) {
	const n, l = 40, 12
	x, side := waves(n, 0.3)
	r := chain(t, n)
	for k, v := range []learn.Loss{learn.SquaredHinge(), learn.Logistic(), learn.HuberHinge(0.5), learn.SquaredHinge(), learn.Logistic()} {
		free := k > 2
		p := newSmoothed(withConstant(x, !free), r, 0.5, v, labels{upTo(l), side[:l], constant(2, l)})
		p.free = free
		if _, limited, err := p.solve(t.Context(), 1e-9); limited || err != nil {
			t.Fatal(v.Name(), limited, err)
		}
		w, least := append([]float64{}, p.w...), p.f
		for j := range w {
			for _, step := range []float64{-1e-3, 1e-3} {
				copy(p.w, w)
				p.w[j] += step
				p.x.Mul(p.o, p.w, nil)
				if p.evaluate(); p.f < least+step*step/2*(1-1e-3) {
					t.Errorf("%s: %g at a step of %g along %d, %g at the minimum", v.Name(), p.f, step, j, least)
				}
			}
		}
	}
}

// Without a graph it is the machine of the squared hinge.
func TestLaplacianWithoutGraph(t *testing.T) {
	const l, c = 40, 0.8
	x, side := waves(l, 0.3)
	p := newSmoothed(passes.New(x, nil).WithConstant(), chain(t, l), 0, learn.SquaredHinge(), labels{upTo(l), side, constant(c, l)})
	if _, limited, err := p.solve(t.Context(), 1e-9); limited || err != nil {
		t.Fatal(limited, err)
	}
	m := newMachine(passes.New(x, nil).WithConstant(), 1)
	for i, y := range side {
		m.up[i], m.down[i] = c*(1+y), c*(1-y)
	}
	if limited, err := m.train(t.Context(), false); limited || err != nil {
		t.Fatal(limited, err)
	}
	near(t, "weights", p.w, m.w, 1e-5)
}

// From a solution nothing is left to do, and one stopped says so.
func TestLaplacianWarm(t *testing.T) {
	const n, l = 40, 12
	x, side := waves(n, 0.3)
	cold := newSmoothed(passes.New(x, nil), chain(t, n), 1, learn.SquaredHinge(), labels{upTo(l), side[:l], constant(1, l)})
	if _, limited, err := cold.solve(t.Context(), 1e-9); limited || err != nil {
		t.Fatal(limited, err)
	}
	warm := newSmoothed(passes.New(x, nil), chain(t, n), 1, learn.SquaredHinge(), labels{upTo(l), side[:l], constant(1, l)})
	a := append([]float64{}, cold.s...)
	floats.Scale(-1, a)
	warm.from(a)
	if steps, _, err := warm.solve(t.Context(), 1e-6); steps > 0 || err != nil {
		t.Errorf("%d steps from the solution: %v", steps, err)
	}
	if math.Abs(warm.f-cold.f) > 1e-9*cold.f {
		t.Errorf("the objective is %g, was %g", warm.f, cold.f)
	}
}

func constant(v float64, n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = v
	}
	return list
}

// A free offset is where the slopes of the losses cancel, to some units of rounding of them, from wherever it comes.
func TestLevelOfAFreeOffset(t *testing.T) {
	const l = 13
	x, side := waves(l, 0.3)
	for _, v := range []learn.Loss{learn.Logistic(), learn.SquaredHinge(), learn.HuberHinge(0.5)} {
		p := newSmoothed(withConstant(x, false), nil, 0, v, labels{upTo(l), side, constant(2, l)})
		p.free = true
		for i := range p.o {
			p.o[i] = math.Sin(float64(5 * i))
		}
		for k := range 61 {
			from := float64(k-30) / 10
			p.b = from
			p.level()
			if slope, size := p.slope(p.b); !(math.Abs(slope) <= 1e-12*size) {
				t.Errorf("%s: from %g to %g, where the slope is %g of %g", v.Name(), from, p.b, slope, size)
			}
		}
	}
}
