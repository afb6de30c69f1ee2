package dual

import (
	"slices"

	"github.com/mercer-ml/mercer/internal/parallel"
)

// store holds kernel rows, over the active columns only, up to a limit of bytes;
// the rows used longest ago go first. Rows are computed all missing ones at once,
// straight into the store where their places are neighbours.
type store struct {
	k        Matrix
	rows     []int // kernel row of each row
	cols     []int // kernel rows of the active columns; nil: all n in their order
	width    int   // how many
	limit    int64 // bytes
	spare    *spare
	buf, tmp []float32
	slots    int
	slotOf   []int32 // of a row, -1 none
	rowOf    []int32 // of a slot, -1 none
	// Slots in the order of their last use, doubly linked through a head at slots.
	next, prev []int32

	missing, free []int
	list          []int
	computed      int   // rows
	found         int   // rows
	entries       int64 // kernel values
}

// shortRun is the number of neighbouring places from which computing straight into
// them is worth a call of its own.
const shortRun = 16 // no result depends on it

// leastStep is the least number of rows that are computed for other places at a time:
// a tile's of a matrix product.
const leastStep = 96 // no result depends on it

func newStore(k Matrix, rows, cols []int, width int, limit int64, spare *spare) *store {
	s := &store{k: k, rows: rows, slotOf: make([]int32, len(rows)), limit: limit, spare: spare}
	s.reset(cols, width)
	return s
}

// reset empties the store for a new set of active columns.
func (s *store) reset(cols []int, width int) {
	s.cols, s.width = cols, width
	for i := range s.slotOf {
		s.slotOf[i] = -1
	}
	s.slots = 0
	s.rowOf = s.rowOf[:0]
}

// capacity is the number of rows that the limit allows.
func (s *store) capacity() int {
	return int(min(int64(len(s.rows)), s.limit/(4*int64(max(s.width, 1)))))
}

// shape gives the store room for at least least rows.
func (s *store) shape(least int) {
	if s.slots >= least && s.slots > 0 {
		return
	}
	s.slots = max(s.capacity(), least)
	if need := s.slots * s.width; cap(s.buf) < need {
		// Room for every later width, which is never more than the first one.
		whole := min(s.limit/4, int64(len(s.rows))*int64(s.width))
		wider := s.spare.take(max(need, int(whole)))
		copy(wider, s.buf[:cap(s.buf)])
		s.spare.give(s.buf)
		s.buf = wider
	}
	s.buf = s.buf[:s.slots*s.width]
	for i := range s.slotOf {
		s.slotOf[i] = -1
	}
	s.rowOf = slices.Grow(s.rowOf[:0], s.slots)[:s.slots]
	s.next = slices.Grow(s.next[:0], s.slots+1)[:s.slots+1]
	s.prev = slices.Grow(s.prev[:0], s.slots+1)[:s.slots+1]
	for i := range s.slots + 1 {
		s.next[i], s.prev[i] = int32(i+1), int32(i-1)
	}
	s.next[s.slots], s.prev[0] = 0, int32(s.slots)
	for i := range s.rowOf {
		s.rowOf[i] = -1
	}
}

// touch makes slot the one used last.
func (s *store) touch(slot int32) {
	head := int32(s.slots)
	s.next[s.prev[slot]], s.prev[s.next[slot]] = s.next[slot], s.prev[slot]
	last := s.prev[head]
	s.next[last], s.prev[slot] = slot, last
	s.next[slot], s.prev[head] = head, slot
}

func (s *store) at(slot int) []float32 { return s.buf[slot*s.width : (slot+1)*s.width] }

// row returns a row that the last fetch brought.
func (s *store) row(r int32) []float32 { return s.at(int(s.slotOf[r])) }

// fetch makes all rows of want present at once; want has no repeats.
func (s *store) fetch(want []int32) {
	s.shape(len(want))
	s.missing = s.missing[:0]
	for _, r := range want {
		if slot := s.slotOf[r]; slot >= 0 {
			s.touch(slot)
			s.found++
			continue
		}
		s.missing = append(s.missing, int(r))
	}
	if len(s.missing) == 0 {
		return
	}
	s.seat()
	s.computed += len(s.missing)
	s.entries += int64(len(s.missing)) * int64(s.width)
	s.scatter(s.runs())
}

