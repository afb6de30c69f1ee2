// Package graphtest holds the checks that every graph.Operator must pass.
//
// A promise that all operators must keep is a check that is added here.
package graphtest

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// Operator checks that r is linear, symmetric, positive semi-definite, leaves its
// argument alone, answers concurrent calls alike, does not depend on GOMAXPROCS,
// panics at wrong shapes and, if r is graph.Tunable, that its Space describes it
// and Pull agrees with central differences to 1e-6.
func Operator(t *testing.T, r graph.Operator) {
	t.Helper()
	t.Run("products", func(t *testing.T) { products(t, r) })
	t.Run("concurrent", func(t *testing.T) { concurrent(t, r) })
	t.Run("shapes", func(t *testing.T) { shapes(t, r) })
	t.Run("space", func(t *testing.T) { space(t, r) })
	t.Run("pull", func(t *testing.T) { pull(t, r) })
}

// Normal returns an n x k matrix of standard normal numbers.
func Normal(seed uint64, n, k int) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 7))
	m := mat.NewDense(n, k, nil)
	for i := range n {
		for j := range k {
			m.Set(i, j, rng.NormFloat64())
		}
	}
	return m
}

func times(r graph.Operator, x *mat.Dense) *mat.Dense {
	n, k := x.Dims()
	dst := mat.NewDense(n, k, nil)
	for i := range n { // what stands in dst must not matter
		for j := range k {
			dst.Set(i, j, math.NaN())
		}
	}
	r.MulTo(dst, x)
	return dst
}

func inner(a, b *mat.Dense) float64 {
	n, _ := a.Dims()
	sum := 0.0
	for i := range n {
		sum += mat.Dot(a.RowView(i), b.RowView(i))
	}
	return sum
}

func products(t *testing.T, r graph.Operator) {
	n := r.Len()
	x, y := Normal(1, n, 3), Normal(2, n, 3)
	before := mat.DenseCopyOf(x)
	rx, ry := times(r, x), times(r, y)
	if !mat.Equal(x, before) {
		t.Error("MulTo changes its argument")
	}
	scale := mat.Norm(rx, 2)*mat.Norm(y, 2) + mat.Norm(ry, 2)*mat.Norm(x, 2)
	if a, b := inner(rx, y), inner(x, ry); math.Abs(a-b) > 1e-12*scale {
		t.Errorf("<Rx, y> = %g, <x, Ry> = %g", a, b)
	}
	if q := inner(x, rx); q < -1e-12*scale {
		t.Errorf("x'Rx = %g is negative", q)
	}
	var z, want mat.Dense
	z.Scale(2, x)
	z.Sub(&z, y)
	want.Scale(2, rx)
	want.Sub(&want, ry)
	want.Sub(&want, times(r, &z))
	if e := mat.Norm(&want, 2); e > 1e-12*(mat.Norm(rx, 2)+mat.Norm(ry, 2)) {
		t.Errorf("R(2x - y) differs from 2Rx - Ry by %g", e)
	}
	wide := mat.NewDense(n, 5, nil)
	view := wide.Slice(0, n, 1, 4).(*mat.Dense)
	view.Copy(x)
	if !mat.EqualApprox(times(r, view), rx, 1e-13*(1+mat.Norm(rx, math.Inf(1)))) {
		t.Error("MulTo of a strided view differs")
	}
}

