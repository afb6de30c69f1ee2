package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Neighbour is a centre of a model near a row: one of the rows that it was learned from.
type Neighbour struct {
	Centre   int     // its number among Centres
	Distance float64 // Euclidean, of the scaled features; the largest number where it is larger
}

// Centres are the rows that the model keeps of those it was learned from, as they were read (scaling undone), and in
// scaled the same as its kernels see them: the centres of its function with most of them. A model that keeps none, as a linear
// one, is an error, and so is one of several views, whose distances cannot be compared.
func (m *Model) Centres() (rows, scaled data.Rows, err error) {
	if len(m.Parts) != 1 {
		return rows, scaled, errors.New("a model of several views has centres in each of them, whose distances cannot be compared")
	}
	for _, f := range m.Parts[0].Functions {
		if e, ok := expansionOf(f); ok {
			if c := e.Plain().Centres; c.Len() > scaled.Len() {
				scaled = c
			}
		}
	}
	if scaled.Len() == 0 || scaled.Dim() != m.Columns {
		return rows, scaled, fmt.Errorf("this model (%s) keeps no row that it was learned from, but weights of its columns", m.Method)
	}
	return m.Scaling.Undo(scaled), scaled, nil
}

// Nearest returns, for each row as it was read, its k nearest of the centres, which are scaled as Centres returns them, from the
// nearest on; ties go to the first. Cost: as a prediction by a kernel on all centres, and a pass over the distances a row.
func (m *Model) Nearest(ctx context.Context, rows, scaled data.Rows, k int) ([][]Neighbour, error) {
	centres := filled(scaled)
	norms := centres.SquaredNorms()
	var g kernel.Gram
	var of data.Rows // that g is bound to
	list := make([][]Neighbour, rows.Len())
	for lo := 0; lo < rows.Len(); lo += panelRows {
		c, x := narrow(kernel.Linear{}, centres, m.Scaling.Apply(piece(rows, lo, min(lo+panelRows, rows.Len()))))
		if g == nil || c.Sparse != of.Sparse {
			var err error
			if g, err = (kernel.Linear{}).Bind(ctx, c, nil); err != nil {
				return nil, err
			}
			of = c
		}
		inner := mat.NewDense(x.Len(), scaled.Len(), nil)
		x, units := smaller(x)
		if err := g.Cross(inner, x, nil); err != nil {
			return nil, err
		}
		for i, norm := range x.SquaredNorms() {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			list[lo+i] = nearest(inner.RawRowView(i), norm, norms, units[i], k)
		}
	}
	return list, nil
}

// smaller are rows of which those whose squares are no numbers are in a unit of their own, a power of two; it is 1 for all others.
func smaller(x data.Rows) (data.Rows, []float64) {
	units := slices.Repeat([]float64{1}, x.Len())
	for i, norm := range x.SquaredNorms() {
		if !math.IsInf(norm, 1) {
			continue
		}
		if slices.Max(units) == 1 {
			x = x.Select(indices.To(x.Len())) // a copy
		}
		var row []float64
		if x.IsSparse() {
			_, row = x.Sparse.Row(i)
		} else {
			row = x.Dense.RawRowView(i)
		}
		_, exp := math.Frexp(floats.Norm(row, math.Inf(1)))
		units[i] = math.Ldexp(1, exp-1)
		for q, v := range row {
			row[q] = v / units[i]
		}
	}
	return x, units
}

// nearest are the k nearest centres by their inner products with a row, and the squared norms of the row and of them; the row is in a
// unit.
func nearest(inner []float64, norm float64, norms []float64, unit float64, k int) []Neighbour {
	var best []Neighbour
	for j, v := range inner {
		d := unit * math.Sqrt(max(0, norm+norms[j]/unit/unit-2*v/unit))
		if !(d <= math.MaxFloat64) {
			d = math.MaxFloat64
		}
		if len(best) == k && !(d < best[k-1].Distance) {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, d, func(n Neighbour, d float64) int {
			return cmp.Or(cmp.Compare(n.Distance, d), -1) // behind those as near
		})
		best = slices.Insert(best, at, Neighbour{j, d})
		best = best[:min(k, len(best))]
	}
	return best
}
