package mercer

import (
	"context"
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/auto"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/param"
	"github.com/mercer-ml/mercer/rls"
	"github.com/mercer-ml/mercer/score"
)

// inductive is the score of a Laplacian machine by folds whose rows leave the graph
// (score.Refit, Inductive): the unlabelled rows and the labels of the other folds
// train, the fold's rows are predicted as new ones. It estimates the error on rows that
// were not there at training; leaving out labels alone estimates that on the unlabelled
// rows of the file. The ratio gamma_I s/gamma_A and the ridge l gamma_A are held while
// rows are left out. Cost: a graph and a factored n x n system for each fold. Machines
// without a graph have the same score either way.
type inductive struct {
	*score.Laplacian
	rows   int           // of the smallest training set
	square learn.Learner // of machines without one of their own
}

// inductive returns the objective, and an error where a training set is smaller than
// the neighbours that are set.
func (j *job) inductive(lap *score.Laplacian) (inductive, error) {
	o := inductive{Laplacian: lap, rows: j.problem.Rows.Len(), square: rls.Learner{Offset: j.offset}}
	largest := 0
	for _, fold := range j.folds {
		largest = max(largest, len(fold))
	}
	o.rows -= largest
	if k := j.set.graph.Neighbours; k >= o.rows {
		return o, fmt.Errorf("%s: --set neighbours=%d of the %d rows that --tune %s leaves; ask for at most %d", j.in.Set.Source, k, o.rows, j.tune.name, o.rows-1)
	}
	if o.rows < 4 { // two neighbours to choose, and two rows to be chosen from
		return o, fmt.Errorf("%s: --tune %s leaves %d rows for a graph; give more rows or folds", j.in.Set.Source, j.tune.name, o.rows)
	}
	return o, nil
}

// Space is that of the machine, with no more neighbours than a training set has.
func (o inductive) Space() param.Space {
	s := o.Laplacian.Space()
	i := s.Index("neighbours")
	if i < 0 {
		return s // combined graphs, whose neighbours are checked before
	}
	s[i].Hi = min(s[i].Hi, float64(o.rows-1))
	s[i].Default = min(s[i].Default, s[i].Hi)
	return s
}

// Eval implements param.Objective. It has no gradient.
func (o inductive) Eval(ctx context.Context, theta []float64, _ bool) (param.Value, error) {
	r, inner, err := o.refit(theta)
	if err != nil {
		return param.Value{}, err
	}
	return r.Eval(ctx, inner, false)
}

// refit returns the machine at theta as one that is trained again, and its parameters.
func (o inductive) refit(theta []float64) (*score.Refit, []float64, error) {
	m, inner, err := o.Machine(theta)
	if err != nil {
		return nil, nil, err
	}
	w := m.Kernel.(manifold.Warp)
	w.Norm = manifold.Unshared(w.Norm) // lists of neighbours are made anew for every fold
	r := &score.Refit{Kernel: w, Learner: o.square, Problem: o.Problem, Criterion: o.Criterion, Folds: o.Folds, Inductive: true}
	if o.Learner != nil {
		r.Learner = o.Learner
		inner = o.Learned(inner)
	}
	return r, inner, nil
}

// unseen replaces the left-out outputs of the machine chosen, which probabilities are
// fitted to, by those of rows that were not in the graph.
func (o inductive) unseen(ctx context.Context, c *auto.Choice, theta []float64) error {
	r, inner, err := o.refit(theta)
	if err != nil {
		return err
	}
	out, err := r.Outputs(ctx, inner)
	if err != nil {
		return err
	}
	c.Members = slices.Clone(c.Members)
	member := *c.Members[0].Candidate
	machine := *member.Machine
	machine.LeftOut, member.Machine = out, &machine
	c.Members[0].Candidate = &member
	return nil
}

// checkInductive reports what an inductive score cannot be combined with.
func (r Recipe) checkInductive(complain func(format string, args ...any)) {
	t, err := parseTune(r.Tune)
	m, known := methodOf(r.Method)
	if err != nil || !t.inductive || known && !m.semi {
		return
	}
	switch {
	case !known:
		complain("--tune %s: the automatic choice judges all machines with all rows in the graph; add --method lap-rls and --search nelder-mead, random or grid", t.name)
	case r.Search == "" || r.Search == "auto":
		complain("--tune %s: trains again for each fold without its rows, which the design of --search auto does not; add --search nelder-mead, random or grid", t.name)
	case differentiates(r.Search):
		complain("--search %s with --tune %s: a score by training again has no derivative; use --search nelder-mead, random or grid", r.Search, t.name)
	}
}
