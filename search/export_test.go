package search

import (
	"encoding/json"
	"io"
)

// What the tests see.
var (
	ErrNoGradient = errNoGradient
	ErrTime       = errTime
)

// ReadTrace reads a trace from its first line on.
func ReadTrace(r io.Reader) ([]Record, error) { return readTrace(r, 1) }

// WriteRecord appends one line to a trace.
func WriteRecord(w io.Writer, r Record) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}
