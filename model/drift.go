package model

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/drift"
	"github.com/mercer-ml/mercer/internal/metric"
	"github.com/mercer-ml/mercer/result"
)

const (
	// profileRows are looked at, evenly spaced, of more: between two samples of so many the mean distance of Kolmogorov and Smirnov
	// is 0.87 sqrt(2/2000) = 0.027, a quarter of drift.Least.
	profileRows = 2000
	// profileColumns are remembered at most, 40 numbers each, so that a profile does not fill a model file.
	profileColumns = 1000
	// profilePairs bounds the distances: rows looked at times centres.
	profilePairs = 20e6
)

// Remember keeps what rows that the model was learned from look like, unscaled, of which 2000 are looked at, and what its outputs
// are on rows whose labels were not learned from; nil: there are none. Drift compares new rows with it. Columns of sparse rows, and of
// more than 1000, are left out; so are distances of models that keep no rows. An error leaves the model as it was. Cost: 2000
// distances a centre.
func (m *Model) Remember(ctx context.Context, rows data.Rows, out *mat.Dense) error {
	rows = spaced(rows, profileRows)
	p := &drift.Profile{}
	if rows.Dense != nil && rows.Dim() <= profileColumns {
		for _, v := range columnsOf(rows) {
			p.Columns = append(p.Columns, drift.New(v))
		}
	}
	if rows.Len() > 0 {
		near, err := m.distances(ctx, rows, true)
		if err != nil {
			return err
		}
		if near != nil {
			s := drift.New(near)
			p.Distance = &s
		}
	}
	if out != nil {
		s := drift.New(leads(out))
		p.Score = &s
	}
	m.profile = p
	return nil
}

// Forget drops what is remembered of the function: distances to its centres and outputs. A model with another function calls it.
func (m *Model) Forget() { m.profile = m.profile.OfColumns() }

// ShareOfOnes is the share of ones in a column of zeros and ones, of those rows that were learned from in which it is known; false if
// nothing is remembered of it.
func (m *Model) ShareOfOnes(column int) (float64, bool) {
	if m.profile == nil || m.profile.Columns == nil {
		return 0, false
	}
	switch s := m.profile.Columns[column]; {
	case len(s.At) == 0:
		return 0, true
	case s.At[0] == 0:
		return (1 - s.Share[0]) / (1 - s.Missing), true // a share counts the missing ones too
	}
	return 1, true
}

// spaced are at most so many of the rows, evenly spaced.
func spaced(rows data.Rows, most int) data.Rows {
	n := rows.Len()
	if n <= most {
		return rows
	}
	list := make([]int, most)
	for q := range list {
		list[q] = q * n / most
	}
	return rows.Select(list)
}

// columnsOf are copies of the columns of dense rows.
func columnsOf(rows data.Rows) [][]float64 {
	n, d := rows.Dense.Dims()
	list := make([][]float64, d)
	for j := range list {
		list[j] = mat.Col(make([]float64, n), j, rows.Dense)
	}
	return list
}

// leads are the outputs, or of several by how much the first leads.
func leads(out *mat.Dense) []float64 {
	n, c := out.Dims()
	list := make([]float64, n)
	for i := range list {
		if list[i] = out.At(i, 0); c > 1 {
			list[i] = metric.Lead(out.RawRowView(i))
		}
	}
	return list
}

// distances are those of rows, unscaled, to the nearest centre of the model, and of rows that are centres themselves, learned, to
// the nearest other one; nil of a model whose centres have no distances.
func (m *Model) distances(ctx context.Context, rows data.Rows, learned bool) ([]float64, error) {
	_, scaled, err := m.Centres()
	if err != nil {
		return nil, nil
	}
	rows = spaced(rows, max(1, int(profilePairs)/scaled.Len()))
	near, err := m.Nearest(ctx, rows, scaled, 2)
	if err != nil {
		return nil, err
	}
	norms := m.Scaling.Apply(rows).SquaredNorms()
	list := make([]float64, len(near))
	for i, of := range near {
		list[i] = of[0].Distance
		// A distance is the root of a difference, whose rounding is that of the norms.
		if learned && len(of) > 1 && of[0].Distance <= 1e-7*math.Sqrt(norms[i]) {
			list[i] = of[1].Distance
		}
	}
	return list, nil
}

