package fit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/result"
)

// lookForward returns the recipe for rows in order: the score is that of the last fifth of them, which learns from nothing later. Folds
// that are dealt out and single rows left out look back, and are refused.
func lookForward(in result.Input, r result.Recipe) (result.Recipe, error) {
	if in.Set == nil || in.Set.Order == nil {
		return r, nil
	}
	const share = "holdout:0.2"
	if err := decideHeldOut(r, "--order"); err != nil {
		return r, err
	}
	switch {
	case in.Set.Group != nil:
		return r, task.Usage("--order with --group: rows of one group would have to be earlier and later; leave one of them out")
	case r.Tune == "" || r.Tune == "auto":
		m, ok := method.Find(r.Method)
		if ok && !judgedHeldOut(m) {
			return r, task.Usage("--order: method %s is not judged by rows held out; choose %s", m.ID,
				setting.Or(method.IDs(judgedHeldOut)))
		}
		if ok && m.Has("--tune") { // a front is judged by the last rows by its decision
			r.Tune = share
		}
	case r.Tune != "none" && !strings.HasPrefix(r.Tune, "holdout"):
		return r, task.Usage("--order with --tune %s: it learns from rows later than those that it leaves out; choose --tune %s", r.Tune,
			share)
	}
	return r, nil
}

// judgedHeldOut says whether a method can be judged by rows that are held out: one that makes a front, if the member can be chosen so.
func judgedHeldOut(m method.Method) bool {
	s, decides := m.Setting(task.Decide.Key())
	return m.Supports(nil).Folds && !(decides && s.Default != "cv")
}

// decidesByAll says whether a member of a front is to be chosen by all rows that were learned from. A decision by folds is of rows held
// out, in order by the last part of them.
func decidesByAll(r result.Recipe) bool {
	word, _, _ := strings.Cut(r.Decision, ":")
	return word != "" && word != "cv" && word != "validation"
}

// decideHeldOut refuses decisions on a front by all rows that were learned from, of rows that a flag keeps apart.
func decideHeldOut(r result.Recipe, flag string) error {
	if m, ok := method.Find(r.Method); ok && !judgedHeldOut(m) || !decidesByAll(r) {
		return nil // or the method is refused
	}
	return task.Usage("%s with --decision %s: it judges by rows that were learned from; choose --decision cv or validation", flag,
		r.Decision)
}

// forward is an outer fold, numbered from 0, of k for rows in order: of k+1 parts of the labelled rows, one after the other, the rows of
// part number+1, and all rows up to those before it, from which it is learned. Rows of one place are in one part.
func forward(l data.Labels, k, number int) (train, fold []int, err error) {
	rows := l.Labelled()
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(l.Order[a], l.Order[b]) })
	ends := make([]int, k+2) // of the parts, 0 before the first
	for q := 1; q <= k+1; q++ {
		end := max(q*len(rows)/(k+1), ends[q-1]+1)
		for end < len(rows) && cmp.Compare(l.Order[rows[end-1]], l.Order[rows[end]]) == 0 {
			end++
		}
		if end > len(rows) {
			return nil, nil, fmt.Errorf("--cv %d: the labelled rows have no %d places in the order, one after the other; ask for fewer folds",
				k, k+1)
		}
		ends[q] = end
	}
	last := l.Order[rows[ends[number+1]-1]]
	for i, place := range l.Order {
		if cmp.Compare(place, last) <= 0 {
			train = append(train, i)
		}
	}
	fold = slices.Sorted(slices.Values(rows[ends[number+1]:ends[number+2]]))
	return train, fold, nil
}
