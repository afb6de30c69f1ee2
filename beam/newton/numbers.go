package newton

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Numbers travel by encoding/gob as their eight bytes each. That of []float64 takes a triangle of a Hessian apart number by number, which
// costs more than to sum it.
type Numbers []float64

// GobEncode implements gob.GobEncoder.
func (n Numbers) GobEncode() ([]byte, error) {
	text := make([]byte, 8*len(n))
	for i, v := range n {
		binary.LittleEndian.PutUint64(text[8*i:], math.Float64bits(v))
	}
	return text, nil
}

// GobDecode implements gob.GobDecoder.
func (n *Numbers) GobDecode(text []byte) error {
	if len(text)%8 != 0 {
		return fmt.Errorf("%d bytes are no numbers", len(text))
	}
	*n = make(Numbers, len(text)/8)
	for i := range *n {
		(*n)[i] = math.Float64frombits(binary.LittleEndian.Uint64(text[8*i:]))
	}
	return nil
}
