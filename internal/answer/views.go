package answer

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/metric"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// mostDisputed is how many disputed rows are listed.
const mostDisputed = 10

// Views shows each view of a model of several views on rows, with their answers by the name of the set that these
// make; nil of other models.
func Views(ctx context.Context, m *model.Model, rows data.Rows, sets map[string]data.Labels) (*result.ViewState, error) {
	outs, err := m.Views(ctx, rows)
	if err != nil || outs == nil {
		return nil, err
	}
	s := &result.ViewState{}
	for v, out := range outs {
		one := result.OneView{Name: m.Parts[v].View, Metrics: map[string]result.Metric{}}
		have := func(i int) bool { return !math.IsNaN(out.At(i, 0)) }
		for i := range rows.Len() {
			if have(i) {
				one.Rows++
			}
		}
		for name, labels := range sets {
			idx := slices.DeleteFunc(answered(labels), func(i int) bool { return !have(i) })
			if len(idx) == 0 {
				continue
			}
			plain := *m
			plain.Calibration, plain.Decision, plain.Residuals = nil, nil, nil // these are of the mean of all views
			if one.Metrics[name], err = measure(&plain, pick(out, idx), labels, idx); err != nil {
				return nil, err
			}
		}
		s.Views = append(s.Views, one)
	}
	if m.Task == data.Classification {
		agree(s, m, outs, sets["labelled"])
	}
	return s, nil
}

// ViewsOf shows each view of a model of several views on rows, and on those that have an answer its measures; nil of
// other models.
func ViewsOf(ctx context.Context, m *model.Model, rows data.Rows, answers data.Answers) (*result.ViewState, error) {
	labels, _, err := Known(m, answers)
	if err != nil {
		return nil, err
	}
	return Views(ctx, m, rows, map[string]data.Labels{"labelled": labels})
}

// agree counts the rows on which the views decide the same class.
func agree(s *result.ViewState, m *model.Model, outs []*mat.Dense, labelled data.Labels) {
	n, _ := outs[0].Dims()
	class := make([][]int, len(outs))
	for v, out := range outs {
		class[v] = m.Decide(out)
	}
	type row struct {
		i    int
		sure float64 // the margin of the view that is least sure
	}
	var disputed []row
	several, same := 0, 0
	for i := range n {
		first, views, differ, sure := -1, 0, false, math.Inf(1)
		for v, out := range outs {
			if math.IsNaN(out.At(i, 0)) {
				continue
			}
			views++
			if first < 0 {
				first = class[v][i]
			}
			differ = differ || class[v][i] != first
			sure = min(sure, margin(out.RawRowView(i)))
		}
		if views < 2 {
			continue
		}
		several++
		switch {
		case !differ:
			same++
		case labelled.Len() != n || labelled.Class[i] == data.Unlabelled:
			disputed = append(disputed, row{i, sure})
		}
	}
	if several == 0 {
		return
	}
	share := float64(same) / float64(several)
	s.Agreement = &share
	slices.SortStableFunc(disputed, func(a, b row) int { return cmp.Compare(b.sure, a.sure) })
	for _, d := range disputed[:min(len(disputed), mostDisputed)] {
		s.Disputed = append(s.Disputed, d.i)
	}
}

// margin is how far the decision of outputs is from another one.
func margin(o []float64) float64 {
	if len(o) == 1 {
		return math.Abs(o[0])
	}
	return metric.Lead(o)
}
