package metric

import "math"

// Lead is by how much the largest of several outputs exceeds the next.
func Lead(o []float64) float64 {
	best, next := math.Inf(-1), math.Inf(-1)
	for _, v := range o {
		if v > best {
			best, next = v, best
		} else if v > next {
			next = v
		}
	}
	return best - next
}
