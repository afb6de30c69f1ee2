package method

// Problem  a search by derivatives of one width a column that begins at one width for all, and is then refused by the confirmation (see
//          confirm), has spent most of its time on what is thrown away.
// Method   the confirmation asks for a nat of left-out likelihood for each parameter more. The search ends as soon as it is not to be
//          expected to gain so much: at once where a log loss of zero would not, and after 10, 20, 40 and so on evaluations where it
//          would not with twice as much more as the last half of them gained. A descent gains less from one doubling to the next.
// Limits   a descent that begins on a plateau is ended too early. The gain is that of the score that is searched, which flatters what is
//          found; so what is ended would have been refused.

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
