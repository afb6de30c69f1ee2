package rls

// Problem   see landmarks.go: one lambda at a time by iteration, for sums S that would cost too much.
// Method    conjugate gradients (solve.CG, all outputs at once) on
//
//	A^-1 (S + lambda I) A^-T u = A^-1 Phi'Y,   beta = A^-T u,
//	A A' = (n/q) S_Q + lambda I,   S_Q = Phi_Q'Phi_Q, centred as S is with the offset
//
//           S beta = L^-1 K'(K L^-T beta) is one pass of kernel.Products; Q is a sample of rows, 4m
//           or n/50 of them if that is more. In FALKON Q is Z, which must then be a sample of the rows, as means are not;
//           and more rows save steps: 14 in the place of 24 for 100 000 rows and 2000 centres (BenchmarkLandmarkSolver, lambda 1).
// Offset    K V less the means of its columns, which are those of K times V, from the pass that makes Phi'Y: what K' is
//           then applied to has mean zero, so that K' need not be centred.
// Start     the fit of another lambda: paths go from large lambda to small.
// Stop      |A^-1 r| <= tolerance |A^-1 Phi'Y| for every output, r the residual computed from the answer: in this norm it is the
//           error relative to the fit but for the condition number.
// Cost      a pass is 4 n m c flops and n m kernel values; one for Phi'Y, one a step, two a lambda for the
//           residuals (one without a start); 2 q m^2 once and m^3/3 a lambda. Memory: 4 m^2 numbers, n (c+1), some m c.
// Source    Rudi, Carratino and Rosasco, NIPS 2017; Meanti, Carratino, Rosasco and Rudi, NeurIPS 2020.

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/solve"
	"gonum.org/v1/gonum/mat"
)

// LandmarkSolver solves the problem by iteration. It is not changed once made.
type LandmarkSolver struct {
	*landmarks
	own *mat.Dense // (n/q) S_Q
	b   *mat.Dense // Phi'Y
	// With the offset in kernel values: K'1/n.
	kmean *mat.Dense
}

// The preconditioner's sample has sampleRows times m rows, and at least one in sampleShare: 2 q m^2 flops for it
// are then what a few passes cost.
const sampleRows, sampleShare = 4, 50

// LandmarkStop says when to stop.
type LandmarkStop struct {
	Tolerance     float64 // of the residual, see above; 0: 1e-4, which decisions of classes do not tell from less
	MaxIterations int     // 0: 100
}

// NewLandmarkSolver makes Phi'Y and what preconditioners share. y (n x c) is kept and must not change.
func NewLandmarkSolver(ctx context.Context, p *kernel.Products, y *mat.Dense, o LandmarkOptions) (*LandmarkSolver, error) {
	l, err := newLandmarks(p, y, nil, o, 1e-10)
	if err != nil {
		return nil, err
	}
	s := &LandmarkSolver{landmarks: l}
	if err := s.right(ctx); err != nil {
		return nil, err
	}
	return s, s.sample(ctx)
}

// sample makes S of some rows, drawn without repetition.
func (s *LandmarkSolver) sample(ctx context.Context) error {
	q := min(s.n, max(sampleRows*s.m, s.n/sampleShare))
	rng := rand.New(rand.NewPCG(uint64(s.n), uint64(s.m))) // no result depends on it but for rounding
	idx := rng.Perm(s.n)[:q]
	slices.Sort(idx)
	part, err := kernel.NewProducts(s.p.Centres(), s.p.Rows().Select(idx), kernel.Double)
	if err != nil {
		return err
	}
	sum, err := s.sums(ctx, part, mat.NewDense(q, s.c, nil), nil)
	if err != nil {
		return err
	}
	s.own, _, _ = sum.centre(s.o.Offset)
	s.own.Scale(float64(s.n)/float64(q), s.own)
	return nil
}

