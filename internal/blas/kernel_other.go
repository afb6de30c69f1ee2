//go:build !amd64 || noasm

package blas

const hasKernels, hasWide = false, false

func kernel6x8(int, *float64, *float64, *float64, int, float64, *float64, update) {
	panic("blas: no micro-kernel on this processor")
}

func kernel12x16(int, *float64, *float64, *float64, int, float64, *float64, int, *uint16, update) {
	panic("blas: no micro-kernel on this processor")
}

func rowSubAVX2(*float64, int, *float64, int, *float64, int, int) {
	panic("blas: no micro-kernel on this processor")
}

func rotateAVX2(*float64, *float64, *float64, int) {
	panic("blas: no micro-kernel on this processor")
}

func symv4(*float64, int, int, *float64, *float64, *float64, *float64) {
	panic("blas: no micro-kernel on this processor")
}

func dots4(*float64, int, int, *float64, *float64) {
	panic("blas: no micro-kernel on this processor")
}

func dots8(*float64, int, int, *float64, *float64) {
	panic("blas: no micro-kernel on this processor")
}

func transpose4(*float64, int, *float64, int, int) {
	panic("blas: no micro-kernel on this processor")
}

func transpose2(*float64, int, *float64, int, int) {
	panic("blas: no micro-kernel on this processor")
}

func divideAVX2(*float64, int, float64) {
	panic("blas: no micro-kernel on this processor")
}

func copySix(*float64, *float64, int, int) {
	panic("blas: no micro-kernel on this processor")
}

func copyEight(*float64, *float64, int, int) {
	panic("blas: no micro-kernel on this processor")
}
