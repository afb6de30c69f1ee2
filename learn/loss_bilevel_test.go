package learn_test

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// Golden values of bi-level learning (after Klatzer 2014, chapters 2 and 3): a machine
// trained on eight rows and judged on five others, for both surrogates of the hinge, with
// the derivatives of two judgements by c and by every parameter of the kernel. Training is
// by Newton's method on
//
//	c alpha + V'(K alpha + b) = 0   (and 1'alpha = 0 with an offset b),
//
// the derivative by its adjoint [[c I + K D, 1], [h', 0]] [nu; nu_b] = -[W'r; 1'r], with
// h = V”, D = diag(h), W the kernel of the other rows and r the derivative by the outputs:
//
//	dH/dc = alpha'nu,  dH/dtheta = <r alpha', dW/dtheta> + <(h nu) alpha', dK/dtheta>
type bilevel struct {
	kernel kernel.Kernel
	c      float64
	offset bool
	loss   learn.Widener
	train  float64 // c/2 alpha'K alpha + sum V
	// judgements: 1/(2L) |f - y|^2 and sum max(0, 1 - y f)^2, and their derivatives by c
	// and by gamma = 1/(2 sigma^2), c_k or weight
	mse, hinge   float64
	dmse, dhinge []float64
}

func goldens() []bilevel {
	quartic, modlog := learn.Quartic(0.4), learn.ModLogistic(7.5)
	sigma := func(gamma float64) float64 { return 1 / math.Sqrt(2*gamma) }
	rbf := kernel.Gaussian{Sigma: sigma(2)}
	chi := kernel.ExpChi2{Sigma: sigma(2)}
	ard := kernel.ARDGaussian{Sigma: []float64{sigma(2), sigma(1)}}
	linear := kernel.ARDLinear{C: []float64{0.1, 0.3}}
	mkl := kernel.Sum{Terms: []kernel.Kernel{
		kernel.Scaled{Weight: 0.6, Base: kernel.Columns{Base: kernel.Gaussian{Sigma: sigma(2)}, Columns: []int{0}}},
		kernel.Scaled{Weight: 0.4, Base: kernel.Columns{Base: kernel.Gaussian{Sigma: sigma(1)}, Columns: []int{1}}},
	}}
	return []bilevel{
		{kernel.Linear{}, .1, true, quartic, 4.89705842823, .107435407373, .972781556154,
			[]float64{.0583355464644}, []float64{3.68426819402}},
		{linear, 1, true, quartic, 5.83198265935, .149942973554, 1.49942973554,
			[]float64{math.NaN(), .007948029202, .162924851279}, []float64{math.NaN(), .079480292019, 1.629248512788}},
		{rbf, .1, false, quartic, 3.62514156310, .122297356011, .887360044577,
			[]float64{-.793808037947, .060879075637}, []float64{-2.925850734008, .294212167897}},
		{chi, .1, false, quartic, 3.63168052668, .138851139552, .980993811326,
			[]float64{-.941153353866, .0556450185}, []float64{-3.996261259933, .289701749149}},
		{ard, .1, false, quartic, 4.39741614230, .0890575468705, .815970608157,
			[]float64{.111649420826, .010487800131, -.040648601105}, []float64{2.361617640992, .081658808949, -.5309978761}},
		{mkl, .1, false, quartic, 4.91937949860, .103219441955, 1.02912381801,
			[]float64{.305068714579, .000661853426, .000937631225, -.077259958784, -.040528009001},
			[]float64{3.334058613772, .012358698753, .010864211675, -.852052701572, -.435915229608}},
		{kernel.Linear{}, .1, true, modlog, 4.95951247434, .108571098837, .983696114247,
			[]float64{.0558562002679}, []float64{3.36507197145}},
		{linear, 1, true, modlog, 5.88764070137, .148517751835, 1.48517751835,
			[]float64{math.NaN(), .013526011127, .160944695213}, []float64{math.NaN(), .135260111272, 1.609446952129}},
		{rbf, .1, false, modlog, 3.72287177152, .117344039803, .846256825955,
			[]float64{-.850690998558, .066446244387}, []float64{-3.261459715997, .329717663947}},
		{chi, .1, false, modlog, 3.73297196753, .134357648584, .943615875732,
			[]float64{-1.073126203393, .065918625071}, []float64{-4.770905178897, .354367895314}},
		{ard, .1, false, modlog, 4.47857399056, .0891695728575, .808566755859,
			[]float64{.127045781237, .010515701486, -.038893331411}, []float64{2.604221985084, .085790721202, -.518653715493}},
		{mkl, .1, false, modlog, 5.00062585327, .103261321711, 1.02873713144,
			[]float64{.285606251355, .000473465349, .000655748121, -.072111760862, -.038802962949},
			[]float64{3.24523013302, .012715153622, .008853493712, -.830380263687, -.42986286279}},
	}
}

