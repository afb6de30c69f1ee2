package onnx

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// value is the name of a tensor in a graph. Those of rows have the shape N x columns.
type value string

// graph collects the nodes, constants, inputs and outputs of a GraphProto.
type graph struct {
	nodes, constants, inputs, outputs []message
	names                             int
	cached                            map[string]value // constants by their content
}

// ownSign begins the names of tensors inside; columns that are inputs may not have it.
const ownSign = "mercer/"

func newGraph() *graph { return &graph{cached: map[string]value{}} }

// name is that of a further tensor.
func (g *graph) name() value {
	g.names++
	return value(fmt.Sprint(ownSign, g.names))
}

// attribute is a named number or list of a node.
type attribute struct {
	name string
	of   any // int, []int, []string or string
}

// op adds a node of the standard operators and returns its output.
func (g *graph) op(kind string, in []value, attributes ...attribute) value {
	out := g.name()
	g.node(kind, "", in, []value{out}, attributes...)
	return out
}

func (g *graph) node(kind, domain string, in, out []value, attributes ...attribute) {
	var m message
	for _, v := range in {
		m.text(1, string(v))
	}
	for _, v := range out {
		m.text(2, string(v))
	}
	m.text(4, kind)
	for _, a := range attributes {
		m.bytes(5, a.encode())
	}
	if domain != "" {
		m.text(7, domain)
	}
	g.nodes = append(g.nodes, m)
}

func (a attribute) encode() message {
	var m message
	m.text(1, a.name)
	kind := int64(0)
	switch v := a.of.(type) {
	case int:
		m.number(3, int64(v))
		kind = 2
	case string:
		m.text(4, v)
		kind = 3
	case []int:
		for _, i := range v {
			m.number(8, int64(i))
		}
		kind = 7
	case []string:
		for _, s := range v {
			m.text(9, s)
		}
		kind = 8
	default:
		panic(fmt.Sprintf("onnx: attribute %s of type %T", a.name, a.of))
	}
	m.number(20, kind)
	return m
}

func (g *graph) constant(kind int64, dims []int, raw []byte, words []string) value {
	key := fmt.Sprint(kind, dims, words) + string(raw)
	if v, ok := g.cached[key]; ok && len(raw) < 1<<10 {
		return v
	}
	name := g.name()
	g.constants = append(g.constants, tensor(string(name), kind, dims, raw, words))
	if len(raw) < 1<<10 {
		g.cached[key] = name
	}
	return name
}

// scalar is a constant number.
func (g *graph) scalar(v float64) value {
	return g.constant(typeDouble, nil, doubles([]float64{v}), nil)
}

// row is a constant 1 x len(values).
func (g *graph) row(values []float64) value {
	return g.constant(typeDouble, []int{1, len(values)}, doubles(values), nil)
}

// matrix is a constant.
func (g *graph) matrix(a mat.Matrix) value {
	r, c := a.Dims()
	return g.constant(typeDouble, []int{r, c}, doubles(mat.DenseCopyOf(a).RawMatrix().Data), nil)
}

// numbers is a constant list of integers.
func (g *graph) numbers(values ...int) value {
	return g.constant(typeInt64, []int{len(values)}, integers(values), nil)
}

// words is a constant list of texts.
func (g *graph) words(list []string) value {
	return g.constant(typeString, []int{len(list)}, nil, list)
}

// Operations with numpy's broadcasting.
func (g *graph) add(a, b value) value           { return g.op("Add", []value{a, b}) }
func (g *graph) sub(a, b value) value           { return g.op("Sub", []value{a, b}) }
func (g *graph) mul(a, b value) value           { return g.op("Mul", []value{a, b}) }
func (g *graph) div(a, b value) value           { return g.op("Div", []value{a, b}) }
func (g *graph) least(a, b value) value         { return g.op("Min", []value{a, b}) }
func (g *graph) most(a, b value) value          { return g.op("Max", []value{a, b}) }
func (g *graph) matmul(a, b value) value        { return g.op("MatMul", []value{a, b}) }
func (g *graph) exp(a value) value              { return g.op("Exp", []value{a}) }
func (g *graph) sqrt(a value) value             { return g.op("Sqrt", []value{a}) }
func (g *graph) times(a value, v float64) value { return g.mul(a, g.scalar(v)) }
func (g *graph) where(c, a, b value) value      { return g.op("Where", []value{c, a, b}) }

// double makes 0 and 1 of what is not or is.
func (g *graph) double(a value) value {
	return g.op("Cast", []value{a}, attribute{"to", typeDouble})
}

// sum adds up along an axis, which stays with the length 1.
func (g *graph) sum(a value, axis int) value {
	return g.op("ReduceSum", []value{a, g.numbers(axis)}, attribute{"keepdims", 1})
}

// reduce is ReduceMin or ReduceMax along an axis, which stays with the length 1.
func (g *graph) reduce(kind string, a value, axis int) value {
	return g.op(kind, []value{a}, attribute{"axes", []int{axis}}, attribute{"keepdims", 1})
}

// squares are the sums of squares of the rows, N x 1.
func (g *graph) squares(a value) value { return g.sum(g.mul(a, a), 1) }

// columns are some of the columns of a, nil: all.
func (g *graph) columns(a value, idx []int) value {
	if idx == nil {
		return a
	}
	return g.op("Gather", []value{a, g.numbers(idx...)}, attribute{"axis", 1})
}

// beside joins columns.
func (g *graph) beside(list ...value) value {
	if len(list) == 1 {
		return list[0]
	}
	return g.op("Concat", slices.Clone(list), attribute{"axis", 1})
}

// deeper is a with a further axis of length 1.
func (g *graph) deeper(a value, axis int) value {
	return g.op("Unsqueeze", []value{a, g.numbers(axis)})
}

// input declares an input, output an output that a is.
func (g *graph) input(name string, kind int64, columns int) value {
	g.inputs = append(g.inputs, valueInfo(name, kind, columns))
	return value(name)
}

func (g *graph) output(name string, kind int64, columns int, a value) {
	g.node("Identity", "", []value{a}, []value{value(name)})
	g.outputs = append(g.outputs, valueInfo(name, kind, columns))
}

// Versions: of the format, of the standard operators and of those for machine learning.
const (
	irVersion   = 8
	opsVersion  = 17
	mlVersion   = 3
	mlOperators = "ai.onnx.ml"
)

// model is the ModelProto with what the metadata say.
func (g *graph) model(about [][2]string) message {
	var gm, m message
	for _, n := range g.nodes {
		gm.bytes(1, n)
	}
	gm.text(2, "mercer")
	for _, c := range g.constants {
		gm.bytes(5, c)
	}
	for _, v := range g.inputs {
		gm.bytes(11, v)
	}
	for _, v := range g.outputs {
		gm.bytes(12, v)
	}
	m.number(1, irVersion)
	m.text(2, "mercer")
	m.bytes(7, gm)
	for _, o := range []struct {
		domain  string
		version int64
	}{{"", opsVersion}, {mlOperators, mlVersion}} {
		var set message
		set.text(1, o.domain)
		set.number(2, o.version)
		m.bytes(8, set)
	}
	for _, a := range about {
		var pair message
		pair.text(1, a[0])
		pair.text(2, a[1])
		m.bytes(14, pair)
	}
	return m
}
