package method_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// What is described is what a recipe accepts.
func TestEntriesAreAccepted(t *testing.T) {
	seen := map[string]bool{}
	combined := map[string]bool{"sum": true, "product": true, "columns": true, "normalised": true}
	for _, e := range method.Entries() {
		key := e.Kind + " " + e.ID
		if seen[key] {
			t.Errorf("%s twice", key)
		}
		seen[key] = true
		if e.Title == "" || e.About == "" || e.Source == "" {
			t.Errorf("%s: title, about and source are needed", key)
		}
		id := strings.NewReplacer(":K", ":5", ":SHARE", ":0.2", ":NAME", ":span").Replace(e.ID)
		if found := method.FindEntries(id); len(found) == 0 {
			t.Errorf("%s is not found", id)
		}
		var r mercer.Recipe
		switch e.Kind {
		case method.KindMethod:
			r.Method = id
		case method.KindScore:
			if r.Tune = id; strings.HasPrefix(id, "bound:") {
				r.Method = "svm" // there is none for the square loss of auto
			}
		case method.KindSearch:
			if r.Search = id; id != "auto" {
				r.Method = "rls" // auto is not searched
			}
		case method.KindLoss:
			if _, err := learn.ParseLoss(id); err != nil {
				t.Error(err)
			}
			continue
		case method.KindKernel:
			if !combined[id] {
				if _, err := kernel.Parse(id, nil); err != nil {
					t.Error(err)
				}
			}
			continue
		}
		err := mercer.Check(r)
		if id == "press-system" {
			var u *mercer.UsageError
			if !errors.As(err, &u) {
				t.Error("--tune press-system is for reproduction only")
			}
		} else if err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
}

func TestFindEntries(t *testing.T) {
	for id, want := range map[string]int{"auto": 3, "kfold": 1, "kfold:10": 1, "holdout:0.5": 1, "loo:press": 1, "loo": 0, "lap": 0,
		"gaussian:2": 0} {
		if got := len(method.FindEntries(id)); got != want {
			t.Errorf("%s: %d entries, want %d", id, got, want)
		}
	}
}

// Every kernel that has a name is described.
func TestEveryKernelIsListed(t *testing.T) {
	for _, name := range kernel.Names() {
		if len(method.FindEntries(name)) == 0 {
			t.Errorf("kernel %s is missing", name)
		}
	}
}

// TestKinds: every search, method and loss is listed once, as what it is.
func TestKinds(t *testing.T) {
	of := map[string][]string{}
	for _, e := range method.Entries() {
		of[e.Kind] = append(of[e.Kind], e.ID)
	}
	if len(of) != 5 {
		t.Errorf("%d kinds", len(of))
	}
	sorted := func(list []string) []string { return slices.Sorted(slices.Values(list)) }
	if got, want := sorted(of[method.KindSearch]), sorted(task.Searches); !slices.Equal(got, want) {
		t.Errorf("searches %v, want %v", got, want)
	}
	if got, want := sorted(of[method.KindMethod]), sorted(method.IDs(nil)); !slices.Equal(got, want) {
		t.Errorf("methods %v, want %v", got, want)
	}
	_, err := learn.ParseLoss("no such loss")
	_, names, _ := strings.Cut(err.Error(), "one of ")
	if got, want := sorted(of[method.KindLoss]), sorted(strings.Split(names, ", ")); !slices.Equal(got, want) {
		t.Errorf("losses %v, want %v", got, want)
	}
}
