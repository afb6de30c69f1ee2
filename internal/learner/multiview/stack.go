// Package multiview learns one function for each of several descriptions (views) of the same
// things, functions that agree on the unlabelled rows.
//
// Views are rows. A thing that is described V times is V rows, one a view, of which each names
// its view, and the functions of all views together are one function of such rows. What ties
// them is a kernel on these rows (Coupled), so every learner, score and search of the other
// packages serves several views as it serves one. A thing that lacks a view has a row less.
//
// Change here how views are coupled and joined.
package multiview

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
)

// Stacked are the descriptions of n things in V views, as rows of their own, view after view:
//
//	(0 .. 1 .. 0, x)     a 1 in the column of the view, then the features of the view, then zeros
//
// The identity of a row is that of its thing, so descriptions of the same thing are known from
// each other wherever the rows go.
type Stacked struct {
	Rows   data.Rows
	View   []int   // of each row
	Thing  []int   // of each row
	Copies [][]int // of each thing, the numbers of its rows, by view
}

// Stack returns the descriptions of the rows of x in the views, which are lists of columns. A
// row lacks a view where all these columns are NaN, or, in sparse rows, where none is stored.
// Memory: dense, V n numbers for each column of the widest view; sparse, the entries of x.
func Stack(x data.Rows, views [][]int) *Stacked {
	n := x.Len()
	s := &Stacked{Copies: make([][]int, n)}
	parts := make([]data.Rows, len(views))
	wide := 0
	for v, columns := range views {
		parts[v] = x.SelectColumns(columns)
		wide = max(wide, len(columns))
		for i := range n {
			if parts[v].Lacks(i) {
				continue
			}
			s.Copies[i] = append(s.Copies[i], len(s.View))
			s.View, s.Thing = append(s.View, v), append(s.Thing, i)
		}
	}
	s.Rows.ID = make([]int, len(s.View))
	for r, i := range s.Thing {
		s.Rows.ID[r] = x.RowID(i)
	}
	if x.IsSparse() {
		s.Rows.Sparse = s.sparse(parts, len(views)+wide)
		return s
	}
	s.Rows.Dense = mat.NewDense(max(len(s.View), 1), len(views)+wide, nil)
	for r, v := range s.View {
		row := s.Rows.Dense.RawRowView(r)
		row[v] = 1
		copy(row[len(views):], parts[v].Dense.RawRowView(s.Thing[r]))
	}
	return s
}

// sparse is the stacked form of sparse parts.
func (s *Stacked) sparse(parts []data.Rows, columns int) *data.CSR {
	out := &data.CSR{R: len(s.View), C: columns, Start: make([]int, 1, len(s.View)+1)}
	for r, v := range s.View {
		out.Index, out.Value = append(out.Index, int32(v)), append(out.Value, 1)
		index, value := parts[v].Sparse.Row(s.Thing[r])
		for q, c := range index {
			out.Index, out.Value = append(out.Index, int32(len(parts))+c), append(out.Value, value[q])
		}
		out.Start = append(out.Start, len(out.Index))
	}
	return out
}

// Problem is p on the stacked rows: every description of a labelled thing is labelled, and its
// loss has the weight of the thing times that of its view (nil: 1 each).
func (s *Stacked) Problem(p *learn.Problem, weight []float64) *learn.Problem {
	q := *p
	q.Rows, q.Labelled, q.Class, q.Weight = s.Rows, nil, nil, nil
	of := s.labelled(p)
	q.Y = mat.NewDense(max(len(of), 1), p.Outputs(), nil)
	for k, c := range of {
		q.Labelled = append(q.Labelled, c.row)
		q.Y.SetRow(k, p.Y.RawRowView(c.number))
		if p.Class != nil {
			q.Class = append(q.Class, p.Class[c.number])
		}
		if p.Weight == nil && weight == nil {
			continue
		}
		w := 1.0
		if p.Weight != nil {
			w = p.Weight[c.number]
		}
		if weight != nil {
			w *= weight[s.View[c.row]]
		}
		q.Weight = append(q.Weight, w)
	}
	return &q
}

// description is a row that describes a labelled thing, and the number of that among the labelled.
type description struct{ row, number int }

// labelled lists the descriptions of labelled things, by their rows.
func (s *Stacked) labelled(p *learn.Problem) []description {
	number := make([]int, len(s.Copies))
	for i := range number {
		number[i] = -1
	}
	for q, i := range p.Labelled {
		number[i] = q
	}
	var list []description
	for r, i := range s.Thing {
		if number[i] >= 0 {
			list = append(list, description{r, number[i]})
		}
	}
	return list
}

// Groups lists for every labelled thing of p the numbers of its descriptions among those of
// Problem: the rows that are left out together.
func (s *Stacked) Groups(p *learn.Problem) [][]int {
	groups := make([][]int, len(p.Labelled))
	for k, d := range s.labelled(p) {
		groups[d.number] = append(groups[d.number], k)
	}
	return groups
}

// Folds are the folds of labelled things as folds of their descriptions; nil, one thing at a time.
func Folds(folds, groups [][]int) [][]int {
	if folds == nil {
		return groups
	}
	out := make([][]int, len(folds))
	for f, things := range folds {
		for _, i := range things {
			out[f] = append(out[f], groups[i]...)
		}
	}
	return out
}

// Mean stores in dst (|groups| x c) the mean of the rows of o in each group: the output for a
// thing of the functions of all its views.
func Mean(dst, o *mat.Dense, groups [][]int) {
	for g, rows := range groups {
		to := dst.RawRowView(g)
		clear(to)
		for _, r := range rows {
			for j, v := range o.RawRowView(r) {
				to[j] += v / float64(len(rows))
			}
		}
	}
}

// CheckViews refuses a thing without any view.
func (s *Stacked) CheckViews(source string) error {
	for i, c := range s.Copies {
		if len(c) == 0 {
			return fmt.Errorf("%s: row %d has no view: all its cells are empty; leave the row out", source, i+1)
		}
	}
	return nil
}
