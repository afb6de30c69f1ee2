package tables

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/mercer-ml/mercer/data/read"
)

// The library makes lists as long as a file of Arrow says they are before it looks whether they are there, in memory that no limit
// of ours counts. So the sizes that a file announces are compared with its own before it is opened: those of blocks, of messages,
// and of the lists and texts of a schema, which are read here as FlatBuffers lays them out. What else is wrong the library finds.

// errSizes says that a size is larger than what follows.
var errSizes = errors.New("its sizes do not agree")

// The numbers of fields in the tables of Arrow's format (Message.fbs, Schema.fbs and File.fbs of its specification, version 1.5).
const (
	messageKind, messageHeader, messageBody, messageMetadata = 1, 2, 3, 4
	footerSchema, footerDictionaries                         = 1, 2
	footerBatches, footerMetadata                            = 3, 4
	schemaFields, schemaMetadata                             = 1, 2
	fieldName, fieldKind, fieldType, fieldDictionary         = 0, 2, 3, 4
	timestampZone                                            = 1
	fieldChildren, fieldMetadata                             = 5, 6
	dictionaryID                                             = 0 // of a field's encoding, and of a batch
	dictionaryBatch                                          = 1
	batchBuffers, batchViews                                 = 2, 4
	metadataKey, metadataValue                               = 0, 1
)

// Kinds of messages and types.
const (
	schemaMessage, dictionaryMessage, batchMessage = 1, 2, 3
	timestamp, bytesView, textView                 = 10, 23, 24
)

const (
	blockBytes = 24      // of a block of the footer: offset, length of the metadata, and of the body
	mostFields = 1 << 20 // of a schema, those within others counted
	mostDepth  = 64      // of fields within fields
	mostShared = 16      // times that what is written once may be used
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
	if err := b.pairs(footer, footerMetadata, nil); err != nil {
		return err
	}
	var s outline
	if err := b.schema(footer, footerSchema, &s); err != nil {
		return err
	}
	for _, list := range []int{footerDictionaries, footerBatches} {
		blocks, err := b.list(footer, list, blockBytes)
		if err != nil {
			return err
		}
		for _, at := range blocks {
			if err := s.block(f, int64(b.u64(at)), int64(int32(b.u32(at+8))), int64(b.u64(at+16))); err != nil {
				return err
			}
		}
	}
	return nil
}

// block checks one of a file: a message after its length, and a body.
func (s *outline) block(f read.File, offset, meta, body int64) error {
	if offset < 0 || meta < 0 || body < 0 || offset > f.Size || meta > f.Size-offset || body > f.Size-offset-meta {
		return errSizes
	}
	b, err := part(f, offset, meta)
	if err != nil || len(b) < 8 {
		return err
	}
	switch b.u32(0) { // as the library does
	case 0:
	case continued:
		b = b[8:]
	default:
		b = b[4:]
	}
	_, err = s.message(b)
	return err
}

// continued is what a message begins with, before its length; not so before version 0.15 of the format.
const continued = 0xffffffff

// streamSizes goes from message to message.
func streamSizes(f read.File) error {
	var s outline
	for at := int64(0); ; {
		b, err := part(f, at, 4)
		if err != nil || b.u32(0) == 0 {
			return nil //nolint:nilerr // the end, or one that the library misses
		}
		n := int64(int32(b.u32(0)))
		if at += 4; b.u32(0) == continued {
			if b, err = part(f, at, 4); err != nil {
				return nil //nolint:nilerr // as above
			}
			n, at = int64(int32(b.u32(0))), at+4
		}
		if n == 0 {
			return nil
		}
		if b, err = part(f, at, n); err != nil {
			return err
		}
		at += n
		body, err := s.message(b)
		if err != nil {
			return err
		}
		if body < 0 || body > f.Size-at {
			return errSizes
		}
		at += body
	}
}

// message checks one, and returns how long its body is.
func (s *outline) message(b buffer) (body int64, err error) {
	message, err := b.root()
	if err != nil {
		return 0, err
	}
	if err := b.pairs(message, messageMetadata, nil); err != nil {
		return 0, err
	}
	kind, at := b.field(message, messageKind), b.field(message, messageHeader)
	if kind > 0 && at > 0 && kind < len(b) {
		switch b[kind] {
		case schemaMessage:
			if s.viewsOf == nil { // the library reads one
				err = b.schema(message, messageHeader, s)
			}
		case dictionaryMessage:
			if at, err = b.follow(at); err == nil {
				id, _ := b.long(b.field(at, dictionaryID))
				err = b.batch(b.field(at, dictionaryBatch), s.viewsOf[id])
			}
		case batchMessage:
			err = b.batch(at, s.views)
		}
	}
	if err != nil {
		return 0, err
	}
	if where := b.field(message, messageBody); where > 0 {
		var ok bool
		if body, ok = b.long(where); !ok {
			return 0, errSizes
		}
	}
	return body, nil
}

