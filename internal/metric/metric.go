// Package metric measures predictions: error, confusion, precision and recall of each class,
// precision-recall break-even, area under the ROC curve and log loss of classifiers; rmse, mae and
// r2 of regressors.
//
// A new measure of predictions is a function here; package answer decides which ones a fit
// prints.
package metric

import (
	"cmp"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/indices"
)

// Error returns the share of places where got and want differ.
func Error(got, want []int) float64 {
	wrong := 0
	for i, g := range got {
		if g != want[i] {
			wrong++
		}
	}
	return float64(wrong) / float64(len(got))
}

// PRBEP returns the precision-recall break-even point: of the n+ rows with the highest scores (n+ the number of positives) the share
// that is positive. Of rows whose scores tie at the last place, each is as likely to be taken: the value is the expected one over
// their orders. NaN without a positive row.
func PRBEP(score []float64, positive []bool) float64 {
	order := make([]int, len(score))
	n := 0
	for i := range order {
		order[i] = i
		if positive[i] {
			n++
		}
	}
	if n == 0 {
		return math.NaN()
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	last := score[order[n-1]]
	var above, hits, tied, among float64 // rows above the last place and their positives; rows of its score and theirs
	for _, i := range order {
		hit := 0.0
		if positive[i] {
			hit = 1
		}
		switch {
		case score[i] > last:
			above, hits = above+1, hits+hit
		case score[i] == last:
			tied, among = tied+1, among+hit
		}
	}
	return (hits + (float64(n)-above)*among/tied) / float64(n)
}

// AUC returns the probability that a positive row scores above a negative one,
// ties counting one half (Mann-Whitney). NaN unless there are both.
func AUC(score []float64, positive []bool) float64 {
	order := indices.To(len(score))
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case score[a] < score[b]:
			return -1
		case score[a] > score[b]:
			return 1
		}
		return 0
	})
	var rankSum float64
	pos := 0
	for lo := 0; lo < len(order); {
		hi := lo + 1
		for hi < len(order) && score[order[hi]] == score[order[lo]] {
			hi++
		}
		for _, i := range order[lo:hi] {
			if positive[i] {
				pos++
				rankSum += float64(lo+hi+1) / 2 // mean of the ranks lo+1..hi
			}
		}
		lo = hi
	}
	neg := len(score) - pos
	if pos == 0 || neg == 0 {
		return math.NaN()
	}
	p := float64(pos)
	return (rankSum - p*(p+1)/2) / (p * float64(neg))
}

// LogLoss returns the mean of -log p_i[class_i], p rows of probabilities. A
// probability of zero counts as 2^-1022, the smallest normal number.
func LogLoss(p [][]float64, class []int) float64 {
	var sum float64
	for i, k := range class {
		sum -= math.Log(max(p[i][k], 0x1p-1022))
	}
	return sum / float64(len(class))
}

// RMSE returns the root of the mean squared difference.
func RMSE(got, want []float64) float64 {
	var s float64
	for i, g := range got {
		s += (g - want[i]) * (g - want[i])
	}
	return math.Sqrt(s / float64(len(got)))
}

// MAE returns the mean absolute difference.
func MAE(got, want []float64) float64 {
	var s float64
	for i, g := range got {
		s += math.Abs(g - want[i])
	}
	return s / float64(len(got))
}

// R2 returns 1 - sum (want - got)^2 / sum (want - mean)^2, NaN for constant want.
func R2(got, want []float64) float64 {
	if len(want) == 0 || slices.Min(want) == slices.Max(want) {
		return math.NaN() // the mean of equal values need not be one of them
	}
	var mean, rss, tss float64
	for _, w := range want {
		mean += w / float64(len(want))
	}
	for i, w := range want {
		rss += (w - got[i]) * (w - got[i])
		tss += (w - mean) * (w - mean)
	}
	return 1 - rss/tss
}
