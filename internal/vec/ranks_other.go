//go:build !amd64 || noasm

package vec

func rankFactorAVX2(*float64, *float64, *float64, int, *[4]float64) {
	panic("vec: no vector instructions on this processor")
}

func rankFactorAVX512(*float64, *float64, *float64, int, *[4]float64) {
	panic("vec: no vector instructions on this processor")
}

func rankSlopeAVX2(*float64, *float64, *float64, *float64, int, *[4]float64, *[8]float64) {
	panic("vec: no vector instructions on this processor")
}
