//go:build !amd64 || noasm

package dual

// Never called: vec.AVX2 is false here.

func pairUpdateAVX2(out *lanes, f, up, low *float64, ki, kj *float32, n int, d float64) {
	panic("svm: no vector instructions")
}

func pairGainAVX2(out *lanes, f, low, diag *float64, ki *float32, n int, fi, kii float64) {
	panic("svm: no vector instructions")
}

func coordinateAVX2(out *lanes, f, up, low, diag *float64, k *float32, n int, d float64) {
	panic("svm: no vector instructions")
}

func addRowsAVX2(f *float64, k0, k1, k2, k3 *float32, n int, d *float64) {
	panic("svm: no vector instructions")
}

func pairUpdateDoubleAVX2(out *lanes, f, up, low *float64, ki, kj *float64, n int, d float64) {
	panic("svm: no vector instructions")
}

func pairGainDoubleAVX2(out *lanes, f, low, diag *float64, ki *float64, n int, fi, kii float64) {
	panic("svm: no vector instructions")
}

func coordinateDoubleAVX2(out *lanes, f, up, low, diag *float64, k *float64, n int, d float64) {
	panic("svm: no vector instructions")
}

func addRowsDoubleAVX2(f *float64, k0, k1, k2, k3 *float64, n int, d *float64) {
	panic("svm: no vector instructions")
}
