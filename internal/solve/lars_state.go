package solve

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/internal/vec"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// tileWidth is the number of columns a tile holds side by side, n x 32: what
// vec.GatherRows sums in registers in one pass.
const tileWidth = 32

// What a column of the working set is.
const (
	colFree     = iota
	colActive   // in A
	colAside    // zero, or nearly dependent on A: free again when A shrinks
	colLeftUp   // left A at this knot with sign +1
	colLeftDown // with sign -1
)

// lassoUnit is a column of the active set.
type lassoUnit struct {
	id    int32 // number of the column
	work  int32 // its place in the working set
	sign  float64
	alpha float64
}

// homotopy is the state of a path between two knots.
type homotopy struct {
	x    Columns
	y    []float64
	o    LassoOptions
	n, m int

	ids   []int32     // working columns
	tiles [][]float64 // their values, tileWidth columns a tile
	gram  *lassoGram  // instead of tiles, if not nil
	state []int8      // of each working column
	c, v  []float64   // h_j'r and h_j'u of each
	iota  []int32     // 0..n-1

	act  []lassoUnit
	slot []int32    // row of rows that holds each active column
	rows *mat.Dense // active columns, one a row
	free []int32    // rows not in use
	chol lassoCholesky

	bound, bound0 float64 // C and C at alpha = 0
	r, u          []float64
	d, w          []float64 // one an active column
	alpha, old    []float64
	l1, sse       float64
	enter         lassoUnit // to join A at the next step; id -1 = none
	left          lassoUnit // left A at the last step; id -1 = none

	stalled      int     // steps of zero in a row
	skew, off    float64 // errors of v_A, and of c_A relative to C, at the last step
	moved        bool    // the last step was positive: there is a new knot
	violation    float64 // greatest of the KKT conditions so far, relative to C
	drops, aside int
}

func newHomotopy(x Columns, y []float64, o LassoOptions) *homotopy {
	n, m := x.Dims()
	h := &homotopy{x: x, y: y, o: o, n: n, m: m, r: make([]float64, n), u: make([]float64, n), iota: make([]int32, n)}
	for i := range h.iota {
		h.iota[i] = int32(i)
	}
	h.enter.id, h.left.id = -1, -1
	copy(h.r, y)
	h.sse = blas64.Dot(vector(y), vector(y))
	return h
}

// load makes ids the working set, which must contain the active columns.
func (h *homotopy) load(ids []int32) {
	w := (len(ids) + tileWidth - 1) / tileWidth
	h.ids = ids
	h.state = make([]int8, len(ids))
	h.c, h.v = make([]float64, w*tileWidth), make([]float64, w*tileWidth)
	if h.gram == nil {
		h.fill(w)
	}
	h.place()
}

// fill copies the working columns into w tiles.
func (h *homotopy) fill(w int) {
	ids := h.ids
	for len(h.tiles) < w {
		h.tiles = append(h.tiles, make([]float64, h.n*tileWidth))
	}
	h.tiles = h.tiles[:w]
	shares(w, h.o.Workers, h.n*tileWidth, func(lo, hi int) {
		buf := mat.NewDense(tileWidth, h.n, nil)
		for t := lo; t < hi; t++ {
			tile, cols := h.tiles[t], ids[t*tileWidth:min((t+1)*tileWidth, len(ids))]
			if len(cols) < tileWidth {
				clear(tile)
			}
			for q, j := range cols {
				for i, e := range h.column(int(j), buf) {
					tile[i*tileWidth+q] = e
				}
			}
		}
	})
}

// place finds the active, entering and left columns in the working set.
func (h *homotopy) place() {
	place := make(map[int32]int32, len(h.act)+1)
	for a := range h.act {
		place[h.act[a].id] = -1
	}
	place[h.enter.id], place[h.left.id] = -1, -1
	for p, j := range h.ids {
		if _, ok := place[j]; ok {
			place[j] = int32(p)
		}
	}
	for a := range h.act {
		h.act[a].work = place[h.act[a].id]
		h.state[h.act[a].work] = colActive
	}
	h.enter.work, h.left.work = place[h.enter.id], place[h.left.id]
	h.markLeft()
}

// column returns column j, in buf unless it is stored.
func (h *homotopy) column(j int, buf *mat.Dense) []float64 {
	return h.x.Block(j, j+1, buf).RawRowView(0)
}

// start finds the greatest |h_j'y| and appends the first knot, alpha = 0.
func (h *homotopy) start(p *LassoPath) error {
	h.products(false)
	best := 0
	for j, c := range h.c[:len(h.ids)] {
		if c-c != 0 {
			return fmt.Errorf("solve: column %d times the targets is %g; every entry must be finite", h.ids[j], c)
		}
		if math.Abs(c) > math.Abs(h.c[best]) {
			best = j
		}
	}
	h.bound = math.Abs(h.c[best])
	h.bound0 = h.bound
	h.enter = lassoUnit{id: h.ids[best], work: int32(best), sign: math.Copysign(1, h.c[best])}
	p.Nodes = append(p.Nodes, h.node())
	switch {
	case h.bound == 0:
		p.End = LassoComplete
	case h.sse <= h.o.MinSSE:
		p.End = LassoSSE
	}
	return nil
}

