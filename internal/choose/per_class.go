package choose

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/kernel"
)

// PerClass adds the members: each knows one class from the rest and gives one output
// (Klatzer 2014, section 5.2.4).
type PerClass struct{}

// Choose implements Rule.
func (PerClass) Choose(_ context.Context, s *Candidates) (*Choice, error) {
	c := &Choice{Score: s.Tuning.Value, Classes: true}
	for _, m := range s.Members {
		c.Members = append(c.Members, Weighted{m, 1})
	}
	return c, nil
}

// Column makes a machine of one output the k-th of c.
func Column(m *Candidate, k, c int) *Candidate {
	wide := func(a *mat.Dense) *mat.Dense {
		if a == nil {
			return nil
		}
		n, _ := a.Dims()
		b := mat.NewDense(n, c, nil)
		for i := range n {
			b.Set(i, k, a.At(i, 0))
		}
		return b
	}
	one, machine := *m, *m.Machine
	one.Machine = &machine
	machine.LeftOut, machine.Outputs = wide(machine.LeftOut), wide(machine.Outputs)
	expansions := machine.Expansions
	machine.Expansions = make([]kernel.Expansion, len(expansions))
	for i, e := range expansions {
		e.Coef = wide(e.Coef)
		machine.Expansions[i] = e
	}
	if machine.B != nil {
		b := machine.B[0]
		machine.B = make([]float64, c)
		machine.B[k] = b
	}
	return &one
}
