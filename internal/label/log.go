package label

// The log of answers: one JSON object a line, added to and never changed.
//
//	{"mercer_labels":1,"data":"digits","rows":1797,"checksum":"sha256:..."}     what is labelled
//	{"time":"...","row":1203,"label":"7","why":"risk","note":"..."}      an answer, and a note where there is one
//	{"time":"...","row":45,"skip":true,"why":"check"}                    a row that was passed over
//	{"time":"...","row":45,"undo":true}                                  the last of these that stands, taken back
//
// A line is on the disk (fsync) before Append returns. What a process that was killed left of its last line, which has no
// line end, was never confirmed, and is cut off when the log is opened, once everything before it was found to be a log. A file that
// is none stays as it is. A line that does not fit on the disk is taken away again, so that the log ends with a whole one.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/mercer-ml/mercer/internal/brief"
)

// logVersion is the version of the log's format.
const logVersion = 1

// Subject says what a log labels. A log is continued for the same subject alone.
type Subject struct {
	Version  int    `json:"mercer_labels"`
	Data     string `json:"data"`
	Rows     int    `json:"rows"`
	Checksum string `json:"checksum"`
}

// Entry is a line of a log.
type Entry struct {
	Time  time.Time `json:"time"`
	Row   int       `json:"row"` // from 0
	Label string    `json:"label,omitempty"`
	Skip  bool      `json:"skip,omitempty"`
	Undo  bool      `json:"undo,omitempty"`
	Why   string    `json:"why,omitempty"`  // of the question
	Note  string    `json:"note,omitempty"` // of a person, beside an answer or a skip
}

// Log is an open log, which no other process opens meanwhile.
type Log struct {
	Entries []Entry // that were there when it was opened
	Torn    bool    // the last line was half written and was cut off

	file disk
	held *os.File // what stands for the lock, if it is not the file itself
	size int64    // of the whole lines
}

// disk is what a log asks of its file.
type disk interface {
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	Sync() error
}

// LogError is a log that cannot be used. Line counts from 1; 0: does not apply.
type LogError struct {
	Path         string
	Line         int
	What, Remedy string
}

// Error returns PATH:LINE: what; remedy.
func (e *LogError) Error() string {
	at := e.Path
	if e.Line > 0 {
		at = fmt.Sprintf("%s:%d", at, e.Line)
	}
	return at + ": " + e.What + "; " + e.Remedy
}

// OpenLog opens the log at path, or begins one where there is no file or an empty one, for a subject whose Version it sets. The error
// is a *LogError where another process has it open, where it is of other data, and where it is no log or holds a line that is no
// entry; the file is then as it was.
func OpenLog(path string, of Subject) (*Log, error) {
	of.Version = logVersion
	if s, err := os.Stat(path); err == nil && !s.Mode().IsRegular() {
		return nil, noLog(path)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644) //nolint:gosec // labels are to be read by others
	if err != nil {
		return nil, err
	}
	l := &Log{file: f}
	if err := l.open(f, path, of); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func (l *Log) open(f *os.File, path string, of Subject) error {
	held, free, err := lock(f)
	if err != nil {
		return err
	}
	l.held = held
	if !free {
		return &LogError{Path: path, What: "another mercer label has it open",
			Remedy: "open its page in the browser, which several people may do, or end it first"}
	}
	text, err := begins(f, path, of)
	if err != nil {
		return err
	}
	end := bytes.LastIndexByte(text, '\n') + 1
	if end > 0 {
		if err := l.read(path, text[:end], of); err != nil {
			return err
		}
		if tail := text[end:]; !bytes.HasPrefix(tail, entryHead) && !bytes.HasPrefix(entryHead, tail) {
			return &LogError{Path: path, Line: bytes.Count(text, []byte("\n")) + 1, What: "no answer: " + brief.Quote(string(tail)),
				Remedy: "correct or remove the line, or name another file with --log"}
		}
	}
	l.Torn, l.size = end < len(text), int64(end)
	if l.Torn {
		if err := l.file.Truncate(l.size); err != nil {
			return err
		}
	}
	if end == 0 {
		return l.write(of)
	}
	return nil
}

// entryHead begins every line but the first.
var entryHead = []byte(`{"time":"`)

// noLog is the error of a file that is no log.
func noLog(path string) error {
	return &LogError{Path: path, Line: 1, What: "no log of labels", Remedy: "name another file with --log"}
}

// mostHead is the longest first line, which names the data.
const mostHead = 64 << 10

// begins is the text of a file whose first line is that of a log, or what a killed process left of the one that is to be written.
func begins(f io.Reader, path string, of Subject) ([]byte, error) {
	head, err := io.ReadAll(io.LimitReader(f, mostHead))
	if err != nil {
		return nil, err
	}
	line, _, whole := bytes.Cut(head, []byte("\n"))
	var was Subject
	if whole && (json.Unmarshal(line, &was) != nil || was.Version == 0) {
		return nil, noLog(path)
	}
	if first, err := json.Marshal(of); !whole && (err != nil || !bytes.HasPrefix(first, head)) {
		return nil, noLog(path)
	}
	rest, err := io.ReadAll(f)
	return append(head, rest...), err
}

// read understands the lines.
func (l *Log) read(path string, text []byte, of Subject) error {
	for n, line := range bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) {
		fault := func(what, remedy string) error { return &LogError{Path: path, Line: n + 1, What: what, Remedy: remedy} }
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if n == 0 {
			var was Subject
			switch err := d.Decode(&was); {
			case err != nil || was.Version == 0:
				return noLog(path)
			case was.Version > logVersion:
				return fault("a log of a newer version of the program", "use that, or name another file with --log")
			case was.Rows != of.Rows || was.Checksum != of.Checksum:
				return fault(fmt.Sprintf("the answers are of other rows (%s, %d rows)", was.Data, was.Rows),
					"give the data and the flags that it was begun with, or name another file with --log")
			}
			continue
		}
		var e Entry
		if err := d.Decode(&e); err != nil {
			return fault("no answer: "+err.Error(), "correct or remove the line, or name another file with --log")
		}
		if e.Row < 0 || e.Row >= of.Rows || e.Label == "" && !e.Skip && !e.Undo {
			return fault(fmt.Sprintf("no answer to one of %d rows", of.Rows), "correct or remove the line, or name another file with --log")
		}
		l.Entries = append(l.Entries, e)
	}
	return nil
}

// Append adds an entry. It is on the disk when there is no error, and the log is as it was when there is one.
func (l *Log) Append(e Entry) error { return l.write(e) }

func (l *Log) write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	// Earlier failures may have left a part of a line that could not be cut off then.
	if err := l.file.Truncate(l.size); err != nil {
		return err
	}
	n, err := l.file.WriteAt(line, l.size)
	if err == nil {
		err = l.file.Sync()
	}
	if err != nil {
		return errors.Join(err, l.file.Truncate(l.size))
	}
	l.size += int64(n)
	return nil
}

// Close lets other processes open the log.
func (l *Log) Close() error {
	if l.held == nil {
		return l.file.Close()
	}
	return errors.Join(l.file.Close(), l.held.Close())
}
