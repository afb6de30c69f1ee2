//go:build unix

package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer"
	single "github.com/mercer-ml/mercer/cli"
)

// beside runs mercer-beam and returns what it prints.
func beside(args ...string) (code int, stdout, stderr string) {
	var out, said bytes.Buffer
	code = Main(context.Background(), args, &out, &said)
	return code, out.String(), said.String()
}

// alone runs mercer.
func alone(t *testing.T, args ...string) string {
	t.Helper()
	var out, said bytes.Buffer
	if code := single.Main(context.Background(), args, strings.NewReader(""), &out, &said); code != 0 {
		t.Fatalf("mercer %v: %s", args, said.String())
	}
	return out.String()
}

// done runs mercer-beam, which must not fail.
func done(t *testing.T, args ...string) string {
	t.Helper()
	code, out, said := beside(args...)
	if code != 0 {
		t.Fatalf("mercer-beam %v: %s", args, said)
	}
	return out
}

// shards writes rows to five shards in a folder and to one file beside it.
func shards(t *testing.T, classes bool) (folder, pattern, whole string) {
	t.Helper()
	dir := t.TempDir()
	folder = filepath.Join(dir, "shards")
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 5))
	head, all := "id,u,v,w,answer\n", ""
	for k := range 5 {
		text := ""
		for i := range 60 + 20*k {
			u, v, w := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
			y := fmt.Sprint(2*u - v + 0.3*r.NormFloat64())
			if classes {
				y = []string{"no", "yes"}[(1+int(math.Copysign(1, 2*u-v+r.NormFloat64())))/2]
			}
			text += fmt.Sprintf("r%d-%d,%g,%g,%g,%s\n", k, i, u, v, w, y)
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("p%d.csv", k)), []byte(head+text), 0o666); err != nil {
			t.Fatal(err)
		}
		all += text
	}
	whole = filepath.Join(dir, "whole.csv")
	if err := os.WriteFile(whole, []byte(head+all), 0o666); err != nil {
		t.Fatal(err)
	}
	return folder, filepath.Join(folder, "*.csv"), whole
}

// cells are the numbers of a column of CSV.
func cells(t *testing.T, text string, column int) (list []float64, words []string) {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records[1:] {
		v, _ := strconv.ParseFloat(r[column], 64)
		list, words = append(list, v), append(words, r[0])
	}
	return list, words
}

// Fit, predict and evaluate over shards give what mercer gives for one file, rows in their order.
func TestVerbs(t *testing.T) {
	for _, classes := range []bool{false, true} {
		folder, pattern, whole := shards(t, classes)
		mine, theirs := filepath.Join(folder, "a.mercer"), filepath.Join(folder, "b.mercer")
		said := done(t, "fit", pattern, "--drop", "id", "-o", mine)
		alone(t, "fit", whole, "--drop", "id", "--method", "rls", "--kernel", "linear", "-o", theirs, "--quiet")
		if !strings.Contains(said, "rls, linear kernel") {
			t.Errorf("the table is %s", said)
		}
		answers := filepath.Join(folder, "answers")
		flags := []string{"--id", "id"}
		if classes {
			flags = append(flags, "--probability")
		}
		done(t, append([]string{"predict", mine, pattern, "-o", answers, "--quiet"}, flags...)...)
		var got string
		for k := range 5 {
			text, err := os.ReadFile(filepath.Join(answers, fmt.Sprintf("p%d.csv", k)))
			if err != nil {
				t.Fatal(err)
			}
			head, rest, _ := strings.Cut(string(text), "\n")
			if k == 0 {
				got = head + "\n"
			}
			got += rest
		}
		want := alone(t, append([]string{"predict", theirs, whole}, flags...)...)
		a, idA := cells(t, got, 2)
		b, idB := cells(t, want, 2)
		if len(a) != len(b) || len(a) != 500 {
			t.Fatalf("%d predictions, of one file %d", len(a), len(b))
		}
		for i := range a {
			if math.Abs(a[i]-b[i]) > 1e-9 || idA[i] != idB[i] {
				t.Fatalf("row %d: %s %g, of one file %s %g", i, idA[i], a[i], idB[i], b[i])
			}
		}
		measured(t, done(t, "evaluate", mine, pattern, "--json"), alone(t, "evaluate", theirs, whole, "--json"))
	}
}

