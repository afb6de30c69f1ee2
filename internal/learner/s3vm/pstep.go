package s3vm

// Problem   minimise over p in [0, 1]^u  sum_j g_j p_j + T sum_j (p_j log p_j + (1 - p_j) log(1 - p_j)),
//           mean p = r: the probability that each unlabelled row is +1, for what it costs to be +1
//           rather than -1, g_j.
// Method    p_j = 1/(1 + exp((g_j - nu)/T)), where nu solves mean p = r. The mean grows with nu, and
//           with b = T log((1 - r)/r) the root lies in [min g - b, max g - b]: Newton's step where it
//           stays inside the bracket, else the middle. For a small T the mean is a staircase, on whose
//           flats Newton's step leads outside.
// Cost      u exponentials an evaluation, of which there are some ten.
// Source    Sindhwani 2007, eq. 3.11, whose balance has g_i for g_j.

import (
	"math"
	"slices"
)

const (
	// balanced is how near to r the mean of the probabilities is brought.
	balanced = 1e-10
	// rootSteps halve a bracket to nothing some ten times over.
	rootSteps = 500
)

// Probabilities stores p of the costs g at temperature t > 0 in dst, and returns nu. With r = 0 or 1
// all are r, whatever they cost, and nu is infinite.
func Probabilities(dst, g []float64, r, t float64) (nu float64) {
	if len(g) == 0 {
		return 0
	}
	if r <= 0 || r >= 1 {
		for j := range dst {
			dst[j] = r
		}
		return math.Inf(int(math.Copysign(1, r-0.5)))
	}
	b := t * math.Log((1-r)/r)
	lo, hi := slices.Min(g)-b, slices.Max(g)-b
	nu = lo + (hi-lo)/2
	for range rootSteps {
		var mean, slope float64
		for j, v := range g {
			p := 1 / (1 + math.Exp((v-nu)/t))
			dst[j] = p
			mean += p
			slope += p * (1 - p)
		}
		u := float64(len(g))
		over := mean/u - r
		if math.Abs(over) < balanced {
			break
		}
		if over > 0 {
			hi = nu
		} else {
			lo = nu
		}
		next := nu - over*t*u/slope
		if !(next > lo && next < hi) {
			next = lo + (hi-lo)/2
		}
		if next == nu {
			break // the bracket has no number inside: rows of equal cost share what is left
		}
		nu = next
	}
	return nu
}

// Entropy is S(p) = -sum_j p_j log p_j + (1 - p_j) log(1 - p_j).
func Entropy(p []float64) (s float64) {
	for _, v := range p {
		s -= xlog(v, v) + xlog(1-v, 1-v)
	}
	return s
}

// Divergence is KL(p, q), with q kept off 0 and 1.
func Divergence(p, q []float64) (s float64) {
	const off = 1e-12
	for j, v := range p {
		w := min(max(q[j], off), 1-off)
		s += xlog(v, v/w) + xlog(1-v, (1-v)/(1-w))
	}
	return s
}

// xlog is x log y, 0 at x = 0.
func xlog(x, y float64) float64 {
	if x == 0 {
		return 0
	}
	return x * math.Log(y)
}
