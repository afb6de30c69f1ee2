package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// mostOutliers are listed; farDeviations is how many robust standard deviations a residual is from their median that makes its row
// one: of a normal distribution five rows in ten thousand are.
const (
	mostOutliers  = 10
	farDeviations = 3.5
)

// outliers lists the rows of a regression whose answers are farthest from their predictions, nil where none stands out. The spread
// is that of the middle half of the residuals, 1.349 standard deviations of a normal distribution, which outliers do not widen.
func outliers(j *Judged) *Table {
	if j.Row == nil {
		return nil
	}
	var at []int
	var residuals []float64
	for i, v := range j.Value {
		if e := v - j.Output[i]; finite(e) {
			at, residuals = append(at, i), append(residuals, e)
		}
	}
	if len(residuals) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(residuals))
	quantile := func(p float64) float64 { return stat.Quantile(p, stat.Empirical, sorted, nil) }
	middle, spread := quantile(0.5), (quantile(0.75)-quantile(0.25))/1.349
	far := func(q int) float64 { return math.Abs(residuals[q] - middle) }
	var list []int
	for q := range residuals {
		if spread > 0 && far(q) > farDeviations*spread {
			list = append(list, q)
		}
	}
	if list == nil {
		return nil
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(far(b), far(a)) })
	t := &Table{
		Caption: fmt.Sprintf("The answers farthest from their predictions: more than %g robust standard deviations, of %s. Rows "+
			"count from 1 "+
			"below the header.", farDeviations, number(spread)),
		Head: []string{"row", "answer", "prediction", "difference"},
	}
	for _, q := range list[:min(len(list), mostOutliers)] {
		i := at[q]
		t.Rows = append(t.Rows, []string{fmt.Sprint(j.Row[i]), number(j.Value[i]), number(j.Output[i]), number(residuals[q])})
	}
	if len(list) > mostOutliers {
		t.Caption += fmt.Sprintf(" The first %d of %d are shown.", mostOutliers, len(list))
	}
	return t
}
