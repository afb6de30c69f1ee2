package kernel

import (
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/parallel"
	"gonum.org/v1/gonum/mat"
)

// Values of kernels of few columns, tile by tile: a processor makes the inner products of a tile, the s and phi of them and,
// of a symmetric table, the copy above the diagonal, while the tile is in its cache. A table of thousands of rows
// goes through memory once and not four times, and processors wait for each other once.

const (
	// tileRows x tileColumns values are 1 MB.
	tileRows, tileColumns = 256, 512
	// lowTile is the number of rows of a tile where a table is small, so that all processors have some.
	lowTile, smallTable = 64, 1 << 22
	// tileDepth is the number of columns of the rows from which products take most of the time. They are faster as one.
	tileDepth = 256
)

// tiles stores phi of all rows of x with those of z and returns true, or returns false where values do not come by tiles. If x and z are
// the same the table is symmetric.
func (g *shapeGram) tiles(dst *mat.Dense, x, z pairing) bool {
	e, ok := x.(euclidean)
	if !ok || e.dense == nil || e.dim() > tileDepth {
		return false
	}
	p, q := e.points, z.(euclidean).points
	n, m := p.len(), q.len()
	height := tileRows
	if n*m < smallTable {
		height = lowTile
	}
	// The last tiles have what is left over, too: none is thin.
	down, across := max(1, n/height), max(1, m/tileColumns)
	one := blas.Alone()
	parallel.Pieces(down*across, 1, func(t, _ int) {
		i, j := down-1-t/across, t%across // of a triangle the longest rows come first
		lo, from := i*height, j*tileColumns
		hi, to := lo+height, from+tileColumns
		if i == down-1 {
			hi = n
		}
		if last := max(1, hi/tileColumns) - 1; p == q {
			if j > last {
				return
			}
			if j == last {
				to = hi // a square on the diagonal is all in one tile
			}
		} else if j == across-1 {
			to = m
		}
		tile, x, z := dst.Slice(lo, hi, from, to).(*mat.Dense), p.run(lo, hi), q.run(from, to)
		one.Gemm(1, blas.N(x.dense), blas.T(z.dense), 0, tile)
		for a := range hi - lo {
			s := row(tile, a)
			if p == q {
				s = s[:min(len(s), lo+a+1-from)]
			}
			if g.k.compares() == distance {
				x.distances(s, a, z)
			}
			g.k.value(s)
		}
		if p == q {
			mirrorTile(dst, lo, hi, from, to)
		}
	})
	return true
}

// run is a view of rows lo to hi-1.
func (p *points) run(lo, hi int) *points {
	return &points{dense: p.dense.Slice(lo, hi, 0, p.dim()).(*mat.Dense), norm: p.norm[lo:hi]}
}
