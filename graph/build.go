package graph

// From neighbours to weights.
//
//	A_ij  = w(d_ij) if j is a neighbour of i, else 0
//	W     = max(A, A') (union), min(A, A') (mutual), (A + A')/2 (mean)
//	w(d)  = 1, exp(-d^2/tau), max(0, cos), exp(-d^2/(s_i s_j))
//
// w is symmetric in i and j, so W_ij = share_ij w(d_ij) with share 1, or 1/2
// where Mean meets a one-sided neighbour. An edge's length d is the Euclidean or
// the cosine distance. Time and memory O(nnz).

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
)

// Graph is a weighted undirected graph on N rows. It is not changed after it is
// built.
type Graph struct {
	N      int
	Recipe Recipe // as used, with no zero defaults left
	// W holds the weights: symmetric, no diagonal. An edge whose weight
	// underflows keeps its place with weight 0.
	W *data.CSR
	// dist2 are the squared lengths of W's entries, in their order; nil of a graph made by Joined.
	dist2 []float64
	// MeanEdge is the mean length of an edge, 0 without edges.
	MeanEdge float64
	// Recall is the share of true neighbours among those the graph is made of, see
	// Lists; 1 for other kinds of graph.
	Recall float64

	oneSided, choices int // pairs of which one, and of which any, chose the other; 0 for other kinds
	hub               int // how many rows chose the row that most chose

	share  []float64 // entries' symmetrisation factors; nil if all are 1
	joined bool      // weights are no function of the lengths
}

// Build makes the graph of the recipe. lists, which may be nil, are neighbours
// found before, at least as many as the recipe asks for; graphs for smaller k or
// another symmetry, weight or Laplacian can share them.
func (r Recipe) Build(ctx context.Context, rows data.Rows, lists *Lists) (*Graph, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	r = r.Defaults()
	n := rows.Len()
	var err error
	if r.needsLists() {
		switch {
		case lists == nil:
			if lists, err = r.Search.Find(ctx, rows, r.Neighbours, r.Metric); err != nil {
				return nil, err
			}
		case lists.n != n || lists.metric != r.Metric:
			return nil, fmt.Errorf("graph: neighbour lists of %d rows by %v distance given for %d rows by %v distance",
				lists.n, lists.metric, n, r.Metric)
		case lists.k < r.Neighbours:
			return nil, fmt.Errorf("graph: neighbour lists hold %d neighbours a row, the recipe asks %d; compute them for the largest "+
				"number used",
				lists.k, r.Neighbours)
		}
	}
	g := &Graph{N: n, Recipe: r, Recall: 1}
	if err := g.connect(ctx, rows, lists); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	g.measure()
	if r.Weights == Heat && r.Width == 0 {
		g.Recipe.Width = g.defaultWidth()
	}
	g.weigh(rows, lists)
	return g, nil
}

// connect sets the pattern of W, dist2 (for now as the metric gives it) and the
// shares.
func (g *Graph) connect(ctx context.Context, rows data.Rows, lists *Lists) error {
	r := g.Recipe
	g.W = &data.CSR{R: g.N, C: g.N, Start: make([]int, g.N+1)}
	if r.Kind == NearestNeighbours {
		g.symmetrise(lists)
		if lists.Recall > 0 {
			g.Recall = lists.Recall
		}
		return nil
	}
	radius := r.Radius
	if r.Kind == Full {
		radius = math.Inf(1)
	}
	index, dist, err := within(ctx, rows, radius, r.Metric, r.MaxEdges)
	if err != nil {
		return err
	}
	for i, idx := range index {
		g.W.Start[i+1] = g.W.Start[i] + len(idx)
	}
	g.W.Index, g.dist2 = make([]int32, g.W.Start[g.N]), make([]float64, g.W.Start[g.N])
	for i := range index {
		copy(g.W.Index[g.W.Start[i]:], index[i])
		copy(g.dist2[g.W.Start[i]:], dist[i])
		index[i], dist[i] = nil, nil
	}
	return nil
}

