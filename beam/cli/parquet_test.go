//go:build unix

package cli

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/arrow/tables"
	"github.com/mercer-ml/mercer/internal/apply"
)

// asParquet writes the table of a CSV file as Parquet; columns of numbers are doubles, others words.
func asParquet(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	columns := make([]apply.Column, len(records[0]))
	for j, name := range records[0] {
		c := apply.Column{Name: name, Words: []string{}, Numbers: []float64{}}
		for _, r := range records[1:] {
			c.Words = append(c.Words, r[j])
			if v, err := strconv.ParseFloat(r[j], 64); err != nil {
				c.Numbers = nil
			} else if c.Numbers != nil {
				c.Numbers = append(c.Numbers, v)
			}
		}
		if c.Numbers != nil {
			c.Words = nil
		}
		columns[j] = c
	}
	f, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := tables.Parquet{}.Begin(f, columns)
	if err == nil && len(records) > 1 {
		err = w.Write(columns)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// parquetShards are the shards of a pattern as Parquet, in a folder of their own.
func parquetShards(t *testing.T, pattern string) (folder, same string) {
	t.Helper()
	folder = t.TempDir()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		asParquet(t, f, filepath.Join(folder, strings.TrimSuffix(filepath.Base(f), ".csv")+".parquet"))
	}
	return folder, filepath.Join(folder, "*.parquet")
}

// TestParquet: shards of Parquet give what the same rows give as CSV, to the bit; both together are one table.
func TestParquet(t *testing.T) {
	dir, pattern, _ := shards(t, true)
	folder, same := parquetShards(t, pattern)
	answers := func(model, data string) (text string) {
		t.Helper()
		to := t.TempDir()
		done(t, "predict", model, data, "-o", to, "--id", "id", "--quiet")
		for _, name := range []string{"p0.csv", "p1.csv", "p2.csv", "p3.csv", "p4.csv"} {
			one, err := os.ReadFile(filepath.Join(to, name))
			if err != nil {
				t.Fatal(err)
			}
			text += string(one)
		}
		return text
	}
	a, b := filepath.Join(dir, "a.mercer"), filepath.Join(folder, "b.mercer")
	for _, flags := range [][]string{{"--kernel", "gaussian", "--basis", "12", "--set", "choose=random", "--set", "sigma=1"}, nil} {
		done(t, append([]string{"fit", pattern, "--drop", "id", "-o", a, "--quiet"}, flags...)...)
		done(t, append([]string{"fit", same, "--format", "parquet", "--drop", "id", "-o", b, "--quiet"}, flags...)...)
		if want, got := answers(a, pattern), answers(b, same); got != want || strings.Count(want, "\n") != 505 {
			t.Errorf("%v: other predictions than of CSV", flags)
		}
	}
	want := done(t, "evaluate", a, pattern, "--json")
	if got := done(t, "evaluate", a, same, "--json"); got != want {
		t.Errorf("%s, of CSV %s", got, want)
	}
	mixed := filepath.Join(folder, "rows")
	if err := os.Rename(filepath.Join(folder, "p4.parquet"), mixed); err != nil { // known by its beginning
		t.Fatal(err)
	}
	measured(t, done(t, "evaluate", a, same, mixed, "--json"), want)
	measured(t, done(t, "evaluate", a, same, filepath.Join(dir, "p4.csv"), "--json"), want)
}

// TestParquetSweep: the scores of candidates are those of the same rows as CSV.
func TestParquetSweep(t *testing.T) {
	dir, pattern, _ := shards(t, false)
	_, same := parquetShards(t, pattern)
	grid := filepath.Join(dir, "grid.json")
	if err := os.WriteFile(grid, []byte(`{"method":"rls","tune":"gcv","set":{"sigma":["0.5","3"]}}`), 0o666); err != nil {
		t.Fatal(err)
	}
	scores := func(data string) string {
		var slate struct {
			Candidates []struct {
				Score  float64
				Chosen bool
			}
		}
		if err := json.Unmarshal([]byte(done(t, "sweep", data, "--drop", "id", "--candidates", grid, "--json")), &slate); err != nil {
			t.Fatal(err)
		}
		if len(slate.Candidates) != 2 {
			t.Fatalf("%d candidates", len(slate.Candidates))
		}
		text, _ := json.Marshal(slate) // finite
		return string(text)
	}
	if want, got := scores(pattern), scores(same); got != want {
		t.Errorf("a sweep gives %s, of CSV %s", got, want)
	}
}

// TestParquetFaults: what cannot be read is one line with the shard, and shards without a row are left out.
func TestParquetFaults(t *testing.T) {
	_, pattern, _ := shards(t, false)
	folder, same := parquetShards(t, pattern)
	at := func(name string) string { return filepath.Join(folder, name) }
	for name, text := range map[string]string{
		"other.csv": "id,u,v,z,answer\na,1,2,3,4\n", "none.csv": "id,u,v,w,answer\n",
		"words.csv": "id,u,v,w,answer\na,1,2,3,4\nb,1,x,3,4\n",
		"text":      "id,u,v,w,answer\na,1,2,3,4\n",
	} {
		if err := os.WriteFile(at(name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"other", "none", "words"} {
		asParquet(t, at(name+".csv"), at(name+".pq"))
	}
	whole, err := os.ReadFile(at("p0.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"cut.pq": whole[:len(whole)/2], "text.pq": []byte("id,u,v,w,answer\na,1,2,3,4\n")} {
		if err := os.WriteFile(at(name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	fit := func(name string, flags ...string) []string {
		return append([]string{"fit", same, at(name), "--drop", "id"}, flags...)
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{`other columns than`, fit("other.pq")},
		{"cut.pq: ", fit("cut.pq")},
		{"text.pq: ", fit("text.pq")},
		{"text: ", fit("text", "--format", "parquet")},
		{"words.pq:3:3", fit("words.pq")},
		{"--skip-bad leaves out lines of text", fit("words.pq", "--skip-bad", "3")},
		{"none of the shards has a row", []string{"fit", at("none.pq")}},
	} {
		code, stdout, said := beside(c.args...)
		if code != exitData || !strings.Contains(said, c.want) || strings.Count(said, "\n") != 1 || stdout != "" {
			t.Errorf("%v: exit %d, %q; want %q", c.args, code, said, c.want)
		}
	}
	if code, _, said := beside(fit("none.pq")...); code != exitDone || !strings.Contains(said, "none.pq") {
		t.Errorf("a shard without a row: exit %d, %q", code, said)
	}
}
