package rls_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/kept"
	"github.com/mercer-ml/mercer/internal/stoptest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/rls"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"
)

// waves returns n rows of d normal features and c noisy smooth targets of a level of their own.
func waves(n, d, c int, seed uint64) (data.Rows, *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 11))
	x, y := mat.NewDense(n, d, nil), mat.NewDense(n, c, nil)
	for i := range n {
		for k := range d {
			x.Set(i, k, rng.NormFloat64())
		}
		for j := range c {
			y.Set(i, j, float64(3*j+1)+math.Sin(2*x.At(i, 0)+float64(j))+0.5*x.At(i, 1)*x.At(i, j%d)+0.1*rng.NormFloat64())
		}
	}
	return data.Rows{Dense: x}, y
}

// ran is the list lo to hi-1.
func ran(lo, hi int) []int {
	idx := make([]int, hi-lo)
	for i := range idx {
		idx[i] = lo + i
	}
	return idx
}

func products(t testing.TB, k kernel.Kernel, rows data.Rows, z []int, precision kernel.Precision) *kernel.Products {
	t.Helper()
	g, err := k.Bind(context.Background(), rows.Select(z), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := kernel.NewProducts(g, rows, precision)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func landmarkPath(t testing.TB, p *kernel.Products, y *mat.Dense, o rls.LandmarkOptions) *rls.LandmarkPath {
	t.Helper()
	path, err := rls.NewLandmarkPath(context.Background(), p, y, o)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// outputs of a fit on the rows of p.
func outputs(t testing.TB, f *rls.LandmarkFit, p *kernel.Products) *mat.Dense {
	t.Helper()
	out, err := f.Outputs(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// apart is the largest difference.
func apart(a, b *mat.Dense) float64 {
	var d mat.Dense
	d.Sub(a, b)
	var most float64
	for _, v := range d.RawMatrix().Data {
		if !(math.Abs(v) <= most) {
			most = math.Abs(v)
		}
	}
	return most
}

// The path on landmarks is that of rls on the Nystrom kernel: outputs, left-out outputs, degrees of
// freedom and generalised cross-validation.
func TestLandmarkPath(t *testing.T) {
	ctx := context.Background()
	rows, y := waves(130, 3, 2, 1)
	z := ran(0, 25)
	lambdas := []float64{1e-3, 0.1, 10}
	for _, k := range []kernel.Kernel{kernel.Gaussian{Sigma: 1.5}, kernel.Gaussian{Sigma: 6},
		kernel.Polynomial{Degree: 2, Scale: 0.3, Offset: 1}} {
		g, err := manifold.Reduced{Base: k, Rows: z}.Bind(ctx, rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		gram := mat.NewDense(130, 130, nil)
		g.Block(gram, nil, nil)
		for _, offset := range []bool{false, true} {
			p := products(t, k, rows, z, kernel.Double)
			path := landmarkPath(t, p, y, rls.LandmarkOptions{Offset: offset})
			whole, err := rls.NewPath(t.Context(), gram, y, nil, offset)
			if err != nil {
				t.Fatal(err)
			}
			left, err := path.LeaveOut(ctx, lambdas)
			if err != nil {
				t.Fatal(err)
			}
			for q, lambda := range lambdas {
				what := fmt.Sprintf("%v, offset %v, lambda %g", k, offset, lambda)
				f, err := path.At(lambda)
				if err != nil {
					t.Fatal(err)
				}
				want := at(t, whole, lambda)
				fitted := mat.NewDense(130, 2, nil)
				want.Fitted(fitted)
				if off := apart(outputs(t, f, p), fitted); !(off <= 1e-8) {
					t.Errorf("%s: outputs are off by %g", what, off)
				}
				o, err := want.LeaveOut(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				if off := apart(left[q], o); !(off <= 1e-8) {
					t.Errorf("%s: left-out outputs are off by %g", what, off)
				}
				if a, b := path.DegreesOfFreedom(lambda), whole.DegreesOfFreedom(lambda); !scalar.EqualWithinAbs(a, b, 1e-8*b) {
					t.Errorf("%s: %g degrees of freedom, want %g", what, a, b)
				}
				gcv, _, _, err := want.GCV(t.Context(), false)
				if err != nil {
					t.Fatal(err)
				}
				if got := path.GCV(lambda); !scalar.EqualWithinAbs(got, gcv, 1e-7*gcv) {
					t.Errorf("%s: GCV %g, want %g", what, got, gcv)
				}
				if r := floats.Max(f.Residual); !(r <= 1e-12) || !f.Converged {
					t.Errorf("%s: residual %g", what, r)
				}
			}
		}
	}
}

// All rows as centres: the machine on K itself.
func TestLandmarksOfAllRows(t *testing.T) {
	ctx := context.Background()
	rows, y := waves(90, 3, 2, 2)
	k := kernel.Gaussian{Sigma: 1}
	g, err := k.Bind(ctx, rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	gram := mat.NewDense(90, 90, nil)
	g.Block(gram, nil, nil)
	for _, offset := range []bool{false, true} {
		want, err := rls.Solve(t.Context(), gram, y, nil, offset, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		fitted := mat.NewDense(90, 2, nil)
		want.Fitted(fitted)
		for _, precision := range []kernel.Precision{kernel.Mixed, kernel.Double} {
			p := products(t, k, rows, ran(0, 90), precision)
			f, err := landmarkPath(t, p, y, rls.LandmarkOptions{Offset: offset}).At(0.05)
			if err != nil {
				t.Fatal(err)
			}
			s, err := rls.NewLandmarkSolver(ctx, p, y, rls.LandmarkOptions{Offset: offset})
			if err != nil {
				t.Fatal(err)
			}
			i, err := s.At(ctx, 0.05, nil, rls.LandmarkStop{Tolerance: 1e-9})
			if err != nil {
				t.Fatal(err)
			}
			// In single precision delta is 5e-6, an error of delta/lambda of the outputs.
			tol := 1e-8
			if precision == kernel.Mixed {
				tol = 1e-3
			}
			for way, f := range map[string]*rls.LandmarkFit{"path": f, "solver": i} {
				if off := apart(outputs(t, f, p), fitted); !(off <= tol) || !f.Converged {
					t.Errorf("offset %v, precision %d: the outputs of the %s are off by %g; %d steps, residual %g",
						offset, precision, way, off, f.Iterations, f.Residual)
				}
			}
		}
	}
}

// The solver's answers are the path's, from any start, whatever the precision.
func TestLandmarkSolver(t *testing.T) {
	ctx := context.Background()
	rows, y := waves(700, 4, 3, 3)
	// The wide kernel's W is singular to working precision; its residual stops above 1e-8, and at 1.2e-7 where the processor rounds a
	// product and a sum once.
	wide := 1e-7
	if !kept.Rounds() {
		wide = 2e-7
	}
	for k, tolerance := range map[kernel.Gaussian]float64{{Sigma: 2}: 1e-9, {Sigma: 20}: wide} {
		for _, offset := range []bool{false, true} {
			for _, precision := range []kernel.Precision{kernel.Mixed, kernel.Double} {
				p := products(t, k, rows, ran(0, 60), precision)
				o := rls.LandmarkOptions{Offset: offset}
				if precision == kernel.Double {
					o.Ridge = 1e-10 // the solver's own
				}
				path := landmarkPath(t, p, y, o)
				s, err := rls.NewLandmarkSolver(ctx, p, y, o)
				if err != nil {
					t.Fatal(err)
				}
				var start *rls.LandmarkFit
				for _, lambda := range []float64{100, 1, 1e-2} {
					want, err := path.At(lambda)
					if err != nil {
						t.Fatal(err)
					}
					cold, err := s.At(ctx, lambda, nil, rls.LandmarkStop{Tolerance: tolerance})
					if err != nil {
						t.Fatal(err)
					}
					if start, err = s.At(ctx, lambda, start, rls.LandmarkStop{Tolerance: tolerance}); err != nil {
						t.Fatal(err)
					}
					tol := 300 * tolerance // of the fit, whose norm is some 150
					if precision == kernel.Mixed {
						tol = 2e-4 // the entries' rounding over the root of delta
					}
					for way, f := range map[string]*rls.LandmarkFit{"cold": cold, "warm": start} {
						if off := apart(outputs(t, f, p), outputs(t, want, p)); !(off <= tol) || !f.Converged || f.Iterations > 80 {
							t.Errorf("%v, offset %v, precision %d, lambda %g, %s: off by %g after %d steps, residual %g",
								k, offset, precision, lambda, way, off, f.Iterations, f.Residual)
						}
					}
				}
				again, err := s.At(ctx, 1e-2, start, rls.LandmarkStop{Tolerance: 10 * tolerance})
				if err != nil || again.Iterations > 1 {
					t.Errorf("%d steps from the answer, %v", again.Iterations, err)
				}
			}
		}
	}
}

// Left-out outputs are those of n machines trained anew.
func TestLandmarkLeaveOutByRefits(t *testing.T) {
	ctx := context.Background()
	const n = 40
	rows, y := waves(n, 3, 2, 4)
	k, z, lambda := kernel.Gaussian{Sigma: 1.5}, ran(5, 17), 0.03
	for _, offset := range []bool{false, true} {
		o := rls.LandmarkOptions{Offset: offset}
		o.Ridge = 1e-12
		left, err := landmarkPath(t, products(t, k, rows, z, kernel.Mixed), y, o).LeaveOut(ctx, []float64{7, lambda})
		if err != nil {
			t.Fatal(err)
		}
		g, err := k.Bind(ctx, rows.Select(z), nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			others := append(ran(0, i), ran(i+1, n)...)
			rest := mat.NewDense(n-1, 2, nil)
			for a, b := range others {
				rest.SetRow(a, y.RawRowView(b))
			}
			p, err := kernel.NewProducts(g, rows.Select(others), kernel.Double)
			if err != nil {
				t.Fatal(err)
			}
			f, err := landmarkPath(t, p, rest, o).At(lambda)
			if err != nil {
				t.Fatal(err)
			}
			one, err := kernel.NewProducts(g, rows.Select([]int{i}), kernel.Double)
			if err != nil {
				t.Fatal(err)
			}
			if off := apart(outputs(t, f, one), left[1].Slice(i, i+1, 0, 2).(*mat.Dense)); !(off <= 1e-8) {
				t.Errorf("offset %v: row %d is off by %g", offset, i, off)
			}
		}
	}
}

// Left-out folds are those of rls on the Nystrom kernel, of single rows those of the path; rows in no fold have none. The
// machine of all rows is that of the path.
func TestLandmarkFolds(t *testing.T) {
	ctx := context.Background()
	rows, y := waves(80, 3, 2, 6)
	k, z, lambdas := kernel.Gaussian{Sigma: 1.5}, ran(5, 25), []float64{0.05, 3}
	g, err := manifold.Reduced{Base: k, Rows: z}.Bind(ctx, rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	gram := mat.NewDense(80, 80, nil)
	g.Block(gram, nil, nil)
	single := make([][]int, 80)
	for i := range single {
		single[i] = []int{i}
	}
	p := products(t, k, rows, z, kernel.Double)
	for _, offset := range []bool{false, true} {
		o := rls.LandmarkOptions{Offset: offset}
		path, err := rls.NewPath(t.Context(), gram, y, nil, offset)
		if err != nil {
			t.Fatal(err)
		}
		for _, folds := range [][][]int{{ran(0, 30), ran(50, 80), {31, 44}}, {ran(0, 20), ran(20, 80)}, single} {
			f, err := rls.NewLandmarkFolds(ctx, p, y, nil, folds, o)
			if err != nil {
				t.Fatal(err)
			}
			left, err := f.LeaveOut(ctx, lambdas)
			if err != nil {
				t.Fatal(err)
			}
			for q, lambda := range lambdas {
				want, err := at(t, path, lambda).LeaveOut(t.Context(), folds)
				if err != nil {
					t.Fatal(err)
				}
				for i := range 80 {
					if !slices.ContainsFunc(folds, func(b []int) bool { return slices.Contains(b, i) }) {
						want.SetRow(i, make([]float64, 2))
					}
				}
				if off := apart(left[q], want); !(off <= 1e-8) {
					t.Errorf("offset %v, %d folds, lambda %g: off by %g", offset, len(folds), lambda, off)
				}
				whole, err := f.At(ctx, lambda)
				if err != nil {
					t.Fatal(err)
				}
				one, err := landmarkPath(t, p, y, o).At(lambda)
				if err != nil {
					t.Fatal(err)
				}
				if off := apart(outputs(t, whole, p), outputs(t, one, p)); !(off <= 1e-8) || !(whole.Residual[1] < 1e-9) {
					t.Errorf("offset %v, lambda %g: off by %g from the path, residual %v", offset, lambda, off, whole.Residual)
				}
			}
		}
	}
	if f, err := rls.NewLandmarkFolds(ctx, p, y, nil, [][]int{ran(0, 80)}, rls.LandmarkOptions{}); err != nil {
		t.Error(err)
	} else if _, err := f.LeaveOut(ctx, lambdas); err == nil {
		t.Error("a machine is trained on no row")
	}
	stoptest.Everywhere(t, func(ctx context.Context) error {
		f, err := rls.NewLandmarkFolds(ctx, p, y, nil, [][]int{ran(0, 30), ran(40, 80)}, rls.LandmarkOptions{Offset: true})
		if err != nil {
			return err
		}
		_, err = f.LeaveOut(ctx, lambdas)
		return err
	})
}

func TestLandmarkFaults(t *testing.T) {
	ctx := context.Background()
	rows, y := waves(60, 3, 1, 5)
	p := products(t, kernel.Gaussian{Sigma: 1}, rows, ran(0, 20), kernel.Mixed)
	stoptest.Everywhere(t, func(ctx context.Context) error {
		path, err := rls.NewLandmarkPath(ctx, p, y, rls.LandmarkOptions{Offset: true})
		if err != nil {
			return err
		}
		_, err = path.LeaveOut(ctx, []float64{1})
		return err
	})
	stoptest.Everywhere(t, func(ctx context.Context) error {
		s, err := rls.NewLandmarkSolver(ctx, p, y, rls.LandmarkOptions{Offset: true})
		if err != nil {
			return err
		}
		_, err = s.At(ctx, 1, nil, rls.LandmarkStop{})
		return err
	})
	s, err := rls.NewLandmarkSolver(ctx, p, y, rls.LandmarkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.At(ctx, 1e-3, nil, rls.LandmarkStop{MaxIterations: 1, Tolerance: 1e-14})
	if err != nil || f.Converged || f.Residual[0] < 1e-14 {
		t.Errorf("one step is %+v, %v", f, err)
	}
	path := landmarkPath(t, p, y, rls.LandmarkOptions{})
	for _, lambda := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := s.At(ctx, lambda, nil, rls.LandmarkStop{}); err == nil {
			t.Errorf("the solver takes lambda %g", lambda)
		}
		if _, err := path.At(lambda); err == nil {
			t.Errorf("the path takes lambda %g", lambda)
		}
		if _, err := path.LeaveOut(ctx, []float64{1, lambda}); err == nil {
			t.Errorf("rows are left out at lambda %g", lambda)
		}
	}
	y.Set(3, 0, math.NaN())
	if _, err := rls.NewLandmarkSolver(ctx, p, y, rls.LandmarkOptions{}); err == nil {
		t.Error("the solver takes NaN")
	}
}
