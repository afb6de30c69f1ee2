package complexity

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/internal/blas"
	"gonum.org/v1/gonum/mat"
)

// draw returns n points of the plane, their Gram matrix and coefficients.
func draw(n int, k func(x, z []float64) float64) (x, g *mat.Dense, alpha []float64) {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	x = mat.NewDense(n, 2, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, x)
	alpha = make([]float64, n)
	for i := range alpha {
		alpha[i] = rng.NormFloat64()
	}
	return x, gram(x, x, k), alpha
}

func gram(x, z *mat.Dense, k func(x, z []float64) float64) *mat.Dense {
	n, _ := x.Dims()
	m, _ := z.Dims()
	g := mat.NewDense(n, m, nil)
	g.Apply(func(i, j int, _ float64) float64 { return k(x.RawRowView(i), z.RawRowView(j)) }, g)
	return g
}

func gaussian(sigma float64) func(x, z []float64) float64 {
	return func(x, z []float64) float64 {
		r := 0.0
		for i := range x {
			r += (x[i] - z[i]) * (x[i] - z[i])
		}
		return math.Exp(-r / (2 * sigma * sigma))
	}
}

func poly(p, c float64) func(x, z []float64) float64 {
	return func(x, z []float64) float64 {
		s := 0.0
		for i := range x {
			s += x[i] * z[i]
		}
		return math.Pow(s+c, p)
	}
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*max(math.Abs(want), 1e-300)) {
		t.Errorf("%s: %.15g, want %.15g", what, got, want)
	}
}

func reference(t *testing.T, g, ref *mat.Dense, floor float64) *Reference {
	t.Helper()
	r, err := NewReference(mat.DenseCopyOf(g), ref, floor)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// k/c with c alpha is the same function: Q_norm and Q_ref do not see the difference, the norm does.
func TestKernelScaling(t *testing.T) {
	for name, k := range map[string]func(x, z []float64) float64{"gaussian": gaussian(0.7), "polynomial": poly(9, 1)} {
		_, g, alpha := draw(14, k)
		for _, c := range []float64{1e-3, 7, 1e6} {
			h := mat.DenseCopyOf(g)
			h.Scale(1/c, h)
			beta := make([]float64, len(alpha))
			for i := range beta {
				beta[i] = c * alpha[i]
			}
			near(t, name+" Q_norm", Normalised(h, beta), Normalised(g, alpha), 1e-12)
			near(t, name+" Q_rkhs", RKHS(h, beta), c*RKHS(g, alpha), 1e-10)
			near(t, name+" Q_ref", reference(t, h, nil, 1e-12).Of(beta), reference(t, g, nil, 1e-12).Of(alpha), 1e-6)
		}
	}
	_, g, alpha := draw(9, gaussian(1))
	near(t, "constant diagonal", Normalised(g, alpha), RKHS(g, alpha), 1e-13)
}

// The three forms of E, eqs 5.22, 5.26 and 5.31: distances from spans by least squares,
// projections, and the inverse's diagonal.
func TestStability(t *testing.T) {
	const n = 8
	_, g, alpha := draw(n, gaussian(0.8))
	var r mat.Cholesky
	r.Factorize(mat.NewSymDense(n, mat.DenseCopyOf(g).RawMatrix().Data))
	var u mat.TriDense
	r.UTo(&u) // columns are vectors with Gram matrix g
	f := mat.NewVecDense(n, nil)
	f.MulVec(&u, mat.NewVecDense(n, alpha))
	want, projected := 0.0, 0.0
	for i := range n {
		span := mat.NewDense(n, n-1, nil)
		for q, j := 0, 0; j < n; j++ {
			if j == i {
				continue
			}
			for k := range n {
				span.Set(k, q, u.At(k, j))
			}
			q++
		}
		var coef, fit mat.VecDense
		if err := coef.SolveVec(span, f); err != nil {
			t.Fatal(err)
		}
		fit.MulVec(span, &coef)
		projected += mat.Dot(f, &fit)
		fit.SubVec(f, &fit)
		want += mat.Dot(&fit, &fit)
	}
	e, err := stability(g, alpha)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "distances", e, want, 1e-9)
	near(t, "projections", e, n*RKHS(g, alpha)-projected, 1e-9)
	if _, err := stability(gram(mat.NewDense(3, 2, nil), mat.NewDense(3, 2, nil), gaussian(1)), []float64{1, 2, 3}); err == nil {
		t.Error("dependent features accepted")
	}
}

