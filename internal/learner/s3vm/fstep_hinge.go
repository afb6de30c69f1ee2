package s3vm

// Problem   minimise over f = K alpha + b  1/2 alpha'K alpha + sum_i c_i ((1 + y_i)/2 (1 - f_i)+ + (1 - y_i)/2 (1 + f_i)+)
//           for means of labels y in [-1, 1].
// Method    A support vector machine of l + 2u examples: an unlabelled row with +1 at the cost c (1 + y)/2 and
//           with -1 at c (1 - y)/2, both on one row of K. The dual is solved by package dual from the last
//           solution, variables at their bound following it.
// Cost      that of the dual: working sets of l + 2u variables. Memory: the working set's rows in single
//           precision; up to 1024 variables a copy of K.
// Source    Sindhwani 2007, section 3.5.3.

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/dual"
	"github.com/mercer-ml/mercer/internal/parallel"
)

// hinge is the step of the hinge.
type hinge struct {
	*system
	matrix dual.Matrix
	dual   dual.Problem
	l      int
	last   []float64 // of the dual
	status dual.Status
}

// annealedSteps is how many steps a variable an f-step has during an annealing, where p moves before more is worth
// its time.
const annealedSteps = 20

// doubled is the number of variables up to which package dual solves in double precision.
const doubled = 1024

func newHinge(s *system, l int) *hinge {
	n := len(s.rows)
	rows := make([]int, 0, 2*n-l)
	for q := range n {
		rows = append(rows, q)
	}
	for q := l; q < n; q++ {
		rows = append(rows, q)
	}
	m := len(rows)
	ones := make([]float64, m)
	for i := range ones {
		ones[i] = 1
	}
	h := &hinge{system: s, l: l, matrix: ordered{s}, dual: dual.SVC(rows, ones, make([]float64, m))}
	h.dual.Offset = s.offset
	if m <= doubled {
		h.matrix = newTable(s)
	}
	return h
}

func (*hinge) tolerances() (rough, fine, final float64) { return 1e-2, 1e-5, 1e-3 }

// costs sets the bounds of the dual for means y. The variables of unlabelled row i are those of +1, in its
// place, and of -1, behind all rows.
func (h *hinge) costs(y []float64) {
	n := len(h.rows)
	for i, c := range h.cost {
		if i < h.l {
			h.dual.Sign[i], h.dual.Upper[i] = y[i], c
			continue
		}
		h.dual.Upper[i], h.dual.Upper[n+i-h.l] = c*(1+y[i])/2, c*(1-y[i])/2
		h.dual.Sign[n+i-h.l] = -1
	}
}

// minimise implements fstep.
func (h *hinge) minimise(ctx context.Context, at *function, y []float64, tolerance, share float64) (int, error) {
	var before []float64
	if h.last != nil {
		before = append(before, h.dual.Upper...)
	}
	h.costs(y)
	p := h.dual
	if before != nil {
		for u, c := range before {
			if h.last[u] == c {
				h.last[u] = p.Upper[u]
			}
		}
		warm, err := p.Warm(h.last)
		if err != nil {
			return 0, err
		}
		p = warm
	}
	o := dual.Options{Tolerance: tolerance}
	if share > 0 {
		o.MaxIterations = annealedSteps * len(p.Row)
	}
	s, err := dual.Solve(ctx, h.matrix, p, o)
	if err != nil {
		return 0, err
	}
	h.last, h.status = s.A, s.Status
	clear(at.alpha)
	for u, r := range p.Row {
		at.alpha[r] += p.Sign[u] * s.A[u]
	}
	at.b = -s.Rho
	h.outputs(at)
	if s.Status == dual.Cancelled {
		return s.Iterations, ctx.Err()
	}
	return s.Iterations, nil
}

// residual implements fstep: the largest distance of an output from those that its coefficient, but for rounding, allows.
func (h *hinge) residual(at *function, y []float64) (most float64) {
	for i, a := range at.alpha {
		rounding := 1e-9 * h.cost[i]
		lo, _ := allowed(a+rounding, h.cost[i], y[i])
		_, hi := allowed(a-rounding, h.cost[i], y[i])
		most = max(most, lo-at.f[i], at.f[i]-hi)
	}
	return most
}

// allowed are the least and the largest output for which a is minus a subgradient of the losses of a row,
//
//	a = -c (1 - y)/2: f >= 1,  up to c y: f = 1,  c y: |f| <= 1,  up to c (1 + y)/2: f = -1,  that: f <= -1,
//
// of which any two may be one where y is -1 or 1. Beyond the ends it is as at them.
func allowed(a, c, y float64) (lo, hi float64) {
	switch {
	case a >= c*(1+y)/2:
		lo = math.Inf(-1)
	case a >= c*y:
		lo = -1
	default:
		lo = 1
	}
	switch {
	case a <= -c*(1-y)/2:
		hi = math.Inf(1)
	case a <= c*y:
		hi = 1
	default:
		hi = -1
	}
	return lo, hi
}

func (*hinge) end() {}

// limited implements fstep.
func (h *hinge) limited() string {
	if h.status.Converged() {
		return ""
	}
	return fmt.Sprintf("dual solver: %v", h.status)
}

// ordered is the matrix of a system's rows in their order.
type ordered struct{ s *system }

func (o ordered) Len() int { return len(o.s.rows) }

func (o ordered) Diagonal(dst []float64) {
	for q, i := range o.s.rows {
		dst[q] = o.s.k.At(i, i)
	}
}

func (o ordered) Block(dst []float32, i, j []int) {
	rows, columns := len(o.s.rows), o.s.rows
	if i != nil {
		rows = len(i)
	}
	if j != nil {
		columns = make([]int, len(j))
		for b, q := range j {
			columns[b] = o.s.rows[q]
		}
	}
	parallel.Pieces(rows, rowChunk, func(lo, hi int) {
		for a := lo; a < hi; a++ {
			q := a
			if i != nil {
				q = i[a]
			}
			from, to := o.s.k.RawRowView(o.s.rows[q]), dst[a*len(columns):(a+1)*len(columns)]
			for b, c := range columns {
				to[b] = float32(from[c])
			}
		}
	})
}

// table is that in double precision, its rows with zeros up to a multiple of 8.
type table struct {
	ordered
	rows [][]float64
}

func newTable(s *system) table {
	n := len(s.rows)
	t := table{ordered{s}, make([][]float64, n)}
	for q, i := range s.rows {
		t.rows[q] = make([]float64, (n+7)&^7)
		from := s.k.RawRowView(i)
		for b, c := range s.rows {
			t.rows[q][b] = from[c]
		}
	}
	return t
}

// Double implements dual.Doubles.
func (t table) Double(i int) []float64 { return t.rows[i] }
