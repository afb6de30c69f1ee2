package decimal

import (
	"math"
	"regexp"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// same compares what is read with what ParseFloat and an expression read, to the last bit.
func same(t interface{ Fatalf(string, ...any) }, text string) {
	v, n := Parse([]byte(text))
	if n < 0 || n > len(text) {
		t.Fatalf("%q: %d bytes", text, n)
	}
	if want, err := strconv.ParseFloat(text[:n], 64); n > 0 && (err != nil || math.Float64bits(v) != math.Float64bits(want)) {
		t.Fatalf("%q: %v, want %v, %v", text, v, want, err)
	}
	mantissa, before, after, size := Scan([]byte(text))
	found := regexp.MustCompile(`^[-+]?([0-9]*)(\.?)([0-9]*)`).FindStringSubmatch(text)
	all := found[1] + found[3]
	if few := all != "" && len(all) <= mostDigits; !few {
		if size != 0 {
			t.Fatalf("%q: %d bytes", text, size)
		}
		return
	}
	wantAfter := -1
	if found[2] == "." {
		wantAfter = len(found[3])
	}
	want, _ := strconv.ParseUint(all, 10, 64) // digits alone
	if mantissa != want || before != len(found[1]) || after != wantAfter || size != len(found[0]) {
		t.Fatalf("%q: %d of %d and %d digits in %d bytes", text, mantissa, before, after, size)
	}
}

// TestParse: numbers are read as ParseFloat reads them, signs of zero included, wherever they end.
func TestParse(t *testing.T) {
	for _, text := range []string{"0", "-0", "0.1", "-0.0", ".5", "5.", ".", "-", "-.", "1.2.3", "999999999999999", "9999999999999999",
		"0.000000000000001", "123456789012.345", "+1", "1e5", "1_0", "٣", "1234567", "12345678", "123456789", "1234567890123456789",
		"12345678901234567890", "0.12345678", "1:", "1/", "1;2", "\xb01", "1\xff"} {
		same(t, text)
	}
	for text, want := range map[string]int{"": 0, "-": 0, ".": 0, "1.2.3": 3, "1e": 0, "e5": 0, "1_000": 1, "-123.4375,": 9} {
		if _, n := Parse([]byte(text)); n != want {
			t.Errorf("%q: %d bytes, want %d", text, n, want)
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		same(r, rapid.StringMatching(`[-+]?[0-9]{0,11}\.?[0-9]{0,11}([eE][-+]?[0-9]{0,4})?[,;x]?`).Draw(r, "text"))
	})
}

// FuzzParse: a number is read to the last bit as ParseFloat reads it.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"9007199254740993", "17836.166704433091", "-17412.520710629787", "9007199254740992e22", "1e22", "1e23", "1e-22", "123e-25",
		"18446744073709551616", "0.1e1", "1e+05", "-.5E-7", "1e0000", "4.9e-324", "1e", "--1", "0.30000000000000004", "12345678.12345678",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { same(t, text) })
}
