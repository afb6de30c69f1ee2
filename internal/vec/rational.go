package vec

import "fmt"

// Rational stores (1 + s_i/alpha)^-alpha in dst_i, for s_i >= 0 and alpha > 0, dst and s being of one length and the same memory or
// apart. It is exp(-alpha log(1 + s/alpha)), whose relative error is within 4 + 3 alpha log(1 + s/alpha) ulp.
func Rational(dst, s []float64, alpha float64) {
	if len(dst) != len(s) {
		panic(fmt.Sprintf("vec: powers of %d numbers into %d", len(s), len(dst)))
	}
	Log1pScaled(dst, 1/alpha, s)
	ExpScaled(dst, -alpha, dst)
}
