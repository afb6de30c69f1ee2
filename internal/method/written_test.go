package method

import (
	"cmp"
	"errors"
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/result"
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
				r := result.Recipe{Method: m.ID, Set: map[string]string{"degree": degree}}
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
	_, _, err := Read(result.Recipe{Method: "rls", Set: map[string]string{"lambda": "0"}})
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

// TestRemediesHelp: what a refusal says to do instead is accepted, of every two things that any method can be asked.
func TestRemediesHelp(t *testing.T) {
	tried := map[string]bool{}
	for _, m := range All() {
		list := asks(m)
		for i, a := range list {
			for _, b := range list[i:] {
				if a.key == b.key && a != b {
					continue
				}
				r := recipe(t, m, a, b)
				_, _, err := Read(r)
				var usage *result.UsageError
				if !errors.As(err, &usage) {
					continue
				}
				for _, problem := range usage.Problems {
					for _, remedy := range remediesIn(problem) {
						if tried[problem+remedy] {
							continue
						}
						tried[problem+remedy] = true
						if why := unhelped(t, remedied(t, r, remedy), problem, 3); why != "" {
							t.Errorf("%s %v %v: %s\nand with %q: %s", m.ID, a, b, problem, remedy, why)
						}
					}
				}
			}
		}
	}
	if len(tried) < 100 {
		t.Errorf("%d remedies were found", len(tried))
	}
}

// unhelped is empty where what a problem is about is no longer refused, or is not after some more steps that are said each time.
func unhelped(t *testing.T, r result.Recipe, problem string, steps int) string {
	about, _, _ := strings.Cut(problem, ":")
	_, _, err := Read(r)
	var usage *result.UsageError
	if !errors.As(err, &usage) {
		return ""
	}
	for _, next := range usage.Problems {
		if !strings.HasPrefix(next, about+":") {
			continue
		}
		remedies := remediesIn(next)
		if next == problem || steps == 0 || len(remedies) == 0 {
			return next
		}
		for _, remedy := range remedies {
			if why := unhelped(t, remedied(t, r, remedy), next, steps-1); why != "" {
				return why
			}
		}
	}
	return ""
}

var (
	additions = regexp.MustCompile(`(?:add|use|or) (--set [a-z_]+=[^\s,;]+|--[a-z-]+ [^\s,;]+)`)
	choices   = regexp.MustCompile(`choose --method ([a-z0-9-]+(?:, [a-z0-9-]+)*(?: or [a-z0-9-]+)?)`)
)

// remediesIn are the things that a refusal says to add or to choose.
func remediesIn(problem string) []string {
	_, text, _ := strings.Cut(problem, "; ")
	var list []string
	for _, found := range additions.FindAllStringSubmatch(text, -1) {
		list = append(list, strings.TrimPrefix(found[1], "--set "))
	}
	for _, found := range choices.FindAllStringSubmatch(text, -1) {
		for _, id := range strings.Split(strings.ReplaceAll(found[1], " or ", ", "), ", ") {
			list = append(list, "--method "+id)
		}
	}
	return list
}

// remedied is the recipe with a remedy.
func remedied(t *testing.T, r result.Recipe, remedy string) result.Recipe {
	if id, ok := strings.CutPrefix(remedy, "--method "); ok {
		r.Method = id
		return r
	}
	add := asked(t, "rls "+remedy)
	r.Set = maps.Clone(r.Set)
	maps.Copy(r.Set, add.Set)
	r.Tune, r.Search, r.Kernel = cmp.Or(add.Tune, r.Tune), cmp.Or(add.Search, r.Search), cmp.Or(add.Kernel, r.Kernel)
	r.Basis, r.Multiclass, r.Offset = cmp.Or(add.Basis, r.Basis), cmp.Or(add.Multiclass, r.Multiclass), cmp.Or(add.Offset, r.Offset)
	r.Scale, r.Decide, r.Effort = cmp.Or(add.Scale, r.Scale), cmp.Or(add.Decide, r.Decide), cmp.Or(add.Effort, r.Effort)
	if add.Views != nil {
		r.Views = add.Views
	}
	return r
}
