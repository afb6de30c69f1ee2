package s3vm

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// gaussianMean is E f(t + s e), e standard normal, by the trapezoidal rule, which is exact to rounding for what
// falls off so fast; the kink of the hinge costs h^3.
func gaussianMean(f func(float64) float64, t, s float64) float64 {
	const h = 1e-4
	sum := 0.0
	for e := -12.0; e <= 12; e += h {
		sum += h * f(t+s*e) * math.Exp(-e*e/2) / math.Sqrt(2*math.Pi)
	}
	return sum
}

func TestSmoothedLossesAreMeans(t *testing.T) {
	for name, loss := range map[string]func(x, variance float64) (float64, float64){"hinge": hingeLoss, "bell": bellLoss} {
		for _, s := range []float64{0.05, 0.7, 3} {
			for _, x := range []float64{-4, -1, -0.2, 0, 0.3, 1, 5} {
				plain := func(x float64) float64 { v, _ := loss(x, 0); return v }
				slope := func(x float64) float64 { _, v := loss(x, 0); return v }
				value, derivative := loss(x, s*s)
				if want := gaussianMean(plain, x, s); math.Abs(value-want) > 1e-8*(1+want) {
					t.Errorf("%s(%g) with width %g: %g, quadrature gives %g", name, x, s, value, want)
				}
				if want := gaussianMean(slope, x, s); math.Abs(derivative-want) > 1e-7*(1+math.Abs(want)) {
					t.Errorf("derivative of %s(%g) with width %g: %g, quadrature gives %g", name, x, s, derivative, want)
				}
			}
		}
	}
}

// The objective of a stage is the mean of the last one's over places around w, but for the norm's constant.
func TestSmoothedObjectiveIsAMean(t *testing.T) {
	for _, offset := range []bool{true, false} {
		p := small(t, offset)
		_, p.K = tableOf(t, kernel.Linear{}, data.Rows{Dense: random(3, 14, 3)})
		d, err := newDescent(t.Context(), nil, p)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.at(0.2); err != nil {
			t.Fatal(err)
		}
		v := []float64{0.3, -0.4, 0.2}
		d.free(v)
		const tau = 0.5
		d.lengths()
		d.stage = stage{weight: 1, width: tau}
		smooth, _ := d.eval(t.Context(), v, nil)
		d.stage = finalStage
		// Gauss and Hermite's rule with trapezoids: three normal directions, of which those that are free count.
		mean, total := 0.0, 0.0
		const h = 0.25
		for a := -6.0; a <= 6; a += h {
			for b := -6.0; b <= 6; b += h {
				for c := -6.0; c <= 6; c += h {
					e := []float64{a, b, c}
					weight := math.Exp(-(a*a + b*b + c*c) / 2)
					d.free(e)
					at := []float64{v[0] + tau*e[0], v[1] + tau*e[1], v[2] + tau*e[2]}
					value, _ := d.eval(t.Context(), at, nil)
					mean += weight * value
					total += weight
				}
			}
		}
		dims := 3.0
		if !offset {
			dims = 2
		}
		if want := mean/total - dims*tau*tau/2; math.Abs(smooth-want) > 1e-4*want {
			t.Errorf("offset %v: %g, the mean is %g", offset, smooth, want)
		}
	}
}

// The first problem is convex: its Hessian by differences of the gradient has no negative eigenvalue, where the
// last problem's has.
func TestContinuationBeginsConvex(t *testing.T) {
	for _, offset := range []bool{true, false} {
		p := small(t, offset)
		p.C = 50
		d, err := newDescent(t.Context(), nil, p)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.at(0.2); err != nil {
			t.Fatal(err)
		}
		stages, err := d.widths(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(stages) != widthSteps+1 || stages[len(stages)-1] != finalStage {
			t.Fatalf("stages %v", stages)
		}
		for i, s := range stages[1:] {
			if s.width >= stages[i].width {
				t.Errorf("width %g after %g", s.width, stages[i].width)
			}
		}
		at := make([]float64, len(d.mean)) // where the bells are steepest downwards: f is constant
		if least := curvature(t, d, stages[0], at); least < -1e-6 {
			t.Errorf("offset %v: the first problem has the curvature %g", offset, least)
		}
		if least := curvature(t, d, finalStage, at); least > -1 {
			t.Errorf("offset %v: the last problem has the curvature %g; choose a harder one", offset, least)
		}
	}
}

// curvature is the smallest eigenvalue of the Hessian.
func curvature(t *testing.T, d *descent, s stage, v []float64) float64 {
	t.Helper()
	d.stage = s
	dim := len(v)
	h := mat.NewSymDense(dim, nil)
	const step = 1e-5
	up, down := make([]float64, dim), make([]float64, dim)
	for j := range v {
		at := append([]float64(nil), v...)
		at[j] += step
		_, _ = d.eval(t.Context(), at, up)
		at[j] -= 2 * step
		_, _ = d.eval(t.Context(), at, down)
		for i := range j + 1 {
			h.SetSym(i, j, (up[i]-down[i])/(2*step))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(h, false) {
		t.Fatal("no eigenvalues")
	}
	return e.Values(nil)[0]
}

// Of two clouds and a linear function it finds a minimum that is no worse than those from a hundred random starts.
func TestContinuationOnClusters(t *testing.T) {
	p := clouds(60, 4, 9, true)
	x := random(9, 60, 5)
	for a, i := range p.Rows {
		p.Rows[a] = a // every other row is of a cloud
		x.Set(i, 0, x.At(i, 0)+1.6*float64(1-2*(i%2)))
	}
	p.Y, p.Weight, p.C, p.Unlabelled, p.Positive = []float64{1, -1, 1, -1}, nil, 1, 1, 0.5
	_, p.K = tableOf(t, kernel.Linear{}, data.Rows{Dense: x})
	s, err := Continuation{}.Solve(t.Context(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := newDescent(t.Context(), nil, p)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.at(0); err != nil {
		t.Fatal(err)
	}
	better := 0
	for seed := range uint64(100) {
		r, err := d.descend(t.Context(), finalStage, random(seed, len(d.mean), 1).RawMatrix().Data, 1e-6, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if r.F < s.Certificate.Objective-1e-8 {
			better++
		}
	}
	if better > 0 {
		t.Errorf("%d of 100 random starts end lower than %g", better, s.Certificate.Objective)
	}
}
