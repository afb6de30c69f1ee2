//go:build !noasm

package vec

// panelAVX2 is Entries32.MulPanel for at least one row and one entry.
//
//go:noescape
func panelAVX2(out, x *float32, stride, width int, start *int, idx *int32, val *float32, rows int)
