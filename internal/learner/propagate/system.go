package propagate

// Problem   A X = B on m of the rows of a graph, the unknowns,
//
//	          A = scale (L^p)_restricted to the unknowns + diag(add),   positive definite
//
// Method    up to DirectRows unknowns, of powers above one DirectPowers, A is written out and factored;
//           beyond, conjugate gradients, preconditioned by the diagonal of A and, for many rows, by
//           aggregates of them (coarse.go).
// Cost      m^3/3 flops once and 2 m^2 for a column; else 2 p nnz(L) a column and iteration, memory
//           seven m x c blocks.
// Certificate  |B - A X| / |B|, the largest of all columns, from the returned X.
// Source    Golub & Van Loan, Matrix Computations (2013), 4.2 and 11.5.

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/internal/solve"
	"github.com/mercer-ml/mercer/learn"
)

const (
	// DirectRows is the number of rows up to which systems are factored: 400^3/3 flops are those of some
	// hundred iterations for ten classes with ten neighbours.
	DirectRows = 400
	// DirectPowers is the number of rows up to which systems of powers above one are factored: a power has a
	// condition of the same power, and takes many times the iterations.
	DirectPowers = 2000
	// tolerance of the residual, where the system has no other: differences of outputs by a millionth stay
	// right in systems of condition 1e4.
	tolerance = 1e-10
	// mostIterations bounds conjugate gradients: a graph like a path of 5000 rows between two labels needs as many.
	mostIterations = 10_000
)

// system is A.
type system struct {
	n        int       // rows of the graph
	unknowns []int     // rows
	l        *data.CSR // of all rows; restricted to the unknowns if power is 1
	power    int
	scale    float64
	add      []float64 // of the unknowns; nil: zeros
	tol      float64   // of the residual

	diagonal  []float64
	wide, out *mat.Dense     // n x c, scratch of powers
	factor    *blas.Cholesky // nil: conjugate gradients
	iterative bool           // never factor, for tests
	many      bool           // of right-hand sides, so that a factor pays up to DirectPowers rows
	smooth    []float64      // what A leaves nearly at zero, of the unknowns; nil: 1
	levels    *levels        // nil: none
	tried     bool           // levels were made, if there can be any
}

// System is scale L^p + diag(add) on all rows of a graph, for machines that follow one. It keeps scratch, and is for one
// goroutine at a time.
type System struct {
	whole *system
	more  []*system // beside it, of the same system: with scratch of their own, for panels that are solved side by side
}

// NewSystem takes a symmetric positive semi-definite L, a power of at least 1 and an add (a number a row) that makes the
// system positive definite. Up to DirectPowers rows it is factored, as systems for many right-hand sides are.
func NewSystem(l *data.CSR, power int, scale float64, add []float64) *System {
	rows := indices.To(l.R)
	s := newSystem(l, power, scale, rows, add)
	s.many = true
	return &System{whole: s}
}

// Solve solves for the columns of b, n x k, by panels; x holds the start and receives the answer. Residual, Steps and
// Limited of the certificate are filled in. Beyond DirectPowers rows panels are solved side by side, each as alone.
func (s *System) Solve(ctx context.Context, x, b *mat.Dense) (all learn.Certificate, err error) {
	n, k := b.Dims()
	type piece struct{ lo, hi int }
	var pieces []piece
	err = panels(ctx, n, k, func(lo, hi int) error {
		pieces = append(pieces, piece{lo, hi})
		return nil
	})
	if err != nil {
		return all, err
	}
	free := s.free(len(pieces))
	certificates := make([]learn.Certificate, len(pieces))
	err = parallel.Each(len(free), len(pieces), func(q int) error {
		own, lo, hi := <-free, pieces[q].lo, pieces[q].hi
		defer func() { free <- own }()
		part, to := mat.DenseCopyOf(b.Slice(0, n, lo, hi)), mat.DenseCopyOf(x.Slice(0, n, lo, hi))
		var err error
		certificates[q], err = own.solve(ctx, to, part)
		x.Slice(0, n, lo, hi).(*mat.Dense).Copy(to)
		return err
	})
	for _, c := range certificates {
		all.Join(c)
	}
	return all, err
}

