package choose

import "fmt"

// Held scores members by their loss on rows held out: a separate validation set (mve,
// 2.47) or folds (cv, 2.48; cv-lasso, 4.26). Loss is a sum or a mean, over the same
// rows for every member.
type Held struct {
	Word string // mve, cv, cv-lasso
	Loss []float64
	Says string // how the rows were held out
}

// Name is the word given.
func (d Held) Name() string { return d.Word }

// Decide scores the front.
func (d Held) Decide(f Front) (Decision, error) {
	if len(d.Loss) != len(f.Members) {
		return Decision{}, fmt.Errorf("%d held-out losses for %d members", len(d.Loss), len(f.Members))
	}
	return leastOf(f, append([]float64(nil), d.Loss...), "held-out rows are like new ones: "+d.Says), nil
}
