package search

// A journal is a trace in a file that outlives its run (package internal/journal). Searches are deterministic and numbers are
// written exactly, so the run that replays a journal proposes the same points, is answered from the file as far as that
// goes, and ends as if nothing had happened.

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/mercer-ml/mercer/internal/journal"
)

// Journal is the file of one run. Its methods are for one goroutine.
type Journal struct {
	*journal.File
	known []Record
	used  bool
}

// OpenJournal reads the journal at path, if there is one; it is made when the first
// evaluation is kept. A file that is no journal, or one of other data or another
// recipe, is a *journal.Error and stays as it is.
func OpenJournal(path string, h journal.Header) (*Journal, error) {
	file, lines, err := journal.Open(path, h)
	if err != nil {
		return nil, err
	}
	j := &Journal{File: file}
	if j.known, err = readTrace(bytes.NewReader(lines), journal.FirstLine); err != nil {
		return nil, err
	}
	return j, nil
}

// Known is the number of evaluations that the file had.
func (j *Journal) Known() int { return len(j.known) }

// keep appends an evaluation.
func (j *Journal) keep(r Record) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return j.Keep(b)
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
