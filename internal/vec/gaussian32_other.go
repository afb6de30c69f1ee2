//go:build !amd64 || noasm

package vec

func gaussianAVX2(*float32, *float32, *float32, int, float32) {
	panic("vec: no vector instructions on this processor")
}

func gaussianAVX512(*float32, *float32, *float32, int, float32) {
	panic("vec: no vector instructions on this processor")
}
