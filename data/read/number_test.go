package read

import (
	"bytes"
	"math"
	"strconv"
	"testing"
)

// FuzzNumber: a number is read to the last bit as ParseFloat reads it, and refused where that is no finite one.
func FuzzNumber(f *testing.F) {
	for _, s := range []string{
		"9007199254740993", "17836.166704433091", "-17412.520710629787", "9007199254740992e22",
		"1e22", "1e23", "1e-22", "123e-25", "18446744073709551616", "0.1e1", "1e+05", "-.5E-7", "1e0000",
		"0x1p4", "1_0", "nan", "4.9e-324", "1.7976931348623159e308", "1e", "1e+", "--1", "",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, what, remedy := number(text)
		want, err := strconv.ParseFloat(string(text), 64)
		finite := err == nil && !math.IsInf(want, 0) && !math.IsNaN(want) && !bytes.ContainsAny(text, "_xX")
		if finite != (what == "") || (what == "") != (remedy == "") || finite && math.Float64bits(v) != math.Float64bits(want) {
			t.Errorf("%q: %v, %q, want %v, %v", text, v, what, want, err)
		}
	})
}
