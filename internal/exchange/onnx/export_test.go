package onnx

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Operator is an operator for machine learning as scikit-learn's converter writes it, in single precision.
type Operator struct {
	Kind    string
	In, Out []string
	Numbers map[string][]float64
	Ints    map[string][]int
	Int     map[string]int      // single ones
	Words   map[string][]string // lists
	Word    map[string]string   // single texts
}

// File is the model of operators that take rows of some columns, in single precision, and answer with the outputs listed, those
// of numbers of some width.
func File(columns, width int, outputs map[string]int64, operators ...Operator) []byte {
	g := newGraph()
	g.input(Rows, typeFloat, columns)
	for _, o := range operators {
		var m message
		for _, v := range o.In {
			m.text(1, v)
		}
		for _, v := range o.Out {
			m.text(2, v)
		}
		m.text(4, o.Kind)
		for name, v := range o.Numbers {
			m.bytes(5, floats(name, v))
		}
		for name, v := range o.Ints {
			m.bytes(5, attribute{name, v}.encode())
		}
		for name, v := range o.Int {
			m.bytes(5, attribute{name, v}.encode())
		}
		for name, v := range o.Words {
			m.bytes(5, attribute{name, v}.encode())
		}
		for name, v := range o.Word {
			m.bytes(5, attribute{name, v}.encode())
		}
		if o.Kind != "Identity" && o.Kind != "Tanh" {
			m.text(7, mlOperators)
		}
		g.nodes = append(g.nodes, m)
	}
	for name, kind := range outputs {
		of := 0
		if kind == typeFloat {
			of = width
		}
		g.outputs = append(g.outputs, valueInfo(name, kind, of))
	}
	return g.model(nil)
}

// Types of outputs.
const (
	Float = typeFloat
	Int   = typeInt64
	Text  = typeString
)

func floats(name string, v []float64) message {
	var m message
	m.text(1, name)
	for _, f := range v {
		m = binary.AppendUvarint(m, 7<<3|kindFixed4)
		m = binary.LittleEndian.AppendUint32(m, math.Float32bits(float32(f)))
	}
	m.number(20, 6)
	return m
}

// Described is what a file says of its graph, but for the numbers of its constants: a line for each node, input and output.
func Described(file []byte) (text string, err error) {
	err = graphFields(file, func(f field) error {
		switch f.number {
		case 1:
			n := &node{list: map[string]list{}}
			if err := fields(f.bytes, n.set); err != nil {
				return err
			}
			text += fmt.Sprintf("  %s %v %v", n.kind, n.in, n.out)
			for _, name := range slices.Sorted(maps.Keys(n.list)) {
				text += fmt.Sprintf(" %s %v %q", name, n.list[name].integers, n.list[name].words)
			}
			text += "\n"
		case 5:
			text += fmt.Sprintf("  constant of %d bytes\n", len(f.bytes))
		default:
			text += fmt.Sprintf("  %d %q\n", f.number, f.bytes)
		}
		return nil
	})
	return text, err
}
