package graph

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// Recipe describes a graph on n rows and the intrinsic norm f'L^p f taken from
// it. The zero value is the union 10-nearest-neighbour graph with Euclidean
// distances, weights 1 and the normalised Laplacian.
type Recipe struct {
	Kind       Kind      `json:"kind"`
	Neighbours int       `json:"neighbours,omitempty"` // k; 0 means 10. For other kinds: the k of SelfTuned
	Radius     float64   `json:"radius,omitempty"`     // largest length of an edge; 0, not for Epsilon: no limit
	Metric     Metric    `json:"metric"`
	Symmetry   Symmetry  `json:"symmetry"`
	Weights    Weights   `json:"weights"`
	Width      float64   `json:"width,omitempty"` // Heat: tau of exp(-d^2/tau), 0 means 2 (mean edge length)^2; SelfTuned: w, 0 means 1
	Laplacian  Laplacian `json:"laplacian"`
	Degree     int       `json:"degree,omitempty"`    // p of L^p; 0 means 1
	MaxEdges   int       `json:"max_edges,omitempty"` // Epsilon, Full: limit of stored weights; 0 means 5e7 (about 2 GB)
	// Search finds the neighbours where Build is given none: exactly up to 50 000 rows.
	Search NeighbourSearch `json:"search,omitzero"`
}

// maxEdges entries take 20 bytes in W with squared lengths and 12 in L.
const maxEdges = 50_000_000

// Defaults returns the recipe with 10 neighbours, degree 1 and the edge limit in
// the place of zeros. A zero Width stays: it is taken from the graph.
func (r Recipe) Defaults() Recipe {
	if r.Neighbours == 0 {
		r.Neighbours = 10
	}
	if r.Degree == 0 {
		r.Degree = 1
	}
	if r.MaxEdges == 0 {
		r.MaxEdges = maxEdges
	}
	return r
}

// Check reports all fields that make no graph, in one error.
func (r Recipe) Check() error {
	var bad []string
	enum := func(field string, v int, names []string) {
		if v < 0 || v >= len(names) {
			bad = append(bad, fmt.Sprintf("%s %d is none of %s", field, v, strings.Join(names, ", ")))
		}
	}
	positive := func(field string, v float64) {
		if !(v > 0) || math.IsInf(v, 1) {
			bad = append(bad, fmt.Sprintf("%s %g must be positive and finite", field, v))
		}
	}
	enum("kind", int(r.Kind), kindNames)
	enum("metric", int(r.Metric), metricNames)
	enum("symmetry", int(r.Symmetry), symmetryNames)
	enum("weights", int(r.Weights), weightsNames)
	enum("laplacian", int(r.Laplacian), laplacianNames)
	if r.Neighbours < 0 {
		bad = append(bad, fmt.Sprintf("neighbours %d must be at least 1 (0 for 10)", r.Neighbours))
	}
	if r.Kind == Epsilon || r.Radius != 0 {
		positive("radius", r.Radius)
	}
	if r.Width != 0 {
		positive("width", r.Width)
	}
	if r.Degree < 0 {
		bad = append(bad, fmt.Sprintf("degree %d must be at least 1 (0 for 1)", r.Degree))
	}
	if r.MaxEdges < 0 {
		bad = append(bad, fmt.Sprintf("max_edges %d must be at least 1 (0 for %d)", r.MaxEdges, maxEdges))
	}
	if err := r.Search.Check(); err != nil {
		bad = append(bad, err.Error())
	}
	if bad == nil {
		return nil
	}
	return errors.New("graph: " + strings.Join(bad, "; "))
}

// longest is Radius as the distances of Lists have it: squared if they are Euclidean.
func (r Recipe) longest() float64 {
	switch {
	case r.Radius == 0:
		return math.Inf(1)
	case r.Metric == Cosine:
		return r.Radius
	}
	return r.Radius * r.Radius
}

// needsLists tells whether Build reads neighbour lists.
func (r Recipe) needsLists() bool { return r.Kind == NearestNeighbours || r.Weights == SelfTuned }
