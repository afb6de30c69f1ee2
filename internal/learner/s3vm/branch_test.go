package s3vm

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/learn"
)

// The objective is the least of all labels in balance, each trained.
func TestBranchBruteForce(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 4))
	for _, v := range []learn.Loss{learn.SquaredHinge(), learn.Hinge()} {
		for try := range 24 {
			const n, l = 11, 3
			p := &Problem{
				K: gaussian(cloud(rnd, n), 0.5+rnd.Float64()), Rows: rnd.Perm(n), Y: []float64{1, -1, 1},
				Weight: []float64{1, 2, 0.5}, C: math.Exp(2 * rnd.NormFloat64()), Unlabelled: 3 * rnd.Float64(),
				Positive: []float64{0.5, 0.25, 0, 1, 0.6}[try%5], Offset: try%2 == 1,
			}
			if p.Offset && (p.Positive == 0 || p.Positive == 1) {
				p.Positive = 0.3
			}
			want := brute(t, p, v)
			for _, deep := range []bool{false, true} {
				s, err := Branch{Loss: v, DepthFirst: deep}.Solve(t.Context(), p, nil)
				if err != nil {
					t.Fatal(err)
				}
				tolerance := 1e-9
				if v == learn.Hinge() {
					tolerance = 2e-5
				}
				if got := s.Certificate.Objective; math.Abs(got-want) > tolerance*want {
					t.Errorf("%s, problem %d, depth first %v: objective %.12g, the least is %.12g", v.Name(), try, deep, got, want)
				}
				if s.Certificate.Gap > tolerance || s.Certificate.Limited != "" {
					t.Errorf("%s, problem %d: not certified: %+v", v.Name(), try, s.Certificate)
				}
			}
		}
	}
}

// brute is the least objective of all labels in balance.
func brute(t *testing.T, p *Problem, v learn.Loss) float64 {
	t.Helper()
	l := p.Labelled()
	u := len(p.Rows) - l
	costs := p.Costs()
	least := math.Inf(1)
	for mask := range 1 << u {
		if bits.OnesCount(uint(mask)) != p.Count() {
			continue
		}
		m := newWeighted(p, v)
		m.tolerance = 1e-6
		for i, r := range p.Rows {
			switch {
			case i < l:
				m.label(r, p.Y[i], costs[i])
			case mask>>(i-l)&1 == 1:
				m.label(r, 1, costs[i])
			default:
				m.label(r, -1, costs[i])
			}
		}
		if err := m.train(t.Context()); err != nil {
			t.Fatal(err)
		}
		least = min(least, m.objective())
	}
	return least
}

// Table T4 of the specification of the source: gamma/2 ||f||^2 + 1/2 sum_L V + gamma'/2 sum_U V is gamma times
// our objective with C = 1/(2 gamma) and the same cost of each unlabelled row, for gamma' = 1.
func TestBranchMoons(t *testing.T) {
	for _, c := range []struct {
		m            int
		sigma, value float64
	}{
		{20, 0.5, 0.7144448325}, {20, 0.35, 0.5636166612},
		{30, 0.5, 0.8134735475}, {30, 0.35, 0.6167355284},
		{50, 0.5, 0.8857987278}, {50, 0.35, 0.6587307488},
		{100, 0.5, 0.9979686653}, {100, 0.35, 0.7142966550},
	} {
		for _, at := range []int{c.m / 10, c.m / 4} {
			for _, deep := range []bool{false, true} {
				p, truth := formula(t, fmt.Sprintf("moons-det:n=%d", 2*c.m), c.sigma, at, c.m+at)
				p.C, p.Unlabelled = 5, float64(c.m-1)
				s, err := Branch{DepthFirst: deep}.Solve(t.Context(), p, nil)
				if err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprintf("%d rows a moon, sigma %g, labels %d, depth first %v", c.m, c.sigma, at, deep)
				if got := 0.1 * s.Certificate.Objective; math.Abs(got-c.value) > 1e-10 {
					t.Errorf("%s: objective %.10f, want %.10f", name, got, c.value)
				}
				if bad := wrong(s.Fitted, truth); bad > 0 {
					t.Errorf("%s: %d rows are decided wrong", name, bad)
				}
				if s.Certificate.Limited != "" || s.Certificate.Gap > 1e-9 {
					t.Errorf("%s: %+v", name, s.Certificate)
				}
				t.Logf("%s: %d nodes", name, s.Certificate.Steps)
			}
		}
	}
}
