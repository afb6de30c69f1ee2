package kernel

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// Precomputed is k(x, z) = K[id(x), id(z)]: the kernel of numbered rows given as
// a symmetric m x m matrix, whatever their features. The number of a row is its
// data.Rows.ID; rows to predict must be numbered in the same matrix. It has no
// parameters and is positive semi-definite if K is.
type Precomputed struct {
	K *mat.Dense
}

var precomputedKind = kindOf(param.Words{
	ID: "precomputed", Title: "given as a matrix, library only",
	Formula: "K[i, j] of numbered rows",
	About:   "for strings, trees, graphs and whatever else has a kernel of its own; the program refuses it",
	Source:  cite.Becker + ", 1.2.2 names such kernels",
	LIBSVM:  "-t 4", SciKit: "precomputed",
}, func(k *Precomputed) []field { return []field{{name: "matrix", value: &matrix{&k.K}}} })

// Space is empty.
func (k Precomputed) Space() param.Space { return nil }

// With returns the kernel itself; theta must be empty.
func (k Precomputed) With(theta []float64) (Kernel, error) {
	checkTheta(k, theta)
	return k, nil
}

// Adapt returns the kernel itself.
func (k Precomputed) Adapt(data.Rows) Kernel { return k }

// Bind looks up the rows' numbers. Rows outside K and entries between the rows
// that are not finite or differ from their mirror image by more than 1e-8 of the
// largest are errors. Cost: n^2.
func (k Precomputed) Bind(ctx context.Context, train data.Rows, _ *Work) (Gram, error) {
	if err := ready(ctx, k); err != nil {
		return nil, err
	}
	id, err := k.numbers(train, "training row")
	if err != nil {
		return nil, err
	}
	var largest float64
	for _, a := range id {
		for _, b := range id {
			largest = max(largest, math.Abs(k.K.At(a, b)))
		}
	}
	for _, a := range id {
		for _, b := range id {
			v, m := k.K.At(a, b), k.K.At(b, a)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("kernel: precomputed: entry (%d, %d) is %g; a Gram matrix is finite", a, b, v)
			}
			if math.Abs(v-m) > 1e-8*largest {
				return nil, fmt.Errorf(
					"kernel: precomputed: entry (%d, %d) is %g but (%d, %d) is %g; a Gram matrix is symmetric",
					a,
					b,
					v,
					b,
					a,
					m,
				)
			}
		}
	}
	return &precomputedGram{k: k, train: train, id: id}, nil
}

func (k Precomputed) numbers(rows data.Rows, what string) ([]int, error) {
	m, _ := k.K.Dims()
	id := indices.To(rows.Len())
	if rows.ID != nil {
		id = rows.ID
	}
	for a, i := range id {
		if i < 0 {
			return nil, fmt.Errorf(
				"kernel: precomputed: %s %d is in no set, so its kernel values are unknown; number the rows in the %dx%d matrix "+
					"(Rows.ID) or use a "+
					"kernel of features",
				what,
				a,
				m,
				m,
			)
		}
		if i >= m {
			return nil, fmt.Errorf(
				"kernel: precomputed: %s %d has number %d, the matrix is %dx%d; give the matrix of all rows",
				what,
				a,
				i,
				m,
				m,
			)
		}
	}
	return id, nil
}

func (k Precomputed) check(at stage) error {
	if k.K == nil {
		if at == bound {
			return errors.New("precomputed: no matrix; set K")
		}
		return nil
	}
	if r, c := k.K.Dims(); r != c {
		return fmt.Errorf("precomputed: the matrix is %dx%d; it must be square", r, c)
	}
	return nil
}

type precomputedGram struct {
	k     Precomputed
	train data.Rows
	id    []int
}

func (g *precomputedGram) Len() int { return len(g.id) }

func (g *precomputedGram) Block(dst *mat.Dense, i, j []int) {
	r, _ := checkBlock(dst, g.Len(), i, j)
	for a := range r {
		g.fill(row(dst, a), g.id[at(i, a)], j)
	}
}

func (g *precomputedGram) fill(dst []float64, id int, j []int) {
	from := row(g.k.K, id)
	for b := range dst {
		dst[b] = from[g.id[at(j, b)]]
	}
}

func (g *precomputedGram) Cross(dst *mat.Dense, x data.Rows, j []int) error {
	id, err := g.k.numbers(x, "new row")
	if err != nil {
		return err
	}
	checkCross(dst, len(id), g.Len(), j)
	for a, i := range id {
		g.fill(row(dst, a), i, j)
	}
	return nil
}

func (g *precomputedGram) Pull(grad []float64, bar Cotangent) error {
	checkGrad(grad, g.k)
	bar.dims(g.Len())
	return nil
}

func (g *precomputedGram) Expand(alpha *mat.Dense, j []int) ([]Expansion, error) {
	return expand(g.k, g.train, alpha, j), nil
}
