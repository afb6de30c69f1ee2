package data

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// Kinds of scaling.
const (
	ScaleAuto     = "auto"     // none or standard, by the columns' spread; labels are never looked at
	ScaleNone     = "none"     // as they are
	ScaleStandard = "standard" // columns of mean 0 and standard deviation 1
	ScaleMinMax   = "minmax"   // columns from 0 to 1
	ScaleUnit     = "unit"     // rows of Euclidean length 1
	ScaleTFIDF    = "tfidf"    // counts of words weighted by how few rows have them, then rows of length 1
)

// spreadRatio is how far from the median non-zero column standard deviation others may be
// before auto standardises.
const spreadRatio = 10

// smallShare of the columns must be far below the median to count: one far above drowns all
// others in every distance, one far below is lost alone.
const smallShare = 0.1

// Outside these standard deviations the products of four values leave the range
// of a float64, 1e-308 to 1e308, or nearly so: auto standardises.
const minSD, maxSD = 1e-70, 1e70

// Scaling is what was done to the features, part of every model:
// x' = (x - Shift) / Scale by column for standard and minmax, x' = x / ||x|| by
// row for unit, both for tfidf (Scale is 1/idf, see inverseFrequencies), x' = x for none and the zero value. A
// nil Shift is zero. Scale is 1 in the Constant columns that took one value only.
type Scaling struct {
	Kind     string    `json:"kind"`
	Shift    []float64 `json:"shift,omitempty"`
	Scale    []float64 `json:"scale,omitempty"`
	Constant int       `json:"constant,omitempty"`
}

// FitScaling learns the scaling of a kind from rows and says in reason what was
// done and why. Kind "" is auto, which resolves to none for sparse rows, and for
// dense rows to standard if the columns are Uneven, their means are ten standard deviations
// from zero in all, or a standard deviation is outside 1e-70 to 1e70, else to none. Sparse rows stay
// sparse: nothing is shifted, standard divides by the standard deviation and
// minmax by the width of the range with 0 in it. tfidf is for columns without negative values,
// and counts rows with and without labels alike. Cost: one pass.
func FitScaling(kind string, rows Rows) (s Scaling, reason string, err error) {
	if err := (Scaling{Kind: kind}).Refuses(rows); err != nil {
		return Scaling{}, "", err
	}
	return ScalingOf(kind, rows.IsSparse(), rows.ColumnStats)
}

// ScalingOf is FitScaling by the statistics of the columns, which are asked for where the kind needs them: for rows that are
// summed where they lie.
func ScalingOf(kind string, isSparse bool, of func() *ColumnStats) (s Scaling, reason string, err error) {
	switch kind {
	case "", ScaleAuto:
		if isSparse {
			return Scaling{Kind: ScaleNone}, "sparse features are left as they are", nil
		}
		stats := of()
		w := spread(stats)
		switch {
		case w.varying > 0 && !(minSD < w.largest && w.largest < maxSD):
			reason = fmt.Sprintf("the squares of a standard deviation of %.3g are out of range", w.largest)
		case w.uneven() == "" && w.far > farRatio:
			reason = fmt.Sprintf("the columns' means are %.3g standard deviations from zero", w.far)
		case w.uneven() == "":
			return Scaling{Kind: ScaleNone, Constant: len(stats.Mean) - w.varying}, "features left as they are: " + w.largestSays(), nil
		default:
			reason = w.uneven()
		}
		return columnScaling(ScaleStandard, stats, false), "features standardised: " + reason, nil
	case ScaleNone:
		return Scaling{Kind: kind}, "features left as they are, as asked", nil
	case ScaleUnit:
		return Scaling{Kind: kind}, "rows scaled to length 1, as asked", nil
	case ScaleTFIDF:
		s, err = tfidf(of())
		return s, "words weighted by TF-IDF, rows scaled to length 1, as asked", err
	case ScaleStandard, ScaleMinMax:
		s = columnScaling(kind, of(), isSparse)
		reason = "features standardised, as asked"
		if kind == ScaleMinMax {
			reason = "features scaled to [0, 1], as asked"
		}
		if isSparse {
			reason += "; not shifted, so that they stay sparse"
		}
		return s, reason, nil
	}
	return Scaling{}, "", fmt.Errorf("unknown scaling %q; one of %s", kind,
		strings.Join([]string{ScaleAuto, ScaleNone, ScaleStandard, ScaleMinMax, ScaleUnit, ScaleTFIDF}, ", "))
}

