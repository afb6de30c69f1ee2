package method

import (
	"context"
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/method/cost"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
)

// reducible says whether the machine has a loss that is trained in features.
func (k machine) reducible() bool {
	return !k.family.Linear() && (k.closed() || !k.family.warped() && slices.ContainsFunc(k.losses, smoothLoss))
}

// onBasis says whether the machine may have few centres.
func (k machine) onBasis() bool {
	return (k.family == Plain || k.family == Warped) && (k.closed() || k.losses != nil)
}

// lowRankForm trains machines without a graph in the features that landmarks give a kernel
// (kernel.LowRank), where the labelled rows are too many for their l x l table. The unlabelled rows, which
// play no part, are decided as new ones. A search of least squares differentiates the table, and so needs it.
func (k machine) lowRankForm() Form {
	return Form{
		Name: "landmarks",
		Suits: func(s task.Size, r task.Request) bool {
			if s.Labelled <= exactRows || r.Values.Is(exact, "true") || k.closed() && searchedFor(r) || !k.closed() && !k.smooth(r.Values) {
				return false
			}
			columns := features(s, r)
			return columns == 0 || k.closed() && columns >= s.Labelled
		},
		Bytes: k.lowRankBytes,
		Work:  k.lowRankWork,
		Says: func(s task.Size, _ task.Request) string {
			return fmt.Sprintf(
				"%d labelled rows: the kernel is reduced to %d landmarks; --set exact=true has all of it, with tables of %s",
				s.Labelled,
				landmarkCount(s.Labelled),
				brief.Bytes(8*int64(s.Labelled)*int64(s.Labelled)),
			)
		},
		Sample: func(task.Request) int { return 1 }, // the labelled rows alone
		Produce: func(ctx context.Context, t *task.Task) (*choose.Candidates, error) {
			rows := t.Problem.Rows
			z, err := kernel.Landmarks{Count: landmarkCount(rows.Len()), Seed: t.Recipe.Drawn()}.Suited(rows).Take(ctx, t.Base, rows)
			if err != nil {
				return nil, err
			}
			t.Base = kernel.LowRank{Base: t.Base, Centres: z}
			return k.produce(ctx, t, nil)
		},
	}
}

// lowRankBytes are those of the features of the labelled rows and of what is trained in them.
func (k machine) lowRankBytes(s task.Size, r task.Request) float64 {
	l, m := float64(s.Labelled), reducedTo(s.Labelled, r)
	copies, squares := 6.0, 8.0 // of a path: see columnBytes; of the kernel before
	if !k.closed() {
		copies, squares = 5, 4 // as made, of the labelled rows, these less their means, in panels; of the kernel before
		if folded(r) {
			copies += 2 * float64(max(s.Processors, 1)) // of the rows of the folds that are trained at the same time
		}
	}
	return 8 * (copies*l*m + squares*m*m + supervisedNumbers(s, r, 8*l*float64(k.outputs(s, r))))
}

// lowRankWork is what a design or a search does in the features, which every kernel makes anew.
func (k machine) lowRankWork(s task.Size, r task.Request) Work {
	z, m := sizeOf(s), reducedTo(s.Labelled, r)
	widths := k.widths(s, r)
	if searchedFor(r) {
		widths = evaluations(r)
	}
	made := cost.Gram(z.l, m, z.d).Plus(cost.Product(z.l, m, m/2), cost.Cholesky(m))
	w := z.rowWork().Plus(cost.Gram(z.l, m, z.d).Times(2), cost.Gram(z.n, m, z.d), made.Times(widths))
	if k.closed() {
		each := Work{Products: 3 * z.l * m * m, Passes: 40 * z.l * m}.Plus(cost.Eigen(m))
		// Of every ridge the solution, the outputs, those left out and the certificate, thin products whose tables are packed anew.
		ridge := cost.Product(z.l, m, z.c).Times(4).Plus(z.judgeWork(), Work{Passes: 16 * z.l * m})
		return w.Plus(each.Plus(ridge.Times(z.ridges(r))).Times(widths))
	}
	t := trainings(r, widths) * min(float64(k.outputs(s, r)), max(z.machines(), float64(k.outputs(s, r)-1)))
	step := Work{Products: z.l * m * m, Passes: 40 * z.l * m}.Plus(cost.Cholesky(m))
	return w.Plus(step.Times(newtonSteps * t))
}
