package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// someProgram is a random quadratic program of n variables: groups of three and two, the
// others in a box, some variables of the start at a bound.
func someProgram(rng *rand.Rand, n int) (p *polytope, x, g []float64, b *mat.SymDense) {
	p = &polytope{lo: make([]float64, n), hi: make([]float64, n), group: make([]int, n), mass: []float64{1, 0.4}}
	x, g = make([]float64, n), make([]float64, n)
	for k := range n {
		p.group[k] = -1
		switch {
		case k < 3:
			p.group[k] = 0
		case k < 5:
			p.group[k] = 1
		}
		p.hi[k] = math.Inf(1)
		if p.group[k] < 0 {
			p.lo[k], p.hi[k] = -rng.Float64(), rng.Float64()
		}
		x[k] = 2 * rng.NormFloat64()
		g[k] = 2 * rng.NormFloat64()
	}
	p.project(x)
	root := mat.NewDense(n, n, nil)
	root.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, root)
	b = mat.NewSymDense(n, nil)
	b.SymOuterK(1, root)
	for k := range n {
		b.SetSym(k, k, b.At(k, k)+0.01)
	}
	return p, x, g, b
}

// model is the quadratic at u.
func model(u, x, g []float64, b *mat.SymDense) float64 {
	d := mat.NewVecDense(len(u), nil)
	floats.SubTo(d.RawVector().Data, u, x)
	return floats.Dot(g, d.RawVector().Data) + mat.Inner(d, b, d)/2
}

// faces returns the least value of the model on all faces whose minimiser is feasible.
func (p *polytope) faces(x, g []float64, b *mat.SymDense) float64 {
	n := len(x)
	best := math.Inf(1)
	for code := range int(math.Pow(3, float64(n))) {
		bound := make([]int8, n)
		u := slices.Clone(x)
		for k := range n {
			bound[k] = int8(code%3) - 1
			code /= 3
			switch bound[k] {
			case -1:
				u[k] = p.lo[k]
			case 1:
				u[k] = p.hi[k]
			}
		}
		// [B A'; A 0] over the free variables, by LU, for the sums that the bounds leave.
		var free []int
		for k, s := range bound {
			if s == 0 {
				free = append(free, k)
			}
		}
		if slices.ContainsFunc(u, func(v float64) bool { return math.IsInf(v, 0) }) {
			continue
		}
		size := len(free) + len(p.mass)
		system, right := mat.NewDense(size, size, nil), mat.NewVecDense(size, nil)
		for i, k := range free {
			for j, m := range free {
				system.Set(i, j, b.At(k, m))
			}
			r := g[k]
			for m := range n {
				if bound[m] != 0 {
					r += b.At(k, m) * (u[m] - x[m])
				}
			}
			right.SetVec(i, -r)
			if j := p.group[k]; j >= 0 {
				system.Set(i, len(free)+j, 1)
				system.Set(len(free)+j, i, 1)
			}
		}
		for j, m := range p.mass {
			for k := range n {
				if p.group[k] == j && bound[k] != 0 {
					m -= u[k]
				} else if p.group[k] == j {
					m -= x[k]
				}
			}
			right.SetVec(len(free)+j, m)
		}
		var d mat.VecDense
		if d.SolveVec(system, right) != nil {
			continue
		}
		for i, k := range free {
			u[k] += d.AtVec(i)
		}
		if p.off(u) < 1e-9 {
			best = min(best, model(u, x, g, b))
		}
	}
	return best
}

// off is by how much u leaves the polytope.
func (p *polytope) off(u []float64) float64 {
	sums, off := slices.Clone(p.mass), 0.0
	for k, v := range u {
		off = max(off, p.lo[k]-v, v-p.hi[k])
		if j := p.group[k]; j >= 0 {
			sums[j] -= v
		}
	}
	for _, v := range sums {
		off = max(off, math.Abs(v))
	}
	return off
}

// The active set finds the least of all faces.
func TestQuadraticProgramIsTheBestFace(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	for n := 5; n <= 7; n++ {
		for range 25 {
			p, x, g, b := someProgram(rng, n)
			u := make([]float64, n)
			if !p.minimise(u, x, g, b) {
				t.Fatal("not positive definite")
			}
			if off := p.off(u); off > 1e-12 { // rounding of the sums, times the condition of B, up to 1e4
				t.Errorf("n=%d: infeasible by %g", n, off)
			}
			if got, want := model(u, x, g, b), p.faces(x, g, b); !(math.Abs(got-want) <= 1e-10*max(1, math.Abs(want))) {
				t.Errorf("n=%d: %.12g, the best face has %.12g", n, got, want)
			}
		}
	}
}

// With B = I the program is the projection of x - g.
func TestQuadraticProgramProjects(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for range 200 {
		n := 5 + rng.IntN(40)
		p, x, g, _ := someProgram(rng, n)
		u, want := make([]float64, n), make([]float64, n)
		if !p.minimise(u, x, g, identity(n)) {
			t.Fatal("the identity is not positive definite")
		}
		floats.SubTo(want, x, g)
		p.project(want)
		if d := floats.Distance(u, want, math.Inf(1)); d > 1e-13 {
			t.Fatalf("n=%d: %g from the projection", n, d)
		}
		for k := range u {
			if (want[k] == p.lo[k]) != (u[k] == p.lo[k]) {
				t.Fatalf("n=%d: variable %d is %g, projected %g: one of them not at its bound", n, k, u[k], want[k])
			}
		}
	}
}

// A model without curvature is refused, not followed.
func TestQuadraticProgramRefuses(t *testing.T) {
	p := &polytope{lo: []float64{-1, -1}, hi: []float64{1, 1}, group: []int{-1, -1}}
	flat := mat.NewSymDense(2, []float64{1, 1, 1, 1})
	if u := make([]float64, 2); p.minimise(u, []float64{0, 0}, []float64{1, -2}, flat) {
		t.Errorf("a singular model gave %v", u)
	}
}
