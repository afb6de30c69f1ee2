package onnx

import (
	"encoding/binary"
	"math"
)

// message is a protocol buffer while it is written: fields one after the other, each led by its number and kind
// (https://protobuf.dev/programming-guides/encoding). The numbers of fields are those of onnx.proto.
type message []byte

// Kinds of fields.
const (
	kindVarint = 0
	kindFixed8 = 1
	kindBytes  = 2
	kindFixed4 = 5
)

func (m *message) number(field int, v int64) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3|kindVarint)
	*m = binary.AppendUvarint(*m, uint64(v))
}

func (m *message) bytes(field int, b []byte) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3|kindBytes)
	*m = binary.AppendUvarint(*m, uint64(len(b)))
	*m = append(*m, b...)
}

func (m *message) text(field int, s string) { m.bytes(field, []byte(s)) }

// tensor types of onnx.proto.
const (
	typeFloat  = 1
	typeInt64  = 7
	typeString = 8
	typeDouble = 11
)

// tensor is a TensorProto of some type; raw holds its numbers, little-endian, and words those of a tensor of strings.
func tensor(name string, kind int64, dims []int, raw []byte, words []string) message {
	var m message
	for _, d := range dims {
		m.number(1, int64(d))
	}
	m.number(2, kind)
	for _, w := range words {
		m.text(6, w)
	}
	if name != "" {
		m.text(8, name)
	}
	if kind != typeString {
		m.bytes(9, raw)
	}
	return m
}

func doubles(values []float64) []byte {
	raw := make([]byte, 0, 8*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
	}
	return raw
}

func integers(values []int) []byte {
	raw := make([]byte, 0, 8*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	return raw
}

// valueInfo is the type of an input or output: a tensor of N rows and, unless columns is 0, so many columns.
func valueInfo(name string, kind int64, columns int) message {
	var rows, shape, of, typ, m message
	rows.text(2, "N")
	shape.bytes(1, rows)
	if columns > 0 {
		var width message
		width.number(1, int64(columns))
		shape.bytes(1, width)
	}
	of.number(1, kind)
	of.bytes(2, shape)
	typ.bytes(1, of)
	m.text(1, name)
	m.bytes(2, typ)
	return m
}
