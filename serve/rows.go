package serve

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/columns"
	"github.com/mercer-ml/mercer/internal/replace"
	"gonum.org/v1/gonum/mat"
)

// predict answers POST /predict[/NAME]: rows in, as CSV, JSON objects or LIBSVM text, and what mercer predict writes of them out. The
// query has probability, interval=LEVEL and id=COLUMN, as that verb has flags, and format=csv, jsonl or libsvm.
func (s *Server) predict(w *recorder, r *http.Request) error {
	l, err := s.named(w, r, "/predict/")
	if err != nil {
		return err
	}
	p, o, err := l.asked(r)
	if err != nil {
		return err
	}
	b, err := s.body(w, r)
	defer b.done()
	if err != nil {
		return err
	}
	stream, err := s.stream(l, b, b.text, o)
	if err != nil {
		return err
	}
	err = replace.Held(&late{w: w, stream: stream}, func(to io.Writer) error {
		return s.each(r, l, stream, o.ID, func(set *data.Set, out *mat.Dense) error {
			if p.ID, p.IDs = "", set.ID; p.IDs != nil {
				p.ID = o.ID
			}
			if err := p.Take(out); err != nil {
				return err
			}
			w.rows = p.Rows
			return p.CSV(to)
		})
	})
	return inBody(err)
}

// batchValues is how many numbers the rows of a batch have at most: 32 MB of them.
const batchValues = 1 << 22

// batch is how many rows are read and predicted at a time. Those of a model of sparse rows have as many numbers as their text.
func (l *loaded) batch() int {
	if l.Sparse {
		return apply.BatchRows
	}
	return max(1, min(apply.BatchRows, batchValues/l.Columns))
}

// perOutput is what an output of a row takes: as a number, in a piece of the rows and among all, as score and as probability, and the
// last two as text.
const perOutput = 80

// outputBytes is what the outputs of a row take. Of two classes there is one output, and two probabilities.
func (l *loaded) outputBytes() int64 { return perOutput * int64(l.Outputs()+1) }

// perCell is what a cell of the line of names takes beside its text.
const perCell = 256

// stream reads text for the model, batch by batch, whose memory it takes: the numbers of a batch are there as they are read, as they are
// joined and as the model takes them.
func (s *Server) stream(l *loaded, b *body, text []byte, o read.Options) (*read.Stream, error) {
	const copies = 3
	rows := l.batch()
	most := bytes.Count(text, []byte("\n")) + bytes.Count(text, []byte("}")) + 1 // objects of JSON may share a line
	perRow := l.outputBytes()
	if !l.Sparse {
		perRow += copies * 8 * int64(l.Columns)
	}
	if err := b.hold(perRow*int64(min(rows, most)) + perCell*int64(widest(text))); err != nil {
		return nil, err
	}
	return read.NewStream("-", s.reading(l, text, o), rows), nil
}

// widest is how many cells the widest line of a text may have, if it is so long that they count.
func widest(text []byte) (cells int) {
	const short = 4096 // bytes of a line
	if head := bytes.TrimSpace(text[:min(len(text), short)]); len(head) > 0 && (head[0] == '{' || head[0] == '[') {
		return 0 // JSON, of whose keys the reader takes few
	}
	for line := range bytes.Lines(text) {
		for _, delimiter := range []byte(",;\t|") {
			if len(line) > max(short, cells) {
				cells = max(cells, bytes.Count(line, []byte{delimiter}))
			}
		}
	}
	return cells
}

// reading is how text is read for the model. What the reader does not share with others may take all memory that there is.
func (s *Server) reading(l *loaded, text []byte, o read.Options) read.Options {
	o.Stdin, o.MemoryLimit = bytes.NewReader(text), s.o.Memory
	if l.Text != nil {
		o.Text = &data.Text{Column: textColumn(l.Model)}
	}
	return apply.Options(l.Model, o, false)
}

// named finds the model that a path below root names; where there is one model, the path need not.
func (s *Server) named(w *recorder, r *http.Request, root string) (*loaded, error) {
	name := r.PathValue("name")
	if name == "" {
		if len(s.models.names) > 1 {
			return nil, &fault{http.StatusNotFound, "several models; ask one of them: " + root + strings.Join(s.models.names, ", "+root)}
		}
		name = s.models.names[0]
	}
	l, err := s.models.find(name, "")
	if err == nil {
		w.model = l.name
	}
	return l, err
}

