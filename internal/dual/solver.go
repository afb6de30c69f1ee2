package dual

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/parallel"
)

// solver is a running solution of (D) in the form of the package comment.
// Variables with bound 0 are left out where not all are asked for; row numbers below are places in rows.
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

	double bool // rows are read in double precision

	status     Status
	drift      float64
	violation  float64
	iterations int
	sets       int
	store      *store
	seed       *seed // nil without one
	entries    int64 // kernel values outside the store

	panel []float32
	list  []int
}

// newSolver prepares the problem, as one working set in double precision up to so many variables where the matrix has it.
func newSolver(k Matrix, p Problem, o Options, seed *seed, direct int) *solver {
	_, double := k.(Doubles)
	double = double && len(p.Row) <= direct
	all := double || seed != nil
	takes := func(c float64) bool { return c > 0 || all }
	m := 0
	for _, c := range p.Upper {
		if takes(c) {
			m++
		}
	}
	s := &solver{k: k, p: p, o: o, m: m, parts: 1, seed: seed, double: double}
	if p.Nu {
		s.parts = 2
		s.second = make([]bool, m)
	}
	buf := make([]float64, 4*m)
	s.h, s.beta, s.lo, s.hi = buf[:m:m], buf[m:2*m:2*m], buf[2*m:3*m:3*m], buf[3*m:]
	index := make([]int32, 2*m)
	s.orig, s.col = index[:m:m], index[m:]
	place := make([]int32, k.Len()) // 1 + place of a kernel row in rows
	t := 0
	for u, c := range p.Upper {
		if takes(c) {
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
		if !takes(c) {
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
		v := d[r]
		if !s.double {
			v = float64(float32(v)) // as Block gives it
		}
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
	ptrs := make([][]float32, 0, min(step, len(rows)))
	for lo := 0; lo < len(rows); lo += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+step, len(rows))
		if cap(s.panel) < (hi-lo)*width {
			s.panel = s.o.spare.take(step * width) // for fewer rows, too, of the next call
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
const updateColumns = 2048 // no result depends on it

// addAll adds sum_i delta_i rows_i to f.
func addAll[E element](f []float64, rows [][]E, delta []float64) {
	parallel.Pieces(len(f), updateColumns, func(lo, hi int) {
		addSome(f[lo:hi], rows, lo, delta)
	})
}

// addSome adds sum_i delta_i rows_i to f, of the columns of the rows from first on.
func addSome[E element](f []float64, rows [][]E, first int, delta []float64) {
	for i := 0; i < len(rows); i += 4 {
		var k [4][]E
		var d [4]float64
		for q := range 4 {
			k[q] = rows[min(i+q, len(rows)-1)][first:][:len(f)]
			if i+q < len(rows) {
				d[q] = delta[i+q]
			}
		}
		addRows(f, &k, &d)
	}
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

func (b *block[E]) run(ctx context.Context, stop, relative float64, limit int) (int, bool) {
	if b.pairwise {
		return b.pairs(ctx, stop, relative, limit)
	}
	return b.coordinates(ctx, stop, relative, limit)
}

func (s *solver) report(active int) {
	if s.o.Progress != nil {
		s.o.Progress(Progress{Iterations: s.iterations, Sets: s.sets, Violation: s.violation, Active: active, Variables: s.m})
	}
}
