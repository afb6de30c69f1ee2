package newton

import (
	"math"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/beam/squares"
)

// Numbers come back bit for bit, in a struct as by themselves, and none as none.
func TestNumbersTravel(t *testing.T) {
	type box struct{ A, B Numbers }
	sent := box{A: Numbers{0, math.Copysign(0, -1), 1 / 3.0, math.Inf(-1), 0x1p-1074}}
	text, err := squares.Encode(sent)
	if err != nil {
		t.Fatal(err)
	}
	var got box
	if err := squares.Decode(text, &got); err != nil {
		t.Fatal(err)
	}
	same := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
	if !slices.EqualFunc(got.A, sent.A, same) || len(got.B) != 0 {
		t.Errorf("%v, sent %v", got, sent)
	}
	if err := new(Numbers).GobDecode(make([]byte, 9)); err == nil {
		t.Error("nine bytes are a number and a part")
	}
}
