//go:build !noasm

package vec

// dotMixedAVX2 is DotMixed of n numbers, n a positive multiple of 16.
//
//go:noescape
func dotMixedAVX2(k *float32, x *float64, n int) float64

// addRowsMixedAVX2 is AddRowsMixed for columns a positive multiple of 32, rows >= 1.
//
//go:noescape
func addRowsMixedAVX2(out *float64, k *float32, columns, stride int, weight *float64, rows int)

// dotRowsMixedAVX2 stores four partial sums each of the products of 4 rows of k with 3 vectors,
// ldx apart: those of row a and vector e from 4(3a + e) on. n is a positive multiple of 4.
//
//go:noescape
func dotRowsMixedAVX2(out *[48]float64, k *float32, stride int, x *float64, ldx, n int)
