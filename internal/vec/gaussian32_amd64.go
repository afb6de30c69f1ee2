//go:build !noasm

package vec

// gaussianAVX2 is Gaussian32 for n elements, n a positive multiple of 8.
//
//go:noescape
func gaussianAVX2(dst, s, norm *float32, n int, h float32)

// gaussianAVX512 is gaussianAVX2 for n elements, n a positive multiple of 64.
//
//go:noescape
func gaussianAVX512(dst, s, norm *float32, n int, h float32)
