// Package method holds every method as a value: what it is in words, the settings that it has,
// its family, the forms that it is computed in, and what it proposes to the automatic
// choice. The program reads everything that it knows of a method from here.
//
// A new method is one file here and one line in All. Read turns a recipe into a request by the
// declarations of its method, and refuses what the method does not have.
package method

import (
	"context"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/design"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
)

// Method is one way to learn. A new method is a function that returns a Method, and is called in All.
type Method struct {
	ID, Title, Formula, About, Cost, Source, Example, LIBSVM, SciKit string

	Also     []string    // other names that it is found by
	For      data.Task   // classes, numbers, or (TaskAuto) both
	Family   Family      // from which Coding and Supports follow
	Baseline string      // id of the supervised method printed beside it; "": it has none
	Coding   task.Coding // how rows and labels become a problem
	// Kernel is the one that is taken where none is asked for; "": that of task.Request.Spec.
	Kernel string
	// Settings that it has beside those that every method has, in the order in which they
	// are described.
	Settings []setting.Setting
	// Rules find combinations of settings that have no meaning. Each returns a complaint with its
	// remedy, or "" where it finds nothing.
	Rules []func(task.Request) string
	// Supports says what can be asked of the method when it has these settings.
	Supports func(setting.Values) Support
	// Forms are the ways to compute the method. The first that suits the number of rows is taken.
	Forms []Form
	// Rule returns what chooses from the candidates that a form trained.
	Rule func(*task.Task) choose.Rule
	// Design lists the candidates that the method proposes to the automatic choice; nil: none.
	Design func(*task.Task, design.Design) []*choose.Candidate
	// Race lists the machines on these kernels that the method enters for a race over many labelled
	// rows; nil: none.
	Race func(*task.Task, []kernel.Kernel) []*design.Entrant
	// Params returns the parameters of a chosen machine under the names that Settings gives them;
	// nil: the members of a front carry their own names.
	Params func(*task.Task, *choose.Candidate) map[string]any
	// Certificate says what is printed of how exactly the machine solves its problem; no words: nothing is.
	Certificate Certificate
}

// Form is one way to compute a method, and what it costs.
type Form struct {
	Name string
	// Suits says whether the form is for rows of this size; nil: always.
	Suits func(task.Size, task.Request) bool
	// Bytes is the most memory that the fit's own tables take at a time, beside the rows as read
	// and scaled. Cache is the part of it that kernel rows may take.
	Bytes func(task.Size, task.Request) float64
	Cache func(task.Size, task.Request) int64
	// Work is what the whole fit does. Of a search it counts as many evaluations as are usual.
	Work func(task.Size, task.Request) Work
	// Says tells the user what this form approximates; nil: nothing.
	Says func(task.Size, task.Request) string
	// Scale, if not "", is how dense features are scaled where the recipe leaves it and they would be left as they are.
	Scale string
	// Sample, if not nil, is the number of rows to learn from if there are more of them.
	Sample func(task.Request) int
	// Produce trains the candidates that the method's rule chooses from.
	Produce func(context.Context, *task.Task) (*choose.Candidates, error)
}

// Find returns the method called id, or by one of its other names; "" is auto.
func Find(id string) (Method, bool) {
	if id == "" {
		id = Auto
	}
	for _, m := range everyMethod() {
		if m.ID == id || slices.Contains(m.Also, id) {
			return m, true
		}
	}
	return Method{}, false
}

// IDs lists the methods that satisfy the condition; nil: all.
func IDs(keep func(Method) bool) []string {
	var ids []string
	for _, m := range everyMethod() {
		if keep == nil || keep(m) {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// Has says whether the method declares a setting of this key.
func (m Method) Has(key string) bool {
	_, ok := m.Setting(key)
	return ok
}

// Setting is the declaration of this key, and whether there is one.
func (m Method) Setting(key string) (setting.Setting, bool) {
	for _, s := range m.All() {
		if s.Key() == key {
			return s, true
		}
	}
	return setting.Setting{}, false
}

// keys are those of all settings.
func (m Method) keys() (list []string) {
	for _, s := range m.All() {
		list = append(list, s.Key())
	}
	return list
}

// All lists the method's settings and those that every method has.
func (m Method) All() []setting.Setting { return append(task.Common(), m.Settings...) }

// Form is the first form that suits the size.
func (m Method) Form(s task.Size, r task.Request) Form {
	for _, f := range m.Forms {
		if f.Suits == nil || f.Suits(s, r) {
			return f
		}
	}
	panic("method " + m.ID + ": no form suits " + s.String())
}

// lines joins lines of a formula.
func lines(l ...string) string { return strings.Join(l, "\n") }

// LearnsFromUnlabelled says whether rows without a label take part in learning: in a graph, in views that are to agree, or with labels
// that are guessed.
func (m Method) LearnsFromUnlabelled() bool {
	return !m.Family.supervised()
}

// Weighs says whether the loss of each row may have a weight.
func (m Method) Weighs() bool {
	_, ok := m.Setting("--" + task.Weight.Name)
	return ok
}
