package dual

import (
	"context"
	"math"
)

// directSize is the number of variables up to which the whole matrix is one
// working set.
const directSize = 1024

// Doubles is a Matrix that hands out its rows in double precision too. Small problems on
// it are solved on those, so that coefficients far larger than the outputs that they make,
// as with large C under a wide or warped kernel, cost no digits.
type Doubles interface {
	Matrix
	// Double returns row i, of finite values. Zeros that follow up to a multiple of 8 save a copy of it.
	Double(i int) []float64
}

// rowed is a Matrix that hands out single rows at little cost. Problems on it are
// solved as one working set whatever their size, from the rows of the variables that move.
type rowed interface {
	Matrix
	// Row returns row i, followed by zeros up to a multiple of 8.
	Row(i int) []float32
}

// direct solves the problem as one working set, in double precision where the matrix has it.
func (s *solver) direct(ctx context.Context) error {
	if s.m == 0 {
		s.status = Optimal
		return nil
	}
	if k, ok := s.k.(Doubles); ok && s.double {
		return undivide(ctx, s, gathered(s, func(c int32) []float64 { return k.Double(s.rows[c]) }))
	}
	if k, ok := s.k.(rowed); ok {
		fetched := make([]bool, s.n)
		var fault error
		err := undivide(ctx, s, gathered(s, func(c int32) []float32 {
			row := k.Row(s.rows[c])
			if !fetched[c] {
				fetched[c] = true
				s.entries += int64(s.n)
				for q, r := range s.rows {
					if v := row[r]; v-v != 0 && fault == nil {
						fault = notFinite(s.rows[c], s.rows[q], float64(v))
					}
				}
			}
			return row
		}))
		if fault != nil {
			return fault
		}
		return err
	}
	raw := make([]float32, s.n*s.n)
	index := s.whole()
	s.k.Block(raw, index, index)
	s.entries += int64(len(raw))
	for i, v := range raw {
		if v-v != 0 {
			return notFinite(s.rows[i/s.n], s.rows[i%s.n], float64(v))
		}
	}
	return undivide(ctx, s, func(c int32) []float32 { return raw[int(c)*s.n : (int(c)+1)*s.n] })
}

// gathered turns kernel rows over all of the matrix into those over the rows of the problem, each made once.
func gathered[E element](s *solver, row func(c int32) []E) func(c int32) []E {
	if s.n == s.k.Len() {
		return row
	}
	kept := make([][]E, s.n)
	return func(c int32) []E {
		if kept[c] == nil {
			from, to := row(c), make([]E, s.n)
			for q, r := range s.rows {
				to[q] = from[r]
			}
			kept[c] = to
		}
		return kept[c]
	}
}

// undivide solves by pair steps to the tolerance, then from f computed anew, until
// that meets it too. Rows of the block are put together when a variable first moves.
// Cost: two passes over the variables a step.
func undivide[E element](ctx context.Context, s *solver, source func(c int32) []E) error {
	s.f = make([]float64, s.n)
	if ctx.Err() != nil {
		s.status = Cancelled
	}
	w := newUndivided(s, source)
	b := w.block
	w.exact()
	kept := make([]float64, b.n)
	for s.status == Unfinished {
		steps, met := b.run(ctx, s.o.Tolerance, 0, s.o.MaxIterations-s.iterations)
		s.iterations += steps
		s.sets++
		for a, t := range w.order {
			if t >= 0 {
				s.beta[t] = b.beta[a]
			}
		}
		// The residuals kept up to date against new ones.
		copy(kept, b.f)
		w.exact()
		s.drift = 0
		for a := range kept {
			s.drift = max(s.drift, math.Abs(kept[a]-b.f[a]))
		}
		s.violation, _, _ = s.extremes()
		switch {
		case s.violation <= s.o.Tolerance:
			s.status = Optimal
		case ctx.Err() != nil:
			s.status = Cancelled
		case s.iterations >= s.o.MaxIterations:
			s.status = LimitReached
		case !met || steps == 0:
			s.status = Stalled
		}
		s.report(s.m)
	}
	return nil
}

// undivided is the problem as one block.
type undivided[E element] struct {
	*solver
	block  *block[E]
	order  []int32           // variable of each position, -1 is padding
	plain  bool              // positions are places in rows: one variable a row, in order
	kernel func(c int32) []E // the kernel row at a place, over all places

	sum, delta []float64 // work of exact
	terms      [][]E
}

func newUndivided[E element](s *solver, source func(c int32) []E) *undivided[E] {
	w := &undivided[E]{solver: s, block: new(block[E]), order: make([]int32, 0, s.m+16), kernel: source, sum: make([]float64, s.n)}
	w.block.pairwise = s.p.Offset || s.p.Nu
	b := w.block
	// Parts one after the other, each padded.
	for part := range s.parts {
		lo := len(w.order)
		for t := range s.m {
			if s.parts == 1 || s.second[t] == (part == 1) {
				w.order = append(w.order, int32(t))
			}
		}
		for len(w.order)%8 != 0 {
			w.order = append(w.order, -1)
		}
		b.parts = append(b.parts, [2]int{lo, len(w.order)})
	}
	w.plain = s.parts == 1 && s.n == s.m
	for t, c := range s.col {
		w.plain = w.plain && int(c) == t
	}
	b.lend(len(w.order), w.row)
	for a, t := range w.order {
		if t < 0 {
			b.fix(a)
			continue
		}
		b.beta[a], b.lo[a], b.hi[a], b.diag[a] = s.beta[t], s.lo[t], s.hi[t], s.diag[s.col[t]]
		if !s.p.Offset && !s.p.Nu {
			b.diag[a] = max(b.diag[a], tau)
		}
		b.bound(a)
	}
	return w
}

// row returns the row of the variable at position a, over all positions.
func (w *undivided[E]) row(a int) []E {
	row := make([]E, 0)
	if w.order[a] >= 0 {
		row = w.kernel(w.col[w.order[a]])
	}
	if w.plain && len(row) == w.block.n {
		return row
	}
	to := make([]E, w.block.n)
	for q, u := range w.order {
		if u >= 0 && len(row) > 0 {
			to[q] = row[w.col[u]]
		}
	}
	return to
}

// exact computes f = K beta and the residuals of the block from it.
func (w *undivided[E]) exact() {
	clear(w.f)
	clear(w.sum)
	for t, v := range w.beta {
		w.sum[w.col[t]] += v
	}
	w.terms, w.delta = w.terms[:0], w.delta[:0]
	for c, v := range w.sum {
		if v != 0 {
			w.terms, w.delta = append(w.terms, w.kernel(int32(c))), append(w.delta, v)
		}
	}
	addAll(w.f, w.terms, w.delta)
	for a, t := range w.order {
		if t >= 0 {
			w.block.f[a] = w.h[t] - w.f[w.col[t]]
		}
	}
}
