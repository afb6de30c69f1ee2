package choose

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/pareto"
)

// Knee chooses the member furthest below the line between the ends of the front, in
// coordinates scaled to its ranges (pareto.Knee; ours). Log takes logarithms of both
// objectives first, members where one is zero left out.
type Knee struct{ Log bool }

// Name is knee or knee-log.
func (d Knee) Name() string {
	if d.Log {
		return "knee-log"
	}
	return "knee"
}

// Decide scores members by minus their depth; only the chosen one's score is finite,
// as a knee is a property of the front.
func (d Knee) Decide(f Front) (Decision, error) {
	var risk, complexity []float64
	var at []int
	for i, m := range f.Members {
		r, q := m.SSE, m.Complexity
		if d.Log {
			r, q = math.Log(r), math.Log(q)
		}
		if r-r == 0 && q-q == 0 {
			risk, complexity, at = append(risk, r), append(complexity, q), append(at, i)
		}
	}
	k := pareto.Knee(risk, complexity)
	if k < 0 {
		return Decision{}, fmt.Errorf("the front of %d members has no knee; choose cv or bic", len(at))
	}
	return single(f, at[k], "the front bends once; no assumption about noise"), nil
}

// single is a decision for one member.
func single(f Front, chosen int, assumed string) Decision {
	scored := make([]float64, len(f.Members))
	for i := range scored {
		scored[i] = math.Inf(1)
	}
	scored[chosen] = 0
	return Decision{Score: scored, Chosen: chosen, Assumed: assumed}
}
