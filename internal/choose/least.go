package choose

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/rounding"
	"github.com/mercer-ml/mercer/score"
)

// Least chooses the member with a graph that has the most merit. It chooses the baseline instead if
// that has more merit or a better score, if a regression's gain is not sure, or if the graph is not to be relied on for new rows, and the
// candidates allow it.
type Least struct{}

// Choose implements Rule.
func (Least) Choose(ctx context.Context, s *Candidates) (*Choice, error) {
	base, semi, err := s.leaders()
	if err != nil {
		return nil, err
	}
	best := semi
	if semi == nil || s.Safe && base != nil && (semi.Score > base.Score || s.merit(semi) < s.merit(base)) {
		best = base
	}
	if s.Safe && base != nil && best != base {
		if s.unsure(best, base) {
			return s.alone(base, base), nil
		}
		if worse, err := s.unstable(ctx, []Weighted{{best, 1}}, best.LeftOut, base); worse || err != nil {
			return s.alone(base, base), err
		}
	}
	return s.alone(best, base), nil
}

// unsure says that the squared errors of a regression's left-out outputs are not less than the baseline's by two standard errors of their
// mean difference: they have long tails, and the best of many graphs has some gain by chance.
func (s *Candidates) unsure(c, base *Candidate) bool {
	if s.Problem.Task != data.Regression || c.LeftOut == nil || base.LeftOut == nil {
		return false
	}
	gain, err := errorOf(s.gain(c.LeftOut, base))
	return gain < 2*err
}

// alone is the choice of one member.
func (s *Candidates) alone(c, base *Candidate) *Choice {
	return &Choice{Members: []Weighted{{c, 1}}, Score: c.Score, Baseline: base}
}

// leaders returns the best supervised machine and the best machine with a graph. Either may be nil.
func (s *Candidates) leaders() (base, semi *Candidate, err error) {
	base = s.best((*Candidate).Supervised)
	if s.Baseline != nil {
		base = s.Baseline
	}
	semi = s.best(func(c *Candidate) bool { return !c.Supervised() })
	if semi == nil && base == nil {
		return nil, nil, ErrNothing
	}
	return base, semi, nil
}

// merit is what a single machine is chosen by, the larger the better: the pseudo-log-posterior of the
// judged rows. Squared errors, of a regression or of PRESS or GCV on classes, are
// taken for normal noise of unknown variance, log-likelihood -(l/2) log score.
func (s *Candidates) merit(c *Candidate) float64 {
	rows := float64(len(s.Problem.Labelled))
	if s.Judged != nil {
		rows = float64(len(s.Judged))
	}
	if s.Squared || s.Criterion == (score.Press{}) {
		return c.Prior - rows/2*math.Log(c.Score)
	}
	return c.Prior - rows*c.Score
}

// best returns the kept member of most merit, the first on ties.
func (s *Candidates) best(keep func(*Candidate) bool) *Candidate {
	var b *Candidate
	for _, c := range s.Members {
		if keep(c) && (b == nil || rounding.Below(-s.merit(c), -s.merit(b))) {
			b = c
		}
	}
	return b
}
