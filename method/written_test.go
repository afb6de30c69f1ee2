package method

import (
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/task"
)

// TestWordsAreDescribed: what a page says of a setting's words is of words that are in its range, and the degrees that it names are
// accepted.
func TestWordsAreDescribed(t *testing.T) {
	for _, m := range All() {
		for _, s := range m.All() {
			for _, word := range []string{"cg:", "gradient descent", "fista", "real:"} {
				named := strings.Contains(s.About, word)
				if first := strings.FieldsFunc(word, func(r rune) bool { return r == ' ' || r == ':' })[0]; named && !has(s.Words, first) {
					t.Errorf("%s: %s describes %s, which it does not take: %s", m.ID, s.Key(), first, s.Accepts())
				}
			}
			if s.Key() != task.Degree.Key() || !has(s.Words, task.Real) {
				continue
			}
			for _, degree := range []string{"1", "1.5", task.Real} {
				r := task.Recipe{Method: m.ID, Set: map[string]string{"degree": degree}}
				if degree == task.Real {
					r.Search = "gradient"
					for _, loss := range []string{"squared-hinge", "squared-epsilon"} {
						if s, ok := m.Setting("loss"); ok && has(s.Words, loss) {
							r.Set["loss"] = loss
						}
					}
				}
				if _, _, err := Read(r); err != nil {
					t.Errorf("%s: degree=%s is offered: %v", m.ID, degree, err)
				}
			}
		}
		if m.Coding.Pairs {
			if s, ok := m.Setting(task.Scheme.Key()); !ok || s.Default != "one-vs-one" {
				t.Errorf("%s makes machines of pairs of classes, and its page says %q", m.ID, s.Default)
			}
		}
	}
	_, _, err := Read(task.Recipe{Method: "rls", Set: map[string]string{"lambda": "0"}})
	if err == nil || !strings.Contains(err.Error(), "--method erm") {
		t.Errorf("rls with lambda=0: %v", err)
	}
}

func has(list []string, word string) bool {
	for _, v := range list {
		if v == word {
			return true
		}
	}
	return false
}
