package spectral

// Spectral clustering. K clusters of an embedding f_1 .. f_{K-1}:
//
//	K = 2   the sign of f_1 (Fiedler vector, relaxed normalised cut), or f_1 against its median
//	K > 2   k-means on the rows (f_0, f_1, .., f_{K-1}) scaled to length one, f_0 the constant
//
// which is Ng, Jordan and Weiss 2002: sqrt(d_i), by which their rows differ, falls out
// of the scaling. The cut of q in {-1, 1}^n is q'Lq/4 (the source's half is twice
// that).
//
// Components make the null space, and a graph of nearest neighbours often has small
// ones that are no clusters. So components of fewer than max(2, n/(20 K)) rows are set
// aside, and their rows follow the clustered row nearest to them. Of the others, if there
// are more than K, those are joined whose joining adds least to the variance within (Ward):
// the graph knows nothing about them, the features do.
//
// K from the eigenvalues 0 = lambda_1 <= lambda_2 ..: the K from 2 to 10 with the largest gap
//
//	1 - (lambda_K/(K - 1)) / (lambda_{K+1}/K)
//
// by which the ratio of neighbours exceeds that of a plane region without clusters, lambda_K ~ K - 1
// (Weyl). Plain differences, the usual eigengap, grow with K where clusters are long;
// plain ratios fall with K whatever the clusters are: they say 2 of the ten digits, this one 9.
//
// Source: Sindhwani 2007, sections 1.2.5 and 2.8.1; Shi and Malik 2000; von Luxburg 2007,
// section 8.3 (eigengap).

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/mixture"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Split says how two clusters are parted.
type Split int

// The ways.
const (
	// Sign parts by the sign of the first function.
	Sign Split = iota
	// Median makes two clusters of equal size, but for rows of equal value.
	Median
	// KMeans treats two clusters as any other number.
	KMeans
)

// Clustering is the recipe. The zero value takes as many clusters as the
// eigenvalues say.
type Clustering struct {
	Clusters    int          // K; 0: by the eigenvalues
	MaxClusters int          // most the eigenvalues may say; 0 means 10
	Split       Split        // of two clusters
	Starts      int          // of k-means; 0 means 10
	Seed        uint64       // of k-means
	Eigenmap    Eigenmap     // makes the embedding, unless
	Regularised *Regularised // is given, which knows clusters of new rows too
}

// Clusters is the answer.
type Clusters struct {
	K          int
	Of         []int      // cluster of each row, numbered by their first rows
	Size       []int      // rows of each
	Cut        float64    // normalised cut, sum over clusters of the weight that leaves over the weight in all
	Embedding  *Embedding // of the rows that were not set aside
	Components int        // of the graph
	Aside      int        // rows in components set aside
	// Gaps are the eigengaps of K = 2, 3, .. where K was to be found.
	Gaps []float64

	split    Split
	middle   float64    // of two clusters, unless by k-means: threshold of f_1
	centres  *mat.Dense // k-means
	rename   []int      // from the embedding's cluster to K's
	constant float64
}

// Fit clusters the rows, which are those of g.
func (c Clustering) Fit(ctx context.Context, g *graph.Graph, rows data.Rows) (*Clusters, error) {
	if rows.Len() != g.N {
		panic(fmt.Sprintf("spectral: graph of %d rows, %d rows of features", g.N, rows.Len()))
	}
	if c.Clusters != 0 && (c.Clusters < 2 || c.Clusters >= g.N) {
		return nil, fmt.Errorf("spectral: %d clusters of %d rows; from 2 to %d", c.Clusters, g.N, max(2, g.N-1))
	}
	if c.MaxClusters == 0 {
		c.MaxClusters = 10
	}
	c.MaxClusters = max(2, min(c.MaxClusters, g.N-2))
	if c.Starts == 0 {
		c.Starts = 10
	}
	out := &Clusters{K: c.Clusters, Of: make([]int, g.N), split: c.Split}
	keep, err := c.setAside(g, out)
	if err != nil {
		return nil, err
	}
	core, coreRows := g, rows
	if len(keep) < g.N {
		core, coreRows = induced(g, keep), rows.Select(keep)
	}
	of, err := c.cluster(ctx, core, coreRows, out)
	if err != nil {
		return nil, err
	}
	for at, i := range keep {
		out.Of[i] = of[at]
	}
	if len(keep) < g.N {
		if err := c.follow(ctx, g, rows, keep, out); err != nil {
			return nil, err
		}
	}
	out.number()
	out.Cut = normalisedCut(g, out.Of, out.K)
	return out, nil
}

