package catalogue_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/catalogue"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// What the catalogue lists is what a recipe accepts.
func TestEntriesAreAccepted(t *testing.T) {
	seen := map[string]bool{}
	combined := map[string]bool{"sum": true, "product": true, "columns": true, "normalised": true}
	for _, e := range catalogue.List() {
		key := e.Kind + " " + e.ID
		if seen[key] {
			t.Errorf("%s twice", key)
		}
		seen[key] = true
		if e.Title == "" || e.About == "" || e.Source == "" {
			t.Errorf("%s: title, about and source are needed", key)
		}
		id := strings.NewReplacer(":K", ":5", ":SHARE", ":0.2", ":NAME", ":span").Replace(e.ID)
		if found := catalogue.Find(id); len(found) == 0 {
			t.Errorf("%s is not found", id)
		}
		var r mercer.Recipe
		switch e.Kind {
		case catalogue.Method:
			r.Method = id
		case catalogue.Score:
			if r.Tune = id; strings.HasPrefix(id, "bound:") {
				r.Method = "svm" // there is none for the square loss of auto
			}
		case catalogue.Search:
			if r.Search = id; id != "auto" {
				r.Method = "rls" // auto is not searched
			}
		case catalogue.Loss:
			if _, err := learn.ParseLoss(id); err != nil {
				t.Error(err)
			}
			continue
		case catalogue.Kernel:
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

func TestFind(t *testing.T) {
	for id, want := range map[string]int{"auto": 3, "kfold": 1, "kfold:10": 1, "holdout:0.5": 1, "loo:press": 1, "loo": 0, "lap": 0,
		"gaussian:2": 0} {
		if got := len(catalogue.Find(id)); got != want {
			t.Errorf("%s: %d entries, want %d", id, got, want)
		}
	}
}

// Every loss that has a name is described.
func TestEveryLossIsListed(t *testing.T) {
	for _, name := range learn.LossNames() {
		if len(catalogue.Find(name)) == 0 {
			t.Errorf("loss %s is missing", name)
		}
	}
}

// Every kernel that has a name is described.
func TestEveryKernelIsListed(t *testing.T) {
	for _, name := range kernel.Names() {
		if len(catalogue.Find(name)) == 0 {
			t.Errorf("kernel %s is missing", name)
		}
	}
}

// TestKinds: every search, method and loss is listed once, as what it is.
func TestKinds(t *testing.T) {
	of := map[string][]string{}
	for _, e := range catalogue.List() {
		of[e.Kind] = append(of[e.Kind], e.ID)
	}
	if len(of) != 5 {
		t.Errorf("%d kinds", len(of))
	}
	sorted := func(list []string) []string { return slices.Sorted(slices.Values(list)) }
	if got, want := sorted(of[catalogue.Search]), sorted(task.Searches); !slices.Equal(got, want) {
		t.Errorf("searches %v, want %v", got, want)
	}
	if got, want := sorted(of[catalogue.Method]), sorted(method.IDs(nil)); !slices.Equal(got, want) {
		t.Errorf("methods %v, want %v", got, want)
	}
	if got, want := sorted(of[catalogue.Loss]), sorted(learn.LossNames()); !slices.Equal(got, want) {
		t.Errorf("losses %v, want %v", got, want)
	}
}
