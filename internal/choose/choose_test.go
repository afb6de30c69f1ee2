package choose

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func front(n int, m ...Member) Front { return Front{N: n, Members: m} }

func must(t *testing.T, d Decisor, f Front) Decision {
	t.Helper()
	out, err := d.Decide(f)
	if err != nil {
		t.Fatal(err)
	}
	if out.Assumed == "" || d.Name() == "" {
		t.Errorf("%T says nothing of what it assumed", d)
	}
	return out
}

// (tau m/(N-m) + 1) SSE = SSE (N + (tau-1) m)/(N-m): N times Akaike's FPE for tau = 2 and
// N times Orr's BIC for tau = ln N; AICc = 2m + 2m(m+1)/(N-m-1).
func TestCriteriaAreKnownOnes(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m, sse := float64(rapid.IntRange(0, 40).Draw(r, "m")), rapid.Float64Range(0.1, 100).Draw(r, "sse")
		f := front(60, Member{SSE: sse, DF: m, Errors: 3})
		n, ln := 60.0, math.Log(60)
		near := func(name string, got, want float64) {
			if math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
				r.Fatalf("%s: %.17g, not %.17g", name, got, want)
			}
		}
		near("orr", must(t, BIC{}, f).Score[0], n*(n+(ln-1)*m)/(n*(n-m))*sse)
		aicc := 2*m + 2*m*(m+1)/(n-m-1)
		near("aicc", must(t, AIC{Form: Logs}, f).Score[0]-n*math.Log(sse/n)-2*n/(n-m-1), aicc)
		tau := 2 * n / (n - m - 1)
		near("aic", must(t, AIC{}, f).Score[0], (tau*m/(n-m)+1)*sse)
		near("bias", must(t, BIC{CountBias: true}, f).Score[0], must(t, BIC{}, front(60, Member{SSE: sse, DF: m + 1})).Score[0])
		near("gcv", must(t, GCV{}, f).Score[0], n*sse/((n-m)*(n-m)))
	})
}

// The values of the specification: N = 350, m = 0, tau = 2 is AIC's tau for N large; the
// Bernoulli part alone is compared.
func TestClassCriteria(t *testing.T) {
	f := front(350, Member{Errors: 0}, Member{Errors: 75}, Member{Errors: 150}, Member{Errors: 175})
	full, printed := must(t, BIC{Form: Classes}, f), must(t, BIC{Form: Printed}, f)
	for i, want := range []float64{0, 363.7, 478.0, 485.2} {
		if math.Abs(full.Score[i]-want) > 0.05 {
			t.Errorf("corrected %d: %g, not %g", i, full.Score[i], want)
		}
	}
	for i, want := range []float64{0, 194.9, 86.3, 0} {
		if math.Abs(printed.Score[i]-want) > 0.05 {
			t.Errorf("printed %d: %g, not %g", i, printed.Score[i], want)
		}
	}
	f = front(20, Member{DF: 15, Errors: 5}, Member{DF: 2, Errors: 4}, Member{DF: 19, Errors: 0})
	d := must(t, AIC{Form: Classes}, f)
	if !math.IsInf(d.Score[0], 1) || !math.IsInf(d.Score[2], 1) || d.Chosen != 1 {
		t.Errorf("E >= N - m or no freedom left: %v", d.Score)
	}
	if _, err := (AIC{Form: Classes}).Decide(front(9, Member{Errors: -1})); err == nil || !strings.Contains(err.Error(), "regressions") {
		t.Errorf("classes of a regression: %v", err)
	}
}

func TestTiesGoToTheSimpler(t *testing.T) {
	f := front(10, Member{Complexity: 3, DF: 1}, Member{Complexity: 2, DF: 4}, Member{Complexity: 2, DF: 3}, Member{Complexity: 9})
	if d := leastOf(f, []float64{1, 1, 1, math.NaN()}, ""); d.Chosen != 2 {
		t.Errorf("chosen %d", d.Chosen)
	}
	if d := leastOf(f, []float64{1, 1, 1, 0.5}, ""); d.Chosen != 3 {
		t.Errorf("chosen %d", d.Chosen)
	}
	same := front(10, Member{Complexity: 2, DF: 3}, Member{Complexity: 2, DF: 3}, Member{Complexity: 2, DF: 4})
	if d := leastOf(same, []float64{1, 1, 1}, ""); d.Chosen != 0 {
		t.Errorf("chosen %d, and not the first", d.Chosen)
	}
	if d := leastOf(front(1), nil, ""); d.Chosen != -1 {
		t.Errorf("chosen %d of none", d.Chosen)
	}
}

// A corner at (e^1, e^1) of an L in logarithms.
func TestCorner(t *testing.T) {
	var f Front
	for i := range 21 {
		x, y := -1.0, 3-float64(i)*0.2
		if i > 10 {
			x, y = -1+float64(i-10)*0.2, 1
		}
		f.Members = append(f.Members, Member{SSE: math.Exp(y - 1e-3*x), Complexity: math.Exp(x + 1e-3*float64(i))})
	}
	if d := must(t, LCurve{}, f); d.Chosen != 10 {
		t.Errorf("corner %d", d.Chosen)
	}
	if d := must(t, Knee{Log: true}, f); d.Chosen != 10 {
		t.Errorf("knee %d", d.Chosen)
	}
	if _, err := (LCurve{}).Decide(front(3, Member{SSE: 1})); err == nil {
		t.Error("corner of one member")
	}
}

func TestVCBound(t *testing.T) {
	f := front(1000, Member{DF: 1, Errors: 300}, Member{DF: 20, Errors: 20}, Member{DF: 400, Errors: 0})
	d := must(t, VCBound{A1: 1, A2: 1}, f)
	if d.Chosen != 1 {
		t.Errorf("chosen %d: %v", d.Chosen, d.Score)
	}
	// By hand for the first: h = 2, R = 0.3.
	e := (2*(math.Log(500)+1) - math.Log(0.0125)) / 1000
	if want := 0.3 + e/2*(1+math.Sqrt(1+1.2/e)); math.Abs(d.Score[0]-want) > 1e-14 {
		t.Errorf("bound %g, not %g", d.Score[0], want)
	}
	if _, err := (VCBound{A1: 5}).Decide(f); err == nil {
		t.Error("a1 = 5 accepted")
	}
}

func TestHeld(t *testing.T) {
	f := front(10, Member{Complexity: 1}, Member{Complexity: 2}, Member{Complexity: 3})
	if d := must(t, Held{Word: "mve", Loss: []float64{3, 1, 1}, Says: "5 rows"}, f); d.Chosen != 1 {
		t.Errorf("chosen %d", d.Chosen)
	}
	if _, err := (Held{Loss: []float64{1}}).Decide(f); err == nil {
		t.Error("one loss for three members")
	}
}
