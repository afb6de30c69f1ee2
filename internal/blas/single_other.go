//go:build !amd64 || noasm

package blas

func kernel6x16(int, int, *float32, *float32, *float32, int, float32, update) {
	panic("blas: no micro-kernel on this processor")
}

func kernel12x32(int, int, *float32, *float32, *float32, int, float32, update) {
	panic("blas: no micro-kernel on this processor")
}

func transpose8(*float32, *float32, int, int, int) {
	panic("blas: no micro-kernel on this processor")
}
