package calibrate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"
)

// Isotonic is the probability of the second of two classes as an increasing
// function of the output: straight between the points (Score, P), constant beyond
// them, 1/2 at 0.
type Isotonic struct {
	Score []float64 `json:"score"` // increasing
	P     []float64 `json:"p"`     // not decreasing, at most 1/2 for negative scores, at least 1/2 from 0 on
}

// Probability returns the value at f.
func (s Isotonic) Probability(f float64) float64 {
	k := sort.SearchFloat64s(s.Score, f)
	switch {
	case len(s.Score) == 0:
		return 0.5
	case k == len(s.Score):
		return s.P[k-1]
	case k == 0 || s.Score[k] == f:
		return s.P[k]
	}
	// The difference of scores may overflow; half of it does not.
	w := (f/2 - s.Score[k-1]/2) / (s.Score[k]/2 - s.Score[k-1]/2)
	return s.P[k-1] + w*(s.P[k]-s.P[k-1])
}

// Probabilities implements Calibration: one output, two classes.
func (s Isotonic) Probabilities(dst, scores *mat.Dense, winner []int) error {
	mustFit(dst, scores, winner, 1, 2)
	for i, w := range winner {
		f := scores.RawRowView(i)
		if err := finiteRow(i, f); err != nil {
			return err
		}
		p := dst.RawRowView(i)
		p[1] = s.Probability(f[0])
		p[0] = 1 - p[1]
		if err := agreeRow(i, p, w); err != nil {
			return err
		}
	}
	return nil
}

// Check implements Calibration.
func (s Isotonic) Check() error {
	if len(s.Score) != len(s.P) {
		return fmt.Errorf("isotonic: %d scores, %d probabilities", len(s.Score), len(s.P))
	}
	for i, f := range s.Score {
		p := s.P[i]
		switch {
		case f-f != 0 || i > 0 && !(f > s.Score[i-1]):
			return fmt.Errorf("isotonic: score %d is %g; scores must be finite and increase", i, f)
		case !(p > 0 && p < 1) || i > 0 && p < s.P[i-1]:
			return fmt.Errorf("isotonic: probability %d is %g; they must lie between 0 and 1 and not decrease", i, p)
		case f < 0 && p > 0.5 || f >= 0 && p < 0.5:
			return fmt.Errorf("isotonic: probability %g at score %g contradicts the decision", p, f)
		}
	}
	return nil
}

// run is a block of rows with one fitted value, sum/weight.
type run struct{ sum, weight, lo, hi float64 }

// FitIsotonic fits the function to held-out outputs of rows that are of the second
// class or not: the solution of
//
//	minimise sum_i (g_i - y_i)^2 over g increasing in f, g <= 1/2 for f < 0, g >= 1/2 for f >= 0
//
// with y = 1 in the second class and 0 in the first, and one row more of the other
// class at either end: y = 1 at the least output, y = 0 at the greatest, so that
// after n rows of one class only the probability is n/(n+1), never 1. The bounds
// part the problem at f = 0, and isotonic regression within bounds is the one
// without, cut off at them (Barlow, Bartholomew, Bremner and Brunk 1972), so pool-adjacent-violators on
// either side solves it exactly; the same g is
// the most likely one. Between its steps the function is made straight, and through
// 1/2 at 0.
//
// No row, or an output that is not finite, is an error. Cost: one sort.
func FitIsotonic(scores []float64, second []bool) (Isotonic, error) {
	if len(scores) != len(second) {
		panic(fmt.Sprintf("calibrate: %d outputs, %d classes", len(scores), len(second)))
	}
	if len(scores) == 0 {
		return Isotonic{}, errors.New("calibrate: no held-out row to fit probabilities on; hold some out")
	}
	order := make([]int, len(scores))
	for i := range scores {
		order[i] = i
		if err := finiteRow(i, scores[i:i+1]); err != nil {
			return Isotonic{}, err
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	split := sort.Search(len(order), func(i int) bool { return scores[order[i]] >= 0 })
	rows := func(order []int) []run {
		r := make([]run, 0, len(order))
		for _, i := range order {
			y := 0.0
			if second[i] {
				y = 1
			}
			if n := len(r); n > 0 && r[n-1].lo == scores[i] {
				r[n-1].sum, r[n-1].weight = r[n-1].sum+y, r[n-1].weight+1
				continue
			}
			r = append(r, run{y, 1, scores[i], scores[i]})
		}
		return r
	}
	var s Isotonic
	if split > 0 {
		r := rows(order[:split])
		r[0].sum, r[0].weight = r[0].sum+1, r[0].weight+1
		for _, r := range pool(r) {
			s.add(r, min(r.sum/r.weight, 0.5))
		}
	}
	if split == len(order) || scores[order[split]] > 0 {
		s.add(run{}, 0.5) // the point (0, 1/2)
	}
	if split < len(order) {
		r := rows(order[split:])
		r[len(r)-1].weight++
		for _, r := range pool(r) {
			s.add(r, max(r.sum/r.weight, 0.5))
		}
	}
	s.compact()
	return s, nil
}

// pool joins neighbours whose means do not increase.
func pool(rows []run) []run {
	done := rows[:0]
	for _, r := range rows {
		for len(done) > 0 {
			last := done[len(done)-1]
			if last.sum*r.weight < r.sum*last.weight {
				break
			}
			r = run{last.sum + r.sum, last.weight + r.weight, last.lo, r.hi}
			done = done[:len(done)-1]
		}
		done = append(done, r)
	}
	return done
}

// add appends the level p over a run.
func (s *Isotonic) add(r run, p float64) {
	s.Score, s.P = append(s.Score, r.lo), append(s.P, p)
	if r.hi > r.lo {
		s.Score, s.P = append(s.Score, r.hi), append(s.P, p)
	}
}

// compact drops the inner points of level stretches.
func (s *Isotonic) compact() {
	keep := 0
	for i, p := range s.P {
		if i > 0 && i < len(s.P)-1 && s.P[keep-1] == p && s.P[i+1] == p {
			continue
		}
		s.Score[keep], s.P[keep] = s.Score[i], p
		keep++
	}
	s.Score, s.P = s.Score[:keep], s.P[:keep]
}
