// Package drift tells whether new rows look like those that a model was learned from: a Profile remembers distributions in a few
// numbers, and new values are compared with it.
//
// Change here how distributions are remembered and compared; which quantities of a model are is decided in package answer.
package drift

// Problem   Of a quantity N values are known no longer, but a sketch of them; are M new ones from the same distribution?
// Statistic D = max over k of |F(x_k) - G(x_k)|, with F and G the shares of the old and the new values up to x_k: the statistic of
//           Kolmogorov and Smirnov at some points only, which never exceeds theirs. Missing values are below all others.
// p         P(D' >= D) = 2 sum_j (-1)^(j-1) exp(-2 j^2 u^2),   u = (s + 0.12 + 0.11/s) D,   s^2 = N M/(N + M)
//           which is an upper bound where values are tied and because of the few points.
// Verdict   A quantity has moved if p < Level / (number of quantities) and D >= Least. The first keeps all of them quiet
//           with probability 1 - Level on rows like the old ones (Bonferroni); the second keeps differences quiet that many
//           rows show and nobody needs to hear of.
// Cost      N log N to remember, M log(points) to compare.
// Source    Stephens, JRSS B 32 (1970), for the correction in u.

import (
	"math"
	"slices"
	"sort"
	"strconv"
)

// Sketch is a distribution, known at some points.
type Sketch struct {
	Rows    int       `json:"rows"`              // N
	At      []float64 `json:"at"`                // x_k, increasing
	Share   []float64 `json:"share"`             // F(x_k), missing values included
	Missing float64   `json:"missing,omitempty"` // the share of missing values, which are NaN
}

// Points of a sketch at most: quantiles at equal steps.
const Points = 20

// New remembers values, which may be missing (NaN). It changes nothing.
func New(values []float64) Sketch {
	s := Sketch{Rows: len(values)}
	there := make([]float64, 0, len(values))
	for _, v := range values {
		if !math.IsNaN(v) {
			there = append(there, v)
		}
	}
	slices.Sort(there)
	digits := digitsOf(there)
	for k := range Points {
		if len(there) == 0 {
			break
		}
		at := rounded(there[(len(there)-1)*k/(Points-1)], digits)
		if !math.IsInf(at, 0) && (len(s.At) == 0 || at > s.At[len(s.At)-1]) {
			s.At = append(s.At, at)
		}
	}
	s.Share, s.Missing = shares(s.At, values)
	for k, v := range s.Share {
		s.Share[k] = math.Round(1e4*v) / 1e4
	}
	s.Missing = math.Round(1e4*s.Missing) / 1e4
	return s
}

// digitsOf are six digits of the spread of sorted values: as many more of the values as all of them share.
func digitsOf(sorted []float64) int {
	digits := 6
	if n := len(sorted); n > 0 {
		first, last := sorted[0], sorted[n-1]
		if shared := math.Log10(max(math.Abs(first), math.Abs(last)) / (last - first)); shared > 0 && !math.IsInf(shared, 1) {
			digits = min(17, digits+int(math.Floor(shared)))
		}
	}
	return digits
}

// rounded has so many digits.
func rounded(v float64, digits int) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64) // infinite where these digits are beyond the largest number
	return v
}

// shares are those of the values up to each point, missing ones included, and that of missing ones.
func shares(at, values []float64) (share []float64, missing float64) {
	share = make([]float64, len(at))
	if len(values) == 0 {
		return share, 0
	}
	each := 1 / float64(len(values))
	count := make([]int, len(at)+1)
	none := 0
	for _, v := range values {
		if math.IsNaN(v) {
			none++
			continue
		}
		count[sort.SearchFloat64s(at, v)]++
	}
	sum := none
	for k := range at {
		sum += count[k]
		share[k] = float64(sum) * each
	}
	return share, float64(none) * each
}

// Median is the first point that half of the values do not exceed, NaN where there is none.
func (s Sketch) Median() float64 {
	for k, v := range s.Share {
		if v >= 0.5 {
			return s.At[k]
		}
	}
	return math.NaN()
}

// Shift is how far new values are from old ones.
type Shift struct {
	Distance float64 // D
	P        float64 // the probability of at least this distance for values of the same distribution
}

// Compare compares new values, which may be missing.
func (s Sketch) Compare(values []float64) Shift {
	if s.Rows == 0 || len(values) == 0 {
		return Shift{P: 1}
	}
	now, missing := shares(s.At, values)
	d := math.Abs(missing - s.Missing)
	for k, v := range s.Share {
		d = max(d, math.Abs(now[k]-v))
	}
	old, fresh := float64(s.Rows), float64(len(values))
	root := math.Sqrt(old * fresh / (old + fresh))
	return Shift{d, tail((root + 0.12 + 0.11/root) * d)}
}

// tail is the probability that Kolmogorov's variable exceeds u.
func tail(u float64) float64 {
	if u < 0.2 { // 1 to fifteen digits, where the series converges slowly
		return 1
	}
	sum, sign := 0.0, 1.0
	for j := 1.0; j <= 100; j++ {
		term := math.Exp(-2 * j * j * u * u)
		sum += sign * term
		if term < 1e-16 {
			break
		}
		sign = -sign
	}
	return min(1, max(0, 2*sum))
}

// Same says whether values may be those that the sketch was made of: as many, with the same sketch but for rounding.
func (s Sketch) Same(values []float64) bool {
	const rounding = 1e-5
	now := New(values)
	if now.Rows != s.Rows || len(now.At) != len(s.At) || now.Missing != s.Missing {
		return false
	}
	for k, at := range s.At {
		size := math.Abs(at)
		if span := s.At[len(s.At)-1] - s.At[0]; span > 0 {
			size = min(size, span)
		}
		if math.Abs(now.At[k]-at) > rounding*size+1e-12*math.Abs(at) {
			return false
		}
	}
	return true
}

// The thresholds of a verdict.
const (
	Level = 0.01 // of all quantities together
	Least = 0.1  // a tenth of the rows would have to move
)

// Moved says whether a shift, of so many that were looked at, is one that rows like the old ones would hardly show and that is
// large enough to matter.
func (s Shift) Moved(of int) bool { return s.P < Level/float64(of) && s.Distance >= Least }
