//go:build !wasm

package vec

import "math"

// FMA is x y + z, rounded once. WebAssembly, which has no such instruction, rounds twice.
func FMA(x, y, z float64) float64 { return math.FMA(x, y, z) }
