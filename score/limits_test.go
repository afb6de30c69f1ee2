package score_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/test/learntest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

// laplacian returns the dense matrix of a warp's norm.
func laplacian(t *testing.T, w manifold.Warp, p *learn.Problem) *mat.Dense {
	t.Helper()
	op, err := w.Norm.Bind(context.Background(), p.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := op.Len()
	id, r := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		id.Set(i, i, 1)
	}
	op.MulTo(r, id)
	return r
}

// fitted returns the outputs on all rows of RLS with the warped kernel.
func fitted(t *testing.T, w manifold.Warp, p *learn.Problem, lambda float64) *mat.Dense {
	t.Helper()
	s := score.LeaveOut{Kernel: w, Problem: p}
	theta := w.Space().Defaults()
	g, path, err := s.Bind(context.Background(), theta)
	if err != nil {
		t.Fatal(err)
	}
	f, err := path.At(lambda)
	if err != nil {
		t.Fatal(err)
	}
	cols := mat.NewDense(g.Len(), len(p.Labelled), nil)
	g.Block(cols, nil, p.Labelled)
	var out mat.Dense
	out.Mul(cols, f.Alpha)
	return &out
}

// system returns the outputs on all rows by the n x n system, which stays exact
// where lambda is below the rounding of the warped kernel, about 1e-16 ratio ||K||.
func system(t *testing.T, w manifold.Warp, p *learn.Problem, ratio, lambda float64) *mat.Dense {
	t.Helper()
	theta := w.Space().Defaults()
	theta[len(theta)-1] = ratio
	d, err := score.NewDirect(context.Background(), w, p, nil, append(theta, lambda))
	if err != nil {
		t.Fatal(err)
	}
	return d.Fitted()
}

// The n x n system and RLS with the warped kernel are one machine, and its
// coefficients make the gradient of the averaged objective vanish.
func TestSystemEqualsWarpedKernel(t *testing.T) {
	for _, g := range []graph.Recipe{{Neighbours: 4, Degree: 2}, {Neighbours: 3, Laplacian: graph.Combinatorial}} {
		p := learntest.Clusters(40, 3, 3, 17)
		const ratio, lambda = 30, 0.02
		w := warp(kernel.Gaussian{Sigma: 1}, g, ratio)
		d, err := score.NewDirect(context.Background(), w, p, nil, []float64{1, ratio, lambda})
		if err != nil {
			t.Fatal(err)
		}
		out := fitted(t, w, p, lambda)
		want := d.Fitted()
		for i := range 40 {
			for c := range 3 {
				near(t, "f", out.At(i, c), want.At(i, c), 1e-11)
			}
		}
		// -(2/l) K J (Y - K alpha) + 2 gamma_A K alpha + 2 c K R K alpha, times l/2.
		k := mat.NewDense(40, 40, nil)
		gram, err := w.Base.Bind(context.Background(), p.Rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		gram.Block(k, nil, nil)
		r := laplacian(t, w, p)
		var rf, inner, grad mat.Dense
		rf.Mul(r, want)
		inner.Scale(lambda, d.Alpha)
		rf.Scale(ratio*lambda, &rf)
		inner.Add(&inner, &rf)
		for q, i := range p.Labelled {
			for c := range 3 {
				inner.Set(i, c, inner.At(i, c)-(p.Y.At(q, c)-want.At(i, c)))
			}
		}
		grad.Mul(k, &inner)
		if g := mat.Max(&grad); math.Abs(g) > 1e-9 {
			t.Errorf("gradient of the objective %g", g)
		}
	}
}

// gamma_A -> 0: the function on the rows is the graph's alone, (J + c R)^-1 Y.
func TestLimitGraphRegularisation(t *testing.T) {
	p := learntest.Clusters(30, 2, 2, 3)
	w := warp(kernel.Gaussian{Sigma: 0.7}, graph.Recipe{Neighbours: 6, Laplacian: graph.Combinatorial}, 0)
	const lambda, c = 1e-10, 0.05 // c = ratio lambda
	out := system(t, w, p, c/lambda, lambda)
	a := laplacian(t, w, p)
	a.Scale(c, a)
	y := mat.NewDense(30, 1, nil)
	for q, i := range p.Labelled {
		a.Set(i, i, a.At(i, i)+1)
		y.Set(i, 0, p.Y.At(q, 0))
	}
	var want mat.Dense
	if err := want.Solve(a, y); err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		near(t, "f", out.At(i, 0), want.At(i, 0), 5e-5)
	}
}

