package search

// A journal is a trace in a file that outlives its run: a first line that says what
// the scores are of,
//
//	{"mercer_trace":1,"data":"sha256:...","recipe":{...}}
//
// then one record a line, each written with one call as soon as it is known. A run
// that was interrupted goes on where it stopped: searches are deterministic and numbers
// are written exactly, so the run that replays a journal proposes the same points, is
// answered from the file as far as that goes, and ends as if nothing had happened.
// A last line without its newline is what a killed program leaves; it is cut off.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// journalVersion is the number of the format: since 2 lambda is that of the averaged objective.
const journalVersion = 2

// Header says what the scores of a journal depend on.
type Header struct {
	Version int             `json:"mercer_trace"` // filled in by OpenJournal
	Data    string          `json:"data"`         // check sum of rows and visible answers
	Recipe  json.RawMessage `json:"recipe"`       // what is asked for, but limits
}

// Journal is the file of one run. Its methods are for one goroutine.
type Journal struct {
	path   string
	header Header
	known  []Record
	whole  int64 // bytes up to the end of the last whole line
	file   *os.File
	used   bool
	err    error
}

// TraceError is a fault of a trace. Line counts from 1; 0: the whole.
type TraceError struct {
	Line int
	What string
}

func (e *TraceError) Error() string {
	if e.Line == 0 {
		return "trace: " + e.What
	}
	return fmt.Sprintf("trace line %d: %s", e.Line, e.What)
}

// OpenJournal reads the journal at path, if there is one; it is made when the first
// evaluation is kept. A file that is no journal, or one of other data or another
// recipe, is a *TraceError and stays as it is.
func OpenJournal(path string, h Header) (*Journal, error) {
	h.Version = journalVersion
	j := &Journal{path: path, header: h}
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return j, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &TraceError{What: "is no regular file"}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	first, err := j.line()
	if err != nil {
		return nil, err
	}
	end := bytes.LastIndexByte(text, '\n') + 1
	if end == 0 {
		if !bytes.HasPrefix(first, text) { // an empty file, or a header cut short, is begun anew
			return nil, &TraceError{What: "is not a trace of this program"}
		}
		return j, nil
	}
	head, records, _ := bytes.Cut(text[:end], []byte{'\n'})
	if err := h.check(head); err != nil {
		return nil, err
	}
	j.whole = int64(end)
	if j.known, err = readTrace(bytes.NewReader(records), 2); err != nil {
		return nil, err
	}
	return j, nil
}

// check compares the first line of a file with what the run is of.
func (h Header) check(line []byte) error {
	var old Header
	if json.Unmarshal(line, &old) != nil || old.Version == 0 {
		return &TraceError{What: "is not a trace of this program"}
	}
	var a, b bytes.Buffer
	switch {
	case old.Version != h.Version:
		return &TraceError{Line: 1, What: fmt.Sprintf("has version %d, this program writes %d", old.Version, h.Version)}
	case old.Data != h.Data:
		return &TraceError{Line: 1, What: "is of other data"}
	case json.Compact(&a, old.Recipe) != nil || json.Compact(&b, h.Recipe) != nil || !bytes.Equal(a.Bytes(), b.Bytes()):
		return &TraceError{Line: 1, What: fmt.Sprintf("is of another recipe, %s; here %s", old.Recipe, h.Recipe)}
	}
	return nil
}

// line is the header as a line of the file.
func (j *Journal) line() ([]byte, error) {
	b, err := json.Marshal(j.header)
	return append(b, '\n'), err
}

// Known is the number of evaluations that the file had.
func (j *Journal) Known() int { return len(j.known) }

// Err is the error that ended the run because an evaluation could not be written.
func (j *Journal) Err() error { return j.err }

// keep appends an evaluation.
func (j *Journal) keep(r Record) error {
	if j.err == nil {
		j.err = j.append(r)
	}
	return j.err
}

func (j *Journal) append(r Record) error {
	if j.file == nil {
		if err := j.begin(); err != nil {
			return err
		}
	}
	return WriteRecord(j.file, r)
}

// begin opens the file for records, cuts off what is no whole line, and writes the
// header of a new one.
func (j *Journal) begin() (err error) {
	if j.file, err = os.OpenFile(j.path, os.O_RDWR|os.O_CREATE,
		0o644); err != nil { //nolint:gosec // a result like others, for everyone to read
		return err
	}
	if err = j.file.Truncate(j.whole); err != nil {
		return err
	}
	if _, err = j.file.Seek(0, io.SeekEnd); err != nil || j.whole > 0 {
		return err
	}
	first, err := j.line()
	if err == nil {
		_, err = j.file.Write(first)
	}
	return err
}

// Close makes sure that what was kept is on the disk.
func (j *Journal) Close() error {
	if j.file == nil {
		return nil
	}
	err := errors.Join(j.file.Sync(), j.file.Close())
	j.file = nil
	return err
}

type journalKey struct{}

// WithJournal returns a context whose Driver.Run replays the journal and keeps in it
// what is computed. The context carries it because everything between the caller and
// the driver is the same with and without. A journal keeps the first run; later ones
// of the same context (a class of its own, a restart) are computed again.
func WithJournal(ctx context.Context, j *Journal) context.Context {
	return context.WithValue(ctx, journalKey{}, j)
}

// journalOf returns the journal of a context for its first run, or nil.
func journalOf(ctx context.Context) *Journal {
	j, _ := ctx.Value(journalKey{}).(*Journal)
	if j == nil || j.used {
		return nil
	}
	j.used = true
	return j
}
