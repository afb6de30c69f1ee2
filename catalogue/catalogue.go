// Package catalogue describes what a fit can be made of: every method, kernel,
// score, search and loss, with parameters, ranges, defaults, where it is from and what
// it is called in LIBSVM and scikit-learn. It is data for people and scripts;
// nothing computes from it.
package catalogue

import (
	"slices"
	"strings"
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
	Title      string      `json:"title"`
	Formula    string      `json:"formula,omitempty"` // lines
	About      string      `json:"about"`
	Cost       string      `json:"cost,omitempty"`
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
	return slices.Concat(methods(), machines(), fronts(), kernels(), scores(), bounds(), searches(), losses())
}

// Find returns the entries called id, which may have numbers in it (kfold:5);
// more than one if kinds share a name.
func Find(id string) []Entry {
	var found []Entry
	name, _, numbered := strings.Cut(id, ":")
	for _, e := range List() {
		if e.ID == id {
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
