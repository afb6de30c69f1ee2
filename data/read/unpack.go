package read

// Packed text that unpacks to far more than tables do: made to fill a memory, or all of one value. Deflate packs a byte in a
// thousandth of its size at most, tables of numbers and words in a twentieth.

import (
	"fmt"
	"io"
)

const (
	packedRatio = 200     // bytes out of one
	packedBytes = 1 << 27 // out, from which the ratio is looked at
)

// counting counts what is read.
type counting struct {
	io.Reader
	n int64
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

// unpacked is packed text while it is read, which ends with a fault where there is too much of it.
type unpacked struct {
	io.Reader
	file string
	in   func() int64 // bytes of the packed text so far
	out  int64
}

func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	u.out += int64(n)
	if err := tooMuch(u.file, u.out, u.in()); err != nil {
		return 0, err
	}
	return n, err
}

// tooMuch refuses text of so many bytes out of so many.
func tooMuch(file string, out, in int64) error {
	if out <= packedBytes || out <= packedRatio*in {
		return nil
	}
	return &Error{File: file, What: fmt.Sprintf("unpacks to more than %d times its size", packedRatio),
		Remedy: "unpack it, if so much text is meant"}
}
