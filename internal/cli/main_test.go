package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/method"
)

// outcome is what one run of the program left.
type outcome struct {
	code           int
	stdout, stderr string
}

func run(t *testing.T, stdin string, args ...string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	code := Main(t.Context(), args, strings.NewReader(stdin), &out, &errs)
	return outcome{code, out.String(), errs.String()}
}

// folderWith makes a folder with the files and works in it.
func folderWith(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

const good = "a,b,label\n1,2,x\n3,4,y\n5,6,\n1,3,x\n3,5,y\n"

func folderWithModel(t *testing.T, more map[string]string) {
	t.Helper()
	folderWith(t, more)
	if err := os.WriteFile("good.csv", []byte(good), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := run(t, "", "fit", "good.csv", "--method", "rls", "-o", "good.mercer"); r.code != exitDone {
		t.Fatalf("fit: %+v", r)
	}
}

// Every bad input is one line of a known shape, an exit code, and nothing else.
func TestBadInput(t *testing.T) {
	if testing.Short() {
		t.Skip("some hundred runs of the program, slow under the race detector")
	}
	folderWithModel(t, map[string]string{
		"ragged.csv":   "a,b,label\n1,2,x\n3,y\n",
		"empty.csv":    "",
		"header.csv":   "a,b,label\n",
		"inf.csv":      "a,b,label\n1,2,x\n3,-Inf,y\n",
		"text.csv":     "a,b,label\n1,foo,x\n3,4,y\n1,2,x\n3,4,y\n1,2,x\n3,4,y\n",
		"nolabel.csv":  "a,b,label\n1,2,\n3,4,?\n",
		"oneclass.csv": "a,b,label\n1,2,x\n3,4,x\n5,6,\n",
		"order.svm":    "1 1:1 2:3\n-1 2:3 1:4\n",
		"zero.svm":     "1 0:3\n",
		"huge.svm":     "1 2147483648:3\n",
		"other.csv":    "a,c,label\n1,2,x\n3,4,y\n",
		"wide.svm":     "x 1:1\n",
		"rowlist":      "0 1\n7\n",
		"bad.json":     "{\"method\":\"rls\",\n\"tune\":}",
		"unknown.json": "{\"methud\":\"rls\"}",
		"ignored.json": "{\"method\":\"rls\",\"set\":{\"neighbours\":\"3\"}}",
		"real.csv":     "a,label\n1,1.5\n2,2\n3,3\n4,2.5\n",
		"realtext.csv": "a,label\n1,1.5\n2,no\n",
		"splits.csv":   "split,labelled_rows\n0,0 9\n",
		"oneside.csv":  "split,labelled_rows\n0,0 1\n1,0 3\n",
		"gap.svm":      "1 1:1\n-1 2:1\n1 1:2 2147483647:1\n",
		"beyond.csv":   "a,b,label\n1.7e308,2,x\n-1.7e308,4,y\n",
		"large.csv":    "a,b,label\n1e300,2,x\n-1e300,4,y\n",
		"values.json":  "{\"method\":\"svm\",\n\"set\":{\"C\":-1}}",
		"same.csv":     "a,b,label\n1,2,x\n1,2,y\n1,2,\n1,2,\n",
		"vast.csv":     "a,label\n1,1e200\n2,2e200\n3,3.5e200\n",
		"far.csv":      "a,b,label\n1,2,x\n1e308,-1e308,y\n",
		"gaps.csv":     "a,b,label\n1,2,\n1,2,x\n1e308,-1e308,y\n",
		"rows.txt":     "1,2,x\n3,4,y\n",
		"short.mercer": "mercer model 1\n",
		"new.mercer":   "mercer model 99\n" + strings.Repeat(" ", 100),
	})
	model, err := os.ReadFile("good.mercer")
	if err != nil {
		t.Fatal(err)
	}
	model[len(model)/2]++
	if err := os.WriteFile("corrupt.mercer", model, 0o600); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		line string // regular expression of the line after "mercer: "
	}{
		{"fit ragged.csv", 1, `ragged\.csv:3:2: .*; .*`},
		{"fit empty.csv", 1, `empty\.csv: empty.*; .*`},
		{"fit header.csv", 1, `header\.csv:1: .*no rows; .*`},
		{"fit inf.csv", 1, `inf\.csv:3:2: .*; .*`},
		{"fit text.csv", 1, `text\.csv:2:2: .*"foo".*; .*`},
		{"fit text.csv --weight b", 1, `text\.csv:2:2: .*the weight "foo" is no number from 0 to 1e\+100; .*`},
		{"fit text.csv --columns good.csv", 1, `good\.csv:1:1: .*; give what mercer data FILE --json prints.*`},
		{"fit good.csv --drop zz", 1, `good\.csv:1: --drop zz: no such column; .*`},
		{"fit vast.csv --task regression", 1, `vast\.csv:2: .* overflows; .*`},
		{"pareto vast.csv --task regression", 1, `vast\.csv:2: .* overflows; .*`},
		{"predict good.mercer far.csv", 1, `far\.csv:3: .*no finite prediction.*; .*`},
		{"predict good.mercer far.csv --probability --json", 1, `far\.csv:3: .*no finite prediction.*; .*`},
		{"evaluate good.mercer far.csv", 1, `far\.csv:3: .*no finite prediction.*; .*`},
		{"evaluate good.mercer gaps.csv", 1, `gaps\.csv:4: .*no finite prediction.*; .*`},
		{"fit good.csv --method rls --test gaps.csv", 1, `gaps\.csv:4: .*no finite prediction.*; .*`},
		{"predict good.mercer rows.txt --format libsvm", 1, `rows\.txt: .*commas; .*`},
		{"fit good.csv --time-limit 1ns", 1,
			`good\.csv: --time-limit 1ns ended before there was an answer; give more time, or ask for less: --tune none, .*`},
		{"fit good.csv --method rls --tune none --time-limit 1ns", 1,
			`good\.csv: --time-limit 1ns ended before there was an answer; give more time, or ask for less: another --method, .*`},
		{"fit iris --labels-per-class 3 --method da-s3vm --kernel sigmoid --tune none --set C=100", 1,
			`iris: .* negative eigenvalues, .*; choose --method svm or rls, set a smaller C .*`},
		{"fit iris --labels-per-class 3 --method s3vm-bnb --kernel sigmoid --tune none", 1, `iris: .* no bound of branch and bound holds; .*`},
		{"fit iris --labels-per-class 3 --method linear-da --kernel gaussian --tune none", 2,
			`--kernel gaussian: it has no features, .*; choose linear,.*`},
		{"fit iris --labels-per-class 3 --method da-s3vm --set positive=0.3", 1, `iris: .*2 shares, and there are 3 classes; .*`},
		{"fit same.csv --method lds", 1, `same\.csv: .*every row is the same point; .*`},
		{"pareto iris --time-limit 1ns", 1, `iris: --time-limit 1ns ended before there was an answer; .*`},
		{"pareto iris --pick 1 --decision bic", 2, `--pick 1 with --decision bic: .*`},
		{"fit iris --method svm --set C=1 --set nu=0.3", 2, `--set C with --set nu: .*`},
		{"fit iris --method svm --kernel polynomial --set coef0=-1", 2, `--kernel polynomial: .*offset is -1.*`},
		{"fit iris --method svm --set offset=1 --set coef0=1", 2, `.*one parameter.*`},
		{"fit iris --labels 1", 2, `--labels 1: .*; .*`},
		{"fit sinc --labels-per-class 2", 1, `sinc: .*no classes.*; .*`},
		{"fit iris --recipe values.json", 1, `values\.json:2:.*values of set are text.*`},
		{"fit nolabel.csv", 1, `nolabel\.csv: no row.*; .*`},
		{"fit oneclass.csv", 1, `oneclass\.csv: every label.*"x".*; .*`},
		{"fit order.svm", 1, `order\.svm:2:8: .*; .*`},
		{"fit zero.svm", 1, `zero\.svm:1:3: .*; .*`},
		{"fit huge.svm", 1, `huge\.svm:1:3: .*; .*`},
		{"fit gap.svm --memory 4Gi", 1, `gap\.svm: 2147483647 columns need .*; number the features.*`},
		{"fit gap.svm --kernel gaussian --memory 4Gi", 1, `gap\.svm: 2147483647 columns need .*; .*`},
		{"fit beyond.csv", 1, `beyond\.csv: the features are so large.*; .*`},
		{"fit large.csv --scale none", 1, `large\.csv: the features are so large.*; use --scale standard.*`},
		{"fit - --format csv", 1, `standard input: empty file; .*`},
		{"fit good.csv --splits oneside.csv --method rls", 1, `good\.csv: split 2: every label.*; .*`},
		{"fit nosuch", 1, `nosuch: no such file or built-in set; .*`},
		{"fit missing.csv", 1, `missing\.csv: no such file.*; .*`},
		{"fit .", 1, `\.: a folder of files, .*; .*`},
		{"fit good.csv --label zz", 1, `good\.csv:1: .*"zz".*; .*`},
		{"fit good.csv --labels 9", 1, `good\.csv: 9 labels.*; .*`},
		{"fit good.csv --labels-per-class 3", 1, `good\.csv: class "x".*; .*`},
		{"fit good.csv --labelled-rows rowlist", 1, `rowlist:2:1: row 7.*; .*`},
		{"fit good.csv --labelled-rows none", 1, `none: .*; .*`},
		{"fit good.csv --splits splits.csv", 1, `splits\.csv:2:5: row 9.*; .*`},
		{"fit good.csv --recipe bad.json", 1, `bad\.json:2:8: .*; .*`},
		{"fit good.csv --recipe unknown.json", 1, `unknown\.json: .*methud.*; .*`},
		{"fit real.csv --test realtext.csv", 1, `realtext\.csv:3: label "no".*; .*`},
		{"fit good.csv --unlabelled other.csv", 1, `other\.csv:1: no column "b".*; .*`},
		{"fit good.csv --test other.csv", 1, `other\.csv:1: no column "b".*; .*`},
		{"fit good.csv --memory 10", 1, `good\.csv.* memory.*; .*`},
		{"predict good.mercer good.csv --memory 10", 1, `good\.csv.* memory.*; .*`},
		{"fit good.csv -o none/m", 1, `none/m: its folder does not exist; .*`},
		{"fit good.csv -o .", 1, `\.: is a directory; .*`},
		{"predict corrupt.mercer good.csv", 1, `corrupt\.mercer: .*; .*`},
		{"predict short.mercer good.csv", 1, `short\.mercer: .*; .*`},
		{"predict new.mercer good.csv", 1, `new\.mercer: has version 99.*; .*`},
		{"predict good.csv good.csv", 1, `good\.csv: is not a Mercer model; .*`},
		{"predict none.mercer good.csv", 1, `none\.mercer: no such file.*; .*`},
		{"predict good.mercer other.csv -o out.csv", 1, `other\.csv:1: no column "b".*; .*`},
		{"evaluate good.mercer nolabel.csv", 1, `nolabel\.csv: no row has a label.*; .*`},
		{"evaluate good.mercer iris", 1, `iris:1: no column "a".*; .*`},
		{"fit good.csv --splits .", 1, `\.: is a directory; .*`},
		{"fit good.csv --labelled-rows .", 1, `\.: is a directory; .*`},
		{"fit good.csv --recipe empty.csv", 1, `empty\.csv: an empty file; give one JSON object.*`},
		{"fit good.csv --method svm --class-weight x=2,z=1", 1, `good\.csv: --class-weight .*class z; the classes are x, y`},
		{"convert good.csv -o none/x.svm", 1, `none/x\.svm: its folder does not exist; .*`},
		{"fit good.csv --method rls --search grid --trace .", 1, `\.: is a directory; .*`},
		{"fit good.csv --method rls --search grid --trace none/t", 1, `none/t: its folder does not exist; .*`},
		{"fit good.csv --method rls --search grid --trace ragged.csv", 1, `ragged\.csv: is not a trace.*; name another file`},
		{"fit good.csv --method rls --search grid --trace /dev/null", 1, `/dev/null: is no regular file; name another file`},
		{"data nosuch", 1, `nosuch: no such file or built-in set; .*`},

		{"", 2, `no verb; .*`},
		{"fot", 2, `.*fot.*"fit".*; see mercer -h`},
		{"fit", 2, `.*<data>.*; see mercer fit -h`},
		{"fit good.csv --nope", 2, `unknown flag --nope; see mercer fit -h`},
		{"fit good.csv --view a=c..d", 1, `good.csv: --view a=c..d: no column c; give names or numbers from 1 to 2`},
		{"fit good.csv more.csv", 2, `.*more\.csv.*; see mercer fit -h`},
		{"fit -", 1, `standard input: empty file; .*`},
		{"fit good.csv --format xls", 2, `.*--format.*xls.*; see mercer fit -h`},
		{"fit good.csv --method foo --tune bar", 2, `--method foo: .*; --tune bar: .*`},
		{"fit good.csv --gamma 0.1", 2, `unknown flag --gamma; settings are given as --set gamma=0\.1; see mercer fit -h`},
		{"fit good.csv --lambda=0.1", 2, `unknown flag --lambda.*; settings are given as --set lambda=0\.1; .*`},
		{"fit good.csv --gama 0.1", 2, `unknown flag --gama; see mercer fit -h`},
		{"fit good.csv -c 10", 2, `--set C: method auto has .*; it has lambda and gamma_a = 1/\(2 C l\); --method svm has C`},
		{"fit good.csv --kernel precomputed", 2, `--kernel precomputed: .*; .*`},
		{"fit good.csv --kernel foo", 2, `--kernel foo: .*`},
		{"fit good.csv --cache 0", 2, `--cache: "0".*; see mercer fit -h`},
		{"fit good.csv --tune kfold:2:inductive", 2, `--tune kfold:2:inductive: .*; choose --method rls, .*lap-rls.*`},
		{"fit good.csv --tune loo:press:inductive", 2, `--tune loo:press:inductive: .*, as in kfold:5:inductive`},
		{"fit good.csv --method svm --class-weight x", 2, `--class-weight x: write balanced or LABEL=WEIGHT.*`},
		{"fit good.csv --method svm --class-weight =2", 2, `--class-weight =2: write balanced.*`},
		{"fit good.csv --method svm --class-weight x=0", 2, `--class-weight x=0: weight "0" of class x must be a positive number`},
		{"fit good.csv --method svm --class-weight x=two", 2, `--class-weight x=two: weight "two".*`},
		{"fit good.csv --method svm --class-weight x=1,x=2", 2, `--class-weight .*: class x is given twice; .*`},
		{"fit good.csv --recipe ignored.json", 2,
			`--set neighbours: method rls has no such setting; it is of .*; delete "neighbours" from "set" in ignored\.json`},
		{"fit good.csv --method lgc --class-weight x=1", 2, `--class-weight x=1: method lgc has no such setting; it is of auto, .*`},
		{"fit good.csv --trace t --method tsvm", 2, `--trace: .*; add --search .*`},
		{"fit good.csv --trace t --method nadaraya-watson", 2, `--trace: .*; leave it out`},
		{"fit good.csv --trace t --tune none --method rls", 2, `--trace with --tune none: .*`},
		{"fit good.csv --method rls --search grid --tune none", 2, `--search grid with --tune none: .*; leave one of them out`},
		{"fit good.csv --method rls --search grid --trace t -o t", 2, `--trace t: is the model's file too; .*`},
		{"fit good.csv --method rls --search grid --trace good.csv", 2, `--trace good\.csv: would replace the input.*`},
		{"fit good.csv --splits splits.csv --method rls --search grid --trace t", 2, `--trace: with --splits .*`},
		{"reproduce becker-f3.1 --runs -1", 2, `--runs -1: .*`},
		{"fit good.csv --search gradient --tune loo:error --method rls", 2, `.*no derivative; .*`},
		{"fit good.csv --set x", 2, `--set x: write NAME=VALUE.*`},
		{"fit good.csv --set sigma=1 --set sigma=2", 2, `--set sigma: given twice, as 1 and 2; .*`},
		{"fit good.csv --set sigma=1 --set gamma=2", 2, `--set sigma and gamma.*`},
		{"fit good.csv --test nolabel.csv", 1, `nolabel\.csv: no row has a label, so that nothing can be measured; .*`},
		{"fit good.csv --method rls --memory 1M", 1, `good\.csv: a fit needs 16 MiB of memory, of which 16 MiB are for any rows, and 977 KiB .*`},
		{"fit good.csv --seed 9007199254740994", 2, `--seed .*: must be a whole number from 0 to 9007199254740992`},
		{"cluster iris --split sign", 2, `--split sign: parts two clusters; give --clusters 2`},
		{"cluster iris --split sign --clusters 3", 2, `--split sign: parts two clusters; give --clusters 2`},
		{"fit good.csv --memory 5x", 2, `--memory: "5x".*; see mercer fit -h`},
		{"fit good.csv --time-limit soon", 2, `--time-limit: "soon".*; see mercer fit -h`},
		{"fit good.csv --threads -1", 2, `--threads -1: .*`},
		{"fit good.csv --tol 0", 2, `--tol 0: .*`},
		{"fit good.csv --labels -1", 2, `--labels -1: .*`},
		{"fit good.csv --labels 0", 2, `--labels 0: .*`},
		{"fit good.csv --labels-per-class 0", 2, `--labels-per-class 0: .*`},
		{"fit good.csv --labels 2 --labels-per-class 1", 2, `.*give one of them`},
		{"fit good.csv --splits splits.csv --labels 2", 2, `.*give one of them`},
		{"fit good.csv --splits splits.csv -o m", 2, `-o: with --splits .*`},
		{"fit good.csv -o --json", 2, `-o --json: looks like a flag.*`},
		{"fit good.csv -o good.csv", 2, `-o good\.csv: would replace the input.*`},
		{"methods nosuch", 2, `methods nosuch: .*; .*`},
		{"data two-moons --rows -5", 2, `data two-moons:n=-5: .*; .*`},
		{"data --rows 5", 2, `data: name a set; .*`},
	} {
		t.Run(c.args, func(t *testing.T) {
			r := run(t, "", strings.Fields(c.args)...)
			if r.code != c.code {
				t.Errorf("exit %d, want %d", r.code, c.code)
			}
			if r.stdout != "" {
				t.Errorf("standard output is %q", r.stdout)
			}
			// A fault found by the fit itself comes after what the labels are and the forecast.
			lines := strings.SplitAfter(strings.TrimSuffix(r.stderr, "\n"), "\n")
			for len(lines) > 1 && (strings.Contains(lines[0], ": column \"") || strings.Contains(lines[0], " rows (") ||
				strings.Contains(lines[0], ": columns with one value")) {
				lines = lines[1:]
			}
			if len(lines) != 1 || !regexp.MustCompile(`^mercer: `+c.line+`$`).MatchString(lines[0]) {
				t.Errorf("standard error is %q, want one line like %q", r.stderr, c.line)
			}
		})
	}
	after, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	if len(after) != len(before) {
		t.Errorf("files were left: %v", after)
	}
}

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	var o map[string]any
	if err := d.Decode(&o); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	if d.More() || strings.Contains(text, "null") {
		t.Fatalf("more than one object, or null, in %q", text)
	}
	return o
}

