package serve

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/model"
)

// infer answers POST /v2/models/NAME[/versions/V]/infer.
func (s *Server) infer(w *recorder, r *http.Request) error {
	l, err := s.models.find(r.PathValue("name"), r.PathValue("version"))
	if err != nil {
		return err
	}
	w.model = l.name
	if r.Header.Get("Inference-Header-Content-Length") != "" {
		return &fault{http.StatusUnsupportedMediaType, "tensors in binary form; send them as JSON"}
	}
	b, err := s.body(w, r)
	defer b.done()
	if err != nil {
		return err
	}
	q, err := parseRequest(b.text)
	if err != nil {
		return err
	}
	for i, name := range q.outputs {
		if !slices.Contains(l.outputs(), name) {
			return bad("no output %q; this model has %s", name, strings.Join(l.outputs(), ", "))
		}
		if slices.Contains(q.outputs[:i], name) {
			return bad("the output %q is asked for twice; name it once", name)
		}
	}
	out, err := s.outputsOf(w, r, l, q.input, b)
	if err != nil {
		return err
	}
	w.rows = out.RawMatrix().Rows
	answer, err := l.answer(s.buffer(), q, out)
	if err == nil {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		_, _ = w.Write(answer) // a client that went away is told nothing
	}
	s.giveBack(answer)
	return err
}

// rowFault names the row that has no prediction, counted from 1 and behind so many before.
func rowFault(err error, before int) error {
	var row *model.RowError
	if errors.As(err, &row) {
		return bad("row %d: %v", before+row.Row+1, row)
	}
	return err
}

// outputsOf are the outputs of the model for an input, a row each.
func (s *Server) outputsOf(w *recorder, r *http.Request, l *loaded, t *tensor, b *body) (*mat.Dense, error) {
	n, err := t.rows(l.width())
	if err != nil {
		return nil, err
	}
	if n > s.o.Rows {
		return nil, s.tooMany()
	}
	if err := b.hold(int64(n) * l.outputBytes()); err != nil {
		return nil, err
	}
	if t.isText {
		return s.outputsOfText(w, r, l, t, b)
	}
	if l.Sparse {
		const entry = 12 // bytes of a number of sparse rows
		if err := b.hold(entry * int64(len(t.numbers))); err != nil {
			return nil, err
		}
	}
	rows, err := l.rowsOf(t, n)
	if err != nil {
		return nil, err
	}
	out, err := l.queue.outputs(r.Context(), rows)
	return out, rowFault(err, 0)
}

// rowsOf are the n rows of numbers, in the form that the model knows.
func (l *loaded) rowsOf(t *tensor, n int) (data.Rows, error) {
	d := l.width()
	if l.Text != nil || l.Table != nil {
		return data.Rows{}, bad("datatype %s; this model reads words, dates or missing cells: give its columns as BYTES", t.datatype)
	}
	if err := t.convert(d); err != nil {
		return data.Rows{}, err
	}
	if len(l.Parts) == 1 {
		for i, v := range t.numbers {
			if math.IsNaN(v) && l.Fill != nil {
				t.numbers[i] = l.Fill[i%d]
			}
		}
		if i := slices.IndexFunc(t.numbers, math.IsNaN); i >= 0 {
			return data.Rows{}, bad("row %d, column %d is missing; this model needs every value", i/d+1, i%d+1)
		}
	}
	return apply.FormFor(l.Model, data.Rows{Dense: mat.NewDense(n, d, t.numbers)}), nil
}

func (s *Server) tooMany() *fault {
	return &fault{http.StatusRequestEntityTooLarge, fmt.Sprintf("more than %d rows; send fewer at a time", s.o.Rows)}
}

// outputsOfText reads cells as the cells of CSV are read, and predicts their rows.
func (s *Server) outputsOfText(w *recorder, r *http.Request, l *loaded, t *tensor, b *body) (*mat.Dense, error) {
	const header = 16 // bytes of a string, beside its text
	names := l.columns()
	if names == nil {
		return nil, bad("datatype BYTES; the columns of this model have no names and are numbers: give FP64")
	}
	size := header * len(t.texts)
	for _, text := range t.texts {
		size += 2 * len(text) // each is copied
	}
	if err := b.hold(int64(size)); err != nil {
		return nil, err
	}
	o := read.Options{Format: read.FormatCSV}
	o.Dialect = read.Dialect{Delimiter: string(between), Header: "1", Skip: "0", Quote: `"`, Comment: "none"} // as it is written
	stream, err := s.stream(l, b, l.asCSV(names, t.texts), o)
	if err != nil {
		return nil, err
	}
	n, c := len(t.texts)/len(names), l.Outputs()
	values := make([]float64, 0, n*c)
	err = s.each(r, l, stream, "", func(_ *data.Set, out *mat.Dense) error {
		for i := range out.RawMatrix().Rows {
			values = append(values, out.RawRowView(i)...)
		}
		return nil
	})
	if err != nil {
		return nil, t.inRow(err, len(names))
	}
	if len(values) != n*c {
		return nil, &fault{http.StatusInternalServerError, fmt.Sprintf("internal error: %d outputs of %d rows; report it", len(values)/c, n)}
	}
	var said []string
	for _, warning := range stream.Warnings() {
		switch {
		case warning.Line == 1: // of the names, which are written here
		case warning.Line > 1:
			said = append(said, fmt.Sprintf("row %d: %s", t.rowAt(warning.Line, len(names)), warning.What))
		default:
			said = append(said, warning.What)
		}
	}
	w.warn(said)
	return mat.NewDense(n, c, values), nil
}

