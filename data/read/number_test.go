package read

import (
	"bytes"
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// Numbers read by digits are those of ParseFloat to the last bit, signs of zero included.
func TestShortNumbers(t *testing.T) {
	same := func(text string) {
		t.Helper()
		v, n := Decimal([]byte(text))
		ok := n > 0 && n == len(text)
		want, err := strconv.ParseFloat(text, 64)
		if ok && (err != nil || math.Float64bits(v) != math.Float64bits(want)) {
			t.Errorf("%q: %v, want %v, %v", text, v, want, err)
		}
	}
	for _, text := range []string{"0", "-0", "0.1", "-0.0", ".5", "5.", ".", "-", "-.", "1.2.3", "999999999999999", "9999999999999999",
		"0.000000000000001", "123456789012.345", "+1", "1e5", "1_0", "٣"} {
		same(text)
	}
	for _, text := range []string{"", "-", ".", "1.2.3", "1e", "e5", "1_000"} {
		if _, n := Decimal([]byte(text)); n > 0 && n == len(text) {
			t.Errorf("%q is taken", text)
		}
	}
	if v, n := Decimal([]byte("-123.4375,")); n != 9 || v != -123.4375 {
		t.Errorf("-123.4375: %v, %v", v, n)
	}
	rapid.Check(t, func(r *rapid.T) {
		same(rapid.StringMatching(`[-+]?[0-9]{0,11}\.?[0-9]{0,11}([eE][-+]?[0-9]{0,4})?`).Draw(r, "text"))
	})
}

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
		if _, n := Decimal(text); n > len(text) {
			t.Errorf("%q: %d bytes", text, n)
		}
	})
}