// gamma_A << gamma_I -> 0: label propagation, f_l = y, f_u harmonic.
func TestLimitHarmonic(t *testing.T) {
	p := learntest.Clusters(30, 2, 2, 3)
	w := warp(kernel.Gaussian{Sigma: 0.7}, graph.Recipe{Neighbours: 8, Laplacian: graph.Combinatorial}, 0)
	const lambda, c = 1e-12, 1e-5
	out := system(t, w, p, c/lambda, lambda)
	l := laplacian(t, w, p)
	known := make([]bool, 30)
	for q, i := range p.Labelled {
		known[i] = true
		near(t, "labelled", out.At(i, 0), p.Y.At(q, 0), 1e-3)
	}
	for i := range 30 {
		if known[i] {
			continue
		}
		var residual float64 // (L f)_i = 0
		for j := range 30 {
			residual += l.At(i, j) * out.At(j, 0)
		}
		if math.Abs(residual) > 1e-3*l.At(i, i) {
			t.Errorf("row %d is not the mean of its neighbours: %g", i, residual)
		}
	}
}

// Without the graph the unlabelled rows change nothing; with it, the order of the
// rows changes nothing.
func TestMetamorphic(t *testing.T) {
	ctx := context.Background()
	p := learntest.Clusters(36, 3, 3, 2)
	scored := func(p *learn.Problem, ratio float64) float64 {
		s := score.LeaveOut{
			Kernel:    warp(kernel.Gaussian{Sigma: 1}, graph.Recipe{Neighbours: 4, Weights: graph.SelfTuned, Degree: 2}, ratio),
			Problem:   p,
			Criterion: score.LogLoss{},
		}
		v, err := s.Eval(ctx, []float64{1, ratio, 0.01}, param.ValueOnly)
		if err != nil {
			t.Fatal(err)
		}
		return v.F
	}
	alone := *p
	alone.Rows = p.Rows.Select(p.Labelled)
	alone.Labelled = nil
	for i := range p.Labelled {
		alone.Labelled = append(alone.Labelled, i)
	}
	near(t, "supervised score", scored(p, 0), scored(&alone, 0), 1e-12)

	order := rand.New(rand.NewPCG(1, 1)).Perm(36)
	place := make([]int, 36)
	for to, from := range order {
		place[from] = to
	}
	mixed := *p
	mixed.Rows = p.Rows.Select(order)
	mixed.Labelled = nil
	for _, i := range p.Labelled {
		mixed.Labelled = append(mixed.Labelled, place[i])
	}
	near(t, "score of permuted rows", scored(&mixed, 50), scored(p, 50), 1e-9)

	// Lengths in other units: features and widths scale together.
	scaled := *p
	var x mat.Dense
	x.Scale(1000, p.Rows.Dense)
	scaled.Rows.Dense = &x
	s := score.LeaveOut{
		Kernel:    warp(kernel.Gaussian{Sigma: 1000}, graph.Recipe{Neighbours: 4, Weights: graph.SelfTuned, Degree: 2}, 50),
		Problem:   &scaled,
		Criterion: score.LogLoss{},
	}
	v, err := s.Eval(ctx, []float64{1000, 50, 0.01}, param.ValueOnly)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "score in other units", v.F, scored(p, 50), 1e-9)
}
