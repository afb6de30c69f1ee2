package tables

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"

	"github.com/mercer-ml/mercer/data/read"
)

var (
	parquetMagic = []byte("PAR1")
	arrowSchema  = []byte("ARROW:schema") // the key of what Arrow adds to the schema of Parquet
)

// The fields of the footer of Parquet (parquet.thrift of its specification, version 2.10) that say how long lists are.
const (
	footerElements, footerValues = 2, 5 // of FileMetaData: the schema, and pairs of keys and values
	elementLength, elementGroup  = 2, 5 // of SchemaElement: bytes of a value, and how many elements are within
	pairKey, pairValue           = 1, 2
)

// footerSizes checks those in the footer of a Parquet file, and in the schema of Arrow within.
func footerSizes(f read.File) error {
	end := make([]byte, 4+len(parquetMagic))
	if f.Size < int64(len(end)) {
		return errSizes
	}
	if _, err := f.ReadAt(end, f.Size-int64(len(end))); err != nil {
		return err
	}
	n := int64(binary.LittleEndian.Uint32(end))
	if !bytes.Equal(end[4:], parquetMagic) || n > f.Size-int64(len(end)) {
		return nil // the library says what is wrong
	}
	b := make(compact, n)
	if _, err := f.ReadAt(b, f.Size-int64(len(end))-n); err != nil {
		return err
	}
	return b.structure(0, func(field int16, kind byte) (took bool, err error) {
		if took = kind == kindList && (field == footerElements || field == footerValues); !took {
			return false, nil
		}
		if field == footerElements {
			return true, b.elements(f.Size)
		}
		return true, b.structures(1, func(int) error { return b.pair() })
	})
}

// elements reads a schema of Parquet: a tree, written down before its branches, each element with how many it has.
func (c *compact) elements(most int64) error {
	all, seen := int64(1), int64(0) // elements that have been announced, and read
	var open []int64                // how many are missing of each group around
	err := c.structures(1, func(int) error {
		var length, within int32
		err := c.structure(2, func(field int16, kind byte) (took bool, err error) {
			if took = kind == kindI32 && (field == elementLength || field == elementGroup); took {
				var v int32
				if v, err = c.i32(); field == elementGroup {
					within = v
				} else {
					length = v
				}
			}
			return took, err
		})
		if err != nil || within < 0 || int64(length) > most {
			return errSizes
		}
		seen++
		all += int64(within)
		for len(open) > 0 && open[len(open)-1] == 0 {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			open[len(open)-1]--
		}
		if within > 0 {
			open = append(open, int64(within))
		}
		if all > int64(mostFields) || len(open) > mostDepth {
			return errSizes
		}
		return nil
	})
	if err == nil && all > max(seen, 1) {
		err = errSizes
	}
	return err
}

// pair reads a key and its value.
func (c *compact) pair() error {
	var key, value []byte
	err := c.structure(2, func(field int16, kind byte) (took bool, err error) {
		if took = kind == kindText && (field == pairKey || field == pairValue); took {
			var text []byte
			if text, err = c.text(); field == pairKey {
				key = text
			} else {
				value = text
			}
		}
		return took, err
	})
	if err != nil || !bytes.Equal(key, arrowSchema) {
		return err
	}
	for _, padded := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding} { // as the library tries them
		content := make([]byte, padded.DecodedLen(len(value)))
		if n, err := padded.Decode(content, value); err == nil {
			return streamSizes(read.File{ReaderAt: bytes.NewReader(content[:n]), Size: int64(n)})
		}
	}
	return nil // the library says what is wrong
}
