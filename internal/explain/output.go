package explain

import (
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Output is the number that is explained, u'f(x):
//
//	regression               the prediction
//	two classes              the score, positive for the second class; turned if the first class is asked for
//	one-versus-rest          the score of the class asked for, or predicted
//	one-versus-one           the output of the pair of that class and the other class with most votes (the first of
//	                         equal ones), positive for the class
type Output struct {
	Name    string  `json:"name"`              // prediction, score, or pair
	For     string  `json:"for,omitempty"`     // class that a positive value speaks for
	Against string  `json:"against,omitempty"` // class that a negative value speaks for
	Value   float64 `json:"value"`

	u       []float64 // of the model's outputs
	decided string    // the class predicted
}

// of is the number for outputs.
func (o Output) of(f []float64) float64 {
	var s float64
	for k, w := range o.u {
		if w != 0 {
			s += w * f[k]
		}
	}
	return s
}

// explained says which number is explained of a row with outputs out.
func (e *Explainer) explained(out *mat.Dense) Output {
	m := e.model
	coding := m.Coding()
	o := Output{Name: "prediction", u: make([]float64, coding.Outputs())}
	asked := slices.Index(m.Classes, e.o.Class)
	switch {
	case len(m.Classes) <= 1:
		o.u[0] = 1
		if len(m.Classes) == 1 {
			o.Name, o.For = "score", m.Classes[0]
		}
	case len(m.Classes) == 2:
		o.Name, o.For, o.Against, o.u[0] = "score", m.Classes[1], m.Classes[0], 1
		if asked == 0 {
			o.For, o.Against, o.u[0] = o.Against, o.For, -1
		}
	default:
		if asked < 0 {
			asked = m.Decide(out)[0]
		}
		o.Name, o.For = "score", m.Classes[asked]
		if !m.Pairs {
			o.u[asked] = 1
			break
		}
		other := rival(coding.Scores(out).RawRowView(0), asked)
		o.Name, o.Against = "pair", m.Classes[other]
		coding.EachPair(func(output, a, b int) {
			switch {
			case a == asked && b == other:
				o.u[output] = -1
			case a == other && b == asked:
				o.u[output] = 1
			}
		})
	}
	o.Value = o.of(out.RawRowView(0))
	o.decided = Named(m, out)[0]
	return o
}

// rival is the class with most votes but one.
func rival(votes []float64, but int) int {
	best := -1
	for k, v := range votes {
		if k != but && (best < 0 || v > votes[best]) {
			best = k
		}
	}
	return best
}
