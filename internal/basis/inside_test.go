package basis

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/internal/test/pathtest"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
)

// plane are n rows in the plane.
func plane(n int, seed uint64) data.Rows {
	rng := rand.New(rand.NewPCG(seed, 2))
	x := mat.NewDense(n, 2, nil)
	x.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, x)
	return data.Rows{Dense: x}
}

func gaussian(t testing.TB, rows data.Rows, sigma float64) kernel.Gram {
	t.Helper()
	g, err := kernel.Gaussian{Sigma: sigma}.Bind(t.Context(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// known is a problem of c targets that are known on all of n rows, with weights.
func known(t testing.TB, n, c int) Problem {
	t.Helper()
	rows, y, weight := plane(n, uint64(n)), mat.NewDense(n, c, nil), make([]float64, n)
	for i := range n {
		weight[i] = 0.5 + float64(i%4)/3
		for k := range c {
			y.Set(i, k, math.Sin(float64(k+2)*rows.Dense.At(i, k%2))+0.2*rows.Dense.At(i, 1))
		}
	}
	return Targets(gaussian(t, rows, 0.7), y, weight, 0.05)
}

// Columns of a dictionary are the kernels' values, whether all can be kept or none, whichever are asked for.
func TestColumnsOfADictionary(t *testing.T) {
	const n = 9
	rows := plane(n, 3)
	grams := []kernel.Gram{gaussian(t, rows, 0.5), gaussian(t, rows, 1), gaussian(t, rows, 2)}
	lists := [][]int{
		{0},
		{3, 4, 5},
		{3, 4, 5, 6},
		{7, 8, 9, 10},
		{1, 17, 18},
		{8, 9},
		{0, 2, 3, 9, 11, 26},
		{26},
		{5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19},
	}
	for _, keep := range []bool{true, false} {
		d := newPlainDictionary(grams, 0.3)
		if d.len() != 3*n || d.kept == nil {
			t.Fatalf("%d functions", d.len())
		}
		if !keep {
			d.kept, d.known = nil, nil
		}
		for _, list := range lists {
			x, err := d.columns(t.Context(), list)
			if err != nil {
				t.Fatal(err)
			}
			if r, c := x.Dims(); r != len(list) || c != n {
				t.Fatalf("%v: %d x %d", list, r, c)
			}
			for q, a := range list {
				want := mat.NewDense(1, n, nil)
				grams[a/n].Block(want, []int{a % n}, nil)
				if !mat.EqualApprox(x.Slice(q, q+1, 0, n), want, 1e-14) {
					t.Errorf("kept %v, of %v: function %d is off", keep, list, a)
				}
			}
		}
		if keep {
			for a, known := range d.known {
				in := slices.ContainsFunc(lists, func(l []int) bool { return slices.Contains(l, a) })
				if known != in {
					t.Errorf("function %d is known: %v", a, known)
				}
			}
		}
	}
	one := newDictionary(grams[:1], 0.3)
	values := []float64{0, 1, 2, 3, 4, 5, 6, 7, 8}
	if got := one.penalty(values, 2, 5); got != 0.3*5 {
		t.Errorf("the penalty of the kernel is %g", got)
	}
	plain := newPlainDictionary(grams, 0.3)
	if plain.penalty(values, 2, 5) != 0 || plain.penalty(values, 5, 5) != 0.3 {
		t.Error("the penalty of coefficients is no multiple of one")
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	for _, keep := range []bool{true, false} {
		d := newPlainDictionary(grams, 0.3)
		if !keep {
			d.kept = nil
		}
		if _, err := d.columns(stopped, []int{4}); !errors.Is(err, context.Canceled) {
			t.Errorf("kept %v: %v", keep, err)
		}
		if keep && d.known[4] {
			t.Error("what was not computed is known")
		}
	}
}

// A search without kept columns is the same search.
func TestSearchWithoutKeptColumns(t *testing.T) {
	p := known(t, 40, 2)
	for _, score := range []Score{Post, Pre} {
		var paths []Path
		for _, keep := range []bool{true, false} {
			dict := p.dictionary()
			if !keep {
				dict.kept = nil
			}
			s := &greedy{Greedy: Greedy{Score: score, Candidates: 9}, state: newState(p, dict), rng: rand.New(rand.NewPCG(1, 2))}
			for len(s.chosen) < 10 {
				if joined, err := s.step(t.Context()); err != nil || !joined {
					t.Fatal(joined, err)
				}
			}
			paths = append(paths, s.path())
		}
		if !slices.Equal(paths[0].Centres, paths[1].Centres) {
			t.Errorf("score %d: %v, and %v without kept columns", score, paths[0].Centres, paths[1].Centres)
		}
	}
}

// Choices are the same in every version: rows by seed, with the objectives.
func TestWayOfChoosers(t *testing.T) {
	var path pathtest.Path
	p := known(t, 50, 3)
	all := mat.NewDense(50, 3, nil)
	for i := range 50 {
		for q := range 3 {
			all.Set(i, q, math.Sin(float64(i+q)))
		}
	}
	for _, c := range []struct {
		name string
		c    Chooser
	}{
		{"greedy", Greedy{}}, {"pre", Greedy{Score: Pre}}, {"drawn", Greedy{Candidates: 7, Seed: 2}},
		{"drawn by another seed", Greedy{Candidates: 7, Seed: 3}},
		{"pre drawn", Greedy{Candidates: 7, Score: Pre}}, {"exchanged", Greedy{Exchanges: 20}},
		{"exchanged twice", Greedy{Exchanges: 2, Candidates: 5}},
		{"ridge", GreedyRidge{}}, {"plain", Greedy{Plain: 0.3}}, {"lasso", L1{}}, {"lars", L1{LARS: true}}, {"some", L1{Candidates: 30}},
		{"some by another seed", L1{Candidates: 30, Seed: 1}}, {"few", L1{Candidates: 3}}, {"random", Random{Seed: 4}},
		{"random by another seed", Random{Seed: 5}},
		{"uniform", Uniform{}}, {"supervised", Supervised{Targets: all}}, {"leverage", Leverage{Seed: 1}},
		{"leverage by another seed", Leverage{Seed: 2}},
	} {
		for _, size := range []int{1, 9, 30} {
			got, err := c.c.Choose(t.Context(), p, size)
			if err != nil {
				t.Fatal(err)
			}
			last := math.NaN()
			if len(got.Objective) > 0 {
				last = got.Objective[len(got.Objective)-1]
			}
			path.Add(fmt.Sprintf("%s, %d", c.name, size), fmt.Sprint(got.Centres), len(got.Objective), last)
		}
	}
	for _, lars := range []bool{false, true} {
		for output := range 3 {
			k, err := FollowL1(t.Context(), p, output, L1Options{LARS: lars, Least: 1e-4})
			if err != nil {
				t.Fatal(err)
			}
			for i, knot := range k.Knots {
				path.Add(fmt.Sprintf("LARS %v, output %d, knot %d", lars, output, i), knot.Gamma, knot.Row, knot.Enters, len(knot.Index))
			}
		}
	}
	path.Compare(t, "choosers")
}

// Order of uniform rows, by its words: of each output's descending order every step-th, then those between, by turns.
func TestUniformByItsWords(t *testing.T) {
	for _, c := range []int{1, 3} {
		p := known(t, 23, c)
		f, err := Transduction(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		for size := 1; size <= 23; size++ {
			step := 23 / min(23, int(math.Ceil(float64(size)/float64(c))))
			orders := make([][]int, c)
			for q := range c {
				rest := indices.To(23)
				slices.SortStableFunc(rest, func(a, b int) int {
					switch {
					case f.At(a, q) > f.At(b, q):
						return -1
					case f.At(a, q) < f.At(b, q):
						return 1
					}
					return 0
				})
				var between []int
				for i, r := range rest {
					if i%step == 0 {
						orders[q] = append(orders[q], r)
					} else {
						between = append(between, r)
					}
				}
				orders[q] = append(orders[q], between...)
			}
			var want []int
			for len(want) < size {
				for q := range c {
					i := slices.IndexFunc(orders[q], func(r int) bool { return !slices.Contains(want, r) })
					if i >= 0 && len(want) < size {
						want = append(want, orders[q][i])
					}
				}
			}
			got, err := Uniform{}.Choose(t.Context(), p, size)
			if err != nil || !slices.Equal(got.Centres, want) {
				t.Errorf("%d outputs, %d rows: %v, expected %v; %v", c, size, got.Centres, want, err)
			}
		}
	}
}

// Orders are taken by turns, without repetition, as long as there are any.
func TestByTurns(t *testing.T) {
	for _, c := range []struct {
		orders [][]int
		size   int
		want   []int
	}{
		{[][]int{{1, 2, 3}, {2, 1, 4}}, 4, []int{1, 2, 3, 4}}, {[][]int{{1, 2, 3}, {1, 2, 3}}, 5, []int{1, 2, 3}},
		{[][]int{{1}, {}, {7, 8}}, 2, []int{1, 7}},
		{[][]int{{5, 6}, {9}}, 1, []int{5}}, {nil, 3, nil}, {[][]int{{}, {4, 5, 6}}, 3, []int{4, 5, 6}},
	} {
		if got := byTurns(slices.Clone(c.orders), c.size); !slices.Equal(got, c.want) {
			t.Errorf("%v by turns are %v, expected %v", c.orders, got, c.want)
		}
	}
}

// indefinite is a form that is none of those promised.
type indefinite int

func (q indefinite) Len() int { return int(q) }

func (q indefinite) MulTo(dst, x *mat.Dense) { dst.Scale(-1, x) }

// The whole words of what is refused.
func TestWordsOfRefusals(t *testing.T) {
	p := known(t, 8, 1)
	for size, want := range map[int]string{
		0: "basis: 0 basis functions; ask for at least 1", -2: "basis: -2 basis functions; ask for at least 1",
		9: "basis: 9 basis functions of 8 rows; ask for at most as many as there are rows",
	} {
		for _, c := range []Chooser{Greedy{}, GreedyRidge{}, L1{}, Random{}, Uniform{}, Leverage{}, Supervised{Targets: p.Target}} {
			_, err := c.Choose(t.Context(), p, size)
			failtest.Refused(t, err, want)
		}
		if size >= 0 {
			_, err := Fit(t.Context(), p, indices.To(size))
			failtest.Refused(t, err, want)
			_, err = Along(t.Context(), p, indices.To(size))
			failtest.Refused(t, err, want)
		}
	}
	_, err := FollowL1(t.Context(), p, 0, L1Options{Size: 9})
	failtest.Refused(t, err, "basis: 9 basis functions of 8 rows; ask for at most as many as there are rows")
	const twice = "basis: row 3 is listed twice among the centres; list every centre once"
	_, err = Fit(t.Context(), p, []int{3, 1, 3})
	failtest.Refused(t, err, twice)
	_, err = Along(t.Context(), p, []int{1, 3, 3})
	failtest.Refused(t, err, twice)
	if _, err := Fit(t.Context(), p, []int{7, 0}); err != nil {
		t.Error(err)
	}
	failtest.Panics(t, "basis: centre 8 of 8 rows", func() { _, _ = Fit(t.Context(), p, []int{8}) })
	failtest.Panics(t, "basis: centre -1 of 8 rows", func() { _, _ = Fit(t.Context(), p, []int{-1}) })
	failtest.Panics(
		t,
		"basis: 2 labelled rows with 3 rows of targets",
		func() { Laplacian(p.Gram, []int{0, 1}, mat.NewDense(3, 1, nil), nil, nil, 1, 0) },
	)
	failtest.Panics(t, "basis: -1 candidates, 0 exchanges, gamma 0", func() { _, _ = Greedy{Candidates: -1}.Choose(t.Context(), p, 2) })
	failtest.Panics(t, "basis: 0 candidates, -1 exchanges, gamma 0", func() { _, _ = Greedy{Exchanges: -1}.Choose(t.Context(), p, 2) })
	failtest.Panics(t, "basis: 0 candidates, 0 exchanges, gamma -1", func() { _, _ = Greedy{Plain: -1}.Choose(t.Context(), p, 2) })
	failtest.Panics(t, "basis: several scales without a penalty of the coefficients themselves", func() {
		_, _ = Greedy{Scales: []kernel.Gram{p.Gram}}.Choose(t.Context(), p, 2)
	})
	path, err := Greedy{}.Choose(t.Context(), p, 3)
	if err != nil {
		t.Fatal(err)
	}
	failtest.Panics(t, "basis: coefficients on 4 centres of a path with 3 objectives", func() { path.Beta(4) })
	failtest.Panics(t, "basis: coefficients on 0 centres of a path with 3 objectives", func() { path.Beta(0) })
	q := p
	q.GammaA = -0.5
	failtest.Panics(t, "basis: gamma_a of -0.5", func() { _, _ = Fit(t.Context(), q, []int{1}) })
	q = p
	q.Q = indefinite(7)
	failtest.Panics(t, "basis: 8 rows, 8 rows of targets, a form of 7", func() { _, _ = Fit(t.Context(), q, []int{1}) })
	q = p
	q.Target = mat.NewDense(7, 1, nil)
	failtest.Panics(t, "basis: 8 rows, 7 rows of targets, a form of 8", func() { _, _ = Fit(t.Context(), q, []int{1}) })
	q = p
	q.Q = indefinite(8)
	if _, err := (Uniform{}).Choose(t.Context(), q, 2); err == nil {
		t.Error("an indefinite form has a transduction")
	}
	q.GammaA = 0
	if _, err := Fit(t.Context(), q, []int{1, 2}); err == nil {
		t.Error("an indefinite form has a minimum")
	}
	q = p
	q.GammaA = 0 // no penalty is no mistake
	if _, err := Fit(t.Context(), q, []int{1, 2}); err != nil {
		t.Error(err)
	}
	q.Target = mat.NewDense(8, 1, nil)
	for _, c := range []Chooser{Greedy{}, GreedyRidge{}, L1{}, Random{}, Uniform{}, Leverage{}} {
		_, err := c.Choose(t.Context(), q, 2)
		failtest.Refused(t, err, "basis: every target is 0, so no basis function lowers the risk; label some rows")
	}
}

// What a matrix lacks of being positive definite is added to its diagonal, ten times more each time from 1e-10 of its mean to
// 1e-4.
func TestJitter(t *testing.T) {
	for _, c := range []struct{ least, want float64 }{
		{1, 0}, {1e-13, 0}, {-0.5e-10, 1e-10}, {-8e-10, 1e-9}, {-0.5e-6, 1e-6}, {-0.5e-4, 1e-4},
	} {
		h := mat.NewDense(2, 2, []float64{8 - c.least, 0, 0, c.least}) // of mean 4
		x := mat.NewDense(2, 1, []float64{1, 1})
		jitter, err := solveJittered(h, x)
		if err != nil || math.Abs(jitter-4*c.want) > 1e-9*c.want {
			t.Errorf("an eigenvalue of %g: jitter %g, %v", c.least, jitter, err)
		}
		if got, want := x.At(0, 0), 1/(8-c.least+jitter); err == nil && math.Abs(got-want) > 1e-12 {
			t.Errorf("an eigenvalue of %g: the solution is %g, expected %g", c.least, got, want)
		}
	}
	_, err := solveJittered(mat.NewDense(2, 2, []float64{1, 2, 2, 1}), mat.NewDense(2, 1, nil))
	if err == nil {
		t.Fatal("solved")
	}
	const words = "basis: the 2x2 system of the centres, with 0.0001 on its diagonal: %v; take fewer or a larger gamma_a"
	failtest.Refused(t, err, fmt.Sprintf(words, errors.Unwrap(err)))
	// Copies of a row need some.
	x := data.Rows{Dense: mat.NewDense(4, 1, []float64{0, 1, 1, 2})}
	p := Targets(gaussian(t, x, 1), mat.NewDense(4, 1, []float64{1, -1, -1, 1}), nil, 0.1)
	f, err := Fit(t.Context(), p, []int{0, 1, 2})
	if err != nil || f.Jitter > 1e-9 {
		t.Errorf("jitter %g, %v", f.Jitter, err)
	}
	half, err := Fit(t.Context(), p, []int{0, 1})
	if err != nil || half.Jitter != 0 || math.Abs(half.Objective-f.Objective) > 1e-7 {
		t.Errorf("with a copy the objective is %g, without %g; %v", f.Objective, half.Objective, err)
	}
}

// The risk is its formula: a half of weighted squares and of the norm, for targets known on all rows.
func TestRiskOfTargets(t *testing.T) {
	p := known(t, 12, 2)
	y := mat.NewDense(12, 2, nil)
	for i, w := range p.Q.(diagonal) {
		for k := range 2 {
			y.Set(i, k, p.Target.At(i, k)/w)
		}
	}
	centres := []int{3, 0, 8, 5}
	f, err := Fit(t.Context(), p, centres)
	if err != nil {
		t.Fatal(err)
	}
	k := mat.NewDense(12, 12, nil)
	p.Gram.Block(k, nil, nil)
	risk := func(beta *mat.Dense) (r float64) {
		for c := range 2 {
			for i := range 12 {
				o := 0.0
				for a, j := range centres {
					o += k.At(i, j) * beta.At(a, c)
				}
				r += p.Q.(diagonal)[i] * (o - y.At(i, c)) * (o - y.At(i, c)) / 2
			}
			for a, i := range centres {
				for b, j := range centres {
					r += p.GammaA / 2 * beta.At(a, c) * beta.At(b, c) * k.At(i, j)
				}
			}
		}
		return r
	}
	if got := risk(f.Beta); math.Abs(got-f.Objective) > 1e-10 {
		t.Errorf("the objective is %.12g, by its formula %.12g", f.Objective, got)
	}
	for a := range centres {
		for _, h := range []float64{1e-3, -1e-3} {
			moved := mat.DenseCopyOf(f.Beta)
			moved.Set(a, 1, moved.At(a, 1)+h)
			if risk(moved) <= f.Objective {
				t.Errorf("coefficient %d moved by %g lowers the risk", a, h)
			}
		}
	}
	for i := range 12 {
		for c := range 2 {
			o := 0.0
			for a, j := range centres {
				o += k.At(i, j) * f.Beta.At(a, c)
			}
			if math.Abs(o-f.Outputs.At(i, c)) > 1e-12 {
				t.Errorf("output (%d, %d) is off", i, c)
			}
		}
	}
	gamma, top, bottom := PlainGamma(p, centres, f.Beta), 0.0, 0.0
	for c := range 2 {
		for a, i := range centres {
			bottom += f.Beta.At(a, c) * f.Beta.At(a, c)
			for b, j := range centres {
				top += f.Beta.At(a, c) * f.Beta.At(b, c) * k.At(i, j)
			}
		}
	}
	if math.Abs(gamma-p.GammaA*top/bottom) > 1e-12 {
		t.Errorf("the penalty of coefficients is %g, expected %g", gamma, p.GammaA*top/bottom)
	}
	if got, want := p.scale(), max(p.Constant, mat.Norm(p.Target, 2)); got != want {
		t.Errorf("the scale is %g", got)
	}
}

// What is known of a search after functions joined and left is what a refit knows.
func TestStateIsARefit(t *testing.T) {
	p := known(t, 30, 2)
	s := newState(p, p.dictionary())
	join := func(a int) bool {
		x, err := s.dict.columns(t.Context(), []int{a})
		if err != nil {
			t.Fatal(err)
		}
		return s.join(a, x.RawRowView(0))
	}
	check := func(what string) {
		t.Helper()
		f, err := Fit(t.Context(), p, s.chosen)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(s.objective()-f.Objective) > 1e-10 || !mat.EqualApprox(s.beta, f.Beta, 1e-8) {
			t.Errorf("%s: the objective is %.12g, of a refit %.12g", what, s.objective(), f.Objective)
		}
		rest := mat.NewDense(30, 2, nil)
		p.Q.MulTo(rest, f.Outputs)
		rest.Sub(p.Target, rest)
		if !mat.EqualApprox(s.rest, rest.T(), 1e-9) {
			t.Errorf("%s: the residual is off", what)
		}
	}
	for q, a := range []int{4, 17, 2, 29, 11, 8} {
		if !join(a) || len(s.chosen) != q+1 || !s.out[a] {
			t.Fatalf("function %d did not join", a)
		}
		check(fmt.Sprintf("%d joined", q+1))
	}
	// The function that is missed least is the one without which a refit is best.
	best, at := math.Inf(1), -1
	for q := range s.chosen {
		f, err := Fit(t.Context(), p, slices.Delete(slices.Clone(s.chosen), q, q+1))
		if err != nil {
			t.Fatal(err)
		}
		if f.Objective < best {
			best, at = f.Objective, q
		}
	}
	if got := s.least(); got != at {
		t.Errorf("function %d is missed least, by refits %d", got, at)
	}
	// So it is wherever its place is.
	for q := range s.chosen {
		order := slices.DeleteFunc(slices.Clone(s.chosen), func(a int) bool { return a == s.chosen[at] })
		other := newState(p, p.dictionary())
		for _, a := range slices.Insert(order, q, s.chosen[at]) {
			x, err := other.dict.columns(t.Context(), []int{a})
			if err != nil || !other.join(a, x.RawRowView(0)) {
				t.Fatalf("function %d did not join: %v", a, err)
			}
		}
		if got := other.least(); got != q {
			t.Errorf("function %d is missed least, put at place %d", got, q)
		}
	}
	for _, q := range []int{2, 4, 0, 2} { // in the midst, the last and the first
		gone := s.chosen[q]
		s.leave(q)
		if s.out[gone] {
			t.Errorf("function %d has left and is no candidate", gone)
		}
		check(fmt.Sprintf("%d left", gone))
	}
	join(20)
	check("another joined")
	// The exact gain of candidates is that of a refit.
	g := &greedy{Greedy: Greedy{Score: Pre}, state: s}
	list := []int{0, 5, s.chosen[1], 22}
	if err := g.judge(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	for q, a := range list {
		if slices.Contains(s.chosen, a) {
			if g.gain[q] != 0 {
				t.Errorf("function %d, which is chosen, gains %g", a, g.gain[q])
			}
			continue
		}
		f, err := Fit(t.Context(), p, append(slices.Clone(s.chosen), a))
		if err != nil {
			t.Fatal(err)
		}
		if want := s.objective() - f.Objective; math.Abs(g.gain[q]-want) > 1e-9 {
			t.Errorf("function %d gains %g, by a refit %g", a, g.gain[q], want)
		}
	}
}

// With two functions one may be exchanged, with one there is nothing to compare.
func TestExchangesOfFew(t *testing.T) {
	p := known(t, 30, 1)
	one, err := Greedy{Exchanges: 3}.Choose(t.Context(), p, 1)
	if err != nil || len(one.Centres) != 1 {
		t.Fatal(one, err)
	}
	two, err := Greedy{Exchanges: 100}.Choose(t.Context(), p, 2)
	if err != nil || len(two.Centres) != 2 {
		t.Fatal(two, err)
	}
	// No single exchange is of use any more.
	f, err := Fit(t.Context(), p, two.Centres)
	if err != nil || math.Abs(f.Objective-two.Objective[1]) > 1e-10 {
		t.Fatal(err, f.Objective, two.Objective)
	}
	if plain, err := (Greedy{}).Choose(t.Context(), p, 2); err != nil || two.Objective[1] > plain.Objective[1] {
		t.Errorf("exchanges lead from %g to %g, %v", plain.Objective[1], two.Objective[1], err)
	}
}

// Targets of one output that are all zero have no path, and the others go on.
func TestPathOfNothing(t *testing.T) {
	p := known(t, 12, 2)
	for i := range 12 {
		p.Target.Set(i, 1, 0)
	}
	k, err := FollowL1(t.Context(), p, 1, L1Options{})
	if err != nil || len(k.Knots) != 0 || len(k.Active) != 0 {
		t.Errorf("%+v, %v", k, err)
	}
	if got, err := (L1{}).Choose(t.Context(), p, 4); err != nil || len(got.Centres) != 4 {
		t.Errorf("%v, %v", got.Centres, err)
	}
}

// Between knots coefficients are linear in gamma; before the first they are zero and beyond the last those of the last; the
// conditions of a minimum hold.
func TestL1PathBetweenKnots(t *testing.T) {
	p := known(t, 14, 1)
	_, h, err := p.normal(t.Context(), indices.To(14))
	if err != nil {
		t.Fatal(err)
	}
	k := mat.NewDense(14, 14, nil)
	p.Gram.Block(k, nil, nil)
	var b mat.Dense
	b.Mul(k, p.Target)
	path, err := FollowL1(t.Context(), p, 0, L1Options{Least: 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	first, last := path.Knots[0].Gamma, path.Knots[len(path.Knots)-1].Gamma
	if last != 1e-3 || path.Knots[len(path.Knots)-1].Row != -1 || path.Violation > 1e-10 {
		t.Errorf("the path ends at %g with %+v", last, path.Knots[len(path.Knots)-1])
	}
	if at := path.At(1.01*first, 14); !slices.Equal(at, make([]float64, 14)) {
		t.Errorf("before the first knot: %v", at)
	}
	if !slices.Equal(path.At(1e-9, 14), path.At(last, 14)) {
		t.Error("beyond the last knot the coefficients move")
	}
	for _, share := range []float64{1, 0.8, 0.41, 0.1, 0.02} {
		gamma := max(share*first, last)
		beta := path.At(gamma, 14)
		for j := range 14 {
			g := -b.At(j, 0)
			for i, v := range beta {
				g += h.At(j, i) * v
			}
			switch v := beta[j]; {
			case v != 0 && math.Abs(g+gamma*math.Copysign(1, v)) > 1e-9*first, v == 0 && math.Abs(g) > gamma+1e-9*first:
				t.Errorf("gamma %g: coefficient %d is %g, its derivative %g", gamma, j, v, g)
			}
		}
	}
	for size := 1; size < 6; size++ {
		short, err := FollowL1(t.Context(), p, 0, L1Options{Size: size})
		if err != nil || len(short.Active) != size {
			t.Errorf("%d rows, asked for %d; %v", len(short.Active), size, err)
		}
	}
}

// Wherever a choice or a fit is told to stop it does, and does not go on without what was not computed.
func TestStopsAnywhere(t *testing.T) {
	p := known(t, 24, 2)
	grams, err := Octaves(t.Context(), kernel.Gaussian{Sigma: 1}, plane(24, 24))
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range grams { // of the widths named
		at := mat.NewDense(24, 24, nil)
		g.Block(at, nil, nil)
		want := mat.NewDense(24, 24, nil)
		gaussian(t, plane(24, 24), math.Ldexp(1, i-3)).Block(want, nil, nil)
		if !mat.EqualApprox(at, want, 1e-14) || len(grams) != 7 {
			t.Errorf("width %d of %d is off", i, len(grams))
		}
	}
	for name, f := range map[string]func(context.Context) error{
		"greedy": func(ctx context.Context) error { _, err := Greedy{Exchanges: 3}.Choose(ctx, p, 5); return err },
		"exchanged": func(ctx context.Context) error {
			_, err := Greedy{Candidates: 4, Exchanges: 9}.Choose(ctx, p, 5)
			return err
		},
		"ridge": func(ctx context.Context) error {
			_, err := GreedyRidge{Greedy{Scales: grams}}.Choose(ctx, p, 5)
			return err
		},
		"lasso":    func(ctx context.Context) error { _, err := L1{}.Choose(ctx, p, 5); return err },
		"path":     func(ctx context.Context) error { _, err := FollowL1(ctx, p, 0, L1Options{}); return err },
		"uniform":  func(ctx context.Context) error { _, err := Uniform{}.Choose(ctx, p, 5); return err },
		"leverage": func(ctx context.Context) error { _, err := Leverage{}.Choose(ctx, p, 5); return err },
		"fit":      func(ctx context.Context) error { _, err := Fit(ctx, p, []int{3, 4, 5}); return err },
		"along":    func(ctx context.Context) error { _, err := Along(ctx, p, []int{3, 4, 5}); return err },
		"octaves": func(ctx context.Context) error {
			_, err := Octaves(ctx, kernel.Gaussian{Sigma: 1}, plane(24, 24))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			stoptest.Everywhere(t, f)
			for looks := range 200 {
				c := stoptest.After(t.Context(), looks)
				if err := f(c); (err != nil) != c.Ended() {
					t.Errorf("told to stop after %d looks: %v", looks, err)
				}
				if c.Late() > map[string]int{"uniform": 1}[name] { // which has two classes
					t.Errorf("told to stop after %d looks it goes on, and asks %d times more", looks, c.Late())
				}
				if !c.Ended() {
					break
				}
			}
		})
	}
}

// A function counts as a sum of those chosen from a part of 1e-12 of its square on: rows nearer than that are one.
func TestNearlyCopies(t *testing.T) {
	for apart, want := range map[float64]int{1e-5: 2, 1e-7: 1} {
		rows := data.Rows{Dense: mat.NewDense(3, 1, []float64{0, apart, 2})}
		p := Targets(gaussian(t, rows, 1), mat.NewDense(3, 1, []float64{1, -1, 0.5}), nil, 0.1)
		path, err := Along(t.Context(), p, []int{0, 1})
		if err != nil || len(path.Centres) != want || path.Scales != nil {
			t.Errorf("rows %g apart: centres %v of the kernels %v, %v", apart, path.Centres, path.Scales, err)
		}
	}
}

// A function whose norm is not positive, as indefinite kernels have, gives no size to a penalty of the coefficients.
func TestGreedyRidgeOfAnIndefiniteKernel(t *testing.T) {
	p := known(t, 30, 1)
	g, err := kernel.Sigmoid{Scale: 1, Offset: -1}.Bind(t.Context(), plane(30, 30), nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Gram = g
	refused := 0
	for _, gamma := range []float64{1e-2, 1, 10} {
		p.GammaA = gamma
		if _, err := (GreedyRidge{}).Choose(t.Context(), p, 3); err != nil {
			refused++
			if !strings.Contains(err.Error(), "indefinite") {
				t.Error(err)
			}
		}
	}
	if refused == 0 {
		t.Error("no norm is negative")
	}
}

// TestSafeguardOfTransduction: 1e-9 alone holds outputs of which the form says nothing, and is not felt where it says something.
func TestSafeguardOfTransduction(t *testing.T) {
	for q, want := range map[float64]float64{0: 1e9, 1e-9: 5e8, 4: 0.25} {
		f, err := Transduction(t.Context(), Problem{Q: diagonal{q, q}, Target: mat.NewDense(2, 1, []float64{1, -2})})
		if err != nil {
			t.Fatal(err)
		}
		if a, b := f.At(0, 0)/want, f.At(1, 0)/want; math.Abs(a-1) > 1e-7 || math.Abs(b+2) > 1e-7 {
			t.Errorf("a form of %g: outputs of %g and %g, want %g and %g", q, f.At(0, 0), f.At(1, 0), want, -2*want)
		}
	}
}

// Where columns are too many to be kept, and are computed whenever they are looked at, steps, exchanges and paths end with the error of
// their context too, whichever look it is that is told to stop.
func TestStopsWithoutKeptColumns(t *testing.T) {
	p := known(t, 24, 2)
	greedily := func(ctx context.Context) error {
		dict := p.dictionary()
		dict.kept = nil
		s := &greedy{Greedy: Greedy{Candidates: 6}, state: newState(p, dict), rng: rand.New(rand.NewPCG(1, 2))}
		for range 4 {
			if _, err := s.step(ctx); err != nil {
				return err
			}
		}
		_, err := s.exchange(ctx)
		return err
	}
	along := func(ctx context.Context) error {
		h := newHessian(p, indices.To(24))
		h.dict.kept = nil
		_, err := h.follow(ctx, 0, L1Options{Size: 5})
		return err
	}
	for q, f := range []func(context.Context) error{greedily, along} {
		for looks := range 500 {
			c := stoptest.After(t.Context(), looks)
			if err := f(c); (err != nil) != c.Ended() {
				t.Errorf("search %d, told to stop after %d looks: %v", q, looks, err)
			}
			if c.Late() > 0 {
				t.Errorf("search %d, told to stop after %d looks, goes on, and asks %d times more", q, looks, c.Late())
			}
			if !c.Ended() {
				break
			}
		}
	}
	if grams, err := Octaves(t.Context(), kernel.Gaussian{}, plane(5, 1)); err == nil {
		t.Errorf("a kernel without a width has %d octaves", len(grams))
	}
}

// A path that is not told where to end does so at 1e-12 of its first gamma, with every function in it.
func TestL1PathEndsAtRounding(t *testing.T) {
	rows := data.Rows{Dense: mat.NewDense(3, 1, []float64{0, 10, 20})} // hardly related
	p := Targets(gaussian(t, rows, 1), mat.NewDense(3, 1, []float64{1, -0.5, 0.25}), nil, 0.1)
	for _, lars := range []bool{false, true} {
		path, err := FollowL1(t.Context(), p, 0, L1Options{LARS: lars})
		if err != nil {
			t.Fatal(err)
		}
		last := path.Knots[len(path.Knots)-1]
		if share := last.Gamma / path.Knots[0].Gamma; math.Abs(share-1e-12) > 1e-15 || last.Row != -1 || len(last.Index) != 3 {
			t.Errorf("LARS %v: the path ends at %g of its first gamma with %+v", lars, share, last)
		}
	}
}
