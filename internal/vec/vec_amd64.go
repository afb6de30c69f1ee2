//go:build !noasm

package vec

// AVX2 says that processor and operating system carry AVX2 and FMA.
var AVX2 = detectAVX2()

// AVX512 says that they carry AVX-512 F as well.
var AVX512 = AVX2 && detectAVX512()

func detectAVX512() bool {
	const opmask, zmm, zmmHigh, foundation = 1 << 5, 1 << 6, 1 << 7, 1 << 16
	if xgetbv()&(opmask|zmm|zmmHigh) != opmask|zmm|zmmHigh {
		return false
	}
	_, b, _, _ := cpuid(7, 0)
	return b&foundation != 0
}

func detectAVX2() bool {
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

// expAVX2 stores exp(c x_i) in dst_i for n elements, n a positive multiple of 4.
//
//go:noescape
func expAVX2(dst, x *float64, n int, c float64)

// expAVX512 is expAVX2 of n elements, n a positive multiple of 32.
//
//go:noescape
func expAVX512(dst, x *float64, n int, c float64)

func cpuid(leaf, sub uint32) (a, b, c, d uint32)

func xgetbv() (a uint32)

// sqrtAVX2 stores the square roots of n elements, n a positive multiple of 4.
//
//go:noescape
func sqrtAVX2(dst, x *float64, n int)

// gatherAVX2 stores the combination of rows of GatherRows in out: columns and
// entries are at least 1, the stride counts numbers.
//
//go:noescape
func gatherAVX2(out, x *float64, columns int, idx *int32, val *float64, entries, stride int)

// distancesAVX2 is SquaredDistances of n elements, n a positive multiple of 4, up to the first four with one that is near.
//
//go:noescape
func distancesAVX2(s, norm *float64, n int, na, share float64) (done int)

// distancesAVX512 is distancesAVX2 of n elements, n a positive multiple of 8, up to the first eight with one that is near.
//
//go:noescape
func distancesAVX512(s, norm *float64, n int, na, share float64) (done int)
