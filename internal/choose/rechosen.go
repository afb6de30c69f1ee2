package choose

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/indices"
)

// Rechoices is the number of parts of the judged rows for each of which a rule chooses anew. It costs as many choices,
// and no training.
const Rechoices = 5

// Rechosen returns left-out outputs, a row for each of the judged rows in their order, that no choice has flattered. The
// judged rows are dealt out to five parts; for each part the rule chooses by the scores of the other parts alone, and what
// it has chosen gives the outputs of the part. So an estimate made of them is corrected for the choice among candidates
// (Cawley & Talbot, JMLR 11, 2010), as by nested cross-validation, but that the inner machines have seen the labels of
// the outer part, as in Tsamardinos, Greasidou & Borboudakis (Machine Learning 107, 2018). Rules choose by
// fewer rows than in the fit, so what is left of the bias is to the worse side.
//
// It is nil where nothing was chosen by left-out outputs at hand: one candidate at one strength, candidates
// without such outputs, scores of another kind. Cost: five choices.
func Rechosen(ctx context.Context, rule Rule, s *Candidates) (*mat.Dense, error) {
	if !s.rechooses() {
		return nil, nil
	}
	judged := s.judged()
	bundle, bundles := s.bundles(judged)
	if bundles < 3 {
		return nil, nil
	}
	out := mat.NewDense(len(judged), s.Problem.Outputs(), nil)
	parts := min(Rechoices, bundles)
	for k := range parts {
		var rest []int
		for q, i := range judged {
			if bundle[q]%parts != k {
				rest = append(rest, i)
			}
		}
		c, err := rule.Choose(ctx, s.on(rest))
		if err != nil {
			return nil, err
		}
		left := LeftOut(s.Problem, c.Members)
		for q := range judged {
			if bundle[q]%parts != k {
				continue
			}
			row := out.RawRowView(q)
			copy(row, left.RawRowView(judged[q]))
			for j, b := range c.Offset {
				row[j] += b
			}
		}
	}
	return out, nil
}

// bundles number the groups of the judged rows in the order in which they appear, which parts keep whole: rows of a group are alike, and
// would tell the choice which machine answers those that are left. A row without a group is alone.
func (s *Candidates) bundles(judged []int) (of []int, n int) {
	of = make([]int, len(judged))
	seen := map[string]int{}
	for q, i := range judged {
		if s.Group != nil && s.Group[i] != "" {
			if b, ok := seen[s.Group[i]]; ok {
				of[q] = b
				continue
			}
			seen[s.Group[i]] = n
		}
		of[q] = n
		n++
	}
	return of, n
}

// judged are the rows that scores were computed on.
func (s *Candidates) judged() []int {
	if s.Judged != nil {
		return s.Judged
	}
	return indices.To(len(s.Problem.Labelled))
}

// rechooses says whether the scores of all candidates can be taken again on some of the rows.
func (s *Candidates) rechooses() bool {
	if s.Problem == nil || s.Front != nil || s.Squared || s.Criterion == nil || len(s.Members) == 0 ||
		len(s.Members) == 1 && s.Members[0].Machine != nil && len(s.Members[0].Tried) < 2 {
		return false
	}
	usable := func(c *Candidate) bool { // machines of views are scored on the rows of all views, and not on these
		return c.Machine != nil && s.fits(c.LeftOut) && !c.Mean && c.Views == nil && !slices.ContainsFunc(c.Tried, func(o *mat.Dense) bool {
			return !s.fits(o)
		})
	}
	return !slices.ContainsFunc(s.Members, func(c *Candidate) bool { return !usable(c) }) && (s.Baseline == nil || usable(s.Baseline))
}

// fits says whether left-out outputs are there, and of the rows and outputs of the problem.
func (s *Candidates) fits(out *mat.Dense) bool {
	if out == nil {
		return false
	}
	l, c := out.Dims()
	return l == len(s.Problem.Labelled) && c == s.Problem.Outputs()
}

// on are the candidates with the scores of some judged rows.
func (s *Candidates) on(rows []int) *Candidates {
	part := *s
	part.Outside = nil // what the members of the choice have moved counts for the parts too
	part.Judged, part.Members = rows, make([]*Candidate, len(s.Members))
	for i, c := range s.Members {
		part.Members[i] = s.scored(c, rows)
		if c == s.Baseline {
			part.Baseline = part.Members[i]
		}
	}
	if s.Baseline != nil && part.Baseline == s.Baseline {
		part.Baseline = s.scored(s.Baseline, rows)
	}
	return &part
}

// scored is a candidate with its score on some rows, at the strength that is the best there of those that were tried.
func (s *Candidates) scored(c *Candidate, rows []int) *Candidate {
	one, m := *c, *c.Machine
	one.Machine, m.Score = &m, math.Inf(1)
	tried := m.Tried
	if tried == nil {
		tried = []*mat.Dense{m.LeftOut}
	}
	for _, out := range tried {
		if v := s.Criterion.Eval(s.Problem, rows, out, nil); v < m.Score {
			m.Score, m.LeftOut = v, out
		}
	}
	return &one
}
