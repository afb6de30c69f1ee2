package model_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fittest"
	"github.com/mercer-ml/mercer/internal/test/pathtest"
	"github.com/mercer-ml/mercer/model"
)

// TestModelsAreAsTheyWere: what models of fits of every kind answer when they come from a file, and when they are asked for parts.
func TestModelsAreAsTheyWere(t *testing.T) {
	var p pathtest.Path
	for _, c := range fittest.Cases(t,
		fittest.On{Spec: "two-moons:n=40,noise=0.3", Each: 8, Recipes: []string{
			"rls", "svm --tune none", "svm --tune kfold:3 --budget 2", "linear-svm --tune none", "linear-logistic", "lap-rls --tune none",
			"rls --decide balanced",
			"rls --decide rate=1=0.3", "rls --basis 5", "harmonic --tune none", "nadaraya-watson", "one-class --tune none", "mobj-rbf",
			"auto --budget 8",
			"rls --scale standard --tune none", "rls --scale unit --tune none", "tsvm --tune none", "logistic --tune none",
		}},
		fittest.On{Spec: "iris", Each: 6, Recipes: []string{
			"rls", "svm --tune kfold:2 --budget 2", "linear-svm --tune none", "co-rls --tune none --view a=1..2 --view b=3..4",
			"rls --decide cost=1=3", "mobj-svm C=1,4 sigma=1",
			"rls --scale minmax --tune none", "nadaraya-watson", "lap-svm --tune none",
		}},
		fittest.On{Spec: "sinc:n=40", Recipes: []string{"rls", "svr --tune none", "svr --tune kfold:4 --budget 2", "linear-rls",
			"mobj-rbf", "rls --basis 6"}},
	) {
		var m *model.Model
		var err error
		if c.Pick != 0 {
			m, _, err = mercer.Pareto(t.Context(), c.In, c.Recipe, mercer.Options{}, 0)
		} else {
			m, _, err = mercer.Fit(t.Context(), c.In, c.Recipe, mercer.Options{})
		}
		if err != nil {
			p.Add(c.Name, err.Error())
			continue
		}
		m.Result = nil
		var file bytes.Buffer
		if err := m.Write(&file); err != nil {
			t.Fatal(err)
		}
		back, err := model.Read(t.Context(), bytes.NewReader(file.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		// A file has numbers as they are, so its length tells what is in it.
		p.Add(
			c.Name,
			file.Len()/64,
			back.Outputs(),
			back.HasProbabilities(),
			fmt.Sprint(back.Classes, back.Task, back.Sparse, back.Columns),
		)
		p.Object("  weights", back.Scaling, 5)
		rows := c.In.Set.Rows.Select([]int{0, 7, 19, 31})
		out, err := back.Predict(t.Context(), rows)
		if err != nil {
			t.Fatal(err)
		}
		p.Add("  outputs", out.RawMatrix().Data, fmt.Sprint(back.Decide(out)))
		if probability, err := back.Probabilities(out); err != nil {
			p.Add("  probabilities", err.Error())
		} else {
			p.Add("  probabilities", probability.RawMatrix().Data)
		}
		for _, level := range []float64{0, 0.5, 0.9, 0.99, 1} {
			lower, upper, err := back.Interval(level)
			p.Add("  interval", level, lower, upper, fmt.Sprint(err))
		}
		if w, offset, err := back.LinearWeights(); err != nil {
			p.Add("  linear", err.Error())
		} else {
			p.Add("  linear", w.RawMatrix().Data, offset)
		}
		if kept, scaled, err := back.Centres(); err != nil {
			p.Add("  centres", err.Error())
		} else {
			p.Add("  centres", kept.Len(), scaled.Len(), scaled.Dim())
			near, err := back.Nearest(t.Context(), rows, scaled, 2)
			p.Object("  near", near, 2)
			p.Add("  nearest", fmt.Sprint(err))
		}
		if views, err := back.Views(t.Context(), rows); err == nil && len(views) > 0 {
			for _, v := range views {
				p.Add("  view", v.RawMatrix().Data)
			}
			lacking := data.Rows{Dense: mat.DenseCopyOf(rows.Dense)}
			for j := range lacking.Dim() {
				lacking.Dense.Set(j%2, j, math.NaN()) // the first row lacks every other column, the second the others
				lacking.Dense.Set(2, j/2, math.NaN()) // the third the first half
			}
			part, err := back.Predict(t.Context(), lacking)
			if err != nil {
				p.Add("  lacking", err.Error())
			} else {
				p.Add("  lacking", part.RawMatrix().Data)
			}
			lacking.Dense.SetRow(0, rows.Dense.RawRowView(0))
			lacking.Dense.SetRow(1, rows.Dense.RawRowView(1))
			if part, err = back.Predict(t.Context(), lacking); err != nil {
				p.Add("  lacking a view", err.Error())
			} else {
				p.Add("  lacking a view", part.RawMatrix().Data)
			}
		}
		stopped, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = back.Predict(stopped, rows)
		p.Add("  stopped", fmt.Sprint(err))
		many := make([]int, 700)
		for i := range many {
			many[i] = i % c.In.Set.Rows.Len()
		}
		long, err := back.Predict(t.Context(), c.In.Set.Rows.Select(many))
		if err != nil {
			t.Fatal(err)
		}
		p.Add("  many rows", mat.Sum(long), long.At(699, 0), long.At(640, 0))
		bound, err := back.Bind(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		again, err := bound.Predict(t.Context(), rows)
		p.Add("  bound", again.RawRowView(1), fmt.Sprint(err))
		for _, k := range []int{0, 1, 3, 1000} {
			if member, err := back.Member(k); err != nil {
				p.Add("  member", k, err.Error())
			} else if got, err := member.Predict(t.Context(), rows); err == nil {
				p.Add("  member", k, got.RawRowView(0))
			}
		}
		p.Add("  memory", fmt.Sprint(back.HoldsColumns(10), back.HoldsColumns(1<<30)))
	}
	p.Compare(t, "models")
}
