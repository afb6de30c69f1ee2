//go:build !amd64 || noasm

package vec

func panelAVX2(*float32, *float32, int, int, *int, *int32, *float32, int) {
	panic("vec: no vector instructions on this processor")
}