// Uneven says how the standard deviations of columns differ if auto would standardise dense
// columns like these, as in "the largest standard deviation is 388 times the median" or
// "4 of 18 standard deviations are below a tenth of the median"; "" if it would not. A
// column far below the median counts only if its range is too: the pixels that are seldom
// inked have small deviations in the unit of all others. Sparse
// rows of which less than half is stored, such as text, are never uneven: their columns
// differ by how often a word occurs, not by units.
func Uneven(rows Rows) string {
	if s := rows.Sparse; s != nil && 2*s.NNZ() < rows.Len()*rows.Dim() {
		return ""
	}
	return spread(rows.ColumnStats()).uneven()
}

// farRatio is how many standard deviations from zero columns may lie: inner products of rows that are further off differ by less than a
// hundredth, so that linear machines find little in them but a constant.
const farRatio = 10

// width is how the standard deviations of columns differ.
type width struct {
	ratio   float64 // the largest over the median (lower median; 1 if all are zero)
	largest float64
	far     float64 // the length of the means over that of the standard deviations, of the columns that vary
	varying int     // columns that are not constant
	small   int     // of them, those whose deviation and range are both far below their medians
}

func spread(stats *ColumnStats) width {
	var sd, ranges []float64
	for j := range stats.Mean {
		if !stats.Constant(j) {
			sd, ranges = append(sd, stats.SD(j)), append(ranges, stats.Max[j]-stats.Min[j])
		}
	}
	w := width{ratio: 1, varying: len(sd)}
	if len(sd) == 0 {
		return w
	}
	middle := func(v []float64) float64 { return slices.Sorted(slices.Values(v))[(len(v)-1)/2] }
	median, medianRange := middle(sd), middle(ranges)
	w.largest = slices.Max(sd)
	w.ratio = w.largest / median
	var mean, deviation float64
	for j, v := range stats.Mean {
		if !stats.Constant(j) {
			mean, deviation = math.Hypot(mean, v), math.Hypot(deviation, stats.SD(j))
		}
	}
	w.far = mean / deviation
	for q, v := range sd {
		if spreadRatio*v < median && spreadRatio*ranges[q] < medianRange {
			w.small++
		}
	}
	return w
}

func (w width) largestSays() string {
	return fmt.Sprintf("the largest standard deviation is %.3g times the median", w.ratio)
}

// uneven is the text of Uneven.
func (w width) uneven() string {
	switch {
	case w.ratio > spreadRatio:
		return w.largestSays()
	case w.small > 0 && float64(w.small) >= smallShare*float64(w.varying):
		return fmt.Sprintf("%d of %d standard deviations are below a tenth of the median", w.small, w.varying)
	}
	return ""
}

func columnScaling(kind string, stats *ColumnStats, isSparse bool) Scaling {
	d := len(stats.Mean)
	s := Scaling{Kind: kind, Scale: make([]float64, d)}
	if !isSparse {
		s.Shift = make([]float64, d)
	}
	for j := range d {
		lo, hi, shift := stats.Min[j], stats.Max[j], stats.Mean[j]
		if kind == ScaleMinMax {
			shift = lo
		}
		if isSparse {
			lo, hi = min(lo, 0), max(hi, 0)
		} else {
			s.Shift[j] = shift
		}
		s.Scale[j] = stats.SD(j)
		// The squares of values beyond 1e154 overflow, those of values below 1e-154
		// vanish; the range still serves.
		if kind == ScaleMinMax || s.Scale[j] < 1e-150 || math.IsInf(s.Scale[j], 0) || math.IsNaN(s.Scale[j]) {
			s.Scale[j] = hi - lo
		}
		if stats.Constant(j) {
			s.Constant++
			s.Scale[j] = 1
			if !isSparse {
				s.Shift[j] = stats.Min[j] // exact where the running mean is rounded
			}
		}
		if s.Scale[j] == 0 || math.IsInf(s.Scale[j], 0) {
			s.Scale[j] = 1 // spread below or range above what a float can hold
		}
	}
	return s
}

