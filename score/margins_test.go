package score

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/learn"
)

// The log loss and the temperature of a summary are those of the rows, for outputs that separate the classes and for such that do not.
func TestMarginsLogLoss(t *testing.T) {
	for _, noise := range []float64{0, 0.3, 1, 5} {
		r := rand.New(rand.NewPCG(7, 1))
		n := 3000
		p := &learn.Problem{Classes: []string{"a", "b"}, Coding: learn.Coding{Classes: 2}, Y: mat.NewDense(n, 1, nil)}
		o := mat.NewDense(n, 1, nil)
		var parts [3]calibrate.Margins
		for i := range n {
			p.Labelled, p.Class = append(p.Labelled, i), append(p.Class, i%2)
			y := float64(2*(i%2) - 1)
			p.Y.Set(i, 0, y)
			o.Set(i, 0, 0.8*y*(1+0.1*r.Float64())+noise*r.NormFloat64())
			parts[i%3].Add(y * o.At(i, 0))
		}
		var all calibrate.Margins
		for i := range parts {
			all.Join(&parts[i])
		}
		loss, temperature := all.LogLoss()
		if want := (LogLoss{}).Eval(p, nil, o, nil); math.Abs(loss/want-1) > 1e-9 {
			t.Errorf("noise %g: loss %v, of the rows %v", noise, loss, want)
		}
		if want := Temperature(p, nil, o); math.Abs(temperature/want-1) > 1e-8 {
			t.Errorf("noise %g: temperature %v, of the rows %v", noise, temperature, want)
		}
	}
}

// Outputs that are all zero or not finite have no temperature.
func TestMarginsWithoutTemperature(t *testing.T) {
	for _, m := range []float64{0, math.Inf(1), math.NaN(), 1e300} {
		var s calibrate.Margins
		s.Add(m)
		if _, temperature := s.LogLoss(); temperature != 0 {
			t.Errorf("margin %g has the temperature %g", m, temperature)
		}
	}
}
