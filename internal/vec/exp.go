// Package vec holds elementary functions of whole slices, where vector
// instructions gain several times over a call for each number.
//
// A new function of slices is a file here with a portable twin that it agrees with.
package vec

import (
	"fmt"
	"math"
)

// Exponential of a slice, after Tang, "Table-driven implementation of the
// exponential function in IEEE floating-point arithmetic", ACM TOMS 15 (1989),
// with a table of one entry: vector processors add faster than they look up.
//
//	x = n ln 2 + r,  n = round(x / ln 2),  |r| <= ln 2 / 2
//	exp(x) = 2^n exp(r),  exp(r) = sum_{k=0}^{13} r^k / k!
//
// Reduction (Cody and Waite, 1980): ln 2 = ln2Hi + ln2Lo, where ln2Hi has 32
// significant bits, so that x - n ln2Hi is exact, and the sum is off by 2e-26.
// Series: the first term left out is (ln 2 / 2)^14 / 14! = 4e-18, less than 1/20 of
// the spacing 2^-53 of numbers just under 1. Rounding: 1/2 ulp of the last
// addition, 1/4 of r and 1/4 of the addition before, so the total is below 1 ulp.
// Scaling: 2^n is multiplied in two halves, the first of which is exact, so that
// subnormal results round once and n = 1024 is in range.
//
// Cost: 17 multiply-adds an element, about 1 ns with AVX2. The vector forms and the
// plain form do the same operations in the same order: equal to the last bit. WebAssembly rounds
// between product and sum, and stays within 2 ulp.
const (
	log2e  = 1 / math.Ln2
	ln2Hi  = 0x1.62e42feep-1
	ln2Lo  = math.Ln2 - ln2Hi
	tooBig = 710  // exp overflows from 709.78
	tooLow = -746 // half the smallest subnormal is exp(-745.13)

	// Added to a small number, 1.5 2^52 leaves its nearest integer in the last
	// bits; 2046 more make that twice the exponent bias plus n, never negative.
	magic = 3<<51 + 2046
)

// constants in the order in which the assembly reads them.
var constants = [...]float64{
	tooBig, tooLow, magic, log2e, ln2Hi, ln2Lo,
	1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880,
	1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2, 1, 1,
}

// firstTerm is the place of 1/13! in constants.
const firstTerm = 6

// Exp stores exp(x_i) in dst_i within 1 ulp, dst and x being of one length and
// the same memory or apart. Overflow gives +Inf, underflow a subnormal or 0, NaN NaN.
// An element's result does not depend on its place.
func Exp(dst, x []float64) { ExpScaled(dst, 1, x) }

// ExpScaled stores exp(c x_i) in dst_i, as Exp of the rounded products does.
func ExpScaled(dst []float64, c float64, x []float64) {
	n := len(x)
	if len(dst) != n {
		panic(fmt.Sprintf("vec: exponentials of %d numbers into %d", n, len(dst)))
	}
	if !AVX2 {
		expPlain(dst, c, x)
		return
	}
	if wide := n &^ 31; AVX512 && wide > 0 {
		expAVX512(&dst[0], &x[0], wide, c)
		dst, x, n = dst[wide:], x[wide:], n-wide
	}
	whole := n &^ 3
	if whole > 0 {
		expAVX2(&dst[0], &x[0], whole, c)
	}
	if whole < n {
		var last [4]float64
		copy(last[:], x[whole:])
		expAVX2(&last[0], &last[0], 4, c)
		copy(dst[whole:], last[:])
	}
}

func expPlain(dst []float64, c float64, x []float64) {
	for i, v := range x {
		dst[i] = exp(c * v)
	}
}

func exp(x float64) float64 {
	if x > tooBig {
		x = tooBig
	} else if x < tooLow {
		x = tooLow
	}
	t := FMA(x, log2e, magic)
	n := t - magic
	r := FMA(-n, ln2Hi, x)
	r = FMA(-n, ln2Lo, r)
	p := constants[firstTerm]
	for _, a := range constants[firstTerm+1:] {
		p = FMA(p, r, a)
	}
	twice := math.Float64bits(t)
	half := twice >> 1
	return p * math.Float64frombits(half<<52) * math.Float64frombits((twice-half)<<52)
}