func TestFitPrintsOneObject(t *testing.T) {
	folderWith(t, map[string]string{"good.csv": good, "keep": "0 1\n3"})
	r := run(
		t,
		"",
		"fit",
		"--json",
		"good.csv",
		"--labelled-rows",
		"keep",
		"--method=rls",
		"-o",
		"m",
		"--set",
		"sigma=2",
		"--quiet",
		"--threads",
		"1",
	)
	if r.code != exitDone || r.stderr != "" {
		t.Fatalf("%+v", r)
	}
	o := object(t, r.stdout)
	for _, key := range []string{"method", "kernel", "task", "classes", "rows", "params", "tuning", "metrics", "certificate", "seconds",
		"model"} {
		if _, ok := o[key]; !ok {
			t.Errorf("no key %q", key)
		}
	}
	if rows := o["rows"].(map[string]any); rows["labelled"] != 3.0 || rows["unlabelled"] != 2.0 || rows["features"] != 2.0 {
		t.Errorf("rows %v", rows)
	}
	if p := o["params"].(map[string]any); p["sigma"] != 2.0 {
		t.Errorf("params %v", p)
	}
	if m := o["metrics"].(map[string]any); m["hidden"] == nil || m["test"] != nil {
		t.Errorf("metrics %v", m)
	}
}

