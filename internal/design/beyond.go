package design

// Problem  a machine from all labelled rows where the last round of a race has a part of them.
// Method   least squares on landmarks cost n m^2 flops, so they can. The best of them so far are judged on some
//          thousand rows with as many landmarks as all rows would have; the best of these is then trained on
//          all rows but those left out of the last round, which judge it, so that it is compared with the winner
//          on the same rows. Machines on a linear kernel that came to the last round are trained on all rows too.
// Cost     some fits on selectRows rows, one on all, see square.go.

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/kernel"
)

// selectRows is the number of rows on which least squares on landmarks are compared, five for each of 2000.
const selectRows = 10000

// beyond trains what can learn from all labelled rows, and replaces the best where that is better.
func (r *Race) beyond(ctx context.Context, order []int, last *round, field []*Entrant, best **Winner) error {
	n, was := len(order), *(*best).Entrant
	few := r.round(order[:min(selectRows, len(last.rows))], *best)
	few.most = r.Landmarks.Of(n)
	squares := squares(field)
	w, err := few.run(ctx, squares)
	if err != nil || ctx.Err() != nil {
		*(*best).Entrant = was
		return err
	}
	for _, e := range squares {
		if w == nil || e != w.Entrant {
			e.Left = cmp.Or(e.Left, fmt.Sprintf("not the best on %d rows with %d landmarks", len(few.rows), few.most))
		}
	}
	long := slices.DeleteFunc(entering(field), func(e *Entrant) bool { return e.Learner != nil && !IsLinear(e.Kernel) })
	w, err = r.all(last, *best).run(ctx, long)
	if err != nil || w == nil || ctx.Err() != nil || !w.before(&was) {
		for _, e := range long {
			e.Left = cmp.Or(e.Left, "no better from more rows than the winner")
		}
		*(*best).Entrant = was
		return err
	}
	*best = w
	for _, e := range entering(field) {
		if e.Rows < n {
			e.Left = fmt.Sprintf("learns from no more than %d rows, and no better", len(last.rows))
		}
	}
	return nil
}

// IsLinear says whether a kernel is the inner product itself.
func IsLinear(k kernel.Kernel) bool { _, ok := k.(kernel.Linear); return ok }

// squares are the least squares that did best in the last round that they took part in, in the race again.
func squares(field []*Entrant) []*Entrant {
	list := slices.DeleteFunc(slices.Clone(field), func(e *Entrant) bool { return e.Learner != nil || e.Rows == 0 })
	slices.SortStableFunc(list, func(a, b *Entrant) int { return cmp.Or(cmp.Compare(b.Rows, a.Rows), byResult(a, b)) })
	list = list[:min(len(list), finalists+1)]
	for _, e := range list {
		e.Left = ""
	}
	return list
}

// all is a round of all labelled rows, judged on those of the last one, or on all that are held out: it learns from none of them.
func (r *Race) all(last *round, best *Winner) *round {
	n := len(r.Problem.Labelled)
	h := &round{race: r, rows: make([]int, n), problem: r.Problem, folds: last.whole(), most: r.Landmarks.Of(n), prior: best}
	for i := range h.rows {
		h.rows[i] = i
	}
	if r.Held != nil {
		h.folds = [][]int{r.Held}
	}
	if n < r.Problem.Rows.Len() {
		h.problem = r.Problem.Only(h.rows)
	}
	return h
}
