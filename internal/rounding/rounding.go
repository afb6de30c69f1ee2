// Package rounding compares scores that differ by rounding alone. Two sums of the same terms in another order differ in their last
// digits, and a choice by such a difference would change with the order of rows, the processor or the engine.
package rounding

import "math"

// share lies above the rounding of a sum of a million terms, 10^6 2^-53 of it, and far below what a choice should depend on.
const share = 1e-9

// Below tells whether v is less than best by more than 1e-9 of v. Of scores that tie, the first is kept; NaN is below none.
func Below(v, best float64) bool { return best-v > share*math.Abs(v) }
