package calibrate

import (
	"fmt"
	"sort"

	"gonum.org/v1/gonum/mat"
)

// Isotonic is the probability of the second of two classes as an increasing
// function of the output: straight between the points (Score, P), constant beyond
// them, 1/2 at 0. Model files may hold it; fits give sigmoids.
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
