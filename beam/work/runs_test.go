package work

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/mercer-ml/mercer/beam/squares"
	"github.com/mercer-ml/mercer/data"
)

// The answers of runs of shards are, joined, those of all shards one by one, and a fault is that of the first shard that has one.
func TestRuns(t *testing.T) {
	folder := t.TempDir()
	s := Spec{Kind: Sample, Plan: filepath.Join(folder, "plan")}
	for k := range 5 {
		path := filepath.Join(folder, fmt.Sprintf("part-%d.csv", k))
		s.Shards = append(s.Shards, path)
		text := fmt.Sprintf("a,y\n%d,1\n%d,2\n", k, 10*k)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	plan := &squares.Plan{
		Ask: squares.Ask{Features: []string{"a"}, Label: "y"}, Task: data.Regression, Columns: 1, First: []int{0, 2, 4, 6, 8}, Step: 3,
	}
	text, err := squares.Encode(plan)
	if err = errors.Join(err, os.WriteFile(s.Plan, text, 0o666)); err != nil {
		t.Fatal(err)
	}
	answer := func(s Spec) Answer {
		t.Helper()
		var list []Answer
		w := NewWorker(s)
		for k := range s.Elements() {
			a, err := w.Do(t.Context(), k)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, a)
		}
		a, err := Join(s, list)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	want := answer(s)
	for _, runs := range [][]int{{0}, {0, 1, 4}, {0, 2}} {
		s.Runs = runs
		if got := answer(s); s.Elements() != len(runs) || got.Fault != "" || string(got.Data) != string(want.Data) {
			t.Errorf("runs %v: %d elements, fault %q, or other rows", runs, s.Elements(), got.Fault)
		}
	}
	s.Runs = []int{0, 2}
	for _, k := range []int{1, 3} {
		s.Shards[k] = filepath.Join(folder, fmt.Sprintf("none-%d", k))
	}
	one := s
	one.Runs = nil
	if got, want := answer(s), answer(one); got.Fault != want.Fault || got.Fault == "" {
		t.Errorf("fault %q, want %q", got.Fault, want.Fault)
	}
}
