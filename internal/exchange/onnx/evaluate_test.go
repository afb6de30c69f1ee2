package onnx

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// Tensor is one of a graph that is computed: numbers, of which what is true is 1, or words.
type Tensor struct {
	Dims    []int
	Numbers []float64
	Words   []string
}

// sized is a tensor of zeros.
func sized(dims ...int) Tensor {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return Tensor{Dims: dims, Numbers: make([]float64, n)}
}

// graphFields calls each for the fields of the graph in a file: nodes (1), constants (5), outputs (12) and others.
func graphFields(file []byte, each func(field) error) error {
	return fields(file, func(f field) error {
		if f.number != 7 {
			return nil
		}
		return fields(f.bytes, each)
	})
}

// Evaluate computes the outputs of the graph in a file, all numbers in double precision, by the definitions of its operators.
func Evaluate(file []byte, inputs map[string]Tensor) (outputs map[string]Tensor, err error) {
	of := map[string]Tensor{}
	for name, v := range inputs {
		of[name] = v
	}
	var nodes []*node
	outputs = map[string]Tensor{}
	err = graphFields(file, func(f field) error {
		switch f.number {
		case 1:
			n := &node{list: map[string]list{}}
			nodes = append(nodes, n)
			return fields(f.bytes, n.set)
		case 5:
			name, v, err := stored(f.bytes)
			of[name] = v
			return err
		case 12:
			return fields(f.bytes, func(f field) error {
				if f.number == 1 {
					outputs[string(f.bytes)] = Tensor{}
				}
				return nil
			})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, n := range nodes {
		var in []Tensor
		for _, name := range n.in {
			v, ok := of[name]
			if !ok {
				return nil, fmt.Errorf("%s needs %s, which is not there yet", n.kind, name)
			}
			in = append(in, v)
		}
		for i, v := range n.compute(in) {
			of[n.out[i]] = v
		}
	}
	for name := range outputs {
		outputs[name] = of[name]
	}
	return outputs, nil
}

// stored is a constant.
func stored(b []byte) (name string, v Tensor, err error) {
	kind := uint64(0)
	var raw []byte
	v.Dims = []int{}
	err = fields(b, func(f field) error {
		switch f.number {
		case 1:
			v.Dims = append(v.Dims, int(f.value))
		case 2:
			kind = f.value
		case 6:
			v.Words = append(v.Words, string(f.bytes))
		case 8:
			name = string(f.bytes)
		case 9:
			raw = f.bytes
		}
		return nil
	})
	for ; len(raw) > 0; raw = raw[8:] {
		bits := binary.LittleEndian.Uint64(raw)
		if kind == typeInt64 {
			v.Numbers = append(v.Numbers, float64(int64(bits)))
		} else {
			v.Numbers = append(v.Numbers, math.Float64frombits(bits))
		}
	}
	return name, v, err
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// compute are the outputs of a node.
func (n *node) compute(in []Tensor) []Tensor {
	one := map[string]func(float64) float64{
		"Abs": math.Abs, "Exp": math.Exp, "Floor": math.Floor, "Log": math.Log, "Sin": math.Sin, "Sqrt": math.Sqrt, "Tanh": math.Tanh,
		"Neg": func(v float64) float64 { return -v }, "Not": func(v float64) float64 { return 1 - v },
		"Sigmoid": func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }, "Cast": func(v float64) float64 { return v },
	}
	two := map[string]func(a, b float64) float64{
		"Add": func(a, b float64) float64 { return a + b }, "Sub": func(a, b float64) float64 { return a - b },
		"Mul": func(a, b float64) float64 { return a * b }, "Div": func(a, b float64) float64 { return a / b },
		"Min": math.Min, "Max": math.Max, "Pow": math.Pow, "Equal": func(a, b float64) float64 { return truth(a == b) },
		"Greater": func(a, b float64) float64 { return truth(a > b) }, "Less": func(a, b float64) float64 { return truth(a < b) },
	}
	reduced := map[string]func(list []float64) float64{
		"ReduceMin": slices.Min[[]float64], "ReduceMax": slices.Max[[]float64], "ReduceSum": total,
		"ArgMax": func(list []float64) float64 { return float64(slices.Index(list, slices.Max(list))) },
	}
	if f := one[n.kind]; f != nil {
		out := sized(in[0].Dims...)
		for i, v := range in[0].Numbers {
			out.Numbers[i] = f(v)
		}
		return []Tensor{out}
	}
	if f := two[n.kind]; f != nil {
		return []Tensor{broadcast(func(v []float64) float64 { return f(v[0], v[1]) }, in...)}
	}
	if f := reduced[n.kind]; f != nil {
		axes := n.list["axes"].integers
		for _, v := range in[1:] {
			axes = append(axes, int64(v.Numbers[0]))
		}
		return []Tensor{reduce(f, in[0], int(append(axes, n.list["axis"].integers...)[0]), n.list["keepdims"].integers[0] == 1)}
	}
	axis := 0
	if a := n.list["axis"].integers; len(a) > 0 {
		axis = int(a[0])
	}
	switch n.kind {
	case "Identity":
		return in[:1]
	case "Where":
		return []Tensor{broadcast(func(v []float64) float64 {
			if v[0] != 0 {
				return v[1]
			}
			return v[2]
		}, in...)}
	case "MatMul":
		return []Tensor{product(in[0], in[1])}
	case "Gather":
		return []Tensor{gathered(in[0], in[1], axis)}
	case "Concat":
		return []Tensor{joined(in, axis)}
	case "Unsqueeze":
		return []Tensor{{Dims: slices.Insert(slices.Clone(in[0].Dims), int(in[1].Numbers[0]), 1), Numbers: in[0].Numbers}}
	case "Reshape":
		return []Tensor{reshaped(in[0], in[1].Numbers)}
	case "Transpose":
		return []Tensor{transposed(in[0], n.list["perm"].integers)}
	case "Softmax":
		e := broadcast(func(v []float64) float64 { return math.Exp(v[0] - v[1]) }, in[0], reduce(slices.Max[[]float64], in[0], axis, true))
		return []Tensor{broadcast(func(v []float64) float64 { return v[0] / v[1] }, e, reduce(total, e, axis, true))}
	case "TopK":
		return []Tensor{largestOf(in[0], int(in[1].Numbers[0]))}
	case "LabelEncoder":
		out := sized(in[0].Dims...)
		for i, w := range in[0].Words {
			out.Numbers[i] = float64(n.list["default_int64"].integers[0])
			if k := slices.Index(n.list["keys_strings"].words, w); k >= 0 {
				out.Numbers[i] = float64(n.list["values_int64s"].integers[k])
			}
		}
		return []Tensor{out}
	}
	panic("no operator " + n.kind)
}

func total(list []float64) (s float64) {
	for _, v := range list {
		s += v
	}
	return s
}

// broadcast is f of tensors of which axes of length 1, or that are not there, are as long as those of the others.
func broadcast(f func([]float64) float64, in ...Tensor) Tensor {
	var dims []int
	for _, t := range in {
		for len(dims) < len(t.Dims) {
			dims = slices.Insert(dims, 0, 1)
		}
		for i, d := range t.Dims {
			at := len(dims) - len(t.Dims) + i
			if d != 1 && dims[at] != 1 && d != dims[at] {
				panic(fmt.Sprint("shapes ", t.Dims, " and ", dims))
			}
			dims[at] = max(dims[at], d)
		}
	}
	out, values := sized(dims...), make([]float64, len(in))
	for i := range out.Numbers {
		for k, t := range in {
			at, step, rest := 0, 1, i
			for q := len(dims) - 1; q >= 0; q-- {
				if own := q - len(dims) + len(t.Dims); own >= 0 && t.Dims[own] != 1 {
					at += rest % dims[q] * step
					step *= t.Dims[own]
				}
				rest /= dims[q]
			}
			values[k] = t.Numbers[at]
		}
		out.Numbers[i] = f(values)
	}
	return out
}

// around are the lengths before an axis, of it, and behind it.
func around(t Tensor, axis int) (before, length, behind int) {
	before, behind = 1, 1
	for q, d := range t.Dims {
		if q < axis {
			before *= d
		} else if q > axis {
			behind *= d
		}
	}
	return before, t.Dims[axis], behind
}

// reduce makes one number of those along an axis.
func reduce(f func([]float64) float64, t Tensor, axis int, keep bool) Tensor {
	before, length, behind := around(t, axis)
	out, list := Tensor{Dims: slices.Delete(slices.Clone(t.Dims), axis, axis+1)}, make([]float64, length)
	if keep {
		out.Dims = slices.Insert(out.Dims, axis, 1)
	}
	for a := range before {
		for b := range behind {
			for i := range list {
				list[i] = t.Numbers[(a*length+i)*behind+b]
			}
			out.Numbers = append(out.Numbers, f(list))
		}
	}
	return out
}

func product(a, b Tensor) Tensor {
	out := sized(a.Dims[0], b.Dims[1])
	if len(a.Dims) != 2 || len(b.Dims) != 2 || a.Dims[1] != b.Dims[0] {
		panic(fmt.Sprint("a product of ", a.Dims, " and ", b.Dims))
	}
	for i := range a.Dims[0] {
		for j := range b.Dims[1] {
			for k := range b.Dims[0] {
				out.Numbers[i*b.Dims[1]+j] += a.Numbers[i*a.Dims[1]+k] * b.Numbers[k*b.Dims[1]+j]
			}
		}
	}
	return out
}

func gathered(t, idx Tensor, axis int) Tensor {
	before, length, behind := around(t, axis)
	out := Tensor{Dims: slices.Concat(t.Dims[:axis], idx.Dims, t.Dims[axis+1:])}
	for a := range before {
		for _, i := range idx.Numbers {
			at := (a*length + int(i)) * behind
			if t.Words != nil {
				out.Words = append(out.Words, t.Words[at:at+behind]...)
			} else {
				out.Numbers = append(out.Numbers, t.Numbers[at:at+behind]...)
			}
		}
	}
	return out
}

func joined(in []Tensor, axis int) Tensor {
	out := Tensor{Dims: slices.Clone(in[0].Dims)}
	before, _, _ := around(in[0], axis)
	for a := range before {
		for _, t := range in {
			_, length, behind := around(t, axis)
			out.Numbers = append(out.Numbers, t.Numbers[a*length*behind:(a+1)*length*behind]...)
		}
	}
	out.Dims[axis] = 0
	for _, t := range in {
		out.Dims[axis] += t.Dims[axis]
	}
	return out
}

func reshaped(t Tensor, to []float64) Tensor {
	out, rest := Tensor{Numbers: t.Numbers, Words: t.Words}, len(t.Numbers)+len(t.Words)
	for _, d := range to {
		if d > 0 {
			rest /= int(d)
		}
	}
	for _, d := range to {
		if d < 0 {
			d = float64(rest)
		}
		out.Dims = append(out.Dims, int(d))
	}
	return out
}

// transposed exchanges the last two of three axes, and no others.
func transposed(t Tensor, perm []int64) Tensor {
	if !slices.Equal(perm, []int64{0, 2, 1}) {
		panic(fmt.Sprint("axes ", perm))
	}
	out := sized(t.Dims[0], t.Dims[2], t.Dims[1])
	for a := range t.Dims[0] {
		for i := range t.Dims[1] {
			for j := range t.Dims[2] {
				out.Numbers[(a*t.Dims[2]+j)*t.Dims[1]+i] = t.Numbers[(a*t.Dims[1]+i)*t.Dims[2]+j]
			}
		}
	}
	return out
}

// largestOf are the largest numbers of each row, in order.
func largestOf(t Tensor, k int) Tensor {
	out := Tensor{Dims: []int{t.Dims[0], k}}
	for i := range t.Dims[0] {
		row := slices.Clone(t.Numbers[i*t.Dims[1] : (i+1)*t.Dims[1]])
		slices.Sort(row)
		slices.Reverse(row)
		out.Numbers = append(out.Numbers, row[:k]...)
	}
	return out
}
