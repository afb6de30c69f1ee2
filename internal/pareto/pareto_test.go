package pareto

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// points draws integer points, so that ties are many.
func points(t *rapid.T, r int) [][]float64 {
	n := rapid.IntRange(0, 30).Draw(t, "n")
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, r)
		for k := range r {
			out[i][k] = float64(rapid.IntRange(0, 8).Draw(t, "v"))
		}
	}
	return out
}

func columns(p [][]float64) (risk, complexity []float64) {
	for _, v := range p {
		risk, complexity = append(risk, v[0]), append(complexity, v[1])
	}
	return risk, complexity
}

// dominates says whether u dominates v.
func dominates(u, v []float64) bool {
	better := false
	for k := range u {
		if !(u[k] <= v[k]) {
			return false
		}
		better = better || u[k] < v[k]
	}
	return better
}

// definition keeps what nothing dominates, equal ones all or the first.
func definition(p [][]float64, ties bool) []int {
	var keep []int
	for i := range p {
		ok := true
		for j := range p {
			ok = ok && !dominates(p[j], p[i]) && (ties || j >= i || !slices.Equal(p[i], p[j]))
		}
		if ok {
			keep = append(keep, i)
		}
	}
	return keep
}

func TestFiltersAreTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, ties := range []bool{false, true} {
			p := points(t, 2)
			risk, complexity := columns(p)
			front := Front(risk, complexity, Options{KeepTies: ties})
			if !slices.IsSortedFunc(front, func(a, b int) int { return int(complexity[a] - complexity[b]) }) {
				t.Fatalf("not by complexity: %v", front)
			}
			sorted := slices.Sorted(slices.Values(front))
			if want := definition(p, ties); !slices.Equal(sorted, want) {
				t.Fatalf("front of %v is %v, not %v", p, sorted, want)
			}
			// Idempotent, and blind to increasing transforms.
			var r2, q2 []float64
			for _, i := range front {
				r2, q2 = append(r2, risk[i]), append(q2, complexity[i])
			}
			if again := Front(r2, q2, Options{KeepTies: ties}); len(again) != len(front) {
				t.Fatalf("front of the front: %d of %d", len(again), len(front))
			}
			for i := range risk {
				risk[i], complexity[i] = math.Exp(risk[i]), complexity[i]*complexity[i]*complexity[i]-5
			}
			if again := Front(risk, complexity, Options{KeepTies: ties}); !slices.Equal(again, front) {
				t.Fatalf("front %v becomes %v by increasing transforms", front, again)
			}
		}
	})
}

// Lemma 3.2.1 on finite sets: front of the union = front of the union of fronts.
func TestMergeDecomposes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var whole Part
		var parts, fronts []Part
		for range rapid.IntRange(1, 4).Draw(t, "parts") {
			risk, complexity := columns(points(t, 2))
			whole.Risk, whole.Complexity = append(whole.Risk, risk...), append(whole.Complexity, complexity...)
			parts = append(parts, Part{risk, complexity})
			var f Part
			for _, i := range Front(risk, complexity, Options{}) {
				f.Risk, f.Complexity = append(f.Risk, risk[i]), append(f.Complexity, complexity[i])
			}
			fronts = append(fronts, f)
		}
		at := Front(whole.Risk, whole.Complexity, Options{})
		for _, of := range [][]Part{parts, fronts} {
			got := Merge(of, Options{})
			if len(got) != len(at) {
				t.Fatalf("%d members, union %d", len(got), len(at))
			}
			for k, m := range got {
				if of[m.Part].Risk[m.Index] != whole.Risk[at[k]] || of[m.Part].Complexity[m.Index] != whole.Complexity[at[k]] {
					t.Fatalf("member %d differs", k)
				}
			}
		}
	})
}

// weightedSum returns the minimiser of w risk + (1-w) complexity over a finite set,
// 0 <= w <= 1 (Kokshenev 2010, 3.3); ties go to the smaller complexity, then the
// smaller risk. With 0 < w < 1 it is nondominated; every member of the front is found
// by some w only where the front is convex.
func weightedSum(risk, complexity []float64, w float64) int {
	return least(risk, complexity, func(i int) float64 { return w*risk[i] + (1-w)*complexity[i] })
}

// atMost returns the minimiser of the risk among the members of complexity at most
// eps (Kokshenev 2010, 3.4), ties to the smaller complexity; -1 if there is none. It
// reaches every member of any front.
func atMost(risk, complexity []float64, eps float64) int {
	return least(risk, complexity, func(i int) float64 {
		if complexity[i] > eps {
			return math.Inf(1)
		}
		return risk[i]
	})
}

