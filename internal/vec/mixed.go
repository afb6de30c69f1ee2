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

// DotRowsMixed stores the products of rows of k, row a starting at k[a stride], with vectors of
// n numbers, vector e at x[e n]:
//
//	out[a c + e] = sum_q k[a stride + q] x[e n + q],   q < n,   c = len(x)/n
//
// Three vectors at a time by four rows, with AVX2: 7 loads for 12 multiply-adds. What is left
// of either is by DotMixed, so an element's rounding depends on the place of its row and
// vector, and on nothing else.
func DotRowsMixed(out []float64, k []float32, stride, rows int, x []float64, n int) {
	if rows == 0 || n == 0 || len(x) == 0 {
		clear(out)
		return
	}
	c := len(x) / n
	if len(x) != c*n || len(out) != rows*c || stride < n || len(k) < (rows-1)*stride+n {
		panic(fmt.Sprintf("vec: %d rows, stride %d, from %d numbers, times %d numbers by %d, into %d", rows, stride, len(k), len(x), n, len(out)))
	}
	high, wide := 0, 0
	if AVX2 && n%4 == 0 {
		high, wide = rows&^3, c-c%3
	}
	var part [48]float64
	for e := 0; e < wide; e += 3 {
		for a := 0; a < high; a += 4 {
			dotRowsMixedAVX2(&part, &k[a*stride], stride, &x[e*n], n, n)
			for q := range 12 {
				s := part[4*q:][:4]
				out[(a+q/3)*c+e+q%3] = (s[0] + s[2]) + (s[1] + s[3])
			}
		}
	}
	for a := range rows {
		from := 0
		if a < high {
			from = wide
		}
		for e := from; e < c; e++ {
			out[a*c+e] = DotMixed(k[a*stride:][:n], x[e*n:][:n])
		}
	}
}
