// Package methodtest is what every method must pass, without a line of its own: Run asks of it
// whatever any method can be asked, on small data.
//
//   - A setting changes the answer, or is refused with a remedy.
//   - Every answer that was seen on the way is the one that testdata keeps; -update writes them anew.
//   - What is printed, given back, repeats the fit, and what is set is printed as it was set.
//   - Labels that are hidden change nothing.
//   - The answer is the same by one processor and by several, and after it was saved and loaded.
//   - A fit that is interrupted keeps its best, and says so.
//   - The certificate is true: what the model is said to minimise it does, by the formulas of the
//     literature, computed from the model and the data alone.
//   - The forms of the method agree.
package methodtest

import (
	"context"
	"testing"

	"github.com/mercer-ml/mercer"
	inner "github.com/mercer-ml/mercer/internal/fit"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/model"
)

// Group is a set of methods that are tried in one test package. There are several, so that the go command runs them side by side and
// each ends long before its limit of time.
type Group int

// Every method is in one group. The package of a group has its name, and keeps the answers of its methods.
const (
	Supervised   Group = iota // from labelled rows alone, and the fronts
	Graphs                    // with a graph of all rows
	Transductive              // with guesses of the labels that are missing
	Views                     // one function a view
)

// group is the one that the method is in.
func group(m method.Method) Group {
	switch o := m.Supports(nil); {
	case o.Views:
		return Views
	case o.Graph:
		return Graphs
	case o.Searched && !o.NewRows:
		return Transductive
	}
	return Supervised
}

// RunGroup tries the methods of a group.
func RunGroup(t *testing.T, g Group) {
	t.Helper()
	if testing.Short() {
		t.Skip("some thousands of fits")
	}
	for _, id := range method.IDs(func(m method.Method) bool { return group(m) == g }) {
		t.Run(id, func(t *testing.T) { Run(t, id) })
	}
}

// Run tries the method called id.
func Run(t *testing.T, id string) {
	t.Helper()
	m, ok := method.Find(id)
	if !ok {
		t.Fatalf("no method %s", id)
	}
	a := newAnswers(t, m)
	for _, check := range []struct {
		name string
		run  func()
	}{
		{"settings", a.settingsCount},
		{"hidden labels", a.hiddenLabels},
		{"same answer", a.sameAnswer},
		{"repeated", func() { repeated(a.t, m) }},
		{"heeded", func() { heeded(a.t, m) }},
		{"written", a.written},
		{"moved numbers", func() { movedNumbers(a.t, m) }},
		{"weightless", func() { weightless(a.t, m) }},
		{"doubled", func() { doubled(a.t, m) }},
		{"interrupted", a.interrupted},
		{"certificate", func() { certificates(a.t, m) }},
		{"forms", func() { forms(a.t, m) }},
	} {
		t.Run(check.name, func(t *testing.T) {
			a.t = t
			check.run()
		})
	}
}

// fitted is a model and what was said of it: of methods with a front the front.
type fitted struct {
	model  *model.Model
	result *mercer.Result
	front  *mercer.FrontResult
}

// halves are two views of the columns.
func halves(in mercer.Input) []mercer.View {
	d := in.Set.Rows.Dim()
	return []mercer.View{{Name: "first", First: 1, Last: d / 2}, {Name: "rest", First: d/2 + 1, Last: d}}
}

// fit fits, by mercer.Pareto where the method has a front.
func fit(ctx context.Context, in mercer.Input, r mercer.Recipe, o mercer.Options) (f fitted, err error) {
	m, _ := method.Find(r.Method)
	if m.Supports(nil).Views && r.Views == nil {
		r.Views = halves(in)
	}
	if m.Supports(nil).Front {
		f.model, f.front, err = inner.Pareto(ctx, in, r, o, 0)
		return f, err
	}
	f.model, f.result, err = inner.Fit(ctx, in, r, o)
	return f, err
}
