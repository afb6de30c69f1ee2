package sparsemanifold

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/learn"
)

func TestSigmoidDerivatives(t *testing.T) {
	s := newTwelve(t)
	w := []float64{0.3, -0.2, 0.4, 0.1, -0.5}
	at := func(p *Sigmoid, w []float64) float64 {
		p.outputs(p.o, w)
		return p.value(p.o, floats.Dot(w, w))
	}
	gradient := func(p *Sigmoid, w []float64) []float64 {
		g := make([]float64, len(w))
		p.outputs(p.o, w)
		p.gradient(g, w)
		return g
	}
	for _, logistic := range []bool{false, true} {
		for _, v := range []learn.Loss{learn.Square(), learn.Logistic()} {
			p := newSigmoid(s, 3, logistic)
			p.Loss = v
			g := gradient(p, w)
			step := make([]float64, 5)
			if err := p.direction(t.Context(), step, g); err != nil {
				t.Fatal(err)
			}
			const h = 1e-5
			for k := range w {
				up, down := append([]float64(nil), w...), append([]float64(nil), w...)
				up[k] += h
				down[k] -= h
				near(t, "gradient", []float64{(at(p, up) - at(p, down)) / (2 * h)}, g[k:k+1], 1e-8)
			}
			// The Hessian is positive definite here: H step = -g, by differences of the gradient along the step.
			up, down := make([]float64, 5), make([]float64, 5)
			floats.AddScaledTo(up, w, h, step)
			floats.AddScaledTo(down, w, -h, step)
			hs := gradient(p, up)
			floats.Sub(hs, gradient(p, down))
			floats.Scale(-1/(2*h), hs)
			near(t, "Hessian", hs, g, 1e-6)
		}
	}
}

// With M 1 = 0 both forms are one; for small rho the penalty is (rho^2/32) gammaI o'Mo.
func TestSigmoidFormsAndLimit(t *testing.T) {
	s := newTwelve(t)
	w := []float64{0.3, -0.2, 0.4, 0.1, -0.5}
	value := func(p *Sigmoid) float64 {
		p.outputs(p.o, w)
		return p.value(p.o, floats.Dot(w, w))
	}
	near(t, "forms", []float64{value(newSigmoid(s, 3, false))}, []float64{value(newSigmoid(s, 3, true))}, 1e-12)
	p := newSigmoid(s, 1e-3, false)
	all := value(p)
	p.GammaI = 0
	mo := mat.NewDense(12, 1, nil)
	o := mat.NewDense(12, 1, p.o)
	s.norm.MulTo(mo, o)
	near(t, "limit", []float64{(all - value(p)) / 1e-6}, []float64{gammaI / 32 * mat.Dot(o.ColView(0), mo.ColView(0))}, 1e-7)
}

// Of a normalised Laplacian M 1 is not zero: the tanh form still treats both classes alike, the printed one does not.
func TestPrintedSigmoidPrefersAClass(t *testing.T) {
	s := newTwelve(t)
	l := s.norm.L
	for i := range l.R { // as a normalised Laplacian does: rows of their own sums
		for q := l.Start[i]; q < l.Start[i+1]; q++ {
			d := math.Sqrt(l.Value[diagonal(l.Start, l.Index, i)] + 1)
			e := math.Sqrt(l.Value[diagonal(l.Start, l.Index, int(l.Index[q]))] + 1)
			if int(l.Index[q]) != i {
				l.Value[q] /= d * e
			}
		}
	}
	solve := func(sign float64, logistic bool) []float64 {
		p := newSigmoid(s, 3, logistic)
		p.Y = append([]float64(nil), p.Y...)
		floats.Scale(sign, p.Y)
		w, c, err := p.Solve(t.Context(), nil)
		if err != nil || c.Residual > 1e-6 {
			t.Fatal(err, c)
		}
		floats.Scale(sign, w)
		return w
	}
	near(t, "tanh", solve(-1, false), solve(1, false), 1e-6)
	if floats.EqualApprox(solve(-1, true), solve(1, true), 1e-3) {
		t.Error("the printed form treats both classes alike")
	}
}

func diagonal(start []int, index []int32, i int) int {
	for q := start[i]; q < start[i+1]; q++ {
		if int(index[q]) == i {
			return q
		}
	}
	return -1
}

func TestSigmoidRefusesRho(t *testing.T) {
	p := newSigmoid(newTwelve(t), 3, false)
	p.Rho = 0
	if _, _, err := p.Solve(t.Context(), nil); err == nil {
		t.Error("rho 0")
	}
}
