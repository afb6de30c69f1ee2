package kernel

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// Sum is k(x, z) = sum_t k_t(x, z), positive semi-definite if its terms are.
// The parameters are those of the terms, prefixed by the term: "1.sigma", "2.weight"; of
// terms on groups of columns by the group: "sigma[a..c]", "weight[d]". Multiple kernel
// learning is a Sum of Scaled terms, see Grouped.
type Sum struct {
	Terms []Kernel
}

var sumKind = kindOf(param.Words{
	ID: "sum", Title: "sum of kernels",
	Formula: "KERNEL+KERNEL, NUMBER*KERNEL+...",
	About: "each term has its own parameters, all tuned together: 1.sigma, 2.sigma, or sigma[a..c] of a term on columns; " +
		"a term with a number has a weight that is tuned too (multiple kernel learning)",
	Source:  cite.Becker + ", eqs 2.22-2.23; " + cite.Klatzer + ", 3.2",
	SciKit:  "gaussian_process.kernels.Sum",
	Example: "mercer fit wine --kernel gaussian+linear",
}, func(k *Sum) []field { return []field{{name: "terms", value: &k.Terms}} })

// Space joins the spaces of the terms.
func (k Sum) Space() param.Space { return termSpace(k.Terms) }

// With hands each term its part of theta.
func (k Sum) With(theta []float64) (Kernel, error) {
	checkTheta(k, theta)
	terms, err := withTerms(k.Terms, theta)
	if err != nil {
		return nil, err
	}
	return Sum{Terms: terms}, nil
}

// Adapt adapts each term.
func (k Sum) Adapt(rows data.Rows) Kernel { return Sum{Terms: adaptTerms(k.Terms, rows)} }

// Bind binds each term.
func (k Sum) Bind(ctx context.Context, train data.Rows, w *Work) (Gram, error) {
	if err := ready(ctx, k); err != nil {
		return nil, err
	}
	terms, err := bindTerms(ctx, k.Terms, train, w)
	if err != nil {
		return nil, err
	}
	return &sumGram{k: k, train: train, terms: terms}, nil
}

func (k Sum) check(at stage) error { return checkTerms("sum", k.Terms, at) }

func bindTerms(ctx context.Context, terms []Kernel, train data.Rows, w *Work) ([]Gram, error) {
	out := make([]Gram, len(terms))
	for t, k := range terms {
		g, err := k.Bind(ctx, train, w)
		if err != nil {
			return nil, fmt.Errorf("term %d: %w", t+1, err)
		}
		out[t] = g
	}
	return out, nil
}

type sumGram struct {
	k     Sum
	train data.Rows
	terms []Gram
}

func (g *sumGram) Len() int { return g.terms[0].Len() }

func (g *sumGram) Block(dst *mat.Dense, i, j []int) { combineBlocks(dst, g.terms, i, j, add) }

func (g *sumGram) Cross(dst *mat.Dense, x data.Rows, j []int) error {
	return combineCross(dst, g.terms, x, j, add)
}

func add(dst, term []float64) {
	for q, v := range term {
		dst[q] += v
	}
}

// Pull hands the cotangent to each term: dK/dtheta of a term's parameter is the
// term's own.
func (g *sumGram) Pull(grad []float64, bar Cotangent) error {
	checkGrad(grad, g.k)
	for t, k := range g.k.Terms {
		n := len(k.Space())
		if n > 0 {
			if err := g.terms[t].Pull(grad[:n], bar); err != nil {
				return err
			}
		}
		grad = grad[n:]
	}
	return nil
}

func (g *sumGram) features() (data.Rows, bool) {
	list := make([]data.Rows, len(g.terms))
	for t, term := range g.terms {
		var ok bool
		if list[t], ok = Features(term); !ok {
			return data.Rows{}, false
		}
	}
	return beside(list), true
}

// Expand is one expansion of the sum if its terms are plain kernels, else the
// expansions of all terms.
func (g *sumGram) Expand(alpha *mat.Dense, j []int) ([]Expansion, error) {
	if plain(g.k) {
		return expand(g.k, g.train, alpha, j), nil
	}
	var out []Expansion
	for _, t := range g.terms {
		e, err := t.Expand(alpha, j)
		if err != nil {
			return nil, err
		}
		out = append(out, e...)
	}
	return out, nil
}
