package blas

import (
	"sync"

	"gonum.org/v1/gonum/blas/blas32"
)

// Product of listed rows of two matrices by tiles that are handed over while they are
// in the second-level cache:
//
//	T = A_i B_j'   (|i| x |j|, in tiles of at most 96 x 256)
//
// A function of each element, such as a kernel of inner products, then costs no pass
// over memory besides its result, and T is never stored. The caller's function runs on
// the goroutines that multiply; one start and one wait a call instead of two a panel.
//
// Rows of A are packed once, 1536 at a time; a task packs 256 rows of B (gathered where
// they are a list) and multiplies. Elements equal those of Sgemm with beta 0 on the
// same processor, wherever they stand. Memory besides A packed, a worker:
// 1 kB k for B and 98 kB for the tile.
//
// Without AVX2 it is Sgemm by panels.
const (
	tileRows = 96
	tileCols = 256
)

// tileScratch is what one worker needs.
type tileScratch struct{ b, tile, rows []float32 }

var tilePool = sync.Pool{New: func() any { return new(tileScratch) }}

// SgemmTiles calls each for the tiles t of A_i B_j', A left and B right, once for every element, from
// several goroutines at a time: (row, col) is the place of t in the product. The tile
// may be overwritten and is no longer valid when each returns. Nil lists mean all rows.
func SgemmTiles(left, right blas32.General, i, j []int, each func(row, col int, t blas32.General)) {
	check32(left)
	check32(right)
	if left.Cols != right.Cols {
		panic("blas: SgemmTiles of rows of different length")
	}
	x, y := rowsOf(left, i), rowsOf(right, j)
	m, n, k := x.n, y.n, left.Cols
	if m == 0 || n == 0 {
		return
	}
	workers := pureGo.workers()
	if m*n*max(k, 16) < parallelWork { // 16: the caller's function costs something too
		workers = 1
	}
	if !hasKernels || k == 0 {
		tilesBySgemm(workers, x, y, each)
		return
	}
	buf := packPool32.Get().(*packs32)
	panels := (n + tileCols - 1) / tileCols
	for i0 := 0; i0 < m; i0 += maxM {
		mc := min(maxM, m-i0)
		blocks := (mc + tileRows - 1) / tileRows
		high := roundUp(mc, stripA)
		buf.a = grow32(buf.a, high*k)
		tasks(blocks, workers, func(t int) {
			s := tilePool.Get().(*tileScratch)
			for r := t * tileRows; r < min((t+1)*tileRows, mc); r += stripA {
				g := x.strip(s, i0+r, min(stripA, mc-r))
				for p0 := 0; p0 < k; p0 += depth {
					kc := min(depth, k-p0)
					pack32(buf.a[p0*high+r*kc:][:stripA*kc], stripA, N32(g), 0, g.Rows, p0)
				}
			}
			tilePool.Put(s)
		})
		// Few panels are multiplied in several groups of rows, to have work for all.
		groups := 1
		if workers > 1 && panels < 4*workers {
			groups = min(blocks, (4*workers+panels-1)/panels)
		}
		tasks(groups*panels, workers, func(t int) {
			from, to := t%groups*blocks/groups, (t%groups+1)*blocks/groups
			j0 := t / groups * tileCols
			w := min(tileCols, n-j0)
			s := tilePool.Get().(*tileScratch)
			wide := roundUp(w, stripB32)
			s.b = grow32(s.b, wide*k)
			for c := 0; c < w; c += stripB32 {
				g := y.strip(s, j0+c, min(stripB32, w-c))
				for p0 := 0; p0 < k; p0 += depth {
					kc := min(depth, k-p0)
					pack32(s.b[p0*wide+c*kc:][:stripB32*kc], stripB32, N32(g), 0, g.Rows, p0)
				}
			}
			s.tile = grow32(s.tile, tileRows*tileCols)
			for r0 := from * tileRows; r0 < min(to*tileRows, mc); r0 += tileRows {
				h := min(tileRows, mc-r0)
				for p0 := 0; p0 < k; p0 += depth {
					kc := min(depth, k-p0)
					pa, pb := buf.a[p0*high+r0*kc:], s.b[p0*wide:]
					multiplyStrips((h+stripA-1)/stripA, wide/stripB32, kc, pa, pb, s.tile, update(p0 > 0))
				}
				each(i0+r0, j0, blas32.General{Rows: h, Cols: w, Stride: tileCols, Data: s.tile[:(h-1)*tileCols+w]})
			}
			tilePool.Put(s)
		})
	}
	packPool32.Put(buf)
}

