package kernel

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// chiSquare is rows prepared for chi-square sums: the distance or the product of
// histograms.go.
type chiSquare struct {
	*histograms
	kernel string // that the messages name
}

// bindChi binds a kernel phi(s) of the chi-square sum s of two rows.
func bindChi(ctx context.Context, k shape, train data.Rows, w *Work) (Gram, error) {
	if err := ready(ctx, k); err != nil {
		return nil, err
	}
	name, _, _ := known(k)
	h, err := newHistograms(name, train)
	if err != nil {
		return nil, err
	}
	return &shapeGram{k: k, train: train, p: chiSquare{h, name}, w: w}, nil
}

func (c chiSquare) len() int { return c.n }

func (c chiSquare) table(of comparison) string {
	if of == distance {
		return "chi-square distances"
	}
	return "chi-square products"
}

func (c chiSquare) take(idx []int) pairing { return chiSquare{c.histograms.take(idx), c.kernel} }

func (c chiSquare) like(x data.Rows) (fresh, own pairing, err error) {
	hx, h, err := c.histograms.like(c.kernel, x)
	return chiSquare{hx, c.kernel}, chiSquare{h, c.kernel}, err
}

func (c chiSquare) sums(dst *mat.Dense, z pairing, of comparison) func(lo, hi int) {
	return func(lo, hi int) { c.pairs(dst, z.(chiSquare).histograms, lo, hi, of) }
}
