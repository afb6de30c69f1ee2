package svm

import (
	"context"
	"fmt"
	"math"
)

// directSize is the number of variables up to which the whole matrix is one
// working set.
const directSize = 1024

// solver is a running solution of (D) in the form of the package comment.
// Variables with bound 0 are left out; row numbers below are places in rows.
type solver struct {
	k Matrix
	p Problem
	o Options

	m      int
	orig   []int32   // variable of p
	col    []int32   // its row
	h      []float64 // -s p
	beta   []float64
	lo, hi []float64
	second []bool // sign -, with Nu
	parts  int    // 2 with Nu, else 1

	rows []int     // distinct kernel rows
	n    int       // how many
	diag []float64 // of rows
	f    []float64 // K beta at rows

	status     Status
	drift      float64
	violation  float64
	iterations int
	sets       int
	store      *store
	entries    int64 // kernel values outside the store

	panel []float32
	list  []int
}

func newSolver(k Matrix, p Problem, o Options) *solver {
	m := 0
	for _, c := range p.Upper {
		if c > 0 {
			m++
		}
	}
	s := &solver{k: k, p: p, o: o, m: m, parts: 1}
	if p.Nu {
		s.parts = 2
		s.second = make([]bool, m)
	}
	all := make([]float64, 4*m)
	s.h, s.beta, s.lo, s.hi = all[:m:m], all[m:2*m:2*m], all[2*m:3*m:3*m], all[3*m:]
	index := make([]int32, 2*m)
	s.orig, s.col = index[:m:m], index[m:]
	place := make([]int32, k.Len()) // 1 + place of a kernel row in rows
	t := 0
	for u, c := range p.Upper {
		if c > 0 {
			place[p.Row[u]] = 1
		}
	}
	for r, v := range place { // ascending, so that all rows are the identity
		if v > 0 {
			s.rows = append(s.rows, r)
			place[r] = int32(len(s.rows))
		}
	}
	for u, c := range p.Upper {
		if !(c > 0) {
			continue
		}
		s.orig[t], s.col[t] = int32(u), place[p.Row[u]]-1
		s.h[t] = -p.Sign[u] * p.Linear[u]
		if p.Sign[u] > 0 {
			s.hi[t] = c
		} else {
			s.lo[t] = -c
			if p.Nu {
				s.second[t] = true
			}
		}
		if p.Start != nil {
			s.beta[t] = p.Sign[u] * p.Start[u]
		}
		t++
	}
	s.n = len(s.rows)
	return s
}

// diagonal reads the diagonal and checks it.
func (s *solver) diagonal() error {
	d := make([]float64, s.k.Len())
	s.k.Diagonal(d)
	s.diag = make([]float64, s.n)
	for i, r := range s.rows {
		v := float64(float32(d[r])) // as Block gives it
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return notFinite(r, r, v)
		}
		s.diag[i] = v
	}
	return nil
}

func notFinite(i, j int, v float64) error {
	return fmt.Errorf("svm: kernel value (%d, %d) is %g; scale the features or change the kernel's parameters", i, j, v)
}

// kernelRows are the kernel rows of places.
func (s *solver) kernelRows(places []int32) []int {
	out := make([]int, len(places))
	for i, c := range places {
		out[i] = s.rows[c]
	}
	return out
}

// panelEntries is the size of the blocks that accumulate computes at a time: 8 MB,
// half of what a core's share of a large third-level cache holds.
const panelEntries = 2 << 20

// accumulate adds sum_r delta_r K[c, r] to f[c] for the kernel rows c of columns
// (nil: all): rows of panels, never stored.
func (s *solver) accumulate(ctx context.Context, f []float64, columns []int, rows []int, delta []float64) error {
	width := len(f)
	if width == 0 {
		return nil
	}
	step := max(panelEntries/width, 32)
	ptrs := make([][]float32, 0, step)
	for lo := 0; lo < len(rows); lo += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+step, len(rows))
		if need := (hi - lo) * width; cap(s.panel) < need {
			s.panel = make([]float32, need)
		}
		panel := s.panel[:(hi-lo)*width]
		s.k.Block(panel, rows[lo:hi], columns)
		s.entries += int64(len(panel))
		ptrs = ptrs[:0]
		for i := range hi - lo {
			ptrs = append(ptrs, panel[i*width:(i+1)*width])
		}
		addAll(f, ptrs, delta[lo:hi])
	}
	return nil
}

