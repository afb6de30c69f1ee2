//go:build !noasm

package vec

// rankFactorAVX2 is RankFactor of n rows, a positive multiple of 4; a are P, Q, constant and share.
//
//go:noescape
func rankFactorAVX2(to, p, q *float64, n int, a *[4]float64)

// rankFactorAVX512 is rankFactorAVX2 of n rows, a positive multiple of 8.
//
//go:noescape
func rankFactorAVX512(to, p, q *float64, n int, a *[4]float64)

// rankSlopeAVX2 adds the sums of RankSlope of n rows, a positive multiple of 4, to those of s; a are P, Q, W and rank.
//
//go:noescape
func rankSlopeAVX2(weight, p, q, rank *float64, n int, a *[4]float64, s *[8]float64)