func concurrent(t *testing.T, r graph.Operator) {
	x := Normal(3, r.Len(), 40)
	grads := make([][]float64, 6)
	got := make([]*mat.Dense, len(grads))
	run := func(k int) {
		got[k] = times(r, x)
		grads[k] = make([]float64, len(r.Space()))
		r.Pull(grads[k], x, got[k])
	}
	old := runtime.GOMAXPROCS(1)
	run(0)
	runtime.GOMAXPROCS(4)
	var wg sync.WaitGroup
	for k := 1; k < len(grads); k++ {
		wg.Go(func() { run(k) })
	}
	wg.Wait()
	runtime.GOMAXPROCS(old)
	for k := range grads {
		if !mat.EqualApprox(got[k], got[0], 1e-13*(1+mat.Norm(got[0], math.Inf(1)))) {
			t.Errorf("product %d differs from the product on one thread", k)
		}
		for p, g := range grads[k] {
			if math.Abs(g-grads[0][p]) > 1e-12*(1+math.Abs(g)) {
				t.Errorf("derivative %d is %g, on one thread %g", p, g, grads[0][p])
			}
		}
	}
}

func shapes(t *testing.T, r graph.Operator) {
	n := r.Len()
	mustPanic := func(what string, f func()) {
		t.Helper()
		defer func() {
			if recover() == nil {
				t.Errorf("%s does not panic", what)
			}
		}()
		f()
	}
	mustPanic("a short product", func() { r.MulTo(mat.NewDense(n, 2, nil), mat.NewDense(n+1, 2, nil)) })
	mustPanic("a narrow destination", func() { r.MulTo(mat.NewDense(n, 1, nil), mat.NewDense(n, 2, nil)) })
	mustPanic("a long gradient", func() {
		r.Pull(make([]float64, len(r.Space())+1), mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil))
	})
}

func space(t *testing.T, r graph.Operator) {
	names := map[string]bool{}
	for _, d := range r.Space() {
		if names[d.Name] {
			t.Errorf("two parameters are named %q", d.Name)
		}
		names[d.Name] = true
		if !(d.Lo <= d.Default && d.Default <= d.Hi) {
			t.Errorf("%s: default %g outside %g to %g", d.Name, d.Default, d.Lo, d.Hi)
		}
		if d.Kind == param.Log && d.Lo <= 0 {
			t.Errorf("%s: lower bound %g of a logarithmic parameter", d.Name, d.Lo)
		}
		if d.Kind == param.Integer || d.Kind == param.Choice {
			t.Errorf("%s is not continuous", d.Name)
		}
	}
}

func pull(t *testing.T, r graph.Operator) {
	s := r.Space()
	if len(s) == 0 {
		return
	}
	tunable, ok := r.(graph.Tunable)
	if !ok {
		t.Fatal("parameters but no With")
	}
	n := r.Len()
	u, v := Normal(4, n, 3), Normal(5, n, 3)
	theta := make([]float64, len(s))
	for k, d := range s {
		theta[k] = d.Default
	}
	at := func(k int, delta float64) float64 {
		moved := append([]float64(nil), theta...)
		moved[k] += delta
		o, err := tunable.With(moved)
		if err != nil {
			t.Fatal(err)
		}
		if got := o.Space()[k].Default; got != moved[k] {
			t.Errorf("%s: With(%g) gives an operator at %g", s[k].Name, moved[k], got)
		}
		return inner(u, times(o, v))
	}
	if a, b := at(0, 0), inner(u, times(r, v)); math.Abs(a-b) > 1e-12*(1+math.Abs(b)) {
		t.Errorf("With(the present values) changes the operator: %g, was %g", a, b)
	}
	const start = 0.75 // Pull must add, not store
	grad := make([]float64, len(s))
	for k := range grad {
		grad[k] = start
	}
	r.Pull(grad, u, v)
	for k, d := range s {
		h := 1e-3 * math.Max(math.Abs(theta[k]), 1e-3)
		// Fourth order: (8 (f(h) - f(-h)) - (f(2h) - f(-2h)))/(12 h).
		want := (8*(at(k, h)-at(k, -h)) - (at(k, 2*h) - at(k, -2*h))) / (12 * h)
		got := grad[k] - start
		if math.Abs(got-want) > 1e-6*(math.Abs(want)+1e-3*math.Abs(at(k, 0)/theta[k])) {
			t.Errorf("d/d%s = %.10g, central difference %.10g", d.Name, got, want)
		}
	}
}