// setAside lists the rows of components that are large enough.
func (c Clustering) setAside(g *graph.Graph, out *Clusters) ([]int, error) {
	k := c.Clusters
	if k == 0 {
		k = 5 // of 2 to 10
	}
	least := max(2, (g.N+20*k-1)/(20*k))
	of, count := g.Components()
	out.Components = count
	size := make([]int, count)
	for _, v := range of {
		size[v]++
	}
	var keep []int
	for i, v := range of {
		if size[v] >= least {
			keep = append(keep, i)
		}
	}
	out.Aside = g.N - len(keep)
	if c.Clusters == 0 && out.Aside == 0 && len(keep) <= k {
		return nil, fmt.Errorf("spectral: %d rows are too few to tell the number of clusters; give it", g.N)
	}
	if 2*out.Aside > g.N || len(keep) <= k {
		return nil, fmt.Errorf(
			"spectral: the graph falls into %d components, %d of %d rows in components of fewer than %d; take more neighbours",
			count,
			out.Aside,
			g.N,
			least,
		)
	}
	return keep, nil
}

// cluster works on a graph of large components.
func (c Clustering) cluster(ctx context.Context, g *graph.Graph, rows data.Rows, out *Clusters) ([]int, error) {
	of, count := g.Components()
	dims := out.K - 1
	if out.K == 0 {
		dims = min(c.MaxClusters, g.N-1)
	}
	if dims > g.N-1 {
		return nil, fmt.Errorf("spectral: %d clusters of %d rows; at most %d", out.K, g.N, g.N)
	}
	var err error
	if c.Regularised != nil {
		out.Embedding, err = c.Regularised.Fit(ctx, g, rows, dims)
	} else {
		out.Embedding, err = c.Eigenmap.Fit(ctx, g, dims)
	}
	if err != nil {
		return nil, err
	}
	if out.K == 0 {
		out.choose(count, c.Regularised != nil)
	}
	out.constant = out.Embedding.Constant
	f := out.Embedding.Coordinates
	switch {
	case c.Regularised == nil && (count > out.K || count == out.K && count > len(out.Embedding.Values)): // the pieces are the clusters
		return ward(rows, g.Recipe.Metric, of, count, out.K), nil
	case out.K == 2 && c.Split != KMeans:
		first := mat.Col(nil, 0, f)
		if c.Split == Median {
			out.middle = median(first)
		}
		return parted(first, out.middle), nil
	}
	out.split = KMeans
	var at []int
	out.centres, at, _, err = mixture.KMeans(ctx, out.directions(f), out.K, c.Starts, c.Seed)
	return at, err
}

// choose sets K by the gaps. Components say it without them, unless the
// functions are a kernel's.
func (c *Clusters) choose(components int, regularised bool) {
	values := c.Embedding.Values
	best := math.Inf(-1)
	c.K = 2
	for j := 1; j < len(values); j++ { // values[j-1] is lambda_K, K = j + 1
		gap := 0.0
		if values[j] > 1e-12 {
			gap = 1 - values[j-1]/float64(j)*float64(j+1)/values[j]
		}
		c.Gaps = append(c.Gaps, gap)
		if gap > best {
			best, c.K = gap, j+1
		}
	}
	if !regularised && components > len(values) {
		c.K = components
	}
}