// Machines that are trained by Newton's method are those of mercer fit with the same flags, by whatever way their sums travelled.
func TestFitByNewton(t *testing.T) {
	folder, pattern, whole := shards(t, true)
	mine, theirs := filepath.Join(folder, "a.mercer"), filepath.Join(folder, "b.mercer")
	unlabelled(t, filepath.Join(folder, "p1.csv"))
	unlabelled(t, whole)
	for _, flags := range []string{
		"--method linear-logistic",
		"--method linear-svm --set C=2 --tune none",
		"--method linear-tsvm --set C=0.5 --set unlabelled_weight=0.001 --tune none",
		"--method l2-svm --kernel gaussian --basis 20 --set choose=random --set gamma=0.1",
	} {
		args := append(strings.Fields(flags), "--drop", "id", "--tol", "1e-12", "--scale", "standard")
		if !strings.Contains(flags, "--tune") {
			args = append(args, "--tune", "loo:logloss")
		}
		done(t, append([]string{"fit", pattern, "-o", mine, "--quiet"}, args...)...)
		alone(t, append([]string{"fit", whole, "-o", theirs, "--quiet"}, args...)...)
		a, _ := cells(t, alone(t, "predict", mine, whole), 1)
		b, _ := cells(t, alone(t, "predict", theirs, whole), 1)
		for i := range a {
			if math.Abs(a[i]-b[i]) > 1e-8 {
				t.Fatalf("%s: row %d: %g, of one file %g", flags, i, a[i], b[i])
			}
		}
	}
}

// unlabelled takes the labels of the rows of the second shard away.
func unlabelled(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "r1-") {
			lines[i] = line[:strings.LastIndex(line, ",")+1]
		}
	}
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
}

// measured compares evaluations.
func measured(t *testing.T, got, want string) {
	t.Helper()
	var a, b struct {
		Rows    int
		Metrics mercer.Metric
	}
	if err := json.Unmarshal([]byte(got), &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatal(err)
	}
	if a.Rows != b.Rows || len(a.Metrics) < 3 {
		t.Errorf("%s, of one file %s", got, want)
	}
	for name, v := range a.Metrics {
		if math.Abs(v-b.Metrics[name]) > 1e-9 {
			t.Errorf("%s is %g, of one file %g", name, v, b.Metrics[name])
		}
	}
}