// between is the delimiter of cells that are written as CSV, one that no text has: a cell that begins with it might seem to stand between
// two quotes that are cells of their own.
const between = '\x1f'

// asCSV are cells as CSV. Each row begins with its number, so that every one is read as a row: none is blank, a subtotal, a rule or the
// names again.
func (l *loaded) asCSV(names, texts []string) []byte {
	number := "row" // a name that no column has
	taken := append([]string{l.Label}, names...)
	if l.Table != nil {
		for i := range l.Table.Columns {
			taken = append(taken, l.Table.Columns[i].Name)
		}
	}
	for slices.ContainsFunc(taken, func(name string) bool { return strings.EqualFold(strings.TrimSpace(name), number) }) {
		number += "_"
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Comma = between
	_ = w.Write(append([]string{number}, names...)) // a buffer takes everything
	row := make([]string, 0, 1+len(names))
	for i := 0; len(texts) > 0; i++ {
		row = append(append(row[:0], strconv.Itoa(i+1)), texts[:len(names)]...)
		_ = w.Write(row)
		texts = texts[len(names):]
	}
	w.Flush()
	return b.Bytes()
}

// inRow makes an error of reading asCSV name the row and the column of the input.
func (t *tensor) inRow(err error, columns int) error {
	var place *read.Error
	if !errors.As(err, &place) || place.Line < 2 {
		return inBody(err)
	}
	at := fmt.Sprintf("row %d", t.rowAt(place.Line, columns))
	if place.Column > 1 { // the first has the numbers of the rows
		at += fmt.Sprintf(", column %d", place.Column-1)
	}
	return bad("%s: %s; %s", at, place.What, place.Remedy)
}

// rowAt is the row, from 1, that begins at a line of asCSV or before it.
func (t *tensor) rowAt(line, columns int) int {
	begin := 1 // the line of the names, then that of each row
	for i, text := range t.texts {
		if i%columns == 0 {
			if begin++; begin > line {
				return i / columns // the row before
			}
		}
		begin += strings.Count(text, "\n")
	}
	return len(t.texts) / columns
}

// inQuery are the flags of the program that an error of reading names, as a request has them.
var inQuery = strings.NewReplacer("which --id names", "which id names",
	"name one of them with --text", "give the column the name that GET /v2/models/NAME tells")

// inBody makes an error of reading say that the text was the body.
func inBody(err error) error {
	var place *read.Error
	if errors.As(err, &place) {
		here := *place
		here.File, here.What, here.Remedy = "body", inQuery.Replace(place.What), inQuery.Replace(place.Remedy)
		return &fault{http.StatusBadRequest, here.Error()}
	}
	return err
}

// answer appends the answer to a request.
func (l *loaded) answer(b []byte, q *request, out *mat.Dense) ([]byte, error) {
	b = append(append(b, `{"model_name":`...), quoted(l.name)...)
	b = append(append(b, `,"model_version":"`...), l.version...)
	b = append(b, '"')
	if q.hasID {
		b = append(append(b, `,"id":`...), quoted(q.id)...)
	}
	b = append(b, `,"outputs":[`...)
	names := q.outputs
	if len(names) == 0 {
		names = l.outputs()
	}
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		switch name {
		case "prediction":
			b = l.prediction(b, out)
		case "score":
			b = matrix(b, name, l.Coding().Scores(out))
		case "probability":
			p, err := l.Probabilities(out)
			if err != nil {
				return b, err
			}
			b = matrix(b, name, p)
		}
	}
	return append(b, "]}\n"...), nil
}

// prediction appends the output of that name: classes as text, numbers as numbers.
func (l *loaded) prediction(b []byte, out *mat.Dense) []byte {
	if l.Task == data.Regression {
		return matrix(b, "prediction", out)
	}
	kinds := l.Decide(out)
	b = append(b, `{"name":"prediction","datatype":"BYTES","shape":[`...)
	b = append(strconv.AppendInt(b, int64(len(kinds)), 10), `],"data":[`...)
	for i, k := range kinds {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, l.quoted[k]...)
	}
	return append(b, "]}"...)
}

// matrix appends an output of numbers; one of one column has one size.
func matrix(b []byte, name string, m *mat.Dense) []byte {
	n, c := m.Dims()
	b = append(append(b, `{"name":"`...), name...)
	b = append(b, `","datatype":"FP64","shape":[`...)
	b = strconv.AppendInt(b, int64(n), 10)
	if c > 1 || name == "probability" {
		b = strconv.AppendInt(append(b, ','), int64(c), 10)
	}
	b = append(b, `],"data":[`...)
	for i := range n {
		for _, v := range m.RawRowView(i) {
			b = append(strconv.AppendFloat(b, v, 'g', -1, 64), ',')
		}
	}
	b[len(b)-1] = ']'
	return append(b, '}')
}

// quoted is a text as JSON.
func quoted(text string) string {
	b, _ := json.Marshal(text) // a string always has a form
	return string(b)
}
