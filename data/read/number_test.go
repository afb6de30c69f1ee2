package read

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// Numbers read by digits are those of ParseFloat to the last bit, signs of zero included.
func TestShortNumbers(t *testing.T) {
	same := func(text string) {
		t.Helper()
		v, n := decimal([]byte(text))
		ok := n > 0 && n == len(text)
		want, err := strconv.ParseFloat(text, 64)
		if ok && (err != nil || math.Float64bits(v) != math.Float64bits(want)) {
			t.Errorf("%q: %v, want %v, %v", text, v, want, err)
		}
	}
	for _, text := range []string{"0", "-0", "0.1", "-0.0", ".5", "5.", ".", "-", "-.", "1.2.3", "999999999999999", "9999999999999999", "0.000000000000001", "123456789012.345", "+1", "1e5", "1_0", "٣"} {
		same(text)
	}
	for _, text := range []string{"", "-", ".", "1.2.3", "1e", "e5", "1_000"} {
		if _, n := decimal([]byte(text)); n > 0 && n == len(text) {
			t.Errorf("%q is taken", text)
		}
	}
	if v, n := decimal([]byte("-123.4375,")); n != 9 || v != -123.4375 {
		t.Errorf("-123.4375: %v, %v", v, n)
	}
	rapid.Check(t, func(r *rapid.T) {
		same(rapid.StringMatching(`-?[0-9]{0,9}\.?[0-9]{0,9}`).Draw(r, "text"))
	})
}
