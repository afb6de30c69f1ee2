package solve

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// denseBFGS is the model's matrix by its recursion, B <- B - B s s'B / s'Bs + y y'/ s'y, from theta I.
func denseBFGS(b *boxBFGS) *mat.Dense {
	n := len(b.x)
	h := mat.NewDense(n, n, nil)
	for i := range n {
		h.Set(i, i, b.theta)
	}
	for p := range b.k {
		s, y := mat.NewVecDense(n, b.s[p]), mat.NewVecDense(n, b.y[p])
		var hs mat.VecDense
		hs.MulVec(h, s)
		h.RankOne(h, -1/mat.Dot(s, &hs), &hs, &hs)
		h.RankOne(h, 1/mat.Dot(s, y), y, y)
	}
	return h
}

// slowCauchy follows x(t) = P(x - t g) from bend to bend to the first minimum of g'z + z'Bz/2, z = x(t) - x.
func slowCauchy(b *boxBFGS, h *mat.Dense) []float64 {
	n := len(b.x)
	at := func(t float64) *mat.VecDense {
		z := mat.NewVecDense(n, nil)
		for i := range n {
			z.SetVec(i, min(max(b.x[i]-t*b.g[i], b.lo[i]), b.hi[i])-b.x[i])
		}
		return z
	}
	bends := []float64{0}
	for i, g := range b.g {
		if bound := b.lo[i]; g != 0 {
			if g < 0 {
				bound = b.hi[i]
			}
			bends = append(bends, (b.x[i]-bound)/g)
		}
	}
	slices.Sort(bends)
	bends = append(bends, math.Inf(1))
	g := mat.NewVecDense(n, b.g)
	for q, from := range bends[:len(bends)-1] {
		to := min(bends[q+1], from+1e6)
		if to-from < 1e-14 {
			continue
		}
		z, d := at(from), mat.NewVecDense(n, nil)
		d.SubVec(at((from+to)/2), z)
		d.ScaleVec(2/(to-from), d)
		var hz, hd mat.VecDense
		hz.MulVec(h, z)
		hd.MulVec(h, d)
		slope, curve := mat.Dot(g, d)+mat.Dot(d, &hz), mat.Dot(d, &hd)
		if slope >= 0 {
			return z.RawVector().Data
		}
		if step := -slope / curve; from+step < to {
			z.AddScaledVec(z, step, d)
			return z.RawVector().Data
		}
	}
	return at(1e6).RawVector().Data
}

// The Cauchy point of the compact form is the first minimum along the projected gradient, and the subspace
// minimiser solves for the free variables, both by the dense matrix of the same pairs.
func TestModelEqualsDense(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	const n = 7
	vector := func() []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		return v
	}
	several := 0
	for range 300 {
		b := &boxBFGS{lo: make([]float64, n), hi: make([]float64, n), x: make([]float64, n), g: make([]float64, n), m: 3,
			xc: make([]float64, n), d: make([]float64, n), r: make([]float64, n), t: make([]float64, n)}
		b.alloc()
		b.reset()
		a, _ := spd(n, 1, 0.3)
		for range rng.IntN(6) {
			x := vector()
			var ax mat.VecDense
			ax.MulVec(a, mat.NewVecDense(n, x))
			b.update(x, slices.Clone(ax.RawVector().Data))
		}
		copy(b.x, vector())
		copy(b.g, vector())
		for i := range n {
			b.lo[i], b.hi[i] = b.x[i]-0.3*rng.Float64(), b.x[i]+0.3*rng.Float64()
		}
		h := denseBFGS(b)
		if !b.factor() || !b.cauchy() {
			t.Fatal("the model breaks down")
		}
		want, bound := slowCauchy(b, h), 0
		var free []int
		for i := range n {
			if math.Abs(b.xc[i]-b.x[i]-want[i]) > 1e-9 {
				t.Fatalf("%d pairs: the Cauchy point moves variable %d by %g, want %g", b.k, i, b.xc[i]-b.x[i], want[i])
			}
			if b.xc[i] > b.lo[i] && b.xc[i] < b.hi[i] {
				free = append(free, i)
			} else {
				bound++
			}
		}
		if bound > 1 && b.k > 1 {
			several++
		}
		if !b.newton(free) {
			t.Fatal("no minimiser over the free variables")
		}
		checkSubspace(t, b, h, want, free)
		checkFree(t, b, h)
	}
	if several < 50 {
		t.Errorf("only %d of 300 meet several bounds with several pairs", several)
	}
}

// checkFree compares the direction without bounds with that of the dense equations B d = -g.
func checkFree(t *testing.T, b *boxBFGS, h *mat.Dense) {
	t.Helper()
	var step mat.VecDense
	if err := step.SolveVec(h, mat.NewVecDense(len(b.g), b.g)); err != nil {
		t.Fatal(err)
	}
	if !b.quasiNewton() {
		t.Fatal("the direction without bounds does not descend")
	}
	for i, v := range b.d {
		if math.Abs(v+step.AtVec(i)) > 1e-7*(1+math.Abs(v)) {
			t.Fatalf("%d pairs: without bounds variable %d moves by %g, want %g", b.k, i, v, -step.AtVec(i))
		}
	}
}

// checkSubspace compares the step in b.t with that of the dense equations B_FF t = -(g + B z)_F.
func checkSubspace(t *testing.T, b *boxBFGS, h *mat.Dense, z []float64, free []int) {
	t.Helper()
	if len(free) == 0 {
		return
	}
	var hz, step mat.VecDense
	hz.MulVec(h, mat.NewVecDense(len(z), z))
	hff, rhs := mat.NewDense(len(free), len(free), nil), mat.NewVecDense(len(free), nil)
	for p, i := range free {
		rhs.SetVec(p, -b.g[i]-hz.AtVec(i))
		for q, j := range free {
			hff.Set(p, q, h.At(i, j))
		}
	}
	if err := step.SolveVec(hff, rhs); err != nil {
		t.Fatal(err)
	}
	for p, i := range free {
		if math.Abs(b.t[i]-step.AtVec(p)) > 1e-7*(1+math.Abs(step.AtVec(p))) {
			t.Fatalf("%d pairs: the minimiser moves variable %d by %g, want %g", b.k, i, b.t[i], step.AtVec(p))
		}
	}
}
