//go:build unix

package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/beam/pipeline"
	"github.com/mercer-ml/mercer/internal/blas"
	single "github.com/mercer-ml/mercer/internal/cli"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// TestMain becomes a worker where a test has asked for processes.
func TestMain(m *testing.M) {
	if err := pipeline.Worker(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(m.Run())
}

// beside runs mercer-beam and returns what it prints.
func beside(args ...string) (code int, stdout, stderr string) {
	var out, said bytes.Buffer
	code = Main(context.Background(), args, &out, &said)
	return code, out.String(), said.String()
}

// alone runs mercer, its linear algebra with one thread, as workers have it.
func alone(t *testing.T, args ...string) string {
	t.Helper()
	blas.SetThreads(1)
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

// Shards that hold words, dates and missing cells are understood as one file is, with columns given or not.
func TestWords(t *testing.T) {
	dir := t.TempDir()
	given, whole := filepath.Join(dir, "columns.json"), filepath.Join(dir, "whole.csv")
	head, all := "who,size,town,since,price\n", ""
	text := `{"columns":[{"name":"size","kind":"ordered","levels":["S","M","L"]},{"name":"who","kind":"id"}]}`
	if err := os.WriteFile(given, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 7))
	for k := range 3 {
		text := ""
		for i := range 50 {
			size, town := r.IntN(3), r.IntN(4)
			text += fmt.Sprintf("p%d-%d,%s,%s,%d.%02d.2021,%g\n", k, i, []string{"S", "M", "L"}[size],
				[]string{"Ulm", "Bonn", "Kiel", "?"}[town],
				1+r.IntN(28), 1+r.IntN(12), 10*float64(size)+float64(town)+r.NormFloat64())
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("part%d.csv", k)), []byte(head+text), 0o666); err != nil {
			t.Fatal(err)
		}
		all += text
	}
	if err := os.WriteFile(whole, []byte(head+all), 0o666); err != nil {
		t.Fatal(err)
	}
	pattern := filepath.Join(dir, "part*.csv")
	printed := filepath.Join(dir, "printed.json")
	if err := os.WriteFile(printed, []byte(alone(t, "data", whole, "--json")), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{nil, {"--columns", given}, {"--columns", printed, "--strict"}} {
		mine, theirs, answers := filepath.Join(dir, "a.mercer"), filepath.Join(dir, "b.mercer"), filepath.Join(dir, "answers")
		done(t, append([]string{"fit", pattern, "-o", mine, "--quiet"}, flags...)...)
		alone(t, append([]string{"fit", whole, "--method", "rls", "--kernel", "linear", "-o", theirs, "--quiet"}, flags...)...)
		done(t, "predict", mine, pattern, "-o", answers, "--quiet")
		var got []float64
		for k := range 3 {
			text, err := os.ReadFile(filepath.Join(answers, fmt.Sprintf("part%d.csv", k)))
			if err != nil {
				t.Fatal(err)
			}
			list, _ := cells(t, string(text), 0)
			got = append(got, list...)
		}
		want, _ := cells(t, alone(t, "predict", theirs, whole), 0)
		for i, v := range want {
			if len(got) != len(want) || math.Abs(v-got[i]) > 1e-9 {
				t.Fatalf("%v: row %d of %d", flags, i, len(got))
			}
		}
		measured(t, done(t, "evaluate", mine, pattern, "--json"), alone(t, "evaluate", theirs, whole, "--json"))
	}
}

// Folds and rows held out are those of mercer fit with the same flags, beside a shard without rows and one without labels, and the file
// is the same however the work is divided.
func TestFitByFolds(t *testing.T) {
	for _, c := range []struct {
		classes bool
		flags   string
		column  int
	}{
		{false, "--tune kfold:5 --seed 3", 0},
		{true, "--tune kfold:3 --kernel gaussian --basis 20 --set choose=random --set gamma=0.1", 1},
		{true, "--tune holdout:0.4", 1},
	} {
		folder, pattern, whole := shards(t, c.classes)
		unlabelled(t, filepath.Join(folder, "p1.csv"))
		unlabelled(t, whole)
		if err := os.WriteFile(filepath.Join(folder, "p2b.csv"), []byte("id,u,v,w,answer\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		mine, again, theirs := filepath.Join(folder, "a.mercer"), filepath.Join(folder, "again.mercer"), filepath.Join(folder, "b.mercer")
		args := append(strings.Fields(c.flags), "--method", "rls", "--drop", "id", "--scale", "standard", "--quiet", "--json")
		if !strings.Contains(c.flags, "--kernel") {
			args = append(args, "--kernel", "linear")
		}
		var a, b mercer.Result
		for text, into := range map[string]*mercer.Result{
			done(t, append([]string{"fit", pattern, "-o", mine}, args...)...):  &a,
			alone(t, append([]string{"fit", whole, "-o", theirs}, args...)...): &b,
		} {
			if err := json.Unmarshal([]byte(text), into); err != nil {
				t.Fatal(err)
			}
		}
		if a.Tuning.Score != b.Tuning.Score || math.Abs(a.Tuning.Value-b.Tuning.Value) > 1e-9*math.Abs(b.Tuning.Value) ||
			a.Estimate.From != b.Estimate.From || a.Estimate.Rows != b.Estimate.Rows {
			t.Errorf("%s: %+v, %+v, of one file %+v, %+v", c.flags, a.Tuning, a.Estimate, b.Tuning, b.Estimate)
		}
		got, _ := cells(t, alone(t, "predict", mine, whole), c.column)
		want, _ := cells(t, alone(t, "predict", theirs, whole), c.column)
		for i := range got {
			if math.Abs(got[i]-want[i]) > 1e-8 {
				t.Fatalf("%s: row %d: %g, of one file %g", c.flags, i, got[i], want[i])
			}
		}
		done(t, append([]string{"fit", pattern, "-o", again, "--workers", "2"}, args...)...)
		first, errA := os.ReadFile(mine)
		second, errB := os.ReadFile(again)
		if errA != nil || errB != nil || !bytes.Equal(first, second) {
			t.Errorf("%s: another file of two worker processes (%v, %v)", c.flags, errA, errB)
		}
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
		Drift   result.DriftState

		Precision, Recall, F1 map[string]float64
		Confusion             map[string]map[string]int
	}
	if err := json.Unmarshal([]byte(got), &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatal(err)
	}
	if a.Rows != b.Rows || len(a.Metrics) < 3 || a.Drift.Compared != b.Drift.Compared || len(a.Drift.Moved) != len(b.Drift.Moved) {
		t.Errorf("%s, of one file %s", got, want)
	}
	if d := cmp.Diff([]any{b.Precision, b.Recall, b.F1, b.Confusion}, []any{a.Precision, a.Recall, a.F1, a.Confusion}); d != "" {
		t.Errorf("classes differ\n%s", d)
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

// plain is JSON without what differs from run to run.
func plain(t *testing.T, text []byte) string {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"seconds", "forecast", "memory_bytes", "model"} {
		delete(all, key)
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// slate are the candidates of a sweep as JSON.
type slate struct {
	Candidates []struct {
		Recipe, Result json.RawMessage
		Chosen         bool
	}
}

// sweepOf runs a sweep, and mercer fit for each of its candidates, whose results must be those of the sweep.
func sweepOf(t *testing.T, pattern, whole, grid string, flags ...string) (all slate) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "grid.json")
	if err := os.WriteFile(file, []byte(grid), 0o666); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"sweep", pattern, "--drop", "id", "--candidates", file, "--json"}, flags...)
	if err := json.Unmarshal([]byte(done(t, args...)), &all); err != nil {
		t.Fatal(err)
	}
	for i, c := range all.Candidates {
		args := []string{"fit", whole, "--drop", "id", "--recipe", file, "--quiet", "--json"}
		if err := os.WriteFile(file, c.Recipe, 0o666); err != nil {
			t.Fatal(err)
		}
		for k, flag := range flags {
			if flag == "--splits" {
				args = append(args, flags[k:k+2]...)
			}
		}
		if want := plain(t, []byte(alone(t, args...))); plain(t, c.Result) != want {
			t.Errorf("candidate %d: %s, by mercer fit %s", i, c.Result, want)
		}
	}
	return all
}

// refitted is the model of mercer fit by a recipe, which is left in a file too.
func refitted(t *testing.T, whole string, recipe []byte, output string) *model.Model {
	t.Helper()
	file := filepath.Join(t.TempDir(), "recipe.json")
	if err := os.WriteFile(file, recipe, 0o666); err != nil {
		t.Fatal(err)
	}
	alone(t, "fit", whole, "--drop", "id", "--recipe", file, "-o", output, "--quiet")
	return loaded(t, output)
}

// loaded is the model of a file.
func loaded(t *testing.T, file string) *model.Model {
	t.Helper()
	m, err := model.Load(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The folds of --cv and the splits of --splits, each fitted by itself on any worker, make the result of mercer fit to the bit, and
// the model has it too.
func TestSweepInParts(t *testing.T) {
	folder, pattern, whole := shards(t, true)
	grid := `{"method":"rls","tune":"loo:error","kernel":"linear","cv":3,"set":{"lambda":["0.001","0.1"]}}`
	best := filepath.Join(folder, "best.mercer")
	all := sweepOf(t, pattern, whole, grid, "-o", best, "--workers", "2")
	if here := sweepOf(t, pattern, whole, grid); len(all.Candidates) != 2 || len(here.Candidates) != 2 {
		t.Fatalf("%d and %d candidates", len(all.Candidates), len(here.Candidates))
	}
	for _, c := range all.Candidates {
		if !strings.Contains(string(c.Result), `"3 outer folds"`) {
			t.Errorf("%s", c.Result)
		}
		if !c.Chosen {
			continue
		}
		again := filepath.Join(folder, "again.mercer")
		a, b := loaded(t, best), refitted(t, whole, c.Recipe, again)
		if !bytes.Equal(a.Result, b.Result) || !bytes.Equal(a.Recipe, b.Recipe) ||
			alone(t, "predict", again, whole) != alone(t, "predict", best, whole) {
			t.Errorf("the best model is not that of its recipe: it keeps %s, not %s", a.Result, b.Result)
		}
	}
	splits := filepath.Join(folder, "splits.csv.txt")
	text := "split,labelled_rows\na,0 1 2 3 4 5 6 7 8 9\nb,60 61 62 63 64 65 66\nc,100 102 104 107 203 304\n"
	if err := os.WriteFile(splits, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	grid = `[{"method":"lap-rls","tune":"none","set":{"sigma":["1","2"]}},{"method":"rls"}]`
	all = sweepOf(t, pattern, whole, grid, "--splits", splits, "--workers", "2")
	for _, c := range all.Candidates {
		if !strings.Contains(string(c.Result), `"splits":{"count":3`) || c.Chosen {
			t.Errorf("%s, chosen %t", c.Result, c.Chosen)
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
	good, far := filepath.Join(t.TempDir(), "good.json"), filepath.Join(t.TempDir(), "far.csv")
	if err := errors.Join(os.WriteFile(good, []byte(`{"method":"rls"}`), 0o666),
		os.WriteFile(far, []byte("split,labelled_rows\na,1 2 500\n"), 0o666)); err != nil {
		t.Fatal(err)
	}
	file, given := filepath.Join(folder, "p0.csv"), filepath.Join(t.TempDir(), "columns.json")
	if err := os.WriteFile(given, []byte(`{"columns":[{"name":"town","kind":"category"}]}`), 0o666); err != nil {
		t.Fatal(err)
	}
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
		{2, "only lambda, outer, choose and the parameters of a kernel can be set", []string{"fit", pattern, "--set", "sigma=1"}},
		{2, "only C, choose and the parameters", []string{"fit", pattern, "--method", "linear-svm", "--set", "solver=fista"}},
		{2, "is a regression; choose --method rls", []string{"fit", pattern, "--drop", "id", "--method", "linear-svm"}},
		{2, "must be positive", []string{"fit", pattern, "--tol", "0"}},
		{2, "write NAME=VALUE", []string{"fit", pattern, "--set", "lambda"}},
		{1, "bad.csv:3:4", []string{"fit", pattern, bad, "--drop", "id", "-o", out}},
		{1, "give what mercer data FILE --json prints", []string{"fit", pattern, "--columns", bad}},
		{1, `no column "town"`, []string{"fit", pattern, "--columns", given, "-o", out}},
		{2, "leave it out", []string{"fit", pattern, "--skip-bad", "1", "-o", out}},
		{1, "make its folder", []string{"fit", pattern, "-o", filepath.Join(folder, "none", "m.mercer")}},
		{2, "is a folder", []string{"fit", pattern, "-o", folder}},
		{2, "choose prism", []string{"fit", pattern, "--drop", "id", "--runner", "nobody"}},
		{2, "--endpoint", []string{"fit", pattern, "--drop", "id", "--runner", "flink"}},
		{2, "Beam has no such flag", []string{"fit", pattern, "--drop", "id", "--beam", "nonsense=1"}},
		{2, "give 1 to 8", []string{"fit", pattern, "--drop", "id", "--workers", "9"}},
		{2, "give 1 to 8", []string{"fit", pattern, "--drop", "id", "--workers", "0"}},
		{2, "leave out --runner", []string{"fit", pattern, "--drop", "id", "--workers", "2", "--runner", "flink", "--endpoint",
			"localhost:1"}},
		{2, "leave out --runner", []string{"fit", pattern, "--drop", "id", "--workers", "2", "--environment-type", "PROCESS"}},
		{2, "choose LOOPBACK", []string{"fit", pattern, "--drop", "id", "--environment-type", "NONSENSE"}},
		{2, "say which program", []string{"fit", pattern, "--drop", "id", "--environment-type", "PROCESS"}},
		{2, "say which program", []string{"fit", pattern, "--drop", "id", "--environment-type", "process", "--environment-config", "text"}},
		{2, "no program", []string{
			"fit", pattern, "--drop", "id", "--environment-type", "PROCESS", "--environment-config", `{"command":"/none"}`,
		}},
		{2, "give the address", []string{"fit", pattern, "--drop", "id", "--environment-type", "EXTERNAL"}},
		{1, "no pool of workers answers", []string{
			"fit", pattern, "--drop", "id", "--environment-type", "EXTERNAL", "--environment-config", "localhost:1",
		}},
		{2, "for which kind", []string{"fit", pattern, "--drop", "id", "--environment-config", "localhost:1"}},
		{1, `no column "none", which --id names`, []string{
			"predict", model, pattern, "-o", filepath.Join(folder, "answers"), "--id", "none", "--quiet",
		}},
		{2, "has a prediction", []string{"predict", model, pattern, "-o", filepath.Join(folder, "answers"), "--skip-bad", "1"}},
		{2, "5s at least", []string{"fit", pattern, "--drop", "id", "--lost-after", "1s"}},
		{1, "bad.csv:3", []string{"predict", model, bad, "-o", filepath.Join(folder, "answers")}},
		{2, "would replace", []string{"predict", model, file, "-o", folder}},
		{2, "both predictions would be", []string{"predict", model, pattern, other, "-o", filepath.Join(folder, "answers")}},
		{1, "has no probabilities", []string{"predict", model, pattern, "-o", filepath.Join(folder, "answers"), "--probability"}},
		{1, "is no number", []string{"evaluate", model, other}},
		{1, "no.mercer", []string{"evaluate", "no.mercer", pattern}},
		{1, "one JSON object", []string{"fit", pattern, "--recipe", bad}},
		{1, "none.json: no such file or directory; check the name after --recipe", []string{"fit", pattern, "--recipe", "none.json"}},
		{1, "check the name after --columns", []string{"fit", pattern, "--columns", "none.json"}},
		{1, "check the name after --candidates", []string{"sweep", pattern, "--candidates", "none.json"}},
		{1, "list of recipes", []string{"sweep", pattern, "--candidates", bad}},
		{1, "row 500 of a set of 500", []string{"sweep", pattern, "--drop", "id", "--candidates", good, "--splits", far}},
		{2, "no one model", []string{"sweep", pattern, "--candidates", good, "--splits", far, "-o", out}},
		{2, "leave one of them out", []string{"sweep", pattern, "--candidates", good, "--splits", far, "--cv", "3"}},
		{2, "folds from 2", []string{"sweep", pattern, "--candidates", good, "--cv", "1"}},
		{2, "candidate 1 of 1, {", []string{"sweep", pattern, "--drop", "id", "--candidates", good, "--cv", "501"}},
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

// What readers warn of is told, and what was made of the columns, unless --quiet asks for silence.
func TestNotes(t *testing.T) {
	folder := t.TempDir()
	text, wide := "u,town,answer\n", "u,town,more,answer\n"
	for i := range 40 {
		text += fmt.Sprintf("%d.5,%s,%d\n", i*i%17, []string{"here", "there"}[i%2], i%2)
		wide += fmt.Sprintf("%d.5,here,1,%d\n", i*i%17, i%2)
	}
	rows, others, model := filepath.Join(folder, "rows.csv"), filepath.Join(folder, "others.csv"), filepath.Join(folder, "m.mercer")
	if err := errors.Join(os.WriteFile(rows, []byte(text), 0o666), os.WriteFile(others, []byte(wide), 0o666)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{"columns: category: town (2)", []string{"fit", rows, "-o", model}},
		{"the model ignores 1 column that it does not know", []string{"predict", model, others, "-o", filepath.Join(folder, "answers")}},
		{"the model ignores 1 column that it does not know", []string{"evaluate", model, others}},
	} {
		if code, _, said := beside(c.args...); code != 0 || !strings.Contains(said, c.want) {
			t.Errorf("%v: exit %d, %q; want %q", c.args, code, said, c.want)
		}
		if code, _, said := beside(append(c.args, "--quiet")...); code != 0 || said != "" {
			t.Errorf("%v, quiet: exit %d, %q", c.args, code, said)
		}
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

// Worker processes, however many, give the files that this process gives, and print nothing of their own.
func TestWorkers(t *testing.T) {
	folder, pattern, _ := shards(t, false)
	files := func(name string, flags ...string) (text string) {
		t.Helper()
		model, answers := filepath.Join(folder, name+".mercer"), filepath.Join(folder, name)
		for _, args := range [][]string{
			{"fit", pattern, "--drop", "id", "-o", model, "--quiet"},
			{"predict", model, pattern, "-o", answers, "--quiet"},
			{"evaluate", model, pattern, "--quiet"},
			{"fit", pattern, "--drop", "id", "--kernel", "gaussian", "--basis", "150", "--set", "choose=random", "--set", "gamma=0.1",
				"-o", filepath.Join(answers, "centres"), "--quiet"},
		} {
			code, out, said := beside(append(args, flags...)...)
			if code != 0 || said != "" {
				t.Fatalf("%v: exit %d, %s", args, code, said)
			}
			if args[0] == "evaluate" { // fit prints times
				text += out
			}
		}
		list, err := filepath.Glob(filepath.Join(answers, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range append(list, model) {
			one, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text += string(one)
		}
		return text
	}
	want := files("here")
	for _, n := range []string{"1", "2", "4"} {
		if files("workers-"+n, "--workers", n) != want {
			t.Errorf("%s workers give other files", n)
		}
	}
}

// A runner that does not answer is one line, at once.
// A run leaves nothing behind where temporary files are put, however it ends.
func TestNothingIsLeft(t *testing.T) {
	_, pattern, _ := shards(t, false)
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for want, ctx := range map[int]context.Context{0: context.Background(), exitInterrupted: ctx} {
		if code := Main(ctx, []string{"fit", pattern, "--drop", "id", "--quiet"}, io.Discard, io.Discard); code != want {
			t.Errorf("exit %d, not %d", code, want)
		}
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 || os.Getenv("TMPDIR") != folder {
			t.Errorf("left in %s: %v, %v", os.Getenv("TMPDIR"), left, err)
		}
	}
}

func TestUnreachable(t *testing.T) {
	err := reachable(context.Background(), "--endpoint", "localhost:1", "no runner", "start it")
	if err == nil || !strings.Contains(err.Error(), "no runner answers") {
		t.Errorf("%v", err)
	}
}
