package manifold

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// Combined is the intrinsic norm of several graphs together,
//
//	R = sum_j mu_j R_j / c_j,   mu_j >= 0, sum mu_j = 1
//
// of C-LapRLS (Becker 2013, eq. 4.4), which turns the choice of neighbours and degree into
// weights with derivatives. The c_j are graph.Normalisation's.
//
// Parameters: mu[0], mu[1], ..., the weights of one simplex; then `width` if the recipes set
// one for heat weights: it is one length for all terms, those of other widths keeping
// their ratio to the first.
type Combined struct {
	Terms     []Graph
	Mu        []float64 // nil: 1/q each
	Normalise graph.Normalisation
	Fixed     bool // the weights are no parameters
}

var _ Norm = Combined{}

// Weights are the weights of the terms.
func (c Combined) Weights() []float64 {
	if c.Mu != nil {
		return c.Mu
	}
	return slices.Repeat([]float64{1 / float64(len(c.Terms))}, len(c.Terms))
}

// free is the number of weights that are parameters.
func (c Combined) free() int {
	if c.Fixed {
		return 0
	}
	return len(c.Terms)
}

// heat is the first term whose width moves, -1 if none does.
func (c Combined) heat() int {
	return slices.IndexFunc(c.Terms, func(g Graph) bool { return len(g.Space()) > 0 })
}

// Space lists the weights and the width.
func (c Combined) Space() param.Space {
	var s param.Space
	for j, m := range c.Weights()[:c.free()] {
		s = append(s, param.Dim{Name: fmt.Sprintf("mu[%d]", j), Kind: param.Simplex, Lo: 0, Hi: 1, Default: m, Group: 1})
	}
	if h := c.heat(); h >= 0 {
		s = append(s, c.Terms[h].Space()...)
	}
	return s
}

// With replaces the weights and the width.
func (c Combined) With(theta []float64) (Norm, error) {
	if len(theta) != len(c.Space()) {
		panic(fmt.Sprintf("manifold: %d parameters for a combination with %d", len(theta), len(c.Space())))
	}
	q := c.free()
	if q > 0 {
		c.Mu = slices.Clone(theta[:q])
	}
	for j, m := range c.Mu {
		if !(m >= 0) {
			return nil, fmt.Errorf("manifold: mu[%d] = %g; it must not be negative", j, m)
		}
	}
	h := c.heat()
	if h < 0 {
		return c, nil
	}
	if !(theta[q] > 0) {
		return nil, fmt.Errorf("manifold: graph width = %g; it must be positive", theta[q])
	}
	by := theta[q] / c.Terms[h].Recipe.Width
	c.Terms = slices.Clone(c.Terms)
	for j := range c.Terms {
		if len(c.Terms[j].Space()) > 0 {
			c.Terms[j].Recipe.Width *= by
		}
	}
	return c, nil
}

// Bind builds the graphs, each Laplacian once whatever the degrees taken of it. What does
// not move is shared through work.
func (c Combined) Bind(ctx context.Context, rows data.Rows, work *kernel.Work) (graph.Operator, error) {
	keep := work
	if c.heat() >= 0 {
		keep = nil
	}
	var key strings.Builder
	for _, g := range c.Terms {
		fmt.Fprintf(&key, "/%+v", g)
	}
	equal, err := kernel.Shared(keep, fmt.Sprintf("combined/%v%s", c.Normalise, key.String()), func() (*graph.Combination, error) {
		terms := make([]graph.Operator, len(c.Terms))
		for j, g := range c.Terms {
			var err error
			if terms[j], err = g.power(ctx, rows, work); err != nil {
				return nil, err
			}
		}
		return graph.Combine(nil, terms, c.Normalise)
	})
	if err != nil {
		return nil, err
	}
	theta := equal.Space().Defaults()
	copy(theta, c.Weights())
	o, err := equal.With(theta)
	if err != nil {
		return nil, err
	}
	if c.heat() < 0 && !c.Fixed {
		return o, nil
	}
	return narrowed{o.(*graph.Combination), c}, nil
}

// narrowed is a combination with the parameters of its recipe alone: one width for all
// terms, weights that may be fixed.
type narrowed struct {
	*graph.Combination
	recipe Combined
}

// Space is that of the recipe.
func (o narrowed) Space() param.Space { return o.recipe.Space() }

// Pull adds <U V', dR/dtheta>: widths in the proportion of the first, w_j = w w_j0/w_0.
func (o narrowed) Pull(grad []float64, u, v *mat.Dense) {
	long := make([]float64, len(o.Combination.Space()))
	o.Combination.Pull(long, u, v)
	q := o.recipe.free()
	for j, d := range long[:q] {
		grad[j] += d
	}
	at, h := len(o.recipe.Terms), o.recipe.heat()
	for _, g := range o.recipe.Terms {
		if len(g.Space()) > 0 {
			grad[q] += long[at] * g.Recipe.Width / o.recipe.Terms[h].Recipe.Width
			at++
		}
	}
}

// Cartesian returns the terms of all pairs of a number of neighbours and a degree, the degree
// fastest, otherwise like the recipe. Lists of neighbours are shared.
func Cartesian(like graph.Recipe, neighbours, degrees []int) []Graph {
	var terms []Graph
	for _, k := range neighbours {
		for _, p := range degrees {
			g := Graph{Recipe: like, Longest: slices.Max(neighbours)}
			g.Recipe.Neighbours, g.Recipe.Degree = k, p
			terms = append(terms, g)
		}
	}
	return terms
}

// Graphs lists the graphs of a norm that have a weight, the heaviest first.
func Graphs(n Norm) []Graph {
	switch n := n.(type) {
	case Graph:
		return []Graph{n}
	case Filtered:
		return []Graph{n.Graph}
	case Within:
		return []Graph{n.Graph}
	case Joint:
		return n.graphs()
	case Combined:
		mu := n.Weights()
		var order []int
		for j, m := range mu {
			if m > 0 {
				order = append(order, j)
			}
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(mu[b], mu[a]) })
		var list []Graph
		for _, j := range order {
			list = append(list, n.Terms[j])
		}
		return list
	}
	return nil
}

// Unshared returns the norm with lists of neighbours of its own length, to be bound to
// other rows than the rest of a search.
func Unshared(n Norm) Norm {
	switch n := n.(type) {
	case Graph:
		n.Longest = 0
		return n
	case Filtered:
		n.Graph.Longest = 0
		return n
	case Within:
		n.Graph.Longest = 0
		return n
	case Joint:
		n.Graph.Longest = 0
		return n
	case Combined:
		n.Terms = slices.Clone(n.Terms)
		for j := range n.Terms {
			n.Terms[j].Longest = 0
		}
		return n
	}
	return n
}
