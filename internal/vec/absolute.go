package vec

import (
	"fmt"
	"math"
)

// Sums of absolute differences of one row x with eight rows z at a time:
//
//	distance  out_b += sum_k |x_k - z_kb|
//	weighted  out_kb += w_b |x_k - z_kb|
//
// Rows stand in panels as those of ChiDistance. The number of features is a multiple of 4 (add zeros).
//
// Cost of eight pairs, a feature: two subtractions, two masks and two additions or multiply-adds. Zen 3 does two of the additions a
// cycle: 2 cycles, or 0.25 a feature of a pair. The distance has four running sums, of the features k, k+1, k+2, k+3, because one sum
// would wait four cycles for each addition. The vector and the plain form do the same operations in the same order: equal to the last
// bit, and x and z may change places.

// AbsDistance adds distances to out, of length ChiRows. x begins at the first feature of its row, z at that of its panel.
func AbsDistance(out, x, z []float64, features int) {
	if checkChi(out, x, z, features); features == 0 {
		return
	}
	if AVX2 {
		absDistanceAVX2(&out[0], &x[0], &z[0], features)
		return
	}
	for b := range ChiRows {
		var sum [4]float64
		for k := 0; k < features; k += 4 {
			for q := range 4 {
				sum[q] += math.Abs(x[(k+q)*ChiRows] - z[(k+q)*ChiRows+b])
			}
		}
		out[b] += (sum[0] + sum[1]) + (sum[2] + sum[3])
	}
}

// AbsWeighted adds the terms of each feature, times the weights of the eight rows z, to out, which has ChiRows numbers for each feature.
func AbsWeighted(out, x, z, weight []float64, features int) {
	if len(weight) != ChiRows || len(out) < features*ChiRows {
		panic(fmt.Sprintf("vec: absolute differences of %d features into %d numbers, by %d weights", features, len(out), len(weight)))
	}
	if checkChi(weight, x, z, features); features == 0 {
		return
	}
	if AVX2 {
		absWeightedAVX2(&out[0], &x[0], &z[0], &weight[0], features)
		return
	}
	for k := range features {
		for b, w := range weight {
			at := k*ChiRows + b
			out[at] = FMA(w, math.Abs(x[k*ChiRows]-z[at]), out[at])
		}
	}
}