// updateColumns is the number of columns whose residuals are brought up to date at
// a time: 16 kB of them stay in the first-level cache.
const updateColumns = 2048

// addAll adds sum_i delta_i rows_i to f.
func addAll(f []float64, rows [][]float32, delta []float64) {
	parallel(len(f), updateColumns, func(lo, hi int) {
		for i := 0; i < len(rows); i += 4 {
			var k [4][]float32
			var d [4]float64
			for q := range 4 {
				k[q] = rows[min(i+q, len(rows)-1)][lo:hi]
				if i+q < len(rows) {
					d[q] = delta[i+q]
				}
			}
			addRows(f[lo:hi], &k, &d)
		}
	})
}

// support are the kernel rows with a coefficient, and these: the weights of the
// variables that share the row, added.
func (s *solver) support(weight func(t int) float64) (rows []int, delta []float64) {
	sum := make([]float64, s.n)
	for t := range s.m {
		sum[s.col[t]] += weight(t)
	}
	for i, v := range sum {
		if v != 0 {
			rows = append(rows, s.rows[i])
			delta = append(delta, v)
		}
	}
	return rows, delta
}

// direct solves the problem as one working set.
func (s *solver) direct(ctx context.Context) error {
	s.f = make([]float64, s.n)
	if s.m == 0 {
		s.status = Optimal
		return nil
	}
	if ctx.Err() != nil {
		s.status = Cancelled
	}
	// Order of the block: parts one after the other, each padded.
	order := make([]int32, 0, s.m+16)
	b := new(block)
	for part := range s.parts {
		lo := len(order)
		for t := range s.m {
			if s.parts == 1 || s.second[t] == (part == 1) {
				order = append(order, int32(t))
			}
		}
		for len(order)%8 != 0 {
			order = append(order, -1)
		}
		b.parts = append(b.parts, [2]int{lo, len(order)})
	}
	b.grow(len(order))
	raw := make([]float32, s.n*s.n)
	var index []int
	if s.n < s.k.Len() {
		index = s.rows
	}
	s.k.Block(raw, index, index)
	s.entries += int64(len(raw))
	for i, v := range raw {
		if v-v != 0 {
			return notFinite(s.rows[i/s.n], s.rows[i%s.n], float64(v))
		}
	}
	for a, t := range order {
		row := b.row(a)
		if t < 0 {
			clear(row)
			b.fix(a)
			continue
		}
		from := raw[int(s.col[t])*s.n : (int(s.col[t])+1)*s.n]
		for q, u := range order {
			if u < 0 {
				row[q] = 0
			} else {
				row[q] = from[s.col[u]]
			}
		}
		b.beta[a], b.lo[a], b.hi[a], b.diag[a] = s.beta[t], s.lo[t], s.hi[t], s.diag[s.col[t]]
		if !s.p.Offset && !s.p.Nu {
			b.diag[a] = max(b.diag[a], tau)
		}
		b.bound(a)
	}
	rows := make([][]float32, s.n)
	for i := range rows {
		rows[i] = raw[i*s.n : (i+1)*s.n]
	}
	// exact computes f = K beta and the residuals of the block from it.
	exact := func() {
		clear(s.f)
		sum := make([]float64, s.n)
		for t, v := range s.beta {
			sum[s.col[t]] += v
		}
		addAll(s.f, rows, sum)
		for a, t := range order {
			if t >= 0 {
				b.f[a] = s.h[t] - s.f[s.col[t]]
			}
		}
	}
	exact()
	for s.status == Unfinished {
		steps, met := b.run(ctx, s.p.Offset || s.p.Nu, s.o.Tolerance, 0, s.o.MaxIterations-s.iterations)
		s.iterations += steps
		s.sets++
		for a, t := range order {
			if t >= 0 {
				s.beta[t] = b.beta[a]
			}
		}
		// The residuals kept up to date against new ones.
		kept := append([]float64(nil), b.f...)
		exact()
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

func (b *block) run(ctx context.Context, pairs bool, stop, relative float64, limit int) (int, bool) {
	if pairs {
		return b.pairs(ctx, stop, relative, limit)
	}
	return b.coordinates(ctx, stop, relative, limit)
}

func (s *solver) report(active int) {
	if s.o.Progress != nil {
		s.o.Progress(Progress{Iterations: s.iterations, Sets: s.sets, Violation: s.violation, Active: active, Variables: s.m})
	}
}
