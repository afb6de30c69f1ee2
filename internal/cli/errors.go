package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/oserror"
	"github.com/mercer-ml/mercer/model"
)

// usageError is wrong usage of flags: exit 2.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usage(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// interrupted says that the context was cancelled; saved tells what was kept.
type interrupted struct {
	saved  string
	splits int // that are complete and were shown
}

func (e *interrupted) Error() string {
	if e.saved == "" && e.splits > 0 {
		return "interrupted; what is shown is of the " + brief.Count(e.splits, "split") + " until then"
	}
	if e.saved == "" {
		return "interrupted; nothing was written"
	}
	return "interrupted; the best so far is in " + e.saved
}

// fault is an error that names its file: what is printed is the contract's
// FILE:LINE:COLUMN: what; remedy.
type fault struct {
	file         string
	line, column int // from 1; 0: does not apply
	what         string
}

func (e *fault) Error() string {
	at := e.file
	if e.line > 0 {
		at += ":" + strconv.Itoa(e.line)
		if e.column > 0 {
			at += ":" + strconv.Itoa(e.column)
		}
	}
	return at + ": " + e.what
}

// finish turns the error of a verb into its one line and the exit code.
func (e *env) finish(err error) int {
	var wrong *usageError
	var request *mercer.UsageError
	var stop *interrupted
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &stop):
		e.say("%v", stop)
		return exitInterrupted
	case errors.Is(err, context.Canceled):
		e.say("%v", &interrupted{})
		return exitInterrupted
	case errors.As(err, &wrong), errors.As(err, &request):
		e.say("%v", err)
		return exitUsage
	}
	e.say("%v", named(err, "", nil))
	return exitData
}

// named makes an error of reading, fitting or writing name its file: the source
// of set (may be nil) or file.
func named(err error, file string, set *data.Set) error {
	if err == nil {
		return nil
	}
	var request *mercer.UsageError
	var wrong *usageError
	var already *fault
	var place *read.Error
	if errors.As(err, &request) || errors.As(err, &wrong) || errors.As(err, &already) || errors.As(err, &place) ||
		errors.Is(err, context.Canceled) {
		return err
	}
	var other *mercer.SetError
	if errors.As(err, &other) {
		set = other.Set
	}
	if set != nil && set.Source != "" {
		file = set.Source
	}
	f := &fault{file: file, what: strings.TrimPrefix(err.Error(), "mercer: ")}
	var label *data.LabelError
	var cell *data.CellError
	var row *model.RowError
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &label):
		if set != nil && label.Row >= 0 && label.Row < len(set.Lines) {
			f.line = set.Lines[label.Row]
		}
	case errors.As(err, &cell):
		if set != nil && cell.Row < len(set.Lines) {
			f.line = set.Lines[cell.Row]
		}
		if set != nil && cell.Column < len(set.Features) {
			f.what = fmt.Sprintf("column %q: %s", set.Features[cell.Column], f.what)
		}
	case errors.As(err, &row):
		f.what = row.Error()
		if set != nil && row.Row >= 0 && row.Row < len(set.Lines) {
			f.line = set.Lines[row.Row]
		}
	case errors.As(err, &path):
		f.what = system(path.Err)
		if file == "" {
			f.file = path.Path
		}
		if f.file == os.Stdout.Name() {
			f.file = "standard output"
		}
	case errors.As(err, &link):
		f.what = system(link.Err)
	case file == "" || strings.HasPrefix(f.what, file+":"):
		return errors.New(f.what) // the message names the file itself
	}
	return f
}

// late explains an end of time before there was an answer.
func late(err error, limit time.Duration, file, remedy string) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return &fault{file: file, what: fmt.Sprintf("--time-limit %v ended before there was an answer; %s", limit, remedy)}
	}
	return err
}

// system explains an error of the operating system.
func system(err error) string {
	remedy := "check the file and its folder"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		remedy = "check the name; mercer data lists the built-in sets"
	case errors.Is(err, fs.ErrPermission):
		remedy = "check the permissions of the file and its folder"
	case oserror.Is(err, syscall.ENOSPC):
		remedy = "free some space"
	case oserror.Is(err, syscall.EPIPE):
		remedy = "its reader ended before the last line was written"
	case oserror.Is(err, syscall.EISDIR):
		remedy = "name a file"
	}
	return oserror.Text(err) + "; " + remedy
}

// oneLine keeps messages in one line whatever they quote.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
}
