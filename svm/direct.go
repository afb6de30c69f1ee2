package svm

import (
	"context"
	"math"
)

// directSize is the number of variables up to which the whole matrix is one
// working set.
const directSize = 1024

// rowed is a Matrix that hands out single rows at little cost. Problems on it are
// solved as one working set whatever their size, from the rows of the variables that move.
type rowed interface {
	Matrix
	// Row returns row i, followed by zeros up to a multiple of 8.
	Row(i int) []float32
}

// direct solves the problem as one working set: by pair steps to the tolerance, then
// from f computed anew, until that meets it too. Rows of the block are put together when
// a variable first moves. Cost: n^2 kernel values, unless the matrix is rowed, and two passes
// over the variables a step.
func (s *solver) direct(ctx context.Context) error {
	s.f = make([]float64, s.n)
	if s.m == 0 {
		s.status = Optimal
		return nil
	}
	if ctx.Err() != nil {
		s.status = Cancelled
	}
	w, err := s.newUndivided()
	if err != nil {
		return err
	}
	b := w.block
	w.exact()
	for s.status == Unfinished {
		steps, met := b.run(ctx, s.p.Offset || s.p.Nu, s.o.Tolerance, 0, s.o.MaxIterations-s.iterations)
		s.iterations += steps
		s.sets++
		for a, t := range w.order {
			if t >= 0 {
				s.beta[t] = b.beta[a]
			}
		}
		// The residuals kept up to date against new ones.
		kept := append([]float64(nil), b.f...)
		w.exact()
		if w.fault != nil {
			return w.fault
		}
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
type undivided struct {
	*solver
	block *block
	order []int32 // variable of each position, -1 is padding
	plain bool    // positions are places in rows: one variable a row, in order
	raw   []float32
	rowed rowed
	some  [][]float32 // rows of some columns of rowed, by place
	fault error       // a value met that is not finite
}

func (s *solver) newUndivided() (*undivided, error) {
	w := &undivided{solver: s, block: new(block), order: make([]int32, 0, s.m+16)}
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
	var ok bool
	if w.rowed, ok = s.k.(rowed); ok {
		w.some = make([][]float32, s.n)
	} else if err := w.read(); err != nil {
		return nil, err
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
	return w, nil
}

// read reads the whole matrix.
func (w *undivided) read() error {
	w.raw = make([]float32, w.n*w.n)
	index := w.whole()
	w.k.Block(w.raw, index, index)
	w.entries += int64(len(w.raw))
	for i, v := range w.raw {
		if v-v != 0 {
			return notFinite(w.rows[i/w.n], w.rows[i%w.n], float64(v))
		}
	}
	return nil
}

// kernel returns the kernel row at a place, over all places.
func (w *undivided) kernel(c int32) []float32 {
	if w.raw != nil {
		return w.raw[int(c)*w.n : (int(c)+1)*w.n]
	}
	if r := w.some[c]; r != nil {
		return r
	}
	row := w.rowed.Row(w.rows[c])
	if w.n < w.k.Len() {
		from := row
		row = make([]float32, w.n)
		for q, r := range w.rows {
			row[q] = from[r]
		}
	}
	for q, v := range row[:w.n] {
		if v-v != 0 {
			w.fault = notFinite(w.rows[c], w.rows[q], float64(v))
		}
	}
	w.entries += int64(w.n)
	w.some[c] = row
	return row
}

// row returns the row of the variable at position a, over all positions.
func (w *undivided) row(a int) []float32 {
	row := make([]float32, 0)
	if w.order[a] >= 0 {
		row = w.kernel(w.col[w.order[a]])
	}
	if w.plain && len(row) == w.block.n {
		return row
	}
	to := make([]float32, w.block.n)
	for q, u := range w.order {
		if u >= 0 && len(row) > 0 {
			to[q] = row[w.col[u]]
		}
	}
	return to
}

// exact computes f = K beta and the residuals of the block from it.
func (w *undivided) exact() {
	clear(w.f)
	sum := make([]float64, w.n)
	for t, v := range w.beta {
		sum[w.col[t]] += v
	}
	var rows [][]float32
	var delta []float64
	for c, v := range sum {
		if v != 0 {
			rows, delta = append(rows, w.kernel(int32(c))), append(delta, v)
		}
	}
	addAll(w.f, rows, delta)
	for a, t := range w.order {
		if t >= 0 {
			w.block.f[a] = w.h[t] - w.f[w.col[t]]
		}
	}
}
