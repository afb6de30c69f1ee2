package kernel

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/parallel"
	"gonum.org/v1/gonum/mat"
)

// Single is a Gram matrix read in single precision: half the memory and twice the
// speed of doubles, for solvers that read blocks of hundreds of rows of a matrix too
// large to keep. Its methods may be called concurrently and use all cores; results do
// not depend on their number.
type Single interface {
	// Len is the number n of training rows.
	Len() int
	// Block stores K[i,j] in dst, |i| x |j| by rows without gaps; nil means all rows.
	// Where i and j meet, the entry is the diagonal's.
	Block(dst []float32, i, j []int)
	// Diagonal stores all K_ii in dst, of length n, in double precision.
	Diagonal(dst []float64)
}

// CrossSingle is a Single that also meets new rows.
type CrossSingle interface {
	Single
	// Cross stores k(x, train[j]) in dst, |x| x |j| by rows without gaps.
	Cross(dst []float32, x data.Rows, j []int) error
}

// NewSingle returns the single precision form of g.
//
// Gaussian (one width or one a column), linear, polynomial and sigmoid kernels work on
// a copy of the rows in single precision, n d floats, or as many floats as there are
// entries where that is faster (rowsSingle). Scaled ones multiply the result. All
// other kernels compute their own block in double precision, a panel at a time, and
// round it.
//
// Errors, with u = 2^-24: rounding alone for the others; for the rows in single
// precision as rowsSingle says, about u sqrt(d) times the norms, and never more than
// 1e-4 of sqrt(K_ii K_jj): rows and kernels that would exceed that are computed in
// double precision.
func NewSingle(g Gram) CrossSingle {
	switch t := g.(type) {
	case *shapeGram:
		if s := newRowsSingle(t, t.k); s != nil {
			return s
		}
	case *ardGram:
		if s := newRowsSingle(t.shapeGram, t.shapeGram.k); s != nil {
			return s
		}
	case *scaledGram:
		base, weight := NewSingle(t.base), t.k.Weight
		if b, ok := base.(*scaledSingle); ok { // the inner product may be out of range
			base, weight = b.base, weight*b.weight
		}
		return &scaledSingle{base, weight}
	}
	return &roundedSingle{g}
}

// roundedSingle is any Gram matrix: blocks in double precision, rounded.
type roundedSingle struct{ g Gram }

func (s *roundedSingle) Len() int { return s.g.Len() }

func (s *roundedSingle) Diagonal(dst []float64) {
	checkDiagonal(dst, s.Len())
	copy(dst, Diagonal(s.g, nil))
}

func (s *roundedSingle) Block(dst []float32, i, j []int) {
	r, m := checkSingle(dst, count(s.Len(), i), s.Len(), j)
	if r == 0 || m == 0 {
		return
	}
	if i == nil {
		i = indices.To(r)
	}
	size := min(panelRows(m), r)
	work := mat.NewDense(size, m, nil)
	for lo := 0; lo < r; lo += size {
		hi := min(lo+size, r)
		b := work.Slice(0, hi-lo, 0, m).(*mat.Dense)
		s.g.Block(b, i[lo:hi], j)
		round(dst[lo*m:hi*m], b)
	}
}

func (s *roundedSingle) Cross(dst []float32, x data.Rows, j []int) error {
	r, m := checkSingle(dst, x.Len(), s.Len(), j)
	if r == 0 || m == 0 {
		return nil
	}
	size := min(panelRows(m), r)
	work := mat.NewDense(size, m, nil)
	all := indices.To(r)
	for lo := 0; lo < r; lo += size {
		hi := min(lo+size, r)
		b := work.Slice(0, hi-lo, 0, m).(*mat.Dense)
		part := x
		if size < r {
			part = x.Select(all[lo:hi])
		}
		if err := s.g.Cross(b, part, j); err != nil {
			return err
		}
		round(dst[lo*m:hi*m], b)
	}
	return nil
}

// round stores the rows of b in dst without gaps.
func round(dst []float32, b *mat.Dense) {
	r, m := b.Dims()
	parallel.Pieces(r, chunk, func(lo, hi int) {
		for a := lo; a < hi; a++ {
			to := dst[a*m : (a+1)*m]
			for q, v := range row(b, a) {
				to[q] = float32(v)
			}
		}
	})
}

// scaledSingle is weight times base.
type scaledSingle struct {
	base   CrossSingle
	weight float64
}

func (s *scaledSingle) Len() int { return s.base.Len() }

func (s *scaledSingle) Diagonal(dst []float64) {
	s.base.Diagonal(dst)
	for i := range dst {
		dst[i] *= s.weight
	}
}

func (s *scaledSingle) Block(dst []float32, i, j []int) {
	s.base.Block(dst, i, j)
	s.scale(dst)
}

func (s *scaledSingle) Cross(dst []float32, x data.Rows, j []int) error {
	if err := s.base.Cross(dst, x, j); err != nil {
		return err
	}
	s.scale(dst)
	return nil
}

// scale multiplies in double precision: a weight may be out of the range of floats.
func (s *scaledSingle) scale(dst []float32) {
	parallel.Pieces(len(dst), 1<<14, func(lo, hi int) {
		for q, v := range dst[lo:hi] {
			dst[lo+q] = float32(s.weight * float64(v))
		}
	})
}

// checkSingle returns the shape of a block of r rows and columns j, which dst must hold.
func checkSingle(dst []float32, r, n int, j []int) (rows, columns int) {
	m := count(n, j)
	if len(dst) != r*m {
		panic(fmt.Sprintf("kernel: block of %dx%d into %d numbers", r, m, len(dst)))
	}
	return r, m
}

func checkDiagonal(dst []float64, n int) {
	if len(dst) != n {
		panic(fmt.Sprintf("kernel: diagonal of %d rows into %d numbers", n, len(dst)))
	}
}
