package mercer

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
)

// The other half of a set looks like the half that a model was learned from; with one column moved, it does not, and the
// column is named. Distances find rows from elsewhere that no column by itself tells of.
func TestDrift(t *testing.T) {
	ctx := context.Background()
	set, err := data.Builtin("breast-cancer")
	if err != nil {
		t.Fatal(err)
	}
	order := rand.New(rand.NewPCG(3, 4)).Perm(set.Rows.Len())
	half := len(order) / 2
	for _, r := range []Recipe{{}, {Method: "svm", Tune: "none"}, {Method: "logistic", Kernel: "linear"}} {
		m, _, err := Fit(ctx, Input{Set: set.Select(order[:half])}, r, Options{})
		if err != nil {
			t.Fatal(err)
		}
		rows := set.Rows.Select(order[half:])
		d, err := m.Drift(ctx, rows)
		if err != nil || d.Rows != rows.Len() || len(d.Moved) > 0 || d.Compared < 30 {
			t.Errorf("%+v: the other half: %+v, %v", r, d, err)
		}
		linear := r.Kernel == "linear"
		if linear != strings.Contains(d.Unknown, "distances") || (r.Tune == "none") != strings.Contains(d.Unknown, "outputs") {
			t.Errorf("%+v: unknown are %s", r, d.Unknown)
		}
		moved := mat.DenseCopyOf(rows.Dense)
		for i := range rows.Len() {
			moved.Set(i, 7, 2*moved.At(i, 7))
		}
		if d, err = m.Drift(ctx, data.Rows{Dense: moved}); err != nil || len(d.Moved) == 0 || d.Moved[0].Name != set.Features[7] {
			t.Errorf("%+v: column %s doubled: %+v, %v", r, set.Features[7], d, err)
		}
		// Every column keeps its values, but those of a row come from as many rows.
		mixed := mat.DenseCopyOf(rows.Dense)
		for j := range rows.Dim() {
			for i, k := range rand.New(rand.NewPCG(uint64(j), 5)).Perm(rows.Len()) {
				mixed.Set(i, j, rows.Dense.At(k, j))
			}
		}
		if linear {
			continue
		}
		if d, err = m.Drift(ctx, data.Rows{Dense: mixed}); err != nil || len(d.Moved) == 0 || d.Moved[0].What != "distance" {
			t.Errorf("%+v: columns mixed: %+v, %v", r, d, err)
		}
	}
}

// Outputs of a machine along a graph are other ones on the rows that it learned from than on new rows, so they are no measure.
func TestDriftAlongAGraph(t *testing.T) {
	ctx := context.Background()
	in := few(t, "two-moons:n=200", 5)
	m, _, err := Fit(ctx, in, Recipe{Method: "lap-rls", Tune: "none"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := m.Drift(ctx, in.Set.Rows)
	if err != nil || !d.Learned || d.Compared != 2 || strings.Contains(d.Unknown, "distances") || !strings.Contains(d.Unknown, "outputs") {
		t.Errorf("%+v, %v", d, err)
	}
	m = &model.Model{Columns: 2, Task: data.Regression}
	if d, err := m.Drift(ctx, in.Set.Rows); d != nil || err != nil {
		t.Errorf("a model that remembers nothing: %+v, %v", d, err)
	}
}
