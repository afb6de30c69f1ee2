package tables

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// pageOf writes a page: its head, with numbers as Parquet has them, and its bytes.
func pageOf(kind, part int, fields []int64, content []byte) []byte {
	number := func(b []byte, v int64) []byte { return binary.AppendVarint(append(b, 0x15), v) } // the next field, of 32 bits
	var b []byte
	for _, v := range []int64{int64(kind), int64(len(content)), int64(len(content))} {
		b = number(b, v)
	}
	b = append(b, byte(part-3)<<4|kindStruct)
	for _, v := range fields {
		b = number(b, v)
	}
	return append(append(b, 0, 0), content...)
}

// TestPages: pages of which the dictionary, the numbers of its values or the lengths of texts are more than they can be are refused.
func TestPages(t *testing.T) {
	texts := bytes.Repeat([]byte{1, 0, 0, 0, 'x'}, 4)
	dictionary := pageOf(pageDictionary, headDictionary, []int64{4, 0}, texts)
	data := func(encoding int64, content ...byte) []byte {
		return append(bytes.Clone(dictionary), pageOf(pageData, headData, []int64{8, encoding, 3, 3}, content)...)
	}
	uvarint := func(v ...uint64) (b []byte) {
		for _, v := range v {
			b = binary.AppendUvarint(b, v)
		}
		return b
	}
	// Eight lengths: the first, then a block of four parts of 32 with the same difference, 0 bits wide.
	lengths := append(uvarint(128, 4, 8, 2), 0, 0, 0, 0, 0)
	growing := append(uvarint(128, 4, 8, 1<<22), 0, 0, 0, 0, 0) // the first is 2^21, after the sign
	for name, c := range map[string]struct {
		b  []byte
		ok bool
	}{
		"a run":                      {data(indexes, 2, 16, 3), true},
		"side by side":               {data(indexes, 2, 3, 0xff, 0xff), true},
		"no values":                  {data(indexes), true},
		"a dictionary too long":      {pageOf(pageDictionary, headDictionary, []int64{1 << 30, 0}, texts), false},
		"an index too wide":          {data(indexes, 32, 3, 0, 0), false},
		"a run of an index too high": {data(indexes, 17, 16, 0xff, 0xff, 0xff), false},
		"a list longer than a page":  {pageOf(pageDictionary, headDictionary, []int64{1, 0}, nil), false},
		"lengths":                    {data(deltaLengths, lengths...), true},
		"prefixes, and the rest":     {data(deltaBytes, append(bytes.Clone(lengths), lengths...)...), true},
		"lengths beyond memory":      {data(deltaBytes, append(bytes.Clone(growing), lengths...)...), false},
		"more lengths than values":   {data(deltaLengths, append(uvarint(128, 4, 1<<40, 2), 0, 0, 0, 0, 0)...), false},
		"a part too long":            {data(deltaBinary, append(uvarint(1<<40, 4, 8, 2), 0, 0, 0, 0, 0)...), false},
		"no parts":                   {data(deltaBinary, append(uvarint(128, 0, 8, 2), 0, 0, 0, 0, 0)...), false},
		"lengths that end":           {data(deltaLengths, lengths[:6]...), false},
		"no lengths":                 {data(deltaLengths), true},
		"a page cut off":             {data(indexes, 2, 16, 3)[:len(dictionary)+8], false},
	} {
		column := schema.NewColumn(schema.NewByteArrayNode("c", parquet.Repetitions.Required, -1), 0, 0)
		err := (&chunk{values: 8, packed: compress.Codecs.Uncompressed, column: column}).check(c.b, newBounded(1<<20))
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWithin: bytes that unpack to more than there is room for are refused; others are unpacked into the room.
func TestWithin(t *testing.T) {
	plain := bytes.Repeat([]byte("all the same "), 1000)
	in, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for of, packed := range map[compress.Compression][]byte{
		compress.Codecs.Snappy: snappy.Encode(nil, plain), compress.Codecs.Zstd: in.EncodeAll(plain, nil),
	} {
		codec, err := compress.GetCodec(of)
		if err != nil {
			t.Fatal(err)
		}
		room := make([]byte, len(plain))
		if got := codec.Decode(room, packed); !bytes.Equal(got, plain) || &got[0] != &room[0] {
			t.Errorf("%v: other bytes, or elsewhere", of)
		}
		err = guarded(func() error { codec.Decode(make([]byte, len(plain)/2), packed); return nil })
		if err == nil {
			t.Errorf("%v unpacks to more than there is room for", of)
		}
	}
}

// TestFooter: schemas that are no tree of the elements that follow, and lists that are longer than the footer, are refused.
func TestFooter(t *testing.T) {
	element := func(within byte) []byte { // a name, and so many others
		return []byte{0x48, 1, 'x', 0x15, 2 * within, 0}
	}
	join := func(head byte, b ...[]byte) compact { return append([]byte{head}, bytes.Join(b, nil)...) }
	deep := [][]byte{}
	for range mostDepth + 2 {
		deep = append(deep, element(1))
	}
	for name, c := range map[string]struct {
		b  compact
		ok bool
	}{
		"a tree":        {join(0x4c, element(2), element(0), element(1), element(0)), true},
		"no elements":   {join(0x0c), true},
		"too few":       {join(0x3c, element(2), element(1), element(1)), false},
		"a large group": {join(0x2c, element(60), element(0)), false},
		"too deep":      {append(compact{0xfc, byte(len(deep) + 1)}, bytes.Join(append(deep, element(0)), nil)...), false},
		"a long list":   {compact{0xfc, 0xff, 0xff, 0xff, 0x07, 0x48}, false},
	} {
		b := c.b
		if err := b.elements(1 << 10); (err == nil) != c.ok || err != nil && !errors.Is(err, errSizes) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
