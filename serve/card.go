package serve

import (
	"cmp"
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// mostListed is how many members and how many columns a card lists: more is for no eye.
const mostListed = 10

// card says what a model is: what it was learned from, how good its fit held it to be, and which rows its file shows to whoever has it.
// What a file does not say is absent: the fit's own figures stand in it as `fit --json` printed them (Model.Result).
type card struct {
	Name    string    `json:"name"`
	Version string    `json:"version"`
	Written time.Time `json:"written"` // when the file was last changed; a model has no date of its own
	Method  string    `json:"method"`
	Kernel  string    `json:"kernel,omitempty"`
	Task    string    `json:"task"`
	Label   string    `json:"label,omitempty"`
	Columns int       `json:"columns"` // of a row that is asked about
	// Rows are those of the fit, without a label and with one.
	Rows *result.RowCounts `json:"rows,omitempty"`
	// Estimate is the error to expect of new rows, Trivial the answer that needs no model: a class, the mean, or that of some rows.
	Estimate *result.Estimate `json:"estimate,omitempty"`
	Trivial  string           `json:"trivial_answer,omitempty"`
	Classes  []classCard      `json:"classes,omitempty"`
	// Models are how many the answer is made of, Members those of the largest weights.
	Models    int                `json:"models,omitempty"`
	Members   []memberCard       `json:"members,omitempty"`
	Relevance []kernel.Relevance `json:"relevance,omitempty"` // of the columns that matter most
	Kept      int                `json:"kept"`                // rows of the training data that stand in the file
	Advice    string             `json:"advice"`              // what follows for whom the file may be given to
}

// classCard is a class: its share of the labels, and what a fit that left rows out found of it.
type classCard struct {
	Class     string   `json:"class"`
	Share     *float64 `json:"share,omitempty"`
	Recall    *float64 `json:"recall,omitempty"`
	Precision *float64 `json:"precision,omitempty"`
}

// memberCard is one of the models that an answer is made of.
type memberCard struct {
	Class  string  `json:"class,omitempty"` // if each class has a model of its own
	Method string  `json:"method"`
	Kernel string  `json:"kernel"`
	Weight float64 `json:"weight"`
}

// printed are the parts of a fit's result that a card shows.
type printed struct {
	Kernel    string             `json:"kernel"`
	Rows      *result.RowCounts  `json:"rows"`
	Members   []memberCard       `json:"members"`
	Relevance []kernel.Relevance `json:"relevance"`
	Estimate  *result.Estimate   `json:"estimate"`
	Balance   result.Balance     `json:"balance"`
}

// card answers GET /model/NAME, and GET /model where there is one model.
func (s *Server) card(w *recorder, r *http.Request) error {
	l, err := s.named(w, r, "/model/")
	if err != nil {
		return err
	}
	return object(w, l.card())
}

// card is that of a model. A result that this program cannot read is one that is not there.
func (l *loaded) card() card {
	var p printed
	if len(l.Result) == 0 || json.Unmarshal(l.Result, &p) != nil {
		p = printed{}
	}
	c := card{
		Name: l.name, Version: l.version, Written: l.written.UTC().Truncate(time.Second), Method: l.Method, Kernel: p.Kernel,
		Task: l.Task.String(), Label: l.Label, Columns: l.width(), Rows: p.Rows, Estimate: p.Estimate, Models: len(p.Members),
		Relevance: p.Relevance[:min(len(p.Relevance), mostListed)], Kept: keptRows(l.Model),
	}
	slices.SortStableFunc(p.Members, func(a, b memberCard) int { return cmp.Compare(math.Abs(b.Weight), math.Abs(a.Weight)) })
	c.Members = p.Members[:min(len(p.Members), mostListed)]
	c.Classes, c.Trivial = l.classCards(p)
	c.Advice = advice(l.Model, c.Kept)
	return c
}

// classCards are the classes of a classifier, and the answer that needs no model.
func (l *loaded) classCards(p printed) (list []classCard, trivial string) {
	others := ""
	if p.Estimate != nil {
		others = brief.Others(p.Estimate.From)
	}
	if l.Task == data.Regression {
		return nil, "the mean" + others
	}
	shares := p.Balance.Labelled
	for k, name := range l.Classes {
		one := classCard{Class: name}
		if len(shares) == len(l.Classes) {
			one.Share = &shares[k]
		}
		if p.Estimate != nil {
			for _, e := range p.Estimate.Classes {
				if e.Class == name {
					one.Recall, one.Precision = e.Recall, e.Precision
				}
			}
		}
		list = append(list, one)
	}
	switch {
	case others != "":
		trivial = "the commonest class" + others
	case len(shares) == len(l.Classes):
		trivial = l.Classes[slices.Index(shares, slices.Max(shares))]
	}
	return list, trivial
}

// keptRows is how many rows of the training data stand in a model's file: the centres of its functions, of several views those of the
// view with most.
func keptRows(m *model.Model) int {
	most := 0
	look := func(parts []model.Part) {
		for _, p := range parts {
			for _, f := range p.Functions {
				switch f := f.(type) {
				case model.Expansion:
					most = max(most, f.Centres.Len())
				case model.Mean:
					most = max(most, f.Centres.Len())
				}
			}
		}
	}
	look(m.Parts)
	if m.Front != nil {
		for _, one := range m.Front.Members {
			look(one.Parts)
		}
	}
	return most
}

// advice says who may have the file of a model.
func advice(m *model.Model, kept int) string {
	switch {
	case kept > 0:
		text := "Whoever has the file can read these rows"
		if len(m.Parts) == 1 {
			text += ", and whoever reaches this server is shown those near to what is asked"
		}
		return text + ": give both only to people who may see the data. A linear method (mercer fit --method linear-svm, linear-logistic or " +
			"linear-rls) keeps no rows, and mercer shrink keeps fewer."
	case m.Text != nil:
		return "The file holds weights of words and the list of these words, but no document."
	case m.Table != nil:
		return "The file holds weights of columns, the words that its columns take and ranges of their numbers, but no row."
	}
	return "The file holds weights of columns and ranges of their numbers, but no row."
}
