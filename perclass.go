package mercer

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/auto"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// perClass searches the hyper-parameters of every class for themselves (--set
// per_class=yes): one problem a class against the rest, each with a kernel of its own
// (Klatzer 2014, section 5.2.4). Their machines are the members of one choice, one output
// each.
func (j *job) perClass(ctx context.Context, method, searching string) (*auto.Choice, *Tuning, error) {
	p := j.problem
	l := len(p.Labelled)
	all := &auto.Choice{Status: auto.Complete}
	sum := &Tuning{Score: j.tune.name, Search: searching}
	c := p.Outputs()
	for k := range c {
		one := *j
		one.problem = &learn.Problem{Rows: p.Rows, Task: p.Task, Classes: []string{"rest", p.Classes[k]}, Coding: learn.Coding{Classes: 2}, Labelled: p.Labelled, Class: make([]int, l), Weight: p.Weight}
		for i, class := range p.Class {
			if class == k {
				one.problem.Class[i] = 1
			}
		}
		one.problem.Y = one.problem.Coding.Code(one.problem.Class)
		one.warnings = nil
		choice, tuning, err := one.searched(ctx, method, searching)
		if err != nil {
			return nil, nil, err
		}
		for _, w := range one.warnings {
			j.warnings = append(j.warnings, "class "+p.Classes[k]+": "+w)
		}
		m := choice.Members[0]
		m.Candidate = column(m.Candidate, k, c)
		all.Members = append(all.Members, m)
		all.Trained = append(all.Trained, m.Candidate)
		sum.Evaluations += tuning.Evaluations
		sum.Value += tuning.Value / float64(c)
		if sum.Status == "" || tuning.Status != "converged" {
			sum.Status = tuning.Status
		}
	}
	all.Score = sum.Value
	return all, sum, nil
}

// column makes a machine of one output the k-th of c.
func column(m *auto.Candidate, k, c int) *auto.Candidate {
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
