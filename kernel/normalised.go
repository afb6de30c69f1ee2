package kernel

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// Normalised is k(x, z) = b(x, z) / sqrt(b(x, x) b(z, z)) for the Base kernel b:
// the cosine in its feature space, positive semi-definite if b is. Rows of no
// length (b(x, x) <= 0) have k(x, .) = 0. The parameters are the base's, by the
// quotient rule
//
//	dk = db(x,z) / sqrt(b(x,x) b(z,z)) - k/2 (db(x,x)/b(x,x) + db(z,z)/b(z,z))
type Normalised struct {
	Base Kernel
}

var normalisedKind = kindOf(param.Words{
	ID: "normalised", Title: "normalised kernel",
	Formula: "normalised(KERNEL): k(x,z) / sqrt(k(x,x) k(z,z))",
	About:   "every row gets length 1 in the feature space; for text with the linear kernel it is the cosine",
	Source:  "Shawe-Taylor & Cristianini 2004, 5.1",
	Example: "mercer fit text.svm.gz --kernel 'normalised(linear)'",
}, func(k *Normalised) []field { return []field{{name: "base", value: &k.Base}} })

// Space is the base's.
func (k Normalised) Space() param.Space { return k.Base.Space() }

// With hands theta to the base.
func (k Normalised) With(theta []float64) (Kernel, error) {
	base, err := k.Base.With(theta)
	if err != nil {
		return nil, err
	}
	return Normalised{Base: base}, nil
}

// Adapt adapts the base.
func (k Normalised) Adapt(rows data.Rows) Kernel { return Normalised{Base: k.Base.Adapt(rows)} }

// Bind binds the base and takes its diagonal.
func (k Normalised) Bind(ctx context.Context, train data.Rows, w *Work) (Gram, error) {
	if err := ready(ctx, k); err != nil {
		return nil, err
	}
	base, err := k.Base.Bind(ctx, train, w)
	if err != nil {
		return nil, err
	}
	return &normalisedGram{k: k, train: train, base: base, inv: inverseLength(base)}, nil
}

func (k Normalised) check(at stage) error {
	if err := check(k.Base, at); err != nil {
		return fmt.Errorf("normalised: %w", err)
	}
	return nil
}

// inverseLength is 1/sqrt(K_ii), 0 where the row has no length.
func inverseLength(g Gram) []float64 {
	d := Diagonal(g, nil)
	for i, v := range d {
		d[i] = 0
		if v > 0 {
			d[i] = 1 / math.Sqrt(v)
		}
	}
	return d
}

type normalisedGram struct {
	k     Normalised
	train data.Rows
	base  Gram
	inv   []float64 // 1 / sqrt(b(x_i, x_i))
}

func (g *normalisedGram) Len() int { return g.base.Len() }

func (g *normalisedGram) Block(dst *mat.Dense, i, j []int) {
	g.base.Block(dst, i, j)
	g.divide(dst, g.inv, i, j)
}

// divide multiplies entry (a, b) by left[i[a]] inv[j[b]].
func (g *normalisedGram) divide(dst *mat.Dense, left []float64, i, j []int) {
	r, _ := dst.Dims()
	parallel.Pieces(r, chunk, func(lo, hi int) {
		for a := lo; a < hi; a++ {
			d, v := row(dst, a), left[at(i, a)]
			for b := range d {
				d[b] *= v * g.inv[at(j, b)]
			}
		}
	})
}

// Cross binds the base to the new rows for their lengths.
func (g *normalisedGram) Cross(dst *mat.Dense, x data.Rows, j []int) error {
	if !plain(g.k) {
		return errors.New(
			"kernel: normalised: the base depends on its training rows, so new rows have no length; normalise the plain kernel inside it",
		)
	}
	if err := g.base.Cross(dst, x, j); err != nil {
		return err
	}
	own, err := g.k.Base.Bind(context.Background(), x, nil)
	if err != nil {
		return err
	}
	g.divide(dst, inverseLength(own), nil, j)
	return nil
}

// Pull gives the base the cotangent E = bar_ij / sqrt(b_ii b_jj), by panels, and
// on its diagonal -1/2 (row and column sums of E o B) / b_ii, by blocks of 32.
// Cost: one block of the base and its Pull.
func (g *normalisedGram) Pull(grad []float64, bar Cotangent) error {
	if checkGrad(grad, g.k) == 0 {
		return nil
	}
	n := g.Len()
	_, m := bar.dims(n)
	diag := make([]float64, n) // cotangent of b_ii
	col := make([]float64, m)
	var work *mat.Dense
	var failed error
	bar.panels(n, func(i []int, e *mat.Dense) {
		g.divide(e, g.inv, i, bar.J)
		if err := g.base.Pull(grad, Cotangent{I: i, J: bar.J, D: e}); err != nil && failed == nil {
			failed = err
		}
		b := panelOf(&work, len(i), m)
		g.base.Block(b, i, bar.J)
		for a, ia := range i {
			ea, ba := row(e, a), row(b, a)
			var s float64
			for q, v := range ea {
				v *= ba[q]
				s += v
				col[q] += v
			}
			diag[ia] -= s / 2
		}
	})
	for b, s := range col {
		diag[at(bar.J, b)] -= s / 2
	}
	all := indices.To(n)
	for lo := 0; lo < n && failed == nil; lo += chunk {
		hi := min(lo+chunk, n)
		d := mat.NewDense(hi-lo, hi-lo, nil)
		for i := lo; i < hi; i++ {
			d.Set(i-lo, i-lo, diag[i]*g.inv[i]*g.inv[i])
		}
		failed = g.base.Pull(grad, Cotangent{I: all[lo:hi], J: all[lo:hi], D: d})
	}
	return failed
}

func (g *normalisedGram) Expand(alpha *mat.Dense, j []int) ([]Expansion, error) {
	return expandPlain(g.k, g.train, alpha, j)
}
