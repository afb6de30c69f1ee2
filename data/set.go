package data

import (
	"math"
	"slices"
)

// MostWeight is the largest weight of a row: sums of many such, and their squares, are still numbers.
const MostWeight = 1e100

// Set is a table of rows and their raw answers, as read or generated.
type Set struct {
	Name      string
	Rows      Rows
	Features  []string // names of the columns; nil = numbered from 1 (sparse text)
	LabelName string   // column of the answers; "" = none
	Answers   Answers  // one a row; nil = no row has one
	Source    string   // file or built-in set, for messages
	Lines     []int    // line of each row in Source, from 1, 0 = none; nil = none at all
	Text      *Text    // how the columns, which count words, were made of text; nil = they were not
	Table     *Table   // how the columns were made of others; nil = they were numbers, and are as they were
	Dialect   *Dialect // how the text was cut; nil = it was no CSV
	Declared  bool     // the file declares that the answers are classes, as ARFF does, whatever they look like
	Coded     bool     // some number was written with a zero before its digits, as codes such as 01234 are

	ID     []string  // of each row, carried into predictions; nil = none
	Weight []float64 // of each row's loss, positive, at most MostWeight; nil = all 1
	Group  []string  // rows of one group stay together in folds, "" is none; nil = none
	Order  []float64 // places of the rows: folds look forward, NaN = before all others; nil = they have none
}

// Text says how documents become counts of words. Package internal/text makes them.
type Text struct {
	// Column of a table that has the text; "" of a folder, where every file is a document.
	Column string `json:"column,omitempty"`
	// NGrams: so many words in a row count as one, too; 0 is 1, words alone.
	NGrams int `json:"ngrams,omitempty"`
	// MinDocuments: words of fewer documents are left out; 0 is 1, all are kept.
	MinDocuments int `json:"min_documents,omitempty"`
}

// FitScaling is FitScaling of the set's rows. Auto weighs words of text by TF-IDF, and standardises the numbers of a
// table that holds other columns too, beside which zeros and ones are left as they are.
func (s *Set) FitScaling(kind string) (Scaling, string, error) {
	auto := kind == "" || kind == ScaleAuto
	switch {
	case auto && s.Table != nil:
		return s.Table.ScalingOf(kind, s.Rows.ColumnStats)
	case s.Text == nil || !auto:
		return FitScaling(kind, s.Rows)
	}
	scaling, _, err := FitScaling(ScaleTFIDF, s.Rows)
	return scaling, "words of text weighted by TF-IDF, rows scaled to length 1", err
}

// Answers are the raw answers of rows, one a row; "" = unlabelled.
type Answers []string

// Hide splits raw by the rows to keep: visible has the answers of those rows
// alone, hidden those of all others. Both have an answer or "" for every row.
func Hide(raw Answers, keep []int) (visible, hidden Answers) {
	visible, hidden = make(Answers, len(raw)), append(Answers(nil), raw...)
	for _, i := range keep {
		visible[i], hidden[i] = raw[i], ""
	}
	return visible, hidden
}

// Without returns the answers less those of some rows.
func (a Answers) Without(rows []int) Answers {
	out := append(Answers(nil), a...)
	for _, i := range rows {
		out[i] = ""
	}
	return out
}

// Answered lists the rows that have an answer.
func (a Answers) Answered() []int {
	var rows []int
	for i, v := range a {
		if !IsUnlabelled(v) {
			rows = append(rows, i)
		}
	}
	return rows
}

// Select returns the set of the rows listed, with their answers.
func (s *Set) Select(rows []int) *Set {
	out := *s
	out.Rows = s.Rows.Select(rows)
	if s.Answers != nil {
		out.Answers = s.Answers.Select(rows)
	}
	if s.Lines != nil {
		out.Lines = make([]int, len(rows))
		for q, i := range rows {
			out.Lines[q] = s.Lines[i]
		}
	}
	out.ID, out.Weight, out.Group = selected(s.ID, rows), selected(s.Weight, rows), selected(s.Group, rows)
	out.Order = selected(s.Order, rows)
	return &out
}

// selected lists what some rows have, nil if no row has it.
func selected[T any](of []T, rows []int) []T {
	if of == nil {
		return nil
	}
	out := make([]T, len(rows))
	for q, i := range rows {
		out[q] = of[i]
	}
	return out
}

// Select lists the answers of some rows.
func (a Answers) Select(rows []int) Answers { return selected(a, rows) }

// WithUnlabelled returns s followed by the rows of u, whose answers are not
// looked at. Neither set is changed; the error says that their columns differ.
func (s *Set) WithUnlabelled(u *Set) (*Set, error) {
	rows, err := s.Rows.Append(u.Rows)
	if err != nil {
		return nil, err
	}
	out := *s
	out.Rows, out.Lines = rows, nil
	out.Answers = make(Answers, rows.Len())
	copy(out.Answers, s.Answers)
	if s.Lines != nil { // rows of u have none
		out.Lines = append(append(out.Lines, s.Lines...), make([]int, u.Rows.Len())...)
	}
	out.ID, out.Group = beside(s.ID, u.ID, s.Rows.Len(), u.Rows.Len()), beside(s.Group, u.Group, s.Rows.Len(), u.Rows.Len())
	if s.Order != nil { // rows of u are there from the beginning
		out.Order = slices.Clone(s.Order)
		for range u.Rows.Len() {
			out.Order = append(out.Order, math.NaN())
		}
	}
	if s.Weight != nil { // of the loss, which rows of u do not have
		out.Weight = append(slices.Clone(s.Weight), slices.Repeat([]float64{1}, u.Rows.Len())...)
	}
	return &out, nil
}

// beside lists what the rows of one set and then those of another have, of so many rows.
func beside(a, b []string, n, more int) []string {
	if a == nil && b == nil {
		return nil
	}
	out := make([]string, n+more)
	copy(out, a)
	copy(out[n:], b)
	return out
}

// Dialect says how the text of a set was cut into cells.
type Dialect struct {
	Delimiter string `json:"delimiter"`
	Header    int    `json:"header"`            // lines that name the columns
	Skip      int    `json:"skip"`              // lines above them
	Unnamed   int    `json:"unnamed,omitempty"` // the column, from 1, that has none of the names, which are one fewer
	Quote     string `json:"quote,omitempty"`   // another one than ", or none
	Comment   string `json:"comment,omitempty"` // with which lines begin that are passed over
	Decimal   string `json:"decimal,omitempty"` // "," where numbers have decimal commas
}
