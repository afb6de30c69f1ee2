package kept

import "runtime"

// Rounds says whether this process computes as the one that writes kept files does: it must find every number again, and others find
// those that do not hang on rounding. A product and a sum are rounded each, as on amd64 of the first two levels. The compiler joins
// them into one operation with one rounding for others (arm64; amd64 with GOAMD64=v3), whose sums over many rows differ in their last
// digits: a search then stops a step later, and rows that are equally far change places.
func Rounds() bool { return runtime.GOARCH == "amd64" && apart(1+0x1p-30, -1-0x1p-29) }

// apart: the square is 1 + 2^-29 + 2^-60, whose last term is lost where it is rounded by itself.
//
//go:noinline
func apart(x, less float64) bool { return x*x+less == 0 }
