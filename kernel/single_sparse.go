package kernel

import (
	"sync"

	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/internal/vec"
	"gonum.org/v1/gonum/blas/blas32"
)

// inner products of listed sparse rows by tiles, in single precision: X_i Y_j'.
//
// Some rows of Y are scattered into narrow dense panels, d x width, that stay in the
// second-level cache (in the first for d up to 120); every row of X_i is then a
// combination of rows of the panel, 64 or 32 inner products at a time. Per pair of rows
// that is one multiply-add an entry of X, at half the speed of dense rows (see
// vec.Entries32.MulPanel), whatever the entries of Y; scattering and clearing them again
// is shared by all rows of X. A pair is summed in the order of the columns whichever of
// the two is X, so that a symmetric block is symmetric.
//
// Scattering an entry and clearing it takes 4.4 ns, 8 rows' inner products with it 0.6 ns
// (a9a on an AMD Milan): for a few rows the roles change, see fewSparse.
const (
	panelFloats = 1 << 16 // of all panels of a tile, 256 kB, where width allows
	tileFloats  = 96 * 256
	wideColumns = 1000 // panels of up to so many rows have width 64; no result depends on it
	fewRows     = 16   // no result depends on it
)

// sparsePays says whether n rows of d columns with so many entries are multiplied faster
// as sparse ones: these make a half to a third of the multiply-adds of dense rows a
// second; in between dense ones are taken. The panels of wider rows would take 32 MB a
// core and more.
func sparsePays(n, d, entries int) bool { return 3*entries < n*d && d <= 1<<18 }

// sparseScratch is what one worker needs. The panels are zero between uses.
type sparseScratch struct{ panels, tile []float32 }

// sparsePools keep scratch for one number of columns.
type sparsePools struct{ many, few sync.Pool }

// sparseTiles is blas.SgemmTiles for sparse rows.
func sparseTiles(pools *sparsePools, x, y *vec.Entries32, i, j []int, each func(row, col int, t blas32.General)) {
	d := y.Columns()
	width := 64
	if d > wideColumns {
		width = 32
	}
	across := max(1, min(256/width, panelFloats/(d*width)))
	columns := across * width
	high := tileFloats / columns

	if count(len(x.Start)-1, i) <= fewRows {
		fewSparse(&pools.few, x, y, i, j, each)
		return
	}
	x, first := selectEntries(x, i)
	m, n := count(len(x.Start)-1, i), count(len(y.Start)-1, j)
	panels, blocks := (n+columns-1)/columns, (m+high-1)/high
	// Few panels are multiplied in several groups of rows, to have work for all.
	groups := 1
	if panels < 16 {
		groups = min(blocks, 16/panels)
	}
	parallel.Pieces(groups*panels, 1, func(t, _ int) {
		from, to := t%groups*blocks/groups, (t%groups+1)*blocks/groups
		j0 := t / groups * columns
		w := min(columns, n-j0)
		s, _ := pools.many.Get().(*sparseScratch)
		if s == nil {
			s = &sparseScratch{make([]float32, columns*d), make([]float32, tileFloats)}
		}
		for c := range w {
			panel := s.panels[c/width*width*d+c%width:]
			q := at(j, j0+c)
			for p := y.Start[q]; p < y.Start[q+1]; p++ {
				panel[int(y.Index[p])*width] = y.Value[p]
			}
		}
		for r := from * high; r < min(to*high, m); r += high {
			h := min(high, m-r)
			for c := 0; c < w; c += width {
				x.MulPanel(s.tile[c:], columns, width, first+r, first+r+h, s.panels[c*d:(c+width)*d])
			}
			each(r, j0, blas32.General{Rows: h, Cols: w, Stride: columns, Data: s.tile})
		}
		for c := range w {
			panel := s.panels[c/width*width*d+c%width:]
			q := at(j, j0+c)
			for _, k := range y.Index[y.Start[q]:y.Start[q+1]] {
				panel[int(k)*width] = 0
			}
		}
		pools.many.Put(s)
	})
}

// fewSparse scatters the rows of X instead, into one panel that all workers read; each
// row of Y gives a column of the block. For 8 rows that takes half the time, for 32 it
// would take as long, as the columns must be turned to rows.
func fewSparse(pool *sync.Pool, x, y *vec.Entries32, i, j []int, each func(row, col int, t blas32.General)) {
	const width, columns = 32, 128 // no result depends on it
	m, n := count(len(x.Start)-1, i), count(len(y.Start)-1, j)
	panel := make([]float32, x.Columns()*width)
	for a := range m {
		q := at(i, a)
		for p := x.Start[q]; p < x.Start[q+1]; p++ {
			panel[int(x.Index[p])*width+a] = x.Value[p]
		}
	}
	run := j == nil || consecutive(j)
	parallel.Pieces(n, columns, func(lo, hi int) {
		s, _ := pool.Get().(*sparseScratch)
		if s == nil {
			s = &sparseScratch{make([]float32, columns*width), make([]float32, fewRows*columns)}
		}
		t := s.panels
		if run {
			y.MulPanel(t, width, width, at(j, lo), at(j, lo)+hi-lo, panel)
		} else {
			for b, q := range j[lo:hi] {
				y.MulPanel(t[b*width:], width, width, q, q+1, panel)
			}
		}
		for a := range m {
			to := s.tile[a*columns:][:hi-lo]
			for b := range to {
				to[b] = t[b*width+a]
			}
		}
		each(0, lo, blas32.General{Rows: m, Cols: hi - lo, Stride: columns, Data: s.tile})
		pool.Put(s)
	})
}

// selectEntries returns sparse rows of which the listed ones follow each other from first
// on.
func selectEntries(x *vec.Entries32, i []int) (rows *vec.Entries32, first int) {
	if i == nil {
		return x, 0
	}
	if consecutive(i) {
		return x, i[0]
	}
	start := make([]int, len(i)+1)
	for a, q := range i {
		start[a+1] = start[a] + x.Start[q+1] - x.Start[q]
	}
	index, value := make([]int32, start[len(i)]), make([]float32, start[len(i)])
	for a, q := range i {
		copy(index[start[a]:], x.Index[x.Start[q]:x.Start[q+1]])
		copy(value[start[a]:], x.Value[x.Start[q]:x.Start[q+1]])
	}
	return vec.NewEntries32(start, index, value, x.Columns()), 0
}
