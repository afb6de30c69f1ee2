package bench

import (
	"context"
	"fmt"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learner/multiview"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

// BenchmarkViews is the closed leave-one-out of co-regularised least squares, n 1000, l 100, three views of four columns
// with a width each: the value, and the value with its gradient in the sixteen parameters.
func BenchmarkViews(b *testing.B) {
	p := problem(1000, 12, 100)
	k, views := multiview.Coupled{Coupling: 100}, [][]int{}
	for v := range 3 {
		views = append(views, []int{4 * v, 4*v + 1, 4*v + 2, 4*v + 3})
		k.Names = append(k.Names, fmt.Sprint(v))
		k.Kernels = append(k.Kernels, kernel.ARDGaussian{Sigma: []float64{2, 2, 2, 2}})
	}
	stacked := multiview.Stack(p.Rows, views)
	groups := stacked.Groups(p)
	s := score.LeaveOut{Kernel: k, Problem: stacked.Problem(p, nil), Folds: groups, Work: new(kernel.Work),
		Criterion: multiview.Agreed{Criterion: score.LogLoss{}, Things: p, Groups: groups}}
	theta := s.Space().Defaults()
	for name, want := range map[string]param.Want{"value": param.ValueOnly, "gradient": param.WithGradient} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Eval(context.Background(), theta, want); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLinearViews is one machine of co-regularised least squares on 20 000 documents of 20 000
// words in two halves: linear views in passes over the entries. It shows the megabytes that are forecast, which a table of
// 20 000 x 20 000 numbers would pass by 3200.
func BenchmarkLinearViews(b *testing.B) {
	set, err := data.Builtin("zipf:n=20000,words=20000,labelled=50")
	if err != nil {
		b.Fatal(err)
	}
	words := set.Rows.Dim()
	r := mercer.Recipe{Method: "co-rls", Kernel: "linear", Tune: "none", Views: []mercer.View{
		{Name: "first", First: 1, Last: words / 2}, {Name: "rest", First: words/2 + 1, Last: words},
	}}
	in := mercer.Input{Set: set}
	f := mercer.ForecastFit(in, r, mercer.Options{})
	if f.Form != "columns" {
		b.Fatalf("by %s", f.Form)
	}
	for b.Loop() {
		if _, _, err := mercer.Fit(context.Background(), in, r, mercer.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(f.Memory)/1e6, "MB-forecast")
}
