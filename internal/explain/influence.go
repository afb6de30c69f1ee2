package explain

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
)

// Influence are the kept rows with the largest shares of the explained number, by absolute value, ties to the first. All
// shares, Weights and Offset add up to it.
type Influence struct {
	Rows     []Share `json:"rows,omitempty"`
	Of       int     `json:"of"`                // different rows that the model keeps
	Positive float64 `json:"positive"`          // sum of the positive shares of all of them
	Negative float64 `json:"negative"`          // sum of the negative ones
	Weights  float64 `json:"weights,omitempty"` // of linear functions, which keep no rows
	Offset   float64 `json:"offset,omitempty"`
}

// Share is what one kept row adds to the explained number. Rows that are equal are one.
type Share struct {
	Share float64 `json:"share"`
	View  string  `json:"view,omitempty"`
	Kept  int     `json:"kept"`            // its number among the different kept rows of the view, from 0
	Row   *int    `json:"row,omitempty"`   // the first training row that is equal to it, from 0, if those were given
	Alike int     `json:"alike,omitempty"` // how many training rows are, if more than one
	Label string  `json:"label,omitempty"` // of the first of them that has one

	Cells [][2]string `json:"cells"` // names and values, the first few, of its view
	More  int         `json:"more_cells,omitempty"`

	part int
}

// part is a part of the model with the different rows that its functions keep.
type part struct {
	*model.Part
	scaled data.Rows // of the part's columns
	ids    [][]int   // of each function, for each of its centres the number among scaled; nil: it keeps none
	known  []known   // of each of scaled, if there are training rows
}

// known is what the training rows say of a kept row.
type known struct {
	row, alike int // row -1: none is equal
	label      string
}

// keepers lists the different rows of each part. Cost: a hash of the numbers of each kept row and each training row.
func (e *Explainer) keepers(ctx context.Context) ([]part, error) {
	list := make([]part, len(e.model.Parts))
	for v := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p := &list[v]
		p.Part = &e.model.Parts[v]
		numbers, err := p.different()
		if err != nil {
			return nil, err
		}
		if e.o.Training != nil && len(numbers) > 0 {
			e.meet(p, numbers)
		}
	}
	return list, nil
}

// different stores the rows that differ, and returns their numbers by their hash.
func (p *part) different() (map[[sha256.Size]byte]int, error) {
	type table struct {
		dense  *mat.Dense
		sparse any
	}
	numbers := map[[sha256.Size]byte]int{}
	seen := map[table][]int{} // functions share centres, which are then hashed once
	p.ids = make([][]int, len(p.Functions))
	for f, fn := range p.Functions {
		x, ok := expansion(fn)
		if !ok {
			continue
		}
		at := table{x.Centres.Dense, x.Centres.Sparse}
		all := seen[at]
		if all == nil {
			var fresh []int
			all = make([]int, x.Centres.Len())
			for i := range all {
				key := hash(x.Centres, i)
				id, old := numbers[key]
				if !old {
					id = len(numbers)
					numbers[key] = id
					fresh = append(fresh, i)
				}
				all[i] = id
			}
			var err error
			if len(fresh) > 0 {
				if p.scaled, err = p.scaled.Append(x.Centres.Select(fresh)); err != nil {
					return nil, err
				}
			}
			seen[at] = all
		}
		p.ids[f] = all
		if x.Rows != nil {
			p.ids[f] = make([]int, len(x.Rows))
			for q, i := range x.Rows {
				p.ids[f][q] = all[i]
			}
		}
	}
	return numbers, nil
}

// expansion is the function as one, where it keeps rows.
func expansion(f model.Function) (model.Expansion, bool) {
	switch f := f.(type) {
	case model.Expansion:
		return f, true
	case model.Mean:
		return f.Expansion, true
	}
	return model.Expansion{}, false
}

// hash is of the numbers of row i that are not zero, so that dense and sparse rows compare.
func hash(rows data.Rows, i int) [sha256.Size]byte {
	var text []byte
	add := func(j int, v float64) {
		if v != 0 {
			text = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(text, uint32(j)), math.Float64bits(v))
		}
	}
	if rows.IsSparse() {
		at, value := rows.Sparse.Row(i)
		for q, j := range at {
			add(int(j), value[q])
		}
	} else {
		for j, v := range rows.Dense.RawRowView(i) {
			add(j, v)
		}
	}
	return sha256.Sum256(text)
}

