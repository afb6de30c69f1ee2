package smooth_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/dual"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// tilted is a loss plus rho_i f on the row whose target is y: rows are told apart by
// targets, which the tests make distinct.
type tilted struct {
	learn.Loss
	rho map[float64]float64
	y   map[float64]float64 // the true target behind each
}

func (l tilted) Classes() bool { return false }
func (l tilted) Value(y, f float64) float64 {
	return l.Loss.Value(l.y[y], f) + l.rho[y]*f
}
func (l tilted) Derivatives(y, f float64) (float64, float64) {
	d1, d2 := l.Loss.Derivatives(l.y[y], f)
	return d1 + l.rho[y], d2
}

// tilt fits p with h sum rho_i f_i added to the objective, rows of weight 1 and C = 1.
func tilt(t *testing.T, p smooth.Problem, rho []float64, h float64) *smooth.Solution {
	t.Helper()
	l := tilted{Loss: p.Loss, rho: map[float64]float64{}, y: map[float64]float64{}}
	q := p
	q.Loss = l
	q.Y = make([]float64, len(p.Y))
	for i, y := range p.Y {
		q.Y[i] = float64(i + 1)
		l.y[q.Y[i]], l.rho[q.Y[i]] = y, h*rho[i]
	}
	return fit(t, q, smooth.Options{Tolerance: 1e-13})
}

// Perturb is the derivative of refits, Pull its transpose.
func TestResponse(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	const n, h = 30, 1e-5
	for _, v := range smoothLosses() {
		for _, o := range offsets {
			p := problem(n, v, o, 1)
			s := fit(t, p, smooth.Options{Tolerance: 1e-13})
			rho, betaBar, bBar := make([]float64, n), make([]float64, n), rng.NormFloat64()
			for i := range rho {
				rho[i], betaBar[i] = rng.NormFloat64(), rng.NormFloat64()
			}
			beta, b, f, err := s.Perturb(context.Background(), rho)
			if err != nil {
				t.Fatal(err)
			}
			up, down := tilt(t, p, rho, h), tilt(t, p, rho, -h)
			what := v.Name() + " " + o.String()
			for i := range beta {
				near(t, what+": beta'", beta[i], (up.Beta[i]-down.Beta[i])/(2*h), 2e-6)
				near(t, what+": f'", f[i], (up.F[i]-down.F[i])/(2*h), 2e-6)
			}
			near(t, what+": b'", b, (up.B-down.B)/(2*h), 2e-6)
			bar, err := s.Pull(context.Background(), betaBar, bBar)
			if err != nil {
				t.Fatal(err)
			}
			near(t, what+": transpose", floats.Dot(bar, rho), floats.Dot(betaBar, beta)+bBar*b, 1e-9)
			s.Release()
			again, err := s.Pull(context.Background(), betaBar, bBar)
			if err != nil {
				t.Fatal(err)
			}
			near(t, what+": after Release", again[3], bar[3], 1e-10)
		}
	}
}

// The recipe of response.go for a parameter: the derivative of J = <u, f_new> by C and by
// the width of the kernel, explicit parts included.
func TestHypergradient(t *testing.T) {
	const n, h = 40, 1e-5
	x, y := sample(n, true, 11)
	z, _ := sample(10, true, 12)
	rng := rand.New(rand.NewPCG(4, 4))
	u := make([]float64, 10)
	for i := range u {
		u[i] = rng.NormFloat64()
	}
	for _, v := range []learn.Loss{learn.Logistic(), learn.SquaredHinge()} {
		for _, o := range offsets {
			at := func(c, sigma float64) (*smooth.Solution, float64) {
				s := fit(t, smooth.Problem{K: gaussian(x, x, sigma), Y: y, C: c, Loss: v, Offset: o}, smooth.Options{Tolerance: 1e-13})
				cross := gaussian(z, x, sigma)
				var j float64
				for q, w := range u {
					j += w * (floats.Dot(cross.RawRowView(q), s.Beta) + s.B)
				}
				return s, j
			}
			s, _ := at(3, 1)
			cross := gaussian(z, x, 1)
			betaBar, bBar := make([]float64, n), 0.0
			for q, w := range u {
				floats.AddScaled(betaBar, w, cross.RawRowView(q))
				bBar += w
			}
			if o == smooth.None {
				bBar = 0
			}
			bar, err := s.Pull(context.Background(), betaBar, bBar)
			if err != nil {
				t.Fatal(err)
			}
			dK := func(a, b *mat.Dense) *mat.Dense { // by sigma, at 1
				up, down := gaussian(a, b, 1+h), gaussian(a, b, 1-h)
				up.Sub(up, down)
				up.Scale(1/(2*h), up)
				return up
			}
			var dC, dSigma float64
			dTrain, dCross := dK(x, x), dK(z, x)
			for i, r := range bar {
				d1, d2 := v.Derivatives(y[i], s.F[i])
				dC += r * d1
				dSigma += r * 3 * d2 * floats.Dot(dTrain.RawRowView(i), s.Beta)
			}
			for q, w := range u {
				dSigma += w * floats.Dot(dCross.RawRowView(q), s.Beta)
			}
			_, up := at(3+h, 1)
			_, down := at(3-h, 1)
			near(t, v.Name()+" "+o.String()+": dJ/dC", dC, (up-down)/(2*h), 1e-6)
			_, up = at(3, 1+h)
			_, down = at(3, 1-h)
			near(t, v.Name()+" "+o.String()+": dJ/dsigma", dSigma, (up-down)/(2*h), 1e-6)
		}
	}
}

