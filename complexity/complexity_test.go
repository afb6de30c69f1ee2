package complexity

import (
	"math"
	"math/rand/v2"
	"testing"

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
	e, err := Stability(g, alpha)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "distances", e, want, 1e-9)
	near(t, "projections", e, n*RKHS(g, alpha)-projected, 1e-9)
	if _, err := Stability(gram(mat.NewDense(3, 2, nil), mat.NewDense(3, 2, nil), gaussian(1)), []float64{1, 2, 3}); err == nil {
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
	image, err := Stability(&uu, alpha)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "other reference", reference(t, g, ref, 0).Of(alpha), image, 1e-6)
	margin, err := Margin(g, ref, alpha)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "margin", margin, RKHS(&uu, alpha), 1e-8)
	plain, _ := Margin(g, nil, alpha)
	near(t, "margin of responses", plain, mat.Dot(y, y), 1e-12)
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

// <Phi_ref(x), Phi*(z)> = k: on a common eigenbasis lambda* lambda_ref = lambda^2, here by
// quadrature for Gaussians, by explicit monomials for polynomials.
func TestAuxiliaryKernels(t *testing.T) {
	const sigma, sigmaRef = 0.8, 0.5
	betaRef := 1 / (sigmaRef * math.Sqrt(2*math.Pi))
	beta, width, err := AuxiliaryGaussian(1, sigma, betaRef, sigmaRef, 1)
	if err != nil {
		t.Fatal(err)
	}
	// Fourier transforms of beta exp(-r^2/2s^2): beta s sqrt(2 pi) exp(-s^2 w^2/2).
	hat := func(b, s, w float64) float64 { return b * s * math.Sqrt(2*math.Pi) * math.Exp(-s*s*w*w/2) }
	for _, w := range []float64{0, 0.7, 2} {
		near(t, "spectrum", hat(beta, width, w)*hat(betaRef, sigmaRef, w), math.Pow(hat(1, sigma, w), 2), 1e-12)
	}
	if _, _, err := AuxiliaryGaussian(1, 0.3, 1, 0.5, 2); err == nil {
		t.Error("a width below sigma_ref/sqrt 2 accepted")
	}
	small := 1e-4
	b0, w0, _ := AuxiliaryGaussian(1, sigma, 1/(small*math.Sqrt(2*math.Pi)), small, 1)
	bd, wd := AuxiliaryDirac(sigma, 1)
	near(t, "Dirac limit", b0, bd, 1e-6)
	near(t, "Dirac width", w0, wd, 1e-6)
	// alpha'G* alpha is the integral of f^2.
	c, alpha := []float64{-0.5, 0.2, 1.1}, []float64{1, -2, 0.7}
	var form, integral float64
	for i := range c {
		for j := range c {
			form += alpha[i] * alpha[j] * bd * math.Exp(-(c[i]-c[j])*(c[i]-c[j])/(2*wd*wd))
		}
	}
	for v := -9.0; v < 9; v += 1e-3 {
		f := 0.0
		for j := range c {
			f += alpha[j] * math.Exp(-(v-c[j])*(v-c[j])/(2*sigma*sigma))
		}
		integral += f * f * 1e-3
	}
	near(t, "integral of f^2", form, integral, 1e-6)
	coef := AuxiliaryPolynomial(3, 2, 0.5)
	for j, want := range []float64{0.015625, 2.25, 36, 64} { // (0.5^3)^2, (3*2*0.25)^2, (3*4*0.5)^2, 8^2
		near(t, "polynomial", coef[j], want, 1e-12)
	}
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
