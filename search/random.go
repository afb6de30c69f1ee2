package search

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/search/param"
)

// Random draws independent points: uniform in lo..hi, in log2 for Log; Integer
// and Choice uniform over all whole values, ends included; weights uniform on
// their simplex. Becker 2013, eq. 2.12. The first m points do not depend on N.
type Random struct {
	N    int // points; default: until the budget is spent
	Seed uint64
}

// Run implements Search.
func (r Random) Run(ctx context.Context, s param.Space, eval Evaluate) error {
	theta, err := base(s)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(r.Seed, 0))
	for left := r.N; r.N <= 0 || left > 0; {
		n := batchSize
		if r.N > 0 {
			n = min(n, left)
			left -= n
		}
		batch := make([][]float64, n)
		for k := range batch {
			batch[k] = draw(rng, s, theta)
		}
		if _, err := eval(ctx, batch, param.ValueOnly); err != nil {
			return err
		}
	}
	return nil
}

// Points are the first n points that Random draws.
func Points(s param.Space, n int, seed uint64) [][]float64 {
	rng, theta := rand.New(rand.NewPCG(seed, 0)), s.Defaults()
	list := make([][]float64, n)
	for k := range list {
		list[k] = draw(rng, s, theta)
	}
	return list
}

// planned implements planner.
func (r Random) planned() bool { return r.N > 0 }

// draw returns a random point of s; dimensions that are not free are base's.
func draw(rng *rand.Rand, s param.Space, base []float64) []float64 {
	theta := append([]float64(nil), base...)
	sum := map[int]float64{}
	mass := map[int]float64{}
	free := s.Free()
	for _, i := range free {
		d, u := s[i], rng.Float64()
		switch d.Kind {
		case param.Log:
			lo, hi := math.Log2(d.Lo), math.Log2(d.Hi)
			theta[i] = d.Round(math.Exp2(lo + (hi-lo)*u))
		case param.Integer, param.Choice:
			theta[i] = min(math.Floor(d.Lo+(d.Hi-d.Lo+1)*u), d.Hi)
		case param.Simplex: // exponential draws over their sum
			mass[d.Group] += base[i]
			theta[i] = -math.Log1p(-u)
			sum[d.Group] += theta[i]
		default:
			theta[i] = d.Round(d.Lo + (d.Hi-d.Lo)*u)
		}
	}
	for _, i := range free {
		if d := s[i]; d.Kind == param.Simplex && sum[d.Group] > 0 {
			theta[i] *= mass[d.Group] / sum[d.Group]
		} else if d.Kind == param.Simplex {
			theta[i] = base[i] // every draw was zero
		}
	}
	return theta
}
