package metric

import (
	"math"
	"slices"
)

// calibrationBins is the number of bins of CalibrationError, as its sources have it.
const calibrationBins = 10

// CalibrationError returns the expected calibration error: rows are put into ten bins of equal width by the largest of
// their probabilities, and it is the mean over the rows of |share that is of the most probable class - mean probability|
// of their bin (Naeini, Cooper & Hauskrecht, AAAI 2015; Guo et al., ICML 2017). 0 is perfect; a few rows have about
// sqrt(bins/rows)/2 by chance. p are rows of probabilities.
func CalibrationError(p [][]float64, class []int) float64 {
	var sure, right [calibrationBins]float64
	for i, row := range p {
		top := slices.Index(row, slices.Max(row))
		b := min(max(int(row[top]*calibrationBins), 0), calibrationBins-1)
		sure[b] += row[top]
		if top == class[i] {
			right[b]++
		}
	}
	var sum float64
	for b, v := range sure {
		sum += math.Abs(right[b] - v)
	}
	return sum / float64(len(p))
}

// BalancedAccuracy returns the mean recall of the classes that have a row, which is 1/classes of guessing.
func BalancedAccuracy(confusion [][]int) float64 {
	_, recall, _ := PerClass(confusion)
	var sum, n float64
	for _, v := range recall {
		if !math.IsNaN(v) {
			sum, n = sum+v, n+1
		}
	}
	return sum / n
}