// free are systems that may work at a time, one where they are factored.
func (s *System) free(pieces int) chan *system {
	count := 1
	if len(s.whole.unknowns) > DirectPowers {
		count = max(1, min(pieces, runtime.GOMAXPROCS(0)))
	}
	for len(s.more) < count-1 {
		w := s.whole
		own := newSystem(w.l, w.power, w.scale, w.unknowns, w.add)
		own.many = true
		s.more = append(s.more, own)
	}
	free := make(chan *system, count)
	free <- s.whole
	for _, one := range s.more[:count-1] {
		free <- one
	}
	return free
}

// newSystem restricts L^p to the unknowns.
func newSystem(l *data.CSR, power int, scale float64, unknowns []int, add []float64) *system {
	s := &system{n: l.R, unknowns: unknowns, l: l, power: power, scale: scale, add: add, tol: tolerance,
		diagonal: make([]float64, len(unknowns))}
	for a, i := range unknowns {
		s.diagonal[a] = s.scale * powerDiagonal(l, i, power)
		if add != nil {
			s.diagonal[a] += add[a]
		}
		if !(s.diagonal[a] > 0) { // a row without an edge; it is only a preconditioner
			s.diagonal[a] = 1
		}
	}
	if power == 1 && len(unknowns) < l.R {
		s.l = l.SelectRows(unknowns).SelectColumns(unknowns)
	}
	return s
}

// powerDiagonal is (L^p)_ii for p up to 2 and (L^2)_ii L_ii^(p-2) beyond, which preconditions as well.
func powerDiagonal(l *data.CSR, i, p int) float64 {
	idx, val := l.Row(i)
	var own, square float64
	for q, j := range idx {
		square += val[q] * val[q]
		if int(j) == i {
			own = val[q]
		}
	}
	if p == 1 {
		return own
	}
	for range p - 2 {
		square *= own
	}
	return square
}

// multiply stores A x in dst.
func (s *system) multiply(dst, x *mat.Dense) {
	_, c := x.Dims()
	if s.power == 1 {
		s.l.MulTo(dst, x)
	} else {
		if s.wide == nil || s.wide.RawMatrix().Cols != c {
			s.wide, s.out = mat.NewDense(s.n, c, nil), mat.NewDense(s.n, c, nil)
		}
		for a, i := range s.unknowns { // other rows stay zero
			copy(s.wide.RawRowView(i), x.RawRowView(a))
		}
		s.l.PowerTo(s.out, s.wide, s.power)
		for a, i := range s.unknowns {
			copy(dst.RawRowView(a), s.out.RawRowView(i))
		}
	}
	for a := range s.unknowns {
		to, from := dst.RawRowView(a), x.RawRowView(a)
		var d float64
		if s.add != nil {
			d = s.add[a]
		}
		for j, v := range from {
			to[j] = s.scale*to[j] + d*v
		}
	}
}

// precondition stores M x in dst.
func (s *system) precondition(dst, x *mat.Dense) {
	divide(dst, x, s.diagonal)
	if s.levels != nil {
		s.levels.add(0, dst, x)
	}
}

// level prepares the preconditioner of many rows.
func (s *system) level(ctx context.Context) (err error) {
	if s.tried || s.power > 1 || len(s.unknowns) < coarseRows {
		return nil
	}
	v := s.smooth
	if v == nil {
		v = slices.Repeat([]float64{1}, len(s.unknowns))
	}
	a := &data.CSR{R: s.l.R, C: s.l.C, Start: s.l.Start, Index: s.l.Index, Value: make([]float64, len(s.l.Value))}
	for i := range a.R {
		for p := a.Start[i]; p < a.Start[i+1]; p++ {
			a.Value[p] = s.scale * s.l.Value[p]
			if s.add != nil && int(a.Index[p]) == i {
				a.Value[p] += s.add[i]
			}
		}
	}
	s.levels, err = newLevels(ctx, a, v)
	s.tried = err == nil // otherwise the next solve tries again
	return err
}

