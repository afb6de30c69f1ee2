package solve

// Problem   the products c = H'r and v = H'u of a step of lars.go where a pass over H
//           is the cost and few columns are ever active.
// Method    Inner products of all columns with those that have been active, G_a = H'h_a, are
//           kept. With c known exactly at an anchor, where alpha was b,
//             c = H'r_anchor - sum_a (alpha_a - b_a) G_a,   v = sum_a d_a G_a,
//           over active columns only. A column that joins without a G_a brings those
//           that arrive next with it, if all correlations go on as on this segment:
//           one matrix product for gramBatch of them and the residual, whose H'r is the
//           next anchor. It shows the error of c since the last one: the certificate takes
//           it in, and anchors come twice as often each time it is above gramDrift.
//           Above gramUseless, or once a quarter of the columns that a path can have has been
//           active, products are passes again.
// Cost      a step: 2 m|A|; a pass of n m (gramBatch + 1) for gramBatch columns. Memory: m
//           for each column that was active, or looked as if; H is not copied.
// Source    Efron et al., Annals of Statistics 32 (2004), section 7 (inner products
//           instead of residuals); anchors and batches are ours.

import (
	"math"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/vec"
	"gonum.org/v1/gonum/mat"
)

const (
	gramSize  = 1 << 20 // entries of H, 8 MB, below which it stays in the cache and passes are cheap
	gramBatch = 15      // with the residual a product of 16 rows
	gramKnots = 64      // at most from anchor to anchor

	gramDrift, gramUseless = 1e-9, 1e-7 // errors of c, relative to C
)

// lassoGram is kept for the columns of a path in the place of tiles.
type lassoGram struct {
	slot   []int32   // of each column in rows; -1 without
	ids    []int32   // column of each slot
	rows   []float64 // G_a, stride m
	anchor []float64 // H'r there
	then   []float64 // alpha there, of each slot
	steps  int       // since then
	most   int       // of them
	before float64   // C at the last products
	x      *mat.Dense
	out    *mat.Dense
	buf    *mat.Dense
	use    []int32 // slots and weights of a product
	weight []float64
	order  []arrival
}

type arrival struct {
	id int32
	t  float64
}

func newLassoGram(h *homotopy) *lassoGram {
	g := &lassoGram{slot: make([]int32, h.m), anchor: make([]float64, h.m), x: mat.NewDense(gramBatch+1, h.n, nil),
		out: mat.NewDense(gramBatch+1, h.m, nil), buf: mat.NewDense(min(checkColumns, h.m), h.n, nil), most: gramKnots}
	for j := range g.slot {
		g.slot[j] = -1
	}
	return g
}

// products is homotopy.products.
func (g *lassoGram) products(h *homotopy, both bool) {
	if g.steps++; g.steps > g.most || len(h.act) == 0 || !both {
		g.look(h, nil)
	}
	if h.gram == nil {
		h.products(both)
		return
	}
	g.correlations(h, h.c)
	if both {
		g.use, g.weight = g.use[:0], g.weight[:0]
		for a, e := range h.act {
			g.use, g.weight = append(g.use, g.slot[e.id]), append(g.weight, h.d[a])
		}
		g.combine(h, h.v)
	}
	g.before = h.bound
}

// correlations stores H'r at the present alpha.
func (g *lassoGram) correlations(h *homotopy, dst []float64) {
	g.use, g.weight = g.use[:0], g.weight[:0]
	for s, b := range g.then {
		if b != 0 {
			g.use, g.weight = append(g.use, int32(s)), append(g.weight, b)
		}
	}
	for _, e := range h.act {
		if e.alpha != 0 {
			g.use, g.weight = append(g.use, g.slot[e.id]), append(g.weight, -e.alpha)
		}
	}
	g.combine(h, dst)
	for j, a := range g.anchor {
		dst[j] += a
	}
}

// combine stores the sum of the rows in use, weighted.
func (g *lassoGram) combine(h *homotopy, dst []float64) {
	const piece = 512 // no result depends on it
	shares((h.m+piece-1)/piece, h.o.Workers, len(g.use)*piece, func(lo, hi int) {
		from, to := lo*piece, min(hi*piece, h.m)
		vec.GatherRows(dst[from:to], g.use, g.weight, g.rows[from:], h.m)
	})
}

// need makes sure of the G of a column that joins.
func (g *lassoGram) need(h *homotopy, id int32) {
	if g.slot[id] < 0 {
		g.look(h, g.next(h, id))
	}
}

// next lists id and the columns without G that arrive at the bound first.
func (g *lassoGram) next(h *homotopy, id int32) []int32 {
	g.order = g.order[:0]
	for j, state := range h.state {
		if g.slot[j] >= 0 || state != colFree || int32(j) == id {
			continue
		}
		first := math.Inf(1)
		for _, s := range [2]float64{1, -1} {
			if den := 1 - s*h.v[j]; den > 1e-3 {
				first = min(first, max(g.before-s*h.c[j], 0)/den)
			}
		}
		g.order = append(g.order, arrival{int32(j), first})
	}
	ids := []int32{id}
	for len(ids) < gramBatch && len(g.order) > 0 {
		at := 0
		for q, a := range g.order {
			if a.t < g.order[at].t {
				at = q
			}
		}
		ids = append(ids, g.order[at].id)
		g.order[at] = g.order[len(g.order)-1]
		g.order = g.order[:len(g.order)-1]
	}
	return ids
}

// look makes the present knot the anchor and adds the G of columns ids. It ends the use
// of inner products where they were not accurate, or are too many.
func (g *lassoGram) look(h *homotopy, ids []int32) {
	copy(g.x.RawRowView(0), h.r)
	for q, j := range ids {
		copy(g.x.RawRowView(q+1), h.column(int(j), g.buf))
	}
	k := len(ids) + 1
	x := g.x.Slice(0, k, 0, h.n).(*mat.Dense)
	for lo := 0; lo < h.m; lo += checkColumns {
		hi := min(lo+checkColumns, h.m)
		blas.Gemm(1, blas.N(x), blas.T(h.x.Block(lo, hi, g.buf)), 0, g.out.Slice(0, k, lo, hi).(*mat.Dense))
	}
	now := g.out.RawRowView(0)
	var drift float64
	if g.steps > 0 && len(g.ids) > 0 {
		g.correlations(h, h.v) // which the next products fill anew
		for j, c := range now {
			drift = max(drift, math.Abs(c-h.v[j]))
		}
		drift /= h.bound
		if h.bound >= judged*h.bound0 {
			h.violation = max(h.violation, drift)
		}
	}
	if drift > gramDrift {
		g.most = max(g.most/2, 1)
	}
	if !(drift <= gramUseless) || 4*(len(g.ids)+len(ids)) > min(h.n, h.m) {
		h.gram = nil
		h.load(h.ids)
		return
	}
	copy(g.anchor, now)
	for q, j := range ids {
		g.slot[j] = int32(len(g.ids))
		g.ids = append(g.ids, j)
		g.rows = append(g.rows, g.out.RawRowView(q+1)...)
	}
	g.then = sized(g.then, len(g.ids))
	clear(g.then)
	for _, e := range h.act {
		g.then[g.slot[e.id]] = e.alpha
	}
	g.steps = 0
}
