package work

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer"
)

// Rows are read once, and again when a file has changed or they are asked for in another way.
func TestKept(t *testing.T) {
	dir := t.TempDir()
	s := Spec{Shards: []string{filepath.Join(dir, "a.csv"), filepath.Join(dir, "b.csv")}}
	write := func(k int, text string) {
		if err := os.WriteFile(s.Shards[k], []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(0, "u,v,y\n1,2,3\n")
	write(1, "u,v,y\n4,5,6\n7,8,9\n")
	var k kept
	read := func(rows, columns int) *float64 {
		t.Helper()
		set, err := k.of(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if n, d := set.Rows.Dense.Dims(); n != rows || d != columns || len(set.Answers) != n {
			t.Fatalf("%d x %d, not %d x %d", n, d, rows, columns)
		}
		return &set.Rows.Dense.RawMatrix().Data[0]
	}
	first := read(3, 2)
	if read(3, 2) != first {
		t.Error("read again")
	}
	write(1, "u,v,y\n4,5,6\n")
	if read(2, 2) == first {
		t.Error("old rows")
	}
	s.Read.Drop = []string{"v"}
	read(2, 1)
	if err := os.Remove(s.Shards[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := k.of(t.Context(), s); err == nil {
		t.Error("rows of a file that is gone")
	}
}

// Candidates that are fitted at the same time on one machine share the memory that is allowed.
func TestMemoryIsShared(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(file, []byte("u,y\n1,2\n3,4\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	s := Spec{Shards: []string{file}, Candidates: []string{"{}"}}
	for _, n := range []int{0, 1, 4} {
		s.Read.Memory, s.AtOnce = 1<<20, n
		_, _, o, err := s.candidate(t.Context(), 0)
		if err != nil || o.Memory != 1<<20/int64(max(1, n)) {
			t.Errorf("%d at once: %d bytes, %v", n, o.Memory, err)
		}
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
	if err != nil || !a.Usage || !strings.HasPrefix(a.Fault, `candidate 2 of 2, {"method":"rls"`) || !strings.Contains(a.Fault, "ask for 3 folds") {
		t.Errorf("%+v, %v", a, err)
	}
}
