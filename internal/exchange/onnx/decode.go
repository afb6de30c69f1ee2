package onnx

import (
	"encoding/binary"
	"errors"
	"math"
)

// errDamaged is what a file is that breaks off, or whose fields are not those of onnx.proto.
var errDamaged = errors.New("the file is no ONNX model, or is damaged")

// field is one field of a message that is read: a number, or bytes.
type field struct {
	number int
	kind   int
	value  uint64
	bytes  []byte
}

// fields calls f with each field of a message; f's errors end it.
func fields(m []byte, f func(field) error) error {
	for len(m) > 0 {
		tag, n := binary.Uvarint(m)
		if n <= 0 || tag>>3 == 0 || tag>>3 > math.MaxInt32 {
			return errDamaged
		}
		one := field{number: int(tag >> 3), kind: int(tag & 7)}
		if m = m[n:]; !one.read(&m) {
			return errDamaged
		}
		if err := f(one); err != nil {
			return err
		}
	}
	return nil
}

// read takes the field's content off the beginning of m.
func (f *field) read(m *[]byte) bool {
	size := uint64(0)
	switch f.kind {
	case kindFixed4:
		size = 4
	case kindFixed8:
		size = 8
	case kindVarint, kindBytes:
		v, n := binary.Uvarint(*m)
		if n <= 0 {
			return false
		}
		*m = (*m)[n:]
		if f.kind == kindVarint {
			f.value = v
			return true
		}
		size = v
	default:
		return false
	}
	if size > uint64(len(*m)) {
		return false
	}
	f.bytes, *m = (*m)[:size], (*m)[size:]
	return true
}

// floats appends the numbers of a list in single precision, of which a field holds one or, packed, several.
func (f field) floats(list []float64) ([]float64, error) {
	if f.kind != kindFixed4 && f.kind != kindBytes || len(f.bytes)%4 != 0 {
		return nil, errDamaged
	}
	for b := f.bytes; len(b) > 0; b = b[4:] {
		list = append(list, float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
	}
	return list, nil
}

// integers appends the numbers of a list in the same way.
func (f field) integers(list []int64) ([]int64, error) {
	if f.kind == kindVarint {
		return append(list, int64(f.value)), nil
	}
	for b := f.bytes; len(b) > 0; {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, errDamaged
		}
		list, b = append(list, int64(v)), b[n:]
	}
	return list, nil
}

// node is a NodeProto that was read.
type node struct {
	kind    string
	in, out []string
	list    map[string]list
}

// list is the value of an attribute, whichever it has.
type list struct {
	numbers  []float64
	integers []int64
	words    []string
}

// word is the first text of an attribute, usual if it has none.
func (n *node) word(name, usual string) string {
	if w := n.list[name].words; len(w) > 0 {
		return w[0]
	}
	return usual
}

// decoded are the nodes of a model's graph and the names of its inputs.
func decoded(file []byte) (nodes []*node, err error) {
	seen := false
	err = fields(file, func(f field) error {
		if f.number != 7 {
			return nil
		}
		seen = true
		return fields(f.bytes, func(f field) error {
			if f.number != 1 {
				return nil
			}
			n := &node{list: map[string]list{}}
			nodes = append(nodes, n)
			return fields(f.bytes, n.set)
		})
	})
	if err == nil && !seen {
		err = errDamaged
	}
	return nodes, err
}

func (n *node) set(f field) error {
	switch f.number {
	case 1:
		n.in = append(n.in, string(f.bytes))
	case 2:
		n.out = append(n.out, string(f.bytes))
	case 4:
		n.kind = string(f.bytes)
	case 5:
		var name string
		var of list
		err := fields(f.bytes, func(f field) (err error) {
			switch f.number {
			case 1:
				name = string(f.bytes)
			case 2, 7:
				of.numbers, err = f.floats(of.numbers)
			case 3, 8:
				of.integers, err = f.integers(of.integers)
			case 4, 9:
				of.words = append(of.words, string(f.bytes))
			}
			return err
		})
		n.list[name] = of
		return err
	}
	return nil
}
