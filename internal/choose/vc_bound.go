package choose

import (
	"errors"
	"fmt"
	"math"
)

// VCBound is the bound of Vapnik on the expected error,
//
//	R + e/2 (1 + sqrt(1 + 4R/e)),  e = A1 [h (ln(A2 N/h) + 1) - ln(eta/4)]/N
//
// R the share of training rows classified wrongly, h = DF + 1 in the place of the
// dimension, 1-eta the confidence, 0 < A1 <= 4, 0 < A2 <= 2 (section 2.2.4).
type VCBound struct {
	A1, A2, Eta float64 // default 4, 2 (the worst case) and 0.05
}

// Name is vc-bound.
func (VCBound) Name() string { return "vc-bound" }

// Decide scores the front.
func (d VCBound) Decide(f Front) (Decision, error) {
	a1, a2, eta := d.A1, d.A2, d.Eta
	if a1 == 0 {
		a1 = 4
	}
	if a2 == 0 {
		a2 = 2
	}
	if eta == 0 {
		eta = 0.05
	}
	if !(a1 > 0 && a1 <= 4 && a2 > 0 && a2 <= 2 && eta > 0 && eta < 1) {
		return Decision{}, fmt.Errorf("vc-bound with a1 %g, a2 %g, eta %g; give 0 < a1 <= 4, 0 < a2 <= 2, 0 < eta < 1", a1, a2, eta)
	}
	n := float64(f.N)
	for _, m := range f.Members {
		if m.Errors < 0 {
			return Decision{}, errors.New("vc-bound is for classifiers; use gcv or bic for regressions")
		}
	}
	return each(f, "dimension = units + 1, which is no bound of it", func(m Member) float64 {
		r, h := float64(m.Errors)/n, m.DF+1
		e := a1 * (h*(math.Log(a2*n/h)+1) - math.Log(eta/4)) / n
		if !(e > 0) {
			return math.Inf(1)
		}
		return r + e/2*(1+math.Sqrt(1+4*r/e))
	})
}