func least(risk, complexity []float64, f func(i int) float64) int {
	best, value := -1, math.Inf(1)
	for i := range risk {
		v := f(i)
		if v < value ||
			best >= 0 && v == value && (complexity[i] < complexity[best] || complexity[i] == complexity[best] && risk[i] < risk[best]) {
			if !math.IsInf(v, 1) {
				best, value = i, v
			}
		}
	}
	return best
}

func TestScalarisations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		risk, complexity := columns(points(t, 2))
		front := Front(risk, complexity, Options{KeepTies: true})
		// Every member is found by some epsilon, every minimiser is a member.
		for _, i := range front {
			if j := atMost(risk, complexity, complexity[i]); risk[j] != risk[i] || complexity[j] != complexity[i] {
				t.Fatalf("member %d: epsilon-constraint finds %d", i, j)
			}
		}
		if len(front) > 0 {
			w := rapid.Float64Range(0.01, 0.99).Draw(t, "w")
			if i := weightedSum(risk, complexity, w); !slices.Contains(front, i) {
				t.Fatalf("weighted sum finds %d, no member of %v", i, front)
			}
		} else if atMost(risk, complexity, 100) != -1 {
			t.Fatal("a member of nothing")
		}
		if atMost(risk, complexity, -1) != -1 {
			t.Fatal("a member below the least complexity")
		}
	})
}

func TestToleranceHidesLastDigits(t *testing.T) {
	risk, complexity := []float64{1, 1 - 1e-15, 0.5, 0}, []float64{0, 1, 2, 3}
	if got := Front(risk, complexity, Options{}); !slices.Equal(got, []int{0, 2, 3}) {
		t.Errorf("with tolerance: %v", got)
	}
	if got := Front(risk, complexity, Options{Tolerance: -1}); !slices.Equal(got, []int{0, 1, 2, 3}) {
		t.Errorf("without: %v", got)
	}
	risk[2], complexity[0] = math.NaN(), math.Inf(1)
	if got := Front(risk, complexity, Options{}); !slices.Equal(got, []int{1, 3}) {
		t.Errorf("not finite: %v", got)
	}
}

// Complexities over decades: by their spread the small ones would be one, by logarithms none is.
func TestLogarithmsKeepDecades(t *testing.T) {
	var risk, complexity []float64
	for i := range 30 {
		risk, complexity = append(risk, float64(30-i)), append(complexity, math.Pow(10, float64(i-10)))
	}
	if n := len(Front(risk, complexity, Options{})); n != 13 { // those up to 1e7, 1e-12 of the spread, are one
		t.Errorf("%d members by spread", n)
	}
	if n := len(Front(risk, complexity, Options{Log: true})); n != 30 {
		t.Errorf("%d members of 30 by logarithms", n)
	}
	complexity[0] = 0
	if got := Front(risk, complexity, Options{Log: true}); len(got) != 30 || got[0] != 0 {
		t.Errorf("with a complexity of zero: %v", got)
	}
}

// A tolerance of risk keeps what the front without it falls by more than that, and no member
// is within it of the one before.
func TestRiskTolerance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		risk, complexity := columns(points(t, 2))
		whole, some := Front(risk, complexity, Options{}), Front(risk, complexity, Options{Risk: 1.5})
		for k, i := range some {
			if !slices.Contains(whole, i) || k > 0 && risk[i] >= risk[some[k-1]]-1.5 {
				t.Fatalf("member %d of %v, front %v, risks %v", i, some, whole, risk)
			}
		}
		for _, i := range whole { // what is left out is nearly reached by something simpler
			if !slices.ContainsFunc(some, func(j int) bool { return complexity[j] <= complexity[i] && risk[j] <= risk[i]+1.5 }) {
				t.Fatalf("member %d of %v is reached by none of %v", i, whole, some)
			}
		}
	})
}

func TestKnee(t *testing.T) {
	if k := Knee([]float64{10, 2, 1.5, 1}, []float64{0, 1, 5, 10}); k != 1 {
		t.Errorf("knee %d", k)
	}
	if k := Knee([]float64{2, 1, 0}, []float64{0, 1, 2}); k != -1 {
		t.Errorf("knee of a line %d", k)
	}
	if two, three := Knee([]float64{2, 0}, []float64{0, 1}), Knee([]float64{2, 0.9, 0}, []float64{0, 1, 2}); two != -1 || three != 1 {
		t.Errorf("knees of two and of three members: %d, %d", two, three)
	}
}

