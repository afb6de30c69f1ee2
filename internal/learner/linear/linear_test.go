package linear

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/passes"
)

// waves are n rows (sin i, cos 2i, sin 3i), i from 1, pushed apart along the first two columns by their side.
func waves(n int, push float64) (data.Rows, []float64) {
	x, side := mat.NewDense(n, 3, nil), make([]float64, n)
	for i := range n {
		t := float64(i + 1)
		side[i] = 1 - 2*float64(i%2)
		x.SetRow(i, []float64{math.Sin(t) + push*side[i], math.Cos(2*t) + push*side[i], math.Sin(3 * t)})
	}
	return data.Rows{Dense: x}, side
}

// priced sets the price of row i for its label.
func (m *machine) priced(i int, y, c float64) {
	m.up[i], m.down[i] = 0, 0
	if y > 0 {
		m.up[i] = c
	} else {
		m.down[i] = c
	}
}

func near(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	for j, v := range want {
		if math.Abs(got[j]-v) > tol {
			t.Errorf("%s: %.9f, want %.9f", what, got, want)
			return
		}
	}
}

// The golden values of the supervised machine, with three costs, on dense and on sparse rows.
func TestSupervisedGolden(t *testing.T) {
	x, _ := waves(8, 0)
	y := []float64{1, 1, 1, -1, 1, -1, 1, 1}
	for _, c := range []struct {
		cost func(i int) float64
		w    []float64
		f    float64
	}{
		{func(int) float64 { return 1.0 / 8 }, []float64{1.1061901757, -.4790108874, 1.4004928218, .6639236389}, .0214428349},
		{func(int) float64 { return 1 }, []float64{1.2104030534, -.5326726882, 1.5532784598, .692049702}, .0235306379},
		{func(i int) float64 { return float64(i+1) / 36 }, []float64{1.0970114194, -.4969924512, 1.381581227, .6609655339}, .0212757057},
	} {
		for _, rows := range []data.Rows{x, {Sparse: data.CSRFromDense(x.Dense)}} {
			m := newMachine(passes.New(rows, nil).WithConstant(), 0.01)
			for i, v := range y {
				m.priced(i, v, c.cost(i))
			}
			if limited, err := m.train(t.Context(), false); limited || err != nil {
				t.Fatal(limited, err)
			}
			near(t, "w", m.w, c.w, 1e-6)
			near(t, "f", []float64{m.f}, []float64{c.f}, 1e-9)
			if r := m.residual(); r > 1e-5 {
				t.Errorf("residual %g", r)
			}
			systems := m.systems
			if _, err := m.train(t.Context(), true); err != nil || m.systems != systems+1 {
				t.Errorf("from the minimum it took %d systems, %v", m.systems-systems, err)
			}
		}
	}
}

// The golden trace of conjugate gradients, which end in as many steps as there are columns.
func TestCGLSGolden(t *testing.T) {
	x, _ := waves(8, 0)
	y := []float64{1, 1, 1, -1, 1, -1, 1, 1}
	cost, on := make([]float64, 8), make([]int, 8)
	for i := range 8 {
		cost[i], on[i] = 1.0/8, i
	}
	r := passes.New(x, nil).WithConstant()
	for most, want := range [][]float64{
		{0, 0, 0, 0}, {.48997342, -.3344571, .29038359, .5420769}, {.69454756, -.46806421, .8308494, .32597486},
		{.65122257, -.44763261, .8776475, .35839617}, {.64893847, -.45132287, .87757088, .35824033},
	} {
		w, o := make([]float64, 4), make([]float64, 8)
		new(cgls).solve(t.Context(), system{r, on, cost, y, 0.01}, 1e-9, most, w, o)
		near(t, "iterate", w, want, 1e-8)
	}
}

// A row twice is a row of twice the price, a row without a price is none, and both prices of a row are those of two
// rows.
func TestPrices(t *testing.T) {
	x, side := waves(40, 0.3)
	train := func(x data.Rows, set func(m *machine)) []float64 {
		m := newMachine(passes.New(x, nil), 0.02)
		set(m)
		if limited, err := m.train(t.Context(), false); limited || err != nil {
			t.Fatal(limited, err)
		}
		return m.w
	}
	labels := func(m *machine, n int, c float64) {
		for i := range n {
			m.priced(i, side[i], c)
		}
	}
	twice, err := x.Append(x.Select([]int{3, 7}))
	if err != nil {
		t.Fatal(err)
	}
	want := train(x, func(m *machine) {
		labels(m, 40, 0.1)
		m.priced(3, side[3], 0.2)
		m.up[7], m.down[7] = 0.03, 0.05
	})
	near(t, "rows twice", train(twice, func(m *machine) {
		labels(m, 40, 0.1)
		m.priced(40, side[3], 0.1)
		m.priced(7, 1, 0.03)
		m.priced(41, -1, 0.05)
	}), want, 1e-6)
	near(t, "rows without a price", train(x, func(m *machine) { labels(m, 30, 0.1) }),
		train(x.Select(upTo(30)), func(m *machine) { labels(m, 30, 0.1) }), 1e-6)
}

func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// The least on a ray is where the derivative changes its sign.
func TestRay(t *testing.T) {
	x, side := waves(30, 0.1)
	for seed := range 50 {
		m := newMachine(passes.New(x, nil), 0.05)
		for i := range 30 {
			m.priced(i, side[i], 0.1+float64((seed*7+i)%5)/10)
			if i%3 == seed%3 {
				m.up[i], m.down[i] = 0.2, 0.1
			}
		}
		for j := range 3 {
			m.w[j], m.next[j] = math.Sin(float64(seed*3+j)), 4*math.Cos(float64(seed*5+j))
		}
		m.x.Mul(m.o, m.w, upTo(30))
		m.x.Mul(m.to, m.next, upTo(30))
		at := func(delta float64) float64 {
			w, o := make([]float64, 3), make([]float64, 30)
			for j := range w {
				w[j] = m.w[j] + delta*(m.next[j]-m.w[j])
			}
			m.x.Mul(o, w, upTo(30))
			return m.objective(w, o)
		}
		a, b := 0.0, 0.0
		for j := range 3 {
			a += m.lambda * m.w[j] * (m.next[j] - m.w[j])
			b += m.lambda * m.next[j] * (m.next[j] - m.w[j])
		}
		delta := m.ray(m.o, m.to, a, b)
		for _, h := range []float64{1e-3, 1e-2} {
			if at(delta) > at(delta+h) || delta > h && at(delta) > at(delta-h) {
				t.Fatalf("draw %d: %g is not the least: %.9g, beside it %.9g and %.9g", seed, delta, at(delta), at(delta-h), at(delta+h))
			}
		}
	}
}

// withConstant is all rows, with a constant feature or without.
func withConstant(x data.Rows, constant bool) *passes.Rows {
	if constant {
		return passes.New(x, nil).WithConstant()
	}
	return passes.New(x, nil)
}