// Hidden labels leave no trace in the model.
func TestBlankedLabelsGiveTheSameModel(t *testing.T) {
	folderWith(t, map[string]string{
		"full.csv":  "a,b,label\n1,2,x\n3,4,y\n5,6,y\n1,3,x\n3,5,y\n",
		"blank.csv": "a,b,label\n1,2,x\n3,4,y\n5,6,\n1,3,x\n3,5,\n",
		"keep":      "0 1 3",
	})
	for name, args := range map[string][]string{"a": {"full.csv", "--labelled-rows", "keep"}, "b": {"blank.csv"}} {
		if r := run(t, "", append([]string{"fit", "-o", name}, args...)...); r.code != exitDone {
			t.Fatalf("%+v", r)
		}
	}
	a, errA := os.ReadFile("a")
	b, errB := os.ReadFile("b")
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		t.Errorf("models differ (%v, %v)", errA, errB)
	}
}

func TestFitPrintsTheTable(t *testing.T) {
	r := run(t, "", "fit", "two-moons:n=60,noise=0.05", "--labels-per-class", "2", "--method", "lap-rls", "--kernel", "gaussian", "-v")
	if r.code != exitDone {
		t.Fatalf("%+v", r)
	}
	if first, rest, _ := strings.Cut(r.stderr, "\n"); !strings.HasSuffix(first, `column "label": 2 classes`) ||
		!strings.HasPrefix(rest, "mercer: 60 rows (4 labelled)") {
		t.Errorf("what the labels are and the forecast are not first: %q", r.stderr)
	}
	lines := strings.Split(strings.TrimSpace(r.stdout), "\n")
	if len(lines) > 25 {
		t.Errorf("%d lines", len(lines))
	}
	for _, part := range []string{"expected error", "always ", "unlabelled rows ", "columns", "guessed"} {
		if !strings.Contains(strings.Join(lines[:5], "\n"), part) {
			t.Errorf("%q is missing from the first five lines of\n%s", part, r.stdout)
		}
	}
	for _, part := range []string{"lap-rls, gaussian kernel", "4 labelled, 56 unlabelled", "training error", "gamma_i", "(gamma ", "tuned by",
		"hidden", "(rls)", "error", "class %", "graph", "certificate", "scaling", "cost"} {
		if !strings.Contains(r.stdout, part) {
			t.Errorf("%q is missing from\n%s", part, r.stdout)
		}
	}
}

