package blas

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/gonum"
)

// Packed32 is a matrix B (n x k) in the order in which the micro-kernel reads it, for many
// products
//
//	T = A B'   (r x n, r some tens of rows)
//
// each by one goroutine alone: T then stays in its second-level cache for what follows, where a
// product shared out to all processors has to be waited for. B is packed once, n k numbers; A
// at each product. Elements are those of SgemmTiles, wherever they stand. A Packed32 is not
// changed after it is made and serves many goroutines.
type Packed32 struct {
	x    blas32.General
	b    []float32
	wide int
}

// PackRows32 packs b, which is kept and must not change.
func PackRows32(b blas32.General) *Packed32 {
	check32(b)
	n, k := b.Rows, b.Cols
	p := &Packed32{x: b, wide: roundUp(n, stripB32)}
	if !hasKernels || n == 0 || k == 0 {
		return p
	}
	p.b = make([]float32, p.wide*k)
	for c := 0; c < n; c += stripB32 {
		g := rowsOf(b, nil).slice(nil, c, min(stripB32, n-c))
		for p0 := 0; p0 < k; p0 += depth {
			kc := min(depth, k-p0)
			pack32(p.b[p0*p.wide+c*kc:][:stripB32*kc], stripB32, false, g, 0, g.Rows, p0, kc)
		}
	}
	return p
}

// MulTo stores A B' in t, of A's rows, n columns, and a stride of at least n rounded up to a
// multiple of 16; its data must have room for a multiple of 6 rows. What stands between
// the columns n and n rounded up becomes zero; rows beyond those of A are arbitrary.
func (p *Packed32) MulTo(t, a blas32.General) {
	check32(a)
	n, k := p.x.Rows, p.x.Cols
	high := roundUp(a.Rows, stripA)
	if a.Cols != k || t.Rows != a.Rows || t.Cols != n || t.Stride < p.wide || len(t.Data) < high*t.Stride {
		panic(fmt.Sprintf("blas: %dx%d times %d packed rows of %d, into %dx%d of stride %d in %d numbers",
			a.Rows, a.Cols, n, k, t.Rows, t.Cols, t.Stride, len(t.Data)))
	}
	if a.Rows == 0 || n == 0 {
		return
	}
	if p.b == nil {
		for i := range a.Rows {
			clear(t.Data[i*t.Stride:][:p.wide])
		}
		if k > 0 {
			gonum.Implementation{}.Sgemm(transpose1(false), transpose1(true), a.Rows, n, k, 1,
				a.Data, a.Stride, p.x.Data, p.x.Stride, 0, t.Data, t.Stride)
		}
		return
	}
	s := tilePool.Get().(*tileScratch)
	for p0 := 0; p0 < k; p0 += depth {
		kc := min(depth, k-p0)
		s.b = grow32(s.b, high*kc)
		for r := 0; r < a.Rows; r += stripA {
			pack32(s.b[r*kc:(r+stripA)*kc], stripA, false, a, r, min(stripA, a.Rows-r), p0, kc)
		}
		for c := 0; c < n; c += stripB32 {
			kernel6x16(high/stripA, kc, &s.b[0], &p.b[p0*p.wide+c*kc], &t.Data[c], t.Stride, 1, p0 > 0)
		}
	}
	tilePool.Put(s)
}