// each predicts a stream of rows, batch by batch, which must have the column of names id, if one is asked for. Errors of reading are told
// as those of the text.
func (s *Server) each(r *http.Request, l *loaded, stream *read.Stream, id string, done func(*data.Set, *mat.Dense) error) error {
	before := 0
	for set, err := range stream.Batches(r.Context()) {
		if err != nil {
			return err
		}
		if set, err = apply.Suited(l.Model, set); err != nil {
			return err
		}
		if err := apply.Named(l.Model, set, id); err != nil {
			return err
		}
		if before+set.Rows.Len() > s.o.Rows {
			return s.tooMany()
		}
		out, err := l.queue.outputs(r.Context(), set.Rows)
		if err != nil {
			return rowFault(err, before)
		}
		before += set.Rows.Len()
		if err := done(set, out); err != nil {
			return err
		}
	}
	return nil
}

// asked are the answers that the query of a request asks for, and how its rows are to be read.
func (l *loaded) asked(r *http.Request) (*apply.Answers, read.Options, error) {
	var o read.Options
	var bounds []float64
	probability := false
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, o, bad("the query cannot be read: %v; write %%25 for %% and %%3B for a semicolon in a value, and & between two", err)
	}
	for _, key := range slices.Sorted(maps.Keys(query)) {
		if len(query[key]) > 1 {
			return nil, o, bad("the parameter %q is given twice; give it once", key)
		}
		value := query[key][0]
		switch key {
		case "probability":
			switch value {
			case "", "true", "1":
				probability = true
			case "false", "0":
				probability = false
			default:
				return nil, o, bad("probability=%s; give true or false", value)
			}
			if probability && !l.HasProbabilities() {
				return nil, o, bad("this model has no probabilities; leave out probability")
			}
		case "interval":
			level, err := strconv.ParseFloat(value, 64)
			if err != nil || !(level > 0 && level < 1) {
				return nil, o, bad("interval=%s; give a share between 0 and 1, as 0.9", value)
			}
			lower, upper, err := l.Interval(level)
			if err != nil {
				return nil, o, bad("interval: %v", err)
			}
			bounds = []float64{lower, upper}
		case "id":
			o.ID = value
		case "format":
			o.Format = read.Format(value)
			if !slices.Contains([]read.Format{read.FormatCSV, read.FormatJSON, read.FormatLIBSVM}, o.Format) {
				return nil, o, bad("format=%s; give csv, jsonl or libsvm", value)
			}
		default:
			return nil, o, bad("no parameter %q; there are probability, interval, id and format", key)
		}
	}
	o.ID = cmp.Or(o.ID, l.Table.ID())
	return apply.NewAnswers(l.Model, probability, bounds), o, nil
}

// late writes the headers of an answer when its first byte is due, after all rows were good.
type late struct {
	w      *recorder
	stream *read.Stream
	begun  bool
}

func (l *late) Write(p []byte) (int, error) {
	if !l.begun {
		l.begun = true
		l.w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		var said []string
		for _, warning := range l.stream.Warnings() {
			said = append(said, inLine(warning))
		}
		l.w.warn(said)
	}
	return l.w.Write(p)
}

// mostWarnings are in the headers of an answer: many clients take no more than a hundred headers.
const mostWarnings = 20

// warn adds warnings to the headers of an answer.
func (w *recorder) warn(said []string) {
	if more := len(said) - mostWarnings; more > 0 {
		said = append(slices.Clone(said[:mostWarnings]), brief.Count(more, "further warning"))
	}
	for _, text := range said {
		w.Header().Add("Mercer-Warning", strings.Map(func(c rune) rune {
			if c < ' ' || c > '~' {
				return '?'
			}
			return c
		}, text))
	}
}

// inLine is a warning of a text, with the line if it is not the first.
func inLine(warning read.Warning) string {
	if warning.Line > 1 {
		return fmt.Sprintf("line %d: %s", warning.Line, warning.What)
	}
	return warning.What
}

// example answers GET /example/NAME: the names of the columns as a line of CSV, and below it a row: where the model keeps some of
// the rows that it was learned from and its columns are numbers, the first of them; of a table of words, dates and numbers its
// example; else none.
func (s *Server) example(w *recorder, r *http.Request) error {
	l, err := s.models.find(r.PathValue("name"), "")
	if err != nil {
		return err
	}
	w.model = l.name
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	out := csv.NewWriter(w)
	if names := l.columns(); names != nil {
		_ = out.Write(names) // reported by Error
	}
	if l.Table != nil {
		_ = out.Write(columns.Example(l.Table))
	} else if k, err := l.kept(); err == nil && !l.reads() && !k.Rows.IsSparse() {
		var cells []string
		for _, v := range k.Rows.Dense.RawRowView(0) {
			cells = append(cells, exampleCell(v))
		}
		_ = out.Write(cells)
	}
	out.Flush()
	return out.Error()
}
