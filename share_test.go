package mercer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/test/sharetest"
	"github.com/mercer-ml/mercer/internal/test/slowtest"
	"github.com/mercer-ml/mercer/result"
)

// A fit whose pieces are done by fits begun anew, in another order and some of them twice, is the fit to the last bit.
func TestFitInPiecesIsTheFit(t *testing.T) {
	for name, c := range map[string]struct {
		rows   string
		every  int // of so many rows one is taken; 0: all
		each   int // labels of each class; 0: of all rows
		recipe mercer.Recipe
		stages int
		long   bool
	}{
		"tables":     {rows: "two-moons:n=120", each: 5, stages: 2},
		"clusters":   {rows: "g50c", every: 4, each: 10, stages: 2},
		"supervised": {rows: "two-moons:n=120", stages: 1},
		"classes":    {rows: "iris", each: 8, stages: 2},
		"budget":     {rows: "two-moons:n=120", each: 5, stages: 2, recipe: mercer.Recipe{Budget: 9}},
		"norms fixed": {rows: "two-moons:n=120", each: 5, stages: 2, recipe: mercer.Recipe{
			Set: map[string]string{"gamma_a": "1e-4", "gamma_i": "1"}}},
		"regression":        {rows: "sinc:n=120", stages: 1},
		"design of a graph": {rows: "two-moons:n=120", each: 5, stages: 1, recipe: mercer.Recipe{Method: "lap-svm"}},
		"centres":           {rows: "two-moons:n=400", each: 20, stages: 4, recipe: mercer.Recipe{Basis: "30"}},
		"sample":            {rows: "two-moons:n=9000", each: 5, stages: 2, long: true, recipe: mercer.Recipe{Budget: 7}},
		"landmarks": {rows: "two-moons:n=8400", each: 1001, stages: 3, long: true,
			recipe: mercer.Recipe{Method: "lap-rls", Budget: 1}},
		"race": {rows: "two-spirals:n=2100,noise=0.1", stages: 7, long: true},
	} {
		t.Run(name, func(t *testing.T) {
			if c.long {
				slowtest.Only(t, "it fits thousands of rows twice")
			}
			in := labelled(t, c.rows)
			if c.every > 0 {
				in.Set = in.Set.Select(every(in.Set.Rows.Len(), c.every))
			}
			if c.each > 0 {
				labels, err := data.Interpret(in.Set.Answers, in.Set.LabelName, data.LabelOptions{})
				if err != nil {
					t.Fatal(err)
				}
				keep, err := data.DrawPerClass(labels, c.each, 1)
				if err != nil {
					t.Fatal(err)
				}
				in.Set.Answers, in.Hidden = data.Hide(in.Set.Answers, keep)
			}
			want, wantResult := written(t, in, c.recipe, nil)
			crew := &sharetest.Apart{Fit: func(ctx context.Context, crew result.Crew) error {
				_, _, err := mercer.Fit(ctx, in, c.recipe, mercer.Options{Share: crew})
				return err
			}}
			got, gotResult := written(t, in, c.recipe, crew)
			if gotResult != wantResult {
				t.Errorf("result in pieces:\n%s\nand whole:\n%s", gotResult, wantResult)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("the model in pieces has %d bytes and differs from the whole one of %d", len(got), len(want))
			}
			if len(crew.Stages) != c.stages {
				t.Errorf("%d stages, want %d: %s", len(crew.Stages), c.stages, strings.Join(crew.Stages, ", "))
			}
		})
	}
}

// every lists each k-th of the numbers below n.
func every(n, k int) []int {
	var rows []int
	for i := 0; i < n; i += k {
		rows = append(rows, i)
	}
	return rows
}

// written is the model of a fit as a file, and the result, without what a clock tells.
func written(t *testing.T, in mercer.Input, r mercer.Recipe, crew result.Crew) ([]byte, string) {
	t.Helper()
	m, res, err := mercer.Fit(t.Context(), in, r, mercer.Options{Share: crew})
	if err != nil {
		t.Fatal(err)
	}
	m.Result = nil
	res.Seconds, res.Forecast = result.Seconds{}, mercer.Result{}.Forecast
	text, err := json.Marshal(res.Finite())
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		t.Fatal(err)
	}
	return file.Bytes(), string(text)
}

// counted is a crew that counts the pieces that it does.
type counted struct{ pieces int }

func (*counted) Apart() bool { return false }

func (c *counted) Begin(_ context.Context, _ string, _ int, do result.Piece) (result.Piece, error) {
	return func(ctx context.Context, number int) ([]byte, error) { c.pieces++; return do(ctx, number) }, nil
}

// A method that says that its steps are pieces has them, one for each machine that is compared.
func TestMethodsOfPieces(t *testing.T) {
	none := true
	for _, m := range method.All() {
		if !m.Supports(nil).Pieces {
			continue
		}
		none = false
		in, crew := labelled(t, "two-moons:n=20"), &counted{}
		if m.For == data.Regression {
			in = labelled(t, "sinc:n=20")
		}
		_, res, err := mercer.Fit(t.Context(), in, mercer.Recipe{Method: m.ID}, mercer.Options{Share: crew})
		if err != nil {
			t.Fatal(m.ID, err)
		}
		if crew.pieces < res.Tuning.Evaluations {
			t.Errorf("%s: %d pieces and %d machines", m.ID, crew.pieces, res.Tuning.Evaluations)
		}
	}
	if none {
		t.Error("no method has pieces")
	}
}
