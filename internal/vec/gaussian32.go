package vec

import (
	"fmt"
	"math"
)

// Gaussian kernel of a row of inner products, in single precision:
//
//	k_j = 2^t,  t = min(0, s_j - (h + g_j)),
//
// which is exp(-|x-z_j|^2/(2 sigma^2)) where s_j = <u, v_j> for the rows
// u = x sqrt(log2 e)/sigma and v_j alike, h = |u|^2/2 and g_j = |v_j|^2/2: base 2 and
// rows scaled beforehand leave nothing to multiply. The minimum keeps rounded distances
// from being negative; h + g_j does not depend on which row is which, so that a
// symmetric table stays symmetric.
//
//	t = n + r,  n = round(t),  |r| <= 1/2, exact
//	2^t = 2^n p(r),  p of degree 6
//
// p interpolates 2^r at the 7 Chebyshev points of [-1/2, 1/2]: by the theorem of the
// remainder off by at most (ln 2)^7 2^(1/2) / (7! 2^13) = 2.6e-9, 1/20 of the spacing
// 2^-24 of floats below 1. Rounding, in ulp: 1/2 of the last multiply-add, 1/4 each of the
// one before and its coefficient, less of the others: below 1.1 in all.
//
// Cost: 18 operations an element, 0.27 ns with AVX2. The plain form does the same
// operations in the same order, the multiply-add by doubles: equal to the last bit.
//
// Below t = -126.5 (k = 8e-39, 2/3 of the smallest normal float) the result is 0.

// gauss32 are the constants in the order in which the assembly reads them.
var gauss32 = [...]float32{
	-127,        // here 2^n is 0 in the arithmetic below
	3<<22 + 127, // leaves n + 127, the biased exponent of 2^n, in the last bits
	0.0001546144469856913, 0.0013400428177615838, 0.009618056678524637,
	0.05550327226670302, 0.24022650922288757, 0.6931472067028326, 1,
}

// Gaussian32 stores k_j of the inner products s_j in dst_j. dst, s and g are of one
// length; dst may be s. An element's result does not depend on its place; NaN gives
// NaN, and so do infinite s, h and g of the same sign.
func Gaussian32(dst, s []float32, h float32, g []float32) {
	n := len(s)
	if len(dst) != n || len(g) != n {
		panic(fmt.Sprintf("vec: Gaussians of %d products and %d norms into %d", n, len(g), len(dst)))
	}
	if !AVX2 {
		gaussianPlain(dst, s, h, g)
		return
	}
	if wide := n &^ 63; AVX512 && wide > 0 {
		gaussianAVX512(&dst[0], &s[0], &g[0], wide, h)
		dst, s, g, n = dst[wide:], s[wide:], g[wide:], n-wide
	}
	whole := n &^ 7
	if whole > 0 {
		gaussianAVX2(&dst[0], &s[0], &g[0], whole, h)
	}
	if whole < n {
		var a, b [8]float32
		copy(a[:], s[whole:])
		copy(b[:], g[whole:])
		gaussianAVX2(&a[0], &a[0], &b[0], 8, h)
		copy(dst[whole:], a[:])
	}
}

func gaussianPlain(dst, s []float32, h float32, g []float32) {
	dst, g = dst[:len(s)], g[:len(s)]
	for j, v := range s {
		dst[j] = exp2(v - float32(h+g[j]))
	}
}

// exp2 is 2^min(0, t).
func exp2(t float32) float32 {
	if t > 0 {
		t = 0
	} else if t < gauss32[0] {
		t = gauss32[0]
	}
	e := t + gauss32[1]
	r := t - float32(e-gauss32[1])
	p := gauss32[2]
	for _, a := range gauss32[3:] {
		p = fma(p, r, a)
	}
	return p * math.Float32frombits(math.Float32bits(e)<<23)
}

// fma is x y + z rounded once. The product is exact in doubles; their sum, where it is
// not, gets an odd last bit, which no later rounding takes for a tie (Boldo and
// Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms using
// rounding to odd", IEEE Trans. Computers 57, 2008).
func fma(x, y, z float32) float32 {
	p, c := float64(x)*float64(y), float64(z)
	s := p + c
	b := s - p
	lost := (p - (s - b)) + (c - b) // what s lacks, exactly (Knuth's sum of two)
	if u := math.Float64bits(s); lost != 0 && u&1 == 0 {
		if (lost > 0) == (s > 0) {
			u++
		} else {
			u--
		}
		s = math.Float64frombits(u)
	}
	return float32(s)
}