// symmetrise merges, for each row, the sorted lists of the rows it chose (out)
// and of the rows that chose it (in).
func (g *Graph) symmetrise(l *Lists) {
	n, k, rule := g.N, g.Recipe.Neighbours, g.Recipe.Symmetry
	in := &data.CSR{R: n, C: n, Start: make([]int, n+1), Index: make([]int32, n*k), Value: make([]float64, n*k)}
	for i := range n {
		in.Start[i+1] = (i + 1) * k
		idx, dist := l.Row(i, k)
		copy(in.Index[i*k:], idx)
		copy(in.Value[i*k:], dist)
	}
	in = in.T()
	out := in.T() // rows sorted by index now
	half := false
	longest := g.Recipe.longest()
	emit := func(j int32, d2, share float64) {
		if share == 0 || d2 > longest {
			return
		}
		half = half || share < 1
		g.W.Index = append(g.W.Index, j)
		g.dist2 = append(g.dist2, d2)
		g.share = append(g.share, share)
	}
	oneSided := [...]float64{Union: 1, Mutual: 0, Mean: 0.5}[rule]
	for i := range n {
		ai, av := out.Row(i)
		bi, bv := in.Row(i)
		g.hub = max(g.hub, len(bi))
		p, q := 0, 0
		for p < len(ai) || q < len(bi) {
			switch {
			case q == len(bi) || p < len(ai) && ai[p] < bi[q]:
				emit(ai[p], av[p], oneSided)
				g.oneSided++ // seen from the row that chose
				p++
			case p == len(ai) || bi[q] < ai[p]:
				emit(bi[q], bv[q], oneSided)
				q++
			default:
				emit(ai[p], av[p], 1)
				p, q = p+1, q+1
			}
		}
		g.W.Start[i+1] = len(g.W.Index)
	}
	g.choices = (n*k + g.oneSided) / 2 // a mutual choice is two entries of the lists
	if !half {
		g.share = nil
	}
}

// measure turns distances into squared lengths and sets MeanEdge.
func (g *Graph) measure() {
	sum := 0.0
	for p, d := range g.dist2 {
		if g.Recipe.Metric == Cosine {
			sum += d
			g.dist2[p] = d * d
		} else {
			sum += math.Sqrt(d)
		}
	}
	if len(g.dist2) > 0 {
		g.MeanEdge = sum / float64(len(g.dist2))
	}
}

// defaultWidth is 2 (mean edge length)^2, that is exp(-d^2/(2 s^2)) with s the
// mean length, and 1 where all edges have length zero.
func (g *Graph) defaultWidth() float64 {
	if tau := 2 * g.MeanEdge * g.MeanEdge; tau > 0 {
		return tau
	}
	return 1
}

// weigh fills the values of W.
func (g *Graph) weigh(rows data.Rows, lists *Lists) {
	g.W.Value = make([]float64, len(g.W.Index))
	switch g.Recipe.Weights {
	case Binary:
		for p := range g.W.Value {
			g.W.Value[p] = 1
		}
	case Heat:
		for p, d2 := range g.dist2 {
			g.W.Value[p] = math.Exp(-d2 / g.Recipe.Width)
		}
	case CosineWeights:
		g.cosines(rows)
	case SelfTuned:
		g.selfTune(lists)
	}
	for p, c := range g.share {
		g.W.Value[p] *= c
	}
}

func (g *Graph) cosines(rows data.Rows) {
	if g.Recipe.Metric == Cosine {
		for p, d2 := range g.dist2 {
			g.W.Value[p] = max(0, 1-math.Sqrt(d2))
		}
		return
	}
	norm := make([]float64, g.N)
	for i := range norm {
		norm[i] = math.Sqrt(inner(rows, i, i))
	}
	for i := range g.N {
		idx, w := g.W.Row(i)
		for p, j := range idx {
			if lengths := norm[i] * norm[j]; lengths > 0 {
				w[p] = max(0, min(1, inner(rows, i, int(j))/lengths))
			}
		}
	}
}

// tuneRank is the neighbour whose distance is a row's own scale (Zelnik-Manor &
// Perona 2004, section 2, take the 7th for every set).
const tuneRank = 7

// selfTune takes s_i from that neighbour; a row with so many duplicates, whose
// s_i would be zero, takes the mean of the positive s (1 if there is none).
func (g *Graph) selfTune(lists *Lists) {
	k := min(g.Recipe.Neighbours, tuneRank)
	width := g.Recipe.Width
	if width == 0 {
		width = 1
	}
	s := make([]float64, g.N)
	sum, count := 0.0, 0
	for i := range s {
		_, d := lists.Row(i, k)
		s[i] = d[k-1]
		if g.Recipe.Metric == Euclidean {
			s[i] = math.Sqrt(s[i])
		}
		if s[i] > 0 {
			sum += s[i]
			count++
		}
	}
	mean := 1.0
	if count > 0 {
		mean = sum / float64(count)
	}
	for i := range s {
		if s[i] == 0 {
			s[i] = mean
		}
	}
	for i := range g.N {
		idx, w := g.W.Row(i)
		for p, j := range idx {
			w[p] = math.Exp(-g.dist2[g.W.Start[i]+p] / (width * s[i] * s[j]))
		}
	}
}

// inner is x_i'x_j.
func inner(rows data.Rows, i, j int) float64 {
	sum := 0.0
	if rows.Dense != nil {
		b := rows.Dense.RawRowView(j)
		for c, v := range rows.Dense.RawRowView(i) {
			sum += v * b[c]
		}
		return sum
	}
	return rows.Sparse.RowDot(i, rows.Sparse, j)
}
