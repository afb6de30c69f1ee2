package bench

import (
	"context"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

// The leave-one-out score of C-LapRLS with 24 Laplacians, 2000 rows, 100 labelled: four
// numbers of neighbours, two degrees, three symmetries; and with its gradient in the kernel's
// width, 24 weights and both regularisers.
func BenchmarkCombinedLaplacians(b *testing.B) {
	set, err := data.Builtin("manifolds:n=2000,labelled=10")
	if err != nil {
		b.Fatal(err)
	}
	labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{})
	if err != nil {
		b.Fatal(err)
	}
	p := learn.NewProblem(set.Rows, labels)
	var terms []manifold.Graph
	for _, s := range []graph.Symmetry{graph.Union, graph.Mutual, graph.Mean} {
		terms = append(terms, manifold.Cartesian(graph.Recipe{Symmetry: s}, []int{4, 8, 16, 50}, []int{1, 2})...)
	}
	o := &score.Laplacian{Base: kernel.Gaussian{}.Adapt(p.Rows), Problem: p, Criterion: score.LogLoss{}, Work: new(kernel.Work),
		Norm: manifold.Combined{Terms: terms, Normalise: graph.Trace}}
	theta := o.Space().Defaults()
	if _, err := o.Eval(context.Background(), theta, param.WithGradient); err != nil { // graphs are built once
		b.Fatal(err)
	}
	for name, want := range map[string]param.Want{"value": param.ValueOnly, "gradient": param.WithGradient} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := o.Eval(context.Background(), theta, want); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
