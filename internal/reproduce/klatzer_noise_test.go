package reproduce

import (
	"context"
	"testing"

	"github.com/mercer-ml/mercer/learn"
)

// On this split the score of a narrow surrogate is flat to the inner solver's tolerance around
// its minimum: a search that does not know of it makes 188 more evaluations at the same c.
func TestKlatzerSearchEndsInTheNoise(t *testing.T) {
	l := &lab{seed: 1}
	iris := l.classified(t.Context(), irisSet)
	part := iris.shares(l.stream(14), 76, 37, 37)
	b := linearModel().outer(heldOut(iris.x, iris.against(0), part[0], part[1], part[2]), learn.Quartic(0.125))
	res := b.tune(context.Background(), logSearch, []float64{9})
	const least = 0.08285394580315 // of 200 evaluations without that knowledge
	if res.Evaluations > 30 || res.F > least*(1+1e-6) {
		t.Errorf("%.12g after %d evaluations, %s", res.F, res.Evaluations, res.Status)
	}
}
