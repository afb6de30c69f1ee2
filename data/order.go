package data

import (
	"cmp"
	"errors"
	"math"
	"slices"
)

// Rows in order. Who predicts the rows of tomorrow learns from those of yesterday, and is judged too well if folds mix them: the rows that
// are held out are then the last. Cost: a sort of the labelled rows.

// lastOf holds out the last labelled rows, as near to the share as keeps rows of one place on one side, and one row at least.
func lastOf(l Labels, share float64) (Partition, error) {
	rows := l.Labelled()
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(l.Order[a], l.Order[b]) }) // NaN comes first
	n := len(rows)
	want := min(max(math.Round(share*float64(n)), 1), float64(n-1))
	from := 0
	for i := 1; i < n; i++ {
		apart := cmp.Compare(l.Order[rows[i-1]], l.Order[rows[i]]) != 0
		if apart && (from == 0 || math.Abs(float64(n-i)-want) < math.Abs(float64(n-from)-want)) {
			from = i
		}
	}
	if from == 0 {
		return Partition{}, errors.New("all labelled rows have one place in the order, so none is later than others; leave out --order")
	}
	p := Partition{K: 1, Fold: make([]int, l.Len())}
	for i := range p.Fold {
		p.Fold[i] = -1
	}
	for _, i := range rows[from:] {
		p.Fold[i] = 0
	}
	return p, nil
}
