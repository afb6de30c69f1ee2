package serve

import (
	"cmp"
	"encoding/csv"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/apply"
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
	text, done, err := s.body(w, r)
	defer done()
	if err != nil {
		return err
	}
	o = l.withText(text, o)
	stream := read.NewStream("-", o, apply.BatchRows)
	return replace.Held(&late{w: w, stream: stream}, func(to io.Writer) error {
		return s.each(r, l, stream, func(set *data.Set, out *mat.Dense) error {
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

// each predicts a stream of rows, batch by batch.
func (s *Server) each(r *http.Request, l *loaded, stream *read.Stream, done func(*data.Set, *mat.Dense) error) error {
	before := 0
	for set, err := range stream.Batches(r.Context()) {
		if err != nil {
			return inBody(err)
		}
		if set, err = apply.Suited(l.Model, set); err != nil {
			return inBody(err)
		}
		if before+set.Rows.Len() > s.o.Rows {
			return s.tooMany()
		}
		out, err := l.queue.outputs(r.Context(), set.Rows)
		if err != nil {
			return rowFault(err)
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
	for key, values := range r.URL.Query() {
		value := values[len(values)-1]
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

// withText are the options that read a text as asked.
func (l *loaded) withText(text []byte, asked read.Options) read.Options {
	o := l.reading(text, asked.Format)
	o.ID = asked.ID
	return o
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
		for _, warning := range l.stream.Warnings() {
			text := strings.Map(func(c rune) rune {
				if c < ' ' || c > '~' {
					return '?'
				}
				return c
			}, warning.What)
			l.w.Header().Add("Mercer-Warning", text)
		}
	}
	return l.w.Write(p)
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
