package mobj

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
)

// foldErrors are leave-out errors along increasing strengths.
type foldErrors struct {
	share []float64
	ended bool // the last share is that of all larger strengths, too
}

// at is the share at a step, +Inf without one.
func (e *foldErrors) at(step int) float64 {
	switch {
	case step < len(e.share):
		return e.share[step]
	case e.ended:
		return e.share[len(e.share)-1]
	}
	return math.Inf(1)
}

// leftOut are the shares of labelled rows decided wrongly by machines trained without their fold, of
// increasing strengths, each training from that of the same fold before. There are none from where a limit
// ended the training of a fold.
func (w *work) leftOut(
	ctx context.Context,
	g kernel.Gram,
	t learn.Trainer,
	folds [][]int,
	strengths []float64,
) (e foldErrors, trainings int, err error) {
	p := w.Problem
	judged := score.Judged(folds)
	var warm []*learn.Machine
	for _, c := range strengths {
		out, machines, err := score.LeftOut(ctx, g, t, p, folds, w.theta(c), warm)
		if err != nil {
			return e, trainings, err
		}
		warm = machines
		trainings += len(machines)
		free := true
		for _, f := range machines {
			if f.Certificate.Limited != "" {
				return e, trainings, nil
			}
			free = free && w.unbounded(f, c)
		}
		e.share = append(e.share, score.Error{}.Eval(p, judged, out, nil))
		if free {
			e.ended = true
			break
		}
	}
	return e, trainings, nil
}

// Validate returns the share of labelled rows decided wrongly by machines of every member's kernel and
// strength that were trained without their fold: T trainings a member. It is +Inf where a limit ended
// one of these, or one of a smaller strength.
func (m Machines) Validate(ctx context.Context, f *MachineFront, folds [][]int) ([]float64, error) {
	of := make([][]int, len(m.Kernels)) // members by kernel, of increasing strength
	for i, t := range f.Members {
		of[t.Kernel] = append(of[t.Kernel], i)
	}
	w := m.work(folds, nil)
	share := make([]float64, len(f.Members))
	err := parallel.Each(0, len(m.Kernels), func(k int) error {
		if len(of[k]) == 0 {
			return nil
		}
		slices.SortFunc(of[k], func(a, b int) int { return cmp.Compare(f.Members[a].Strength, f.Members[b].Strength) })
		w.dense.Lock()
		g, t, err := w.bind(ctx, k)
		w.dense.Unlock()
		if err != nil {
			return err
		}
		strengths := make([]float64, len(of[k]))
		for q, i := range of[k] {
			strengths[q] = f.Members[i].Strength
		}
		e, _, err := w.leftOut(ctx, g, t, folds, strengths)
		for q, i := range of[k] {
			share[i] = e.at(q)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return share, nil
}
