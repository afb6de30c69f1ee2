package drift_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/internal/drift"
	"github.com/mercer-ml/mercer/internal/test/pathtest"
)

// TestSketchesAreAsTheyWere: what is remembered of values of many shapes, and how far others are from them.
func TestSketchesAreAsTheyWere(t *testing.T) {
	var p pathtest.Path
	draw := func(n int, seed uint64, f func(r *rand.Rand, i int) float64) []float64 {
		r, v := rand.New(rand.NewPCG(seed, 3)), make([]float64, n)
		for i := range v {
			v[i] = f(r, i)
		}
		return v
	}
	normal := func(r *rand.Rand, _ int) float64 { return r.NormFloat64() }
	shapes := []struct {
		name   string
		values []float64
	}{
		{"none", nil}, {"one", []float64{2}}, {"missing", []float64{math.NaN(), math.NaN()}}, {"equal", []float64{3, 3, 3, 3}},
		{"few", []float64{1, 2, 2, math.NaN(), 5}}, {"normal", draw(300, 1, normal)}, {"like it", draw(200, 2, normal)},
		{"moved", draw(200, 3, func(r *rand.Rand, _ int) float64 { return 0.4 + r.NormFloat64() })},
		{"wider", draw(150, 4, func(r *rand.Rand, _ int) float64 { return 3 * r.NormFloat64() })},
		{"whole", draw(250, 5, func(r *rand.Rand, _ int) float64 { return float64(r.IntN(4)) })},
		{"half missing", draw(100, 6, func(r *rand.Rand, i int) float64 {
			if i%2 == 0 {
				return math.NaN()
			}
			return r.NormFloat64()
		})},
		{"infinite", []float64{math.Inf(1), 1, 2, math.Inf(-1)}},
	}
	for _, a := range shapes {
		s := drift.New(a.values)
		p.Add(a.name, s.Rows, s.At, s.Share, s.Missing, s.Median())
		for _, b := range shapes {
			d := s.Compare(b.values)
			p.Add(fmt.Sprintf("  %s after it", b.name), d.Distance, d.P, d.Moved(1), d.Moved(40))
		}
		both := &drift.Profile{Columns: []drift.Sketch{s, s}, Score: &s}
		p.Add(
			"  checks",
			fmt.Sprint(
				both.Check(2),
				both.Check(3),
				(&drift.Profile{Distance: &s}).Check(2),
				both.OfColumns().Score == nil,
				(*drift.Profile)(nil).OfColumns() == nil,
			),
		)
	}
	p.Compare(t, "sketches")
}
