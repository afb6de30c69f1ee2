package basis_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/basis"
	"github.com/mercer-ml/mercer/internal/solve"
	"github.com/mercer-ml/mercer/kernel"
)

// drawn is a problem of n rows in the plane, a third of them labelled with c targets.
func drawn(t testing.TB, n, c int) basis.Problem {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(n), uint64(c)))
	x := mat.NewDense(n, 2, nil)
	for i := range n {
		x.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64()})
	}
	rows := data.Rows{Dense: x}
	b, err := graph.Recipe{Neighbours: 5}.Build(context.Background(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	labelled := make([]int, n/3)
	y := mat.NewDense(len(labelled), c, nil)
	for q := range labelled {
		labelled[q] = 3 * q
		for k := range c {
			y.Set(q, k, math.Sin(2*x.At(3*q, k%2))+0.1*rng.NormFloat64())
		}
	}
	g, err := kernel.Gaussian{Sigma: 0.8}.Bind(context.Background(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	return basis.Laplacian(g, labelled, y, nil, b.Operator(), 0.05, 0.2)
}

// naive is greedy selection by a whole refit with every candidate.
func naive(t testing.TB, p basis.Problem, size int) (rows []int, r []float64) {
	t.Helper()
	for len(rows) < size {
		best, at := math.Inf(1), -1
		for j := range p.Gram.Len() {
			if slices.Contains(rows, j) {
				continue
			}
			f, err := basis.Fit(context.Background(), p, append(slices.Clone(rows), j))
			if err != nil {
				t.Fatal(err)
			}
			if f.Jitter == 0 && f.Objective < best {
				best, at = f.Objective, j
			}
		}
		rows, r = append(rows, at), append(r, best)
	}
	return rows, r
}

// The exact scores choose what refits of all candidates choose, and promise what these gain, for one output and for several.
func TestExactScoresAreRefits(t *testing.T) {
	for _, c := range []int{1, 3} {
		p := drawn(t, 45, c)
		rows, r := naive(t, p, 8)
		path, err := basis.Greedy{Score: basis.Pre}.Choose(context.Background(), p, 8)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(path.Centres, rows) {
			t.Fatalf("%d outputs: rows %v, by refits %v", c, path.Centres, rows)
		}
		for d := range r {
			close(t, "objective", path.Objective[d], r[d], 1e-9)
		}
	}
}

// A path has the objective and the coefficients of the fit of each size, whatever chose it, and falls.
func TestPathsAreFits(t *testing.T) {
	p := drawn(t, 60, 2)
	for _, g := range []basis.Greedy{{}, {Candidates: 10, Seed: 3}, {Candidates: 10, Seed: 3, Score: basis.Pre}, {Exchanges: 5}} {
		path, err := g.Choose(context.Background(), p, 12)
		if err != nil {
			t.Fatal(err)
		}
		along, err := basis.Along(context.Background(), p, path.Centres)
		if err != nil {
			t.Fatal(err)
		}
		before := p.Constant
		for d := 1; d <= 12; d++ {
			f, err := basis.Fit(context.Background(), p, path.Centres[:d])
			if err != nil {
				t.Fatal(err)
			}
			close(t, "objective", path.Objective[d-1], f.Objective, 1e-9)
			close(t, "objective along", along.Objective[d-1], f.Objective, 1e-9)
			if !mat.EqualApprox(path.Beta(d), f.Beta, 1e-7) {
				t.Errorf("%+v: coefficients of %d functions are off", g, d)
			}
			if !(path.Objective[d-1] < before) {
				t.Errorf("%+v: the objective does not fall at %d", g, d)
			}
			before = path.Objective[d-1]
		}
	}
}

// Exchanges lower the objective, and end where none does.
func TestExchangesLower(t *testing.T) {
	p := drawn(t, 60, 1)
	plain, err := basis.Greedy{}.Choose(context.Background(), p, 10)
	if err != nil {
		t.Fatal(err)
	}
	last := plain.Objective[9]
	for _, most := range []int{1, 3, 100} {
		path, err := basis.Greedy{Exchanges: most}.Choose(context.Background(), p, 10)
		if err != nil {
			t.Fatal(err)
		}
		if len(path.Centres) != 10 || path.Objective[9] > last+1e-12 {
			t.Errorf("%d exchanges: %d centres, objective %g after %g", most, len(path.Centres), path.Objective[9], last)
		}
		last = path.Objective[9]
	}
	if last >= plain.Objective[9] {
		t.Error("no exchange was of use")
	}
}

// With a penalty of the coefficients, and functions of seven widths, the objective and the coefficients are those of the normal
// equations.
func TestSeveralWidths(t *testing.T) {
	p := drawn(t, 40, 1)
	n := p.Gram.Len()
	rng := rand.New(rand.NewPCG(40, 1))
	x := mat.NewDense(n, 2, nil)
	for i := range n {
		x.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64()})
	}
	scales, err := basis.Octaves(context.Background(), kernel.Gaussian{Sigma: 0.8}, data.Rows{Dense: x})
	if err != nil {
		t.Fatal(err)
	}
	single, err := basis.Greedy{Score: basis.Pre}.Choose(context.Background(), p, 6)
	if err != nil {
		t.Fatal(err)
	}
	gamma := basis.PlainGamma(p, single.Centres, single.Beta(6))
	path, err := basis.GreedyRidge{Greedy: basis.Greedy{Scales: scales, Score: basis.Pre}}.Choose(context.Background(), p, 6)
	if err != nil {
		t.Fatal(err)
	}
	phi := mat.NewDense(n, 6, nil)
	for d, j := range path.Centres {
		scales[path.Scales[d]].Block(phi.Slice(0, n, d, d+1).(*mat.Dense), nil, []int{j})
	}
	q := mat.NewDense(n, 6, nil)
	p.Q.MulTo(q, phi)
	var h, b, beta mat.Dense
	h.Mul(phi.T(), q)
	for d := range 6 {
		h.Set(d, d, h.At(d, d)+gamma)
	}
	b.Mul(phi.T(), p.Target)
	if err := beta.Solve(&h, &b); err != nil {
		t.Fatal(err)
	}
	r := p.Constant
	for d := range 6 {
		r -= b.At(d, 0) * beta.At(d, 0) / 2
	}
	close(t, "objective", path.Objective[5], r, 1e-10)
	if !mat.EqualApprox(path.Beta(6), &beta, 1e-8) {
		t.Error("the coefficients are off")
	}
}

// The path of the LASSO is that of the general solver on a factor of H, and ends at the fit on all rows.
func TestLassoIsLasso(t *testing.T) {
	p := drawn(t, 24, 1)
	n := p.Gram.Len()
	k := mat.NewDense(n, n, nil)
	p.Gram.Block(k, nil, nil)
	qk, h := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	p.Q.MulTo(qk, k)
	h.Mul(k, qk)
	k.Scale(p.GammaA, k)
	h.Add(h, k)
	k.Scale(1/p.GammaA, k)
	sym := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			sym.SetSym(i, j, h.At(i, j))
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(sym) {
		t.Fatal("H is not positive definite")
	}
	var l mat.TriDense
	chol.LTo(&l)
	var b, y mat.Dense
	b.Mul(k, p.Target)
	if err := y.Solve(&l, &b); err != nil {
		t.Fatal(err)
	}
	want, err := solve.Lasso(context.Background(), solve.StoredColumns{T: mat.DenseCopyOf(&l)}, mat.Col(nil, 0, &y), solve.LassoOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := basis.FollowL1(context.Background(), p, 0, basis.L1Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Violation > 1e-10 {
		t.Errorf("violation %g", got.Violation)
	}
	for _, share := range []float64{0.7, 0.2, 0.03, 0.001} {
		gamma := share * got.Knots[0].Gamma
		beta, node := got.At(gamma, n), want.AtLambda(2*gamma)
		for q, j := range node.Index {
			beta[j] -= node.Coef[q]
		}
		for _, v := range beta {
			close(t, "difference of a coefficient", v, 0, 1e-6)
		}
	}
}

// Each chooser returns as many distinct rows as were asked for, the same for the same seed, and the error of a context.
func TestChoosers(t *testing.T) {
	p := drawn(t, 50, 3)
	all := mat.NewDense(50, 3, nil)
	for i := range 50 {
		for q := range 3 {
			all.Set(i, q, math.Sin(float64(i+q)))
		}
	}
	for name, c := range map[string]basis.Chooser{
		"greedy": basis.Greedy{}, "drawn": basis.Greedy{Candidates: 7, Seed: 2}, "pre": basis.Greedy{Candidates: 7, Score: basis.Pre},
		"ridge": basis.GreedyRidge{}, "lasso": basis.L1{}, "lars": basis.L1{LARS: true}, "some": basis.L1{Candidates: 30},
		"random": basis.Random{Seed: 4}, "uniform": basis.Uniform{}, "sup": basis.Supervised{Targets: all},
		"leverage": basis.Leverage{Seed: 1},
	} {
		t.Run(name, func(t *testing.T) {
			path, err := c.Choose(context.Background(), p, 9)
			if err != nil {
				t.Fatal(err)
			}
			sorted := slices.Clone(path.Centres)
			slices.Sort(sorted)
			if len(slices.Compact(sorted)) != 9 || sorted[0] < 0 || sorted[8] >= 50 {
				t.Fatalf("rows %v", path.Centres)
			}
			again, err := c.Choose(context.Background(), p, 9)
			if err != nil || !slices.Equal(path.Centres, again.Centres) {
				t.Errorf("rows %v, then %v (%v)", path.Centres, again.Centres, err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if _, err := c.Choose(ctx, p, 9); err == nil && name != "random" {
				t.Error("the context is not heeded")
			}
		})
	}
}

// Rows that are copies of others give no further function.
func TestCopiesAreNoBasis(t *testing.T) {
	x := mat.NewDense(12, 1, nil)
	for i := range 12 {
		x.Set(i, 0, float64(i%3))
	}
	y := mat.NewDense(3, 1, []float64{1, -1, 1})
	p := basis.Laplacian(bind(t, kernel.Gaussian{Sigma: 1}, data.Rows{Dense: x}), []int{0, 1, 2}, y, nil, nil, 0.1, 0)
	for name, c := range map[string]basis.Chooser{"post": basis.Greedy{}, "pre": basis.Greedy{Score: basis.Pre},
		"drawn": basis.Greedy{Candidates: 2}, "lasso": basis.L1{}} {
		path, err := c.Choose(context.Background(), p, 6)
		if err != nil || len(path.Centres) != 3 {
			t.Errorf("%s: rows %v of three different ones (%v)", name, path.Centres, err)
		}
	}
	path, err := basis.Along(context.Background(), p, []int{0, 1, 3, 2})
	if err != nil || !slices.Equal(path.Centres, []int{0, 1, 2}) || len(path.Objective) != 3 {
		t.Errorf("rows %v with %d objectives along a copy (%v)", path.Centres, len(path.Objective), err)
	}
	_, err = basis.Fit(context.Background(), p, []int{0, 1, 0})
	wants(t, err, "row 0 is listed twice")
}

// What cannot be asked is answered by one line.
func TestRefusals(t *testing.T) {
	p := drawn(t, 20, 1)
	_, err := basis.Greedy{}.Choose(context.Background(), p, 21)
	wants(t, err, "21 basis functions of 20 rows")
	_, err = basis.Random{}.Choose(context.Background(), p, 0)
	wants(t, err, "at least 1")
	p.Target.Zero()
	_, err = basis.L1{}.Choose(context.Background(), p, 3)
	wants(t, err, "every target is 0")
}

func wants(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v, want one line with %q", err, text)
	}
}

// One step of greedy selection on 2000 rows with 50 functions chosen, by exact scores and by refits of all candidates; the latter
// is measured on 20 candidates and reported as if on all.
func BenchmarkGreedyStep(b *testing.B) {
	p := drawn(b, 2000, 1)
	path, err := basis.Greedy{}.Choose(context.Background(), p, 50)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("path of 50", func(b *testing.B) {
		for b.Loop() {
			if _, err := (basis.Greedy{Score: basis.Pre}).Choose(context.Background(), p, 50); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/50*1e3, "ms/step")
	})
	b.Run("refits", func(b *testing.B) {
		for b.Loop() {
			for j := range 20 {
				if _, err := basis.Fit(context.Background(), p, append(slices.Clone(path.Centres[:25]), other(path.Centres, j))); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)*2000/20*1e3, "ms/step")
	})
}

// other is the j-th row that is no centre.
func other(centres []int, j int) int {
	for i := 0; ; i++ {
		if !slices.Contains(centres, i) {
			if j == 0 {
				return i
			}
			j--
		}
	}
}