func TestSplits(t *testing.T) {
	folderWith(t, map[string]string{"s.csv": "split,labelled_rows\na,0 60 120\nb,1 61 121 2 62 122\n"})
	r := run(t, "", "fit", "iris", "--splits", "s.csv", "--method", "rls", "--json")
	if r.code != exitDone {
		t.Fatalf("%+v", r)
	}
	s := object(t, r.stdout)["splits"].(map[string]any)
	h := s["hidden"].(map[string]any)
	if s["count"] != 2.0 || h["error_mean"] == nil || h["error_std"] == nil {
		t.Errorf("splits %v", s)
	}
	if r := run(t, "", "fit", "iris", "--splits", "s.csv", "--method", "rls"); !strings.Contains(r.stdout, "2 splits") ||
		!strings.Contains(r.stdout, " ± ") {
		t.Errorf("table %q", r.stdout)
	}
}

func TestPredictAndEvaluate(t *testing.T) {
	folderWithModel(t, map[string]string{
		"new.csv":    "b,extra,a\n2,9,1\n4,9,3\n",
		"unseen.csv": "a,b,label\n1,2,x\n3,4,z\n5,6,\n",
	})
	r := run(t, "", "predict", "--quiet", "good.mercer", "new.csv", "--probability")
	if r.code != exitDone || r.stderr != "" {
		t.Fatalf("%+v", r)
	}
	records, err := csv.NewReader(strings.NewReader(r.stdout)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"prediction", "score", "probability_x", "probability_y"}; !slices.Equal(records[0], want) {
		t.Errorf("header %v, want %v", records[0], want)
	}
	if len(records) != 3 || records[1][0] != "x" || records[2][0] != "y" {
		t.Errorf("predictions %v", records)
	}
	for _, rec := range records[1:] { // probabilities never contradict labels
		p, _ := strconv.ParseFloat(rec[3], 64)
		if (p >= 0.5) != (rec[0] == "y") {
			t.Errorf("row %v", rec)
		}
	}
	if w := run(t, "", "predict", "good.mercer", "new.csv", "--probability", "-o", "out.csv"); w.code != exitDone || w.stdout != "" {
		t.Errorf("%+v", w)
	}
	if text, err := os.ReadFile("out.csv"); err != nil || string(text) != r.stdout {
		t.Errorf("file %q (%v), standard output %q", text, err, r.stdout)
	}
	if s := run(t, "b,a\n2,1\n4,3\n", "predict", "good.mercer", "-", "--format", "csv", "--probability", "--quiet"); s.stdout != r.stdout {
		t.Errorf("standard input gives %+v", s)
	}
	o := object(t, run(t, "", "predict", "good.mercer", "new.csv", "--json").stdout)
	if o["rows"] != 2.0 || len(o["score"].([]any)) != 2 {
		t.Errorf("object %v", o)
	}
	s := run(t, "a,b,rows\n1,2,x\n", "predict", "good.mercer", "-", "--id", "rows", "--json")
	if s.code != exitData || s.stdout != "" || !strings.Contains(s.stderr, `the column "rows", which names the rows, is called as`) {
		t.Errorf("names of rows that take the place of their number: %+v", s)
	}

	r = run(t, "", "evaluate", "good.mercer", "unseen.csv", "--json")
	o = object(t, r.stdout)
	if r.code != exitDone || o["rows"] != 2.0 || o["metrics"].(map[string]any)["error"] != 0.5 {
		t.Errorf("%+v", r)
	}
	if !strings.Contains(r.stderr, "never seen in training (z)") {
		t.Errorf("no warning in %q", r.stderr)
	}
}

