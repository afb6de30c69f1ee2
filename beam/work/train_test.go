package work

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer"
)

// Candidates that are fitted at the same time on one machine share the memory that is allowed.
func TestMemoryIsShared(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(file, []byte("u,y\n1,2\n3,4\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	s := Spec{Shards: []string{file}, Candidates: []string{"{}"}}
	for _, n := range []int{0, 1, 4} {
		s.Read.Memory, s.AtOnce = 1<<20, n
		c, err := s.candidate(t.Context(), 0)
		if err != nil || c.options.Memory != 1<<20/int64(max(1, n)) {
			t.Errorf("%d at once: %d bytes, %v", n, c.options.Memory, err)
		}
	}
}

// A candidate that was fitted in an earlier try is not fitted again, and one that could not be is asked no more.
func TestDoneOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(file, []byte("u,y\n1,2\n3,4\n5,5\n6,9\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	s := Spec{Kind: Train, Shards: []string{file}, Folder: t.TempDir(), Pieces: Pieces([]int{1, 1}), Candidates: []string{
		`{"method":"rls","kernel":"linear","task":"regression"}`, `{"method":"rls","kernel":"linear","task":"classification","tune":"kfold:3"}`,
	}}
	answer := func(element int) string {
		t.Helper()
		a, err := NewWorker(s).Do(t.Context(), element)
		if err != nil || a.Fault != "" {
			t.Fatalf("%+v, %v", a, err)
		}
		return string(a.Data)
	}
	first, second := answer(0), answer(1)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if answer(0) != first || answer(1) != second {
		t.Error("other answers")
	}
}

// A request that no rows can meet names its candidate; other faults are its own.
func TestUsageNamesCandidate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(file, []byte("u,y\n1,2.5\n3,4.5\n5,1.5\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	s := Spec{Shards: []string{file}, Folder: t.TempDir()}
	for _, r := range []mercer.Recipe{
		{Method: "rls", Kernel: "linear"},
		{Method: "rls", Kernel: "linear", CV: 9},
	} {
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		s.Candidates = append(s.Candidates, string(text))
	}
	s.Kind, s.Pieces = Fold, []Piece{{1, 0}}
	a, err := NewWorker(s).Do(t.Context(), 0)
	if err != nil || !a.Usage || !strings.HasPrefix(a.Fault, `candidate 2 of 2, {"method":"rls"`) ||
		!strings.Contains(a.Fault, "ask for 3 folds") {
		t.Errorf("%+v, %v", a, err)
	}
}