// batch checks how many buffers the columns of views in one are said to have; it has so many of these columns.
func (b buffer) batch(where, views int) error {
	if where <= 0 || views == 0 {
		return nil
	}
	at, err := b.follow(where)
	if err != nil {
		return err
	}
	buffers, err := b.list(at, batchBuffers, 16)
	if err != nil {
		return err
	}
	counts, err := b.list(at, batchViews, 8)
	if err != nil || b.field(at, batchViews) > 0 && len(counts) < views {
		return errSizes
	}
	for _, at := range counts {
		if b.u64(at) > uint64(len(buffers)) {
			return errSizes
		}
	}
	return nil
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

// long is the number at a place, 0 if there is none.
func (b buffer) long(where int) (v int64, ok bool) {
	if where <= 0 || where+8 > len(b) {
		return 0, false
	}
	return int64(b.u64(where)), true
}

// reference is the place that a field of a table leads to, if there is the field.
func (b buffer) reference(table, number int) (at int, ok bool, err error) {
	where := b.field(table, number)
	if where == 0 {
		return 0, false, nil
	}
	at, err = b.follow(where)
	return at, true, err
}

// list are the places of the entries of a field that is a list.
func (b buffer) list(table, number, size int) ([]int, error) {
	at, ok, err := b.reference(table, number)
	if err != nil || !ok {
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

// outline is what a schema says of sizes.
type outline struct {
	fields  int
	views   int           // columns of texts that stand elsewhere, those in dictionaries left out
	viewsOf map[int64]int // and in each dictionary
	left    int64         // bytes that texts may have: a file can use one text again and again, the library has each anew
}

// schema checks the one that a field of a table is.
func (b buffer) schema(table, number int, s *outline) error {
	at, ok, err := b.reference(table, number)
	if err != nil || !ok {
		return err
	}
	*s = outline{viewsOf: map[int64]int{}, left: mostShared * int64(len(b))}
	if err := b.pairs(at, schemaMetadata, s); err != nil {
		return err
	}
	return b.fields(at, schemaFields, 0, s, &s.views)
}

// fields checks those in a list, and those within them.
func (b buffer) fields(table, number, depth int, s *outline, views *int) error {
	places, err := b.list(table, number, 4)
	if err != nil {
		return err
	}
	if s.fields += len(places); s.fields > min(mostFields, mostShared*len(b)/8) || depth > mostDepth { // a field has 8 bytes at least
		return errSizes
	}
	for _, where := range places {
		at, err := b.follow(where)
		if err != nil {
			return err
		}
		if err := errors.Join(b.text(at, fieldName, s), b.pairs(at, fieldMetadata, s)); err != nil {
			return errSizes
		}
		to, within := views, 0
		encoding := b.field(at, fieldDictionary)
		if encoding > 0 {
			to = &within
		}
		if kind := b.field(at, fieldKind); kind > 0 && kind < len(b) {
			switch b[kind] {
			case bytesView, textView:
				*to++
			case timestamp:
				if of, err := b.follow(b.field(at, fieldType)); err != nil || b.text(of, timestampZone, s) != nil {
					return errSizes
				}
			}
		}
		if err := b.fields(at, fieldChildren, depth+1, s, to); err != nil {
			return err
		}
		if encoding > 0 {
			if encoding, err = b.follow(encoding); err != nil {
				return err
			}
			id, _ := b.long(b.field(encoding, dictionaryID))
			s.viewsOf[id] = max(s.viewsOf[id], within)
		}
	}
	return nil
}

// pairs checks keys and values; their texts too, where they are the schema's.
func (b buffer) pairs(table, number int, s *outline) error {
	places, err := b.list(table, number, 4)
	if err != nil {
		return err
	}
	if s == nil {
		s = &outline{left: mostShared * int64(len(b))}
	}
	for _, where := range places {
		at, err := b.follow(where)
		if err != nil {
			return err
		}
		if err := errors.Join(b.text(at, metadataKey, s), b.text(at, metadataValue, s)); err != nil {
			return errSizes
		}
	}
	return nil
}

// text counts the bytes of one.
func (b buffer) text(table, number int, s *outline) error {
	at, ok, err := b.reference(table, number)
	if err != nil || !ok {
		return err
	}
	if s.left -= int64(b.u32(at)); s.left < 0 {
		return errSizes
	}
	return nil
}