// curve draws a convex or bumpy chain of parabolas.
func curve(t *rapid.T) Curve {
	q, r := float64(rapid.IntRange(0, 2).Draw(t, "q0")), float64(rapid.IntRange(5, 20).Draw(t, "r0"))
	var c Curve
	for range rapid.IntRange(1, 5).Draw(t, "segments") {
		s := Segment{Q0: q, R0: r}
		q += float64(rapid.IntRange(1, 3).Draw(t, "dq"))
		r -= float64(rapid.IntRange(0, 4).Draw(t, "dr"))
		s.Q1, s.R1 = q, r
		// Decreasing parabolas: the slope at the end, -drop+bend, is not positive.
		s.Bend = rapid.Float64Range(0, 1).Draw(t, "bend") * (s.R0 - s.R1)
		c = append(c, s)
	}
	return c
}

func TestEnvelopeIsTheMinimum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var curves []Curve
		for range rapid.IntRange(1, 5).Draw(t, "curves") {
			curves = append(curves, curve(t))
		}
		e := envelope{curves: curves}
		pieces := Envelope(curves)
		for k, p := range pieces {
			if k > 0 && p.From != pieces[k-1].To || !(p.To > p.From) {
				t.Fatalf("piece %d is %+v after %+v", k, p, pieces[k-1])
			}
			for _, u := range []float64{1e-6, 0.2, 0.5, 0.8, 1 - 1e-6} {
				q := p.From + u*(p.To-p.From)
				want := Sample(curves, []float64{q})[0].Risk
				if got := e.value(p, q); math.Abs(got-want) > 1e-9 {
					t.Fatalf("envelope at %g is %.15g, least curve %.15g", q, got, want)
				}
			}
		}
		// A superset of curves never raises it.
		more := append(slices.Clone(curves), curve(t))
		for q := 0.0; q < 15; q += 0.37 {
			if a, b := Sample(curves, []float64{q})[0].Risk, Sample(more, []float64{q})[0].Risk; b > a {
				t.Fatalf("raised from %g to %g at %g", a, b, q)
			}
		}
	})
}

// Curves that differ by the tie and no more at both ends and in the middle tie all along, though their parabola bulges between.
func TestMergeOfTies(t *testing.T) {
	e := envelope{curves: []Curve{{{Q1: 1, R0: 2}}, {{Q1: 1, R0: 1, R1: 1, Bend: 4}}}, tie: 1}
	first, second := Piece{Curve: 0, To: 1}, Piece{Curve: 1, To: 1} // they differ by 1, 1 and -1
	if got := e.merge([]Piece{first}, []Piece{second}); !slices.Equal(got, []Piece{first}) {
		t.Errorf("%+v, want the first curve", got)
	}
	e.tie = 0.99
	if got := e.merge([]Piece{first}, []Piece{second}); len(got) != 2 || got[0].Curve != 1 || got[1].Curve != 0 {
		t.Errorf("with a smaller tie: %+v, want the second curve, then the first", got)
	}
}

func BenchmarkFront(b *testing.B) {
	const n = 100_000
	risk, complexity := make([]float64, n), make([]float64, n)
	for i := range risk {
		risk[i], complexity[i] = math.Mod(float64(i)*0.618, 1), math.Mod(float64(i)*0.414, 1)
	}
	for b.Loop() {
		Front(risk, complexity, Options{})
	}
}

// TestFrontBesideAFailure: a machine whose risk is beyond all bounds leaves the others apart, wherever it stands.
func TestFrontBesideAFailure(t *testing.T) {
	for at := range 4 {
		risk, complexity := []float64{0.6, 0.5, 0.4, 0.3}, []float64{1, 2, 3, 4}
		risk[at] = 1e20
		var want []int
		for i := range risk {
			if i != at || i == 0 { // the least complex one is a member whatever its risk
				want = append(want, i)
			}
		}
		if got := Front(risk, complexity, Options{}); !slices.Equal(got, want) {
			t.Errorf("the risks %v have the front %v, want %v", risk, got, want)
		}
	}
	if got := Front([]float64{math.NaN(), math.Inf(1)}, []float64{1, 2}, Options{}); got != nil {
		t.Errorf("of no finite risk: %v", got)
	}
}
