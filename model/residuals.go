package model

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Residuals are the errors r_i = y_i - o_i of a regression on n rows, o_i its output when row i was left out of the
// training, as order statistics r_(1) <= ... <= r_(n). They make intervals of the same width everywhere,
//
//	f(x) + r_(k) .. f(x) + r_(n+1-k),   k = floor((1-level)/2 (n+1)),
//
// of which each end misses at most a share k/(n+1) of new rows, so that both miss at most 1-level. That is exact, in
// the mean over draws of all rows, if the n errors and that of the new row are exchangeable, as they are if the rows
// were held out from the very machine that predicts (inductive conformal prediction: Vovk, Gammerman & Shafer,
// Algorithmic Learning in a Random World, 2005, chapter 4). It is approximate where that machine has seen them, after
// leave-one-out or folds: this is the jackknife, which is right for many rows if one row changes the outputs little,
// but has no bound for all machines (Barber, Candes, Ramdas & Tibshirani, Annals of Statistics 49, 2021). A machine
// that was chosen by the same errors has made them a little too small; training on parts of the rows makes them a
// little too large. Nothing is said of the coverage at a given x.
//
// Each tail has its own quantile because errors may be skew. Quantiles of |r| need half the rows for the same level
// and are shorter where errors are skew, but miss on one side (docs/results/coverage-design.md has both).
//
// Of many rows not all ranks are kept: all up to 64 from either end, then steps of at most a 32nd of the rank. Where
// the rank asked for is missing the next one outwards is taken, so that an interval covers more than was asked for, by
// at most a 32nd of what it may miss.
type Residuals struct {
	Rows   int       `json:"rows"`   // n
	Ranks  []int     `json:"ranks"`  // increasing, with every k also n+1-k
	Values []float64 `json:"values"` // r of these ranks
}

// fineness is the inverse of the largest step between ranks, as a share of the rank.
const fineness = 32

// rounding is what the last digits of a level may do without costing a rank: (1-0.9)/2 20 is a little less than 1.
const rounding = 1 + 1e-9

// NewResiduals keeps the errors of rows left out, in any order. Fewer than two, or one that is not finite, is an error.
// Cost: a sort.
func NewResiduals(errs []float64) (Residuals, error) {
	n := len(errs)
	if n < 2 {
		return Residuals{}, fmt.Errorf("model: %d rows left out; intervals need two at least", n)
	}
	sorted := slices.Clone(errs)
	slices.Sort(sorted)
	if !(sorted[n-1]-sorted[0] < math.Inf(1)) { // NaN sorts first
		return Residuals{}, errors.New("model: an error of a row left out is not finite")
	}
	r := Residuals{Rows: n, Ranks: RanksOf(n)}
	for _, k := range r.Ranks {
		r.Values = append(r.Values, sorted[k-1])
	}
	return r, nil
}

// RanksOf lists the ranks that are kept of n errors, from 1, increasing.
func RanksOf(n int) []int {
	var ranks []int
	for k := 1; 2*k <= n+1; k += max(1, k/fineness) {
		ranks = append(ranks, k)
	}
	for _, k := range slices.Backward(slices.Clone(ranks)) {
		if 2*k < n+1 {
			ranks = append(ranks, n+1-k)
		}
	}
	return ranks
}

// Interval returns what is to be added to f(x) for the ends of the interval of a level. It is an error if the level is
// not within (0, 1), or if an end would be infinite because there are too few rows: below RowsFor. Cost: O(log n).
func (r Residuals) Interval(level float64) (lower, upper float64, err error) {
	if !(level > 0 && level < 1) {
		return 0, 0, fmt.Errorf("intervals of level %g; give a share between 0 and 1, as 0.9", level)
	}
	k := min(int((1-level)/2*float64(r.Rows+1)*rounding), (r.Rows+1)/2)
	if k < 1 {
		return 0, 0, fmt.Errorf(
			"intervals of level %g need %d rows left out, and there were %d; ask for %g at most, or label more rows",
			level, RowsFor(level), r.Rows, r.Most(),
		)
	}
	at, found := slices.BinarySearch(r.Ranks, k)
	if !found {
		at-- // outwards; rank 1 is there
	}
	return r.Values[at], r.Values[len(r.Values)-1-at], nil
}

// RowsFor is how many rows must be left out for intervals of a level within (0, 1).
func RowsFor(level float64) int { return int(math.Ceil(2/(1-level)/rounding)) - 1 }

// Most is the largest level that Interval takes, rounded down to four digits: that of the whole range of the errors.
func (r Residuals) Most() float64 {
	return math.Floor((1-2/float64(r.Rows+1))*1e4) / 1e4
}

// Check returns what makes the values no order statistics, or nil.
func (r Residuals) Check() error {
	m := len(r.Ranks)
	if m < 2 || m != len(r.Values) || r.Rows < m || r.Ranks[0] != 1 {
		return fmt.Errorf("residuals: %d values at %d ranks of %d rows", len(r.Values), m, r.Rows)
	}
	for i, k := range r.Ranks {
		if i > 0 && k <= r.Ranks[i-1] || k+r.Ranks[m-1-i] != r.Rows+1 {
			return fmt.Errorf("residuals: rank %d of %d rows at place %d", k, r.Rows, i+1)
		}
		if v := r.Values[i]; v-v != 0 || i > 0 && v < r.Values[i-1] {
			return fmt.Errorf("residuals: %g after its predecessor, at rank %d", v, k)
		}
	}
	return nil
}
