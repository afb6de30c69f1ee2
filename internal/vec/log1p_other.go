//go:build !amd64 || noasm

package vec

func log1pAVX2(*float64, *float64, int, float64) {
	panic("vec: no vector instructions on this processor")
}

func log1pAVX512(*float64, *float64, int, float64) {
	panic("vec: no vector instructions on this processor")
}