// multiplyStrips multiplies packed strips of 6 rows, kc columns each, by strips of 16 columns.
func multiplyStrips(strips, across, kc int, a, b, tile []float32, how update) {
	pairs := 0
	if hasWide {
		pairs = strips / 2
	}
	for c := 0; c < across; {
		width, from := 1, 0
		if pairs > 0 && c+1 < across {
			width, from = 2, 2*pairs
			kernel12x32(pairs, kc, &a[0], &b[c*stripB32*kc], &tile[c*stripB32], tileCols, 1, how)
		}
		for q := c; from < strips && q < c+width; q++ { // the strips that are left
			kernel6x16(strips-from, kc, &a[from*stripA*kc], &b[q*stripB32*kc], &tile[from*stripA*tileCols+q*stripB32], tileCols, 1, how)
		}
		c += width
	}
}

// tilesBySgemm does the same by panels of 512 x 512, each shared out by rows.
func tilesBySgemm(workers int, x, y listed, each func(row, col int, t blas32.General)) {
	const size = 512 // no result depends on it
	c := make([]float32, min(size, x.n)*min(size, y.n))
	var left, right []float32
	for i0 := 0; i0 < x.n; i0 += size {
		p := x.slice(&left, i0, min(size, x.n-i0))
		for j0 := 0; j0 < y.n; j0 += size {
			q := y.slice(&right, j0, min(size, y.n-j0))
			t := blas32.General{Rows: p.Rows, Cols: q.Rows, Stride: q.Rows, Data: c[:p.Rows*q.Rows]}
			Backend{}.Sgemm(1, N32(p), T32(q), 0, t)
			tasks((t.Rows+31)/32, workers, func(r int) {
				lo, hi := r*32, min(r*32+32, t.Rows)
				each(i0+lo, j0, blas32.General{Rows: hi - lo, Cols: t.Cols, Stride: t.Stride, Data: t.Data[lo*t.Stride : hi*t.Stride]})
			})
		}
	}
}

// listed is a choice of n rows of a matrix; a nil list is a run of rows.
type listed struct {
	x   blas32.General
	idx []int
	n   int
}

func rowsOf(x blas32.General, idx []int) listed {
	if idx == nil {
		return listed{x, nil, x.Rows}
	}
	run := true
	for a, i := range idx {
		if i < 0 || i >= x.Rows {
			panic("blas: SgemmTiles: a row that the matrix does not have")
		}
		run = run && i == idx[0]+a
	}
	if run && len(idx) > 0 {
		x.Data = x.Data[idx[0]*x.Stride:]
		x.Rows = len(idx)
		return listed{x, nil, len(idx)}
	}
	return listed{x, idx, len(idx)}
}

// slice returns rows [lo, lo+h), in work where they must be gathered.
func (l listed) slice(work *[]float32, lo, h int) blas32.General {
	x := l.x
	if l.idx == nil {
		return blas32.General{Rows: h, Cols: x.Cols, Stride: x.Stride, Data: x.Data[lo*x.Stride : (lo+h-1)*x.Stride+x.Cols]}
	}
	*work = grow32(*work, h*x.Cols)
	for r, i := range l.idx[lo : lo+h] {
		copy((*work)[r*x.Cols:(r+1)*x.Cols], x.Data[i*x.Stride:])
	}
	return blas32.General{Rows: h, Cols: x.Cols, Stride: x.Cols, Data: *work}
}

func (l listed) strip(s *tileScratch, lo, h int) blas32.General { return l.slice(&s.rows, lo, h) }
