package answer

import (
	"context"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/await"
	"github.com/mercer-ml/mercer/model"
)

const (
	// rememberGrace is how long a model looks at the rows after an interrupt.
	rememberGrace = 300 * time.Millisecond
	// spacedRows are predicted at most, evenly spaced.
	spacedRows = 2000
)

// unlearned are outputs on rows whose labels were not learned from: unlabelled rows, or labelled ones that were left out where
// these are more; nil where there are none. Of machines that learned from unlabelled rows too there are none: their outputs are
// larger there than on new rows (with two labels a class of digits two draws of five showed a drift that was not there, tools/lab drift).
func (a *Answer) unlearned(ctx context.Context, m *model.Model) (*mat.Dense, error) {
	for _, member := range a.Choice.Members {
		if !member.Supervised() {
			return nil, nil
		}
	}
	set := a.Task.Whole.Set
	var idx []int
	for i, answer := range set.Answers {
		if data.IsUnlabelled(answer) {
			idx = append(idx, i)
		}
	}
	if judged, out := a.leftOut(a.Choice); len(judged) >= len(idx) {
		return out, nil
	}
	return m.Predict(ctx, spaced(set.Rows, idx))
}

// Remember makes the model remember what the rows of the fit look like, to tell later whether others look like them
// (model.Remember). Outputs are left out where no row was left out or unlabelled. After an interrupt there is a moment left for it, and
// then nothing is remembered, which is no error. Cost: 2000 predictions beside those distances.
func (a *Answer) Remember(ctx context.Context, m *model.Model) error {
	ctx, cancel := await.Linger(ctx, rememberGrace)
	defer cancel()
	out, err := a.unlearned(ctx, m)
	if err == nil {
		err = m.Remember(ctx, a.Task.Whole.Set.Rows, out)
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// spaced are spacedRows of the rows idx at most, evenly spaced.
func spaced(rows data.Rows, idx []int) data.Rows {
	list := make([]int, min(len(idx), spacedRows))
	for q := range list {
		list[q] = idx[q*len(idx)/len(list)]
	}
	return rows.Select(list)
}
