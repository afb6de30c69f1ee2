package vec

import "fmt"

// Sums of chi-square terms of one row x with eight rows z at a time, features that are
// not negative:
//
//	distance  out_b += sum_k (x_k - z_kb)^2 / (x_k + z_kb)
//	product   out_b += sum_k x_k z_kb / (x_k + z_kb),         0/0 = 0
//
// Four fractions become one, n0/s0 + n1/s1 = (n0 s1 + n1 s0)/(s0 s1) twice, which costs
// nine multiplications and saves three divisions; all terms are positive, nothing
// cancels. Denominators are at least ChiSmallest, so that 0/0 is 0 and the product of
// four stays a normal number; rows must be scaled so that x + z <= 2^200, and what is
// far below ChiSmallest then counts as zero.
//
// Rows stand in panels of ChiRows: feature k of row b at z[k ChiRows + b]; the row x is
// one of such a panel. The number of features is a multiple of 4 (add zeros).
//
// Cost, four features of four pairs: 13 multiplications or multiply-adds, 13 additions
// and maxima, one division. Zen 3 does two of the former and two of the latter a cycle:
// 6.5 cycles or 0.41 a feature of a pair; one division a feature takes 1.25 and more.
// The vector and the plain form do the same operations in the same order: equal to the
// last bit, and x and z may change places.
const (
	// ChiRows is the number of rows of a panel.
	ChiRows = 8
	// ChiSmallest is the least denominator, 8e-31.
	ChiSmallest = 0x1p-100
)

// chiSmallest for the assembly to read.
var chiSmallest = ChiSmallest

// ChiDistance adds chi-square distances to out, of length ChiRows. x begins at the first
// feature of its row, z at that of its panel.
func ChiDistance(out, x, z []float64, features int) {
	if checkChi(out, x, z, features); features == 0 {
		return
	}
	if AVX2 {
		chiDistanceAVX2(&out[0], &x[0], &z[0], features)
		return
	}
	chiPlain(out, x, z, features, func(x, z float64) float64 { return (x - z) * (x - z) })
}

// ChiProduct adds x z/(x + z) to out; else as ChiDistance.
func ChiProduct(out, x, z []float64, features int) {
	if checkChi(out, x, z, features); features == 0 {
		return
	}
	if AVX2 {
		chiProductAVX2(&out[0], &x[0], &z[0], features)
		return
	}
	chiPlain(out, x, z, features, func(x, z float64) float64 { return x * z })
}

func checkChi(out, x, z []float64, features int) {
	if len(out) != ChiRows || features < 0 || features%4 != 0 || features > 0 && len(x) <= (features-1)*ChiRows || len(z) < features*ChiRows {
		panic(fmt.Sprintf("vec: chi-square sums of %d features from %d and %d numbers into %d", features, len(x), len(z), len(out)))
	}
}

func chiPlain(out, x, z []float64, features int, numerator func(x, z float64) float64) {
	for b := range ChiRows {
		sum := out[b]
		for k := 0; k < features; k += 4 {
			var n, s [4]float64
			for q := range 4 {
				u, v := x[(k+q)*ChiRows], z[(k+q)*ChiRows+b]
				n[q], s[q] = numerator(u, v), max(u+v, chiSmallest)
			}
			n01, n23 := FMA(n[0], s[1], n[1]*s[0]), FMA(n[2], s[3], n[3]*s[2])
			s01, s23 := s[0]*s[1], s[2]*s[3]
			sum += FMA(n01, s23, n23*s01) / (s01 * s23)
		}
		out[b] = sum
	}
}
