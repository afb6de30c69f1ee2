package model

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Part is a function of some of the columns: the sum of its functions and its offset.
type Part struct {
	View      string // name of the view that the columns are; empty where there is but one
	Columns   []int  // that it looks at, from 0, increasing; nil: all
	Functions []Function
	Offset    []float64 // one an output; nil: none
}

// Single is one part over all columns: the sum of the expansions and the offset, which may be
// nil. Each expansion is stored in the smallest form that is the same function.
func Single(expansions []kernel.Expansion, offset []float64) []Part {
	p := Part{Offset: offset}
	for _, e := range expansions {
		p.Functions = append(p.Functions, smallest(e))
	}
	return []Part{p}
}

// WeightedMean is one part over all columns: the mean of the coefficients, weighted by the
// values of the kernel, which must be Gaussian, and the offset, which may be nil. known is Mean.Known.
func WeightedMean(e kernel.Expansion, known bool, offset []float64) []Part {
	if _, ok := e.Kernel.(kernel.Gaussian); !ok {
		panic(fmt.Sprintf("model: a mean weighted by %T; only a Gaussian kernel makes one", e.Kernel))
	}
	mean := Mean{Expansion: Expansion{Kernel: e.Kernel, Centres: e.Centres, Coef: e.Coef}, Known: known}
	return []Part{{Functions: []Function{mean}, Offset: offset}}
}

// add adds the part's value at the scaled rows x to out.
func (p *Part) add(ctx context.Context, out *mat.Dense, x data.Rows) error {
	if p.Columns != nil {
		x = x.SelectColumns(p.Columns)
	}
	for i := range x.Len() {
		row := out.RawRowView(i)
		for k, v := range p.Offset {
			row[k] += v
		}
	}
	for _, f := range p.Functions {
		if err := f.add(ctx, out, x); err != nil {
			return err
		}
	}
	return nil
}

// ofView are the outputs of one part for the rows that have its columns.
type ofView struct {
	rows []int // of x
	out  *mat.Dense
}

// views are the outputs of each part at the scaled rows x. Dense rows lack a view where all its cells are NaN,
// sparse ones where they store nothing in its columns; sparse rows that lack every view are taken for zeros.
func (m *Model) views(ctx context.Context, x data.Rows) ([]ofView, error) {
	n := x.Len()
	columns := make([]data.Rows, len(m.Parts))
	list := make([]ofView, len(m.Parts))
	have := make([]bool, n)
	for v, p := range m.Parts {
		columns[v] = x
		if p.Columns != nil {
			columns[v] = x.SelectColumns(p.Columns)
		}
		for i := range n {
			if p.Columns == nil || !columns[v].Lacks(i) {
				list[v].rows = append(list[v].rows, i)
				have[i] = true
			}
		}
	}
	for v, p := range m.Parts {
		if x.IsSparse() {
			for i, seen := range have {
				if !seen {
					list[v].rows = append(list[v].rows, i)
				}
			}
		}
		if len(list[v].rows) == 0 {
			continue
		}
		list[v].out = mat.NewDense(len(list[v].rows), m.Outputs(), nil)
		p.Columns = nil // taken already
		if err := p.add(ctx, list[v].out, columns[v].Select(list[v].rows)); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// mean stores in out the mean over the parts whose columns each row has; NaN where it has none.
func (m *Model) mean(ctx context.Context, out *mat.Dense, x data.Rows) error {
	list, err := m.views(ctx, x)
	if err != nil {
		return err
	}
	have := make([]float64, x.Len())
	for _, v := range list {
		for q, i := range v.rows {
			have[i]++
			to := out.RawRowView(i)
			for k, f := range v.out.RawRowView(q) {
				to[k] += f
			}
		}
	}
	for i, parts := range have {
		to := out.RawRowView(i)
		for k := range to {
			to[k] /= parts
		}
	}
	return nil
}

// Views returns, for a model of several views, the outputs of each of its parts for each row (rows.Len() x c), NaN
// where the row lacks the view; nil of other models. Cost: that of Predict.
func (m *Model) Views(ctx context.Context, rows data.Rows) ([]*mat.Dense, error) {
	if len(m.Parts) < 2 || rows.Len() == 0 {
		return nil, nil
	}
	n, c := rows.Len(), m.Outputs()
	out := make([]*mat.Dense, len(m.Parts))
	for v := range out {
		out[v] = mat.NewDense(n, c, slices.Repeat([]float64{math.NaN()}, n*c))
	}
	for lo := 0; lo < n; lo += predictRows {
		list, err := m.views(ctx, m.Scaling.Apply(piece(rows, lo, min(lo+predictRows, n))))
		if err != nil {
			return nil, err
		}
		for v, one := range list {
			for q, i := range one.rows {
				out[v].SetRow(lo+i, one.out.RawRowView(q))
			}
		}
	}
	return out, nil
}

// width is the number of columns that the part looks at.
func (p *Part) width(columns int) int {
	if p.Columns == nil {
		return columns
	}
	return len(p.Columns)
}

// chosen are the listed elements of all, nil of nil.
func chosen[T any](all []T, idx []int) []T {
	if all == nil {
		return nil
	}
	out := make([]T, len(idx))
	for k, i := range idx {
		out[k] = all[i]
	}
	return out
}
