package learn

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// Folder is a Trainer whose folds share more than the kernel. Folds trains once for each
// fold (labelled rows, by their number among the labelled) on the others' labels and returns
// what the rows of the fold are given (l x c; rows in no fold are zero), and the machines;
// those of nearby parameters may be given as warm. Where it is not ok, training fold after
// fold is as good.
type Folder interface {
	Trainer
	Folds(ctx context.Context, folds [][]int, theta []float64, warm []*Machine) (out *mat.Dense, machines []*Machine, ok bool, err error)
}

// Others lists the numbers below l that are not in the fold.
func Others(l int, fold []int) []int {
	out := make([]bool, l)
	for _, i := range fold {
		out[i] = true
	}
	rest := make([]int, 0, l)
	for i := range l {
		if !out[i] {
			rest = append(rest, i)
		}
	}
	return rest
}
