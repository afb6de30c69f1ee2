package multiview

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/search/param"
)

// Blocks are the stacked rows for linear functions: each description has the columns of x of its own view, times the
// square root of the view's weight, and zeros elsewhere. So the linear kernel of these rows is block diagonal, and a
// linear function of them is one of each view. x are the rows that were stacked. Memory: the entries of x.
func (s *Stacked) Blocks(x data.Rows, views [][]int, weight []float64) data.Rows {
	out := &data.CSR{R: len(s.View), C: x.Dim(), Start: make([]int, 1, len(s.View)+1)}
	parts := make([]data.Rows, len(views))
	for v, columns := range views {
		parts[v] = x.SelectColumns(columns)
	}
	for r, v := range s.View {
		by := math.Sqrt(weight[v])
		add := func(c int, value float64) {
			out.Index, out.Value = append(out.Index, int32(views[v][c])), append(out.Value, by*value)
		}
		if x.IsSparse() {
			index, value := parts[v].Sparse.Row(s.Thing[r])
			for q, c := range index {
				add(int(c), value[q])
			}
		} else {
			for c, value := range parts[v].Dense.RawRowView(s.Thing[r]) {
				if value != 0 {
					add(c, value)
				}
			}
		}
		out.Start = append(out.Start, len(out.Index))
	}
	return data.Rows{Sparse: out, ID: s.Rows.ID}
}

// Ties is the graph that joins all descriptions of the same thing, as an operator: f'Lf is the sum over things of the
// squared differences of the outputs of its views, each pair once. A product costs the number of rows.
type Ties struct{ Copies [][]int }

var _ graph.Operator = Ties{}

// Len is the number of stacked rows.
func (o Ties) Len() int {
	n := 0
	for _, rows := range o.Copies {
		n += len(rows)
	}
	return n
}

// MulTo stores L x in dst.
func (o Ties) MulTo(dst, x *mat.Dense) {
	_, c := x.Dims()
	sum := make([]float64, c)
	for _, rows := range o.Copies {
		clear(sum)
		for _, r := range rows {
			for j, v := range x.RawRowView(r) {
				sum[j] += v
			}
		}
		for _, r := range rows {
			to, from := dst.RawRowView(r), x.RawRowView(r)
			for j, v := range sum {
				to[j] = float64(len(rows))*from[j] - v
			}
		}
	}
}

// Space is empty.
func (Ties) Space() param.Space { return nil }

// Pull adds nothing, for there is no parameter.
func (Ties) Pull([]float64, *mat.Dense, *mat.Dense) {}
