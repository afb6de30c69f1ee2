package result

import (
	"slices"
)

// FrontResult is what `pareto --json` prints: the members by increasing complexity, none of
// which is worse than another in both, and the one chosen.
type FrontResult struct {
	Method   string            `json:"method"`
	Task     string            `json:"task"`
	Classes  []string          `json:"classes,omitempty"`
	Rows     RowCounts         `json:"rows"`
	Front    []FrontMember     `json:"front"`
	Parts    []FrontPart       `json:"-"` // the fronts it was merged from, of one width each; for figures
	Decision string            `json:"decision"`
	Assumed  string            `json:"assumed,omitempty"` // what the decision rests on
	Metrics  map[string]Metric `json:"metrics"`
	Trained  int               `json:"trained,omitempty"` // machines trained, those of the decision included
	Partial  bool              `json:"partial,omitempty"` // interrupted: nondominated among what there was
	// Violation is the largest relative violation of the optimality conditions on the paths.
	Violation float64   `json:"violation,omitempty"`
	Scaling   string    `json:"scaling,omitempty"`
	Seconds   Seconds   `json:"seconds"`
	Forecast  *Foreseen `json:"forecast,omitempty"`
	Warnings  []string  `json:"warnings,omitempty"`
	Model     string    `json:"model,omitempty"`
}

// FrontMember is one function of the front. Risk is the mean squared error on the labelled
// rows, or the mean hinge loss of machines with the hinge.
type FrontMember struct {
	Risk       float64        `json:"risk"`
	Complexity float64        `json:"complexity"`
	Params     map[string]any `json:"params"`
	Support    int            `json:"support"`
	Score      *float64       `json:"score,omitempty"`
	Chosen     bool           `json:"chosen"`
}

// Chosen is the number of the member chosen, from 0.
func (r *FrontResult) Chosen() int {
	return slices.IndexFunc(r.Front, func(m FrontMember) bool { return m.Chosen })
}

// FrontPart holds the points of the front of one width. It ends where the fronts of other widths are
// better from there on.
type FrontPart struct {
	Name             string
	Risk, Complexity []float64
}
