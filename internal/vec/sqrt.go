package vec

import (
	"fmt"
	"math"
)

// Sqrt stores the correctly rounded square root of x_i in dst_i, dst and x being of
// one length and the same memory or apart. Negative numbers give NaN.
func Sqrt(dst, x []float64) {
	n := len(x)
	if len(dst) != n {
		panic(fmt.Sprintf("vec: square roots of %d numbers into %d", n, len(dst)))
	}
	whole := 0
	if AVX2 {
		if whole = n &^ 3; whole > 0 {
			sqrtAVX2(&dst[0], &x[0], whole)
		}
	}
	for i, v := range x[whole:] {
		dst[whole+i] = math.Sqrt(v)
	}
}
