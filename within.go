package mercer

import (
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/manifold"
)

// within says whether the graph has edges inside classes alone.
func (r Recipe) within() bool { return r.Set["within"] == "yes" }

// classes are those of the labelled rows by identity, -1 for no class.
func (j *job) classes() []int {
	var list []int
	for i, row := range j.problem.Labelled {
		id := j.problem.Rows.RowID(row)
		for len(list) <= id {
			list = append(list, -1)
		}
		if id >= 0 {
			list[id] = j.problem.Class[i]
		}
	}
	return list
}

// classWise is the norm of edges inside classes. Its neighbours and its degree are
// the published ones of literature unless they are set.
func (j *job) classWise() (manifold.Norm, error) {
	p := j.problem
	if p.Class == nil {
		return nil, &UsageError{[]string{"--set within=yes: the targets are numbers, and class-wise graphs are for classes; leave it out"}}
	}
	n := p.Rows.Len()
	if u := n - len(p.Labelled); u > 0 {
		return nil, fmt.Errorf("%s: class-wise graphs need every row labelled; %d of %d rows are not: leave them out, or leave out --set within=yes", j.in.Set.Source, u, n)
	}
	left := 0 // by the largest fold
	for _, fold := range j.folds {
		left = max(left, len(fold))
	}
	g := manifold.Graph{Recipe: j.graph()}
	if g.Recipe.Neighbours == 0 {
		g.Recipe.Neighbours = max(1, min(10, n-left-1))
	}
	if g.Recipe.Neighbours >= n {
		return nil, fmt.Errorf("%s: --set neighbours=%d of %d rows; ask for at most %d", j.in.Set.Source, g.Recipe.Neighbours, n, n-1)
	}
	if g.Recipe.Degree == 0 {
		g.Recipe.Degree = 2
	}
	return manifold.Within{Graph: g, Class: j.classes()}, nil
}

// checkWithin reports what class-wise graphs cannot be combined with. A score that keeps the rows
// left out in the graph would be flattered by edges that know their labels.
func (r Recipe) checkWithin(complain func(format string, args ...any)) {
	if !r.within() {
		return
	}
	if !slices.Contains([]string{"lap-rls", "lap-svm", "lap-logistic"}, r.Method) {
		complain("--set within=yes: it is for classes and machines with one graph; choose --method lap-rls, lap-svm or lap-logistic")
		return
	}
	if r.combined() || r.continuous() || len(r.Views) > 0 || r.byGradients() || r.Set["per_class"] == "yes" {
		complain("--set within=yes with combined Laplacians, real powers, views, per_class or solver=cg: leave one of them out")
	}
	if t, err := parseTune(r.Tune); err == nil && !t.inductive {
		name := r.Tune
		if name == "" {
			name = "auto"
		}
		complain("--set within=yes with --tune %s: the graph knows the class of every row in it, also of one whose label is left out, and the score would be too good; add --tune kfold:5:inductive and --search nelder-mead, random or grid", name)
	}
}
