package rbf

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/kernel"
)

// LeaveOneOut returns what each row is given by the others, the sums of the formula without
// the row's own term; rows by outputs. Cost: n^2 d.
func (w NadarayaWatson) LeaveOneOut(ctx context.Context, rows data.Rows, y *mat.Dense) (*mat.Dense, error) {
	return w.LeaveOut(ctx, rows, y, indices.To(rows.Len()))
}

// LeaveOut is LeaveOneOut for the rows listed. Cost: n d a row of these.
func (w NadarayaWatson) LeaveOut(ctx context.Context, rows data.Rows, y *mat.Dense, which []int) (*mat.Dense, error) {
	n, c := y.Dims()
	if n != rows.Len() {
		panic(fmt.Sprintf("rbf: %d rows, %d targets", rows.Len(), n))
	}
	if n < 2 {
		return nil, fmt.Errorf("rbf: leaving one of %d rows out leaves none", n)
	}
	rows, _ = shifted(rows, rows)
	g, err := kernel.Linear{}.Bind(ctx, rows, nil)
	if err != nil {
		return nil, err
	}
	norm := rows.SquaredNorms()
	out := mat.NewDense(len(which), c, nil)
	height := panelHeight(n)
	s := mat.NewDense(min(len(which), height), n, nil)
	for lo := 0; lo < len(which); lo += height {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		idx := which[lo:min(lo+height, len(which))]
		block := s.Slice(0, len(idx), 0, n).(*mat.Dense)
		g.Block(block, idx, nil)
		for a, r := range idx {
			w.weigh(out.RawRowView(lo+a), block.RawRowView(a), norm, norm[r], y, r)
		}
	}
	return out, nil
}
