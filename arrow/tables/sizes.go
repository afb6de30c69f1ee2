package tables

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/mercer-ml/mercer/data/read"
)

// The library makes lists as long as a file of Arrow says they are before it looks whether they are there, in memory that no limit
// of ours counts. So the sizes that a file announces are compared with its own before it is opened: those of messages, of
// blocks, and of the lists of a schema, which are read here as FlatBuffers lays them out. What else is wrong the library finds.

// errSizes says that a size is larger than what follows.
var errSizes = errors.New("its sizes do not agree")

// The numbers of fields in the tables of Arrow's format (Message.fbs, Schema.fbs and File.fbs of its specification, version 1.5).
const (
	messageHeader, messageBody, messageMetadata = 2, 3, 4
	footerSchema, footerDictionaries            = 1, 2
	footerBatches, footerMetadata               = 3, 4
	schemaFields, schemaMetadata                = 1, 2
	fieldChildren, fieldMetadata                = 5, 6
)

const (
	blockBytes = 24      // of a block of the footer: offset, length of the metadata, and of the body
	mostFields = 1 << 20 // of a schema, those within others counted
	mostDepth  = 64      // of fields within fields
)

// sizes checks those of a file, or of a stream.
func sizes(f read.File, stream bool) error {
	if stream {
		return streamSizes(f)
	}
	end := make([]byte, 4+len(magic))
	if f.Size < int64(len(end)+8) {
		return errSizes
	}
	if _, err := f.ReadAt(end, f.Size-int64(len(end))); err != nil {
		return err
	}
	n := int64(binary.LittleEndian.Uint32(end))
	if !bytes.Equal(end[4:], magic) || n <= 0 || n > f.Size-int64(len(end)) {
		return nil // the library says what is wrong
	}
	b, err := part(f, f.Size-int64(len(end))-n, n)
	if err != nil {
		return err
	}
	footer, err := b.root()
	if err != nil {
		return err
	}
	for _, list := range []int{footerDictionaries, footerBatches} {
		blocks, err := b.list(footer, list, blockBytes)
		if err != nil {
			return err
		}
		for _, at := range blocks {
			offset, meta, body := int64(b.u64(at)), int64(int32(b.u32(at+8))), int64(b.u64(at+16))
			if offset < 0 || meta < 0 || body < 0 || offset > f.Size || meta > f.Size-offset || body > f.Size-offset-meta {
				return errSizes
			}
		}
	}
	if _, err := b.list(footer, footerMetadata, 4); err != nil {
		return err
	}
	return b.schema(footer, footerSchema)
}

// streamSizes goes from message to message.
func streamSizes(f read.File) error {
	for at := int64(0); ; {
		b, err := part(f, at, 4)
		if err != nil || b.u32(0) == 0 {
			return nil //nolint:nilerr // the end, or one that the library misses
		}
		n := int64(int32(b.u32(0)))
		if at += 4; b.u32(0) == 0xffffffff {
			if b, err = part(f, at, 4); err != nil {
				return nil //nolint:nilerr // as above
			}
			n, at = int64(int32(b.u32(0))), at+4
		}
		if n == 0 {
			return nil
		}
		if n < 0 || n > f.Size-at {
			return errSizes
		}
		if b, err = part(f, at, n); err != nil {
			return err
		}
		at += n
		message, err := b.root()
		if err != nil {
			return err
		}
		if _, err := b.list(message, messageMetadata, 4); err != nil {
			return err
		}
		if first := at == n+8 || at == n+4; first { // a schema; other headers have no list of which the library makes one
			if err := b.schema(message, messageHeader); err != nil {
				return err
			}
		}
		if where := b.field(message, messageBody); where > 0 {
			if where+8 > len(b) {
				return errSizes
			}
			body := int64(b.u64(where))
			if body < 0 || body > f.Size-at {
				return errSizes
			}
			at += body
		}
	}
}

// part is a part of a file.
func part(f read.File, at, n int64) (buffer, error) {
	if at < 0 || n < 0 || n > f.Size-at {
		return nil, errSizes
	}
	b := make(buffer, n)
	_, err := f.ReadAt(b, at)
	return b, err
}

// buffer is a FlatBuffer. Places are numbers of bytes.
type buffer []byte

func (b buffer) u16(at int) uint16 { return binary.LittleEndian.Uint16(b[at:]) }
func (b buffer) u32(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
func (b buffer) u64(at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }

// follow is the place that an offset at a place leads to.
func (b buffer) follow(at int) (int, error) {
	if at < 0 || at+4 > len(b) {
		return 0, errSizes
	}
	to := int64(at) + int64(b.u32(at))
	if to+4 > int64(len(b)) {
		return 0, errSizes
	}
	return int(to), nil
}

// root is the place of the first table.
func (b buffer) root() (int, error) { return b.follow(0) }

// field is the place of a field of the table at a place, 0 if it has none.
func (b buffer) field(table, number int) int {
	if table < 0 || table+4 > len(b) {
		return 0
	}
	directory := table - int(int32(b.u32(table)))
	entry := directory + 4 + 2*number
	if directory < 0 || directory+2 > len(b) || entry+2 > len(b) || entry >= directory+int(b.u16(directory)) {
		return 0
	}
	if offset := int(b.u16(entry)); offset > 0 {
		return table + offset
	}
	return 0
}

// list are the places of the entries of a field that is a list.
func (b buffer) list(table, number, size int) ([]int, error) {
	where := b.field(table, number)
	if where == 0 {
		return nil, nil
	}
	at, err := b.follow(where)
	if err != nil {
		return nil, err
	}
	n := int64(b.u32(at))
	if n > int64(len(b)-at-4)/int64(size) {
		return nil, errSizes
	}
	places := make([]int, n)
	for i := range places {
		places[i] = at + 4 + i*size
	}
	return places, nil
}

// schema checks the one that a field of a table is.
func (b buffer) schema(table, number int) error {
	where := b.field(table, number)
	if where == 0 {
		return nil
	}
	at, err := b.follow(where)
	if err != nil {
		return err
	}
	if _, err := b.list(at, schemaMetadata, 4); err != nil {
		return err
	}
	seen := 0
	return b.fields(at, schemaFields, 0, &seen)
}

// fields checks those in a list, and those within them.
func (b buffer) fields(table, number, depth int, seen *int) error {
	places, err := b.list(table, number, 4)
	if err != nil {
		return err
	}
	if *seen += len(places); *seen > mostFields || depth > mostDepth {
		return errSizes
	}
	for _, where := range places {
		at, err := b.follow(where)
		if err != nil {
			return err
		}
		if _, err := b.list(at, fieldMetadata, 4); err != nil {
			return err
		}
		if err := b.fields(at, fieldChildren, depth+1, seen); err != nil {
			return err
		}
	}
	return nil
}