// Q_ref is the damage of leaving out each column and fitting the responses again; and E of the
// reference image under U, U'U = G G_ref^-1 G.
func TestReference(t *testing.T) {
	const n = 9
	x, g, alpha := draw(n, gaussian(0.9))
	y := mat.NewVecDense(n, nil)
	y.MulVec(g, mat.NewVecDense(n, alpha))
	want := 0.0
	for i := range n {
		left := mat.NewDense(n, n-1, nil)
		for q, j := 0, 0; j < n; j++ {
			if j != i {
				left.SetCol(q, mat.Col(nil, j, g))
				q++
			}
		}
		var beta, fit mat.VecDense
		if err := beta.SolveVec(left, y); err != nil {
			t.Fatal(err)
		}
		fit.MulVec(left, &beta)
		fit.SubVec(y, &fit)
		want += mat.Dot(&fit, &fit)
	}
	r := reference(t, g, nil, 0)
	near(t, "left out", r.Of(alpha), want, 1e-7)
	if r.Rank != n {
		t.Errorf("rank %d of %d", r.Rank, n)
	}
	eye := mat.NewDense(n, n, nil)
	for i := range n {
		eye.Set(i, i, 1)
	}
	near(t, "explicit identity", reference(t, g, eye, 0).Of(alpha), r.Of(alpha), 1e-9)
	near(t, "identity kernel", reference(t, eye, nil, 0).Of(alpha), mat.Dot(mat.NewVecDense(n, alpha), mat.NewVecDense(n, alpha)), 1e-12)
	ref := gram(x, x, gaussian(0.4))
	var inv, uu mat.Dense
	if err := inv.Inverse(ref); err != nil {
		t.Fatal(err)
	}
	uu.Product(g, &inv, g)
	image, err := stability(&uu, alpha)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "other reference", reference(t, g, ref, 0).Of(alpha), image, 1e-6)
}

// stability is E(f) = sum_i alpha_i^2/(G^-1)_ii, the sum over i of the squared distances of f from
// the span of all features but the i-th (eqs 5.22 to 5.31). G must be positive definite.
func stability(g *mat.Dense, alpha []float64) (float64, error) {
	var c blas.Cholesky
	inv := mat.DenseCopyOf(g)
	if err := c.Factor(inv); err != nil {
		return 0, fmt.Errorf("complexity: the rows' features are dependent: %w", err)
	}
	c.Inverse()
	var e float64
	for i, a := range alpha {
		e += a * a / inv.At(i, i)
	}
	return e, nil
}

// In a kernel of deficient rank the floor alone decides: 1/d is proportional to its square.
func TestReferenceFloor(t *testing.T) {
	_, g, alpha := draw(12, poly(2, 1)) // rank 6
	a, b := reference(t, g, nil, 1e-10), reference(t, g, nil, 1e-8)
	if a.Rank != 6 || b.Rank != 6 {
		t.Errorf("ranks %d and %d, want 6", a.Rank, b.Rank)
	}
	near(t, "floor", b.Of(alpha)/a.Of(alpha), 1e4, 1e-2)
}

func TestDistinct(t *testing.T) {
	x := mat.NewDense(5, 2, []float64{1, 2, 0, 0, 1, 2, math.Copysign(0, -1), 0, 3, 4})
	number, first := Distinct(x)
	for i, want := range []int{0, 1, 0, 1, 2} {
		if number[i] != want {
			t.Fatalf("numbers %v", number)
		}
	}
	if len(first) != 3 || first[2] != 4 {
		t.Errorf("first %v", first)
	}
}
