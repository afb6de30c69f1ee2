package method

// Problem  A search by derivatives moves one width for all columns first, and then one for each. Where the confirmation (confirm.go)
//          refuses the second, most of the time was spent on what is thrown away.
// Method   The confirmation asks for a nat of left-out likelihood for each added parameter. The second stage ends as soon as so large a
//          gain is out of reach: before it begins, where even a log loss of zero would gain too little; and after 10, 20, 40 and so on
//          evaluations, where twice what the last half of them gained, added to the gain so far, is too little. A descent gains less
//          from one doubling to the next.
// Limits   A descent that begins on a plateau is ended too early. The gain is that of the score that is searched, which flatters what is
//          found, so that what is ended here would have been refused.

import (
	"github.com/mercer-ml/mercer/score"
)

// firstLook is the number of evaluations after which a second stage is looked at first.
const firstLook = 10

// staged says whether the second stage of a search can end, which has so many parameters more than the first.
func staged(c score.Criterion, labelled, extra int) func(first float64, best []float64) bool {
	gained := func(first, now float64) float64 { return gain(c, labelled, first, now) }
	return func(first float64, best []float64) bool {
		k := len(best)
		if k == 0 {
			return gained(first, 0) <= float64(extra)
		}
		if !looks(k) {
			return false
		}
		half, now := gained(first, best[k/2-1]), gained(first, best[k-1])
		return now+2*(now-half) <= float64(extra)
	}
}

// looks says whether a number of evaluations is 10, 20, 40 and so on.
func looks(k int) bool {
	for k > firstLook && k%2 == 0 {
		k /= 2
	}
	return k == firstLook
}
