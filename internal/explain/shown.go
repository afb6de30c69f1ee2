package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/model"
)

// Kept are the rows that a model keeps of those it was learned from.
type Kept struct {
	Rows, Scaled data.Rows    // as model.Centres returns them
	Alone        *model.Model // the model for rows that are scaled already
}

// KeptBy are the kept rows of a model, an error where it keeps none or has several views.
func KeptBy(m *model.Model) (*Kept, error) {
	rows, scaled, err := m.Centres()
	if err != nil {
		return nil, err
	}
	alone := *m
	alone.Scaling = data.Scaling{Kind: data.ScaleNone}
	return &Kept{rows, scaled, &alone}, nil
}

// Named are the predictions for outputs as text.
func Named(m *model.Model, out *mat.Dense) []string {
	n, _ := out.Dims()
	list := make([]string, n)
	if m.Task == data.Regression {
		for i := range list {
			list[i] = Figures(out.At(i, 0), 6)
		}
		return list
	}
	for i, c := range m.Decide(out) {
		list[i] = m.Classes[c]
	}
	return list
}

// shownCells is how many cells of a row are shown: more is for no eye.
const shownCells = 12

// Cells are names and values of the first columns of a row, as they were read, of sparse ones of those that are largest, and how many
// more there are.
func Cells(m *model.Model, rows data.Rows, i int) (list [][2]string, more int) {
	if m.Table != nil && !rows.IsSparse() && rows.Dim() == m.Columns {
		row := slices.Clone(rows.Dense.RawRowView(i))
		exact(row, indices.To(len(row)))
		all := columnsOf(m)
		for _, c := range all[:min(len(all), shownCells)] {
			text := fmt.Sprint(c.shown(row))
			if v, ok := c.shown(row).(float64); ok {
				text = Figures(v, 4)
			}
			list = append(list, [2]string{c.name, text})
		}
		return list, len(all) - len(list)
	}
	var at []int32
	var value []float64
	if rows.IsSparse() {
		index, values := rows.Sparse.Row(i)
		order := indices.To(len(index))
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(values[b]), math.Abs(values[a])) })
		for _, q := range order {
			at, value = append(at, index[q]), append(value, values[q])
		}
	} else {
		value = rows.Dense.RawRowView(i)
	}
	for q, v := range value[:min(len(value), shownCells)] {
		j := q
		if at != nil {
			j = int(at[q])
		}
		list = append(list, [2]string{featureName(m, j), Figures(v, 4)})
	}
	return list, len(value) - len(list)
}

// featureName is the name of a feature, its number from 1 where it has none.
func featureName(m *model.Model, j int) string {
	if m.Features == nil {
		return strconv.Itoa(j + 1)
	}
	return m.Features[j]
}

// Figures writes so many digits of a number, and all those before the point of one that has more there.
func Figures(v float64, n int) string {
	if size := math.Round(math.Abs(v)); size >= math.Pow10(n) && size < 1e15 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', n, 64)
}
