package serve

import (
	"bytes"
	"context"
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
	text, done, err := s.body(w, r)
	defer done()
	if err != nil {
		return err
	}
	q, err := parseRequest(text)
	if err != nil {
		return err
	}
	for _, name := range q.outputs {
		if !slices.Contains(l.outputs(), name) {
			return bad("no output %q; this model has %s", name, strings.Join(l.outputs(), ", "))
		}
	}
	rows, err := s.rowsOf(r.Context(), l, q.input)
	if err != nil {
		return err
	}
	out, err := l.queue.outputs(r.Context(), rows)
	if err != nil {
		return rowFault(err)
	}
	w.rows = rows.Len()
	answer, err := l.answer(s.buffer(), q, out)
	if err == nil {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		_, _ = w.Write(answer) // a client that went away is told nothing
	}
	s.giveBack(answer)
	return err
}

// rowFault counts rows from 1 and names the one that has no prediction.
func rowFault(err error) error {
	var row *model.RowError
	if errors.As(err, &row) {
		return bad("row %d: %v", row.Row+1, row)
	}
	return err
}

// rowsOf are the rows of an input, in the form that the model knows.
func (s *Server) rowsOf(ctx context.Context, l *loaded, t *tensor) (data.Rows, error) {
	d := l.width()
	n, err := t.rows(d)
	if err != nil {
		return data.Rows{}, err
	}
	if n > s.o.Rows {
		return data.Rows{}, s.tooMany()
	}
	if t.isText {
		return s.rowsOfText(ctx, l, t, n)
	}
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
	return apply.Form(data.Rows{Dense: mat.NewDense(n, d, t.numbers)}, l.Sparse), nil
}

func (s *Server) tooMany() *fault {
	return &fault{http.StatusRequestEntityTooLarge, fmt.Sprintf("more than %d rows; send fewer at a time", s.o.Rows)}
}

// rowsOfText reads cells as the cells of CSV are read.
func (s *Server) rowsOfText(ctx context.Context, l *loaded, t *tensor, n int) (data.Rows, error) {
	names := l.columns()
	if names == nil {
		return data.Rows{}, bad("datatype BYTES; the columns of this model have no names and are numbers: give FP64")
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(names) // a buffer takes everything
	d := len(names)
	for i := range n {
		_ = w.Write(t.texts[i*d : (i+1)*d])
	}
	w.Flush()
	o := l.reading(b.Bytes(), read.FormatCSV)
	o.Dialect = read.Dialect{Delimiter: ",", Header: "1", Skip: "0", Quote: `"`, Comment: "none"} // as it was written
	set, _, err := read.Open(ctx, "-", o)
	var place *read.Error
	if errors.As(err, &place) && place.Line > 1 {
		return data.Rows{}, bad("row %d, column %d: %s; %s", place.Line-1, place.Column, place.What, place.Remedy)
	}
	if err != nil {
		return data.Rows{}, inBody(err)
	}
	set, err = apply.Suited(l.Model, set)
	if err != nil {
		return data.Rows{}, inBody(err)
	}
	return set.Rows, nil
}

// reading is how rows of text are read for the model.
func (l *loaded) reading(text []byte, format read.Format) read.Options {
	o := read.Options{Format: format, Stdin: bytes.NewReader(text)}
	if l.Text != nil {
		o.Text = &data.Text{Column: textColumn(l.Model)}
	}
	return apply.Options(l.Model, o, false)
}

// inBody makes an error of reading say that the text was the body.
func inBody(err error) error {
	var place *read.Error
	if errors.As(err, &place) {
		here := *place
		here.File = "body"
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