// Drift compares rows, unscaled, with those that the model was learned from, of many 2000 evenly spaced; nil of a model that
// remembers nothing of them. Cost: a prediction and a distance to each centre for so many rows.
func (m *Model) Drift(ctx context.Context, rows data.Rows) (*result.DriftState, error) {
	p := m.profile
	if p == nil || rows.Len() == 0 {
		return nil, nil
	}
	rows = spaced(rows, profileRows)
	state := &result.DriftState{Rows: rows.Len(), Level: drift.Level, Least: drift.Least, Moved: []result.Moved{}}
	var all []result.Moved
	var shifts []drift.Shift
	add := func(what, name string, s drift.Sketch, now []float64) {
		shift := s.Compare(now)
		shifts = append(shifts, shift)
		all = append(all, result.Moved{
			What: what, Name: name, Distance: shift.Distance, P: shift.P, Then: number(s.Median()), Now: number(drift.New(now).Median()),
		})
	}
	state.Unknown = unknown(p)
	if p.Columns != nil && rows.Dense != nil {
		chosen := othersOf(m.Table)
		state.Learned = true
		for j, now := range columnsOf(rows) {
			name := ""
			if m.Features != nil {
				name = m.Features[j]
			}
			if slices.Contains(chosen, j) || !slices.ContainsFunc(now, func(v float64) bool { return !math.IsNaN(v) }) {
				continue // of a view that none of the rows has
			}
			add("column", name, p.Columns[j], now)
			state.Learned = state.Learned && p.Columns[j].Same(now)
		}
		if len(chosen) > 0 {
			state.Unknown = clauses(state.Unknown, "words beyond the commonest, which were chosen by the rows learned from and are fewer "+
				"among them")
		}
	}
	if state.Learned = state.Learned && len(all) > 0; state.Learned {
		var err error
		if state.Learned, err = m.nearAsLearned(ctx, rows); err != nil {
			return nil, err
		}
	}
	if state.Learned { // outputs and distances of rows left out are those of other rows
		state.Compared, state.Largest = len(all), &all[0]
		return state, ctx.Err()
	}
	if p.Distance != nil {
		now, err := m.distances(ctx, rows, false)
		if err != nil {
			return nil, err
		}
		if now != nil {
			add("distance", "", *p.Distance, now)
		}
	}
	if p.Score != nil {
		out, err := m.Predict(ctx, rows)
		if err != nil {
			return nil, err
		}
		add("output", "", *p.Score, leads(out))
	}
	state.Compared = len(all)
	for i, s := range shifts {
		if s.Moved(len(shifts)) {
			state.Moved = append(state.Moved, all[i])
		}
		if state.Largest == nil || s.Distance > state.Largest.Distance {
			state.Largest = &all[i]
		}
	}
	slices.SortStableFunc(state.Moved, func(a, b result.Moved) int { return cmp.Compare(b.Distance, a.Distance) })
	return state, nil
}

// nearAsLearned says whether rows are as far from the centres as those learned from were, of which each was told from its own centre: the
// same values in every column may be joined to other rows.
func (m *Model) nearAsLearned(ctx context.Context, rows data.Rows) (bool, error) {
	if m.profile.Distance == nil {
		return true, nil
	}
	now, err := m.distances(ctx, rows, true)
	return now == nil || m.profile.Distance.Same(now), err
}

// othersOf are the features of words that are no level of their column. The levels are the commonest words of the rows learned from, by
// whose shares new rows would be judged: of new rows more have another word, though nothing has moved.
func othersOf(t *data.Table) (list []int) {
	if t == nil {
		return nil
	}
	at := 0
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Kind == data.KindCategory && c.Other {
			list = append(list, at+len(c.Levels))
		}
		at += len(c.Features())
	}
	return list
}

// clauses are two clauses of which the first may be empty.
func clauses(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// unknown says what a profile lacks.
func unknown(p *drift.Profile) string {
	var list []string
	if p.Columns == nil {
		list = append(list, "columns, which are not remembered of sparse rows or of more than 1000")
	}
	if p.Distance == nil {
		list = append(list, "distances, because the model keeps no rows with one measure of distance")
	}
	if p.Score == nil {
		list = append(list, "outputs, because none are known of rows that were not learned from")
	}
	return strings.Join(list, "; ")
}

// number is a value, nil where there is none.
func number(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
