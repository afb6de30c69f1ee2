//go:build !noasm

package vec

// absDistanceAVX2 is AbsDistance of features >= 4, a multiple of 4.
//
//go:noescape
func absDistanceAVX2(out, x, z *float64, features int)

// absWeightedAVX2 is AbsWeighted of features >= 4, a multiple of 4.
//
//go:noescape
func absWeightedAVX2(out, x, z, weight *float64, features int)
