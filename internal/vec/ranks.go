package vec

import (
	"fmt"
	"math"
)

// Ranks of one column of a row and of n others: k_b = min(P q_b, Q p_b), which is exp(-|rank - rank_b| / sigma) where P, p are
// exp((1/2 - rank) / sigma) and Q, q their inverses.
//
//	factor  to_b *= constant + share k_b
//	slope   t_b = weight_b / (1 + W k_b),  sums of t_b k_b - t_b and of t_b k_b |rank - rank_b|
//
// Cost: 1.5 and 2.5 cycles a pair on Zen 3, of which the slope's division has 2. Sums are four running ones, of b, b+1, b+2, b+3. The
// vector and the plain form do the same operations in the same order: equal to the last bit.

// Rank is the row that others are compared with.
type Rank struct {
	P, Q, Rank float64
}

// RankFactor multiplies to by constant + share k.
func RankFactor(to, p, q []float64, of Rank, constant, share float64) {
	checkRanks(to, p, q)
	done := 0
	a := [4]float64{of.P, of.Q, constant, share}
	if n := len(to) &^ 7; AVX512 && n > 0 {
		rankFactorAVX512(&to[0], &p[0], &q[0], n, &a)
		done = n
	} else if n := len(to) &^ 3; AVX2 && n > 0 {
		rankFactorAVX2(&to[0], &p[0], &q[0], n, &a)
		done = n
	}
	for b := done; b < len(to); b++ {
		to[b] *= FMA(share, min(of.P*q[b], of.Q*p[b]), constant)
	}
}

// RankSlope returns the two sums of the slope for the factor 1 + w k.
func RankSlope(weight, p, q, rank []float64, of Rank, w float64) (sum, width float64) {
	checkRanks(weight, p, q)
	checkRanks(weight, rank, q)
	var s [8]float64
	done, whole := 0, len(weight)&^3
	if AVX2 && whole > 0 {
		a := [4]float64{of.P, of.Q, w, of.Rank}
		rankSlopeAVX2(&weight[0], &p[0], &q[0], &rank[0], whole, &a, &s)
		done = whole
	}
	for b := done; b < len(weight); b++ {
		k := min(of.P*q[b], of.Q*p[b])
		t := weight[b] / FMA(w, k, 1)
		tk := t * k
		s[b%4] += tk - t
		s[4+b%4] = FMA(tk, math.Abs(of.Rank-rank[b]), s[4+b%4])
	}
	return (s[0] + s[1]) + (s[2] + s[3]), (s[4] + s[5]) + (s[6] + s[7])
}

func checkRanks(a, b, c []float64) {
	if len(a) != len(b) || len(a) != len(c) {
		panic(fmt.Sprintf("vec: ranks of %d, %d and %d rows", len(a), len(b), len(c)))
	}
}
