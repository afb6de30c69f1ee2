package kernel

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// Product is k(x, z) = prod_t k_t(x, z), positive semi-definite if its factors
// are (Schur). The parameters are those of the factors, named as those of a Sum's terms:
// "1.sigma", "sigma[a..c]".
type Product struct {
	Terms []Kernel
}

var productKind = kindOf(param.Words{
	ID: "product", Title: "product of kernels",
	Formula: "KERNEL*KERNEL",
	About:   "both terms must find two rows alike",
	Source:  "Aronszajn 1950",
	SciKit:  "gaussian_process.kernels.Product",
	Example: "mercer fit iris --kernel 'gaussian[1..2]*gaussian[3..4]'",
}, func(k *Product) []field { return []field{{name: "terms", value: &k.Terms}} })

// Space joins the spaces of the factors.
func (k Product) Space() param.Space { return termSpace(k.Terms) }

// With hands each factor its part of theta.
func (k Product) With(theta []float64) (Kernel, error) {
	checkTheta(k, theta)
	terms, err := withTerms(k.Terms, theta)
	if err != nil {
		return nil, err
	}
	return Product{Terms: terms}, nil
}

// Adapt adapts each factor.
func (k Product) Adapt(rows data.Rows) Kernel { return Product{Terms: adaptTerms(k.Terms, rows)} }

// Bind binds each factor.
func (k Product) Bind(ctx context.Context, train data.Rows, w *Work) (Gram, error) {
	if err := ready(ctx, k); err != nil {
		return nil, err
	}
	terms, err := bindTerms(ctx, k.Terms, train, w)
	if err != nil {
		return nil, err
	}
	return &productGram{k: k, train: train, terms: terms}, nil
}

func (k Product) check(at stage) error { return checkTerms("product", k.Terms, at) }

type productGram struct {
	k     Product
	train data.Rows
	terms []Gram
}

func (g *productGram) Len() int { return g.terms[0].Len() }

func (g *productGram) Block(dst *mat.Dense, i, j []int) { combineBlocks(dst, g.terms, i, j, multiply) }

func (g *productGram) Cross(dst *mat.Dense, x data.Rows, j []int) error {
	return combineCross(dst, g.terms, x, j, multiply)
}

func multiply(dst, term []float64) {
	for q, v := range term {
		dst[q] *= v
	}
}

// Pull gives factor t the cotangent bar o prod_{s != t} K_s, by panels: t factors
// cost t(t-1) blocks besides their own pulls, and no memory but two panels.
func (g *productGram) Pull(grad []float64, bar Cotangent) error {
	if checkGrad(grad, g.k) == 0 {
		return nil
	}
	_, m := bar.dims(g.Len())
	var block, others *mat.Dense
	var failed error
	bar.panels(g.Len(), func(i []int, b *mat.Dense) {
		k, d := panelOf(&block, len(i), m), panelOf(&others, len(i), m)
		at := grad
		for t, term := range g.k.Terms {
			n := len(term.Space())
			if n == 0 {
				continue
			}
			d.Copy(b)
			for s, other := range g.terms {
				if s != t {
					other.Block(k, i, bar.J)
					parallel.Pieces(len(i), chunk, func(lo, hi int) {
						for a := lo; a < hi; a++ {
							multiply(row(d, a), row(k, a))
						}
					})
				}
			}
			if err := g.terms[t].Pull(at[:n], Cotangent{I: i, J: bar.J, D: d}); err != nil && failed == nil {
				failed = err
			}
			at = at[n:]
		}
	})
	return failed
}

func (g *productGram) Expand(alpha *mat.Dense, j []int) ([]Expansion, error) {
	return expandPlain(g.k, g.train, alpha, j)
}

// expandPlain is expand, an error for kernels that depend on their training rows.
func expandPlain(k Kernel, train data.Rows, alpha *mat.Dense, j []int) ([]Expansion, error) {
	if !plain(k) {
		return nil, fmt.Errorf(
			"kernel: %T of a kernel that depends on its training rows cannot be stored; apply it to plain kernels before that",
			k,
		)
	}
	return expand(k, train, alpha, j), nil
}
