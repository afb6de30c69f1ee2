//go:build !noasm

package vec

// log1pAVX2 stores log(1 + c x_i) in dst_i for n elements, n a positive multiple of 4.
//
//go:noescape
func log1pAVX2(dst, x *float64, n int, c float64)

// log1pAVX512 is log1pAVX2 for n elements, n a positive multiple of 8.
//
//go:noescape
func log1pAVX512(dst, x *float64, n int, c float64)
