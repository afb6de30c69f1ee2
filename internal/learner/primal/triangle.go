package primal

// A symmetric matrix in single precision, the lower triangle only.
//
// Kept are panels of panelHeight rows: panel b has the rows [lo, hi) and the columns
// [0, hi), so that the square at its right end is there in full. With x cut likewise,
// y = K x is
//
//	y_i += sum_{j < hi} K_ij x_j     i in [lo, hi)
//	y_j += sum_{i in panel} K_ij x_i     j < lo
//
// both from the same rows while they are in the second-level cache.
//
// Floor: the panels read once a product, 2 n^2 bytes, for one column and for many; in
// double precision and in full it is 8 n^2. Memory: 2 n^2 + 512 n bytes and 8 n c for
// each of the partial sums. Sums are in double precision; the pieces they are made of
// depend on n alone, not on the number of cores.

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/internal/vec"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

const (
	panelHeight = 256
	// stripRows rows of a panel are multiplied at a time, stripColumns columns at a
	// time: 64 kB of floats, read twice.
	stripRows    = 32  // no result depends on it
	stripColumns = 512 // no result depends on it
	// sumPieces is the number of partial sums of a product, of about equal work.
	sumPieces = 16 // no result depends on it
)

// triangle is the lower triangle of a symmetric n x n matrix.
type triangle struct {
	n      int
	panels [][]float32
}

func newTriangle(n int) *triangle {
	t := &triangle{n: n}
	for lo := 0; lo < n; lo += panelHeight {
		hi := min(lo+panelHeight, n)
		t.panels = append(t.panels, make([]float32, (hi-lo)*hi))
	}
	return t
}

// bytes is the size of a triangle of n rows.
func triangleBytes(n int64) int64 { return 2*n*n + 2*panelHeight*n }

// strip returns the rows lo to hi-1, which one panel holds, their stride and the first
// column that mirrors none of them.
func (t *triangle) strip(lo, hi int) (rows []float32, stride, mirrored int) {
	b := lo / panelHeight
	first := b * panelHeight
	stride = min(first+panelHeight, t.n)
	return t.panels[b][(lo-first)*stride : (hi-first)*stride], stride, first
}

// sums are the partial sums of products with c columns.
type sums struct {
	edge []int     // rows of piece p: edge[p] to edge[p+1]-1
	x    []float64 // the columns of x one after another
	part []float64 // sumPieces x c x n
}

// newSums cuts n rows into pieces of whole strips and about equal area.
func newSums(n, c int) *sums {
	s := &sums{x: make([]float64, n*c), part: make([]float64, sumPieces*n*c)}
	for p := range sumPieces + 1 {
		row := int(float64(n) * math.Sqrt(float64(p)/sumPieces))
		s.edge = append(s.edge, min((row+stripRows-1)/stripRows*stripRows, n))
	}
	return s
}

