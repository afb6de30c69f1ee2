package s3vm

// Problem   minimise over alpha, b  1/2 alpha'K alpha + sum_i d_i/2 (t_i - f_i)^2,  f = K alpha + b, d > 0.
//           With the square and d = 2c it is the f-step: a label that is +1 with probability p costs
//           (2p - 1 - f)^2 and a constant, so that t is the given label or 2p - 1.
// Method    alpha = d (t - f), so (K + diag(1/d)) alpha + b 1 = t, and 1'alpha = 0 where b is free. With
//           S = diag(sqrt d) and B = I + S K S, whose eigenvalues are >= 1 however singular K is,
//
//             w = S B^-1 S t,   v = S B^-1 S 1,   b = sum w/sum v (or 0),   alpha = w - b v,   f = t - alpha/d
//
//           The costs do not change while labels do: one factor serves a whole annealing.
// Cost      n^3/3 flops and n^2 numbers once, 2 n^2 flops a solution.
// Source    Sindhwani 2007, eq. 3.10, with an offset.

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// ridge is the factor of a system under a curvature d of its rows.
type ridge struct {
	*system
	bend, root []float64 // d and sqrt d
	chol       blas.Cholesky
	store      *mat.Dense
	v          []float64 // with an offset only
	sumV       float64
}

// newRidge factors B of the curvature 2c.
func newRidge(ctx context.Context, s *system) (*ridge, error) {
	n := len(s.rows)
	r := &ridge{system: s, bend: make([]float64, n), root: make([]float64, n), store: mat.NewDense(n, n, s.tables.take(n*n))}
	if s.offset {
		r.v = make([]float64, n)
	}
	for i, c := range s.cost {
		r.bend[i] = 2 * c
	}
	return r, r.factor(ctx)
}

// factor makes B of the curvature.
func (r *ridge) factor(ctx context.Context) error {
	for i, d := range r.bend {
		r.root[i] = math.Sqrt(d)
	}
	parallel.Pieces(len(r.bend), rowChunk, func(lo, hi int) {
		for p := lo; p < hi; p++ {
			row, from, sp := r.store.RawRowView(p)[:p+1], r.k.RawRowView(r.rows[p]), r.root[p]
			for q := range row {
				row[q] = sp * r.root[q] * from[r.rows[q]]
			}
			row[p]++
		}
	})
	r.chol.Backend = blas.Within(ctx)
	err := r.chol.Factor(r.store)
	r.chol.Backend = blas.Backend{} // solutions are short, and asked for after an interrupt too
	var np *blas.NotPositiveDefinite
	switch {
	case errors.As(err, &np):
		return fmt.Errorf(
			"s3vm: the kernel is not positive semidefinite on these rows; choose one that is, such as gaussian, or a smaller C: %w", err)
	case err != nil:
		return err
	}
	if r.offset {
		for i := range r.v {
			r.v[i] = 1
		}
		r.apply(r.v)
		r.sumV = floats.Sum(r.v)
	}
	return nil
}

// apply replaces x by S B^-1 S x.
func (r *ridge) apply(x []float64) {
	floats.Mul(x, r.root)
	r.chol.SolveTo(mat.NewDense(len(x), 1, x))
	floats.Mul(x, r.root)
}

// solve stores the minimum for the targets t.
func (r *ridge) solve(at *function, t []float64) {
	copy(at.alpha, t)
	r.apply(at.alpha)
	if r.offset {
		at.b = floats.Sum(at.alpha) / r.sumV
		floats.AddScaled(at.alpha, -at.b, r.v)
	}
	for i, d := range r.bend {
		at.f[i] = t[i] - at.alpha[i]/d
	}
}

// end gives the storage back.
func (r *ridge) end() { r.tables.give(r.store.RawMatrix().Data) }

// square is the step of the square.
type square struct{ *ridge }

func (square) tolerances() (rough, fine, final float64) { return 0, 0, 0 }

// minimise implements fstep.
func (s square) minimise(_ context.Context, at *function, y []float64, _, _ float64) (int, error) {
	s.solve(at, y)
	return 1, nil
}

// residual implements fstep.
func (s square) residual(at *function, y []float64) float64 { return s.gradient(learn.Square(), at, y) }

func (square) limited() string { return "" }
