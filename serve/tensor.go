package serve

import (
	"bytes"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/decimal"
)

// request is what a client asks of a model, an inference request of the Open Inference Protocol.
type request struct {
	id      string
	hasID   bool
	input   *tensor
	outputs []string // names; nil: all
}

// tensor is the one input of a model: its cells are numbers, or texts where the data type is BYTES.
type tensor struct {
	name, datatype string
	shape          []float64
	numbers        []float64
	texts          []string
	isText         bool
	width          int // of the rows of nested data, 0: the data are flat
	truth          int // the first value, from 1, that is true or false; 0: none
}

// inputName is that of the one input of every model.
const inputName = "x"

// Data types of inputs, and the largest whole number that no other one is rounded to.
const (
	typeBytes  = "BYTES"
	typeDouble = "FP64"
	typeBool   = "BOOL"
	exact      = 1<<53 - 1
)

// whole are the ranges of data types of whole numbers, as far as they are exact.
var whole = map[string][2]float64{
	"INT8": {-1 << 7, 1<<7 - 1}, "INT16": {-1 << 15, 1<<15 - 1}, "INT32": {-1 << 31, 1<<31 - 1}, "INT64": {-exact, exact},
	"UINT8": {0, 1<<8 - 1}, "UINT16": {0, 1<<16 - 1}, "UINT32": {0, 1<<32 - 1}, "UINT64": {0, exact},
}

// parseRequest reads an inference request. Values of numbers that are null are NaN, which means missing. Errors say what is
// wrong with the text.
func parseRequest(text []byte) (*request, error) {
	s := &scanner{text: text}
	var r request
	inputs := 0
	s.object(func(name string) {
		switch name {
		case "id":
			r.id, r.hasID = s.string(), true
		case "inputs":
			s.array(func() {
				if inputs++; inputs > 1 {
					s.fail("more than one input; a model has one, named %q", inputName)
					return
				}
				r.input = s.tensor()
			})
		case "outputs":
			r.outputs = []string{}
			s.array(func() {
				s.object(func(name string) {
					if name != "name" {
						s.skip()
						return
					}
					r.outputs = append(r.outputs, s.string())
				})
			})
		default:
			s.skip()
		}
	})
	s.end()
	if s.err != nil {
		return nil, s.err
	}
	if r.input == nil {
		return nil, fmt.Errorf(`no input; write {"inputs": [{"name": %q, "shape": [1, 2], "datatype": "FP64", "data": [0.5, 1]}]}`, inputName)
	}
	return &r, nil
}

// tensor reads an input.
func (s *scanner) tensor() *tensor {
	t := new(tensor)
	has := map[string]bool{}
	s.object(func(name string) {
		if has[name] {
			s.fail("an input has %q twice", name)
			return
		}
		has[name] = true
		switch name {
		case "name":
			t.name = s.string()
		case "datatype":
			t.datatype = s.string()
		case "shape":
			s.array(func() {
				if len(t.shape) == 2 {
					s.fail("the shape has more than two sizes; write [rows, columns]")
					return
				}
				t.shape = append(t.shape, s.number())
			})
		case "data":
			s.data(t)
		default:
			s.skip()
		}
	})
	for _, name := range []string{"name", "shape", "datatype", "data"} {
		if s.err == nil && !has[name] {
			s.fail("the input has no %q", name)
		}
	}
	return t
}

// data reads numbers or texts, in one list or in one a row.
func (s *scanner) data(t *tensor) {
	s.need('[')
	if len(t.shape) == 2 && s.next() != '"' {
		most := float64(len(s.text)-s.at)/2 + 1 // a digit and a comma each
		t.numbers = make([]float64, 0, int(max(0, min(most, t.shape[0]*t.shape[1]))))
	}
	nested := s.next() == '['
	rows := 0
	cells := func() { s.cell(t) }
	s.list(']', func() {
		if !nested {
			cells()
			s.numbers(t)
			return
		}
		before := t.cells()
		s.array(func() {
			cells()
			s.numbers(t)
		})
		width := t.cells() - before
		if rows++; rows == 1 {
			t.width = width
		}
		if width != t.width || width == 0 {
			s.fail("row %d of the data has %d values, the first row has %d", rows, width, t.width)
		}
	})
}

// numbers reads the numbers that follow the first one of a list, as long as nothing but a comma stands between them: the way of
// nearly all values.
func (s *scanner) numbers(t *tensor) {
	if t.isText {
		return
	}
	text, at, out := s.text, s.at, t.numbers
	for at+2 < len(text) && text[at] == ',' {
		next := at + 1
		if text[next] == ' ' {
			next++
		}
		digit := text[next] - '0'
		if digit <= 9 && next+1 < len(text) && (text[next+1] == ',' || text[next+1] == ']') { // as many pixels and counts are
			out = append(out, float64(digit))
			at = next + 1
			continue
		}
		if digit > 9 && text[next] != '-' {
			break
		}
		v, n := decimal.Parse(text[next:])
		if n == 0 {
			break
		}
		out = append(out, v)
		at = next + n
	}
	s.at, t.numbers = at, out
}

