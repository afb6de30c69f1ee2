package choose

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/score"
)

// TestRechosenIsNotFlattered: of fifty machines that guess, and one that tries fifty strengths, the best errs on clearly
// fewer than half of the rows, and what is chosen anew for each part on about half.
func TestRechosenIsNotFlattered(t *testing.T) {
	const l, machines, draws = 40, 50, 30
	rng := rand.New(rand.NewPCG(1, 2))
	guess := func() *mat.Dense {
		o := mat.NewDense(l, 1, nil)
		for i := range l {
			o.Set(i, 0, rng.NormFloat64())
		}
		return o
	}
	for name, members := range map[string]func() []*Candidate{
		"machines": func() (list []*Candidate) {
			for range machines {
				list = append(list, &Candidate{Machine: &Machine{LeftOut: guess()}})
			}
			return list
		},
		"strengths": func() []*Candidate {
			m := &Machine{}
			for range machines {
				m.Tried = append(m.Tried, guess())
			}
			m.LeftOut = m.Tried[0]
			return []*Candidate{{Machine: m}}
		},
	} {
		var best, again float64
		for range draws {
			s := candidates(l, l)
			s.Members = members()
			whole := s.on(s.judged())
			c, err := Least{}.Choose(t.Context(), whole)
			if err != nil {
				t.Fatal(err)
			}
			best += score.Error{}.Eval(s.Problem, nil, LeftOut(s.Problem, c.Members), nil) / draws
			out, err := Rechosen(t.Context(), Least{}, s)
			if err != nil {
				t.Fatal(err)
			}
			again += score.Error{}.Eval(s.Problem, nil, out, nil) / draws
		}
		if best > 0.4 || again < 0.46 || again > 0.56 {
			t.Errorf("%s: the best errs on %.3f, what is chosen anew on %.3f", name, best, again)
		}
	}
}

// TestRechosenWithoutAChoice: one machine at one strength, and machines that were not scored so, have nothing to correct.
func TestRechosenWithoutAChoice(t *testing.T) {
	one := candidates(10, 10)
	one.Members = []*Candidate{{Machine: &Machine{LeftOut: mat.NewDense(10, 1, nil)}}}
	squared := candidates(10, 10)
	squared.Squared, squared.Members = true, []*Candidate{one.Members[0], one.Members[0]}
	bare := candidates(10, 10)
	bare.Members = []*Candidate{{Machine: &Machine{}}, one.Members[0]}
	for name, s := range map[string]*Candidates{"one": one, "squared": squared, "without outputs": bare} {
		if out, err := Rechosen(t.Context(), Least{}, s); out != nil || err != nil {
			t.Errorf("%s: %v, %v", name, out, err)
		}
	}
}
