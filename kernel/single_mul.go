package kernel

import (
	"context"
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/internal/vec"
	"gonum.org/v1/gonum/mat"
)

// mulRows and mulColumns are the shape of a panel of K in MulSingle: 1 MB, most of which
// the second-level caches of two cores hold between its computation and its use.
const (
	mulRows    = 512 // no result depends on it
	mulColumns = 512 // no result depends on it
)

// MulSingle stores K[i,j] x in dst, |i| x c for x of |j| x c; nil lists mean all rows.
// K is computed by panels of 512 x 512 and never stored. Its entries are those of
// Block, rounded to single precision; products and sums are in double precision, so
// that dst is the product of one fixed matrix, linear in x to 1e-15, as iterative
// solvers expect. dst and x must not overlap.
//
// Where i and j are the same list (or both nil) only panels on and above the diagonal
// are computed: a panel P_IJ serves dst_I += P x_J and dst_J += P'x_I.
//
// Cost: |i||j| entries of K, half for the same list, and 2|i||j|c flops; memory one
// panel. A cancelled context, looked at before each panel, is returned as the error; dst is
// then arbitrary. The result does not depend on the number of cores where that of Block
// does not.
func MulSingle(ctx context.Context, dst *mat.Dense, k Single, i, j []int, x *mat.Dense) error {
	n := k.Len()
	r, m := count(n, i), count(n, j)
	xr, c := x.Dims()
	if dr, dc := dst.Dims(); xr != m || dr != r || dc != c {
		panic(fmt.Sprintf("kernel: %dx%d = %dx%d times %dx%d", dr, dc, r, m, xr, c))
	}
	if r == 0 || c == 0 {
		return ctx.Err()
	}
	same := i == nil && j == nil || i != nil && j != nil && slices.Equal(i, j)
	if i == nil {
		i = indices.To(n)
	}
	if j == nil {
		j = indices.To(n)
	}
	// Columns one after another: the products read along them.
	from, to := transposed(x), make([]float64, c*r)
	work := make([]float32, min(mulRows, r)*min(mulColumns, max(m, 1)))
	for lo := 0; lo < r; lo += mulRows {
		hi := min(lo+mulRows, r)
		left := 0
		if same {
			left = lo
		}
		for ; left < m; left += mulColumns {
			if err := ctx.Err(); err != nil {
				return err
			}
			right := min(left+mulColumns, m)
			w := right - left
			b := work[:(hi-lo)*w]
			k.Block(b, i[lo:hi], j[left:right])
			parallel.Pieces(hi-lo, chunk, func(p, q int) {
				for a := p; a < q; a++ {
					ka := b[a*w : (a+1)*w]
					for e := range c {
						to[e*r+lo+a] += vec.DotMixed(ka, from[e*m+left:e*m+right])
					}
				}
			})
			if !same || left == lo {
				continue
			}
			parallel.Pieces(w, 2*chunk, func(p, q int) {
				for e := range c {
					vec.AddRowsMixed(to[e*r+left+p:e*r+left+q], b[p:], w, from[e*m+lo:e*m+hi])
				}
			})
		}
	}
	for a := range r {
		d := row(dst, a)
		for e := range d {
			d[e] = to[e*r+a]
		}
	}
	return nil
}

// transposed returns the columns of x one after another.
func transposed(x *mat.Dense) []float64 {
	m, c := x.Dims()
	t := make([]float64, c*m)
	for u := range m {
		for e, v := range row(x, u) {
			t[e*m+u] = v
		}
	}
	return t
}