// The label of further files stands where their header says, or last without one.
func TestTestFileMatchesByName(t *testing.T) {
	folderWith(t, map[string]string{
		"train.csv": "a,b,kind\n1,2,x\n3,4,y\n1,3,x\n3,5,y\n",
		"test.csv":  "kind,b,a\nx,2,1\ny,4,3\n",
		"bare.csv":  "1.5,2,x\n3,4,y\n1,3,x\n3,5,y\n",
	})
	for _, args := range []string{"fit train.csv --test test.csv", "fit bare.csv --test bare.csv -o m", "evaluate m bare.csv"} {
		args = strings.Replace(args, "fit", "fit --method rls", 1)
		if r := run(t, "", strings.Fields(args+" --json --quiet")...); r.code != exitDone || !strings.Contains(r.stdout, `"error":0`) {
			t.Errorf("%s: %+v", args, r)
		}
	}
}

// The seed of a recipe draws the labels as --seed does.
func TestRecipeSeedDrawsLabels(t *testing.T) {
	folderWith(t, map[string]string{"seed.json": `{"seed":7,"method":"rls","tune":"none","set":{"sigma":"1","lambda":"0.1"}}`})
	draw := func(args ...string) string {
		r := run(t, "", append([]string{"fit", "iris", "--labels", "9", "--recipe", "seed.json", "--json", "--quiet"}, args...)...)
		metrics, _ := json.Marshal(object(t, r.stdout)["metrics"])
		return string(metrics)
	}
	if a, b, c := draw(), draw("--seed", "7"), draw("--seed", "1"); a != b || a == c {
		t.Errorf("recipe seed 7: %s; --seed 7: %s; --seed 1: %s", a, b, c)
	}
}

