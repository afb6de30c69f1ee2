package method

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/internal/test/kept"
	"github.com/mercer-ml/mercer/result"
)

// TestDeclarations: what every method says of itself and of its settings, and what it offers with each
// word of them, is what testdata/declared.txt keeps.
func TestDeclarations(t *testing.T) {
	var now []string
	say := func(format string, args ...any) { now = append(now, fmt.Sprintf(format, args...)) }
	for _, m := range All() {
		say(
			"%s | %s | %q | %s | %s | %s | %s | %s | %s",
			m.ID,
			m.Title,
			m.Formula,
			m.About,
			m.Cost,
			m.Source,
			m.Example,
			m.LIBSVM,
			m.SciKit,
		)
		if m.Also != nil {
			say("  also %s", strings.Join(m.Also, ", "))
		}
		say("  for %v, beside %q, %+v, %+v", m.For, m.Baseline, m.Coding, m.Supports(nil))
		for _, f := range m.Forms {
			rows := 0
			if f.Sample != nil {
				rows = f.Sample(task.Request{})
			}
			say("  by %s, sample of %d", f.Name, rows)
		}
		for _, s := range m.All() {
			schema, err := json.Marshal(s.Schema())
			if err != nil {
				t.Fatal(err)
			}
			say("  %s: %s | %s", s, s.Accepts(), schema)
			for _, word := range s.Words {
				if o := m.Supports(setting.Values{s.Key(): {Text: word, Words: []string{word}}}); o != m.Supports(nil) {
					say("    %s: %+v", word, o)
				}
			}
		}
	}
	kept.Text(t, "testdata/declared.txt", strings.Join(now, "\n"))
}

// TestNames: every name finds one method.
func TestNames(t *testing.T) {
	seen := map[string]string{}
	for _, m := range All() {
		for _, name := range append([]string{m.ID}, m.Also...) {
			if other, ok := seen[name]; ok {
				t.Errorf("%s is a name of %s and of %s", name, other, m.ID)
			}
			seen[name] = m.ID
			if found, ok := Find(name); !ok || found.ID != m.ID {
				t.Errorf("%s finds %s, not %s", name, found.ID, m.ID)
			}
		}
	}
	if _, q, err := Read(result.Recipe{Method: "label-spreading"}); err != nil || q.Recipe.Method != "lgc" {
		t.Errorf("the recipe says %s (%v)", q.Recipe.Method, err)
	}
}

// ask is one thing that a recipe may ask for, as on the command line.
type ask struct{ key, text string }

// asks are values of every setting of a method: each word, and whatever it takes of some numbers and texts.
func asks(m Method) []ask {
	texts := map[string][]string{
		"--tune": {
			"none",
			"loo:error",
			"loo:smooth-wer",
			"kfold:5",
			"kfold:5:inductive",
			"holdout:0.3",
			"gcv",
			"bound:span",
			"bound:radius-margin",
			"bound:jaakkola-haussler",
		},
		"--kernel":       {"linear", "ard-gaussian", "polynomial"},
		"--decision":     {"bic", "gcv", "knee", "validation:4"},
		"--class-weight": {"balanced", "0=2"},
		"--view":         {"a=1..2", "a=0..2"},
	}
	var list []ask
	for _, s := range m.All() {
		if slices.Contains([]string{"--seed", "--budget", "--tol", "--scale", "--task"}, s.Key()) {
			continue // go with everything
		}
		for _, text := range append(slices.Clone(texts[s.Key()]), append(slices.Clone(s.Words), "0", "0.5", "3", "3,4", "0.5,0.5")...) {
			if _, err := s.Read(text); (err == nil || s.Key() == "--view") && !slices.Contains(list, ask{s.Key(), text}) {
				if s.Flag && texts[s.Key()] != nil && !slices.Contains(texts[s.Key()], text) {
					continue // any text will do
				}
				list = append(list, ask{s.Key(), text})
			}
		}
	}
	return append(list, ask{"sigma", "2"}, ask{"gamma", "2"})
}

// recipe asks for several things at once.
func recipe(t *testing.T, m Method, list ...ask) result.Recipe {
	text := m.ID
	for _, a := range list {
		switch {
		case strings.HasPrefix(a.key, "--"):
			text += " " + a.key + " " + a.text
		default:
			text += " " + a.key + "=" + a.text
		}
	}
	return asked(t, text)
}

// TestPairs: every two things that one method of a kind can be asked are taken or refused, in the words and by the
// form that testdata/pairs.txt keeps a sum of, a line a thing.
func TestPairs(t *testing.T) {
	var now []string
	size := task.Size{Rows: 8500, Labelled: 200, Features: 4, Outputs: 3, Stored: 34000}
	for _, id := range []string{Auto, "rls", "erm", "lap-rls", "c-lap-rls", "svm", "svr", "l2-svm", "lap-svm", "da-s3vm", "grad-tsvm",
		"lds",
		"graph-density", "one-class", "mobj-rbf", "mobj-svm", "nadaraya-watson", "graph-reg"} {
		m, _ := Find(id)
		list := asks(m)
		for i, a := range list {
			refused, sum := 0, fnv.New32a()
			first := ""
			for _, b := range list[i:] {
				if a.key == b.key && a != b {
					continue
				}
				said := ""
				_, q, err := Read(recipe(t, m, a, b))
				if err != nil {
					refused++
					said = err.Error()
					if a == b {
						first = said
					}
				} else {
					said = fmt.Sprint(m.Form(size, q).Name, m.Supports(q.Values), q.Search(), q.Scoring)
				}
				_, _ = fmt.Fprintln(sum, b, said) // a hash takes everything
			}
			now = append(
				now,
				fmt.Sprintf("%s %s=%s: %d refused, %08x %s", m.ID, a.key, a.text, refused, sum.Sum32(), cmp.Or(first, "taken alone")),
			)
		}
	}
	kept.Text(t, "testdata/pairs.txt", strings.Join(now, "\n"))
}