// products computes c = H'r and, with both, v = H'u of the working columns, tile by tile,
// so that the second comes out of the cache. Each element is summed in the order of
// the rows, whatever the number of workers.
func (h *homotopy) products(both bool) {
	if h.gram != nil {
		h.gram.products(h, both)
		return
	}
	shares(len(h.tiles), h.o.Workers, 2*h.n*tileWidth, func(lo, hi int) {
		for t := lo; t < hi; t++ {
			at := t * tileWidth
			vec.GatherRows(h.c[at:at+tileWidth], h.iota, h.r, h.tiles[t], tileWidth)
			if both {
				vec.GatherRows(h.v[at:at+tileWidth], h.iota, h.u, h.tiles[t], tileWidth)
			}
		}
	})
}

// activeProducts stores h_a'x of the active columns in dst.
func (h *homotopy) activeProducts(dst, x []float64) {
	shares(len(h.act), h.o.Workers, h.n, func(lo, hi int) {
		for a := lo; a < hi; a++ {
			dst[a] = blas64.Dot(vector(h.rows.RawRowView(int(h.slot[a]))), vector(x))
		}
	})
}

// combine stores sum_a x_a h_a over the active columns in dst.
func (h *homotopy) combine(dst, x []float64) {
	const piece = 256 // no result depends on it
	shares((h.n+piece-1)/piece, h.o.Workers, len(x)*piece, func(lo, hi int) {
		from, to := lo*piece, min(hi*piece, h.n)
		raw := h.rows.RawMatrix()
		vec.GatherRows(dst[from:to], h.slot, x, raw.Data[from:], raw.Stride)
	})
}

// admit joins the entering column to A, or sets it aside.
func (h *homotopy) admit() {
	e := h.enter
	h.enter.id = -1
	if e.id < 0 {
		return
	}
	if h.gram != nil {
		h.gram.need(h, e.id)
	}
	s := h.take()
	row := h.rows.RawRowView(int(s))
	h.readWorking(row, int(e.work))
	if !h.chol.join(h.rows, h.slot, row, false) {
		h.free = append(h.free, s)
		h.state[e.work] = colAside
		h.aside++
		return
	}
	h.state[e.work] = colActive
	h.act, h.slot = append(h.act, e), append(h.slot, s)
}

// setAside takes back the last column that joined.
func (h *homotopy) setAside(a int) {
	e := h.act[a]
	h.chol.Truncate(h.chol.Len() - 1)
	h.free = append(h.free, h.slot[a])
	h.act, h.slot = h.act[:a], h.slot[:a]
	h.state[e.work] = colAside
	h.aside++
}

// refactor computes the factor anew, column by column: products of all would lose the
// smallest pivots. A column that fails keeps the least pivot allowed.
func (h *homotopy) refactor() {
	h.chol.Truncate(0)
	for a := range h.act {
		h.chol.join(h.rows, h.slot[:a], h.rows.RawRowView(int(h.slot[a])), true)
	}
}

// readWorking copies a working column.
func (h *homotopy) readWorking(dst []float64, p int) {
	if h.gram != nil {
		copy(dst, h.column(int(h.ids[p]), h.gram.buf))
		return
	}
	tile, q := h.tiles[p/tileWidth], p%tileWidth
	for i := range dst {
		dst[i] = tile[i*tileWidth+q]
	}
}

// take returns a row of rows that is not in use.
func (h *homotopy) take() int32 {
	if len(h.free) == 0 {
		have := 0
		if h.rows != nil {
			have, _ = h.rows.Dims()
		}
		rows := mat.NewDense(max(32, 2*have), h.n, nil)
		if have > 0 {
			rows.Slice(0, have, 0, h.n).(*mat.Dense).Copy(h.rows)
		}
		h.rows = rows
		for s := max(32, 2*have) - 1; s >= have; s-- {
			h.free = append(h.free, int32(s))
		}
	}
	s := h.free[len(h.free)-1]
	h.free = h.free[:len(h.free)-1]
	return s
}

// node is the present knot.
func (h *homotopy) node() LassoNode {
	p := LassoNode{Lambda: 2 * h.bound, L1: h.l1, SSE: h.sse}
	for _, e := range h.act {
		if e.alpha != 0 {
			p.Index, p.Coef = append(p.Index, e.id), append(p.Coef, e.alpha)
		}
	}
	sortPairs(p.Index, p.Coef)
	return p
}

// shares calls f on [0, n) cut into as many runs as there are workers, if an item's
// work (multiplications) is worth the goroutines. Items must not depend on runs.
func shares(n, workers, work int, f func(lo, hi int)) {
	workers = min(workers, n, max(1, n*work>>16))
	if workers <= 1 {
		f(0, n)
		return
	}
	parallel.Workers(workers, n, (n+workers-1)/workers, func(_, lo, hi int) { f(lo, hi) })
}

func sized(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n, 2*n)
	}
	return x[:n]
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Data: x, Inc: 1} }
