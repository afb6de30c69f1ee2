package mercer

// Selection of features by their relevance (--set select=SHARE): a search by gradients over
// a kernel with one parameter a feature; features with less than SHARE of the largest relevance
// (kernel.Relevances) are dropped; the search goes on over the rest, from what was found.
//
// Source: Klatzer 2014, section 5.3.1, who drops features whose gamma_k = 1/(2 sigma_k^2) ends at
// its lower bound of 0.01. A relevance does not depend on the units of the features, nor on bounds.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/auto"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/param"
	"github.com/mercer-ml/mercer/search"
)

// selection is what is left of the features.
type selection struct {
	columns []int
	names   []string
	start   map[string]float64 // of the machine's own parameters
	budget  int                // what is left of it; 0: the search's own
	dropped bool
}

// checkSelect reports what --set select= cannot be combined with.
func (r Recipe) checkSelect(complain func(format string, args ...any)) {
	share := r.Set["select"]
	if share == "" {
		return
	}
	if id, _, _ := strings.Cut(r.Kernel, "("); id != "ard-gaussian" && id != "ard-linear" {
		complain("--set select=%s: it drops features by the parameters of their own; add --kernel ard-gaussian or ard-linear", share)
	}
	if !differentiates(r.Search) {
		complain("--set select=%s: features are judged by what a search by gradients found; add --search gradient, sqp or rprop", share)
	}
	if m, _ := methodOf(r.Method); m.semi || r.Set["per_class"] == "yes" {
		complain("--set select=%s: it is for one supervised machine; choose --method l2-svm, logistic or rls, without per_class", share)
	}
	for _, name := range []string{"sigma", "gamma", "c"} {
		if r.Set[name] != "" {
			complain("--set select=%s with --set %s: features are judged by it; leave it out", share, name)
		}
	}
}

// firstShare of the budget is what the search over all features may take.
const firstShare = 2. / 3

// budget is that of the next search, 0 for its own.
func (j *job) budget() int {
	if j.kept != nil {
		return j.kept.budget
	}
	if j.set.share == 0 {
		return j.recipe.Budget
	}
	b := j.recipe.Budget
	if b == 0 {
		b = search.DefaultBudget
	}
	return max(1, int(firstShare*float64(b)))
}

// selected goes on with the features that what was found thinks relevant. It returns
// nil where all are and the search has ended by its own rule.
func (j *job) selected(ctx context.Context, method, searching string, space param.Space, found search.Result) (*auto.Choice, *Tuning, error) {
	n := len(j.base.Space())
	k, err := j.base.With(found.Theta[:n])
	if err != nil {
		return nil, nil, err
	}
	list, err := kernel.Relevances(ctx, k, j.problem.Rows, j.in.Set.Features)
	if err != nil {
		return nil, nil, err
	}
	j.kept = &selection{start: map[string]float64{}}
	if len(list) == 0 {
		return nil, nil, errors.New("--set select: no feature varies; give features that differ from row to row")
	}
	least := j.set.share * list[0].Share
	list = slices.DeleteFunc(list, func(r kernel.Relevance) bool { return r.Share < least })
	slices.SortFunc(list, func(a, b kernel.Relevance) int { return cmp.Compare(a.Columns[0], b.Columns[0]) })
	for _, r := range list {
		j.kept.columns = append(j.kept.columns, r.Columns[0])
		j.kept.names = append(j.kept.names, r.Name)
	}
	j.kept.dropped = len(list) < j.problem.Rows.Dim()
	if !j.kept.dropped && found.Status != search.Budget {
		return nil, nil, nil
	}
	for i, d := range space[n:] {
		if !d.Fixed {
			j.kept.start[d.Name] = found.Theta[n+i]
		}
	}
	if j.base = k; j.kept.dropped {
		j.base = onColumns(k, j.kept.columns, j.in.Set.Features)
	}
	if b := j.recipe.Budget; b > 0 {
		j.kept.budget = max(1, b-found.Evaluations)
	}
	ended := ctx.Err() != nil
	rest := search.WithJournal(ctx, nil) // a journal is for one search, the longer
	if ended {                           // the machine on the rest must still be judged once
		j.kept.budget, rest = 1, context.WithoutCancel(rest)
	}
	choice, tuning, err := j.searched(rest, method, searching)
	if err != nil {
		return nil, nil, err
	}
	if worse := tuning.Value - found.F; j.kept.dropped && worse > overFit*math.Abs(found.F) {
		j.warnings = append(j.warnings, fmt.Sprintf("the score is %.4g with the %d features selected, %.4g with all %d: features were dropped that count; give --set select= a smaller share",
			tuning.Value, len(j.kept.columns), found.F, j.problem.Rows.Dim()))
	}
	if tuning.Evaluations += found.Evaluations; ended {
		tuning.Status = status(ctx, found.Status)
	}
	return choice, tuning, nil
}

// onColumns is a kernel with one parameter a feature on some of them.
func onColumns(k kernel.Kernel, columns []int, features []string) kernel.Kernel {
	of := func(values []float64) []float64 {
		list := make([]float64, len(columns))
		for q, c := range columns {
			list[q] = values[c]
		}
		return list
	}
	part := kernel.Columns{Columns: columns}
	switch k := k.(type) {
	case kernel.ARDGaussian:
		part.Base = kernel.ARDGaussian{Sigma: of(k.Sigma)}
	case kernel.ARDLinear:
		part.Base = kernel.ARDLinear{C: of(k.C)}
	default:
		panic(fmt.Sprintf("mercer: %T has no parameter a feature", k)) // checkSelect
	}
	for _, c := range columns {
		if len(features) > 0 {
			part.Names = append(part.Names, features[c])
		}
	}
	return part
}

// started returns the space with the machine's parameters where the search before ended.
func (s *selection) started(space param.Space) (param.Space, error) {
	var err error
	for _, d := range space {
		if v, ok := s.start[d.Name]; ok && err == nil {
			space, err = space.Set(d.Name, v, false)
		}
	}
	return space, err
}

// parameter is the name of a kernel's parameter by the number of its column among all:
// "sigma[2]" of the columns 4 and 7 is "sigma[7]".
func parameter(k kernel.Kernel, i int, name string) string {
	part, ok := k.(kernel.Columns)
	if !ok { // nothing was dropped
		return name
	}
	id, _, _ := strings.Cut(name, "[")
	return fmt.Sprintf("%s[%d]", id, part.Columns[i]+1)
}

// relevances are those of the features that a kernel sees.
func (j *job) relevances(k kernel.Kernel) ([]kernel.Relevance, error) {
	rows, names := j.problem.Rows, j.in.Set.Features
	if part, ok := k.(kernel.Columns); ok && j.kept != nil && j.kept.dropped {
		k, rows, names = part.Base, rows.SelectColumns(part.Columns), j.kept.names
	}
	return kernel.Relevances(context.Background(), k, rows, names)
}
