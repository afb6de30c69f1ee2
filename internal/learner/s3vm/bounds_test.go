package s3vm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// What a bound says that a row adds is no more than what training with it adds, and little less.
func TestGains(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 3))
	const n = 50
	for _, v := range []learn.Loss{learn.SquaredHinge(), learn.Hinge()} {
		for _, offset := range []bool{false, true} {
			for _, sigma := range []float64{0.3, 1, 4} {
				p := &Problem{K: gaussian(cloud(rnd, n), sigma), Offset: offset}
				m := newWeighted(p, v)
				rows, cost := make([]int, n), make([]float64, n)
				for i := range n {
					rows[i], cost[i] = i, 1+20*rnd.Float64()
				}
				var said, true_ float64
				for range 10 {
					label := make([]int8, n)
					for i := range n {
						if label[i] = int8(rnd.IntN(3) - 1); i < 2 {
							label[i] = int8(1 - 2*i)
						}
						m.label(i, float64(label[i]), cost[i])
						if label[i] == 0 {
							m.label(i, 1, 0)
						}
					}
					if err := m.train(t.Context()); err != nil {
						t.Fatal(err)
					}
					g := newGains(m, rows, cost)
					g.compute(label)
					base := m.objective()
					for i := range n {
						if label[i] != 0 {
							continue
						}
						for s, gain := range map[float64]float64{1: g.up[i], -1: g.down[i]} {
							m.label(i, s, cost[i])
							if err := m.train(t.Context()); err != nil {
								t.Fatal(err)
							}
							grown := m.objective() - base
							if bound, o := g.base+gain, m.objective(); bound > o*(1+1e-12) {
								t.Errorf("%s, offset %v, sigma %g: a bound of %g where the minimum is %g", v.Name(), offset, sigma, bound,
									o)
							}
							said, true_ = said+gain, true_+grown
							m.label(i, s, 0)
						}
					}
				}
				t.Logf("%s, offset %v, sigma %g: %.3f of the growth", v.Name(), offset, sigma, said/true_)
				if said < 0.5*true_ {
					t.Errorf("%s, offset %v, sigma %g: %g said of %g in all", v.Name(), offset, sigma, said, true_)
				}
			}
		}
	}
}

// A coefficient of the hinge is free from a billionth of its cost on, and to as much below it.
func TestFreeCoefficients(t *testing.T) {
	shares := []float64{0, 0.9e-9, 1.1e-9, 0.5, 1 - 1.1e-9, 1 - 0.9e-9, 1}
	k := mat.NewDense(len(shares), len(shares), nil)
	for i := range shares {
		k.Set(i, i, 1)
	}
	m := newWeighted(&Problem{K: k}, learn.Hinge())
	for i, v := range shares {
		side := float64(1 - 2*(i%2))
		m.label(i, side, 2)
		m.at.alpha[i] = 2 * v * side
	}
	g := newGains(m, nil, nil)
	g.free()
	if len(g.active) != 3 || g.active[0] != 2 || g.active[1] != 3 || g.active[2] != 4 {
		t.Errorf("of the shares %v those at %v are free", shares, g.active)
	}
}

// Where no coefficient reaches a bound the gain is that of the quadratic, s^2/2w with the slope s and the curvature w that the free rows
// leave, to many digits: what is added to their matrix does not show.
func TestGainToTheLastDigits(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{0, 0, 1.5, 0, 0.7, 0})
	k := gaussian(x, 1)
	m := newWeighted(&Problem{K: k}, learn.Hinge())
	m.tolerance = 1e-12
	m.label(0, 1, 100)
	m.label(1, 1, 100)
	if err := m.train(t.Context()); err != nil {
		t.Fatal(err)
	}
	g := newGains(m, []int{2}, []float64{100})
	g.compute([]int8{0})
	a, b, c := k.At(0, 1), k.At(2, 0), k.At(2, 1)
	f := (b + c) / (1 + a) // both rows are on the margin
	w := k.At(2, 2) - (b*b+c*c-2*a*b*c)/(1-a*a)
	if want := (1 + f) * (1 + f) / (2 * w); math.Abs(g.down[0]-want) > 1e-8*want || g.up[0] != 0 {
		t.Errorf("gains of %.12g and %g, want %.12g and 0", g.down[0], g.up[0], want)
	}
}