// meet finds the training rows that are equal to kept ones.
func (e *Explainer) meet(p *part, numbers map[[sha256.Size]byte]int) {
	p.known = make([]known, len(numbers))
	for id := range p.known {
		p.known[id].row = -1
	}
	rows := e.training
	if p.Columns != nil {
		rows = rows.SelectColumns(p.Columns)
	}
	for i := range rows.Len() {
		id, ok := numbers[hash(rows, i)]
		if !ok {
			continue
		}
		k := &p.known[id]
		if k.row < 0 {
			k.row = i
		}
		k.alike++
		if k.label == "" {
			k.label = e.label(i)
		}
	}
}

// has lists the parts whose columns the scaled row has, by the rule of Model.Predict: dense rows lack a view where all
// its cells are NaN, sparse ones where they store nothing in its columns, unless that is so in all of them.
func (e *Explainer) has(x data.Rows) (parts []int, of []data.Rows) {
	columns := make([]data.Rows, len(e.parts))
	for v, p := range e.parts {
		columns[v] = x
		if p.Columns != nil {
			columns[v] = x.SelectColumns(p.Columns)
		}
		if len(e.parts) == 1 || p.Columns == nil || !columns[v].Lacks(0) {
			parts, of = append(parts, v), append(of, columns[v])
		}
	}
	if len(parts) > 0 || !x.IsSparse() {
		return parts, of
	}
	for v := range e.parts {
		parts = append(parts, v)
	}
	return parts, columns
}

// influence computes the shares of the explained number.
func (e *Explainer) influence(ctx context.Context, o Output, row data.Rows) (Influence, error) {
	var all Influence
	parts, rows := e.has(e.model.Scaling.Apply(row))
	mean := 1 / float64(len(parts))
	for q, v := range parts {
		p := e.parts[v]
		shares := make([]float64, p.scaled.Len())
		for f, fn := range p.Functions {
			if err := p.add(ctx, shares, &all, f, fn, o, rows[q], mean); err != nil {
				return all, err
			}
		}
		if p.Offset != nil {
			all.Offset += mean * o.of(p.Offset)
		}
		all.Of += len(shares)
		for id, s := range shares {
			if s > 0 {
				all.Positive += s
			} else {
				all.Negative += s
			}
			if s != 0 {
				all.Rows = append(all.Rows, Share{Share: s, View: p.View, Kept: id, part: v})
			}
		}
	}
	slices.SortStableFunc(all.Rows, func(a, b Share) int { return cmp.Compare(math.Abs(b.Share), math.Abs(a.Share)) })
	all.Rows = slices.Clone(all.Rows[:min(len(all.Rows), e.o.Top)])
	for q := range all.Rows {
		e.describe(&all.Rows[q])
	}
	return all, nil
}

// add adds what a function makes of the explained number at x to the shares of its rows, or to the weights.
func (p part) add(
	ctx context.Context, shares []float64, all *Influence, f int, fn model.Function, o Output, x data.Rows, mean float64,
) error {
	var w *mat.Dense
	var err error
	switch fn := fn.(type) {
	case model.Linear:
		at, value := entries(x)
		for q, v := range value {
			all.Weights += mean * v * o.of(fn.Weights.RawRowView(at(q)))
		}
		return nil
	case model.Mean:
		w, err = fn.Weights(ctx, x)
	case model.Expansion:
		w, err = fn.Weights(ctx, x)
	}
	if err != nil {
		return err
	}
	e, _ := expansion(fn)
	for j, k := range w.RawRowView(0) {
		shares[p.ids[f][j]] += mean * k * o.of(e.Coef.RawRowView(j))
	}
	return nil
}

// entries are the values of the first row that are stored, and their columns.
func entries(x data.Rows) (at func(q int) int, value []float64) {
	if !x.IsSparse() {
		return func(q int) int { return q }, x.Dense.RawRowView(0)
	}
	index, value := x.Sparse.Row(0)
	return func(q int) int { return int(index[q]) }, value
}

// describe says which row it is.
func (e *Explainer) describe(s *Share) {
	p := &e.parts[s.part]
	one := p.scaled.Select([]int{s.Kept})
	if p.Columns != nil {
		one = one.Among(p.Columns, e.model.Columns)
	}
	one = e.model.Scaling.Undo(one)
	if p.Columns != nil {
		one = one.SelectColumns(p.Columns)
	}
	named := *e.model
	if p.Columns != nil && named.Features != nil {
		named.Features = nil
		for _, j := range p.Columns {
			named.Features = append(named.Features, e.model.Features[j])
		}
	}
	s.Cells, s.More = Cells(&named, one, 0)
	if p.known != nil && p.known[s.Kept].row >= 0 {
		k := p.known[s.Kept]
		s.Row, s.Label = &k.row, k.label
		if k.alike > 1 {
			s.Alike = k.alike
		}
	}
}
