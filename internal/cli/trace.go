package cli

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"math"
	"strings"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/journal"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/share"
	"github.com/mercer-ml/mercer/search"
)

// trace is the file of --trace: of a search, or of the pieces of a fit.
type trace interface {
	Known() int
	Err() error
	Close() error
}

// openTrace opens the file of --trace, if there is one. The context then makes a search go on from it and keep its evaluations there,
// and without a search the options the machines that are compared.
func (c *fitCmd) openTrace(e *env, in *mercer.Input, r mercer.Recipe, o *mercer.Options) (context.Context, trace, error) {
	if c.Trace == "" {
		return e.ctx, nil, nil
	}
	if err := writable("--trace", c.Trace, append(c.inputs(), c.Recipe)...); err != nil {
		return nil, nil, err
	}
	// Limits change where a fit ends, not what it finds on the way.
	r.Budget, r.Seed = 0, max(r.Seed, 1)
	recipe, err := json.Marshal(r)
	if err != nil {
		return nil, nil, err
	}
	header := journal.Header{Data: checksum(in.Set), Recipe: recipe}
	said := func(kept trace, what string) trace {
		if n := kept.Known(); n > 0 && !c.Quiet {
			e.say("%s: going on after %s", c.Trace, brief.Count(n, what))
		}
		return kept
	}
	if !searches(r) {
		b := built()
		header.Program = strings.TrimSpace(b.Version + " " + b.Revision)
		j, err := share.OpenJournal(c.Trace, header)
		if err != nil {
			return nil, nil, traceFault(err, c.Trace)
		}
		o.Share = j
		return e.ctx, said(j, "step"), nil
	}
	j, err := search.OpenJournal(c.Trace, header.Data, header.Recipe)
	if err != nil {
		return nil, nil, traceFault(err, c.Trace)
	}
	return search.WithJournal(e.ctx, j), said(j, "evaluation"), nil
}

// searches says whether a search by name moves parameters.
func searches(r mercer.Recipe) bool { return r.Search != "" && r.Search != "auto" }

// closeTrace ends the trace. If something could not be written, that is the error to report,
// because whatever error the fit returned is a consequence of it.
func (c *fitCmd) closeTrace(kept trace, err error) error {
	if kept == nil {
		return err
	}
	closed := kept.Close()
	if failed := errors.Join(kept.Err(), closed); failed != nil {
		return named(failed, c.Trace, nil)
	}
	return err
}

// traceFault gives a fault of a trace its place and remedy.
func traceFault(err error, path string) error {
	var t *journal.Error
	if !errors.As(err, &t) {
		return named(err, path, nil)
	}
	remedy := "; name another file"
	if t.Line > 0 {
		remedy += ", or remove this one to begin anew"
	}
	return &fault{file: path, line: t.Line, what: t.What + remedy}
}

// checkTrace refuses --trace where nothing could be resumed.
func (c *fitCmd) checkTrace(r mercer.Recipe) error {
	switch {
	case c.Trace == "":
		return nil
	case c.Splits != "":
		return usage("--trace: with --splits there are many fits; fit one split with --labelled-rows")
	case c.Trace == standard:
		return usage("--trace -: what is kept is read again, which standard output cannot be; name a file")
	case sameFile(c.Trace, c.Output):
		return usage("--trace %s: is the model's file too; name another", c.Trace)
	case r.Tune == "none":
		return usage("--trace with --tune none: one model is trained, and there is nothing to go on from; leave one of them out")
	case searches(r):
		return nil
	}
	m, asked, err := method.Read(r)
	if err != nil {
		return err
	}
	if o := m.Supports(asked.Values); !o.Pieces {
		remedy := "leave it out"
		if o.Searched {
			remedy = "add --search random, grid or nelder-mead"
		}
		return usage("--trace: --method %s without a search by name has no steps that are kept; %s", m.ID, remedy)
	}
	return nil
}

// checksum is that of what a fit learns from: rows, names of columns, visible answers, and weights and groups of rows if there are any.
func checksum(set *data.Set) string {
	h := sha256.New()
	texts(h, set.Features)
	texts(h, set.Answers)
	n, d := set.Rows.Len(), set.Rows.Dim()
	integers(h, n, d)
	if s := set.Rows.Sparse; s != nil {
		integers(h, s.Start...)
		for _, j := range s.Index {
			integers(h, int(j))
		}
		floats(h, s.Value)
		n = 0
	}
	for i := range n {
		floats(h, set.Rows.Dense.RawRowView(i))
	}
	if set.Weight != nil {
		texts(h, []string{"weights"})
		floats(h, set.Weight)
	}
	if set.Group != nil {
		texts(h, []string{"groups"})
		texts(h, set.Group)
	}
	if set.Order != nil {
		texts(h, []string{"order"})
		floats(h, set.Order)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

func texts(h hash.Hash, list []string) {
	integers(h, len(list))
	for _, s := range list {
		_, _ = fmt.Fprintf(h, "%d:%s", len(s), s) // a hash takes everything
	}
}

func integers(h hash.Hash, list ...int) {
	var b [8]byte
	for _, v := range list {
		binary.LittleEndian.PutUint64(b[:], uint64(v)) //nolint:gosec // the bits are what is wanted
		_, _ = h.Write(b[:])                           // as above
	}
}

func floats(h hash.Hash, list []float64) {
	var b [8]byte
	for _, v := range list {
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
		_, _ = h.Write(b[:]) // as above
	}
}
