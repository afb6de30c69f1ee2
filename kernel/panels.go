package kernel

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/parallel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// panelSize is the number of doubles in a temporary block, 8 MB: it stays near
// the caches while a matrix product on it is still worth its call.
const panelSize = 1 << 20

// panelRows is the number of rows of width m in a panel. It depends on nothing
// but m, so that sums over panels do not depend on the machine.
func panelRows(m int) int {
	return max(16, min(512, panelSize/max(m, 1)))
}

// dims returns |I| and |J| and panics where the parts do not fit them.
func (c Cotangent) dims(n int) (r, m int) {
	r, m = n, n
	if c.I != nil {
		r = len(c.I)
	}
	if c.J != nil {
		m = len(c.J)
	}
	if (c.U == nil) != (c.V == nil) {
		panic("kernel: a Cotangent has only one of U and V")
	}
	if c.U != nil {
		ur, uk := c.U.Dims()
		vr, vk := c.V.Dims()
		if ur != r || vr != m || uk != vk {
			panic(fmt.Sprintf("kernel: Cotangent of %dx%d with U %dx%d and V %dx%d", r, m, ur, uk, vr, vk))
		}
	}
	if c.D != nil {
		if dr, dm := c.D.Dims(); dr != r || dm != m {
			panic(fmt.Sprintf("kernel: Cotangent of %dx%d with D %dx%d", r, m, dr, dm))
		}
	}
	return r, m
}

// panels calls f, one after another, with panels of rows of U V' + D: i are the
// training rows of the panel and b its values, which f may overwrite. Cost:
// 2 |I||J| r flops, memory of one panel.
func (c Cotangent) panels(n int, f func(i []int, b *mat.Dense)) {
	r, m := c.dims(n)
	if r == 0 || m == 0 || c.U == nil && c.D == nil {
		return
	}
	idx := c.I
	if idx == nil {
		idx = indices.To(n)
	}
	size := min(panelRows(m), r)
	work := mat.NewDense(size, m, nil)
	for lo := 0; lo < r; lo += size {
		hi := min(lo+size, r)
		b := work.Slice(0, hi-lo, 0, m).(*mat.Dense)
		if c.U != nil {
			_, k := c.U.Dims()
			blas.Gemm(1, blas.N(c.U.Slice(lo, hi, 0, k).(*mat.Dense)), blas.T(c.V), 0, b)
		}
		if c.D != nil {
			parallel.Pieces(hi-lo, chunk, func(p, q int) {
				for a := p; a < q; a++ {
					to, from := row(b, a), row(c.D, lo+a)
					if c.U == nil {
						copy(to, from)
						continue
					}
					for j, v := range from {
						to[j] += v
					}
				}
			})
		}
		f(idx[lo:hi], b)
	}
}

// contract returns sum_ij bar_ij K_ij: the derivative along a factor of the whole
// matrix. Cost: one Block, by panels.
func contract(g Gram, bar Cotangent) float64 {
	_, m := bar.dims(g.Len())
	var total float64
	var work *mat.Dense
	bar.panels(g.Len(), func(i []int, b *mat.Dense) {
		k := panelOf(&work, len(i), m)
		g.Block(k, i, bar.J)
		part := make([]float64, len(i))
		parallel.Pieces(len(i), chunk, func(lo, hi int) {
			for a := lo; a < hi; a++ {
				part[a] = floats.Dot(row(b, a), row(k, a))
			}
		})
		for _, v := range part {
			total += v
		}
	})
	return total
}

// Diagonal returns K[i,i] for the listed training rows (nil means all). Cost: |i| values
// of a kernel of distances or inner products, |i|/32 blocks of 32 x 32 of others.
func Diagonal(g Gram, i []int) []float64 {
	if i == nil {
		i = indices.To(g.Len())
	}
	out := make([]float64, len(i))
	if s, ok := g.(*shapeGram); ok && s.points() != nil {
		if s.k.compares() == innerProduct {
			for a, r := range i {
				out[a] = s.points().norm[r]
			}
		}
		s.k.value(out)
		return out
	}
	work := mat.NewDense(chunk, chunk, nil)
	for lo := 0; lo < len(i); lo += chunk {
		hi := min(lo+chunk, len(i))
		b := work.Slice(0, hi-lo, 0, hi-lo).(*mat.Dense)
		g.Block(b, i[lo:hi], i[lo:hi])
		for a := lo; a < hi; a++ {
			out[a] = b.At(a-lo, a-lo)
		}
	}
	return out
}

// panelOf returns an r x m view of work, which it makes at the first (largest) call.
func panelOf(work **mat.Dense, r, m int) *mat.Dense {
	if *work == nil {
		*work = mat.NewDense(r, m, nil)
	}
	return (*work).Slice(0, r, 0, m).(*mat.Dense)
}

// lane is the number of exponentials taken at a time where they are not stored:
// 2 kB on the stack, in the first-level cache.
const lane = 256 // no result depends on it

// dot3 returns sum_k x_k y_k z_k in four sums, which need not wait for each other.
func dot3(x, y, z []float64) float64 {
	var a, b, c, d float64
	y, z = y[:len(x)], z[:len(x)]
	k := 0
	for ; k+3 < len(x); k += 4 {
		a += x[k] * y[k] * z[k]
		b += x[k+1] * y[k+1] * z[k+1]
		c += x[k+2] * y[k+2] * z[k+2]
		d += x[k+3] * y[k+3] * z[k+3]
	}
	for ; k < len(x); k++ {
		a += x[k] * y[k] * z[k]
	}
	return a + b + c + d
}
