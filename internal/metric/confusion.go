package metric

import "math"

// Confusion counts rows by what they are and what they were taken for: element [a][b] is how many
// of want a have got b. Classes are numbers from 0; those that are never predicted may have higher
// numbers than known, the number of columns.
func Confusion(got, want []int, known int) [][]int {
	most := known
	for _, w := range want {
		most = max(most, w+1)
	}
	counts := make([][]int, most)
	for a := range counts {
		counts[a] = make([]int, known)
	}
	for i, g := range got {
		counts[want[i]][g]++
	}
	return counts
}

// PerClass returns for each class of a confusion
//
//	precision   of the rows taken for the class, the share that is of it
//	recall      of the rows of the class, the share taken for it
//	f1          their harmonic mean, 2 right/(taken + there)
//
// NaN where the share is of no row. Classes that are never predicted have no precision.
func PerClass(confusion [][]int) (precision, recall, f1 []float64) {
	for k, row := range confusion {
		right, taken, there := 0, 0, 0
		for b, n := range row {
			there += n
			if b == k {
				right = n
			}
		}
		for _, other := range confusion {
			if k < len(other) {
				taken += other[k]
			}
		}
		precision = append(precision, share(right, taken))
		recall = append(recall, share(right, there))
		f1 = append(f1, share(2*right, taken+there))
	}
	return precision, recall, f1
}

func share(part, whole int) float64 {
	if whole == 0 {
		return math.NaN()
	}
	return float64(part) / float64(whole)
}
