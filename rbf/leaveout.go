package rbf

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// LeaveOneOut returns what each row is given by the others, the sums of the formula without
// the row's own term; rows by outputs. Cost: n^2 d.
func (w NadarayaWatson) LeaveOneOut(ctx context.Context, rows data.Rows, y *mat.Dense) (*mat.Dense, error) {
	n, c := y.Dims()
	if n != rows.Len() {
		panic(fmt.Sprintf("rbf: %d rows, %d targets", rows.Len(), n))
	}
	if n < 2 {
		return nil, fmt.Errorf("rbf: leaving one of %d rows out leaves none", n)
	}
	g, err := kernel.Linear{}.Bind(ctx, rows, nil)
	if err != nil {
		return nil, err
	}
	norm := rows.SquaredNorms()
	out := mat.NewDense(n, c, nil)
	s := mat.NewDense(min(n, panelRows), n, nil)
	for lo := 0; lo < n; lo += panelRows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		idx := count(min(panelRows, n-lo))
		for a := range idx {
			idx[a] += lo
		}
		block := s.Slice(0, len(idx), 0, n).(*mat.Dense)
		g.Block(block, idx, nil)
		for a, r := range idx {
			w.weigh(out.RawRowView(r), block.RawRowView(a), norm, norm[r], y, r)
		}
	}
	return out, nil
}
