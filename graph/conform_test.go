package graph_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/diagnose"
	"github.com/mercer-ml/mercer/internal/test/graphtest"
	"gonum.org/v1/gonum/mat"
)

func TestOperatorsConform(t *testing.T) {
	rows := data.Rows{Dense: graphtest.Normal(11, 90, 3)}
	operator := func(r graph.Recipe) graph.Operator {
		g, err := r.Build(context.Background(), rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		return g.Operator()
	}
	for _, kind := range []graph.Laplacian{graph.Normalised, graph.Combinatorial} {
		for degree := 1; degree <= 3; degree++ {
			for _, weights := range []graph.Weights{graph.Binary, graph.Heat, graph.SelfTuned} {
				t.Run(fmt.Sprintf("%v-%v-%d", weights, kind, degree), func(t *testing.T) {
					graphtest.Operator(t, operator(graph.Recipe{Neighbours: 5, Weights: weights, Laplacian: kind, Degree: degree}))
				})
			}
		}
		for _, r := range []graph.Recipe{
			{Neighbours: 5, Symmetry: graph.Mean, Degree: 2},
			{Neighbours: 6, Symmetry: graph.Mutual, Metric: graph.Cosine},
			{Kind: graph.Full, Width: 0.5},
			{Kind: graph.Epsilon, Radius: 0.6, Degree: 2}, // with isolated rows
		} {
			r.Weights, r.Laplacian = graph.Heat, kind
			t.Run(fmt.Sprintf("heat-%v-%v-%v", r.Kind, r.Symmetry, kind), func(t *testing.T) { graphtest.Operator(t, operator(r)) })
		}
	}
}

func TestClassWiseNormsConform(t *testing.T) {
	rows := data.Rows{Dense: graphtest.Normal(13, 45, 2)}
	class := make([]int, 45)
	for i := range class {
		class[i] = i * i % 3
	}
	for _, r := range []graph.Recipe{
		{Neighbours: 4, Degree: 2},
		{Neighbours: 5, Weights: graph.Heat, Symmetry: graph.Mean, Laplacian: graph.Combinatorial},
	} {
		g, err := r.Build(context.Background(), rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		apart, err := r.BuildWithin(context.Background(), rows, class)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range []*graph.Graph{g.Within(class), apart} {
			o, err := g.OperatorWithin(class, []float64{0.5, 1, 3})
			if err != nil {
				t.Fatal(err)
			}
			t.Run(fmt.Sprintf("%v-%d", r.Weights, g.W.NNZ()), func(t *testing.T) { graphtest.Operator(t, o) })
		}
	}
}

func TestCombinationsConform(t *testing.T) {
	rows := data.Rows{Dense: graphtest.Normal(12, 30, 2)}
	build := func(r graph.Recipe) *graph.Graph {
		g, err := r.Build(context.Background(), rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	plain := build(graph.Recipe{Neighbours: 3}).Laplacian()
	first := build(graph.Recipe{Neighbours: 9, Weights: graph.Heat, Degree: 2}).Operator()
	second := build(graph.Recipe{Neighbours: 4, Weights: graph.Heat, Laplacian: graph.Combinatorial}).Operator()
	half, err := graph.NewRealPower(context.Background(), plain, 1.5)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("real", func(t *testing.T) { graphtest.Operator(t, half) })
	for _, normalise := range []graph.Normalisation{graph.None, graph.Trace, graph.Spectral} {
		terms := []graph.Operator{&graph.Power{L: plain, P: 2}, first, &graph.Power{L: plain, P: 1}, second, half}
		inside, err := graph.Combine([]float64{0.5, 0.5}, terms[1:3], normalise)
		if err != nil {
			t.Fatal(err)
		}
		c, err := graph.Combine([]float64{0.1, 0.2, 0.15, 0.25, 0.05, 0.25}, append(terms, inside), normalise)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(normalise.String(), func(t *testing.T) { graphtest.Operator(t, c) })
	}
}

// Graphs of two views of the rows: the joint norm conforms, is the power of the mean, and of one
// graph alone is that graph's.
func TestJointOperator(t *testing.T) {
	for _, r := range []graph.Recipe{
		{Neighbours: 4, Degree: 3, Weights: graph.SelfTuned},
		{Neighbours: 5, Degree: 2, Weights: graph.Heat, Width: 1.5},
		{Neighbours: 5, Degree: 2, Weights: graph.Heat},
	} {
		var gs []*graph.Graph
		mean := mat.NewDense(40, 40, nil)
		for seed := range uint64(2) {
			g, err := r.Build(context.Background(), data.Rows{Dense: graphtest.Normal(20+seed, 40, 3)}, nil)
			if err != nil {
				t.Fatal(err)
			}
			gs = append(gs, g)
			mean.Add(mean, g.Laplacian().ToDense())
		}
		mean.Scale(0.5, mean)
		var want mat.Dense
		want.Pow(mean, r.Degree)
		o := graph.JointOperator(gs)
		graphtest.Operator(t, o)
		got, unit := mat.NewDense(40, 40, nil), mat.NewDense(40, 40, nil)
		for i := range 40 {
			unit.Set(i, i, 1)
		}
		o.MulTo(got, unit)
		if !mat.EqualApprox(got, &want, 1e-12) {
			t.Errorf("%+v: not the power of the mean Laplacian", r)
		}
		if fixed := len(o.Space()) == 0; fixed == (r.Width > 0) {
			t.Errorf("%+v: parameters %v", r, o.Space().Names())
		}
	}
}

// One graph of two views: its weights are the mean, of the combinatorial kind its operator is the
// joint one, and of two equal graphs it is that graph. Heat weights are not made anew.
func TestJoined(t *testing.T) {
	for _, r := range []graph.Recipe{
		{Neighbours: 4, Degree: 2, Weights: graph.SelfTuned, Laplacian: graph.Combinatorial},
		{Neighbours: 5, Weights: graph.Heat, Laplacian: graph.Combinatorial, Symmetry: graph.Mean},
		{Neighbours: 5, Degree: 2, Weights: graph.Heat},
	} {
		var gs []*graph.Graph
		mean := mat.NewDense(40, 40, nil)
		for seed := range uint64(2) {
			g, err := r.Build(context.Background(), data.Rows{Dense: graphtest.Normal(20+seed, 40, 3)}, nil)
			if err != nil {
				t.Fatal(err)
			}
			gs = append(gs, g)
			mean.Add(mean, g.W.ToDense())
		}
		mean.Scale(0.5, mean)
		dense := func(o graph.Operator) *mat.Dense {
			out, unit := mat.NewDense(40, 40, nil), mat.NewDense(40, 40, nil)
			for i := range 40 {
				unit.Set(i, i, 1)
			}
			o.MulTo(out, unit)
			return out
		}
		j := graph.Joined(gs)
		if !mat.EqualApprox(j.W.ToDense(), mean, 1e-15) || len(j.Operator().Space()) > 0 {
			t.Errorf("%+v: weights are not the mean, or there are parameters", r)
		}
		if same := mat.EqualApprox(dense(j.Operator()), dense(graph.JointOperator(gs)), 1e-12); same != (r.Laplacian == graph.Combinatorial) {
			t.Errorf("%+v: the joint operator is the same: %v", r, same)
		}
		if one := graph.Joined(gs[:1]); !mat.EqualApprox(dense(one.Operator()), dense(gs[0].Operator()), 1e-12) ||
			one.MeanEdge != gs[0].MeanEdge {
			t.Errorf("%+v: one graph joined is another", r)
		}
		if d := diagnose.Of(j, nil); d.MaxInDegree != 0 || d.Edges < diagnose.Of(gs[0], nil).Edges {
			t.Errorf("%+v: %v", r, d)
		}
	}
}

// The operator of heat weights moved to another width is that of a graph built with it,
// however one-sided neighbours count.
func TestHeatMoved(t *testing.T) {
	rows := data.Rows{Dense: graphtest.Normal(3, 30, 2)}
	for _, symmetry := range []graph.Symmetry{graph.Union, graph.Mutual, graph.Mean} {
		for _, kind := range []graph.Laplacian{graph.Normalised, graph.Combinatorial} {
			r := graph.Recipe{Neighbours: 4, Weights: graph.Heat, Width: 0.3, Symmetry: symmetry, Laplacian: kind, Degree: 2}
			there, err := r.Build(context.Background(), rows, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Width = 2
			want, err := r.Build(context.Background(), rows, nil)
			if err != nil {
				t.Fatal(err)
			}
			moved, err := there.Operator().(graph.Tunable).With([]float64{2})
			if err != nil {
				t.Fatal(err)
			}
			x := graphtest.Normal(4, 30, 3)
			a, b := mat.NewDense(30, 3, nil), mat.NewDense(30, 3, nil)
			moved.MulTo(a, x)
			// As weights, not as the operator of want, which is made the same way.
			(&graph.Power{L: want.Laplacian(), P: 2}).MulTo(b, x)
			if !mat.EqualApprox(a, b, 1e-12) {
				t.Errorf("%v, %v: moved and built differ", symmetry, kind)
			}
		}
	}
}

// Rows without a column in common are all alike: a radius below their distance leaves no edge
// between them, and lets no order of the rows choose.
func TestRadiusOfNeighbours(t *testing.T) {
	x := mat.NewDense(12, 4, nil) // three words in four topics
	for i := range 12 {
		x.Set(i, i/3, 1+float64(i%3))
	}
	r := graph.Recipe{Neighbours: 5, Metric: graph.Cosine, Radius: 1 - 1e-9, Symmetry: graph.Mean}
	g, err := r.Build(context.Background(), data.Rows{Dense: x}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 12 {
		index, w := g.W.Row(i)
		if len(index) != 2 {
			t.Errorf("row %d has %d edges, want its topic's 2", i, len(index))
		}
		for p, j := range index {
			if int(j)/3 != i/3 || w[p] != 1 {
				t.Errorf("edge %d-%d of weight %g", i, j, w[p])
			}
		}
	}
}
