// Package solve holds the numerical methods that learners and searches share:
// minimisers, root finders and linear iterations. It knows nothing of learning.
// One method a file; each has an Options struct whose zero value is a sensible
// default, a limit on its work, and an answer that carries its certificate.
//
// A new numerical method is a file here, with a certificate of its answer.
package solve

import (
	"context"
	"fmt"
	"math"
)

// Func is a function to minimise. It returns the value at x and, when grad is
// not nil, fills grad with the gradient. +Inf (or NaN) marks a point where the
// function does not exist; its gradient is not read. An error stops the method,
// which returns it with the best point so far. Func must not keep or change x.
type Func func(ctx context.Context, x, grad []float64) (float64, error)

// Status says why a method stopped. Its String is the sentence to print.
type Status int

const (
	// Unfinished is the zero value: no answer yet, or an error stopped the method.
	Unfinished Status = iota
	// GradientSmall means: the first-order conditions hold to tolerance.
	GradientSmall
	// DecreaseSmall means: the last step gained less than the tolerance.
	DecreaseSmall
	// StepSmall means: the last step, or the simplex or interval, is below tolerance.
	StepSmall
	// ResidualSmall means: the residual is below tolerance.
	ResidualSmall
	// NoiseReached means: a step can gain less than the noise of the function.
	NoiseReached
	// NoProgress means: rounding errors allow no further decrease.
	NoProgress
	// BudgetSpent means: the limit on evaluations or iterations was reached.
	BudgetSpent
	// Infeasible means: the function does not exist at the start.
	Infeasible
	// Unbounded means: the function reached -Inf.
	Unbounded
	// Indefinite means: the operator is not positive definite.
	Indefinite
)

var statusText = [...]string{
	Unfinished:    "unfinished",
	GradientSmall: "converged: projected gradient below tolerance",
	DecreaseSmall: "converged: decrease below tolerance",
	StepSmall:     "converged: step below tolerance",
	ResidualSmall: "converged: residual below tolerance",
	NoiseReached:  "converged: what is left to gain is below the noise of the function",
	NoProgress:    "stopped: no further decrease at working precision",
	BudgetSpent:   "stopped: budget spent",
	Infeasible:    "failed: the start is not feasible",
	Unbounded:     "failed: the function is unbounded below",
	Indefinite:    "failed: the operator is not positive definite",
}

func (s Status) String() string {
	if s < 0 || int(s) >= len(statusText) {
		return fmt.Sprintf("Status(%d)", int(s))
	}
	return statusText[s]
}

// Converged tells whether a tolerance was met.
func (s Status) Converged() bool { return s >= GradientSmall && s <= NoiseReached }

// Result is the answer of a minimiser.
type Result struct {
	X           []float64 // best point visited, the first on ties
	F           float64   // value there
	Gradient    float64   // certificate: largest |projected gradient| at X; NaN for methods without gradients
	Evaluations int
	Iterations  int
	Status      Status
}

func orLimit(v, d int) int {
	if v <= 0 {
		return d
	}
	return v
}

// finite maps NaN to +Inf: both mark points where a function does not exist.
func finite(f float64) float64 {
	if math.IsNaN(f) {
		return math.Inf(1)
	}
	return f
}

// mustBox panics unless lo <= hi and both have the length of x.
func mustBox(x, lo, hi []float64) {
	if len(lo) != len(x) || len(hi) != len(x) {
		panic(fmt.Sprintf("solve: start has %d values, bounds %d and %d", len(x), len(lo), len(hi)))
	}
	for i := range lo {
		if !(lo[i] <= hi[i]) {
			panic(fmt.Sprintf("solve: bounds %g..%g of variable %d are not an interval", lo[i], hi[i], i))
		}
	}
}

func clip(x, lo, hi []float64) {
	for i := range x {
		x[i] = min(max(x[i], lo[i]), hi[i])
	}
}

// kkt returns max_i |P(x - g) - x|_i, the projected gradient: zero exactly
// where the first-order conditions of the box hold.
func kkt(x, g, lo, hi []float64) float64 {
	r := 0.0
	for i := range x {
		r = max(r, math.Abs(min(max(x[i]-g[i], lo[i]), hi[i])-x[i]))
	}
	return r
}
