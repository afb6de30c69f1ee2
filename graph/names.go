package graph

import (
	"fmt"
	"slices"
	"strings"
)

// Kind says which pairs of rows are joined.
type Kind int

// The kinds of graph.
const (
	// NearestNeighbours joins each row with its k nearest rows, then symmetrises.
	NearestNeighbours Kind = iota
	// Epsilon joins the rows at most Radius apart.
	Epsilon
	// Full joins all rows.
	Full
)

// Metric is the distance between rows.
type Metric int

// The metrics.
const (
	// Euclidean is |x - z|.
	Euclidean Metric = iota
	// Cosine is 1 - x'z/(|x||z|); it is 1 between a zero row and any other.
	Cosine
)

// Symmetry makes the directed neighbour relation symmetric.
type Symmetry int

// The symmetrisations of the directed weights A.
const (
	// Union is max(A, A').
	Union Symmetry = iota
	// Mutual is min(A, A').
	Mutual
	// Mean is (A + A')/2.
	Mean
)

// Weights is the weight of an edge of length d.
type Weights int

// The weights.
const (
	// Binary is 1.
	Binary Weights = iota
	// Heat is exp(-d^2/tau).
	Heat
	// CosineWeights is max(0, cos(x, z)).
	CosineWeights
	// SelfTuned is exp(-d^2/(w s_i s_j)), s_i the distance of row i to its 7th
	// neighbour, or its k-th if k < 7, and w the Width, 1 if that is not set
	// (Zelnik-Manor & Perona 2004, with w = 1).
	SelfTuned
)

// Laplacian says which Laplacian of the weights is used.
type Laplacian int

// The Laplacians, D = diag(W 1).
const (
	// Normalised is I - D^-1/2 W D^-1/2, with zero rows where the degree is zero.
	Normalised Laplacian = iota
	// Combinatorial is D - W.
	Combinatorial
)

// Normalisation scales the terms of a Combination.
type Normalisation int

// The normalisations.
const (
	// None leaves the terms as they are.
	None Normalisation = iota
	// Trace divides each term by trace(R)/n.
	Trace
	// Spectral divides each term by its largest eigenvalue.
	Spectral
)

// Method says how nearest neighbours are found.
type Method int

// The methods.
const (
	// Auto is Exact up to 50 000 rows, else Approximate.
	Auto Method = iota
	// Exact finds the true neighbours, by all pairs.
	Exact
	// Approximate finds nearly all of them, see NeighbourSearch.
	Approximate
)

var (
	methodNames        = []string{"auto", "exact", "approximate"}
	kindNames          = []string{"knn", "epsilon", "full"}
	metricNames        = []string{"euclidean", "cosine"}
	symmetryNames      = []string{"union", "mutual", "mean"}
	weightsNames       = []string{"binary", "heat", "cosine", "self-tuned"}
	laplacianNames     = []string{"normalised", "combinatorial"}
	normalisationNames = []string{"none", "trace", "spectral"}
)

func name(names []string, v int) string {
	if v < 0 || v >= len(names) {
		return fmt.Sprintf("unknown(%d)", v)
	}
	return names[v]
}

func parse[T ~int](dst *T, what string, names []string, text []byte) error {
	v := slices.Index(names, strings.ToLower(string(text)))
	if v < 0 {
		return fmt.Errorf("graph: %s %q: want one of %s", what, text, strings.Join(names, ", "))
	}
	*dst = T(v)
	return nil
}

// String returns the name used in files and on the command line.
func (v Kind) String() string { return name(kindNames, int(v)) }

// MarshalText returns the name.
func (v Kind) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads the name.
func (v *Kind) UnmarshalText(b []byte) error { return parse(v, "kind", kindNames, b) }

// String returns the name used in files and on the command line.
func (v Metric) String() string { return name(metricNames, int(v)) }

// MarshalText returns the name.
func (v Metric) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads the name.
func (v *Metric) UnmarshalText(b []byte) error { return parse(v, "metric", metricNames, b) }

// String returns the name used in files and on the command line.
func (v Symmetry) String() string { return name(symmetryNames, int(v)) }

// MarshalText returns the name.
func (v Symmetry) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads the name.
func (v *Symmetry) UnmarshalText(b []byte) error { return parse(v, "symmetry", symmetryNames, b) }

// String returns the name used in files and on the command line.
func (v Weights) String() string { return name(weightsNames, int(v)) }

// MarshalText returns the name.
func (v Weights) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads the name.
func (v *Weights) UnmarshalText(b []byte) error { return parse(v, "weights", weightsNames, b) }

// String returns the name used in files and on the command line.
func (v Laplacian) String() string { return name(laplacianNames, int(v)) }

// MarshalText returns the name.
func (v Laplacian) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads the name.
func (v *Laplacian) UnmarshalText(b []byte) error { return parse(v, "laplacian", laplacianNames, b) }

// String is the name.
func (v Normalisation) String() string { return name(normalisationNames, int(v)) }

// String returns the name used in files and on the command line.
func (v Method) String() string { return name(methodNames, int(v)) }

// MarshalText returns the name.
func (v Method) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads the name.
func (v *Method) UnmarshalText(b []byte) error { return parse(v, "search", methodNames, b) }
