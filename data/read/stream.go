package read

// Sets of any number of rows, batch by batch. There is one reader of each format: it hands its rows
// on to a sink, in batches of so many, and the whole set is that of one batch.

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/mercer-ml/mercer/data"
)

// Batches of CSV rows have fewer than asked for, by halves down to leastBatch, while that would be more than batchValues
// values (32 MB).
const (
	leastBatch  = 64
	batchValues = 1 << 22
)

// Stream is a set that is read batch by batch: memory does not grow with its rows.
type Stream struct {
	name string
	o    Options
	to   sink
}

// NewStream returns the set that Open reads by that name and options, in batches of so many rows, fewer
// where they are long; the last batch has those that are left. Rows must be positive.
func NewStream(name string, o Options, rows int) *Stream {
	if rows <= 0 {
		panic("read: batches without rows")
	}
	return &Stream{name: name, o: o, to: sink{rows: rows}}
}

// Batches reads the set from its beginning; standard input has only one. A batch is a set like that of
// Open, whose rows keep their numbers (data.Rows.ID) and lines; it is valid until the next one, which is
// read into the same memory. Rows of LIBSVM text are as wide as Options.Dim says, or else as the largest
// index so far, and have answers from the first label on. An error is the last that comes, with a nil
// set: batches that came before it are then part of a faulty set.
func (s *Stream) Batches(ctx context.Context) iter.Seq2[*data.Set, error] {
	return func(yield func(*data.Set, error) bool) {
		s.to.warnings = nil
		to := &s.to
		to.take = func(batch *data.Set) error {
			if !yield(batch, nil) {
				return errEnough
			}
			return nil
		}
		if err := readNamed(ctx, s.name, s.o, to); err != nil && !errors.Is(err, errEnough) {
			yield(nil, err)
		}
	}
}

// errEnough ends a stream of which no more batches are wanted.
var errEnough = errors.New("enough")

// Warnings are those found so far, of all rows after the last batch.
func (s *Stream) Warnings() []Warning { return s.to.warnings }

// sink is where rows go.
type sink struct {
	rows     int // of a batch, 0 = all
	take     func(*data.Set) error
	warnings []Warning
}

// wholeSet returns the one batch of all rows that read hands on.
func wholeSet(read func(*sink) error) (s *data.Set, w []Warning, err error) {
	to := &sink{take: func(all *data.Set) error { s = all; return nil }}
	if err := read(to); err != nil {
		return nil, nil, err
	}
	return s, to.warnings, nil
}

// cut hands on the rows of a set that is there.
func (to *sink) cut(ctx context.Context, s *data.Set) error {
	if to.rows == 0 {
		return to.take(s)
	}
	for lo := 0; lo < s.Rows.Len(); lo += to.rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := to.take(s.Select(numbered(lo, min(to.rows, s.Rows.Len()-lo)))); err != nil {
			return err
		}
	}
	return nil
}

// numbered are n numbers from first on.
func numbered(first, n int) []int {
	idx := make([]int, n)
	for i := range idx {
		idx[i] = first + i
	}
	return idx
}

// rows are those that a reader has joined and not yet handed on, but for their features.
type rows struct {
	*budget
	text *plainText
	o    Options
	sink *sink

	at     list[int] // line of each row
	raw    *answers
	before int // rows handed on
}

func newRows(ctx context.Context, in io.Reader, file string, o Options, to *sink) (*rows, error) {
	t, err := textOf(ctx, in, file)
	if err != nil {
		return nil, err
	}
	mem := &budget{ctx: ctx, file: file, limit: o.MemoryLimit}
	return &rows{budget: mem, text: t, o: o, sink: to, at: list[int]{budget: mem}, raw: newAnswers(mem, o.UnlabelledMark)}, nil
}

// count is the number of rows so far.
func (r *rows) count() int { return r.before + r.at.n }

// exceeds says whether a block of text alone makes more bytes than are allowed for all.
func (r *rows) exceeds(size int) bool { return r.limit > 0 && int64(size) > r.limit }

// next hands a batch on if it is full. set makes a set of its features; line is that of its last row.
func (r *rows) next(line int, set func(line int) (*data.Set, error)) error {
	if r.at.n != r.sink.rows {
		return nil
	}
	return r.end(line, set)
}

// end hands on what there is and begins again.
func (r *rows) end(line int, set func(line int) (*data.Set, error)) error {
	n := r.at.n
	if n == 0 {
		return nil
	}
	s, err := set(line)
	if err != nil {
		return err
	}
	if s.Lines, err = r.at.whole(line); err != nil {
		return err
	}
	if s.Answers, err = r.raw.whole(line); err != nil {
		return err
	}
	if s.LabelName == "" {
		s.Answers = nil
	}
	if r.sink.rows > 0 {
		s.Rows.ID = numbered(r.before, n)
	}
	r.before += n
	if err := r.sink.take(s); err != nil {
		return err
	}
	r.at.again()
	r.raw.again()
	clear(r.raw.seen)
	r.used = 0
	return nil
}
