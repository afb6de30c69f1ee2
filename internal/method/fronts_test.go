package method

import (
	"context"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/task"
)

// TestDecisionOfAPartialFront: the member of a front that was interrupted is chosen without folds, but of rows that are held out where
// rows are in groups or in order.
func TestDecisionOfAPartialFront(t *testing.T) {
	held := func(context.Context, [][]int) ([]float64, string, error) { return nil, "", nil }
	for _, c := range []struct {
		labels data.Labels
		want   string
	}{
		{data.Labels{}, "bic"},
		{data.Labels{Order: []float64{1, 2}}, "validation"},
		{data.Labels{Group: []string{"a", "b"}}, "validation"},
	} {
		s := &choose.Candidates{Front: &choose.Tradeoff{Partial: true, Quick: true, LeftOut: held}}
		d := decision{&task.Task{Labels: c.labels}}
		if got := d.word(s); got != c.want || len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "partial front") {
			t.Errorf("%+v: %s, %v", c.labels, got, s.Warnings)
		}
	}
}