func TestSparseRowsMatchByIndex(t *testing.T) {
	folderWith(t, map[string]string{
		"train.svm": "1 1:1 3:1\n-1 2:1\n1 1:2\n-1 2:2 3:0.5\n0 1:1 2:1\n",
		"new.svm":   "1 1:1 9:5\n-1 2:1\n",
	})
	r := run(t, "", "fit", "train.svm", "--unlabelled-mark", "0", "-o", "m", "--json", "--quiet")
	if r.code != exitDone {
		t.Fatalf("%+v", r)
	}
	if rows := object(t, r.stdout)["rows"].(map[string]any); rows["unlabelled"] != 1.0 {
		t.Errorf("rows %v", rows)
	}
	r = run(t, "", "predict", "m", "new.svm")
	if r.code != exitDone || strings.Count(r.stderr, "warning") != 1 || !strings.HasPrefix(r.stdout, "prediction,score\n1,") {
		t.Errorf("%+v", r)
	}
}

// TestInterrupt: the exit code after an interrupt is 130, as shells have it, and the manual page says so.
func TestInterrupt(t *testing.T) {
	folderWith(t, map[string]string{"good.csv": good})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	code := Main(ctx, []string{"fit", "good.csv", "-o", "m"}, strings.NewReader(""), &out, &errs)
	if code != 130 || !strings.Contains(errs.String(), "interrupted; ") {
		t.Errorf("exit %d, %q", code, errs.String())
	}
	if page := run(t, "", "man").stdout; !strings.Contains(page, `.B "`+strconv.Itoa(code)+"\"\nAfter an interrupt") {
		t.Errorf("the manual page does not say what %d is", code)
	}
	_, err := os.Stat("m")
	if saved := err == nil; saved != strings.Contains(errs.String(), "the best so far is in m") {
		t.Errorf("model there: %v, message %q", saved, errs.String())
	}
}

