package data

import (
	"context"
	"math"
	"math/rand/v2"
)

// moonsLines draws n things in two views of two columns each: two moons, and two parallel lines. Which point of a
// moon goes with which of a line of the same class is chance (Sindhwani 2007, figure 4.2). The lines have a noise of
// 0.05; blur is added to the moons besides, which runs them into each other (figure 4.3).
func moonsLines(_ context.Context, v values) (*Set, error) {
	const line = 0.05
	rng := rand.New(rand.NewPCG(uint64(v["seed"]), 0))
	s := twoClasses(v.int("n"), 4, func(row []float64, _, _ int, class float64) {
		sin, cos := math.Sincos(math.Pi * rng.Float64())
		row[0], row[1] = cos, sin
		if class < 0 {
			row[0], row[1] = 1-cos, 0.5-sin
		}
		at := 2*rng.Float64() - 1
		row[2], row[3] = at+line*rng.NormFloat64(), at+class/2+line*rng.NormFloat64()
		for j := range 2 {
			row[j] += v["noise"]*rng.NormFloat64() + v["blur"]*rng.NormFloat64()
		}
	})
	s.Features = []string{"moon_x", "moon_y", "line_x", "line_y"}
	return s, keepDrawn(s, v)
}
