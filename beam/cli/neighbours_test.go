//go:build unix

package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/graph"
)

// TestNeighbours: lists over shards are those of one file where a bucket takes all, from CSV and Parquet; with small buckets the
// recall is told; and a run is repeated by the next.
func TestNeighbours(t *testing.T) {
	dir, pattern, whole := shards(t, true)
	lists := func(data string, args ...string) (text string, r neighboursResult) {
		t.Helper()
		to := filepath.Join(t.TempDir(), "lists")
		said := done(t, append([]string{"neighbours", data, "--drop", "id", "--label", "answer", "-k", "4", "-o", to, "--json"},
			args...)...)
		if err := json.Unmarshal([]byte(said), &r); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(to, "p?.csv"))
		if err != nil || len(files) != 5 || r.Files != 5 || r.Rows != 500 {
			t.Fatalf("%v %v, %s", files, err, said)
		}
		for _, f := range files {
			one, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			text += strings.TrimPrefix(string(one), "row,neighbour,distance\n")
		}
		return text, r
	}
	got, r := lists(pattern, "--scale", "none")
	set, _, err := read.Open(t.Context(), whole, read.Options{Label: "answer", Drop: []string{"id"}})
	if err != nil {
		t.Fatal(err)
	}
	want, err := graph.Neighbours(t.Context(), data.Rows{Dense: set.Rows.Dense}, 4, graph.Euclidean)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(got), "\n") {
		cells := strings.Split(line, ",")
		near, _ := want.Row(i/4, 4)
		if cells[0] != strconv.Itoa(i/4) || cells[1] != strconv.Itoa(int(near[i%4])) {
			t.Fatalf("line %d is %s, want %d to %d", i, line, i/4, near[i%4])
		}
	}
	if r.Recall != 1 || r.Buckets != 1 || r.Pairs != 2000 || r.Short != 0 {
		t.Errorf("%+v", r)
	}
	_, same := parquetShards(t, pattern)
	if other, _ := lists(same, "--scale", "none"); other != got {
		t.Error("Parquet has other lists than CSV")
	}
	few := []string{"--bucket", "60", "--tables", "2"}
	once, r := lists(pattern, few...)
	again, _ := lists(pattern, few...)
	if once != again || r.Buckets < 8 || r.Recall < 0.5 || r.Recall > 1 || r.Sample != 200 {
		t.Errorf("%+v, repeated: %v", r, once == again)
	}
	svm := filepath.Join(dir, "rows.svm")
	if err := os.WriteFile(svm, []byte("1 1:2\n-1 1:3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(dir, "lists")
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{2, "needs at least 22 rows", []string{pattern, "--bucket", "21"}},
		{2, "--tables 0", []string{pattern, "--tables", "0"}},
		{2, "at least 1 neighbour", []string{pattern, "-k", "0"}},
		{2, "choose euclidean or cosine", []string{pattern, "--metric", "taxicab"}},
		{2, "choose auto, none", []string{pattern, "--scale", "tfidf"}},
		{1, "columns are numbered", []string{svm}},
		{1, "500 rows have no 900 neighbours", []string{pattern, "--drop", "id", "-k", "900"}},
		{1, "p0.csv:2:1", []string{pattern, "--label", "answer"}},
	} {
		code, stdout, said := beside(slices.Concat([]string{"neighbours"}, c.args, []string{"-o", to})...)
		if code != c.code || !strings.Contains(said, c.want) || strings.Count(said, "\n") != 1 || stdout != "" {
			t.Errorf("%v: exit %d, %q; want %d, %q", c.args, code, said, c.code, c.want)
		}
	}
}
