package choose

import (
	"fmt"
	"math"
)

// Member holds what a decisor may know of a member of a front.
type Member struct {
	SSE        float64 // sum of squared residuals on the training rows
	Complexity float64
	// DF are degrees of freedom without the offset: the non-zeros of a LASSO (Zou, Hastie
	// and Tibshirani 2007), the trace of the smoother of a ridge.
	DF     float64
	Errors int // training rows classified wrongly; -1 for regressions
}

// Front is members by increasing complexity, trained on N rows.
type Front struct {
	N       int
	Members []Member
}

// Decision is what a decisor says of a front. Chosen is -1 where no score is finite.
type Decision struct {
	Score   []float64
	Chosen  int
	Assumed string
}

// Decisor scores the members of a front.
type Decisor interface {
	// Name is the word it is known by.
	Name() string
	Decide(f Front) (Decision, error)
}

// leastOf is the decision for given scores: the least finite one.
func leastOf(f Front, scored []float64, assumed string) Decision {
	if len(scored) != len(f.Members) {
		panic(fmt.Sprintf("choose: %d scores for %d members", len(scored), len(f.Members)))
	}
	best := -1
	for i, s := range scored {
		if s-s != 0 {
			continue
		}
		if best < 0 || s < scored[best] || s == scored[best] && simpler(f.Members[i], f.Members[best]) {
			best = i
		}
	}
	return Decision{Score: scored, Chosen: best, Assumed: assumed}
}

func simpler(a, b Member) bool {
	return a.Complexity < b.Complexity || a.Complexity == b.Complexity && a.DF < b.DF
}

// each scores every member by itself.
func each(f Front, assumed string, scored func(m Member) float64) (Decision, error) {
	s := make([]float64, len(f.Members))
	for i, m := range f.Members {
		if s[i] = scored(m); math.IsNaN(s[i]) {
			s[i] = math.Inf(1)
		}
	}
	return leastOf(f, s, assumed), nil
}