// right makes Phi'Y and the means of the features, in one pass.
func (s *LandmarkSolver) right(ctx context.Context) error {
	y := s.centred(s.y)
	wide := s.c
	if s.o.Offset { // a column of ones beside
		wide++
		y = y.Grow(0, 1).(*mat.Dense)
		for i := range s.n {
			y.Set(i, s.c, 1)
		}
	}
	ky := mat.NewDense(s.m, wide, nil)
	if err := s.p.MulT(ctx, ky, y); err != nil {
		return err
	}
	for _, v := range ky.RawMatrix().Data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return ErrNotFinite
		}
	}
	if s.o.Offset {
		s.kmean = mat.DenseCopyOf(ky.Slice(0, s.m, s.c, wide))
		s.kmean.Scale(1/float64(s.n), s.kmean)
		mean := mat.DenseCopyOf(s.kmean)
		s.f.Project(mean)
		s.mean = mean.RawMatrix().Data
	}
	s.b = mat.DenseCopyOf(ky.Slice(0, s.m, 0, s.c))
	s.f.Project(s.b)
	return nil
}

// At solves for one lambda > 0 from the start of another fit of this solver, nil for none. A fit that
// the limit of iterations stopped is no error: it says so.
func (s *LandmarkSolver) At(ctx context.Context, lambda float64, start *LandmarkFit, stop LandmarkStop) (*LandmarkFit, error) {
	if err := checkLambda(lambda); err != nil {
		return nil, err
	}
	if stop.Tolerance == 0 {
		stop.Tolerance = 1e-4
	}
	if stop.MaxIterations == 0 {
		stop.MaxIterations = 100
	}
	var a blas.Cholesky
	own := mat.DenseCopyOf(s.own)
	for i := range s.m {
		own.Set(i, i, own.At(i, i)+lambda)
	}
	if err := a.Factor(own); err != nil {
		return nil, fmt.Errorf("rls: preconditioner of %d centres with lambda %g, which is too small for it: %w", s.m, lambda, err)
	}
	u, b := mat.NewDense(s.m, s.c, nil), mat.DenseCopyOf(s.b)
	a.SolveL(false, b)
	if start != nil { // u = A'beta
		upper := mat.NewDense(s.m, s.m, nil)
		for i := range s.m {
			for k, v := range own.RawRowView(i)[:i+1] {
				upper.Set(k, i, v)
			}
		}
		blas.Gemm(false, false, 1, upper, start.beta, 0, u)
	}
	// The operator cannot return an error; it stops the iteration by the context instead.
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	var failed error
	first := start == nil // at u = 0 no pass is needed
	res, err := solve.CG(within, func(dst, x *mat.Dense) {
		if failed != nil || first {
			first = false
			dst.Zero()
			return
		}
		if failed = s.apply(ctx, dst, x, &a, lambda); failed != nil {
			cancel()
		}
	}, u, b, solve.CGOptions{MaxIterations: stop.MaxIterations, Tolerance: stop.Tolerance})
	if failed != nil {
		return nil, failed
	}
	if err != nil {
		return nil, err
	}
	a.SolveL(true, u)
	f := s.fit(lambda, u)
	f.Residual, f.Iterations, f.Converged = res.Residual, res.Iterations, res.Status == solve.ResidualSmall
	return f, nil
}

// apply stores A^-1 (S + lambda I) A^-T x in dst.
func (s *LandmarkSolver) apply(ctx context.Context, dst, x *mat.Dense, a *blas.Cholesky, lambda float64) error {
	beta := mat.DenseCopyOf(x)
	a.SolveL(true, beta)
	v := mat.DenseCopyOf(beta)
	s.f.Coefficients(v)
	var means []float64 // of the columns of K v
	if s.o.Offset {
		means = make([]float64, s.c)
		blas.Gemm(true, false, 1, s.kmean, v, 0, mat.NewDense(1, s.c, means))
	}
	if err := s.p.Normal(ctx, dst, nil, v, means); err != nil {
		return err
	}
	s.f.Project(dst)
	for k := range s.m {
		row := dst.RawRowView(k)
		for j, w := range beta.RawRowView(k) {
			row[j] += lambda * w
		}
	}
	a.SolveL(false, dst)
	return nil
}
