package methodtest

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/method"
)

// fewCentres checks a machine of few centres by its printed parameters: the objective, of which the free function f is
// eliminated by a dense system, has no slope in the coefficients of the centres.
func fewCentres(t *testing.T, m method.Method) {
	apartOrBent(t, m)
	for _, how := range []string{"none", "slack", "greedy-slack"} {
		in := sample(t, binary(m))
		w := newWitness(t, in, one(t, in, with(plainRecipe(m), given{"--tune": "none", "repair": how, "--basis": "8", "--offset": "no"})))
		n := len(w.f)
		f, tie := w.f, 0.0
		if how != "none" {
			tie = w.number("nu") / float64(n)
			f = w.slack(tie)
		}
		rf := times(w.r, f)
		pull := make([]float64, n) // the derivative by o, over 2 ridge
		var p float64
		for i, o := range w.f {
			pull[i] = w.alpha[i] + tie*(o-f[i])
			if tie == 0 {
				pull[i] += w.ratio * rf[i]
			}
			p += w.ridge * (o*w.alpha[i] + w.ratio*f[i]*rf[i] + tie*(o-f[i])*(o-f[i]))
		}
		for q, i := range w.labelled {
			d, _ := w.loss.Derivatives(w.y[q], f[i])
			if tie == 0 {
				pull[i] += d / (2 * w.ridge)
			}
			p += w.loss.Value(w.y[q], f[i])
		}
		slope, size := times(w.k, pull), 0.0
		for _, v := range w.f {
			size = max(size, math.Abs(v))
		}
		count := 0
		for i, a := range w.alpha {
			if a == 0 {
				continue
			}
			if count++; math.Abs(slope[i]) > 1e-5*size {
				t.Errorf("repair %s: the slope at centre %d is %g, of outputs up to %g", how, i, slope[i], size)
			}
		}
		if count != w.params["basis"] {
			t.Errorf("repair %s: %d centres, printed as %v", how, count, w.params["basis"])
		}
		if c := w.fitted.result.Certificate; math.Abs(c.Objective-w.scale*p) > 1e-5*c.Objective {
			t.Errorf("repair %s: the objective is %g, printed as %g", how, w.scale*p, c.Objective)
		}
	}
}

// apartOrBent checks the objective of machines whose function along the graph is no solution of a system with the outputs': the decoupled
// one, which spreads the labels first, and the one with the sigmoid of the outputs.
func apartOrBent(t *testing.T, m method.Method) {
	for _, how := range []string{"decoupled", "sigmoid"} {
		in := sample(t, moons)
		r := with(plainRecipe(m), given{"--tune": "none", "repair": how, "--basis": "8", "--offset": "no", "gamma_a": "0.01",
			"gamma_i": "5"})
		w := newWitness(t, in, one(t, in, r))
		f, p := w.f, 0.0
		along := make([]float64, len(f))
		if how == "decoupled" {
			f = w.spreadLabels()
			copy(along, f)
			for i, o := range w.f {
				p += w.ridge * w.number("nu") / float64(len(f)) * (o - f[i]) * (o - f[i])
			}
		} else {
			for i, o := range f {
				along[i] = math.Tanh(w.number("sharpness")*o/2) / 2
			}
		}
		for i, v := range times(w.r, along) {
			p += w.ridge * (w.f[i]*w.alpha[i] + w.ratio*along[i]*v)
		}
		for q, i := range w.labelled {
			p += w.loss.Value(w.y[q], f[i])
		}
		if c := w.fitted.result.Certificate; math.Abs(c.Objective-w.scale*p) > 1e-5*c.Objective {
			t.Errorf("repair %s: the objective is %g, printed as %g", how, w.scale*p, c.Objective)
		}
	}
}

// spreadLabels is the function of the graph alone, by the square loss.
func (w *witness) spreadLabels() []float64 {
	n := len(w.f)
	a, b := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
	a.Scale(w.ratio*w.ridge, w.r)
	for q, i := range w.labelled {
		a.Set(i, i, a.At(i, i)+1)
		b.SetVec(i, w.y[q])
	}
	x := mat.NewVecDense(n, nil)
	if err := x.SolveVec(a, b); err != nil {
		w.t.Fatal(err)
	}
	return x.RawVector().Data
}

// slack is the free function near the outputs, by the square loss.
func (w *witness) slack(tie float64) []float64 {
	n := len(w.f)
	a, b := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
	a.Scale(w.ratio, w.r)
	for i, o := range w.f {
		a.Set(i, i, a.At(i, i)+tie)
		b.SetVec(i, tie*o)
	}
	for q, i := range w.labelled {
		a.Set(i, i, a.At(i, i)+1/w.ridge)
		b.SetVec(i, b.AtVec(i)+w.y[q]/w.ridge)
	}
	x := mat.NewVecDense(n, nil)
	if err := x.SolveVec(a, b); err != nil {
		w.t.Fatal(err)
	}
	return x.RawVector().Data
}
