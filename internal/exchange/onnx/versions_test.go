package onnx

import (
	"fmt"
	"slices"
	"testing"
)

// TestVersions: the format and both sets of operators are of the versions that a runtime of 2022 has, and columns without a name are
// counted from 1.
func TestVersions(t *testing.T) {
	got := ""
	if err := fields(newGraph().model([][2]string{{"k", "v"}}), func(f field) error {
		switch f.number {
		case 1:
			got += fmt.Sprint("format ", f.value)
		case 8:
			return fields(f.bytes, func(f field) error {
				got += fmt.Sprintf(" %s%d", f.bytes, f.value)
				return nil
			})
		case 14:
			return fields(f.bytes, func(f field) error {
				got += fmt.Sprintf(" %d=%s", f.number, f.bytes)
				return nil
			})
		}
		return nil
	}); err != nil || got != "format 8 0 17 ai.onnx.ml0 3 1=k 2=v" {
		t.Errorf("%s, %v", got, err)
	}
}

// TestPackedNumbers: several whole numbers of a list may stand in one field, and one that is cut off is damage.
func TestPackedNumbers(t *testing.T) {
	packed := field{kind: kindBytes, bytes: []byte{3, 0x96, 1, 7}}
	if list, err := packed.integers([]int64{1}); err != nil || !slices.Equal(list, []int64{1, 3, 150, 7}) {
		t.Errorf("%v, %v", list, err)
	}
	packed.bytes = packed.bytes[:2]
	if list, err := packed.integers(nil); err == nil {
		t.Errorf("%v of a number that is cut off", list)
	}
	for _, f := range []field{{kind: kindFixed4, bytes: []byte{1, 2, 3}}, {kind: kindVarint}} {
		if list, err := f.floats(nil); err == nil {
			t.Errorf("%v of %+v", list, f)
		}
	}
	for _, tag := range [][]byte{{0x00, 1}, {0x80}, {0xf8, 0xff, 0xff, 0xff, 0xff, 0x7f, 1}} { // field 0, cut off, and beyond 31 bits
		if err := fields(tag, func(field) error { return nil }); err == nil {
			t.Errorf("% x is read", tag)
		}
	}
}

// TestAttributes: an attribute is the number, the text or the list that it was, with the type that onnx.proto has for it.
func TestAttributes(t *testing.T) {
	for _, c := range []struct {
		of   any
		kind uint64
		want string
	}{{3, 2, "[] [3] []"}, {"w", 3, "[] [] [w]"}, {[]int{1, -2}, 7, "[] [1 -2] []"}, {[]string{"a", "b"}, 8, "[] [] [a b]"}} {
		var kind uint64
		a := attribute{"n", c.of}.encode()
		if err := fields(a, func(f field) error {
			if f.number == 20 {
				kind = f.value
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		n := &node{list: map[string]list{}}
		if err := n.set(field{number: 5, kind: kindBytes, bytes: a}); err != nil {
			t.Fatal(err)
		}
		got := n.list["n"]
		if text := fmt.Sprint(got.numbers, got.integers, got.words); text != c.want || kind != c.kind {
			t.Errorf("%v is %s of type %d", c.of, text, kind)
		}
	}
	var m message
	if m.number(1, 2); m[0] != 1<<3 {
		t.Errorf("the tag is %x", m[0])
	}
}
