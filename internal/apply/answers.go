package apply

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
)

// Answers are the columns of the predictions for a batch of rows: prediction; score, or one a class; with
// probability, one a class; with bounds, lower and upper.
type Answers struct {
	ID    string   // name of the column of names of rows, "": there is none
	IDs   []string // of the rows of this batch
	Names []string
	Rows  int // in this batch and all before it

	model       *model.Model
	probability bool
	quoted      []string    // classes as they stand in CSV
	kind        []int       // class numbers, nil for regression
	class       []string    // first column of a classification, nil for regression
	values      [][]float64 // other columns
	bounds      []float64   // what is added to a number for its interval's bounds
}

// NewAnswers are the answers of a model before the first batch. The bounds are what model.Interval returns, or nil.
func NewAnswers(m *model.Model, probability bool, bounds []float64) *Answers {
	p := &Answers{Names: []string{"prediction"}, model: m, probability: probability, bounds: bounds}
	if coding := m.Coding(); coding.Outputs() == 1 {
		p.Names = append(p.Names, "score")
	} else {
		for _, class := range m.Classes {
			p.Names = append(p.Names, "score_"+class)
		}
	}
	for _, class := range m.Classes {
		if probability {
			p.Names = append(p.Names, "probability_"+class)
		}
		p.quoted = append(p.quoted, csvText(class))
	}
	if bounds != nil {
		p.Names = append(p.Names, "lower", "upper")
	}
	return p
}

// csvText is a text as it stands in CSV.
func csvText(text string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write([]string{text, ""}) // a builder takes everything
	w.Flush()
	return strings.TrimSuffix(b.String(), ",\n")
}

// Predict stores the columns of a batch.
func (p *Answers) Predict(ctx context.Context, rows data.Rows) error {
	out, err := p.model.Predict(ctx, rows)
	if err != nil {
		return err
	}
	return p.Take(out)
}

// Take stores the columns of a batch by the outputs of its rows.
func (p *Answers) Take(out *mat.Dense) error {
	m := p.model
	n, _ := out.Dims()
	p.Rows += n
	p.class, p.values = p.class[:0], p.values[:0]
	add := func(of *mat.Dense) {
		_, columns := of.Dims()
		for j := range columns {
			p.values = append(p.values, mat.Col(nil, j, of))
		}
	}
	if m.Task == data.Regression {
		add(out)
	} else {
		p.kind = m.Decide(out)
		for _, k := range p.kind {
			p.class = append(p.class, m.Classes[k])
		}
	}
	add(m.Coding().Scores(out))
	if p.probability {
		of, err := m.Probabilities(out)
		if err != nil {
			return err
		}
		add(of)
	}
	for _, d := range p.bounds {
		add(shifted(out, d))
	}
	return nil
}

// Append adds the rows of a batch, for an Object. Names of rows whose column is called as one of the others have no place in it.
func (p *Answers) Append(batch *Answers) error {
	if batch.ID == rowsName || slices.Contains(p.Names, batch.ID) {
		return fmt.Errorf("the column %q, which names the rows, is called as one of the JSON's own; give it another name, or leave out "+
			"--json to have it in CSV", batch.ID)
	}
	p.Rows = batch.Rows
	p.class = append(p.class, batch.class...)
	p.ID, p.IDs = batch.ID, append(p.IDs, batch.IDs...)
	if p.values == nil {
		p.values = make([][]float64, len(batch.values))
	}
	for j, v := range batch.values {
		p.values[j] = append(p.values[j], v...)
	}
	return nil
}

// rowsName is the name in an Object of the number of rows.
const rowsName = "rows"

// CSV writes the columns, those of the first batch with a header.
func (p *Answers) CSV(w io.Writer) error {
	n := len(p.values[0])
	if p.Rows == n {
		names := p.Names
		if p.ID != "" {
			names = append([]string{p.ID}, names...)
		}
		if err := csv.NewWriter(w).WriteAll([][]string{names}); err != nil {
			return err
		}
	}
	var line []byte
	for i := range n {
		line = line[:0]
		if p.ID != "" {
			line = append(append(line, csvText(p.IDs[i])...), ',')
		}
		if p.kind != nil {
			line = append(append(line, p.quoted[p.kind[i]]...), ',')
		}
		for _, v := range p.values {
			line = append(strconv.AppendFloat(line, v[i], 'g', -1, 64), ',')
		}
		line[len(line)-1] = '\n'
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// Object is the answer as one JSON object: each column under its name.
func (p *Answers) Object() map[string]any {
	o := map[string]any{rowsName: p.Rows}
	names := p.Names
	if p.ID != "" {
		o[p.ID] = p.IDs
	}
	if p.class != nil {
		o[names[0]] = p.class
		names = names[1:]
	}
	for j, v := range p.values {
		o[names[j]] = v
	}
	return o
}

// shifted is the only column of out with d added.
func shifted(out *mat.Dense, d float64) *mat.Dense {
	var moved mat.Dense
	moved.Apply(func(_, _ int, v float64) float64 { return v + d }, out)
	return &moved
}
