// Package dual solves the dual problems of support vector machines: a quadratic
// programme over a box, with or without an equality constraint,
//
//	minimise over a:  1/2 a'Qa + p'a,   Q_uv = s_u s_v K[r_u, r_v],   0 <= a_u <= c_u       (D)
//
// s_u = +1 or -1, r_u the kernel row of variable u (several variables may share
// a row). With the signed coefficients beta_u = s_u a_u it is
//
//	minimise 1/2 beta'K beta - h'beta,   lo <= beta <= hi,   h_u = -s_u p_u
//
// and everything is said of the residuals
//
//	F_u = h_u - f_u,   f_u = sum_v K[r_u, r_v] beta_v.
//
// beta is optimal where F_u <= b if beta_u can grow (u in U) and F_u >= b if it can
// shrink (u in L), with b = 0 when there is no equality constraint. The violation
// is LIBSVM's m - M,
//
//	max_{u in U} F_u - min_{v in L} F_v     (with Nu: the larger of the two signs')
//
// and without the constraint the largest |projected gradient|. The duality gap,
//
//	gap = sum_u (F_u - b)+ (hi_u - beta_u) + (b - F_u)+ (beta_u - lo_u),
//
// bounds the distance of the objective from its minimum for whatever beta and b
// (linearise the quadratic at beta and minimise over the box), if K is positive
// semi-definite. With an indefinite K the programme has several solutions, from which a small
// violation tells none but says that beta is one to first order; which one is found
// depends on the order of the rows, here as in LIBSVM, and the gap bounds nothing.
//
// Sources: Osuna, Freund and Girosi, "An improved training algorithm for support
// vector machines", NNSP 1997 (working sets); Platt, "Fast training of support
// vector machines using sequential minimal optimization", 1999; Fan, Chen and Lin,
// "Working set selection using second order information", JMLR 6 (2005), WSS 2;
// Chang and Lin, "LIBSVM", ACM TIST 2 (2011), sections 4 and 5 (shrinking, the nu
// forms); Wen et al., "ThunderSVM", JMLR 19 (2018) (large working sets).
//
// Change here how the dual is solved; the results must stay within the certificate, whatever
// the working set.
package dual

import (
	"context"
	"fmt"
	"math"
)

// Matrix is a symmetric kernel matrix of n rows read by blocks in single
// precision. Its methods may use all cores.
type Matrix interface {
	// Len is the number n of rows.
	Len() int
	// Block stores K[i,j] in dst, row-major |i| x |j|; nil means all rows.
	Block(dst []float32, i, j []int)
	// Diagonal stores K[i,i] in dst, of length n.
	Diagonal(dst []float64)
}

// Problem is (D). Variables with Upper 0 are fixed at 0 and cost nothing.
//
// Offset adds the constraint s'a = s'Start, and with Nu the sum of a over each
// sign is fixed by Start. Start nil is 0. Start must lie in the box; Warm makes it so.
type Problem struct {
	Row    []int     // kernel row of each variable
	Sign   []float64 // +1 or -1
	Linear []float64 // p
	Upper  []float64 // c >= 0, +Inf for a hard margin
	Start  []float64 // feasible point to start from
	Offset bool
	Nu     bool // implies Offset
	Form   Form // how Machine reads the solution
}

// Options tunes Solve. The zero value is the default.
type Options struct {
	// Tolerance is the violation at which to stop, LIBSVM's -e; default 1e-3, of a Regressor whose targets have a spread below 1
	// so much of that.
	Tolerance float64
	// Cache is the size of the store of kernel rows in bytes, default 200 MB. At
	// least the working set is held.
	Cache int64
	// MaxIterations limits the steps of one pair (or, without an offset, one
	// variable), default max(10^7, 100 variables).
	MaxIterations int
	// WorkingSet is the largest number of variables optimised at a time, default 4096.
	WorkingSet int
	// NoShrink keeps all variables under consideration all the time.
	NoShrink bool
	// Progress is called after every working set.
	Progress func(Progress)

	spare *spare
}

// Progress tells how far Solve has come.
type Progress struct {
	Iterations int     // steps so far
	Sets       int     // working sets so far
	Violation  float64 // over the active variables
	Active     int     // variables under consideration
	Variables  int     // of how many
}

// Status says why Solve stopped.
type Status int

const (
	// Unfinished is the zero value: no answer yet.
	Unfinished Status = iota
	// Optimal means: the violation is below tolerance.
	Optimal
	// Stalled means: no step changes a variable any more, at a violation above
	// tolerance: it is below what single precision kernel values allow.
	Stalled
	// LimitReached means: MaxIterations.
	LimitReached
	// Cancelled means: the context ended.
	Cancelled
)

var statusText = [...]string{
	Unfinished:   "unfinished",
	Optimal:      "converged: violation of the optimality conditions below tolerance",
	Stalled:      "stopped: no further progress at single precision kernel values; raise the tolerance or scale the features",
	LimitReached: "stopped: iteration limit; raise it, scale the features or lower C",
	Cancelled:    "stopped: cancelled",
}

func (s Status) String() string {
	if s < 0 || int(s) >= len(statusText) {
		return fmt.Sprintf("Status(%d)", int(s))
	}
	return statusText[s]
}

