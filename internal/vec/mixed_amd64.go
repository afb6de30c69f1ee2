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
