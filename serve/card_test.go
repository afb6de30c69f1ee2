package serve

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// recorded gives a model the result of a fit: an average of twelve models, the later the heavier.
func recorded(t *testing.T, m *model.Model) *model.Model {
	t.Helper()
	share := func(v float64) *float64 { return &v }
	r := result.Result{
		Method: "rls", Kernel: "gaussian", Task: "classification", Classes: m.Classes,
		Rows:      result.RowCounts{Labelled: 50, Unlabelled: 7, Features: 3},
		Relevance: []kernel.Relevance{{Name: "v", Share: 0.7}, {Name: "u", Share: 0.3}},
		Estimate: &result.Estimate{Measure: "error", Error: 0.12, Trivial: share(0.6), Low: 0.05, High: 0.21, Level: 0.9, Rows: 50,
			From: "leave-one-out", Corrected: true, Classes: []result.ClassEstimate{{Class: "c,d", Rows: 5, Recall: share(0.4)}}},
		Balance: &result.Balance{Labelled: []float64{0.4, 0.35, 0.25}},
	}
	for k := range 12 {
		r.Members = append(r.Members, result.Member{Method: "rls", Kernel: "gaussian", Weight: 0.1 * float64(k) * float64(1-2*(k%2))})
	}
	var err error
	if m.Result, err = json.Marshal(r); err != nil {
		t.Fatal(err)
	}
	return m
}

// cardOf asks for a card.
func cardOf(t *testing.T, s *Server, path string) (c card) {
	t.Helper()
	code, text := sent(s, "GET", path, "")
	if code != 200 {
		t.Fatalf("%s: %d %s", path, code, text)
	}
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCard: a card says what the result of the fit says, the heaviest models first, and what the file holds.
func TestCard(t *testing.T) {
	s := started(t, map[string]*model.Model{"m": recorded(t, three(1))}, Options{})
	c := cardOf(t, s, "/model")
	switch {
	case c.Name != "m" || len(c.Version) != 12 || c.Written.IsZero() || c.Method != "rls" || c.Label != "label" || c.Columns != 3:
		t.Errorf("what it is: %+v", c)
	case *c.Rows != result.RowCounts{Labelled: 50, Unlabelled: 7, Features: 3} || c.Estimate.Error != 0.12 || *c.Estimate.Trivial != 0.6:
		t.Errorf("its fit: %+v, %+v", c.Rows, c.Estimate)
	case c.Trivial != "a" || len(c.Classes) != 3 || *c.Classes[1].Share != 0.35 || c.Classes[1].Recall != nil || *c.Classes[2].Recall != 0.4:
		t.Errorf("its classes: %q, %+v", c.Trivial, c.Classes)
	case c.Models != 12 || len(c.Members) != 10 || fmt.Sprintf("%.1f %.1f", c.Members[0].Weight, c.Members[1].Weight) != "-1.1 1.0":
		t.Errorf("its models: %d, %+v", c.Models, c.Members)
	case len(c.Relevance) != 2 || c.Relevance[0].Name != "v":
		t.Errorf("its columns: %+v", c.Relevance)
	case c.Kept != 20 || !strings.Contains(c.Advice, "can read these rows"):
		t.Errorf("what the file holds: %d, %q", c.Kept, c.Advice)
	}
}

// TestCardOfAnotherFit: what a file does not say is absent, and a result that cannot be read is none.
func TestCardOfAnotherFit(t *testing.T) {
	odd := number()
	odd.Result = json.RawMessage(`{"rows":[1],"estimate":"none"}`)
	s := started(t, map[string]*model.Model{"three": three(1), "odd": odd, "tabled": tabled()}, Options{})
	for name, kept := range map[string]int{"three": 20, "odd": 0, "tabled": 0} {
		c := cardOf(t, s, "/model/"+name)
		if c.Estimate != nil || c.Rows != nil || c.Members != nil || c.Kept != kept || c.Advice == "" {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if code, text := sent(s, "GET", "/model", ""); code != 404 || !strings.Contains(text, "/model/odd, /model/tabled") {
		t.Errorf("which of three: %d %s", code, text)
	}
	if code, _ := sent(started(t, map[string]*model.Model{"m": three(1)}, Options{Token: "t"}), "GET", "/model", ""); code != 401 {
		t.Errorf("without the token: %d", code)
	}
}

// TestCardsOfOldFiles: files of all versions have a card.
func TestCardsOfOldFiles(t *testing.T) {
	paths, err := filepath.Glob("../model/testdata/v*.mercer")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	s, err := New(t.Context(), paths, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		name := nameOf(path)
		c := cardOf(t, s, "/model/"+name)
		if c.Columns < 1 || c.Task == "" || (c.Kept > 0) != strings.Contains(c.Advice, "can read these rows") {
			t.Errorf("%s: %+v", name, c)
		}
		t.Logf("%s: %d rows kept, estimate %v, %d members", name, c.Kept, c.Estimate != nil, c.Models)
	}
}