// solve solves for the columns of b; x holds the start and receives the answer. Residual, Steps and
// Limited of the certificate are filled in.
func (s *system) solve(ctx context.Context, x, b *mat.Dense) (learn.Certificate, error) {
	m := len(s.unknowns)
	if m == 0 {
		return learn.Certificate{}, ctx.Err()
	}
	if (m <= DirectRows || (s.power > 1 || s.many) && m <= DirectPowers) && !s.iterative {
		if err := s.factorise(ctx); err != nil {
			return learn.Certificate{}, err
		}
	}
	if s.factor != nil {
		x.Copy(b)
		s.factor.SolveTo(x)
		return learn.Certificate{Residual: s.residual(x, b)}, ctx.Err()
	}
	if err := s.level(ctx); err != nil {
		return learn.Certificate{}, err
	}
	r, err := solve.CG(ctx, s.multiply, x, b, solve.CGOptions{Tolerance: s.tol, MaxIterations: mostIterations,
		Precondition: s.precondition})
	if err != nil {
		return learn.Certificate{}, err
	}
	c := learn.Certificate{Steps: r.Iterations}
	for _, v := range r.Residual {
		c.Residual = max(c.Residual, v)
	}
	if r.Status != solve.ResidualSmall && r.Status != solve.NoProgress {
		c.Limited = fmt.Sprintf("the system of the graph was solved to a residual of %.2g only, in %d steps of conjugate gradients: "+
			"the graph has hardly an edge between some of its parts; ask for more neighbours, or --set weights=binary", c.Residual, c.Steps)
	}
	return c, nil
}

// factorise writes A out and factors it. Where rounding leaves it indefinite, conjugate gradients serve.
func (s *system) factorise(ctx context.Context) error {
	if s.factor != nil {
		return ctx.Err()
	}
	m := len(s.unknowns)
	a := mat.NewDense(m, m, nil)
	err := panels(ctx, m, m, func(lo, hi int) error {
		unit, part := mat.NewDense(m, hi-lo, nil), mat.NewDense(m, hi-lo, nil)
		for i := lo; i < hi; i++ {
			unit.Set(i, i-lo, 1)
		}
		s.multiply(part, unit)
		a.Slice(0, m, lo, hi).(*mat.Dense).Copy(part)
		return nil
	})
	if err != nil {
		return err
	}
	f := &blas.Cholesky{Backend: blas.Within(ctx)}
	switch err := f.Factor(a); {
	case err == nil:
		f.Backend = blas.Backend{} // solutions are short
		s.factor = f
	case errors.As(err, new(*blas.NotPositiveDefinite)):
		s.iterative = true
	default:
		return err
	}
	return nil
}

// residual is |b - A x| / |b|, the largest of the columns; |b - A x| where b is zero.
func (s *system) residual(x, b *mat.Dense) float64 {
	m, c := b.Dims()
	r := mat.NewDense(m, c, nil)
	s.multiply(r, x)
	r.Sub(b, r)
	var worst float64
	for j := range c {
		v, norm := mat.Norm(r.ColView(j), 2), mat.Norm(b.ColView(j), 2)
		if norm > 0 {
			v /= norm
		}
		worst = max(worst, v)
	}
	return worst
}

// panelNumbers bounds the entries of a block of columns that are solved for together: 16 MB.
const panelNumbers = 1 << 21

// panels calls visit for the numbers below count in pieces, so many that a block of n rows stays small.
func panels(ctx context.Context, n, count int, visit func(lo, hi int) error) error {
	width := min(64, max(1, panelNumbers/max(n, 1)))
	for lo := 0; lo < count; lo += width {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := visit(lo, min(lo+width, count)); err != nil {
			return err
		}
	}
	return nil
}

// gather copies the rows idx of a.
func gather(a *mat.Dense, idx []int) *mat.Dense {
	_, c := a.Dims()
	out := mat.NewDense(max(len(idx), 1), c, nil)
	for q, i := range idx {
		copy(out.RawRowView(q), a.RawRowView(i))
	}
	return out
}

// scatter stores the rows of a at the rows idx of dst.
func scatter(dst *mat.Dense, idx []int, a *mat.Dense) {
	for q, i := range idx {
		copy(dst.RawRowView(i), a.RawRowView(q))
	}
}
