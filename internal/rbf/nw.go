package rbf

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/kernel"
)

// NadarayaWatson is the normalised network (Kokshenev 2010, eq. 2.13)
//
//	f(x) = sum_i y_i k((x-x_i)/sigma) / sum_i k((x-x_i)/sigma)
//
// which needs no training. Weights are taken relative to that of the nearest row
// (log-sum-exp), so that far from all rows f goes to the target of the nearest one and
// never to 0/0. Cost: n d a row predicted.
type NadarayaWatson struct {
	Sigma float64
	// Known gives a row that is equal to a row trained on the target of that one, the mean of the
	// targets if it is equal to several.
	Known bool
}

// panelValues are the exponents of a panel at most: some 50 ms of exponentials between two looks at the context.
const panelValues = 1 << 22

// panelHeight is how many rows are computed at a time where each takes n exponents.
func panelHeight(n int) int {
	height := panelRows
	for height > 1 && height*n > panelValues {
		height /= 2
	}
	return height
}

// Predict returns f for each of rows, by outputs of y.
func (w NadarayaWatson) Predict(ctx context.Context, train data.Rows, y *mat.Dense, rows data.Rows) (*mat.Dense, error) {
	n, c := y.Dims()
	if n != train.Len() {
		panic(fmt.Sprintf("rbf: %d rows, %d targets", train.Len(), n))
	}
	if !(w.Sigma > 0) || math.IsInf(w.Sigma, 1) {
		return nil, fmt.Errorf("rbf: width %g; it must be positive", w.Sigma)
	}
	// Inner products, and from them distances: exponents, not kernel values, are
	// needed where all kernel values underflow.
	near, from := shifted(train, rows)
	g, err := kernel.Linear{}.Bind(ctx, near, nil)
	if err != nil {
		return nil, err
	}
	norm, own := near.SquaredNorms(), from.SquaredNorms()
	out := mat.NewDense(rows.Len(), c, nil)
	height := panelHeight(n)
	s := mat.NewDense(min(rows.Len(), height), n, nil)
	for lo := 0; lo < rows.Len(); lo += height {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		idx := indices.To(min(height, rows.Len()-lo))
		for a := range idx {
			idx[a] += lo
		}
		block := s.Slice(0, len(idx), 0, n).(*mat.Dense)
		if err := g.Cross(block, from.Select(idx), nil); err != nil {
			return nil, err
		}
		for a, r := range idx {
			e := block.RawRowView(a)
			if w.Known {
				if same := twins(e, norm, own[r], train, rows, r); len(same) > 0 {
					meanTarget(out.RawRowView(r), y, same)
					continue
				}
			}
			w.weigh(out.RawRowView(r), e, norm, own[r], y, -1)
		}
	}
	return out, nil
}

// nearly is the squared distance, relative to the squared norms, from which rounding cannot have made a zero:
// inner products of a million columns are right to 1e-10.
const nearly = 1e-9

// meanTarget stores the mean of some rows of y in dst, which is zero.
func meanTarget(dst []float64, y *mat.Dense, rows []int) {
	for count, i := range rows {
		for q, t := range y.RawRowView(i) {
			dst[q] += (t - dst[q]) / float64(count+1)
		}
	}
}

// twins are the rows of train that are equal to row r of rows.
func twins(inner, norm []float64, own float64, train, rows data.Rows, r int) []int {
	var same []int
	for i, v := range inner {
		if norm[i]+own-2*v <= nearly*(norm[i]+own) && equal(train, i, rows, r) {
			same = append(same, i)
		}
	}
	return same
}

// equal says whether two rows of the same form have the same numbers.
func equal(a data.Rows, i int, b data.Rows, j int) bool {
	switch {
	case a.Dense != nil && b.Dense != nil:
		return slices.Equal(a.Dense.RawRowView(i), b.Dense.RawRowView(j))
	case a.IsSparse() && b.IsSparse():
		ai, av := a.Sparse.Row(i)
		bi, bv := b.Sparse.Row(j)
		return slices.Equal(ai, bi) && slices.Equal(av, bv)
	}
	return false
}

// weigh stores the mean of the targets y, weighted by the distances of rows of squared norms
// `norm` and inner products e with a row of squared norm own; row `skip` does not count. e is
// overwritten.
func (w NadarayaWatson) weigh(dst, e, norm []float64, own float64, y *mat.Dense, skip int) {
	sum := w.relative(e, norm, own, skip)
	for i, k := range e {
		if i == skip {
			continue
		}
		for q, t := range y.RawRowView(i) {
			dst[q] += k * t
		}
	}
	for q := range dst {
		dst[q] /= sum
	}
}

// relative replaces the inner products e by the kernel values over that of the nearest row, and returns their sum; row
// `skip` does not count.
func (w NadarayaWatson) relative(e, norm []float64, own float64, skip int) (sum float64) {
	least := math.Inf(1)
	for i, v := range e {
		e[i] = max(0, norm[i]+own-2*v)
		if i != skip {
			least = min(least, e[i])
		}
	}
	for i, d2 := range e {
		if i == skip {
			continue
		}
		e[i] = math.Exp((least - d2) / (2 * w.Sigma * w.Sigma))
		sum += e[i]
	}
	return sum
}

// Weights returns the weights of the rows of train in f at each of few rows, rows.Len() x train.Len():
//
//	f(x) = sum_i w_i(x) y_i,   w_i(x) = k((x-x_i)/sigma) / sum_j k((x-x_j)/sigma)
//
// With Known they are equal among the rows that x is equal to, and 0 elsewhere. Cost: as Predict.
func (w NadarayaWatson) Weights(ctx context.Context, train, rows data.Rows) (*mat.Dense, error) {
	near, from := shifted(train, rows)
	g, err := kernel.Linear{}.Bind(ctx, near, nil)
	if err != nil {
		return nil, err
	}
	out := mat.NewDense(rows.Len(), train.Len(), nil)
	if err := g.Cross(out, from, nil); err != nil {
		return nil, err
	}
	norm, own := near.SquaredNorms(), from.SquaredNorms()
	for r := range rows.Len() {
		e := out.RawRowView(r)
		if w.Known {
			if same := twins(e, norm, own[r], train, rows, r); len(same) > 0 {
				clear(e)
				for _, i := range same {
					e[i] = 1 / float64(len(same))
				}
				continue
			}
		}
		sum := w.relative(e, norm, own[r], -1)
		for i := range e {
			e[i] /= sum
		}
	}
	return out, ctx.Err()
}

// shifted takes the mean of dense rows of train off both: distances stay as they are, and the inner products that they are made of do
// not lose their digits to a large mean.
func shifted(train, rows data.Rows) (data.Rows, data.Rows) {
	if train.Dense == nil || rows.Dense == nil || train.Dim() != rows.Dim() || train.Len() == 0 || rows.Len() == 0 {
		return train, rows
	}
	mean := train.ColumnStats().Mean
	less := func(x *mat.Dense) data.Rows {
		y := mat.DenseCopyOf(x)
		for i := range y.RawMatrix().Rows {
			floats.Sub(y.RawRowView(i), mean)
		}
		return data.Rows{Dense: y}
	}
	return less(train.Dense), less(rows.Dense)
}
