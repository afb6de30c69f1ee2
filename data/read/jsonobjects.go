package read

import (
	"bufio"
	"errors"
	"io"
)

// objectLines reads a text of JSON objects and writes each on a line of its own, as JSON lines are. The brackets and commas of a list
// go. An object of several lines is written on the first of them with blank lines behind it, so that faults name the lines of the file;
// of objects that share a line each counts as a line. Text that is no list of objects is handed on as it is, for the reader of lines to
// refuse. The text is read once, in pieces.
type objectLines struct {
	in   *bufio.Reader
	file string
	err  error
	out  []byte // written and not yet read
	line int    // that is being read, from 1

	list    inList
	depth   int  // braces and brackets of the object that are open; 0: between objects
	quoted  bool // within a string
	escaped bool // after a backslash of a string
	split   int  // line ends within the object, which are written behind it
	shared  bool // an object has ended on this line, and no line end was written since
}

// inList says where a reader of objects is in the list that holds them.
type inList int

const (
	atStart     inList = iota // before the first object
	noList                    // objects one after another
	beforeFirst               // after the bracket
	beforeNext                // after a comma
	afterObject
	afterList
)

func newObjectLines(in *bufio.Reader, file string) *bufio.Reader {
	return bufio.NewReaderSize(&objectLines{in: in, file: file, line: 1}, in.Size())
}

// Read implements io.Reader.
func (o *objectLines) Read(p []byte) (int, error) {
	for len(o.out) == 0 && o.err == nil {
		o.out = o.out[:0]
		o.fill()
	}
	if len(o.out) == 0 {
		return 0, o.err
	}
	n := copy(p, o.out)
	o.out = o.out[n:]
	return n, nil
}

// fill writes what the input has at hand.
func (o *objectLines) fill() {
	_, err := o.in.Peek(1)
	text, _ := o.in.Peek(o.in.Buffered())
	for _, c := range text {
		if o.err = o.take(c); o.err != nil {
			return
		}
	}
	_, _ = o.in.Discard(len(text)) // it has them
	if err == nil {
		return
	}
	o.err = err
	if errors.Is(err, io.EOF) && o.depth == 0 && (o.list == beforeFirst || o.list == beforeNext || o.list == afterObject) {
		o.err = o.fault("a list of JSON that is not closed: the file is cut off")
	}
}

// take writes a byte.
func (o *objectLines) take(c byte) error {
	if c == '\n' {
		o.line++
	}
	switch {
	case o.depth > 0:
		o.inside(c)
		return nil
	case c == '\n':
		o.shared = false
		o.out = append(o.out, c)
		return nil
	case c == ' ' || c == '\t' || c == '\r':
		return nil
	}
	return o.between(c)
}

// inside writes a byte of an object.
func (o *objectLines) inside(c byte) {
	switch {
	case o.escaped:
		o.escaped = false
	case o.quoted:
		o.escaped, o.quoted = c == '\\', c != '"'
	case c == '"':
		o.quoted = true
	case c == '{' || c == '[':
		o.depth++
	case c == '}' || c == ']':
		o.depth--
	case c == '\n':
		o.split++
		c = ' '
	}
	if o.out = append(o.out, c); o.depth > 0 {
		return
	}
	o.shared = o.split == 0
	for ; o.split > 0; o.split-- {
		o.out = append(o.out, '\n')
	}
}

// between takes a byte that is no blank, and stands between objects.
func (o *objectLines) between(c byte) error {
	switch {
	case c == '[' && o.list == atStart:
		o.list = beforeFirst
		return nil
	case c == ']' && (o.list == beforeFirst || o.list == afterObject):
		o.list = afterList
		return nil
	case c == ',' && o.list == afterObject:
		o.list = beforeNext
		return nil
	case c == '{' && o.list != afterObject && o.list != afterList:
		if o.list == beforeFirst || o.list == beforeNext {
			o.list = afterObject
		} else {
			o.list = noList
		}
		if o.shared {
			o.out = append(o.out, '\n')
		}
		o.depth, o.shared = 1, false
		o.out = append(o.out, c)
		return nil
	}
	switch o.list {
	case beforeFirst, beforeNext:
		return o.fault("a list of JSON with something other than objects")
	case afterObject:
		return o.fault("a list of JSON without a comma between two objects")
	case afterList:
		return o.fault("text behind the list of JSON")
	}
	o.out = append(o.out, c)
	return nil
}

func (o *objectLines) fault(what string) error {
	return &Error{File: o.file, Line: o.line, What: what, Remedy: "give flat objects, one a line or in a list: [{...}, {...}]"}
}
