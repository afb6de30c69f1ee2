package kernel

import (
	"context"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/parallel"
	"gonum.org/v1/gonum/mat"
)

// chiGram is a kernel phi(s) of the chi-square sum s of two rows bound to rows: the
// distance or the product of histograms.go, as the shape says. It does for them what
// shapeGram does for distances and inner products, at their price.
type chiGram struct {
	k     shape
	name  string
	train data.Rows
	h     *histograms
	w     *Work
}

func bindChi(ctx context.Context, k shape, train data.Rows, w *Work) (Gram, error) {
	if err := ready(ctx, k); err != nil {
		return nil, err
	}
	name, _ := typeName(k)
	h, err := newHistograms(name, train)
	if err != nil {
		return nil, err
	}
	return &chiGram{k: k, name: name, train: train, h: h, w: w}, nil
}

func (g *chiGram) Len() int { return g.h.n }

// table returns the s of all pairs if there is a Work to keep them.
func (g *chiGram) table() *mat.Dense {
	n := g.Len()
	if g.w == nil || n > tableRows {
		return nil
	}
	name := "chi-square products"
	if g.k.distance() {
		name = "chi-square distances"
	}
	return g.w.Table(name, n, n, func(dst *mat.Dense) {
		parallel.Pieces(n, chunk, func(lo, hi int) {
			g.h.pairs(dst, g.h, lo, hi, g.k.distance())
			mirrorUp(dst, lo, hi)
		})
	})
}

func (g *chiGram) Block(dst *mat.Dense, i, j []int) {
	r, m := checkBlock(dst, g.Len(), i, j)
	if r == 0 || m == 0 {
		return
	}
	same := i == nil && j == nil || i != nil && slices.Equal(i, j)
	t := g.table()
	var hi, hj *histograms
	if t == nil {
		hi = g.h.take(i)
		if hj = hi; !same {
			hj = g.h.take(j)
		}
	}
	parallel.Pieces(r, chunk, func(p, q int) {
		if t == nil {
			hi.pairs(dst, hj, p, q, g.k.distance())
		}
		for a := p; a < q; a++ {
			s := row(dst, a)
			if same {
				s = s[:a+1]
			}
			if t != nil {
				gather(s, row(t, at(i, a)), j)
			}
			g.k.value(s)
		}
		if same {
			mirrorUp(dst, p, q)
		}
	})
}

func (g *chiGram) Cross(dst *mat.Dense, x data.Rows, j []int) error {
	hx, own, err := g.h.like(g.name, x)
	if err != nil {
		return err
	}
	checkCross(dst, hx.n, g.Len(), j)
	hj := own.take(j)
	parallel.Pieces(hx.n, chunk, func(lo, hi int) {
		hx.pairs(dst, hj, lo, hi, g.k.distance())
		for a := lo; a < hi; a++ {
			g.k.value(row(dst, a))
		}
	})
	return nil
}

// Pull costs what a Block of the same rows and columns costs, besides U V'.
func (g *chiGram) Pull(grad []float64, bar Cotangent) error {
	np := checkGrad(grad, g.k)
	if np == 0 {
		return nil
	}
	_, m := bar.dims(g.Len())
	t := g.table()
	var hj *histograms
	if t == nil {
		hj = g.h.take(bar.J)
	}
	var work *mat.Dense
	bar.panels(g.Len(), func(i []int, b *mat.Dense) {
		s := panelOf(&work, len(i), m)
		var hi *histograms
		if t == nil {
			hi = g.h.take(i)
		}
		part := make([]float64, len(i)*np)
		parallel.Pieces(len(i), chunk, func(p, q int) {
			if t == nil {
				hi.pairs(s, hj, p, q, g.k.distance())
			}
			for a := p; a < q; a++ {
				sa := row(s, a)
				switch {
				case t != nil && bar.J == nil:
					sa = row(t, i[a])
				case t != nil:
					gather(sa, row(t, i[a]), bar.J)
				}
				g.k.slope(part[a*np:(a+1)*np], sa, row(b, a))
			}
		})
		for q, v := range part {
			grad[q%np] += v
		}
	})
	return nil
}

func (g *chiGram) Expand(alpha *mat.Dense, j []int) ([]Expansion, error) {
	return expand(g.k, g.train, alpha, j), nil
}
