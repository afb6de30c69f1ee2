package solve

// Problem   the path of lars.go over so many columns that a pass over all of them at
//           each knot is the cost (30 widths x 1000 centres of n = 1000 rows: 240 MB).
// Method    The path of a working set W is followed for a batch of knots; then c = H'r
//           of all columns at all these knots is one matrix product. On a segment each
//           c_j is linear, so a path whose knots satisfy |c_j| <= C for every j is the
//           path of all columns. At the first knot that some column violates the batch
//           is cut: the path goes back to the knot before, with the violators in W.
//           W = A and the columns that come next: half of it those of the greatest |c_j|,
//           as the sequential strong rule would have it, half those that reach the
//           bound first if all correlations go on as on the last segment. (The rule
//           alone takes thousands of Gaussians that stay just below the bound.)
// Cost      a batch of b knots: n m b multiplications as matrix products (some ten times
//           faster than b passes), b steps on |W| columns. Memory: what the columns
//           take (none if computed), n |W|, m b and a buffer of 1024 columns.
// Source    Tibshirani et al., J. R. Stat. Soc. B 74 (2012), section 4 (strong rules);
//           the check of whole batches is ours.

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/blas"
	"gonum.org/v1/gonum/mat"
)

// violates is the share of C by which a correlation may exceed C before the batch
// is cut: far above rounding, a tenth of what is promised.
const violates = 1e-9

// checkColumns are the columns of one product.
const checkColumns = 1024 // no result depends on it

// workingColumns is the least size of W beside A, if there are as many; it grows to
// three times A. A batch takes 64 of them at most.
const workingColumns = 1024 // no result depends on it

// lassoState is a knot to go back to.
type lassoState struct {
	act         []lassoUnit
	enter, left lassoUnit
	bound       float64
	l1, sse     float64
	end         LassoEnd
	node        int // knots recorded up to here
}

func (h *homotopy) save(s *lassoState, nodes int, end LassoEnd) {
	s.act = append(s.act[:0], h.act...)
	s.enter, s.left, s.bound, s.l1, s.sse, s.end, s.node = h.enter, h.left, h.bound, h.l1, h.sse, end, nodes
}

// restore goes back to s with the working set ids.
func (h *homotopy) restore(s *lassoState, ids []int32) {
	h.act = append(h.act[:0], s.act...)
	h.enter, h.left, h.bound, h.l1, h.sse = s.enter, s.left, s.bound, s.l1, s.sse
	h.load(ids)
	k := len(h.act)
	h.free, h.slot = h.free[:0], h.slot[:0]
	if h.rows == nil || h.rows.RawMatrix().Rows < k {
		h.rows = mat.NewDense(max(32, 2*k), h.n, nil)
	}
	for a, e := range h.act {
		h.readWorking(h.rows.RawRowView(a), int(e.work))
		h.slot = append(h.slot, int32(a))
	}
	for a := h.rows.RawMatrix().Rows - 1; a >= k; a-- {
		h.free = append(h.free, int32(a))
	}
	if !h.chol.factor(h.rows, k) {
		h.refactor()
	}
	h.alpha = sized(h.alpha, k)
	for a, e := range h.act {
		h.alpha[a] = e.alpha
	}
	h.settle()
}

// screening is what a path over many columns keeps beside the state.
type screening struct {
	h        *homotopy
	path     *LassoPath
	states   []lassoState // the last verified knot, and those of the batch
	must     []int32      // columns that the next W has to have
	all      []float64    // h_j'r at the last verified knot, of every column
	slope    []float64    // d h_j'r / dC on the segment before
	score    []float64
	res      *mat.Dense // residuals of a batch, one a row
	products *mat.Dense // m x batch
	buf      *mat.Dense
	w        []int32
	inside   []bool // of W
}

func newScreening(h *homotopy) *screening {
	b := h.o.Batch
	return &screening{
		h: h, path: &LassoPath{}, states: make([]lassoState, b+1),
		all: make([]float64, h.m), slope: make([]float64, h.m), score: make([]float64, h.m),
		res: mat.NewDense(b, h.n, nil), products: mat.NewDense(h.m, b, nil),
		buf: mat.NewDense(min(checkColumns, h.m), h.n, nil), inside: make([]bool, h.m),
	}
}

func (h *homotopy) screened(ctx context.Context) (*LassoPath, error) {
	s := newScreening(h)
	p := s.path
	copy(s.res.RawRowView(0), h.r)
	if err := s.multiply(ctx, 1); err != nil {
		return p, err
	}
	best, err := s.best()
	if err != nil {
		return nil, err
	}
	// start looks at W only; the best column alone gives what all would.
	h.load([]int32{int32(best)})
	if err := h.start(p); err != nil {
		return nil, err
	}
	h.save(&s.states[0], len(p.Nodes), p.End)
	for p.End == LassoUnfinished {
		s.choose(&s.states[0], s.must)
		h.restore(&s.states[0], s.w)
		done, err := s.batch(ctx)
		if err == nil {
			err = s.cut(ctx, done)
		}
		if err != nil {
			p.Nodes, p.Violation = p.Nodes[:s.states[0].node], max(p.Violation, h.violation)
			return p, err
		}
	}
	p.Drops, p.Aside, p.Violation = h.drops, h.aside, max(p.Violation, h.violation)
	return p, nil
}

// best is the column of the greatest |h_j'r| at the start.
func (s *screening) best() (int, error) {
	best := 0
	for j := range s.all {
		s.all[j] = s.products.At(j, 0)
		if s.all[j]-s.all[j] != 0 {
			return 0, fmt.Errorf("solve: column %d times the targets is %g; every entry must be finite", j, s.all[j])
		}
		if math.Abs(s.all[j]) > math.Abs(s.all[best]) {
			best = j
		}
	}
	return best, nil
}

