package model

import (
	"context"
	"errors"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/rbf"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Weights returns what the coefficients of the centres are multiplied by at each of few rows, x.Len() x centres: the
// values of the kernel, so that the expansion at x is Weights(x) Coef. The rows have the part's columns and are scaled.
// Cost and memory: a kernel value for each of them.
func (e Expansion) Weights(ctx context.Context, x data.Rows) (*mat.Dense, error) {
	b, x, err := e.bindFor(ctx, x)
	if err != nil {
		return nil, err
	}
	w := mat.NewDense(x.Len(), b.plain.Centres.Len(), nil)
	if err := b.gram.Cross(w, x, nil); err != nil {
		return nil, err
	}
	if b.order != nil {
		row := make([]float64, len(b.order))
		for i := range x.Len() {
			to := w.RawRowView(i)
			copy(row, to)
			for q, j := range b.order {
				to[j] = row[q]
			}
		}
	}
	return w, ctx.Err()
}

// Weights returns what the coefficients of the centres are multiplied by at each of few rows: the values of the kernel over
// their sum, so that the mean at x is Weights(x) Coef.
func (m Mean) Weights(ctx context.Context, x data.Rows) (*mat.Dense, error) {
	g, ok := m.Kernel.(kernel.Gaussian)
	if !ok {
		return nil, errors.New("model: only a Gaussian kernel makes a weighted mean")
	}
	p := m.Plain()
	p.Centres, x = narrow(p.Kernel, p.Centres, x)
	return rbf.NadarayaWatson{Sigma: g.Sigma, Known: m.Known}.Weights(ctx, p.Centres, x)
}
