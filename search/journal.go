package search

// A journal is a trace in a file that outlives its run (package internal/journal). Searches are deterministic and numbers are
// written exactly, so the run that replays a journal proposes the same points, is answered from the file as far as that
// goes, and ends as if nothing had happened. Objectives that go on from their last evaluation (score.Refit with Warm or Inexact)
// begin anew behind the file: from there on values differ within the tolerance of their machines, and the search may end elsewhere.

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/mercer-ml/mercer/internal/journal"
)

// Journal is the file of one run. Its methods are for one goroutine.
type Journal struct {
	file  *journal.File
	known []Record
	used  bool
}

// OpenJournal reads the journal at path, if there is one; it is made when the first
// evaluation is kept. rows is a check sum of what is learned from, recipe what is
// asked for: a file that is no journal, or one of other rows or another recipe, is an
// error and stays as it is.
func OpenJournal(path, rows string, recipe json.RawMessage) (*Journal, error) {
	file, lines, err := journal.Open(path, journal.Header{Data: rows, Recipe: recipe})
	if err != nil {
		return nil, err
	}
	j := &Journal{file: file}
	if j.known, err = readTrace(bytes.NewReader(lines), journal.FirstLine); err != nil {
		return nil, err
	}
	return j, nil
}

// Known is the number of evaluations that the file had.
func (j *Journal) Known() int { return len(j.known) }

// Err is what kept an evaluation from being written, nil if all were.
func (j *Journal) Err() error { return j.file.Err() }

// Close closes the file.
func (j *Journal) Close() error { return j.file.Close() }

// keep appends an evaluation.
func (j *Journal) keep(r Record) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return j.file.Keep(b)
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
