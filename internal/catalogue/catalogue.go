// Package catalogue describes what a fit can be made of: every method, kernel,
// score, search and loss, with parameters, ranges, defaults, where it is from and what
// it is called in LIBSVM and scikit-learn. What it says of methods and kernels is read from
// their declarations (packages method and kernel).
//
// Change here the words for scores, searches and losses; those for a method or a kernel stand in
// its file.
package catalogue

import (
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/search/param"
)

// The kinds of entries.
const (
	Method = "method"
	Kernel = "kernel"
	Score  = "score"
	Search = "search"
	Loss   = "loss"
)

// Entry describes one choice. ID is what the command line takes; a part in
// capitals (kfold:K) stands for a number.
type Entry struct {
	Kind       string      `json:"kind"`
	ID         string      `json:"id"`
	Also       []string    `json:"also,omitempty"` // other names that it is found by
	Title      string      `json:"title"`
	Formula    string      `json:"formula,omitempty"` // lines
	About      string      `json:"about"`
	Cost       string      `json:"cost,omitempty"`
	Objective  string      `json:"objective,omitempty"` // what certificate.objective is
	Residual   string      `json:"residual,omitempty"`  // what certificate.residual is
	Parameters []Parameter `json:"parameters,omitempty"`
	Source     string      `json:"source"`
	LIBSVM     string      `json:"libsvm,omitempty"`
	SciKit     string      `json:"scikit_learn,omitempty"`
	Example    string      `json:"example,omitempty"`
}

// Parameter is a hyper-parameter or option: what --set NAME=VALUE takes.
type Parameter struct {
	Name    string `json:"name"`
	Range   string `json:"range"`
	Default string `json:"default"`
	About   string `json:"about"`
}

// List returns all entries: methods, kernels, scores, searches, losses.
func List() []Entry {
	return slices.Concat(methods(), kernels(), scores(), bounds(), searches(), losses())
}

// Find returns the entries called id, which may have numbers in it (kfold:5);
// more than one if kinds share a name.
func Find(id string) []Entry {
	var found []Entry
	name, _, numbered := strings.Cut(id, ":")
	for _, e := range List() {
		if e.ID == id || slices.Contains(e.Also, id) {
			found = append(found, e)
			continue
		}
		stem, what, ok := strings.Cut(e.ID, ":")
		if ok && what == strings.ToUpper(what) && stem == name && (numbered || id == stem) {
			found = append(found, e)
		}
	}
	return found
}

// methods are the entries of all methods.
func methods() []Entry {
	var list []Entry
	for _, m := range method.All() {
		e := Entry{Kind: Method, ID: m.ID, Also: m.Also, Title: m.Title, Formula: m.Formula, About: m.About, Cost: m.Cost, Source: m.Source,
			Objective: m.Certificate.Objective, Residual: m.Certificate.Residual,
			LIBSVM: m.LIBSVM, SciKit: m.SciKit, Example: m.Example}
		for _, s := range m.Settings {
			name := s.Name
			if s.Flag {
				name = "--" + name
			}
			e.Parameters = append(e.Parameters, Parameter{name, s.Accepts(), s.Default, s.About})
		}
		list = append(list, e)
	}
	return list
}

// kernels are the entries of all kernels.
func kernels() []Entry { return described(Kernel, kernel.Kinds()) }

// described are entries of a kind from their words.
func described(kind string, list []param.Words) []Entry {
	entries := make([]Entry, len(list))
	for i, w := range list {
		entries[i] = Entry{
			Kind: kind, ID: w.ID, Title: w.Title, Formula: w.Formula, About: w.About, Source: w.Source,
			LIBSVM: w.LIBSVM, SciKit: w.SciKit, Example: w.Example,
		}
		for _, p := range w.Parameters {
			entries[i].Parameters = append(entries[i].Parameters, Parameter(p))
		}
	}
	return entries
}

// MethodSchema is what `mercer methods --schema` prints of a method: its settings as JSON schema.
type MethodSchema struct {
	ID       string         `json:"id"`
	Also     []string       `json:"also,omitempty"`
	Task     string         `json:"task"`
	Baseline string         `json:"baseline,omitempty"`
	Settings setting.Schema `json:"settings"`
}

// Schemas are those of all methods. A setting whose name begins with two dashes is a flag.
func Schemas() []MethodSchema {
	var list []MethodSchema
	for _, m := range method.All() {
		task := "any"
		if m.For != data.TaskAuto {
			task = m.For.String()
		}
		list = append(list, MethodSchema{m.ID, m.Also, task, m.Baseline, setting.Object(m.All())})
	}
	return list
}

// Meaning says what a parameter is: by the declaration of the method, or of the first kernel that has
// it; "" if neither has one of this name. A term's and a column's number are left out before.
func Meaning(id, parameter string) string {
	if m, ok := method.Find(id); ok {
		for _, s := range m.Settings {
			if s.Name == parameter && !s.Flag {
				return s.About
			}
		}
	}
	for _, e := range kernels() {
		for _, p := range e.Parameters {
			if name, _, _ := strings.Cut(p.Name, "["); name == parameter {
				return p.About
			}
		}
	}
	return ""
}