func TestRecipeFileAndFlags(t *testing.T) {
	folderWith(t, map[string]string{"r.json": `{"method":"rls","set":{"sigma":"3","lambda":"0.5"},"tune":"none"}`, "good.csv": good})
	r := run(t, "", "fit", "good.csv", "--recipe", "r.json", "--set", "sigma=4", "--json")
	if r.code != exitDone {
		t.Fatalf("%+v", r)
	}
	if p := object(t, r.stdout)["params"].(map[string]any); p["sigma"] != 4.0 {
		t.Errorf("params %v", p)
	}
}

func TestDataMethodsVersion(t *testing.T) {
	folderWith(t, nil)
	for _, verb := range []string{"data", "methods", "version"} {
		if r := run(t, "", verb); r.code != exitDone || r.stderr != "" || len(r.stdout) < 20 {
			t.Errorf("%s: %+v", verb, r)
		}
		if r := run(t, "", verb, "--json"); r.code != exitDone || len(object(t, r.stdout)) == 0 {
			t.Errorf("%s: %+v", verb, r)
		}
	}
	if r := run(t, "", "data", "two-moons", "--rows", "10", "--seed", "3", "-o", "m.csv"); r.code != exitDone || r.stdout != "" {
		t.Errorf("%+v", r)
	}
	text, err := os.ReadFile("m.csv")
	if err != nil || strings.Count(string(text), "\n") != 11 {
		t.Errorf("%q, %v", text, err)
	}
	if r := run(t, "", "data", "two-moons:seed=3,n=10"); r.stdout != string(text) {
		t.Error("flags and parameters after the colon differ")
	}
	for _, e := range method.Entries() {
		if r := run(t, "", "methods", e.ID); r.code != exitDone || !strings.Contains(r.stdout, e.Source[:4]) {
			t.Errorf("%s: %+v", e.ID, r)
		}
	}
}

var exampleLine = regexp.MustCompile(`(?m)(?:^ {4}|\| )mercer (.*?)(?: {2,}.*)?$`)

