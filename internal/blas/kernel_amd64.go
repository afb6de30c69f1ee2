package blas

// hasKernels says that processor and operating system carry AVX2 and FMA.
var hasKernels = detect()

func detect() bool {
	if top, _, _, _ := cpuid(0, 0); top < 7 {
		return false
	}
	const fma, osxsave, avx, avx2 = 1 << 12, 1 << 27, 1 << 28, 1 << 5
	_, _, c, _ := cpuid(1, 0)
	if c&fma == 0 || c&osxsave == 0 || c&avx == 0 {
		return false
	}
	const ymmState = 1<<1 | 1<<2
	if xgetbv()&ymmState != ymmState {
		return false
	}
	_, b, _, _ := cpuid(7, 0)
	return b&avx2 != 0
}

// kernel6x8 adds alpha A B to the 6 x 8 block C with row stride ldc, where A is
// packed as k columns of 6 and B as k rows of 8. k >= 1.
//
//go:noescape
func kernel6x8(k int, a, b, c *float64, ldc int, alpha float64)

// rowSubAVX2 is rowSub for k >= 1.
//
//go:noescape
func rowSubAVX2(dst *float64, w int, x *float64, ldx int, coef *float64, inc, k int)

func cpuid(leaf, sub uint32) (a, b, c, d uint32)

func xgetbv() (a uint32)
