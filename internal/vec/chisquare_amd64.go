//go:build !noasm

package vec

// chiDistanceAVX2 is ChiDistance of features >= 4, a multiple of 4.
//
//go:noescape
func chiDistanceAVX2(out, x, z *float64, features int)

// chiProductAVX2 is ChiProduct of features >= 4, a multiple of 4.
//
//go:noescape
func chiProductAVX2(out, x, z *float64, features int)