// A sweep takes the candidate whose fit has the least score, and its model is that of mercer fit with the recipe.
func TestSweep(t *testing.T) {
	folder, pattern, whole := shards(t, true)
	grid := filepath.Join(folder, "grid.json")
	text := `[{"method":"rls","tune":"loo:logloss","set":{"sigma":["0.5","3"],"lambda":["0.001","0.1"]}},
		{"method":"rls","tune":"loo:logloss","kernel":"linear"}]`
	if err := os.WriteFile(grid, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	best := filepath.Join(folder, "best.mercer")
	var slate struct {
		Candidates []struct {
			Recipe json.RawMessage
			Score  float64
			Chosen bool
		}
	}
	said := done(t, "sweep", pattern, "--drop", "id", "--candidates", grid, "-o", best, "--json")
	if err := json.Unmarshal([]byte(said), &slate); err != nil {
		t.Fatal(err)
	}
	if len(slate.Candidates) != 5 {
		t.Fatalf("%d candidates", len(slate.Candidates))
	}
	least := math.Inf(1)
	for _, c := range slate.Candidates {
		least = min(least, c.Score)
	}
	for _, c := range slate.Candidates {
		if c.Chosen != (c.Score == least) {
			t.Errorf("%s, chosen %t", c.Recipe, c.Chosen)
		}
		if !c.Chosen {
			continue
		}
		recipe, again := filepath.Join(folder, "recipe.json"), filepath.Join(folder, "again.mercer")
		if err := os.WriteFile(recipe, c.Recipe, 0o666); err != nil {
			t.Fatal(err)
		}
		alone(t, "fit", whole, "--drop", "id", "--recipe", recipe, "-o", again, "--quiet")
		if alone(t, "predict", again, whole) != alone(t, "predict", best, whole) {
			t.Error("the best model is not that of its recipe")
		}
	}
}

// Faults are one line with the place and the remedy, nothing is written, and the exit code says whose they are.
func TestFaults(t *testing.T) {
	folder, pattern, _ := shards(t, false)
	_, other, _ := shards(t, true)
	model := filepath.Join(t.TempDir(), "m.mercer")
	done(t, "fit", pattern, "--drop", "id", "-o", model, "--quiet")
	bad := filepath.Join(t.TempDir(), "bad.csv")
	if err := os.WriteFile(bad, []byte("id,u,v,w,answer\na,1,2,3,4\nb,1,?,x,4\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "p0.csv")
	out := filepath.Join(t.TempDir(), "never.mercer")
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{2, "no verb", nil},
		{2, "see mercer-beam -h", []string{"fit", pattern, "--nonsense"}},
		{1, "no such file", []string{"fit", filepath.Join(folder, "*.svm")}},
		{1, "is a folder", []string{"fit", folder}},
		{2, "choose --method rls", []string{"fit", pattern, "--method", "svm"}},
		{2, "only lambda, choose and the parameters of a kernel can be set", []string{"fit", pattern, "--set", "sigma=1"}},
		{2, "only C, choose and the parameters", []string{"fit", pattern, "--method", "linear-svm", "--set", "solver=fista"}},
		{2, "is a regression; choose --method rls", []string{"fit", pattern, "--drop", "id", "--method", "linear-svm"}},
		{2, "must be positive", []string{"fit", pattern, "--tol", "0"}},
		{2, "write NAME=VALUE", []string{"fit", pattern, "--set", "lambda"}},
		{1, "p0.csv:2:1", []string{"fit", pattern, "-o", out}},
		{1, "bad.csv:3:3", []string{"fit", pattern, bad, "--drop", "id", "-o", out}},
		{1, "make its folder", []string{"fit", pattern, "-o", filepath.Join(folder, "none", "m.mercer")}},
		{2, "is a folder", []string{"fit", pattern, "-o", folder}},
		{2, "choose prism", []string{"fit", pattern, "--drop", "id", "--runner", "nobody"}},
		{2, "--endpoint", []string{"fit", pattern, "--drop", "id", "--runner", "flink"}},
		{2, "Beam has no such flag", []string{"fit", pattern, "--drop", "id", "--beam", "nonsense=1"}},
		{2, "5s at least", []string{"fit", pattern, "--drop", "id", "--lost-after", "1s"}},
		{1, "bad.csv:3", []string{"predict", model, bad, "-o", filepath.Join(folder, "answers")}},
		{2, "would replace", []string{"predict", model, file, "-o", folder}},
		{2, "both predictions would be", []string{"predict", model, pattern, other, "-o", filepath.Join(folder, "answers")}},
		{1, "has no probabilities", []string{"predict", model, pattern, "-o", filepath.Join(folder, "answers"), "--probability"}},
		{1, "is no number", []string{"evaluate", model, other}},
		{1, "no.mercer", []string{"evaluate", "no.mercer", pattern}},
		{1, "one JSON object", []string{"fit", pattern, "--recipe", bad}},
		{1, "list of recipes", []string{"sweep", pattern, "--candidates", bad}},
		{2, "leaves no line out", []string{"sweep", pattern, "--candidates", bad, "--skip-bad", "1"}},
	} {
		code, stdout, said := beside(c.args...)
		if code != c.code || !strings.Contains(said, c.want) || strings.Count(said, "\n") != 1 || stdout != "" {
			t.Errorf("%v: exit %d, %q; want %d, %q", c.args, code, said, c.code, c.want)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a model was written")
	}
	code, _, said := beside("fit", pattern, bad, "--drop", "id", "--skip-bad", "1", "-o", out)
	if code != 0 || !strings.Contains(said, "bad.csv: 1 line left out, as --skip-bad allows: 3") {
		t.Errorf("exit %d, %s", code, said)
	}
}

// Lines that cannot be read are counted over all shards.
func TestSkipBadOfAllShards(t *testing.T) {
	_, pattern, _ := shards(t, false)
	dir := t.TempDir()
	for _, name := range []string{"x.csv", "y.csv"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("id,u,v,w,answer\na,1,2,3,4\nb,1,2,x,4\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	bad := filepath.Join(dir, "*.csv")
	code, _, said := beside("fit", pattern, bad, "--drop", "id", "--skip-bad", "1")
	if code != 1 || !strings.Contains(said, "y.csv:3: cannot be read") {
		t.Errorf("exit %d, %s", code, said)
	}
	if code, _, said = beside("fit", pattern, bad, "--drop", "id", "--skip-bad", "2"); code != 0 {
		t.Errorf("exit %d, %s", code, said)
	}
}

// A runner that does not answer is one line, at once.
func TestUnreachable(t *testing.T) {
	err := reachable(context.Background(), "localhost:1")
	if err == nil || !strings.Contains(err.Error(), "no runner answers") {
		t.Errorf("%v", err)
	}
}
