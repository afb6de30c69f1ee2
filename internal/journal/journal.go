// Package journal keeps what a run has computed in a file that outlives it: a first line that says what it is of,
//
//	{"mercer_trace":2,"data":"sha256:...","recipe":{...}}
//
// then one result a line, each written with one call as soon as it is known. A run that was interrupted goes on where it stopped,
// because the same run asks for the same results again. A last line without its newline is what a killed program leaves; it is
// cut off.
package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// version is the number of the format: since 2 lambda is that of the averaged objective.
const version = 2

// Header says what the results of a journal depend on.
type Header struct {
	Version int             `json:"mercer_trace"` // filled in by Open
	Data    string          `json:"data"`         // check sum of rows and visible answers
	Recipe  json.RawMessage `json:"recipe"`       // what is asked for, but limits
	// Program is the version of the program where results are numbered by its plan, which another version may change.
	Program string `json:"program,omitempty"`
}

// Error is a fault of a journal. Line counts from 1; 0: the whole.
type Error struct {
	Line int
	What string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return "trace: " + e.What
	}
	return fmt.Sprintf("trace line %d: %s", e.Line, e.What)
}

// File is the file of one run. Its methods are for one goroutine.
type File struct {
	path   string
	header Header
	whole  int64 // bytes up to the end of the last whole line
	file   *os.File
	err    error
}

// FirstLine is the number of the line of the first result.
const FirstLine = 2

// Open reads the journal at path, if there is one; it is made when the first result is kept. lines are the results that it has, each
// with its newline. A file that is no journal, or one of other data or another recipe, is an *Error and stays as it is.
func Open(path string, h Header) (f *File, lines []byte, err error) {
	h.Version = version
	f = &File{path: path, header: h}
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return f, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, &Error{What: "is no regular file"}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	first, err := f.line()
	if err != nil {
		return nil, nil, err
	}
	end := bytes.LastIndexByte(text, '\n') + 1
	if end == 0 {
		if !bytes.HasPrefix(first, text) { // an empty file, or a header cut short, is begun anew
			return nil, nil, &Error{What: "is not a trace of this program"}
		}
		return f, nil, nil
	}
	head, results, _ := bytes.Cut(text[:end], []byte{'\n'})
	if err := h.check(head); err != nil {
		return nil, nil, err
	}
	f.whole = int64(end)
	return f, results, nil
}

// check compares the first line of a file with what the run is of.
func (h Header) check(line []byte) error {
	var old Header
	if json.Unmarshal(line, &old) != nil || old.Version == 0 {
		return &Error{What: "is not a trace of this program"}
	}
	var a, b bytes.Buffer
	switch {
	case old.Version != h.Version:
		return &Error{Line: 1, What: fmt.Sprintf("has version %d, this program writes %d", old.Version, h.Version)}
	case old.Data != h.Data:
		return &Error{Line: 1, What: "is of other data"}
	case json.Compact(&a, old.Recipe) != nil || json.Compact(&b, h.Recipe) != nil || !bytes.Equal(a.Bytes(), b.Bytes()):
		return &Error{Line: 1, What: fmt.Sprintf("is of another recipe, %s; here %s", old.Recipe, h.Recipe)}
	case old.Program != h.Program:
		return &Error{Line: 1, What: fmt.Sprintf("was written by version %q of the program, and this is %q", old.Program, h.Program)}
	}
	return nil
}

// line is the header as a line of the file.
func (f *File) line() ([]byte, error) {
	b, err := json.Marshal(f.header)
	return append(b, '\n'), err
}

// Err is the error that ended the run because a result could not be written.
func (f *File) Err() error { return f.err }

// Keep appends a result, which is JSON without a newline.
func (f *File) Keep(result []byte) error {
	if f.err == nil {
		f.err = f.append(result)
	}
	return f.err
}

func (f *File) append(result []byte) error {
	if f.file == nil {
		if err := f.begin(); err != nil {
			return err
		}
	}
	_, err := f.file.Write(append(result, '\n'))
	return err
}

// begin opens the file for results, cuts off what is no whole line, and writes the header of a new one.
func (f *File) begin() (err error) {
	if f.file, err = os.OpenFile(f.path, os.O_RDWR|os.O_CREATE,
		0o644); err != nil { //nolint:gosec // a result like others, for everyone to read
		return err
	}
	if err = f.file.Truncate(f.whole); err != nil {
		return err
	}
	if _, err = f.file.Seek(0, io.SeekEnd); err != nil || f.whole > 0 {
		return err
	}
	first, err := f.line()
	if err == nil {
		_, err = f.file.Write(first)
	}
	return err
}

// Close makes sure that what was kept is on the disk.
func (f *File) Close() error {
	if f.file == nil {
		return nil
	}
	err := errors.Join(f.file.Sync(), f.file.Close())
	f.file = nil
	return err
}
