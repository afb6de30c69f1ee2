package label

// The error to expect on the rows without a label, from the check questions.
//
// Problem   Rows that are asked because they say much are not like the others, so errors on them mean nothing. Every
//	few questions one is drawn at random from all rows without a label (Chooser.CheckEvery). Such a row, left out of the
//	learner in closed form, is like a row that nobody was asked about.
// Estimate  Of q check questions e are mistaken when left out. The learner's own expectation r, the mean over the rows
//	without a label of the belief that its decision is wrong, counts like s = 2 rows more:
//
//	error ~ Beta(s r + e/2 + 1/2, s (1 - r) + (q - e)/2 + 1/2)
//
//	with the prior of Jeffreys, and the estimate is its mean and its quantiles. A check counts half because all of
//	them are judged by learners that share their rows (Nadeau & Bengio, Machine Learning 52, 2003, whose factor of the
//	variance tends to 2). Without a check question the interval is wide; with many they alone decide.
// Limits    A learner without one of few labels is worse than the one that is used, so the estimate is cautious; rows that
//	a person skips are judged by nobody. How often intervals hold is measured in docs/results/label.md.

import "gonum.org/v1/gonum/stat/distuv"

// Estimate is a share of mistaken rows, with an interval of level Level.
type Estimate struct {
	Error    float64 `json:"error"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	Level    float64 `json:"level"`
	Checks   int     `json:"checks"`   // check questions that were answered
	Mistaken int     `json:"mistaken"` // of those
	Believed float64 `json:"believed"` // r
}

// level of estimates.
const level = 0.9

// trust is the weight of the learner's own expectation. A check question weighs 1/2, so that it is worth four of them.
const trust = 2

// newEstimate joins the learner's expectation with check questions.
func newEstimate(believed float64, checks, mistaken int) Estimate {
	b := distuv.Beta{
		Alpha: trust*believed + float64(mistaken)/2 + 0.5,
		Beta:  trust*(1-believed) + float64(checks-mistaken)/2 + 0.5,
	}
	tail := (1 - level) / 2
	return Estimate{Error: b.Mean(), Low: b.Quantile(tail), High: b.Quantile(1 - tail), Level: level,
		Checks: checks, Mistaken: mistaken, Believed: believed}
}
