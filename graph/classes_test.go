package graph

import (
	"context"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"gonum.org/v1/gonum/mat"
)

// With equal factors the class-wise norm is that of the graph without edges
// across classes, and any factors give the sum of the classes' own norms.
func TestClassWiseNormIsTheSumOfTheClasses(t *testing.T) {
	x := normal(21, 60, 3)
	class := make([]int, 60)
	for i := range class {
		class[i] = (i / 7) % 2
	}
	for _, r := range []Recipe{
		{Neighbours: 4}, {Neighbours: 4, Symmetry: Mean}, {Neighbours: 6, Symmetry: Mean, Weights: Heat, Width: 1},
		{Neighbours: 5, Laplacian: Combinatorial, Weights: Heat, Width: 2, Degree: 3},
	} {
		g := build(t, r, rowsOf(x)).Within(class)
		for i := range g.N {
			idx, _ := g.W.Row(i)
			for _, j := range idx {
				if class[i] != class[j] {
					t.Fatalf("rows %d and %d of two classes are joined", i, j)
				}
			}
		}
		equal, err := g.OperatorWithin(class, []float64{1, 1})
		if err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(matrix(equal), matrix(g.Operator()), 1e-14) {
			t.Error("equal factors are not the plain norm of the graph")
		}

		apart, err := r.BuildWithin(context.Background(), rowsOf(x), class)
		if err != nil {
			t.Fatal(err)
		}
		o, err := apart.OperatorWithin(class, []float64{2, 0.25})
		if err != nil {
			t.Fatal(err)
		}
		got, want := matrix(o), mat.NewDense(60, 60, nil)
		for c, factor := range []float64{2, 0.25} {
			var idx []int
			for i, v := range class {
				if v == c {
					idx = append(idx, i)
				}
			}
			part := matrix(build(t, r, rowsOf(x).Select(idx)).Operator())
			for p, i := range idx {
				for q, j := range idx {
					want.Set(i, j, factor*part.At(p, q))
				}
			}
		}
		if !mat.EqualApprox(got, want, 1e-13) {
			t.Error("the norm is not the sum of the classes' norms")
		}
	}
}

// Where one class alone has neighbours that are not mutual, the others' edges keep their whole weights.
func TestWholeAndHalfEdges(t *testing.T) {
	rows, class := rowsOf(normal(23, 20, 2)), make([]int, 20)
	for i := range class {
		if i%4 != 0 {
			class[i] = 1 // and of class 0 there are five rows, each a neighbour of all others
		}
	}
	r := Recipe{Neighbours: 4, Symmetry: Mean}
	g, err := r.BuildWithin(t.Context(), rows, class)
	if err != nil {
		t.Fatal(err)
	}
	halves := 0
	for i := range g.N {
		idx, w := g.W.Row(i)
		for q, j := range idx {
			if class[i] != class[j] || class[i] == 0 && w[q] != 1 {
				t.Errorf("rows %d and %d are joined by %g", i, j, w[q])
			}
			if w[q] == 0.5 {
				halves++
			}
		}
	}
	if idx, _ := g.W.Row(0); len(idx) != 4 || halves == 0 {
		t.Errorf("row 0 has the neighbours %v; %d halves", idx, halves)
	}
	heat := Recipe{Neighbours: 4, Symmetry: Mean, Weights: Heat}
	if g, err = heat.BuildWithin(t.Context(), rows, class); err != nil {
		t.Fatal(err)
	}
	again := g.Within(class)
	if !mat.Equal(again.W.ToDense(), g.W.ToDense()) || again.MeanEdge != g.MeanEdge {
		t.Error("a graph within classes has other edges within them")
	}
	stoptest.Everywhere(t, func(ctx context.Context) error { _, err := r.BuildWithin(ctx, rows, class); return err })
}

func TestClassWiseFaults(t *testing.T) {
	rows := rowsOf(normal(22, 12, 2))
	class := []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1}
	if _, err := (Recipe{Neighbours: 3}).BuildWithin(context.Background(), rows, class); err == nil ||
		!strings.Contains(err.Error(), "class 1 has 3 rows") {
		t.Errorf("a small class: %v", err)
	}
	g := build(t, Recipe{Neighbours: 5}, rows)
	if _, err := g.OperatorWithin(class, []float64{1, 1}); err == nil || !strings.Contains(err.Error(), "an edge joins") {
		t.Errorf("edges across classes: %v", err)
	}
	if _, err := g.Within(class).OperatorWithin(class, []float64{1, -1}); err == nil || !strings.Contains(err.Error(), "phi[1]") {
		t.Errorf("a negative factor: %v", err)
	}
	if _, err := g.Within(class).OperatorWithin(class, []float64{1}); err == nil || !strings.Contains(err.Error(), "row 9 is of class 1") {
		t.Errorf("a class without factor: %v", err)
	}
}

// Edges kept in a class keep the share that one-sided choices have.
func TestWithinKeepsShares(t *testing.T) {
	class := make([]int, 40)
	for i := range class {
		class[i] = i % 2
	}
	g := build(t, Recipe{Neighbours: 4, Symmetry: Mean}, rowsOf(normal(5, 40, 2)))
	in := g.Within(class)
	if g.share == nil || len(in.share) != len(in.W.Index) {
		t.Fatalf("%d shares of %d edges, %d before", len(in.share), len(in.W.Index), len(g.share))
	}
	at := map[[2]int32]float64{}
	for i := range g.N {
		for p := g.W.Start[i]; p < g.W.Start[i+1]; p++ {
			at[[2]int32{int32(i), g.W.Index[p]}] = g.share[p]
		}
	}
	for i := range in.N {
		for p := in.W.Start[i]; p < in.W.Start[i+1]; p++ {
			if want := at[[2]int32{int32(i), in.W.Index[p]}]; in.share[p] != want {
				t.Errorf("edge %d, %d has share %g, want %g", i, in.W.Index[p], in.share[p], want)
			}
		}
	}
}

// The factor of a class is searched within 2^10 of its value, beside what the norm inside has.
func TestSpaceOfClassWiseNorms(t *testing.T) {
	g := build(t, Recipe{Neighbours: 2}, rowsOf(normal(3, 9, 2)))
	class := []int{0, 0, 0, 0, 0, 0, 0, 0, 0}
	o, err := g.OperatorWithin(class, []float64{3, 5})
	if err != nil {
		t.Fatal(err)
	}
	d := o.(Tunable).Space()[1]
	if d.Name != "phi[1]" || d.Lo != 5.0/1024 || d.Hi != 5120 || d.Default != 5 {
		t.Errorf("%+v", d)
	}
}
