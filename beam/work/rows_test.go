package work

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data/read"
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
		set, _, err := k.of(t.Context(), s)
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
	if _, _, err := k.of(t.Context(), s); err == nil {
		t.Error("rows of a file that is gone")
	}
}

// Rows of shards that hold words, missing cells or a column that counts the rows are those of one file.
func TestTable(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, line := range map[string]func(i int) string{
		"words":    func(i int) string { return fmt.Sprintf("%s,%d,%d\n", []string{"Ulm", "", "Kiel"}[i%3], i*i%7, i%2) },
		"missing":  func(i int) string { return fmt.Sprintf("%s,%d,%d\n", []string{"3", "?", "5"}[i*i%3], i*i%7, i%2) },
		"counting": func(i int) string { return fmt.Sprintf("%d,%d,%d\n", i+1, i*i%7, i%2) },
		"dates":    func(i int) string { return fmt.Sprintf("%d,%d,%d\n", 20180101+100*(i%12)+i/12, i*i%7, i%2) },
		"numbers":  func(i int) string { return fmt.Sprintf("%d,%d,%d\n", i*i%5, i*i%7, i%2) },
		"codes":    func(i int) string { return fmt.Sprintf("%03d,%d,%d\n", []int{101, 220, 7}[i%3], i*i%7, i%2) },
		"amounts":  func(i int) string { return fmt.Sprintf("%d,%d,\"$1,%03d\"\n", i*i%5, i*i%7, i) },
		"no value": func(i int) string { return []string{fmt.Sprintf("%d,%d,%d\n", i*i%5, i*i%7, i%2), ",,\n"}[i/59] },
		"totals": func(i int) string {
			return []string{fmt.Sprintf("w%d,%d,%d\n", i*i%3, i*i%7, i%2), "Total,900,1\n"}[i/59]
		},
	} {
		var s Spec
		head, all := "a,b,y\n", ""
		for k := range 3 {
			text := ""
			for i := range 20 {
				text += line(20*k + i)
			}
			s.Shards = append(s.Shards, write(fmt.Sprintf("%s-%d.csv", name, k), head+text))
			all += text
		}
		got, said, err := table(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		want, _, err := read.Open(t.Context(), write(name+".csv", head+all), read.Options{Prepare: true})
		if err != nil {
			t.Fatal(err)
		}
		for what, of := range map[string]string{"no value": "left out: 1 row", "totals": `begins with "Total"`, "codes": "are words and no"} {
			if strings.Contains(fmt.Sprint(said), of) != (name == what) {
				t.Errorf("%s: %v", name, said)
			}
		}
		if d := cmp.Diff(want.Table, got.Table); d != "" || !mat.Equal(want.Rows.Dense, got.Rows.Dense) ||
			!slices.Equal(want.Features, got.Features) || !slices.Equal(want.Answers, got.Answers) {
			t.Errorf("%s: %v of %v\n%s", name, got.Features, want.Features, d)
		}
	}
}
