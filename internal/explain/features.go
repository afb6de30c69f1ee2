package explain

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
)

// Features are the columns that the row has, by the absolute value of their effect, ties in their order.
type Features struct {
	List         []Feature `json:"columns,omitempty"`
	Reference    string    `json:"reference,omitempty"`    // what the references are
	AtReference  *float64  `json:"at_reference,omitempty"` // the explained number where all columns are at their references
	Without      string    `json:"without,omitempty"`      // why there are no effects
	WithoutSlope string    `json:"without_slope,omitempty"`
}

// Feature is a column of the table as it was, or a word.
type Feature struct {
	Name      string   `json:"name"`
	Value     any      `json:"value"`               // in the row: a number or a word
	Reference any      `json:"reference,omitempty"` // what it is compared with
	Effect    *float64 `json:"effect,omitempty"`    // g(x) - g(x with the column at its reference)
	Becomes   any      `json:"becomes,omitempty"`   // the prediction at the reference, if that is another class
	// Contribution, of a linear model: w_j (x'_j - r'_j), x' and r' the scaled row and reference. All of them add up to g(x) - g(r).
	Contribution *float64 `json:"contribution,omitempty"`
	Slope        *float64 `json:"slope,omitempty"` // dg/dx_j, of a column of numbers
}

// changedRows are predicted at a time; no result depends on it.
const changedRows = 256

// features computes effects, contributions and slopes. Cost: a prediction for each column that is not at its reference.
func (e *Explainer) features(ctx context.Context, o Output, row data.Rows) (Features, error) {
	all := Features{Without: e.without}
	list := e.columns
	if row.IsSparse() {
		list = e.stored(row)
	} else {
		list = slices.DeleteFunc(slices.Clone(list), func(c column) bool { // those of a view that the row lacks
			return slices.ContainsFunc(c.at, func(j int) bool { return math.IsNaN(row.Dense.At(0, j)) })
		})
	}
	all.List = make([]Feature, len(list))
	for q, c := range list {
		f := Feature{Name: c.name}
		if row.IsSparse() {
			_, value := row.Sparse.Row(0)
			f.Value, f.Reference = value[q], 0.0
		} else {
			f.Value = c.shown(row.Dense.RawRowView(0))
			if e.references != nil {
				f.Reference = c.shown(e.references.row)
			}
		}
		all.List[q] = f
	}
	if e.references != nil {
		all.Reference = e.o.Reference + " of " + e.references.from
		if row.IsSparse() {
			all.Reference = e.references.from
		}
		if err := e.effects(ctx, &all, list, o, row); err != nil {
			return all, err
		}
	}
	if err := e.slopes(ctx, &all, list, o, row); err != nil {
		return all, err
	}
	size := func(f Feature) float64 {
		switch {
		case f.Effect != nil:
			return math.Abs(*f.Effect)
		case f.Slope != nil:
			return math.Abs(*f.Slope)
		}
		return 0
	}
	slices.SortStableFunc(all.List, func(a, b Feature) int { return cmp.Compare(size(b), size(a)) })
	return all, nil
}

// stored are the columns that a sparse row stores.
func (e *Explainer) stored(row data.Rows) []column {
	index, _ := row.Sparse.Row(0)
	list := make([]column, len(index))
	for q, j := range index {
		list[q] = column{name: featureName(e.model, int(j)), at: []int{int(j)}}
	}
	return list
}

// at is the row with columns at their references.
func (e *Explainer) at(row data.Rows, list ...column) data.Rows {
	if !row.IsSparse() {
		d := mat.DenseCopyOf(row.Dense)
		for _, c := range list {
			for _, j := range c.at {
				d.Set(0, j, e.references.row[j])
			}
		}
		return data.Rows{Dense: d, ID: row.ID}
	}
	index, value := row.Sparse.Row(0)
	one := &data.CSR{R: 1, C: row.Sparse.C, Start: []int{0, 0}}
	gone := map[int32]bool{}
	for _, c := range list {
		gone[int32(c.at[0])] = true
	}
	for q, j := range index {
		if !gone[j] {
			one.Index, one.Value = append(one.Index, j), append(one.Value, value[q])
		}
	}
	one.Start[1] = len(one.Index)
	return data.Rows{Sparse: one, ID: row.ID}
}

// effects stores effects and contributions.
func (e *Explainer) effects(ctx context.Context, all *Features, list []column, o Output, row data.Rows) error {
	origin := e.at(row, list...)
	rows, changed := []data.Rows{origin}, []int{-1}
	flush := func() error {
		out, err := e.model.Predict(ctx, joined(rows))
		if err != nil {
			return err
		}
		answers := Named(e.model, out)
		for r, q := range changed {
			g := o.of(out.RawRowView(r))
			if q < 0 {
				all.AtReference = &g
				continue
			}
			effect := o.Value - g
			all.List[q].Effect = &effect
			if e.model.Task == data.Classification && answers[r] != o.decided {
				all.List[q].Becomes = answers[r]
			}
		}
		rows, changed = rows[:0], changed[:0]
		return nil
	}
	for q, c := range list {
		if e.same(row, c) {
			var zero float64
			all.List[q].Effect = &zero
			continue
		}
		rows, changed = append(rows, e.at(row, c)), append(changed, q)
		if len(rows) < changedRows {
			continue
		}
		if err := flush(); err != nil {
			return err
		}
	}
	if len(rows) > 0 {
		if err := flush(); err != nil {
			return err
		}
	}
	e.contribute(all, list, o, row, origin)
	return nil
}

// joined are the first rows of each of a list, all dense or all sparse, as one.
func joined(list []data.Rows) data.Rows {
	d := list[0].Dim()
	if !list[0].IsSparse() {
		x := mat.NewDense(len(list), d, nil)
		for i, one := range list {
			x.SetRow(i, one.Dense.RawRowView(0))
		}
		return data.Rows{Dense: x}
	}
	all := &data.CSR{R: len(list), C: d, Start: []int{0}}
	for _, one := range list {
		index, value := one.Sparse.Row(0)
		all.Index, all.Value = append(all.Index, index...), append(all.Value, value...)
		all.Start = append(all.Start, len(all.Index))
	}
	return data.Rows{Sparse: all}
}

// same says whether a column of the row is at its reference.
func (e *Explainer) same(row data.Rows, c column) bool {
	if row.IsSparse() {
		return false
	}
	return !slices.ContainsFunc(c.at, func(j int) bool { return row.Dense.At(0, j) != e.references.row[j] })
}

// contribute stores the contributions of a linear model.
func (e *Explainer) contribute(all *Features, list []column, o Output, row, origin data.Rows) {
	if e.linear == nil {
		return
	}
	scaled, at := values(e.model.Scaling.Apply(row), list), values(e.model.Scaling.Apply(origin), list)
	for q, c := range list {
		var sum float64
		for k, j := range c.at {
			sum += o.of(e.linear.RawRowView(j)) * (scaled[q][k] - at[q][k])
		}
		all.List[q].Contribution = &sum
	}
}

// values are those of the columns listed in the first row.
func values(x data.Rows, list []column) [][]float64 {
	all := make([][]float64, len(list))
	at := map[int]float64{}
	if x.IsSparse() {
		index, value := x.Sparse.Row(0)
		for q, j := range index {
			at[int(j)] = value[q]
		}
	}
	for q, c := range list {
		for _, j := range c.at {
			v := at[j]
			if !x.IsSparse() {
				v = x.Dense.At(0, j)
			}
			all[q] = append(all[q], v)
		}
	}
	return all
}