// Apply returns scaled rows with the same identity; rows is never changed, and is
// returned itself where nothing is to do. Rows of zeros stay zero under unit.
// Sparse rows stay sparse unless there is a Shift. It panics when the number of
// columns is not the scaling's.
func (s Scaling) Apply(rows Rows) Rows {
	n, d := rows.dims()
	switch s.Kind {
	case "", ScaleNone:
		return rows
	case ScaleUnit:
		if rows.IsSparse() {
			return Rows{Sparse: copied(rows.Sparse, func(_ []int32, row []float64) { toUnit(row) }), ID: rows.ID}
		}
		return s.dense(rows, func(_ int, row []float64) { toUnit(row) })
	}
	if n > 0 && d != len(s.Scale) {
		panic(fmt.Sprintf("data: scaling of %d columns applied to %d", len(s.Scale), d))
	}
	if s.Kind == ScaleTFIDF {
		return s.weighted(rows)
	}
	if rows.IsSparse() && s.Shift == nil {
		return Rows{Sparse: scaled(rows.Sparse, s.Scale), ID: rows.ID}
	}
	return s.dense(rows, func(_ int, row []float64) {
		if s.Shift == nil {
			for j := range row {
				row[j] /= s.Scale[j]
			}
			return
		}
		for j := range row {
			row[j] = (row[j] - s.Shift[j]) / s.Scale[j]
		}
	})
}

// Undo returns the rows that Apply made x of: x Scale + Shift by column. Rows that were scaled to a length, as those of unit and
// tfidf, have lost theirs and are returned as they are.
func (s Scaling) Undo(x Rows) Rows {
	if s.Scale == nil || s.Kind == ScaleTFIDF {
		return x
	}
	if x.IsSparse() {
		return Rows{Sparse: copied(x.Sparse, func(index []int32, row []float64) {
			for p, j := range index {
				row[p] *= s.Scale[j]
			}
		}), ID: x.ID}
	}
	return s.dense(x, func(_ int, row []float64) {
		for j := range row {
			row[j] *= s.Scale[j]
			if s.Shift != nil {
				row[j] += s.Shift[j]
			}
		}
	})
}

// toUnit divides a row by its length; one of zeros stays as it is.
func toUnit(row []float64) {
	if norm := length(row); norm > 0 {
		for p := range row {
			row[p] /= norm
		}
	}
}

// length returns the Euclidean norm of a row. Where squares may have left the range of a float64
// they are taken relative to the largest value.
func length(row []float64) float64 {
	sum, largest := 0.0, 0.0
	for _, v := range row {
		sum += v * v
	}
	if sum >= 1e-290 && !math.IsInf(sum, 0) {
		return math.Sqrt(sum)
	}
	for _, v := range row {
		largest = max(largest, math.Abs(v))
	}
	if largest == 0 {
		return 0
	}
	sum = 0
	for _, v := range row {
		sum += v / largest * (v / largest)
	}
	return largest * math.Sqrt(sum)
}

// dense returns a dense copy of rows with f done to every row.
func (s Scaling) dense(rows Rows, f func(i int, row []float64)) Rows {
	n, d := rows.dims()
	if n == 0 {
		return rows
	}
	out := mat.NewDense(n, d, nil)
	for i := range n {
		row := out.RawRowView(i)
		rows.copyRow(row, i)
		f(i, row)
	}
	return Rows{Dense: out, ID: rows.ID}
}

// scaled returns a with column j divided by by[j]; it shares a's structure.
func scaled(a *CSR, by []float64) *CSR {
	return copied(a, func(index []int32, row []float64) {
		for p, j := range index {
			row[p] /= by[j]
		}
	})
}

// copied returns a with f done to the values of every row; it shares a's structure.
func copied(a *CSR, f func(index []int32, row []float64)) *CSR {
	out := &CSR{R: a.R, C: a.C, Start: a.Start, Index: a.Index, Value: slices.Clone(a.Value)}
	for i := range a.R {
		f(out.Row(i))
	}
	return out
}

// Check returns what is wrong with a scaling read from a file for d columns.
func (s Scaling) Check(d int) error {
	switch s.Kind {
	case "", ScaleNone, ScaleUnit, ScaleStandard, ScaleMinMax, ScaleTFIDF:
	default:
		return fmt.Errorf("unknown kind %q", s.Kind)
	}
	shifts := s.Kind == ScaleStandard || s.Kind == ScaleMinMax
	columns := shifts || s.Kind == ScaleTFIDF
	if s.Shift != nil && (!shifts || len(s.Shift) != d) || columns != (s.Scale != nil) || columns && len(s.Scale) != d {
		return fmt.Errorf("%s with %d shifts and %d scales for %d columns", s.Kind, len(s.Shift), len(s.Scale), d)
	}
	for _, v := range s.Scale {
		if !(v > 0) {
			return fmt.Errorf("scale %g", v)
		}
	}
	return nil
}