// Converged tells whether the tolerance was met.
func (s Status) Converged() bool { return s == Optimal }

// Solution is the answer of Solve: the best point so far, whatever the status.
// Objective, Gap and Violation are those of the matrix that Block returns, whose
// entries are single precision; sums are double precision throughout. At tolerances
// from 1e-4 down learners report the objective of the matrix in double precision.
type Solution struct {
	A        []float64
	Gradient []float64 // Qa + p
	// Rho is the threshold: the decision is sum_u s_u a_u k(., r_u) - Rho. It is
	// the mean over the variables inside their bounds, without any the middle of
	// the interval that the bounds leave; 0 without Offset.
	Rho float64
	// Scale is r of the nu forms (half the sum of both signs' thresholds), 1 otherwise.
	Scale     float64
	Objective float64 // 1/2 a'Qa + p'a
	Gap       float64 // bound of Objective above the minimum if K is semi-definite; +Inf possible with infinite bounds
	Violation float64
	// Drift is the largest difference found between the gradient kept up to date
	// and one computed anew, on all rows or a sample; see Solve.
	Drift      float64
	Status     Status
	Iterations int   // steps
	Sets       int   // working sets
	RowsRead   int   // kernel rows computed for the store
	RowsKept   int   // kernel rows found in the store instead
	Entries    int64 // kernel values computed in all
}

// Solve minimises (D). Small problems (at most directSize variables) are solved as
// one working set with their whole matrix in hand; others by working sets of
// WorkingSet variables, each optimised by steps of one pair on its block of the
// matrix, after which the residuals of all active rows are brought up to date by
// one product with the kernel rows of the variables that changed. Rows of free
// variables are kept in a store of Cache bytes; variables at a bound that will stay
// there are set aside, and with them their columns of the matrix, and looked at again
// before the end.
//
// Before it returns, f is computed anew where the whole matrix is in hand, otherwise
// on a sample of rows that includes those that determine the violation; if they
// differ from the ones kept up to date by more than the tolerance, all are computed
// anew and, if need be, optimisation goes on. Drift is the difference found.
//
// The result does not depend on the number of threads if the matrix does not.
// A kernel value met that is not finite is an error that names it; limits and a
// cancelled context are no errors but a Status. They are looked at between
// working sets, and the certificate takes a last product with the matrix.
//
// Small problems on a matrix that is also Doubles are solved in double precision.
//
// Memory: Cache + 4 WorkingSet^2 bytes + some 100 bytes a variable.
func Solve(ctx context.Context, k Matrix, p Problem, o Options) (*Solution, error) {
	return run(ctx, k, p, o, directSize, nil)
}

// run is Solve with the number of variables up to which the matrix is one working set,
// and what is known beforehand, or nil.
func run(ctx context.Context, k Matrix, p Problem, o Options, direct int, seed *seed) (*Solution, error) {
	if err := p.check(k.Len()); err != nil {
		return nil, err
	}
	s := newSolver(k, p, o.withDefaults(len(p.Row)), seed, direct)
	if err := s.diagonal(); err != nil {
		return nil, err
	}
	var err error
	if _, ok := k.(rowed); ok || s.m <= direct {
		err = s.direct(ctx)
	} else {
		err = s.decompose(ctx)
	}
	if err != nil {
		return nil, err
	}
	return s.solution(), nil
}

const defaultTolerance = 1e-3

func (o Options) withDefaults(m int) Options {
	if o.Tolerance <= 0 {
		o.Tolerance = defaultTolerance
	}
	if o.Cache <= 0 {
		o.Cache = 200 << 20
	}
	if o.MaxIterations <= 0 {
		o.MaxIterations = max(1e7, 100*m)
	}
	if o.WorkingSet <= 0 {
		o.WorkingSet = 4096
	}
	o.WorkingSet = max(o.WorkingSet, 8)
	return o
}

// check panics for slices of wrong length and returns an error for wrong values.
func (p Problem) check(n int) error {
	m := len(p.Row)
	if len(p.Sign) != m || len(p.Linear) != m || len(p.Upper) != m || p.Start != nil && len(p.Start) != m {
		panic(fmt.Sprintf("svm: %d variables with %d signs, %d linear terms, %d upper bounds and %d starts",
			m, len(p.Sign), len(p.Linear), len(p.Upper), len(p.Start)))
	}
	for u, r := range p.Row {
		if r < 0 || r >= n {
			panic(fmt.Sprintf("svm: variable %d has kernel row %d of %d", u, r, n))
		}
		if s := p.Sign[u]; s != 1 && s != -1 {
			return fmt.Errorf("svm: variable %d (row %d): sign %g; it must be +1 or -1", u, r, s)
		}
		if v := p.Linear[u]; math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("svm: variable %d (row %d): linear term %g; it must be finite", u, r, v)
		}
		if c := p.Upper[u]; !(c >= 0) {
			return fmt.Errorf("svm: variable %d (row %d): upper bound %g; it must be 0 or more", u, r, c)
		}
		if p.Start != nil {
			if a := p.Start[u]; !(a >= 0 && a <= p.Upper[u]) || math.IsInf(a, 0) {
				return fmt.Errorf("svm: variable %d (row %d): start %g is outside [0, %g]; use Warm", u, r, a, p.Upper[u])
			}
		}
	}
	return nil
}
