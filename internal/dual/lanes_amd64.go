//go:build !noasm

package dual

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
