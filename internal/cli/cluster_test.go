package cli

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// parsed reads CSV with a header.
func parsed(t *testing.T, text string) ([]string, [][]float64) {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(records) == 0 {
		t.Fatalf("%q: %v", text, err)
	}
	var rows [][]float64
	for _, r := range records[1:] {
		row := make([]float64, len(r))
		for j, f := range r {
			if row[j], err = strconv.ParseFloat(f, 64); err != nil {
				t.Fatal(err)
			}
		}
		rows = append(rows, row)
	}
	return records[0], rows
}

func TestClusterMoons(t *testing.T) {
	t.Chdir(t.TempDir())
	r := run(t, "", "cluster", "moons-det")
	names, rows := parsed(t, r.stdout)
	if r.code != exitDone || len(names) != 1 || names[0] != "cluster" || len(rows) != 200 {
		t.Fatalf("%d: columns %v, %d rows; %s", r.code, names, len(rows), r.stderr)
	}
	for i, row := range rows {
		if want := float64(i / 100); row[0] != want {
			t.Fatalf("row %d is in cluster %g", i, row[0])
		}
	}
	if !strings.Contains(r.stderr, "adjusted Rand index 1.000, error 0.00 %") || !strings.Contains(r.stderr, "2 components") {
		t.Error(r.stderr)
	}
	file := run(t, "", "cluster", "moons-det", "-o", "out.csv", "--quiet")
	text, err := os.ReadFile("out.csv")
	if err != nil || string(text) != r.stdout || file.stderr != "" || !strings.Contains(file.stdout, "2 clusters") {
		t.Errorf("-o: %+v, %v", file, err)
	}
	if quiet := run(t, "", "cluster", "moons-det", "--quiet"); quiet.stdout != r.stdout || quiet.stderr != "" {
		t.Errorf("--quiet: %q", quiet.stderr)
	}
}

func TestClusterJSON(t *testing.T) {
	type result struct {
		Clusters int
		Sizes    []int
		Cluster  []int
		Metrics  map[string]struct {
			Labelled     int
			AdjustedRand float64 `json:"adjusted_rand"`
			Error        float64
		}
		Graph struct {
			Components int
			Recall     float64
		}
		Certificate struct{ Residual float64 }
		Status      string
	}
	read := func(args ...string) (result, string) {
		t.Helper()
		o := run(t, "", args...)
		var r result
		if err := json.Unmarshal([]byte(o.stdout), &r); err != nil || o.code != exitDone {
			t.Fatalf("%v: %v, %+v", args, err, o)
		}
		return r, o.stderr
	}
	iris, _ := read("cluster", "iris", "--clusters", "3", "--json")
	if iris.Clusters != 3 || len(iris.Cluster) != 150 || iris.Metrics["labelled"].Error > 0.12 ||
		iris.Metrics["labelled"].AdjustedRand < 0.7 ||
		iris.Status != "converged" {
		t.Errorf("%+v", iris)
	}
	near, _ := read("cluster", "iris", "--clusters", "3", "--json", "--search", "approximate")
	if near.Graph.Recall < 0.95 || near.Metrics["labelled"].Error > 0.12 {
		t.Errorf("%+v", near)
	}
	again, _ := read("cluster", "iris", "--clusters", "3", "--json", "--threads", "1")
	for i, c := range iris.Cluster {
		if again.Cluster[i] != c {
			t.Fatal("one thread, other clusters")
		}
	}
	if g, stderr := read("cluster", "g50c", "--json"); !strings.Contains(stderr, "no clear number of clusters") {
		t.Errorf("%+v; %s", g, stderr)
	}
	moons, _ := read("cluster", "moons-det", "--test", "moons-det:n=80", "--clusters", "2", "--set", "sigma=0.25", "--json")
	if len(moons.Cluster) != 80 || moons.Metrics["test"].Error != 0 || moons.Metrics["test"].Labelled != 80 ||
		moons.Metrics["labelled"].Error != 0 {
		t.Errorf("new rows: %+v", moons)
	}
}

// Labels are never used: clusters are the same without them.
func TestClusterDoesNotSeeLabels(t *testing.T) {
	data := run(t, "", "data", "iris").stdout
	bare := regexp.MustCompile(`,[^,\n]*\n`).ReplaceAllString(data, "\n") // without the last column
	folderWith(t, map[string]string{"iris.csv": data, "bare.csv": bare})
	a, b := run(t, "", "cluster", "iris.csv", "--clusters", "3"), run(t, "", "cluster", "bare.csv", "--clusters", "3")
	if a.code != exitDone || b.code != exitDone || a.stdout != b.stdout {
		t.Errorf("%d, %d: %s", a.code, b.code, b.stderr)
	}
	if !strings.Contains(a.stderr, "adjusted Rand") || strings.Contains(b.stderr, "adjusted Rand") {
		t.Errorf("%s\n%s", a.stderr, b.stderr)
	}
}

