package s3vm

import (
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/learn"
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
