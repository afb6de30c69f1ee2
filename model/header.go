package model

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/drift"
	"github.com/mercer-ml/mercer/result"
)

// A model file, described in docs/formats.md:
//
//	"mercer model 6\n"       magic and version
//	uint64                   length of the header
//	header                   JSON
//	blocks                   numbers, in the order of the header, each little-endian
//	SHA-256                  of everything before
const (
	magic   = "mercer model "
	version = 6
	// Files are written in the oldest version that has all that is in them, as older programs read those:
	// words is that without a table or a decision by probabilities (Decision, Shares), known that without words and TF-IDF too, plain that
	// without a mean that is known at its centres.
	known = 4
	words = 5
	plain = 3
	// maxHeader bounds the JSON header; block sizes are bounded by the file.
	maxHeader = 1 << 28
)

// header is the JSON part. Functions name their centres by number, so that
// several may share them.
type header struct {
	Method      string           `json:"method"`
	Task        data.Task        `json:"task"`
	Classes     []string         `json:"classes,omitempty"`
	Pairs       bool             `json:"pairs,omitempty"`
	Label       string           `json:"label,omitempty"`
	Columns     int              `json:"columns"`
	Features    []string         `json:"features,omitempty"`
	Text        *data.Text       `json:"text,omitempty"`
	Table       *data.Table      `json:"table,omitempty"`
	Fill        []float64        `json:"fill,omitempty"`
	Sparse      bool             `json:"sparse,omitempty"`
	Scaling     data.Scaling     `json:"scaling"`
	Calibration *calibration     `json:"calibration,omitempty"`
	Decision    *result.Decision `json:"decision,omitempty"`
	Residuals   *Residuals       `json:"residuals,omitempty"`
	Profile     *drift.Profile   `json:"profile,omitempty"`
	Recipe      json.RawMessage  `json:"recipe,omitempty"`
	Result      json.RawMessage  `json:"result,omitempty"`
	Centres     list[centres]    `json:"centres"`
	Parts       list[partHeader] `json:"parts"`
	Front       *frontHeader     `json:"front,omitempty"`
}

// centres are rows x columns float64, or for sparse rows: rows+1 int64 starts,
// nonzeros int32 columns, nonzeros float64 values.
type centres struct {
	Rows     int  `json:"rows"`
	Columns  int  `json:"columns"`
	Sparse   bool `json:"sparse,omitempty"`
	Nonzeros int  `json:"nonzeros,omitempty"`
}

type partHeader struct {
	View      string               `json:"view,omitempty"`
	Columns   []int                `json:"columns,omitempty"`
	Functions list[functionHeader] `json:"functions"`
	Offset    []float64            `json:"offset,omitempty"`
}

// Kinds of functions.
const (
	kindExpansion = "expansion"
	kindLinear    = "linear"
	kindMean      = "mean"
)

// functionHeader is a function; its coefficients are a block, of as many rows as it has centres,
// or of linear weights columns, and a column an output.
type functionHeader struct {
	Kind    string          `json:"kind"`
	Kernel  json.RawMessage `json:"kernel,omitempty"`
	Centres int             `json:"centres,omitempty"`
	Rows    []int           `json:"rows,omitempty"`
	Known   bool            `json:"known,omitempty"`
}

type frontHeader struct {
	Chosen  int                `json:"chosen"`
	Members list[memberHeader] `json:"members"`
	centres []centres          // that stand before the members' coefficients in version 2
}

type memberHeader struct {
	Risk       float64          `json:"risk"`
	Complexity float64          `json:"complexity"`
	Parts      list[partHeader] `json:"parts"`
}

// list is a JSON list of which each element is looked at as it is read: a text of many empty
// ones, two bytes each, is refused at the first and does not fill the memory.
type list[T interface{ lacks() string }] []T

// UnmarshalJSON reads the elements one by one; null is no list.
func (l *list[T]) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return fmt.Errorf("%v where a list is due", t)
	}
	*l = []T{}
	for d.More() {
		var one T
		if err := d.Decode(&one); err != nil {
			return err
		}
		if what := one.lacks(); what != "" {
			return fmt.Errorf("element %d of a list has no %s", len(*l)+1, what)
		}
		*l = append(*l, one)
	}
	return nil
}

func (c centres) lacks() string {
	if c.Rows == 0 {
		return "rows"
	}
	return ""
}

func (p partHeader) lacks() string {
	if p.Functions == nil {
		return "functions"
	}
	return ""
}

func (f functionHeader) lacks() string {
	if f.Kind == "" {
		return "kind"
	}
	return ""
}

func (m memberHeader) lacks() string {
	if m.Parts == nil {
		return "parts"
	}
	return ""
}

// describe is the header of rows.
func describe(rows data.Rows) centres {
	c := centres{Rows: rows.Len(), Columns: rows.Dim()}
	if rows.Sparse != nil {
		c.Sparse, c.Nonzeros = true, rows.Sparse.NNZ()
	}
	return c
}

// model is the model but for its parts and its front, which are in the blocks.
func (h *header) model() *Model {
	return &Model{
		Method: h.Method, Task: h.Task, Classes: h.Classes, Pairs: h.Pairs, Label: h.Label, Columns: h.Columns, Features: h.Features,
		Text: h.Text, Table: h.Table, Fill: h.Fill, Sparse: h.Sparse,
		Scaling: h.Scaling, Calibration: h.Calibration.value(), Decision: h.Decision, Residuals: h.Residuals, profile: h.Profile,
		Recipe: h.Recipe, Result: h.Result,
	}
}

// headerOf is the header of a model, with neither centres, parts nor front.
func headerOf(m *Model) *header {
	return &header{
		Method: m.Method, Task: m.Task, Classes: m.Classes, Pairs: m.Pairs, Label: m.Label, Columns: m.Columns, Features: m.Features,
		Text: m.Text, Table: m.Table, Fill: m.Fill, Sparse: m.Sparse,
		Scaling: m.Scaling, Calibration: named(m.Calibration), Decision: m.Decision, Residuals: m.Residuals, Profile: m.profile,
		Recipe: m.Recipe, Result: m.Result,
		Centres: list[centres]{}, Parts: list[partHeader]{},
	}
}

// FileError says what is wrong with a model file.
type FileError struct{ File, What, Remedy string }

func (e *FileError) Error() string { return fmt.Sprintf("%s: %s; %s", e.File, e.What, e.Remedy) }

func corrupt(format string, args ...any) error {
	return &FileError{"model", fmt.Sprintf(format, args...), "the file is damaged; fit the model again"}
}
