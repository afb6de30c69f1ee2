//go:build !amd64 || noasm

package vec

// AVX2 says that processor and operating system carry AVX2 and FMA.
const AVX2 = false

// AVX512 says that they carry AVX-512 F as well.
const AVX512 = false

func expAVX2(*float64, *float64, int, float64) {
	panic("vec: no vector instructions on this processor")
}

func expAVX512(*float64, *float64, int, float64) {
	panic("vec: no vector instructions on this processor")
}

func sqrtAVX2(*float64, *float64, int) {
	panic("vec: no vector instructions on this processor")
}

func gatherAVX2(*float64, *float64, int, *int32, *float64, int, int) {
	panic("vec: no vector instructions on this processor")
}

func distancesAVX2(*float64, *float64, int, float64, float64) int {
	panic("vec: no vector instructions on this processor")
}

func distancesAVX512(*float64, *float64, int, float64, float64) int {
	panic("vec: no vector instructions on this processor")
}