func TestGoldenBilevel(t *testing.T) {
	const l = 8
	rows := data.Rows{Dense: mat.NewDense(13, 2, []float64{
		.2, .7, .9, .4, .5, .1, .3, .9, .8, .8, .1, .3, .6, .5, .7, .2,
		.4, .6, .7, .3, .2, .2, .9, .9, .55, .45})}
	y := []float64{1, -1, -1, 1, 1, -1, -1, 1, 1, -1, -1, 1, -1}
	train, other := []int{0, 1, 2, 3, 4, 5, 6, 7}, []int{8, 9, 10, 11, 12}
	for _, c := range goldens() {
		g, err := c.kernel.Bind(context.Background(), rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		k, w := mat.NewDense(l, l, nil), mat.NewDense(5, l, nil)
		g.Block(k, train, train)
		g.Block(w, other, train)
		x := mat.NewDense(l+1, 1, nil)
		for by := 64.0; by >= 1; by /= 2 { // widest first: in narrow zones most steps see no curvature
			newton(t, c, c.loss.Widened(by), k, y[:l], x)
		}
		alpha := x.Slice(0, l, 0, 1).(*mat.Dense)
		var f mat.Dense
		f.Mul(k, alpha)
		h, objective := make([]float64, l), c.c/2*mat.Dot(alpha.ColView(0), f.ColView(0))
		for i := range l {
			_, h[i] = c.loss.Derivatives(y[i], f.At(i, 0)+x.At(l, 0))
			objective += c.loss.Value(y[i], f.At(i, 0)+x.At(l, 0))
		}
		near(t, c, "objective", objective, c.train)
		f.Reset()
		f.Mul(w, alpha)
		r := [2]*mat.Dense{mat.NewDense(5, 1, nil), mat.NewDense(5, 1, nil)}
		var mse, hinge float64
		for i, p := range other {
			o := f.At(i, 0) + x.At(l, 0)
			d, z := o-y[p], max(0, 1-y[p]*o)
			mse += d * d / 10
			hinge += z * z
			r[0].Set(i, 0, d/5)
			r[1].Set(i, 0, -2*y[p]*z)
		}
		near(t, c, "squared error", mse, c.mse)
		near(t, c, "squared hinge", hinge, c.hinge)
		for q, want := range [][]float64{c.dmse, c.dhinge} {
			got := adjoint(t, c, g, k, w, alpha, h, r[q], train, other)
			for p, v := range want {
				if !math.IsNaN(v) { // c is fixed where the penalties are free
					near(t, c, "derivative", got[p], v)
				}
			}
		}
	}
}

// newton moves x = alpha and b to the machine with loss v, by steps halved while the
// residual grows.
func newton(t *testing.T, c bilevel, v learn.Loss, k *mat.Dense, y []float64, x *mat.Dense) {
	t.Helper()
	l := len(y)
	residual := func(x *mat.Dense) (res *mat.Dense, h []float64) {
		var f mat.Dense
		f.Mul(k, x.Slice(0, l, 0, 1))
		res, h = mat.NewDense(l+1, 1, nil), make([]float64, l)
		for i := range l {
			var d float64
			d, h[i] = v.Derivatives(y[i], f.At(i, 0)+x.At(l, 0))
			res.Set(i, 0, c.c*x.At(i, 0)+d)
		}
		if res.Set(l, 0, x.At(l, 0)); c.offset { // without an offset b = 0
			res.Set(l, 0, mat.Sum(x)-x.At(l, 0))
		}
		return res, h
	}
	for range 500 {
		res, h := residual(x)
		size := mat.Norm(res, 2)
		if size < 1e-13 {
			return
		}
		m := mat.NewDense(l+1, l+1, nil)
		for i := range l {
			for j := range l {
				m.Set(i, j, h[i]*k.At(i, j))
			}
			m.Set(i, i, m.At(i, i)+c.c)
			if c.offset {
				m.Set(i, l, h[i])
				m.Set(l, i, 1)
			}
		}
		if !c.offset {
			m.Set(l, l, 1)
		}
		var step, next mat.Dense
		if err := step.Solve(m, res); err != nil && step.IsEmpty() {
			t.Fatal(err)
		}
		for s := 1.0; ; s /= 2 {
			next.Scale(-s, &step)
			next.Add(&next, x)
			if r, _ := residual(&next); mat.Norm(r, 2) < size || s < 1e-6 {
				break
			}
			next.Reset()
		}
		x.Copy(&next)
	}
	t.Fatalf("%#v on %T: Newton's method does not end", v, c.kernel)
}

// adjoint returns the derivatives by c and the kernel's parameters.
func adjoint(t *testing.T, c bilevel, g kernel.Gram, k, w, alpha *mat.Dense, h []float64, r *mat.Dense, train, other []int) []float64 {
	t.Helper()
	l := len(h)
	m, rhs := mat.NewDense(l+1, l+1, nil), mat.NewDense(l+1, 1, nil)
	var wr mat.Dense
	wr.Mul(w.T(), r)
	for i := range l {
		for j := range l {
			m.Set(i, j, k.At(i, j)*h[j])
		}
		m.Set(i, i, m.At(i, i)+c.c)
		rhs.Set(i, 0, -wr.At(i, 0))
		if c.offset {
			m.Set(i, l, 1)
			m.Set(l, i, h[i])
		}
	}
	if rhs.Set(l, 0, -mat.Sum(r)); !c.offset {
		m.Set(l, l, 1)
	}
	var nu mat.Dense
	if err := nu.Solve(m, rhs); err != nil {
		t.Fatal(err)
	}
	q := mat.NewDense(l, 1, nil)
	var dc float64
	for i := range l {
		dc += alpha.At(i, 0) * nu.At(i, 0)
		q.Set(i, 0, h[i]*nu.At(i, 0))
	}
	space := c.kernel.Space()
	grad := make([]float64, len(space))
	if err := g.Pull(grad, kernel.Cotangent{I: other, J: train, U: r, V: alpha}); err != nil {
		t.Fatal(err)
	}
	if err := g.Pull(grad, kernel.Cotangent{I: train, J: train, U: q, V: alpha}); err != nil {
		t.Fatal(err)
	}
	for p, d := range space {
		if len(d.Name) >= 5 && d.Name[:5] == "sigma" { // gamma = 1/(2 sigma^2)
			grad[p] *= -d.Default * d.Default * d.Default
		}
	}
	return append([]float64{dc}, grad...)
}

// near allows 1e-9: one of the golden derivatives, modlog's of the linear machine, is
// 6e-10 from differences of five points, which agree with ours to 5e-13.
func near(t *testing.T, c bilevel, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
		t.Errorf("%s on %T: %s %.12g, expected %.12g", c.loss.Name(), c.kernel, what, got, want)
	}
}