// cells counts the values so far.
func (t *tensor) cells() int { return len(t.numbers) + len(t.texts) }

// cell reads one value.
func (s *scanner) cell(t *tensor) {
	c := s.next()
	if t.cells() == 0 && c == '"' {
		t.isText = true
		t.texts = make([]string, 0, bytes.Count(s.text[s.at:], []byte{'"'})/2) // no copy as they grow
	}
	switch {
	case c == 'n' && s.word("null"):
		// What is missing takes the form of the values before it.
		if t.isText {
			t.texts = append(t.texts, "")
		} else {
			t.numbers = append(t.numbers, math.NaN())
		}
	case c == '"' && !t.isText && !t.spelled(), t.isText && c != '"':
		s.fail("the data mix numbers and text; give one of them")
	case t.isText:
		t.texts = append(t.texts, s.string())
	case c == 't' && s.word("true"):
		t.isTrue(1)
	case c == 'f' && s.word("false"):
		t.isTrue(0)
	default:
		t.numbers = append(t.numbers, s.number())
	}
}

// isTrue appends a truth, as 1 or 0.
func (t *tensor) isTrue(v float64) {
	t.numbers = append(t.numbers, v)
	if t.truth == 0 {
		t.truth = len(t.numbers)
	}
}

// spelled turns nulls, where there is nothing else so far, into empty texts; it says whether it did.
func (t *tensor) spelled() bool {
	for _, v := range t.numbers {
		if !math.IsNaN(v) {
			return false
		}
	}
	t.texts, t.numbers, t.isText = make([]string, len(t.numbers)), nil, true
	return true
}

// rows checks the tensor and returns the number of its rows, of so many columns.
func (t *tensor) rows(columns int) (int, error) {
	switch {
	case t.name != inputName:
		return 0, fmt.Errorf("input %q; the input of every model is named %q", t.name, inputName)
	case len(t.shape) != 2:
		return 0, fmt.Errorf("a shape of %d sizes; it is [rows, columns], here [n, %d]", len(t.shape), columns)
	}
	n, d := t.shape[0], t.shape[1]
	if n != math.Trunc(n) || d != math.Trunc(d) || n < 1 || n > math.MaxInt32 {
		return 0, fmt.Errorf("shape [%g, %g]; it is [rows, columns], with one row at least", n, d)
	}
	switch {
	case d != float64(columns):
		return 0, fmt.Errorf("shape [%g, %g]: %g columns, the model has %d", n, d, d, columns)
	case n*d != float64(t.cells()):
		return 0, fmt.Errorf("shape [%g, %g] with %d values", n, d, t.cells())
	case t.width > 0 && float64(t.width) != d:
		return 0, fmt.Errorf("shape [%g, %g] with rows of %d values", n, d, t.width)
	case t.isText && t.datatype != typeBytes:
		return 0, fmt.Errorf("datatype %q with data that are text", t.datatype)
	case t.datatype == typeBytes && !t.isText && !t.spelled():
		return 0, fmt.Errorf("datatype BYTES with data that are numbers; write them as text, or give FP64")
	}
	return int(n), nil
}

// convert checks that the numbers are what the data type says, and rounds them to it.
func (t *tensor) convert(columns int) error {
	bounds, isWhole := whole[t.datatype]
	if t.datatype == typeBool {
		bounds, isWhole = [2]float64{0, 1}, true
	} else if i := t.truth - 1; i >= 0 {
		return fmt.Errorf("row %d, column %d: true or false, with datatype %q; give 1 or 0, or BOOL", i/columns+1, i%columns+1, t.datatype)
	}
	at := func(i int, what string) error {
		return fmt.Errorf("row %d, column %d: %g %s", i/columns+1, i%columns+1, t.numbers[i], what)
	}
	switch {
	case t.datatype == typeDouble:
	case t.datatype == "FP32":
		for i, v := range t.numbers {
			f := float64(float32(v))
			if math.IsInf(f, 0) {
				return at(i, "is beyond what FP32 holds")
			}
			t.numbers[i] = f
		}
	case isWhole:
		for i, v := range t.numbers {
			if v < bounds[0] || v > bounds[1] {
				return at(i, fmt.Sprintf("is outside the whole numbers of %s that are exact, %.0f to %.0f", t.datatype, bounds[0],
					bounds[1]))
			}
			if v != math.Trunc(v) && !math.IsNaN(v) {
				return at(i, "is no whole number, as "+t.datatype+" has")
			}
		}
	default:
		return fmt.Errorf("datatype %q; give FP64, FP32, BOOL, INT8 to INT64, UINT8 to UINT64, or BYTES", t.datatype)
	}
	return nil
}
