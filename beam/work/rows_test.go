package work

import (
	"os"
	"path/filepath"
	"testing"
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
