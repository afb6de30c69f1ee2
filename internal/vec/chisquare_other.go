//go:build !amd64 || noasm

package vec

func chiDistanceAVX2(*float64, *float64, *float64, int) {
	panic("vec: no vector instructions on this processor")
}

func chiProductAVX2(*float64, *float64, *float64, int) {
	panic("vec: no vector instructions on this processor")
}
