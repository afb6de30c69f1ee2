package method

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

	"github.com/mercer-ml/mercer/internal/await"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

// firstShare of the budget is what the search over all features may take.
const firstShare = 2. / 3

// selecting searches over all features, drops those of little relevance, and searches again
// over the rest. Where every feature was kept and the first search has ended by its own rule
// its machine is the answer.
func (s searching) selecting(ctx context.Context, f tunable, space param.Space, share float64) (*choose.Candidates, error) {
	t := s.t
	budget := t.Recipe.Budget
	if budget == 0 {
		budget = search.DefaultBudget
	}
	found, space, err := s.run(ctx, f, space, max(1, int(firstShare*float64(budget))))
	if err != nil {
		return nil, err
	}
	n := len(t.Base.Space())
	k, err := t.Base.With(found.Theta[:n])
	if err != nil {
		return nil, err
	}
	kept, err := keep(ctx, t, k, share)
	if err != nil {
		return nil, err
	}
	if !kept.Dropped && found.Status != search.Budget {
		candidates, err := s.finish(ctx, f, space, found)
		if candidates != nil {
			candidates.Kept, t.Selected = kept, true
		}
		return candidates, err
	}
	return s.rest(ctx, k, kept, space[n:], found)
}

// keep lists the features of at least the share of the largest relevance.
func keep(ctx context.Context, t *task.Task, k kernel.Kernel, share float64) (*choose.Kept, error) {
	list, err := kernel.Relevances(ctx, k, t.Problem.Rows, t.Input.Set.Features)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, errors.New("--set select: no feature varies; give features that differ from row to row")
	}
	least := share * list[0].Share
	list = slices.DeleteFunc(list, func(r kernel.Relevance) bool { return r.Share < least })
	slices.SortFunc(list, func(a, b kernel.Relevance) int { return cmp.Compare(a.Columns[0], b.Columns[0]) })
	kept := &choose.Kept{Dropped: len(list) < t.Problem.Rows.Dim()}
	for _, r := range list {
		kept.Columns = append(kept.Columns, r.Columns[0])
		kept.Names = append(kept.Names, r.Name)
	}
	return kept, nil
}

// rest searches over the features kept, with what is left of the budget, from where the first
// search has ended.
func (s searching) rest(
	ctx context.Context,
	k kernel.Kernel,
	kept *choose.Kept,
	own param.Space,
	found search.Result,
) (*choose.Candidates, error) {
	t := s.t
	t.Selected = true
	if t.Base = k; kept.Dropped {
		t.Base, _ = kernel.OnColumns(k, kept.Columns, t.Input.Set.Features) // a rule has refused other kernels
	}
	s.dropped = kept.Dropped
	budget := 0
	if b := t.Recipe.Budget; b > 0 {
		budget = max(1, b-found.Evaluations)
	}
	stopped := ctx.Err() != nil
	rest := search.WithJournal(ctx, nil) // a journal is for one search, and the first is the longer one
	if stopped {                         // the machine on the rest must still be judged once
		budget, rest = 1, await.Outlast(rest)
	}
	f, err := s.tunable(t, nil)
	if err != nil {
		return nil, err
	}
	space, err := fix(t, f.Space())
	if err != nil {
		return nil, err
	}
	for i, d := range own {
		if v := found.Theta[len(found.Theta)-len(own)+i]; !d.Fixed {
			if space, err = space.Set(d.Name, v, false); err != nil {
				return nil, err
			}
		}
	}
	second, space, err := s.run(rest, f, space, budget)
	if err != nil {
		return nil, err
	}
	candidates, err := s.finish(rest, f, space, second)
	if err != nil {
		return nil, err
	}
	if worse := candidates.Tuning.Value - found.F; kept.Dropped && worse > overFit*math.Abs(found.F) {
		t.Warn(
			"the score is %.4g with the %d features selected, %.4g with all %d: features were dropped that count; give --set "+
				"select= a smaller "+
				"share",
			candidates.Tuning.Value,
			len(kept.Columns),
			found.F,
			t.Problem.Rows.Dim(),
		)
	}
	if candidates.Tuning.Evaluations += found.Evaluations; stopped {
		candidates.Tuning.Status = ended(ctx, found.Status)
	}
	candidates.Kept = kept
	return candidates, nil
}

// parameterName is the name of a kernel's parameter by the number of its column among all:
// "sigma[2]" of the columns 4 and 7 is "sigma[7]".
func parameterName(k kernel.Kernel, i int, name string) string {
	part, ok := k.(kernel.Columns)
	if !ok { // nothing was dropped
		return name
	}
	id, _, _ := strings.Cut(name, "[")
	return fmt.Sprintf("%s[%d]", id, part.Columns[i]+1)
}
