package solve

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/pathtest"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"gonum.org/v1/gonum/mat"
)

// Every solver ends with the error of its context, wherever it is stopped.
func TestStoppedAnywhere(t *testing.T) {
	problems := bank()
	rosenbrock := problems[3]
	n, ring, _ := rings(5, 7, 9)
	x, y := gaussians(40, 1, 0.5, 1)
	a, b := spd(12, 2, 1)
	for name, f := range map[string]func(context.Context) error{
		"L-BFGS-B": func(ctx context.Context) error {
			_, err := LBFGSB(ctx, watched(rosenbrock, new(int), nil), rosenbrock.x, rosenbrock.lo, rosenbrock.hi, LBFGSBOptions{})
			return err
		},
		"Nelder-Mead": func(ctx context.Context) error {
			_, err := NelderMead(ctx, watched(rosenbrock, new(int), nil), rosenbrock.x, rosenbrock.lo, rosenbrock.hi, NelderMeadOptions{})
			return err
		},
		"RPROP": func(ctx context.Context) error {
			_, err := RPROP(ctx, watched(rosenbrock, new(int), nil), rosenbrock.x, rosenbrock.lo, rosenbrock.hi, RPROPOptions{})
			return err
		},
		"root": func(ctx context.Context) error {
			_, err := Root(ctx, func(x float64) (float64, float64) { return x*x - 2, 2 * x }, 0, 3, ScalarOptions{})
			return err
		},
		"conjugate gradients": func(ctx context.Context) error {
			_, err := CG(ctx, operator(a), mat.NewDense(12, 2, nil), b, CGOptions{})
			return err
		},
		"eigenpairs": func(ctx context.Context) error { _, err := Eigen(ctx, ring, n, 4, EigenOptions{}); return err },
		"largest": func(ctx context.Context) error {
			_, err := Eigen(ctx, ring, n, 4, EigenOptions{Largest: true})
			return err
		},
		"all pairs": func(ctx context.Context) error { _, err := Eigen(ctx, ring, n, n, EigenOptions{}); return err },
		"path":      func(ctx context.Context) error { _, err := Lasso(ctx, x, y, LassoOptions{}); return err },
		"screened":  func(ctx context.Context) error { _, err := Lasso(ctx, x, y, LassoOptions{Working: 8}); return err },
	} {
		t.Run(name, func(t *testing.T) { stoptest.Everywhere(t, f) })
	}
}

// Every minimiser goes the way it went: the values of its first evaluations of the test problems, and how it ends.
func TestWayOfMinimisers(t *testing.T) {
	var path pathtest.Path
	for _, m := range []struct {
		name string
		run  func(f Func, p problem) (Result, error)
	}{
		{"lbfgsb", func(f Func, p problem) (Result, error) {
			return LBFGSB(t.Context(), f, slices.Clone(p.x), p.lo, p.hi, LBFGSBOptions{Memory: 3})
		}},
		{"nelder-mead", func(f Func, p problem) (Result, error) {
			lo, hi := bounded(p.lo, -20), bounded(p.hi, 20)
			return NelderMead(t.Context(), f, slices.Clone(p.x), lo, hi, NelderMeadOptions{MaxEvaluations: 120})
		}},
		{"rprop", func(f Func, p problem) (Result, error) {
			return RPROP(t.Context(), f, slices.Clone(p.x), p.lo, p.hi, RPROPOptions{MaxEvaluations: 120})
		}},
	} {
		for _, p := range bank() {
			var seen []float64
			r, err := m.run(func(_ context.Context, x, g []float64) (float64, error) {
				f := p.f(x, g)
				if len(seen) < 24 {
					seen = append(seen, f)
				}
				return f, nil
			}, p)
			if err != nil {
				t.Fatal(err)
			}
			path.Add(m.name+", "+p.name, r.Iterations, r.Evaluations, r.Status, seen)
		}
	}
	path.Compare(t, "minimisers")
}

// bounded puts a number in the place of infinities.
func bounded(bounds []float64, v float64) []float64 {
	out := slices.Clone(bounds)
	for i := range out {
		if math.IsInf(out[i], 0) {
			out[i] = v
		}
	}
	return out
}

// Searches on a line look at the points that they looked at.
func TestWayOnALine(t *testing.T) {
	var path pathtest.Path
	for _, c := range []struct {
		name string
		f    func(x float64) (value, slope float64)
	}{
		{"tanh", func(x float64) (float64, float64) { u := math.Tanh(3 * (x - 0.7)); return u, 3 * (1 - u*u) }},
		{"falling", func(x float64) (float64, float64) { return 1 - x*x*x, -3 * x * x }},
		{"no slope", func(x float64) (float64, float64) { return math.Cbrt(x - 1), 0 }},
		{"exponential", func(x float64) (float64, float64) { return math.Exp(x) - 2, math.Exp(x) }},
	} {
		var seen []float64
		r, err := Root(t.Context(), func(x float64) (float64, float64) { seen = append(seen, x); return c.f(x) }, -2, 9, ScalarOptions{})
		if err != nil {
			t.Fatal(err)
		}
		path.Add("root, "+c.name, r.Evaluations, r.Status, seen[:min(len(seen), 20)])
	}
	path.Compare(t, "line")
}

// counting are columns that count how many were asked for.
type counting struct {
	Columns
	asked *int
}

func (c counting) Block(lo, hi int, buf *mat.Dense) *mat.Dense {
	*c.asked += hi - lo
	return c.Columns.Block(lo, hi, buf)
}

