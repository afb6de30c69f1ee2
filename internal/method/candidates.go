package method

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/design"
	"github.com/mercer-ml/mercer/internal/learner/multiview"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
)

// chosen gives the candidates of a plan their names and keeps those that the recipe names. Where it names none of the plan, as for rows for
// which the design is another one, all are kept, which is said.
func chosen(t *task.Task, plan []*choose.Candidate) []*choose.Candidate {
	nameAll(plan)
	return only(t, plan, func(c *choose.Candidate) string { return c.Name })
}

// nameAll gives the candidates of a plan their names.
func nameAll(plan []*choose.Candidate) {
	count := map[string]int{}
	for _, c := range plan {
		c.Name = nameOf(c)
		if count[c.Name]++; count[c.Name] > 1 {
			c.Name += fmt.Sprintf(" (%d)", count[c.Name])
		}
	}
}

// only keeps what the recipe names.
func only[T any](t *task.Task, field []T, name func(T) string) []T {
	names := t.Recipe.Candidates
	if names == nil {
		return field
	}
	var kept []T
	for _, c := range field {
		if slices.Contains(names, name(c)) {
			kept = append(kept, c)
		}
	}
	if len(kept) == 0 {
		t.Warn("none of the %d candidates that the recipe names is in the design for these rows, so all of the design were compared",
			len(names))
		return field
	}
	return kept
}

// nameOf says what a candidate is in units that do not depend on the rows: the method, factors of the kernel's width, the graph, and
// the ratio of the norms.
func nameOf(c *choose.Candidate) string {
	name := []string{c.Method}
	switch {
	case c.Own != nil: // found in the rows
		name = append(name, kernelWord(c.Own))
	case c.Linear:
		name = append(name, "linear")
	default:
		name = append(name, fmt.Sprintf("width %g", c.Width))
	}
	if c.HasGraph() {
		graph, err := json.Marshal(c.Graph)
		if err != nil {
			panic(err) // plain numbers and words
		}
		name = append(name, fmt.Sprintf("ratio %g", c.Ratio), string(graph))
	}
	if c.Joint {
		name = append(name, "of all views")
	}
	if c.Trial != nil {
		name = append(name, "own learner")
	}
	return strings.Join(name, ", ")
}

// Kernels of several views in the names of candidates, which stand in stored recipes and so never change.
const (
	coupledWord    = "coupled"
	coupledSumWord = "sum"
)

// kernelWord names a kernel in the name of a candidate: as the table of kernels does, without hyphens.
func kernelWord(k kernel.Kernel) string {
	switch k.(type) {
	case multiview.Coupled:
		return coupledWord
	case multiview.Sum:
		return coupledSumWord
	}
	return strings.ReplaceAll(kernel.NameOf(k), "-", "")
}

// lateName is that of the entrants that are found during a race.
const lateName = "a width of each column"

// chosenEntrants gives the entrants of a race their names, the method, the kernel's place in the list and the place of the
// strength, and keeps those that the recipe names.
func chosenEntrants(t *task.Task, kernels []kernel.Kernel, field []*design.Entrant) []*design.Entrant {
	count := map[string]int{}
	for _, e := range field {
		place := slices.IndexFunc(kernels, func(k kernel.Kernel) bool { return reflect.DeepEqual(k, e.Kernel) })
		name := fmt.Sprintf("%s, kernel %d", e.Method, place+1)
		count[name]++
		e.Name = fmt.Sprintf("%s, strength %d", name, count[name])
	}
	if slices.Equal(t.Recipe.Candidates, []string{lateName}) { // which needs a field to be found beside
		return field
	}
	return only(t, field, func(e *design.Entrant) string { return e.Name })
}
