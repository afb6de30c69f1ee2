//go:build !amd64 || noasm

package vec

func absDistanceAVX2(*float64, *float64, *float64, int) {
	panic("vec: no vector instructions on this processor")
}

func absWeightedAVX2(*float64, *float64, *float64, *float64, int) {
	panic("vec: no vector instructions on this processor")
}
