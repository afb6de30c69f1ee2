//go:build !amd64 || noasm

package vec

func dotMixedAVX2(*float32, *float64, int) float64 {
	panic("vec: no vector instructions on this processor")
}

func addRowsMixedAVX2(*float64, *float32, int, int, *float64, int) {
	panic("vec: no vector instructions on this processor")
}
