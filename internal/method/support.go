package method

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/task"
)

// Support is what can be asked of a method beside its settings.
type Support struct {
	Searched bool // a search may move the parameters of one machine
	Closed   bool // scores that only the square loss has: gcv, cp, aic, bic
	Folds    bool // scores by folds
	Gradient bool // a score with a derivative, and so searches by gradients
	Bounds   bool // bounds of the leave-one-out error as scores
	NewRows  bool // scores by folds whose rows leave the graph too
	Graph    bool // a graph of all rows
	Front    bool // a front, and decisions on it
	Pairs    bool // one-versus-one for more than two classes
	Views    bool // one function a view, of which it needs two
	LogOdds  bool // outputs that are log-odds, because the loss makes them so
	Pieces   bool // without a search by name its costly steps are pieces of package share, which a journal keeps
}

// need is something that a request may ask for and that not every method supports.
type need struct {
	asked func(task.Request) bool
	has   func(Support) bool
	// says what was asked and why the method does not have it.
	says func(task.Request) string
}

func needs() []need {
	return []need{
		{
			asked: func(r task.Request) bool { return task.Differentiates(r.Search()) },
			has:   func(o Support) bool { return o.Gradient || !o.Searched },
			says: func(r task.Request) string {
				return fmt.Sprintf("--search %s: its machines with these settings are no smooth function of their parameters", r.Search())
			},
		},
		{
			asked: func(r task.Request) bool { return r.Scoring.Closed() },
			has:   func(o Support) bool { return o.Closed },
			says: func(r task.Request) string {
				return fmt.Sprintf("--tune %s: it is a closed form of least squares on a kernel", r.Scoring.Name)
			},
		},
		{
			asked: func(r task.Request) bool { return r.Scoring.Bound != 0 },
			has:   func(o Support) bool { return o.Bounds },
			says: func(r task.Request) string {
				return fmt.Sprintf("--tune %s: it is for two classes by the hinge or the squared hinge", r.Scoring.Name)
			},
		},
		{
			asked: func(r task.Request) bool { return r.Scoring.Folds > 0 || r.Scoring.Share > 0 },
			has:   func(o Support) bool { return o.Folds },
			says: func(r task.Request) string {
				return fmt.Sprintf("--tune %s: it is not judged by folds", r.Scoring.Name)
			},
		},
		{
			asked: func(r task.Request) bool { return r.Scoring.Inductive },
			has:   func(o Support) bool { return o.NewRows },
			says: func(r task.Request) string {
				return fmt.Sprintf("--tune %s: its machines are judged with all rows at hand", r.Scoring.Name)
			},
		},
		{
			asked: func(r task.Request) bool { return r.Recipe.Decide != "" && r.Recipe.Decide != "default" },
			has:   func(o Support) bool { return !o.Front },
			says: func(r task.Request) string {
				return fmt.Sprintf("--decide %s: members of fronts have no probabilities", r.Recipe.Decide)
			},
		},
		{
			asked: func(r task.Request) bool { return r.Recipe.Multiclass == "one-vs-one" },
			has:   func(o Support) bool { return o.Pairs },
			says:  func(task.Request) string { return "--multiclass one-vs-one: it trains one-versus-rest" },
		},
	}
}

// meet compares what is asked with what the method supports, and computes the remedy: another
// loss of the same method, or other methods.
func (m Method) meet(r task.Request) []string {
	var bad []string
	support := m.Supports(r.Values)
	needs := slices.DeleteFunc(needs(), func(n need) bool { return !n.asked(r) })
	for _, n := range needs {
		if n.has(support) {
			continue
		}
		text := fmt.Sprintf("%s (method %s)", n.says(r), m.ID)
		var remedies []string
		if l := m.lossesWith(r, n.has); l != "" {
			remedies = append(remedies, "add --set loss="+l)
		}
		if ids := IDs(func(o Method) bool { return o.instead(m, r, needs) }); len(ids) > 0 {
			remedies = append(remedies, "choose --method "+strings.Join(ids, ", "))
		}
		if len(remedies) == 0 {
			remedies = []string{"leave it out"}
		}
		bad = append(bad, text+"; "+strings.Join(remedies, ", or "))
	}
	return bad
}

// lossesWith lists the losses with which the method supports what is needed.
func (m Method) lossesWith(r task.Request, has func(Support) bool) string {
	s, ok := m.Setting(lossSetting)
	if !ok {
		return ""
	}
	var list []string
	for _, word := range s.Words {
		v := withWord(r.Values, s, word)
		if has(m.Supports(v)) {
			list = append(list, word)
		}
	}
	return strings.Join(list, " or loss=")
}

// instead says whether the method, with the loss of the one that was asked if that is among its own, supports all that is needed for the
// same task.
func (m Method) instead(asked Method, r task.Request, needs []need) bool {
	if m.ID == asked.ID || m.ID == Auto || m.For != 0 && asked.For != 0 && m.For != asked.For ||
		m.Supports(nil).Views && len(r.Recipe.Views) == 0 {
		return false
	}
	supports := []Support{m.Supports(nil)}
	if s, ok := m.Setting(lossSetting); ok && slices.Contains(s.Words, r.Values.Word(s)) {
		supports = append(supports, m.Supports(r.Values))
	}
	return !slices.ContainsFunc(supports, func(o Support) bool {
		return !o.Searched || slices.ContainsFunc(needs, func(n need) bool { return !n.has(o) })
	})
}
