package vec

import "fmt"

// Products of a matrix in single precision with vectors in double precision: floats are
// widened as they are read and the sums are doubles, so that all that is lost of the
// matrix is what its storage lost. By fused multiply-adds where AVX2 is true; the plain
// forms leave the fusing to the compiler. Cost: 2 flops an element, about 0.1 ns with
// AVX2 for numbers in the second-level cache.

// DotMixed returns sum_q k_q x_q, in 16 interleaved sums.
func DotMixed(k []float32, x []float64) float64 {
	if len(k) != len(x) {
		panic(fmt.Sprintf("vec: dot product of %d and %d numbers", len(k), len(x)))
	}
	whole := len(k) &^ 15
	var s float64
	if AVX2 && whole > 0 {
		s = dotMixedAVX2(&k[0], &x[0], whole)
	} else {
		var part [16]float64
		for q, v := range k[:whole] {
			part[q&15] += float64(v) * x[q]
		}
		for _, v := range part {
			s += v
		}
	}
	for q, v := range k[whole:] {
		s += float64(v) * x[whole+q]
	}
	return s
}

// AddRowsMixed adds a combination of rows, row a of k starting at k[a stride]:
//
//	out_q += sum_a weight_a k[a stride + q],  q < len(out)
//
// Each element is summed from 0 in the order of the rows and then added.
func AddRowsMixed(out []float64, k []float32, stride int, weight []float64) {
	rows := len(weight)
	if rows == 0 || len(out) == 0 {
		return
	}
	if stride < len(out) || len(k) < (rows-1)*stride+len(out) {
		panic(fmt.Sprintf("vec: %d columns of %d rows, stride %d, from %d numbers", len(out), rows, stride, len(k)))
	}
	whole := 0
	if AVX2 {
		if whole = len(out) &^ 31; whole > 0 {
			addRowsMixedAVX2(&out[0], &k[0], whole, stride, &weight[0], rows)
		}
	}
	for q := whole; q < len(out); q++ {
		var s float64
		for a, w := range weight {
			s += w * float64(k[a*stride+q])
		}
		out[q] += s
	}
}