// Examples in the help and the catalogue are understood as they stand.
func TestExamplesParse(t *testing.T) {
	folderWith(t, nil)
	var examples []string
	for _, verb := range []string{"fit", "predict", "evaluate", "methods", "data", "version"} {
		r := run(t, "", verb, "-h")
		if r.code != exitDone || r.stderr != "" {
			t.Errorf("%s -h: %+v", verb, r)
		}
		found := exampleLine.FindAllStringSubmatch(r.stdout, -1)
		if len(found) == 0 {
			t.Errorf("%s -h shows no example", verb)
		}
		for _, f := range found {
			examples = append(examples, f[1])
		}
	}
	for _, e := range method.Entries() {
		if e.Example != "" {
			examples = append(examples, strings.TrimPrefix(e.Example, "mercer "))
		}
	}
	for _, line := range examples {
		args := strings.Fields(strings.ReplaceAll(line, "'", ""))
		if _, err := (Program{}).parse(args, new(bytes.Buffer), new(bytes.Buffer)); err != nil {
			t.Errorf("mercer %s: %v", line, err)
		}
	}
}

func TestWritableLeavesNothing(t *testing.T) {
	folderWith(t, nil)
	if err := writable("-o", filepath.Join(".", "new")); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir("."); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

// gamma and coef0 mean what they mean in LIBSVM, for every kernel that has them.
func TestParametersOfLIBSVM(t *testing.T) {
	folderWith(t, nil)
	fit := func(args ...string) float64 {
		r := run(t, "", append(strings.Fields("fit iris --method svm --tune none --json --quiet --set C=1"), args...)...)
		if r.code != exitDone {
			t.Fatalf("%v: %s", args, r.stderr)
		}
		return object(t, r.stdout)["certificate"].(map[string]any)["objective"].(float64)
	}
	for _, kernel := range []string{"polynomial", "sigmoid"} {
		own := fit("--kernel", kernel, "--set", "scale=0.1", "--set", "offset=0.5")
		if theirs := fit("--kernel", kernel, "--set", "gamma=0.1", "--set", "coef0=0.5"); math.Abs(theirs/own-1) > 1e-6 {
			t.Errorf("%s: objective %v by gamma and coef0, %v by scale and offset", kernel, theirs, own)
		}
	}
	fit("--kernel", "sigmoid", "--set", "gamma=0.01", "--set", "coef0=-1")
}

// A model of one class understands labels in evaluate as in fit.
func TestOneClassEvaluates(t *testing.T) {
	folderWith(t, map[string]string{"rows.csv": "a,b,label\n1,2,x\n2,1,y\n1,1,z\n2,2,z\n9,9,-1\n1.5,1.5,x\n"})
	r := run(t, "", strings.Fields("fit rows.csv --method one-class --set nu=0.4 -o m --json --quiet")...)
	if r.code != exitDone {
		t.Fatal(r.stderr)
	}
	fitted := object(t, r.stdout)["metrics"].(map[string]any)["labelled"].(map[string]any)
	if fitted["prbep"] != nil {
		t.Errorf("prbep %v of one class", fitted["prbep"])
	}
	if err := os.WriteFile("inliers.csv", []byte("a,b,label\n1,2,x\n2,1,y\n1,1,z\n2,2,z\n1.5,1.5,x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r = run(t, "", "evaluate", "m", "inliers.csv", "--json")
	if r.code != exitDone || r.stderr != "" {
		t.Fatal(r.stderr)
	}
	if again := object(t, r.stdout)["metrics"].(map[string]any); again["error"] != fitted["error"] {
		t.Errorf("error %v, in the fit %v", again["error"], fitted["error"])
	}
}

// A logistic machine has its own probabilities, whatever was left out.
func TestLogisticHasProbabilities(t *testing.T) {
	folderWith(t, map[string]string{"good.csv": good})
	if r := run(t, "", strings.Fields("fit good.csv --method logistic --tune none --set C=1 -o m --quiet")...); r.code != exitDone {
		t.Fatal(r.stderr)
	}
	r := run(t, "", strings.Fields("predict m good.csv --probability --quiet")...)
	records, err := csv.NewReader(strings.NewReader(r.stdout)).ReadAll()
	if err != nil || r.code != exitDone {
		t.Fatal(err, r.stderr)
	}
	for _, rec := range records[1:] {
		f, _ := strconv.ParseFloat(rec[1], 64)
		p, _ := strconv.ParseFloat(rec[3], 64)
		if want := 1 / (1 + math.Exp(-f)); math.Abs(p-want) > 1e-5 {
			t.Errorf("probability %g of output %g, want %g", p, f, want)
		}
	}
}