// Leave-one-out against refits: exact for the square loss and for rows without gradient,
// near for the others, and nearer the less a row weighs.
func TestLeaveOneOut(t *testing.T) {
	for _, v := range smoothLosses() {
		for _, o := range offsets {
			var worst [2]float64
			for q, n := range []int{30, 120} {
				if n > 30 && testing.Short() {
					break
				}
				p := problem(n, v, o, 30/float64(n))
				s := fit(t, p, smooth.Options{Tolerance: 1e-12})
				got, err := s.LeaveOneOut(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				p.Weight = make([]float64, n)
				for i := range p.Weight {
					p.Weight[i] = 1
				}
				for i := range min(n, 30) {
					p.Weight[i] = 0
					r, err := smooth.Newton(context.Background(), p, smooth.Options{Tolerance: 1e-12}, s)
					p.Weight[i] = 1
					if err != nil {
						t.Fatal(err)
					}
					e := math.Abs(got[i] - r.F[i])
					if d1, _ := v.Derivatives(p.Y[i], s.F[i]); (d1 == 0 || v == learn.Square()) && e > 1e-8 {
						t.Errorf("%s %v row %d: left-out output %g, refit %g", v.Name(), o, i, got[i], r.F[i])
					}
					worst[q] = max(worst[q], e)
				}
			}
			bound := [2]float64{0.6, 0.1} // kinks of V' count as if they were not there
			if v == learn.Logistic() {
				bound = [2]float64{0.02, 1e-3}
			}
			if worst[0] > bound[0] || worst[1] > bound[1] {
				t.Errorf("%s %v: worst error %g with 30 rows, %g with 120", v.Name(), o, worst[0], worst[1])
			}
		}
	}
}

// Both forms of the left-out output are one where both are good: weights around the
// threshold between them.
func TestLeaveOneOutForms(t *testing.T) {
	for _, o := range offsets {
		for _, c := range []float64{0.02, 0.3, 0.49, 0.51, 1, 1e4} {
			p := problem(25, learn.Square(), o, c)
			s := fit(t, p, smooth.Options{})
			got, err := s.LeaveOneOut(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			p.Weight = make([]float64, 25)
			for i := range p.Weight {
				p.Weight[i] = 1
			}
			p.Weight[7] = 0
			near(t, "left-out output", got[7], fit(t, p, smooth.Options{}).F[7], 1e-7)
		}
	}
}

// Of the squared hinge the span of the support vectors is one Newton step.
func TestLeaveOneOutIsTheSpan(t *testing.T) {
	const n = 50
	rnd := rand.New(rand.NewPCG(5, 7))
	x, y, c := mat.NewDense(n, 2, nil), make([]float64, n), make([]float64, n)
	for i := range n {
		y[i], c[i] = float64(1-2*(i%2)), 0.5*(1+float64(i%3)/2)
		x.SetRow(i, []float64{rnd.NormFloat64() + y[i], rnd.NormFloat64()})
	}
	rows := data.Rows{Dense: x}
	g, err := kernel.Gaussian{Sigma: 1}.Bind(t.Context(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	k := mat.NewDense(n, n, nil)
	g.Block(k, nil, nil)
	for _, offset := range []smooth.Offset{smooth.None, smooth.Free} {
		p := smooth.Problem{K: k, Y: y, C: 1, Weight: c, Loss: learn.SquaredHinge(), Offset: offset}
		s, err := smooth.Newton(t.Context(), p, smooth.Options{Tolerance: 1e-12}, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := s.LeaveOneOut(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		a := make([]float64, n)
		for i, v := range s.Beta {
			a[i] = max(0, y[i]*v)
		}
		got, err := dual.Span.Of(t.Context(), dual.Evidence{Gram: g, Rows: rows.Whole(), Y: y, A: a, F: s.F, C: c, Squared: true,
			Offset: offset == smooth.Free})
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range got.Margin {
			if math.Abs(m-y[i]*want[i]) > 1e-6*(1+math.Abs(m)) {
				t.Errorf("offset %v, row %d: margin %g, one Newton step %g", offset, i, m, y[i]*want[i])
			}
		}
	}
}
