package data

import (
	"math"
	"math/rand/v2"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

// manifolds draws n rows on ten curved surfaces in R^50, one a class, with noise: many
// rows of which few labels say little without the surfaces. Class c is
//
//	x(s) = sum_{q=1}^4 a_cq sin(w_cq's + b_cq) + noise N(0, I),   s uniform on [0, 1]^2
//
// with a_cq ~ N(0, I/100) in R^50, so that E|x|^2 = 1 without the noise; w_cq ~ N(0, pi^2 I) in
// R^2, half a wave along a side; b_cq uniform on [0, 2 pi). Row i is of class i mod 10, so that any first
// rows are a smaller set on the same surfaces.
func manifolds(v values) (*Set, error) {
	const d, classes, waves = 50, 10, 4
	seed := uint64(v["seed"])
	shape := rand.New(rand.NewPCG(seed, 1)) // apart from the rows: the same for every n
	type wave struct {
		a [d]float64
		w [2]float64
		b float64
	}
	var surface [classes][waves]wave
	for c := range surface {
		for q := range surface[c] {
			w := &surface[c][q]
			for j := range w.a {
				w.a[j] = shape.NormFloat64() / math.Sqrt(waves*d/2)
			}
			w.w = [2]float64{math.Pi * shape.NormFloat64(), math.Pi * shape.NormFloat64()}
			w.b = 2 * math.Pi * shape.Float64()
		}
	}
	n, noise := v.int("n"), v["noise"]
	rng := rand.New(rand.NewPCG(seed, 0))
	s := &Set{Rows: Rows{Dense: mat.NewDense(n, d, nil)}, Features: numbered(d), LabelName: "label", Answers: make(Answers, n)}
	for i := range n {
		c := i % classes
		s.Answers[i] = strconv.Itoa(c)
		x := s.Rows.Dense.RawRowView(i)
		at := [2]float64{rng.Float64(), rng.Float64()}
		for q := range surface[c] {
			w := &surface[c][q]
			h := math.Sin(w.w[0]*at[0] + w.w[1]*at[1] + w.b)
			for j, a := range w.a {
				x[j] += h * a
			}
		}
		for j := range x {
			x[j] += noise * rng.NormFloat64()
		}
	}
	return s, keepDrawn(s, v)
}