func TestEmbed(t *testing.T) {
	t.Chdir(t.TempDir())
	r := run(t, "", "embed", "digits", "--dim", "3", "--neighbours", "8")
	names, rows := parsed(t, r.stdout)
	if r.code != exitDone || strings.Join(names, " ") != "e1 e2 e3" || len(rows) != 1797 {
		t.Fatalf("%d: %v, %d rows; %s", r.code, names, len(rows), r.stderr)
	}
	sparse := run(t, run(t, "", "data", "iris").stdout, "embed", "-", "--format", "csv", "--quiet")
	if names, rows := parsed(t, sparse.stdout); len(names) != 2 || len(rows) != 150 || sparse.stderr != "" {
		t.Errorf("standard input: %v, %d rows, %s", names, len(rows), sparse.stderr)
	}
	// The rows as new rows are where they are.
	in, out := run(t, "", "embed", "iris", "--kernel", "gaussian"), run(t, "", "embed", "iris", "--test", "iris")
	_, a := parsed(t, in.stdout)
	_, b := parsed(t, out.stdout)
	for i := range a {
		for j := range a[i] {
			if math.Abs(a[i][j]-b[i][j]) > 1e-8 {
				t.Fatalf("row %d: %v, as a new row %v", i, a[i], b[i])
			}
		}
	}
	var j struct {
		Coordinates [][]float64
		Eigenvalues []float64
		Output      string
	}
	o := run(t, "", "embed", "iris", "--json", "-o", "e.csv")
	if err := json.Unmarshal([]byte(o.stdout), &j); err != nil || j.Coordinates != nil || j.Output != "e.csv" || len(j.Eigenvalues) != 2 {
		t.Errorf("%v: %+v", err, o)
	}
	if o = run(t, "", "embed", "iris", "--json"); json.Unmarshal([]byte(o.stdout), &j) != nil || len(j.Coordinates) != 150 {
		t.Errorf("%+v", o)
	}
}

func TestUnsupervisedFaults(t *testing.T) {
	folderWith(t, map[string]string{
		"few.csv":   "a,b\n1,2\n3,4\n5,6\n",
		"other.csv": "a,c,label\n1,2,x\n3,4,y\n",
	})
	for _, c := range []struct {
		args string
		code int
		line string
	}{
		{"cluster few.csv", 1, `few\.csv: spectral: 3 rows are too few to tell the number of clusters; give it`},
		{"cluster few.csv --neighbours 3", 1, `few\.csv: graph: asked 3 neighbours of 3 rows; at most 2`},
		{"cluster few.csv --neighbours 2 --clusters 5", 1, `few\.csv: spectral: 5 clusters of 3 rows; .*`},
		{"embed few.csv --neighbours 2 --dim 3", 1, `few\.csv: spectral: 3 dimensions of 3 rows; at most 2`},
		{"cluster none.csv", 1, `none\.csv: no such file.*; .*`},
		{"embed iris --test other.csv", 1, `other\.csv:1: no column .*; .*`},
		{"cluster iris --memory 10", 1, `iris.* memory.*; .*`},
		{"embed iris -o none/e.csv", 1, `none/e\.csv: its folder does not exist; .*`},
		{"cluster iris --time-limit 1ns", 1, `iris: --time-limit 1ns ended before there was an answer; .*`},
		{"cluster iris --clusters one", 2, `--clusters one: must be auto or a number from 2`},
		{"cluster iris --split median", 2, `--split median: parts two clusters; give --clusters 2`},
		{"cluster iris --search fast", 2, `--search fast: must be auto, exact or approximate`},
		{"cluster iris --set speed=2", 2, `--set speed: no such parameter; .*`},
		{"cluster iris --set sigma=2", 2, `--set sigma: needs --kernel .*`},
		{"cluster iris --set weights=hot", 2, `--set weights=hot: .*want one of .*`},
		{"cluster iris --kernel gaussian --set gamma_a=-1", 2, `--set gamma_a=-1: .*no positive number`},
		{"embed iris --kernel nosuch", 2, `--kernel "nosuch": .*`},
		{"embed iris --kernel linear --set sigma=2", 2, `--set sigma: of the kernel gaussian; .*`},
		{"cluster iris --neighbours 0", 2, `--neighbours 0: must be at least 1`},
		{"embed iris --dim 0", 2, `--dim 0: must be at least 1`},
		{"embed iris --scale fast", 2, `--scale fast: .*`},
		{"embed iris --threads -1", 2, `--threads -1: .*`},
		{"embed - ", 1, `standard input: empty file; .*`},
	} {
		r := run(t, "", strings.Fields(c.args)...)
		lines := strings.Split(strings.TrimSpace(r.stderr), "\n")
		last := lines[len(lines)-1]
		if r.code != c.code || r.stdout != "" || !regexp.MustCompile(`^mercer: `+c.line+`$`).MatchString(last) {
			t.Errorf("%s: code %d, stdout %q\n  %s", c.args, r.code, r.stdout, r.stderr)
		}
	}
}
