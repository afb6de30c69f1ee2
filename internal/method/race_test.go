package method_test

import (
	"maps"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/result"
)

// formOf is the form that auto takes for a recipe and a size.
func formOf(t *testing.T, r result.Recipe, rows, labelled int) string {
	t.Helper()
	m, request, err := method.Read(r)
	if err != nil {
		t.Fatal(err)
	}
	s := task.Size{Rows: rows, Labelled: labelled, Features: 5, Outputs: 2, Pair: labelled, Task: data.Classification, Processors: 2}
	return m.Form(s, request.Scored(m.Coding, s.Task, labelled)).Name
}

// More effort never takes fewer rows, machines or landmarks, and normal is what is done without the word.
func TestEffortGrows(t *testing.T) {
	var last result.Recipe
	rows := func(r result.Recipe) (round float64, sample int) {
		m, q, err := method.Read(r)
		if err != nil {
			t.Fatal(err)
		}
		s := task.Size{Rows: 200000, Labelled: 200000, Features: 5, Outputs: 2, Pair: 200000, Stored: 1e6, Processors: 2}
		s.Task = data.Classification
		w := m.Form(s, q).Work(s, q)
		s.Labelled = 100
		form := m.Form(s, q)
		return w.Products, form.Sample(q)
	}
	for i, word := range []string{"low", "normal", "high"} {
		r := result.Recipe{Effort: word}
		if round, sample := rows(r); i > 0 {
			if h, s := rows(last); round <= h || sample != 2*s {
				t.Errorf("--effort %s: %g products, a sample of %d; %s: %g and %d", word, round, sample, last.Effort, h, s)
			}
		}
		last = r
	}
	a, b := rows(result.Recipe{Effort: "normal"})
	if c, d := rows(result.Recipe{}); a != c || b != d {
		t.Error("--effort normal is not the default")
	}
	for _, r := range []result.Recipe{{Effort: "more"}, {Effort: "low", Method: "rls"}, {Effort: "high", Tune: "none"}} {
		if _, _, err := method.Read(r); err == nil {
			t.Errorf("%+v is taken", r)
		}
	}
}

// Many labels are a race, few labels, or many rows without, are not; nor is what asks for another way.
func TestWhenAutoRaces(t *testing.T) {
	for _, c := range []struct {
		rows, labelled int
		want           string
	}{
		{99, 99, "tables"}, {100, 100, "stack"}, {2000, 2000, "stack"}, {2000, 1999, "tables"},
		{2001, 2001, "race"}, {4002, 2001, "race"}, {4003, 2001, "tables"}, {1e6, 1e6, "race"},
		{9000, 100, "sample"}, {9000, 3000, "landmarks"}, {6000, 3000, "race"},
	} {
		if got := formOf(t, result.Recipe{}, c.rows, c.labelled); got != c.want {
			t.Errorf("%d rows, %d labelled: by %s, not by %s", c.rows, c.labelled, got, c.want)
		}
	}
	set := map[string]string{
		"lambda": "0.1", "gamma_a": "0.1", "gamma_i": "0.1", "neighbours": "5", "degree": "2", "balance": "0.5", "exact": "true",
		"outer": "mse",
	}
	others := map[string]result.Recipe{"tune": {Tune: "loo:press"}, "budget": {Budget: 3}, "groups": {Groups: "auto"}}
	for name, value := range set {
		others[name] = result.Recipe{Set: map[string]string{name: value}}
	}
	others["view"] = result.Recipe{Views: []result.View{{Name: "a", First: 1, Last: 2}}}
	for _, name := range []string{"tune", "budget", "groups", "view"} {
		if formOf(t, others[name], 3000, 3000) == "race" {
			t.Errorf("--%s does not keep auto from racing", name)
		}
	}
	for name := range maps.Keys(set) {
		if formOf(t, others[name], 3000, 3000) == "race" {
			t.Errorf("--set %s does not keep auto from racing", name)
		}
	}
	for _, r := range []result.Recipe{{Kernel: "laplacian"}, {Set: map[string]string{"sigma": "2"}}, {Tune: "auto"}, {Scale: "minmax"}} {
		if formOf(t, r, 3000, 3000) != "race" {
			t.Errorf("%+v keeps auto from racing", r)
		}
	}
}