// Paths, eigenpairs and systems take the steps, products and columns that they took.
func TestWayOfIterations(t *testing.T) {
	var path pathtest.Path
	for _, set := range []string{"gaussians", "noise", "many", "duplicates"} {
		x, y := gaussians(60, 4, 0.15, 0.33, 0.75, 2.4)
		switch set {
		case "noise":
			x, y = noise(40, 300, 3)
		case "many": // more than a working set takes at once
			x, y = noise(30, 2500, 6)
		case "duplicates":
			x, y = noise(40, 60, 5)
			for j := range 20 {
				copy(x.T.RawRowView(40+j), x.T.RawRowView(j))
			}
		}
		for _, o := range []LassoOptions{{MinShare: 1e-3}, {MinShare: 1e-3, Working: 10, Batch: 4}, {MinShare: 1e-2, Working: 30, Batch: 16}} {
			if set == "duplicates" && o.Working > 0 {
				continue // which of two equal columns is looked at first is a matter of rounding
			}
			asked := 0
			o.Workers = 1
			p, err := Lasso(t.Context(), counting{computed{x}, &asked}, y, o)
			if err != nil {
				t.Fatal(err)
			}
			middle, last := p.Nodes[len(p.Nodes)/2], p.Nodes[len(p.Nodes)-1]
			path.Add(
				fmt.Sprintf("path, %s, working %d", set, o.Working),
				p.End,
				len(p.Nodes),
				p.Steps,
				p.Drops,
				p.Aside,
				asked,
				len(middle.Index),
				middle.SSE,
				middle.L1,
				last.SSE,
				last.Lambda,
			)
		}
	}
	n, ring, _ := rings(200, 257, 261)
	for _, o := range []EigenOptions{{}, {Largest: true}, {Guard: 2}, {Seed: 3}, {MaxProducts: 150}, {Tolerance: 1e-4}} {
		products := 0
		r, err := Eigen(t.Context(), func(dst, x *mat.Dense) { _, c := x.Dims(); products += c; ring(dst, x) }, n, 5, o)
		if err != nil {
			t.Fatal(err)
		}
		if products != r.Products {
			t.Errorf("%d products, counted as %d", products, r.Products)
		}
		if r.Norm < 3 || r.Norm > 6 { // 4
			t.Errorf("norm %g", r.Norm)
		}
		path.Add(fmt.Sprintf("eigenpairs %+v", [...]any{o.Largest, o.Guard, o.Seed, o.MaxProducts}), r.Status, r.Products)
	}
	a, b := spd(60, 3, 1e-3)
	for _, o := range []CGOptions{{}, {MaxIterations: 7}, {Tolerance: 1e-3}} {
		r, err := CG(t.Context(), operator(a), mat.NewDense(60, 3, nil), b, o)
		if err != nil {
			t.Fatal(err)
		}
		path.Add(fmt.Sprintf("conjugate gradients %d %g", o.MaxIterations, o.Tolerance), r.Status, r.Iterations)
		if o.MaxIterations > 0 {
			path.Add("residuals", r.Residual)
		}
	}
	path.Compare(t, "iterations")
}

// Another seed is another start: the pairs found differ in their last digits.
func TestEigenSeed(t *testing.T) {
	n, ring, _ := rings(200, 257)
	vectors := func(seed uint64) *mat.Dense {
		r, err := Eigen(t.Context(), ring, n, 3, EigenOptions{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		return r.Vectors
	}
	if a := vectors(1); !mat.Equal(a, vectors(1)) || mat.Equal(a, vectors(2)) {
		t.Error("a seed does not repeat, or two are one")
	}
}

// Eigenpairs that come by iteration end with the error of their context wherever they are stopped, and with one where products stop
// being numbers, whichever product is the first.
func TestIterationsOfEigenpairsFail(t *testing.T) {
	n, ring, _ := rings(400)
	for _, o := range []EigenOptions{{}, {Largest: true}} {
		stoptest.Everywhere(t, func(ctx context.Context) error { _, err := Eigen(ctx, ring, n, 3, o); return err })
		for good := range 24 {
			calls := 0
			r, err := Eigen(t.Context(), func(dst, x *mat.Dense) {
				ring(dst, x)
				if calls++; calls > good {
					dst.Set(3, 0, math.NaN())
				}
			}, n, 3, o)
			if err == nil {
				t.Errorf("largest %v, after %d products that are numbers: %v, %v", o.Largest, good, r.Values, r.Status)
			}
		}
	}
}

// The knots of a path that is stopped are the first of the whole path, whichever look it is that is told to stop.
func TestPathsStopped(t *testing.T) {
	x, y := gaussians(40, 1, 0.5, 1)
	for _, o := range []LassoOptions{{MinShare: 1e-3}, {MinShare: 1e-3, Working: 8, Batch: 4}} {
		whole, err := Lasso(t.Context(), x, y, o)
		if err != nil {
			t.Fatal(err)
		}
		for looks := range 1000 {
			c := stoptest.After(t.Context(), looks)
			p, err := Lasso(c, x, y, o)
			if (err != nil) != c.Ended() || len(p.Nodes) > len(whole.Nodes) {
				t.Fatalf("working set of %d, told to stop after %d looks: %d knots of %d, %v", o.Working, looks, len(p.Nodes),
					len(whole.Nodes), err)
			}
			for i, got := range p.Nodes {
				if want := whole.Nodes[i]; got.Lambda != want.Lambda || got.SSE != want.SSE || !slices.Equal(got.Index, want.Index) {
					t.Errorf("working set of %d, told to stop after %d looks: knot %d is %+v, of the whole path %+v", o.Working, looks, i,
						got, want)
				}
			}
			if !c.Ended() {
				break
			}
		}
	}
}
