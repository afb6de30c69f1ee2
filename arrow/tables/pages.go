package tables

import (
	"encoding/binary"
	"io"
	"math/bits"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// checked reads a file of Parquet for the library, and looks at the pages of every part of a column before the library does: what
// they say of their dictionaries and lengths decides how long the lists are that it makes, in memory that no limit counts.
type checked struct {
	*io.SectionReader
	mem    *bounded
	chunks map[int64][]chunk // by where they begin
}

// ReadAt reads, a part of a column at once.
func (c *checked) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.SectionReader.ReadAt(p, at)
	for _, chunk := range c.chunks[at] {
		if err == nil {
			err = chunk.check(p[:n], c.mem)
		}
	}
	return n, err
}

// expect takes note of the columns of a group. One that, packed, exceeds the memory or the file is refused: it is read at once.
func (c *checked) expect(in *file.Reader, group int) error {
	g := in.MetaData().RowGroup(group)
	for i := range g.NumColumns() {
		m, err := g.ColumnChunk(i)
		if err != nil {
			return damaged(err)
		}
		from, size := m.DataPageOffset(), m.TotalCompressedSize()
		if at := m.DictionaryPageOffset(); m.HasDictionaryPage() && at > 0 && at < from {
			from = at
		}
		if from < 0 || size < 0 || size > c.Size() || from > c.Size()-size {
			return damaged(errSizes)
		}
		if err := c.mem.fits(size); err != nil {
			return err
		}
		c.chunks[from] = append(c.chunks[from], chunk{m.NumValues(), m.Compression(), in.MetaData().Schema.Column(i)})
	}
	return nil
}

// chunk is a column in a group of rows.
type chunk struct {
	values int64
	packed compress.Compression
	column *schema.Column
}

// The kinds of pages, with the numbers of the fields of their heads, and of those fields.
const (
	pageDictionary, pageData, pageData2 = 2, 0, 3
	headDictionary, headData, headData2 = 7, 5, 8
	headValues, headEncoding            = 1, 2 // of a dictionary and of data
	dataDefinition, dataRepetition      = 3, 4 // how the levels are encoded
	data2Rows, data2Encoding            = 3, 4
	data2Definition, data2Repetition    = 5, 6 // how long the levels are
	data2Packed                         = 7
	mostHead                            = 9
)

// Encodings of values and levels.
const (
	plainDictionary = 2
	bitPacked       = 4
	deltaBinary     = 5
	deltaLengths    = 6
	deltaBytes      = 7
	indexes         = 8
	textBytes       = 24      // of what leads to a text, which the library has one of for each in a dictionary
	spareIndexes    = 1 << 21 // values beyond the dictionary that an index may name: the library makes a list so long
)

// page is the head of one: its kind, how many bytes it has unpacked and packed, and what is said of each kind.
type page struct {
	kind, size, packed int32
	parts              [mostHead]struct {
		fields [mostHead]int32
		plain  bool // not packed
	}
}

// read takes the head from the front.
func (p *page) read(b *compact) error {
	return b.structure(0, func(field int16, kind byte) (took bool, err error) {
		switch {
		case kind == kindI32 && field >= 1 && field <= 3:
			*[]*int32{&p.kind, &p.size, &p.packed}[field-1], err = b.i32()
			return true, err
		case kind == kindStruct && (field == headDictionary || field == headData || field == headData2):
			part := &p.parts[field]
			*part = page{}.parts[field]
			return true, b.structure(1, func(f int16, kind byte) (took bool, err error) {
				if f == data2Packed && (kind == kindTrue || kind == kindFalse) {
					part.plain = kind == kindFalse
				}
				if took = kind == kindI32 && f > 0 && f < mostHead; took {
					part.fields[f], err = b.i32()
				}
				return took, err
			})
		}
		return false, nil
	})
}

// negative says whether a size is.
func (p *page) negative() bool {
	d := &p.parts[headData2].fields
	return min(p.size, p.packed, p.parts[headDictionary].fields[headValues], p.parts[headData].fields[headValues],
		d[headValues], d[data2Rows], d[data2Definition], d[data2Repetition]) < 0
}