// batch follows the path of W and returns the number of knots, whose residuals and states it keeps.
func (s *screening) batch(ctx context.Context) (int, error) {
	h, p := s.h, s.path
	done := 0
	for done < h.o.Batch && p.Steps < h.o.MaxSteps {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		end := h.advance()
		if h.stalled == 0 {
			p.Steps++
		} else if end == LassoUnfinished && h.stuck() {
			end = LassoSaturated
		}
		if h.moved {
			p.Nodes = append(p.Nodes, h.node())
			if end == LassoUnfinished && h.o.Stop != nil && h.o.Stop(h.l1, h.sse, 2*h.bound) {
				end = LassoStopped
			}
			copy(s.res.RawRowView(done), h.r)
			done++
		}
		h.save(&s.states[done], len(p.Nodes), end)
		if end != LassoUnfinished {
			break
		}
	}
	return done, nil
}

// cut verifies the knots of a batch for all columns and goes back to the last that holds.
func (s *screening) cut(ctx context.Context, done int) error {
	h, p, states := s.h, s.path, s.states
	good := 0
	if done > 0 {
		if err := s.multiply(ctx, done); err != nil {
			return err
		}
		var worst float64
		var bad []int32
		if good, bad, worst = s.verify(states[1 : done+1]); good > 0 {
			s.must = s.must[:0] // kept while nothing is gained, so that no two take turns
		}
		s.must = append(s.must, bad...)
		p.Violation = max(p.Violation, worst)
	}
	p.Nodes = p.Nodes[:states[good].node]
	if good > 0 {
		s.follow(states[:good+1])
		states[0], states[good] = states[good], states[0]
	}
	if good == done {
		p.End = states[0].end
		if p.End == LassoUnfinished && p.Steps >= h.o.MaxSteps {
			p.End = LassoSteps
		}
	}
	return nil
}

// multiply computes h_j'r for all columns and the first b residuals.
func (s *screening) multiply(ctx context.Context, b int) error {
	h := s.h
	res := s.res.Slice(0, b, 0, h.n).(*mat.Dense)
	for lo := 0; lo < h.m; lo += checkColumns {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+checkColumns, h.m)
		block := h.x.Block(lo, hi, s.buf)
		blas.Gemm(1, blas.N(block), blas.T(res), 0, s.products.Slice(lo, hi, 0, b).(*mat.Dense))
	}
	return nil
}

// verify finds how many knots of the batch hold for all columns, the columns outside
// W that violate the others, and the greatest violation among the former.
func (s *screening) verify(states []lassoState) (good int, outside []int32, worst float64) {
	good = len(states)
	for j := range s.h.m {
		row := s.products.RawRowView(j)
		if s.inside[j] {
			continue
		}
		bad := false
		for q := range states {
			if over := math.Abs(row[q])/states[q].bound - 1; over > violates {
				bad = true
				good = min(good, q)
			}
		}
		if bad {
			outside = append(outside, int32(j))
		}
	}
	for j := range s.h.m {
		row := s.products.RawRowView(j)
		for q := range good {
			if states[q].bound < judged*s.h.bound0 {
				continue // rounding is more than the bound
			}
			worst = max(worst, math.Abs(row[q])/states[q].bound-1)
		}
	}
	return good, outside, worst
}

// follow takes the last of the verified knots (the first state is the one before the
// batch) as the present one.
func (s *screening) follow(states []lassoState) {
	good := len(states) - 1
	fall := states[good-1].bound - states[good].bound
	for j := range s.all {
		now, before := s.products.At(j, good-1), s.all[j]
		if good > 1 {
			before = s.products.At(j, good-2)
		}
		s.all[j] = now
		if s.slope[j] = 0; fall > 0 {
			s.slope[j] = (before - now) / fall
		}
	}
}

// choose makes W for a batch from state at.
func (s *screening) choose(at *lassoState, must []int32) {
	clear(s.inside)
	for _, e := range at.act {
		s.inside[e.id] = true
	}
	for _, j := range must {
		s.inside[j] = true
	}
	for _, e := range [2]lassoUnit{at.enter, at.left} {
		if e.id >= 0 {
			s.inside[e.id] = true
		}
	}
	room := max(workingColumns, 3*len(at.act)) / 2
	for j, c := range s.all {
		s.score[j] = math.Abs(c)
	}
	s.admit(room)
	// The bound at which column j arrives: s(c_j - t v_j) = C - t for t.
	for j, c := range s.all {
		arrive := math.Inf(-1)
		for _, sign := range [2]float64{1, -1} {
			if den := 1 - sign*s.slope[j]; den > 1e-3 {
				arrive = max(arrive, at.bound-max(at.bound-sign*c, 0)/den)
			}
		}
		s.score[j] = arrive
	}
	s.admit(room)
	s.w = s.w[:0]
	for j, in := range s.inside {
		if in {
			s.w = append(s.w, int32(j))
		}
	}
}

// admit puts the room columns outside W of the greatest score, ties included, into W.
func (s *screening) admit(room int) {
	var outside []float64
	for j, v := range s.score {
		if !s.inside[j] {
			outside = append(outside, v)
		}
	}
	least := math.Inf(-1)
	if len(outside) > room {
		slices.Sort(outside)
		least = outside[len(outside)-room]
	}
	for j, v := range s.score {
		s.inside[j] = s.inside[j] || v >= least && !math.IsInf(v, -1)
	}
}
