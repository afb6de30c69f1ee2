package vec

import (
	"fmt"
	"math"
)

// Rational stores (1 + s_i/alpha)^-p in dst_i, for s_i >= 0, alpha > 0 and p > 0, dst and s being of one length and the same memory or
// apart. It is exp(-p log(1 + s/alpha)), whose relative error is within (1 + p log(1 + s/alpha)) ulp or so.
func Rational(dst, s []float64, alpha, p float64) {
	if len(dst) != len(s) {
		panic(fmt.Sprintf("vec: powers of %d numbers into %d", len(s), len(dst)))
	}
	for i, v := range s {
		dst[i] = math.Log1p(v / alpha)
	}
	ExpScaled(dst, -p, dst)
}