// directions are (f_0, f_1, .., f_{K-1}) scaled to length one.
func (c *Clusters) directions(f *mat.Dense) *mat.Dense {
	n, m := f.Dims()
	m = min(m, c.K-1)
	out := mat.NewDense(n, m+1, nil)
	for i := range n {
		row := out.RawRowView(i)
		row[0] = c.constant
		copy(row[1:], f.RawRowView(i)[:m])
		norm := floats.Norm(row, 2)
		for j := range row {
			row[j] /= norm
		}
	}
	return out
}

// At finds the clusters of new rows, which needs a Regularised embedding.
func (c *Clusters) At(ctx context.Context, rows data.Rows) ([]int, error) {
	f, err := c.Embedding.At(ctx, rows)
	if err != nil {
		return nil, err
	}
	var of []int
	if c.centres == nil {
		of = parted(mat.Col(nil, 0, f), c.middle)
	} else {
		of = make([]int, rows.Len())
		mixture.Nearest(c.directions(f), c.centres, of, make([]float64, len(of)))
	}
	for i, v := range of {
		of[i] = c.rename[v]
	}
	return of, nil
}

// parted is 0 up to and 1 beyond the threshold.
func parted(f []float64, middle float64) []int {
	of := make([]int, len(f))
	for i, v := range f {
		if v > middle {
			of[i] = 1
		}
	}
	return of
}

// number renames the clusters by their first rows and counts them.
func (c *Clusters) number() {
	c.rename = make([]int, c.K)
	for k := range c.rename {
		c.rename[k] = -1
	}
	for i, v := range c.Of {
		if c.rename[v] < 0 {
			c.rename[v] = len(c.Size)
			c.Size = append(c.Size, 0)
		}
		c.Of[i] = c.rename[v]
		c.Size[c.rename[v]]++
	}
	next := len(c.Size)
	for k, v := range c.rename { // clusters without a row, if k-means left any
		if v < 0 {
			c.rename[k] = next
			c.Size = append(c.Size, 0)
			next++
		}
	}
}

// follow gives rows set aside the cluster of the nearest row kept. Cost: d flops
// for every pair of both kinds.
func (c Clustering) follow(ctx context.Context, g *graph.Graph, rows data.Rows, keep []int, out *Clusters) error {
	kept := make([]bool, g.N)
	for _, i := range keep {
		kept[i] = true
	}
	var aside []int
	for i, k := range kept {
		if !k {
			aside = append(aside, i)
		}
	}
	nearest, err := graph.NearestOf(ctx, rows, g.Recipe.Metric, aside, keep)
	if err != nil {
		return err
	}
	for at, i := range aside {
		out.Of[i] = out.Of[nearest[at]]
	}
	return nil
}

// induced is the graph on some of its components, without the lengths of its edges.
func induced(g *graph.Graph, keep []int) *graph.Graph {
	at := make([]int32, g.N)
	for p, i := range keep {
		at[i] = int32(p)
	}
	w := &data.CSR{R: len(keep), C: len(keep), Start: make([]int, len(keep)+1)}
	for p, i := range keep {
		idx, val := g.W.Row(i)
		for _, j := range idx { // of the same component, unless the weight underflowed
			w.Index = append(w.Index, at[j])
		}
		w.Value = append(w.Value, val...)
		w.Start[p+1] = len(w.Index)
	}
	return &graph.Graph{N: len(keep), Recipe: g.Recipe, W: w, MeanEdge: g.MeanEdge, Recall: g.Recall}
}

// normalisedCut is sum_c (weight leaving c)/(weight of c's rows); clusters
// without weight count 0.
func normalisedCut(g *graph.Graph, of []int, k int) float64 {
	leave, all := make([]float64, k), make([]float64, k)
	for i, c := range of {
		idx, w := g.W.Row(i)
		for p, j := range idx {
			all[c] += w[p]
			if of[j] != c {
				leave[c] += w[p]
			}
		}
	}
	sum := 0.0
	for c, v := range all {
		if v > 0 {
			sum += leave[c] / v
		}
	}
	return sum
}
