package graph

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/pathtest"
)

// What makes no graph is refused in the words it was, and what lies just inside a border is not.
func TestMessages(t *testing.T) {
	var path pathtest.Path
	x := rowsOf(normal(3, 20, 2))
	for _, c := range []struct {
		name string
		r    Recipe
	}{
		{"zero", Recipe{}}, {"kind -1", Recipe{Kind: -1}}, {"kind 3", Recipe{Kind: 3}}, {"metric 2", Recipe{Metric: 2}},
		{"symmetry 3", Recipe{Symmetry: 3}},
		{"weights 4", Recipe{Weights: 4}}, {"laplacian 2", Recipe{Laplacian: 2}}, {"neighbours -1", Recipe{Neighbours: -1}},
		{"neighbours 1", Recipe{Neighbours: 1}},
		{"neighbours 19", Recipe{Neighbours: 19}}, {"neighbours 20", Recipe{Neighbours: 20}}, {"degree -1", Recipe{Degree: -1}},
		{"degree 1", Recipe{Degree: 1}},
		{"no radius", Recipe{Kind: Epsilon}}, {"radius -1", Recipe{Radius: -1}},
		{"radius infinite", Recipe{Kind: Epsilon, Radius: math.Inf(1)}},
		{"width -1", Recipe{Width: -1}}, {"width NaN", Recipe{Weights: Heat, Width: math.NaN()}}, {"edges -1", Recipe{MaxEdges: -1}},
		{"edges 1", Recipe{MaxEdges: 1}},
		{"full, 380 edges", Recipe{Kind: Full, MaxEdges: 380}}, {"full, 379 edges", Recipe{Kind: Full, MaxEdges: 379}},
		{"wide, 380 edges", Recipe{Kind: Epsilon, Radius: 99, MaxEdges: 380}},
		{"wide, 379 edges", Recipe{Kind: Epsilon, Radius: 99, MaxEdges: 379}},
		{"search 3", Recipe{Search: NeighbourSearch{Method: 3}}}, {"search -1", Recipe{Search: NeighbourSearch{Method: -1}}},
		{"recall 1", Recipe{Search: NeighbourSearch{Recall: 1}}}, {"recall -1", Recipe{Search: NeighbourSearch{Recall: -1}}},
		{"recall 0.5", Recipe{Search: NeighbourSearch{Recall: 0.5}}},
		{"sample -1", Recipe{Search: NeighbourSearch{Sample: -1}}}, {"sample 1", Recipe{Search: NeighbourSearch{Sample: 1}}},
		{"approximate 20", Recipe{Neighbours: 20, Search: NeighbourSearch{Method: Approximate}}},
		{"all at once", Recipe{Kind: 7, Metric: -2, Neighbours: -3, Degree: -4, Width: -5}},
	} {
		_, err := c.r.Build(t.Context(), x, nil)
		path.Add(c.name, err)
	}
	lists := neighbours(t, x, 5, Euclidean)
	for _, r := range []Recipe{{Neighbours: 5}, {Neighbours: 6}, {Neighbours: 5, Metric: Cosine}} {
		_, err := r.Build(t.Context(), x, lists)
		path.Add("lists", err)
	}
	_, err := Recipe{Neighbours: 5}.Build(t.Context(), rowsOf(normal(3, 21, 2)), lists)
	path.Add("lists of other rows", err)
	big := normal(3, 20, 2)
	for _, v := range []float64{1e150, 1.1e150, math.NaN(), math.Inf(-1)} {
		big.Set(11, 1, v)
		_, err := Recipe{Neighbours: 2}.Build(t.Context(), rowsOf(big), nil)
		_, sparse := Recipe{Neighbours: 2}.Build(t.Context(), sparseOf(big), nil)
		path.Add("value", v, err, sparse)
	}
	a, b := build(t, Recipe{}, x).Operator(), build(t, Recipe{Neighbours: 2}, rowsOf(normal(3, 9, 2))).Operator()
	for _, c := range []struct {
		mu        []float64
		terms     []Operator
		normalise Normalisation
	}{
		{nil, nil, None}, {nil, []Operator{a, b}, None}, {[]float64{1}, []Operator{a, a}, None}, {nil, []Operator{a}, 3},
		{nil, []Operator{a}, -1}, {nil, []Operator{a}, Spectral},
		{[]float64{1, -1}, []Operator{a, a}, None}, {[]float64{1, 0}, []Operator{a, a}, None},
		{[]float64{1, math.Inf(1)}, []Operator{a, a}, None},
	} {
		_, err := Combine(c.mu, c.terms, c.normalise)
		path.Add("combination", err)
	}
	_, err = NearestOf(t.Context(), x, Euclidean, []int{1}, nil)
	path.Add("nearest of none", err)
	class := make([]int, 20)
	for i := range class {
		class[i] = i / 14
	}
	for _, k := range []int{5, 6} {
		_, err := Recipe{Neighbours: k}.BuildWithin(t.Context(), x, class)
		path.Add("within", k, err)
	}
	path.Compare(t, "messages")
}

// What a recipe leaves out has a default, and what it says stays.
func TestDefaults(t *testing.T) {
	if got, want := (Recipe{}).Defaults(), (Recipe{Neighbours: 10, Degree: 1, MaxEdges: 50_000_000}); got != want {
		t.Errorf("defaults %+v, expected %+v", got, want)
	}
	own := Recipe{Kind: Full, Neighbours: 3, Radius: 2, Width: 4, Degree: 2, MaxEdges: 7}
	if got := own.Defaults(); got != own {
		t.Errorf("%+v became %+v", own, got)
	}
}
