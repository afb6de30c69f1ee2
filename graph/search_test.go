package graph_test

import (
	"context"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/test/graphtest"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
)

// Searches for neighbours and graphs end with the error of their context, wherever they are stopped.
func TestStoppedAnywhere(t *testing.T) {
	x := data.Rows{Dense: graphtest.Normal(1, 300, 3)}
	classes := make([]int, 300)
	for i := range classes {
		classes[i] = i % 3
	}
	for name, f := range map[string]func(context.Context) error{
		"neighbours": func(ctx context.Context) error { _, err := graph.Neighbours(ctx, x, 4, graph.Euclidean); return err },
		"nearest": func(ctx context.Context) error {
			_, err := graph.NearestOf(ctx, x, graph.Euclidean, []int{1, 2}, []int{7, 9, 11})
			return err
		},
		"approximate": func(ctx context.Context) error {
			_, err := graph.NeighbourSearch{Method: graph.Approximate}.Find(ctx, x, 4, graph.Euclidean)
			return err
		},
		"graph":  func(ctx context.Context) error { _, err := graph.Recipe{}.Build(ctx, x, nil); return err },
		"within": func(ctx context.Context) error { _, err := graph.Recipe{}.BuildWithin(ctx, x, classes); return err },
		"radius": func(ctx context.Context) error {
			_, err := graph.Recipe{Kind: graph.Epsilon, Radius: 1}.Build(ctx, x, nil)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) { stoptest.Everywhere(t, f) })
	}
}
