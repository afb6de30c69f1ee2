package vec

// FMA is x y + z, rounded twice: WebAssembly has no instruction that rounds once, and math.FMA there is a subroutine that takes
// longer than an exponential.
func FMA(x, y, z float64) float64 { return x*y + z }
