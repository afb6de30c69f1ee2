package choose

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/score"
)

// sharpness is the beta of the weights exp(-beta score/log C + log prior); 12 to
// 25 do alike on the design sets.
const sharpness = 15

// leastWeight is the share of the largest weight below which a member is dropped: it would change
// no digit that is printed.
const leastWeight = 1e-4

// Average joins the members of candidates whose score is the log loss into the weighted sum of
// all, each multiplied by its own temperature, so that outputs are log-odds. It falls back to
// the baseline if the average is clearly worse, or not to be relied on outside its graphs; on blurred ones unless it is clearly
// better. Scores of another kind are left to Least. docs/automatic-choice.md says what was
// tried and why this rule was taken.
type Average struct{}

// Choose implements Rule.
func (Average) Choose(ctx context.Context, s *Candidates) (*Choice, error) {
	base, semi, err := s.leaders()
	if err != nil {
		return nil, err
	}
	if semi == nil || s.Squared || s.Criterion != (score.LogLoss{}) {
		return Least{}.Choose(ctx, s)
	}
	c, left := s.average()
	if s.Safe && base != nil && (s.clearlyWorse(left, base.LeftOut) || s.Blurred && !s.clearlyWorse(base.LeftOut, left)) {
		return s.alone(base, base), nil
	}
	if s.Safe && base != nil {
		if worse, err := s.unstable(ctx, c.Members, left, base); worse || err != nil {
			return s.alone(base, base), err
		}
	}
	c.Baseline = base
	return c, nil
}

// clearlyWorse says whether the log losses of left-out outputs a are worse than
// those of b by more than a standard error of their mean difference: b is the best
// of several, so its score is flattered, and so few rows are judged that a smaller
// difference means nothing.
func (s *Candidates) clearlyWorse(a, b *mat.Dense) bool {
	d := score.LogLoss{}.Losses(s.Problem, s.Judged, a)
	for q, v := range (score.LogLoss{}).Losses(s.Problem, s.Judged, b) {
		d[q] -= v
	}
	mean, err := errorOf(d)
	return mean > err
}

// average joins the members: log-odds of the left-out predictions, weighted,
// then the class masses of unlabelled rows (massOffsets). It returns the average
// of the left-out outputs too.
func (s *Candidates) average() (*Choice, *mat.Dense) {
	p := s.Problem
	chance := math.Log(float64(len(p.Classes))) // the loss of knowing nothing
	logWeight := func(m *Candidate) float64 { return m.Prior - sharpness/chance*m.Score }
	top := math.Inf(-1)
	for _, m := range s.Members {
		top = max(top, logWeight(m))
	}
	c := &Choice{}
	for _, m := range s.Members {
		if w := math.Exp(logWeight(m) - top); w >= leastWeight {
			c.Members = append(c.Members, Weighted{m, w * score.Temperature(p, s.Judged, m.LeftOut)})
		}
	}
	left := LeftOut(p, c.Members)
	// With the average's own temperature the outputs are log-odds.
	temperature := score.Temperature(p, s.Judged, left)
	out := Outputs(p, c.Members)
	for i := range c.Members {
		c.Members[i].Weight *= temperature
	}
	c.Score = s.Criterion.Eval(p, s.Judged, left, nil)
	if c.Score < informed*chance {
		out.Scale(temperature, out)
		c.Offset = massOffsets(p, out)
	}
	return c, left
}
