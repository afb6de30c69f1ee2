package choose

import (
	"errors"
	"math"
)

// Information criteria, with m degrees of freedom and N rows.
//
//	squares   (tau m/(N-m) + 1) SSE                                  (4.33)
//	logs      N ln(SSE/N) + tau (m+1)
//	classes   tau m - 2 E ln eta - 2 (N-E) ln(1-eta), eta = E/(N-m)  (4.34), corrected
//	printed   tau m + 2 E ln((N-m)/E - 1)                            (4.34) as printed
//
// tau = 2N/(N-m-1) for AIC, corrected for small samples (4.29), ln N for BIC (4.30). The
// squares are N times Akaike's final prediction error for tau = 2 and N times Orr's
// BIC for tau = ln N: each model brings its own estimate of the noise. The logs are the
// usual Gaussian likelihood, the noise counted as one more parameter. The classes are
// the Bernoulli likelihood of E errors on the training rows; the source dropped the
// term -2 N ln(1-eta) as if it were constant, and its score falls back to zero at
// eta = 1/2: it would choose the constant classifier. Kept for comparison only.
//
// All are +Inf where N - m - 1 <= 0 (or eta >= 1), and prefer the most complex member
// when SSE goes to zero: targets without noise need another decisor.

// Form is the likelihood of an information criterion.
type Form int

const (
	// Squares is (4.33).
	Squares Form = iota
	// Logs is the Gaussian log likelihood.
	Logs
	// Classes is the corrected (4.34).
	Classes
	// Printed is (4.34) as printed.
	Printed
)

var formNames = [...]string{"", "-log", "-cls", "-4.34"}

// AIC is Akaike's criterion, corrected for small samples.
type AIC struct {
	Form      Form
	CountBias bool // the offset counts as a degree of freedom; the source does not
}

// BIC is the Bayesian criterion.
type BIC struct {
	Form      Form
	CountBias bool
}

// Name is aic, aic-log, aic-cls or aic-4.34.
func (d AIC) Name() string { return "aic" + formNames[d.Form] }

// Name is bic, bic-log, bic-cls or bic-4.34.
func (d BIC) Name() string { return "bic" + formNames[d.Form] }

// Decide scores the front.
func (d AIC) Decide(f Front) (Decision, error) {
	n := float64(f.N)
	return information(f, d.Form, d.CountBias, func(m float64) float64 { return 2 * n / (n - m - 1) })
}

// Decide scores the front.
func (d BIC) Decide(f Front) (Decision, error) {
	return information(f, d.Form, d.CountBias, func(float64) float64 { return math.Log(float64(f.N)) })
}

func information(f Front, form Form, bias bool, tau func(m float64) float64) (Decision, error) {
	n := float64(f.N)
	assumed := "degrees of freedom = non-zero units, offset not counted; "
	if bias {
		assumed = "degrees of freedom = non-zero units and the offset; "
	}
	switch form {
	case Squares:
		assumed += "Gaussian noise, its variance estimated by each member (4.33)"
	case Logs:
		assumed += "Gaussian noise, its variance one more parameter"
	case Classes:
		assumed += "errors of training rows independent with one rate (4.34, corrected)"
	case Printed:
		assumed += "(4.34) as printed, which is wrong: for comparison"
	}
	if form == Classes || form == Printed {
		for _, m := range f.Members {
			if m.Errors < 0 {
				return Decision{}, errors.New("a criterion of classes needs training errors; use aic or bic for regressions")
			}
		}
	}
	return each(f, assumed, func(k Member) float64 {
		m := k.DF
		if bias {
			m++
		}
		if n-m-1 <= 0 {
			return math.Inf(1)
		}
		t, e := tau(m), float64(k.Errors)
		eta := e / (n - m)
		switch form {
		case Logs:
			return n*math.Log(k.SSE/n) + t*(m+1)
		case Classes:
			return t*m - 2*logShare(e, eta) - 2*logShare(n-e, 1-eta)
		case Printed:
			if e == 0 {
				return t * m
			}
			return t*m + 2*e*math.Log((n-m)/e-1)
		}
		return (t*m/(n-m) + 1) * k.SSE
	})
}

// logShare is count ln(share), 0 for no count; it is not finite for no share or less.
func logShare(count, share float64) float64 {
	if count == 0 {
		return 0
	}
	return count * math.Log(share)
}
