package design

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/relevance"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/score"
	"gonum.org/v1/gonum/mat"
)

// lastRows are the numbers from n-k to n-1.
func lastRows(n, k int) []int { return indices.To(n)[n-k:] }

// laterBy is the problem with other labels of the last k rows.
func laterBy(p *learn.Problem, k int, by float64) *learn.Problem {
	changed := *p
	changed.Y = mat.DenseCopyOf(p.Y)
	for _, i := range lastRows(len(p.Labelled), k) {
		changed.Y.Set(i, 0, p.Y.At(i, 0)+by)
	}
	return &changed
}

// differ is the largest difference of outputs of the last k rows.
func differ(a, b *choose.Machine, k int) (most float64) {
	n, _ := a.LeftOut.Dims()
	for _, i := range lastRows(n, k) {
		most = max(most, math.Abs(a.LeftOut.At(i, 0)-b.LeftOut.At(i, 0)))
	}
	return most
}

// Labels of the rows held out have no part in their outputs, neither in kernels nor in coefficients; the machine learns from them.
func TestHalvesLookForward(t *testing.T) {
	const n, k = 60, 12
	for _, exact := range []int{1000, 10} {
		for name, start := range map[string]kernel.Kernel{"widths": kernel.ARDRational{Power: 1}, "ranks": kernel.ANOVA{}} {
			p := waves(n)
			before := p.Only(indices.To(n)[:n-k])
			h := halvesOf(p, exact)
			h.Learner, h.Held = relevance.Widths{Start: start.Adapt(before.Rows), Steps: 6}, lastRows(n, k)
			s := score.LeaveOut{Problem: p, Folds: [][]int{h.Held}, Criterion: score.Press{}, Offset: true}
			a, err := h.Make(context.Background(), &s)
			if err != nil {
				t.Fatal(err)
			}
			s.Problem = laterBy(p, k, 1e-3) // so little that no other ridge is better on landmarks
			b, err := h.Make(context.Background(), &s)
			if err != nil {
				t.Fatal(err)
			}
			if d := differ(a, b, k); d > 1e-9 {
				t.Errorf("%s, exact up to %d: labels of the rows held out change their outputs by %g", name, exact, d)
			}
			if exact > n && mat.EqualApprox(a.Outputs, b.Outputs, 1e-9) {
				t.Errorf("%s: the machine learns nothing from the rows held out", name)
			}
			if v := s.Criterion.Eval(p, h.Held, a.LeftOut, nil); math.Abs(v-a.Score) > 1e-12*v {
				t.Errorf("%s, exact up to %d: score %g, of the rows held out %g", name, exact, a.Score, v)
			}
		}
	}
}

// The output of a row held out is that of a machine which was trained on the rows before.
func TestHalvesForwardIsTrainingOnThePrefix(t *testing.T) {
	const n, k = 60, 12
	p := waves(n)
	before := p.Only(indices.To(n)[:n-k])
	h := halvesOf(p, 1000)
	h.Learner, h.Held = relevance.Widths{Start: kernel.ANOVA{}.Adapt(before.Rows), Steps: 6}, lastRows(n, k)
	m, err := h.Make(context.Background(), &score.LeaveOut{Problem: p, Folds: [][]int{h.Held}, Criterion: score.Press{}, Offset: true})
	if err != nil {
		t.Fatal(err)
	}
	judge := m.Kernel.(kernel.ANOVA) // with ranks among the rows before
	if len(judge.Knots[0]) == 0 {
		t.Fatal("no knots")
	}
	judge.Knots = nil
	own := judge.Adapt(before.Rows)
	g, err := own.Bind(context.Background(), p.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	first := indices.To(n)[:n-k]
	gram, cross := mat.NewDense(n-k, n-k, nil), mat.NewDense(k, n-k, nil)
	kernel.Within(context.Background(), g).Block(gram, first, first)
	kernel.Within(context.Background(), g).Block(cross, h.Held, first)
	f, err := rls.Solve(context.Background(), gram, before.Y, nil, true, m.Lambda)
	if err != nil {
		t.Fatal(err)
	}
	var out mat.Dense
	out.Mul(cross, f.Alpha)
	for q, i := range h.Held {
		if want := out.At(q, 0) + f.B[0]; math.Abs(m.LeftOut.At(i, 0)-want) > 1e-7 {
			t.Errorf("row %d: %g, of the rows before %g", i, m.LeftOut.At(i, 0), want)
		}
	}
}

// A race whose rows are in order judges the same rows in all rounds, those that come last, by machines of the rows before.
func TestRaceLooksForward(t *testing.T) {
	const n, k = 300, 60
	enter := func(kind string) []*Entrant {
		e := &Entrant{Method: kind, Kernel: kernel.Gaussian{Sigma: 1}, Offset: true}
		if kind == "svr" {
			e.Learner = svm.Regressor{}
			e.Theta = e.Learner.Space(1, 1).Defaults()
		}
		return []*Entrant{e}
	}
	for _, one := range []struct {
		kind  string
		exact int
	}{{"svr", 0}, {"rls", 0}, {"rls", 50}} {
		p := waves(n)
		run := func(p *learn.Problem, last int) *Winner {
			r := Race{Problem: p, Seed: 3, First: 60, Last: last, Exact: one.exact, Landmarks: Landmarks{40, 1e9}, Held: lastRows(n, k)}
			w, err := r.Run(context.Background(), enter(one.kind))
			if err != nil {
				t.Fatal(err)
			}
			return w
		}
		a, b := run(p, 0), run(laterBy(p, k, 1e-4), 0)
		if len(a.Folds) != 1 || len(a.Folds[0]) != k || a.Folds[0][0] != n-k {
			t.Errorf("%s: judged on %v", one.kind, a.Folds)
		}
		if d := differ(a.Machine, b.Machine, k); d > 1e-6 { // a start at the last machine moves the end a little
			t.Errorf("%s, exact up to %d: labels of the rows held out change their outputs by %g", one.kind, one.exact, d)
		}
		for _, i := range run(p, 150).Folds[0] { // of a share of the rows a share of those
			if i < n-k {
				t.Errorf("%s: row %d judges", one.kind, i)
			}
		}
	}
}

// Every beginning of the order of a race has rows held out in about their share, and one at least.
func TestRaceSpreadsRowsHeldOut(t *testing.T) {
	for _, k := range []int{1, 3, 20, 50} {
		p := waves(100)
		r := Race{Problem: p, Seed: 5, Held: lastRows(100, k)}
		seen := 0
		for q, i := range r.order() {
			if i >= 100-k {
				seen++
			}
			if want := float64(q+1) * float64(k) / 100; seen < 1 || math.Abs(float64(seen)-want) > 2 {
				t.Fatalf("%d of the first %d are held out, %.1f expected", seen, q+1, want)
			}
		}
	}
}

// The order of a race whose rows are in order has classes in about their shares too, however rare.
func TestRaceSpreadsClassesHeldOut(t *testing.T) {
	p := waves(1000)
	p.Classes, p.Class = []string{"common", "rare"}, make([]int, 1000)
	for i := 0; i < 1000; i += 20 {
		p.Class[i] = 1
	}
	r := Race{Problem: p, Seed: 5, Held: lastRows(1000, 200)}
	var rare, judged float64
	for q, i := range r.order() {
		if p.Class[i] == 1 {
			rare++
			if i >= 800 {
				judged++
			}
		}
		n := float64(q + 1)
		if math.Abs(rare-0.05*n) > 2 || math.Abs(judged-0.01*n) > 1 {
			t.Fatalf("of the first %g rows %g are rare, %g of them held out", n, rare, judged)
		}
	}
}
