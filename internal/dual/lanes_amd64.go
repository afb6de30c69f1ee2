//go:build !noasm

package dual

import "github.com/mercer-ml/mercer/internal/vec"

// pairUpdate subtracts d (ki - kj) from f and returns the largest f + up with its
// first index and the smallest f + low.
func pairUpdate[E element](f, up, low []float64, ki, kj []E, d float64) (most float64, arg int, least float64) {
	var l lanes
	if vec.AVX2 {
		switch k := any(&ki[0]).(type) {
		case *float32:
			pairUpdateAVX2(&l, &f[0], &up[0], &low[0], k, any(&kj[0]).(*float32), len(f), d)
		case *float64:
			pairUpdateDoubleAVX2(&l, &f[0], &up[0], &low[0], k, any(&kj[0]).(*float64), len(f), d)
		}
	} else {
		l = pairUpdatePlain(f, up, low, ki, kj, d)
	}
	most, arg = l.first()
	return most, arg, l.least()
}

// pairGain returns the j with the largest (fi - f_j)+^2 / (kii + k_jj - 2 k_ij)
// among those that low allows; a gain of 0 says that there is none.
func pairGain[E element](f, low, diag []float64, ki []E, fi, kii float64) (gain float64, arg int) {
	var l lanes
	if vec.AVX2 {
		switch k := any(&ki[0]).(type) {
		case *float32:
			pairGainAVX2(&l, &f[0], &low[0], &diag[0], k, len(f), fi, kii)
		case *float64:
			pairGainDoubleAVX2(&l, &f[0], &low[0], &diag[0], k, len(f), fi, kii)
		}
	} else {
		l = pairGainPlain(f, low, diag, ki, fi, kii)
	}
	return l.first()
}

// coordinate subtracts d k from f and returns the index with the largest
// b^2/diag, b the projected residual, and the largest b.
func coordinate[E element](f, up, low, diag []float64, k []E, d float64) (gain float64, arg int, worst float64) {
	var l lanes
	if vec.AVX2 {
		switch k := any(&k[0]).(type) {
		case *float32:
			coordinateAVX2(&l, &f[0], &up[0], &low[0], &diag[0], k, len(f), d)
		case *float64:
			coordinateDoubleAVX2(&l, &f[0], &up[0], &low[0], &diag[0], k, len(f), d)
		}
	} else {
		l = coordinatePlain(f, up, low, diag, k, d)
	}
	gain, arg = l.first()
	return gain, arg, l.most()
}

// addRows adds d_0 k_0 + ... + d_3 k_3 to f; any length.
func addRows[E element](f []float64, k *[4][]E, d *[4]float64) {
	whole := 0
	if vec.AVX2 {
		whole = len(f) &^ 7
	}
	if whole > 0 {
		switch k := any(k).(type) {
		case *[4][]float32:
			addRowsAVX2(&f[0], &k[0][0], &k[1][0], &k[2][0], &k[3][0], whole, &d[0])
		case *[4][]float64:
			addRowsDoubleAVX2(&f[0], &k[0][0], &k[1][0], &k[2][0], &k[3][0], whole, &d[0])
		}
	}
	if whole < len(f) {
		addRowsPlain(f, k, d, whole)
	}
}

//go:noescape
func pairUpdateAVX2(out *lanes, f, up, low *float64, ki, kj *float32, n int, d float64)

//go:noescape
func pairGainAVX2(out *lanes, f, low, diag *float64, ki *float32, n int, fi, kii float64)

//go:noescape
func coordinateAVX2(out *lanes, f, up, low, diag *float64, k *float32, n int, d float64)

//go:noescape
func addRowsAVX2(f *float64, k0, k1, k2, k3 *float32, n int, d *float64)

// The same on rows in double precision.

//go:noescape
func pairUpdateDoubleAVX2(out *lanes, f, up, low *float64, ki, kj *float64, n int, d float64)

//go:noescape
func pairGainDoubleAVX2(out *lanes, f, low, diag *float64, ki *float64, n int, fi, kii float64)

//go:noescape
func coordinateDoubleAVX2(out *lanes, f, up, low, diag *float64, k *float64, n int, d float64)

//go:noescape
func addRowsDoubleAVX2(f *float64, k0, k1, k2, k3 *float64, n int, d *float64)