// mul stores K x in dst, both n x c. before, if not nil, is called for each strip of
// rows before it is used, from any goroutine.
func (t *triangle) mul(ctx context.Context, dst, x *mat.Dense, s *sums, before func(lo, hi int)) error {
	_, c := x.Dims()
	n := t.n
	for i := range n {
		for q, v := range x.RawRowView(i) {
			s.x[q*n+i] = v
		}
	}
	parallel.Pieces(sumPieces, 1, func(p0, p1 int) {
		for p := p1 - 1; p >= p0; p-- {
			to := s.part[p*c*n : (p+1)*c*n]
			clear(to)
			for lo := s.edge[p]; lo < s.edge[p+1]; lo += stripRows {
				if ctx.Err() != nil {
					return
				}
				hi := min(lo+stripRows, s.edge[p+1])
				if before != nil {
					before(lo, hi)
				}
				t.strips(to, s.x, lo, hi, c)
			}
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	parallel.Pieces(n, 1024, func(lo, hi int) {
		for q := range c {
			sum := s.part[q*n : (q+1)*n] // that of the first piece
			for p := 1; p < sumPieces; p++ {
				more := s.part[(p*c+q)*n : (p*c+q+1)*n]
				for i := lo; i < hi; i++ {
					sum[i] += more[i]
				}
			}
			for i := lo; i < hi; i++ {
				dst.Set(i, q, sum[i])
			}
		}
	})
	return nil
}

// strips adds what the rows lo to hi-1 give to c sums of length n.
func (t *triangle) strips(to, x []float64, lo, hi, c int) {
	rows, stride, mirrored := t.strip(lo, hi)
	n := t.n
	for left := 0; left < stride; left += stripColumns {
		right := min(left+stripColumns, stride)
		for q := range c {
			xq, toq := x[q*n:(q+1)*n], to[q*n:(q+1)*n]
			for i := lo; i < hi; i++ {
				toq[i] += vec.DotMixed(rows[(i-lo)*stride+left:(i-lo)*stride+right], xq[left:right])
			}
			if left < mirrored {
				vec.AddRowsMixed(toq[left:min(right, mirrored)], rows[left:], stride, xq[lo:hi])
			}
		}
	}
}

// single is the Gram matrix kept as a triangle.
type single struct {
	g kernel.Gram
	t *triangle
}

// SingleProduct computes and keeps K in single precision, the lower triangle only:
// 2 n^2 bytes. A value out of the range of single precision is an error.
func SingleProduct(ctx context.Context, g kernel.Gram) (Product, error) {
	n := g.Len()
	p := &single{g: g, t: newTriangle(n)}
	s := kernel.NewSingle(g)
	columns := indices.To(n)
	for b, panel := range p.t.panels {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		lo := b * panelHeight
		hi := min(lo+panelHeight, n)
		s.Block(panel, columns[lo:hi], columns[:hi])
		for q, v := range panel {
			if v-v != 0 {
				return nil, fmt.Errorf("manifold: kernel value (%d, %d) is %g in single precision; scale the features or the kernel",
					lo+q/hi, q%hi, v)
			}
		}
	}
	return p, nil
}

func (p *single) Len() int                         { return p.t.n }
func (p *single) Unit() float64                    { return unitSingle }
func (p *single) Block(dst *mat.Dense, i, j []int) { p.g.Block(dst, i, j) }

func (p *single) MulTo(ctx context.Context, dst, x *mat.Dense) error {
	_, c := x.Dims()
	return p.t.mul(ctx, dst, x, newSums(p.t.n, c), nil)
}

// rounded is a matrix in doubles multiplied in single precision: the first product
// rounds it as it goes, reading half of the doubles once, and the others read the
// triangle. All are products with the same rounded matrix.
type rounded struct {
	stored
	t    *triangle
	made bool
	sums *sums
	c    int // columns that sums are for
}

// roundedFrom is the number of rows from which rounding pays: below, all of K stays in the
// third-level cache and a product takes microseconds.
const roundedFrom = 1000

// round returns k, or where it is a matrix in doubles of at least roundedFrom rows, of
// values that floats hold, the same for a few products in single precision.
func round(k Product) Product {
	p, ok := k.(stored)
	if !ok || p.Len() < roundedFrom {
		return k
	}
	for i := range p.Len() { // |K_ij| <= the largest K_ii
		if !(math.Abs(p.k.At(i, i)) < math.MaxFloat32/2) {
			return k
		}
	}
	return &rounded{stored: p, t: newTriangle(p.Len())}
}

func (p *rounded) Unit() float64 { return unitSingle }

func (p *rounded) MulTo(ctx context.Context, dst, x *mat.Dense) error {
	if _, c := x.Dims(); p.sums == nil || c != p.c {
		p.sums, p.c = newSums(p.t.n, c), c
	}
	if p.made {
		return p.t.mul(ctx, dst, x, p.sums, nil)
	}
	err := p.t.mul(ctx, dst, x, p.sums, func(lo, hi int) {
		rows, stride, _ := p.t.strip(lo, hi)
		for i := lo; i < hi; i++ {
			to := rows[(i-lo)*stride : (i-lo+1)*stride]
			for j, v := range p.k.RawRowView(i)[:stride] {
				to[j] = float32(v)
			}
		}
	})
	p.made = err == nil
	return err
}