// seat gives each missing row the place of one used longest ago, neighbours in order.
func (s *store) seat() {
	s.free = s.free[:0]
	head := int32(s.slots)
	for slot := s.next[head]; len(s.free) < len(s.missing); slot = s.next[slot] {
		s.free = append(s.free, int(slot))
	}
	slices.Sort(s.free)
	for i, slot := range s.free {
		if old := s.rowOf[slot]; old >= 0 {
			s.slotOf[old] = -1
		}
		s.rowOf[slot], s.slotOf[s.missing[i]] = int32(s.missing[i]), int32(slot)
		s.touch(int32(slot))
	}
}

// runs computes the missing rows whose places are neighbours, and returns how many of the
// others there are now at the front of missing and free.
func (s *store) runs() (scattered int) {
	for lo := 0; lo < len(s.free); {
		hi := lo + 1
		for hi < len(s.free) && s.free[hi] == s.free[hi-1]+1 {
			hi++
		}
		if hi-lo < shortRun && hi-lo < len(s.free) {
			for ; lo < hi; lo++ {
				s.free[scattered], s.missing[scattered] = s.free[lo], s.missing[lo]
				scattered++
			}
			continue
		}
		s.compute(s.buf[s.free[lo]*s.width:s.free[hi-1]*s.width+s.width], s.missing[lo:hi])
		lo = hi
	}
	return scattered
}

// scatter computes the first missing rows by way of tmp.
func (s *store) scatter(rows int) {
	if rows == 0 {
		return
	}
	step := max(panelEntries/s.width, leastStep)
	for lo := 0; lo < rows; lo += step {
		hi := min(lo+step, rows)
		s.tmp = grown(s.tmp, (hi-lo)*s.width)
		s.compute(s.tmp, s.missing[lo:hi])
		parallel.Pieces(hi-lo, 8, func(p, q int) {
			for i := p; i < q; i++ {
				copy(s.at(s.free[lo+i]), s.tmp[i*s.width:(i+1)*s.width])
			}
		})
	}
}

func (s *store) compute(dst []float32, rows []int) {
	s.list = s.list[:0]
	for _, r := range rows {
		s.list = append(s.list, s.rows[r])
	}
	s.k.Block(dst, s.list, s.cols)
}

// narrow keeps the columns keep (ascending positions among the present ones),
// whose kernel rows are cols, and of the rows those that stay says.
func (s *store) narrow(cols []int, keep []int32, stay func(r int32) bool) {
	old, slots, oldOf := s.width, s.slots, slices.Clone(s.rowOf)
	// The most recent slots first, as many as the working sets may want again.
	order := make([]int32, 0, slots)
	for slot := s.prev[slots]; int(slot) != slots; slot = s.prev[slot] {
		if r := oldOf[slot]; r >= 0 && stay(r) {
			order = append(order, slot)
		}
	}
	buf := s.buf
	parallel.Pieces(len(order), 8, func(lo, hi int) {
		for _, slot := range order[lo:hi] {
			row := buf[int(slot)*old : (int(slot)+1)*old]
			for c, p := range keep {
				row[c] = row[p]
			}
		}
	})
	s.reset(cols, len(keep))
	if len(order) == 0 {
		return
	}
	from := slices.Clone(order)
	slices.Sort(from)
	place := make(map[int32]int32, len(from))
	for i, slot := range from {
		copy(buf[i*s.width:(i+1)*s.width], buf[int(slot)*old:])
		place[slot] = int32(i)
	}
	s.shape(len(order))
	for i := len(order) - 1; i >= 0; i-- { // oldest first
		slot := place[order[i]]
		r := oldOf[order[i]]
		s.rowOf[slot], s.slotOf[r] = r, slot
		s.touch(slot)
	}
}
