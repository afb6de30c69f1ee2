package metric

// Comparison of methods over data sets by ranks (Demsar, JMLR 7, 2006):
//
//	r_tj    rank of method j on set t, 1 the best (lowest score), ties share the mean
//	R_j     mean over the T sets
//	chi2 =  12 T/(k(k+1)) (sum_j R_j^2 - k (k+1)^2/4)         k methods
//	F    =  (T-1) chi2 / (T (k-1) - chi2),  F distribution, k-1 and (k-1)(T-1) degrees of freedom
//	CD   =  q sqrt(k(k+1)/(6T)),   q the 95 % quantile of the studentised range over sqrt 2
//
// Two methods differ (Nemenyi) where their mean ranks do by more than CD. Used in Kokshenev
// 2010, section 5.6.4, tables 5.5 and 5.6, where chi2 of the iqr columns is misprinted.

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/mercer-ml/mercer/internal/indices"
)

// Comparison is the outcome of Friedman's test.
type Comparison struct {
	Ranks      []float64 // mean rank of each method
	Chi2, F    float64   // F is +Inf where every set orders the methods alike
	P          float64   // of F under equal methods
	Difference float64   // Nemenyi's critical difference of mean ranks, 95 %
}

// Friedman compares methods, the columns, by their scores (lower is better) on data sets, the
// rows. There must be two methods and two sets at least, and every score must be a number.
func Friedman(scores [][]float64) (Comparison, error) {
	var c Comparison
	t := len(scores)
	if t < 2 || len(scores[0]) < 2 {
		return c, fmt.Errorf("metric: Friedman's test needs two sets and two methods at least")
	}
	k := len(scores[0])
	c.Ranks = make([]float64, k)
	for i, row := range scores {
		if len(row) != k {
			panic(fmt.Sprintf("metric: %d scores on set %d, %d on the first", len(row), i, k))
		}
		for j, v := range row {
			if math.IsNaN(v) {
				return c, fmt.Errorf("metric: score of method %d on set %d is not a number", j+1, i+1)
			}
		}
		for j, r := range ranks(row) {
			c.Ranks[j] += r / float64(t)
		}
	}
	n, m := float64(t), float64(k)
	sum := 0.0
	for _, r := range c.Ranks {
		sum += r * r
	}
	c.Chi2 = max(12*n/(m*(m+1))*(sum-m*(m+1)*(m+1)/4), 0)
	c.Difference = StudentisedRange(k, 0.95) / math.Sqrt2 * math.Sqrt(m*(m+1)/(6*n))
	if rest := n*(m-1) - c.Chi2; rest > 1e-9*n {
		c.F = (n - 1) * c.Chi2 / rest
		c.P = distuv.F{D1: m - 1, D2: (m - 1) * (n - 1)}.Survival(c.F)
	} else {
		c.F = math.Inf(1)
	}
	return c, nil
}

// Differ says whether methods i and j differ by Nemenyi's test.
func (c Comparison) Differ(i, j int) bool { return math.Abs(c.Ranks[i]-c.Ranks[j]) > c.Difference }

// ranks are from 1 for the lowest; ties share the mean of theirs.
func ranks(v []float64) []float64 {
	order := indices.To(len(v))
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case v[a] < v[b]:
			return -1
		case v[a] > v[b]:
			return 1
		}
		return 0
	})
	r := make([]float64, len(v))
	for lo := 0; lo < len(order); {
		hi := lo + 1
		for hi < len(order) && v[order[hi]] == v[order[lo]] {
			hi++
		}
		for _, i := range order[lo:hi] {
			r[i] = float64(lo+hi+1) / 2
		}
		lo = hi
	}
	return r
}

// StudentisedRange is the p-quantile of the range of k independent standard normal numbers,
// P(range <= q) = k integral phi(x) (Phi(x) - Phi(x-q))^(k-1) dx: the studentised range with
// infinitely many degrees of freedom.
func StudentisedRange(k int, p float64) float64 {
	if k < 2 || !(p > 0 && p < 1) {
		panic(fmt.Sprintf("metric: studentised range of %d numbers at %g", k, p))
	}
	normal := distuv.UnitNormal
	cdf := func(q float64) float64 {
		f := func(x float64) float64 {
			return normal.Prob(x) * math.Pow(normal.CDF(x)-normal.CDF(x-q), float64(k-1))
		}
		return float64(k) * quad.Fixed(f, -8, 8+q, 200, quad.Legendre{}, 0)
	}
	lo, hi := 0.0, 1.0
	for cdf(hi) < p {
		hi *= 2
	}
	for range 60 {
		if mid := (lo + hi) / 2; cdf(mid) < p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}