// check goes from page to page as the library does.
func (c *chunk) check(b compact, mem *bounded) error {
	most := int64(0) // values of the dictionary
	for seen := int64(0); seen < c.values && len(b) > 0; {
		var p page
		if err := p.read(&b); err != nil {
			return err
		}
		if p.negative() {
			return errSizes
		}
		n := int64(p.parts[headDictionary].fields[headValues])
		if n > 8*int64(p.size)/c.bits() {
			return errSizes
		}
		most = max(most, n)
		err := mem.fits(max(int64(p.size), n*textBytes))
		if err != nil {
			return err
		}
		switch p.kind {
		case pageDictionary:
			_, err = b.take(int(p.packed))
		case pageData:
			seen += int64(p.parts[headData].fields[headValues])
			err = c.data(&p, &b, most, mem)
		case pageData2:
			seen += int64(p.parts[headData2].fields[data2Rows])
			err = c.data2(&p, &b, most, mem)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// bits are those of a value in a dictionary at least.
func (c *chunk) bits() int64 {
	switch c.column.PhysicalType() {
	case parquet.Types.Boolean:
		return 1
	case parquet.Types.Int64, parquet.Types.Double:
		return 64
	case parquet.Types.Int96:
		return 96
	case parquet.Types.FixedLenByteArray:
		return 8 * int64(max(1, c.column.TypeLength()))
	}
	return 32
}

// data checks a page of the first version: levels and values, packed together.
func (c *chunk) data(p *page, b *compact, most int64, mem *bounded) error {
	packed, err := b.take(int(p.packed))
	head := p.parts[headData].fields
	if err != nil || !ofSizes(head[headEncoding]) {
		return err
	}
	return c.unpacked(int(p.size), packed, mem, func(v compact) error {
		for _, level := range []struct {
			most     int16
			encoding int32
		}{{c.column.MaxRepetitionLevel(), head[dataRepetition]}, {c.column.MaxDefinitionLevel(), head[dataDefinition]}} {
			if level.most <= 0 {
				continue
			}
			n := (int64(head[headValues])*int64(bits.Len16(uint16(level.most))) + 7) / 8
			if level.encoding != bitPacked {
				b, err := v.take(4)
				if err != nil {
					return err
				}
				n = int64(binary.LittleEndian.Uint32(b))
			}
			if n > int64(len(v)) {
				return errSizes
			}
			v = v[n:]
		}
		return lengths(v, head[headEncoding], int64(head[headValues]), most, mem)
	})
}

// data2 checks a page of the second version, in which the levels are not packed.
func (c *chunk) data2(p *page, b *compact, most int64, mem *bounded) error {
	head := &p.parts[headData2]
	levels := int64(head.fields[data2Definition]) + int64(head.fields[data2Repetition])
	n := p.packed
	if head.plain {
		n = p.size
	}
	packed, err := b.take(int(n))
	if err != nil {
		return err
	}
	if levels > int64(min(n, p.size)) {
		return errSizes
	}
	encoding, count := head.fields[data2Encoding], int64(head.fields[headValues])
	if packed = packed[levels:]; !ofSizes(encoding) {
		return nil
	}
	if head.plain {
		return lengths(packed, encoding, count, most, mem)
	}
	return c.unpacked(int(int64(p.size)-levels), packed, mem, func(v compact) error { return lengths(v, encoding, count, most, mem) })
}

// unpacked hands on the bytes of a page.
func (c *chunk) unpacked(size int, packed []byte, mem *bounded, f func(compact) error) error {
	codec, err := compress.GetCodec(c.packed)
	if err != nil || size == 0 {
		return nil //nolint:nilerr // the library says what is wrong
	}
	room := mem.Allocate(size)
	defer mem.Free(room)
	return f(codec.Decode(room, packed))
}

// ofSizes says whether an encoding of values has sizes that the library believes.
func ofSizes(encoding int32) bool {
	return encoding == plainDictionary || encoding == indexes || encoding >= deltaBinary && encoding <= deltaBytes
}

// lengths checks those of the values of a page, count at most, where there is a dictionary of most values.
func lengths(b compact, encoding int32, count, most int64, mem *bounded) error {
	switch encoding {
	case plainDictionary, indexes:
		return indexed(b, count, max(4*most, spareIndexes))
	case deltaBinary:
		_, _, err := newDeltas(&b, count)
		return err
	}
	var all int64
	for lists := encoding - deltaLengths + 1; lists > 0; lists-- { // of prefixes, if there are any, and of what follows
		d, ok, err := newDeltas(&b, count)
		if err != nil || !ok {
			return err
		}
		if err := mem.fits(4 * d.total); err != nil { // before they are counted
			return err
		}
		sum, err := d.sum(&b)
		if err != nil {
			return err
		}
		all += sum
	}
	if encoding == deltaBytes {
		return mem.fits(all)
	}
	return nil
}

// indexed checks numbers of values of a dictionary, runs of one number and others side by side.
func indexed(b compact, count, most int64) error {
	if len(b) == 0 {
		return nil
	}
	width := int64(b[0])
	if width > 32 || 1<<width > most {
		return errSizes
	}
	for b = b[1:]; count > 0 && len(b) > 0; {
		head, err := b.number()
		if err != nil {
			return nil //nolint:nilerr // the end
		}
		n, size := min(int64(head>>1), count), (width+7)/8
		if head&1 == 1 {
			size, n = n*width, 8*n
		}
		v, err := b.take(int(min(size, int64(len(b)))))
		if err != nil {
			return err
		}
		if head&1 == 0 {
			var value [8]byte
			copy(value[:], v)
			if binary.LittleEndian.Uint64(value[:]) >= uint64(most) {
				return errSizes
			}
		}
		count -= n
	}
	return nil
}
