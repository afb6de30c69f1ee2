package smooth

// Problem   with a free offset the outputs f + b of a solution may all lie where no loss bends, so that every b between two
//           rows is optimal: where one more step up or down would bend the loss of row i or j. Which of these a solver finds
//           hangs on its way, and so on the order of the rows.
// Method    the middle of the interval, as package svm has it for machines without free support vectors: with outputs
//           f_i = (K beta)_i, b = const - (f_i + f_j)/2. A solver that comes from outside stops at its rim, within rounding,
//           where i or j bends; so the slope by b is looked at a little beyond as well.
// Cost      four slopes, O(l) each, where there is no such interval, some 200 where there is one.

import (
	"math"

	"github.com/mercer-ml/mercer/learn"
)

const (
	flatSlope = 1e-12 // of the sum of the rows' slopes, that is taken for none
	rim       = 1e-6  // of the largest output, how far beyond the point where a solver stopped there is none
)

// plateau returns the shift of a free offset to the middle of the interval where the derivative by b vanishes and no row bends,
// and the rows that bend at its ends, -1 where there is no end. The shift is 0, and there are no such rows, where there is no interval.
func plateau(t *terms, f []float64) (shift float64, ends [2]int) {
	ends = [2]int{-1, -1}
	var scale, most float64
	ones := make([]float64, len(f))
	for i := range ones {
		ones[i] = 1
		scale += math.Abs(t.g[i])
		most = max(most, math.Abs(f[i]))
	}
	flat := func(x float64) bool {
		s, _ := t.slope(f, ones, x)
		return math.Abs(s) <= flatSlope*scale
	}
	origin, bent := 0.0, sum(t.d)
	if s := sum(t.g); bent > 0 && math.Abs(s) <= inexact*scale {
		for _, x := range []float64{-s/bent - rim*most, -s/bent + rim*most, -8 * s / bent} { // a quartic zone ends at three such steps
			if flat(x) {
				origin = x
				break
			}
		}
	}
	if bent > 0 && origin == 0 || !flat(origin) {
		return 0, ends
	}
	var at [2]float64
	for k, sign := range []float64{-1, 1} {
		last, beyond := flatUntil(func(x float64) bool { return flat(origin + sign*x) })
		at[k], ends[k] = origin+sign*last, t.mostBent(f, origin+sign*beyond)
	}
	shift = (at[0] + at[1]) / 2
	if _, curv := t.slope(f, ones, shift); bent > 0 && curv > 0 {
		return 0, [2]int{-1, -1}
	}
	return shift, ends
}

// flatUntil is how far it is flat from 0 on, doubled until it is not and halved then, and the first place known where it is not.
func flatUntil(flat func(x float64) bool) (last, beyond float64) {
	lo, hi := 0.0, 1.0
	for range rayLimit {
		if !flat(hi) {
			break
		}
		lo, hi = hi, 2*hi
	}
	for range rayLimit {
		x := lo + (hi-lo)/2
		if x == lo || x == hi {
			break
		}
		if flat(x) {
			lo = x
		} else {
			hi = x
		}
	}
	return lo, hi
}

// mostBent is the row whose loss bends most at outputs moved by x; -1: none does.
func (t *terms) mostBent(f []float64, x float64) int {
	at, most := -1, 0.0
	for i, c := range t.c {
		if c == 0 {
			continue
		}
		if _, d := t.loss.Derivatives(t.y[i], f[i]+x); c*d > most {
			at, most = i, c*d
		}
	}
	return at
}

// bounded adds to the derivatives r by the outputs on the rows judged what they make of the offset in the middle of a plateau: half
// their sum, less, by the outputs on each of the rows at its ends. The offset is then a constant.
func (t *terms) bounded(f []float64, part learn.Part, judged []int, r []float64) ([]int, []float64) {
	if sum(t.d) > 0 {
		return judged, r
	}
	b := sum(r)
	_, ends := plateau(t, f)
	for _, i := range ends {
		if i >= 0 {
			judged, r = append(judged[:len(judged):len(judged)], part.Rows[i]), append(r, -b/2)
		}
	}
	return judged, r
}
