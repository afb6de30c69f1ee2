package solve

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Conjugate gradients on an operator whose products are not exact begin once more from the true residual, then say that there is no
// progress, with the residual that there is.
func TestCGOfInexactProducts(t *testing.T) {
	a, b := spd(40, 2, 1)
	calls := 0
	rough := func(dst, x *mat.Dense) {
		dst.Mul(a, x)
		calls++
		dst.Apply(func(i, j int, v float64) float64 { return v * (1 + 1e-6*math.Sin(float64(7*calls+3*i+j))) }, dst)
	}
	x := mat.NewDense(40, 2, nil)
	r, err := CG(t.Context(), rough, x, b, CGOptions{})
	if err != nil || r.Status != NoProgress {
		t.Fatalf("%+v, %v", r, err)
	}
	var left mat.Dense
	left.Mul(a, x)
	left.Sub(b, &left)
	for j := range 2 {
		if got := mat.Norm(left.ColView(j), 2) / mat.Norm(b.ColView(j), 2); got > 1e-3 || r.Residual[j] < 1e-10 || r.Residual[j] > 1e-3 {
			t.Errorf("column %d is off by %g, which it says is %g", j, got, r.Residual[j])
		}
	}
}

// Where the curvature is not positive, or a step is not finite, the last point is the answer.
func TestDiagonalCGOfNoCurvature(t *testing.T) {
	ones := []float64{1, 1, 1}
	for name, by := range map[string]float64{"negative": -2, "none": 0, "not a number": math.NaN()} {
		var s DiagonalCG
		apply := func(dst, x []float64) {
			for i, v := range x {
				dst[i] = by * v
			}
		}
		x, err := s.Solve(t.Context(), []float64{1, 2, 3}, ones, 1e-10, apply)
		if err != nil || x[0] != 0 || x[1] != 0 || x[2] != 0 {
			t.Errorf("%s: %v, %v", name, x, err)
		}
	}
}

// Eigenpairs that cannot be had are refused, and those beyond what rounding leaves are said to be without progress.
func TestEigenEndings(t *testing.T) {
	n, ring, _ := rings(400)
	nothing := func(x *mat.Dense) { x.Zero() }
	_, err := Eigen(t.Context(), ring, n, 3, EigenOptions{Project: nothing})
	if err == nil || err.Error() != "solve: 3 eigenpairs wanted of an operator whose projection leaves fewer dimensions" {
		t.Errorf("nothing left: error %v", err)
	}
	for _, n := range []int{20, 400} {
		broken := func(dst, _ *mat.Dense) { dst.Apply(func(_, _ int, _ float64) float64 { return math.NaN() }, dst) }
		if _, err := Eigen(t.Context(), broken, n, 2, EigenOptions{}); err == nil {
			t.Errorf("order %d: products that are no numbers have eigenvalues", n)
		}
		n, ring, want := rings(n)
		r, err := Eigen(t.Context(), ring, n, 2, EigenOptions{Tolerance: 1e-30})
		// Of order 400 the products that are allowed may end before rounding ends the progress.
		ended := r.Status == NoProgress || n == 400 && r.Status == BudgetSpent
		if err != nil || !ended || math.Abs(r.Values[0]-want[0]) > 1e-9 {
			t.Errorf("order %d: %v, %v, %v", n, r.Status, r.Values, err)
		}
	}
	r, err := Eigen(t.Context(), ring, n, 2, EigenOptions{MaxProducts: 1, Tolerance: 1e-14})
	if err != nil || r.Status != BudgetSpent {
		t.Errorf("%v, %v", r.Status, err)
	}
}

// A gradient that is no number is of no point: at the start there is no function, and later the point before is the answer.
func TestGradientsThatAreNone(t *testing.T) {
	for _, from := range []float64{3, 1.5} { // where the gradient begins, on the way down from 2
		r, err := LBFGSB(t.Context(), func(_ context.Context, x, g []float64) (float64, error) {
			if g[0] = 2 * (x[0] + 1); x[0] < from {
				g[0] = math.NaN()
			}
			return (x[0] + 1) * (x[0] + 1), nil
		}, []float64{2}, []float64{-4}, []float64{4}, LBFGSBOptions{})
		if start := from == 3; err != nil || (r.Status == Infeasible) != start || !start && r.X[0] < from {
			t.Errorf("from %g on: %+v, %v", from, r, err)
		}
	}
}

// A step into a region where the function does not exist is halved until it is left, whatever the length of the step.
func TestRegionsWithoutFunction(t *testing.T) {
	// x - log(x)/10 + 10 (y-1)^2, with x = u+v and y = u: its minimum is at x = 1/10, u = 1.
	f := func(_ context.Context, x, g []float64) (float64, error) {
		w := x[0] + x[1]
		if w <= 0 {
			return math.Inf(1), nil
		}
		g[0], g[1] = 1-0.1/w+20*(x[0]-1), 1-0.1/w
		return w - 0.1*math.Log(w) + 10*(x[0]-1)*(x[0]-1), nil
	}
	for _, start := range []float64{0.01, 0.1, 0.5, 3, 10, 100} {
		for _, lo := range []float64{math.Inf(-1), -200} {
			r, err := LBFGSB(t.Context(), f, []float64{start, start}, []float64{lo, lo}, []float64{math.Inf(1), math.Inf(1)}, LBFGSBOptions{})
			if err != nil || !r.Status.Converged() || math.Abs(r.X[0]-1) > 1e-3 || math.Abs(r.X[0]+r.X[1]-0.1) > 1e-3 {
				t.Errorf("from %g, bound %g: %+v, %v", start, lo, r, err)
			}
		}
	}
}

// Short steps along a soft direction, of a model that knows the stiff one alone, end nothing while they gain; and from a point of infinite
// slope there is a way down.
func TestStiffAndSteep(t *testing.T) {
	inf := math.Inf(1)
	for _, stiff := range []float64{1e4, 1e6, 1e8} {
		f := func(_ context.Context, x, g []float64) (float64, error) {
			g[0], g[1], g[2] = 2*stiff*x[0], 2*x[1], 4*x[2]*x[2]*x[2]
			return stiff*x[0]*x[0] + x[1]*x[1] + x[2]*x[2]*x[2]*x[2], nil
		}
		for _, lo := range []float64{-10, -inf} {
			r, err := LBFGSB(t.Context(), f, []float64{1, 2, 2}, []float64{lo, lo, lo}, []float64{inf, inf, inf}, LBFGSBOptions{})
			if err != nil || !r.Status.Converged() || r.F > 1e-5 {
				t.Errorf("stiffness %g, bound %g: %+v, %v", stiff, lo, r, err)
			}
		}
	}
	root := func(_ context.Context, x, g []float64) (float64, error) {
		a, b := x[1]-3, x[2]-1
		g[0], g[1], g[2] = 0.5/math.Sqrt(x[0]), 2*a+4*a*a*a, 20*b
		return math.Sqrt(x[0]) + a*a + a*a*a*a + 10*b*b, nil
	}
	for _, start := range []float64{0, 0.01, 0.5} {
		r, err := LBFGSB(t.Context(), root, []float64{start, 0, 0}, []float64{0, -10, -10}, []float64{1, 10, 10}, LBFGSBOptions{})
		if err != nil || r.F > 1e-4 {
			t.Errorf("from %g: %+v, %v", start, r, err)
		}
	}
}
