package report

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/columns"
	"github.com/mercer-ml/mercer/model"
)

const (
	// partialFigures is the number of columns that have a figure, partialRows that of the rows that the mean is over, partialPoints that of
	// the values of the column.
	partialFigures, partialRows, partialPoints = 3, 40, 25
	// partialClasses is the number of classes up to which each has a line.
	partialClasses = 6
)

// partial draws how the answer depends on the columns of numbers that count most, in the mean over some rows whose other columns stay as
// they are (partial dependence; Friedman, Annals of Statistics 29, 2001).
func (r *Run) partial(ctx context.Context) ([]*Figure, error) {
	m, set := r.Model, r.Set
	if m == nil || set == nil || set.Rows.IsSparse() || set.Rows.Dim() != m.Columns || len(m.Classes) > partialClasses {
		return nil, nil
	}
	parts := columns.Parts(m.Table, m.Columns, m.Features)
	var list []*Figure
	for _, column := range r.Result.Relevance {
		at := slices.IndexFunc(parts, func(p columns.Part) bool { return p.Name == column.Name })
		if at < 0 || parts[at].Of != nil && parts[at].Of.Kind != data.KindNumber {
			continue
		}
		f, err := partialOf(ctx, m, set.Rows, parts[at])
		if err != nil {
			return nil, err
		}
		if f != nil {
			f.Name = fmt.Sprintf("effect-%d", len(list)+1)
			list = append(list, f)
		}
		if len(list) == partialFigures {
			break
		}
	}
	return list, nil
}

// partialOf is the figure of a column, nil where its values are too few for a line.
func partialOf(ctx context.Context, m *model.Model, rows data.Rows, part columns.Part) (*Figure, error) {
	n, j := rows.Len(), part.At[0]
	values := known(mat.Col(nil, j, rows.Dense))
	slices.Sort(values)
	var at []float64 // quantiles, each once
	for k := range min(partialPoints, len(values)) {
		at = append(at, values[k*(len(values)-1)/max(1, min(partialPoints, len(values))-1)])
	}
	at = slices.Compact(at)
	if len(at) < 3 {
		return nil, nil
	}
	taken := min(n, partialRows)
	changed := mat.NewDense(len(at)*taken, m.Columns, nil)
	for k, v := range at {
		for i := range taken {
			row := changed.RawRowView(k*taken + i)
			copy(row, rows.Dense.RawRowView(i*n/taken))
			row[j] = v
			for _, of := range part.At[1:] { // indicators of words among the numbers
				row[of] = 0
			}
		}
	}
	out, err := m.Predict(ctx, data.Rows{Dense: changed})
	if err != nil {
		return nil, ctx.Err() // a row beside which such a value cannot stand has no figure
	}
	y := "prediction"
	if len(m.Classes) > 0 {
		if !m.HasProbabilities() {
			return nil, nil
		}
		y = "probability"
		if out, err = m.Probabilities(out); err != nil {
			return nil, err
		}
	}
	return partialFigure(m, part.Name, y, at, means(out, taken)), nil
}

// means are those of groups of so many rows.
func means(out *mat.Dense, rows int) *mat.Dense {
	n, c := out.Dims()
	mean := mat.NewDense(n/rows, c, nil)
	for i := range n {
		for k, v := range out.RawRowView(i) {
			mean.Set(i/rows, k, mean.At(i/rows, k)+v/float64(rows))
		}
	}
	return mean
}

// partialFigure draws a line for each class, of two classes for the second, or for the number that is predicted.
func partialFigure(m *model.Model, column, y string, at []float64, mean *mat.Dense) *Figure {
	_, c := mean.Dims()
	f := &Figure{Plot: newPlot("Effect of "+clip(column), clip(column), y)}
	first := 0
	if c == 2 {
		first = 1
		f.Plot.Y.Label.Text = "probability of " + clip(m.Classes[1])
	}
	var all []float64
	for k := first; k < c; k++ {
		line := make(plotter.XYs, len(at))
		for q, v := range at {
			line[q] = plotter.XY{X: v, Y: mean.At(q, k)}
			all = append(all, mean.At(q, k))
		}
		if !finiteAll(all) {
			return nil
		}
		stroke := draw.LineStyle{Color: classColour(k), Width: 2}
		f.Plot.Add(&plotter.Line{XYs: line, LineStyle: stroke})
		if c > 2 {
			f.Legend = append(f.Legend, Entry{Name: clip(m.Classes[k]), Line: &stroke})
		}
	}
	lo, hi, _ := span(all)
	room(&f.Plot.Y, lo, hi, 0.05)
	f.Caption = fmt.Sprintf("The mean answer over %d rows or fewer if all had this value of %s; their other columns stay as they are.",
		partialRows, clip(column))
	f.Alt = fmt.Sprintf("The mean %s over values of %s from %s to %s lies between %s and %s.", f.Plot.Y.Label.Text, clip(column),
		number(at[0]), number(at[len(at)-1]), number(lo), number(hi))
	return f
}
