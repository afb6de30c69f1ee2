package onnx

import (
	"bytes"
	"slices"
	"testing"
)

// TestWire: the bytes are those of the encoding page of protocol buffers, whose examples are 150 in field 1 and "testing" in field 2,
// and of onnx.proto; other programs read them.
func TestWire(t *testing.T) {
	var m message
	m.number(1, 150)
	m.text(2, "testing")
	numbers := []byte{0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0} // 1.5 and -2, little-endian
	for name, c := range map[string]struct {
		got  message
		want []byte
	}{
		"examples": {m, slices.Concat([]byte{0x08, 0x96, 0x01, 0x12, 0x07}, []byte("testing"))},
		"numbers": {tensor("w", typeDouble, []int{2}, doubles([]float64{1.5, -2}), nil),
			slices.Concat([]byte{0x08, 2, 0x10, 11, 0x42, 1, 'w', 0x4a, 16}, numbers)},
		"words": {tensor("", typeString, []int{1}, nil, []string{"a"}), []byte{0x08, 1, 0x10, 8, 0x32, 1, 'a'}},
	} {
		if !bytes.Equal(c.got, c.want) {
			t.Errorf("%s: % x, want % x", name, []byte(c.got), c.want)
		}
	}
}

// TestFields: a field of every kind is read, with its number, and what is behind it.
func TestFields(t *testing.T) {
	for name, c := range map[string]struct {
		text []byte
		want field
	}{
		"number":      {[]byte{0x08, 0x96, 0x01}, field{number: 1, kind: 0, value: 150}},
		"eight bytes": {[]byte{0x11, 1, 2, 3, 4, 5, 6, 7, 8}, field{number: 2, kind: 1, bytes: []byte{1, 2, 3, 4, 5, 6, 7, 8}}},
		"text":        {[]byte{0x1a, 2, 'o', 'k'}, field{number: 3, kind: 2, bytes: []byte("ok")}},
		"four bytes":  {[]byte{0x25, 1, 2, 3, 4}, field{number: 4, kind: 5, bytes: []byte{1, 2, 3, 4}}},
	} {
		var got []field
		err := fields(append(slices.Clone(c.text), 0x28, 7), func(f field) error { got = append(got, f); return nil })
		if err != nil || len(got) != 2 || got[1].number != 5 || got[1].value != 7 {
			t.Fatalf("%s: %+v, %v", name, got, err)
		}
		if f := got[0]; f.number != c.want.number || f.kind != c.want.kind || f.value != c.want.value || !bytes.Equal(f.bytes, c.want.bytes) {
			t.Errorf("%s: %+v, want %+v", name, f, c.want)
		}
		if err := fields(c.text[:len(c.text)-1], func(field) error { return nil }); err == nil {
			t.Errorf("%s: cut short, and read", name)
		}
	}
}
