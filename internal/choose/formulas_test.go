package choose

import (
	"math"
	"testing"
)

// The criteria are their formulas, of ten rows and of members with one to four degrees of freedom, with the offset and without.
func TestFormulasOfCriteria(t *testing.T) {
	f := front(
		10,
		Member{SSE: 9, DF: 1, Errors: 4}, Member{SSE: 4, DF: 2, Errors: 3}, Member{SSE: 3.5, DF: 3, Errors: 1}, Member{SSE: 1, DF: 4},
	)
	const n = 10
	ln := math.Log
	share := func(count, rate float64) float64 {
		if count == 0 {
			return 0
		}
		return count * ln(rate)
	}
	for _, bias := range []bool{false, true} {
		for form, formula := range map[Form]func(t, m, sse, e float64) float64{
			Squares: func(t, m, sse, _ float64) float64 { return sse * (1 + t*m/(n-m)) },
			Logs:    func(t, m, sse, _ float64) float64 { return n*ln(sse/n) + t*(m+1) },
			Classes: func(t, m, _, e float64) float64 { return t*m - 2*(share(e, e/(n-m))+share(n-e, 1-e/(n-m))) },
			Printed: func(t, m, _, e float64) float64 {
				if e == 0 {
					return t * m
				}
				return t*m + 2*e*ln((n-m)/e-1)
			},
		} {
			akaike, bayes := must(t, AIC{Form: form, CountBias: bias}, f).Score, must(t, BIC{Form: form, CountBias: bias}, f).Score
			for i, k := range f.Members {
				m := k.DF
				if bias {
					m++
				}
				e := float64(k.Errors)
				if want := formula(2*n/(n-m-1), m, k.SSE, e); math.Abs(akaike[i]-want) > 1e-12*(1+math.Abs(want)) {
					t.Errorf("form %d, bias %v, member %d: aic %v, want %v", form, bias, i, akaike[i], want)
				}
				if want := formula(ln(n), m, k.SSE, e); math.Abs(bayes[i]-want) > 1e-12*(1+math.Abs(want)) {
					t.Errorf("form %d, bias %v, member %d: bic %v, want %v", form, bias, i, bayes[i], want)
				}
			}
		}
	}
}
