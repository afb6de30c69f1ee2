package method

import (
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/search/param"
)

// The kinds of entries.
const (
	KindMethod = "method"
	KindKernel = "kernel"
	KindScore  = "score"
	KindSearch = "search"
	KindLoss   = "loss"
)

// Entry describes one thing that a recipe chooses by its name, from its declaration. ID is what the command line takes; a part
// in capitals (kfold:K) stands for a number.
type Entry struct {
	Kind       string          `json:"kind"`
	ID         string          `json:"id"`
	Also       []string        `json:"also,omitempty"` // other names that it is found by
	Title      string          `json:"title"`
	Formula    string          `json:"formula,omitempty"` // lines
	About      string          `json:"about"`
	Cost       string          `json:"cost,omitempty"`
	Objective  string          `json:"objective,omitempty"`  // what certificate.objective is
	Residual   string          `json:"residual,omitempty"`   // what certificate.residual is
	Parameters []param.Meaning `json:"parameters,omitempty"` // what --set NAME=VALUE takes, and options
	Source     string          `json:"source"`
	LIBSVM     string          `json:"libsvm,omitempty"`
	SciKit     string          `json:"scikit_learn,omitempty"`
	Example    string          `json:"example,omitempty"`
}

// Entries describes all methods, kernels, scores, searches and losses, each in the order of its table.
func Entries() []Entry {
	var list []Entry
	for _, m := range All() {
		list = append(list, m.entry())
	}
	for _, table := range []struct {
		kind string
		rows []param.Words
	}{{KindKernel, kernel.Kinds()}, {KindScore, task.Scores()}, {KindSearch, task.SearchKinds()}, {KindLoss, learn.Losses()}} {
		for _, w := range table.rows {
			list = append(list, Entry{Kind: table.kind, ID: w.ID, Title: w.Title, Formula: w.Formula, About: w.About, Cost: w.Cost,
				Parameters: w.Parameters, Source: w.Source, LIBSVM: w.LIBSVM, SciKit: w.SciKit, Example: w.Example})
		}
	}
	return list
}

// entry describes the method.
func (m Method) entry() Entry {
	e := Entry{Kind: KindMethod, ID: m.ID, Also: m.Also, Title: m.Title, Formula: m.Formula, About: m.About, Cost: m.Cost, Source: m.Source,
		Objective: m.Certificate.Objective, Residual: m.Certificate.Residual, LIBSVM: m.LIBSVM, SciKit: m.SciKit, Example: m.Example}
	for _, s := range m.Settings {
		name := s.Name
		if s.Flag {
			name = "--" + name
		}
		e.Parameters = append(e.Parameters, param.Meaning{Name: name, Range: s.Accepts(), Default: s.Default, About: s.About})
	}
	return e
}

// FindEntries returns the entries called id, which may have numbers in it (kfold:5); more than one if kinds share a name.
func FindEntries(id string) []Entry {
	name, _, numbered := strings.Cut(id, ":")
	return slices.DeleteFunc(Entries(), func(e Entry) bool {
		stem, what, ok := strings.Cut(e.ID, ":")
		numbers := ok && what == strings.ToUpper(what) && stem == name && (numbered || id == stem)
		return e.ID != id && !slices.Contains(e.Also, id) && !numbers
	})
}

// Meaning says what a parameter is: by the declaration of the method, or of the first kernel that has
// it; "" if neither has one of this name. A term's and a column's number are left out before.
func Meaning(id, parameter string) string {
	if m, ok := Find(id); ok {
		for _, s := range m.Settings {
			if s.Name == parameter && !s.Flag {
				return s.About
			}
		}
	}
	for _, w := range kernel.Kinds() {
		for _, p := range w.Parameters {
			if name, _, _ := strings.Cut(p.Name, "["); name == parameter {
				return p.About
			}
		}
	}
	return ""
}
