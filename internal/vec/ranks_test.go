package vec

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Against the exponentials, for all lengths, and the vector form against the plain one to the last bit.
func TestRanks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const sigma, w = 0.07, 1.7
	for n := range 40 {
		p, q, rank, weight, to := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		for b := range n {
			rank[b], weight[b], to[b] = r.Float64(), r.NormFloat64(), r.Float64()
			p[b], q[b] = math.Exp((0.5-rank[b])/sigma), math.Exp((rank[b]-0.5)/sigma)
		}
		own := Rank{Rank: r.Float64()}
		own.P, own.Q = math.Exp((0.5-own.Rank)/sigma), math.Exp((own.Rank-0.5)/sigma)
		var sum, width, size float64
		want := make([]float64, n)
		for b := range n {
			k := math.Exp(-math.Abs(own.Rank-rank[b]) / sigma)
			want[b] = to[b] * (0.3 + 0.7*k)
			part := weight[b] / (1 + w*k)
			sum += part * (k - 1)
			width += part * k * math.Abs(own.Rank-rank[b])
			size += math.Abs(part)
		}
		plain := append([]float64(nil), to...)
		gotSum, gotWidth := RankSlope(weight, p, q, rank, own, w)
		RankFactor(to, p, q, own, 0.3, 0.7)
		for b := range n {
			if math.Abs(to[b]-want[b]) > 1e-14 {
				t.Fatalf("%d rows: factor %d is %g, expected %g", n, b, to[b], want[b])
			}
		}
		if math.Abs(gotSum-sum) > 1e-13*(1+size) || math.Abs(gotWidth-width) > 1e-13*(1+size) {
			t.Fatalf("%d rows: sums %g and %g, expected %g and %g", n, gotSum, gotWidth, sum, width)
		}
		plainSum, plainWidth := plainRanks(plain, weight, p, q, rank, own)
		for b := range n {
			if plain[b] != to[b] {
				t.Fatalf("%d rows: factor %d is %v, plain %v", n, b, to[b], plain[b])
			}
		}
		if plainSum != gotSum || plainWidth != gotWidth {
			t.Fatalf("%d rows: sums %v and %v, plain %v and %v", n, gotSum, gotWidth, plainSum, plainWidth)
		}
	}
}

// plainRanks is RankFactor by 0.3 and 0.7, and RankSlope with the factor 1 + 1.7 k, one row after the other.
func plainRanks(to, weight, p, q, rank []float64, own Rank) (sum, width float64) {
	var s [8]float64
	for b := range to {
		k := min(own.P*q[b], own.Q*p[b])
		to[b] *= FMA(0.7, k, 0.3)
		t := weight[b] / FMA(1.7, k, 1)
		s[b%4] += t*k - t
		s[4+b%4] = FMA(t*k, math.Abs(own.Rank-rank[b]), s[4+b%4])
	}
	return (s[0] + s[1]) + (s[2] + s[3]), (s[4] + s[5]) + (s[6] + s[7])
}
