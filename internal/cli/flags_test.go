package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/mercer-ml/mercer/internal/arguments"
)

// times are the parts of what is printed that differ from run to run.
var times = regexp.MustCompile(`"seconds":\{[^}]*\}|"seconds":[0-9.e-]+|[0-9.]+ ?m?s\b|cost .*`)

// left is all that a run leaves: what it prints, without times, its exit code, and its files.
func left(t *testing.T, args []string) string {
	t.Helper()
	before, _ := filepath.Glob("*")
	r := run(t, "", args...)
	var b strings.Builder
	b.WriteString(times.ReplaceAllString(r.stdout, "") + "\n" + times.ReplaceAllString(r.stderr, ""))
	after, _ := filepath.Glob("*")
	for _, name := range after {
		if slices.Contains(before, name) {
			continue
		}
		b.WriteString("\n" + name)
		if text, err := os.ReadFile(name); err == nil && !strings.HasSuffix(name, ".mercer") {
			b.WriteString(": " + times.ReplaceAllString(string(text), ""))
		}
		if err := os.RemoveAll(name); err != nil {
			t.Fatal(err)
		}
	}
	if r.code != exitDone {
		t.Errorf("mercer %s: exit %d: %s", strings.Join(args, " "), r.code, r.stderr)
	}
	return b.String()
}

// silent are flags that change the time and not what is left, but for the forecast.
var silent = []string{"--threads", "--cache"}

// ofText are flags for text, which TestTextFlags has.
var ofText = []string{"--text", "--ngrams", "--min-documents"}

// ofDialect are flags for how a file is written, which TestDialectFlags has.
var ofDialect = []string{"--delimiter", "--header", "--skip", "--quote", "--comment", "--decimal", "--missing", "--strict", "--sheet"}

// flagCases are, for every verb, a command and what each flag adds to it.
func flagCases() map[string]struct {
	base  string
	flags map[string]string
} {
	type c = struct {
		base  string
		flags map[string]string
	}
	unsupervised := func(own map[string]string) map[string]string {
		for name, value := range map[string]string{
			"--output": "--output out.csv", "--format": "", "--label": "--label c", "--unlabelled-mark": "--unlabelled-mark 3",
			"--view": "--view v=1..2", "--memory": "", "--drop": "--drop a", "--features": "--features a,b", "--id": "--id c",
			"--test": "--test test.csv", "--scale": "--scale minmax", "--neighbours": "--neighbours 4",
			"--search": "--search approximate --seed 3", "--kernel": "--kernel gaussian",
			"--set": "--set weights=heat", "--seed": "", "--json": "--json", "--quiet": "--quiet",
			"--threads": "--threads 1", "--time-limit": "",
		} {
			if _, ok := own[name]; !ok {
				own[name] = value
			}
		}
		return own
	}
	return map[string]c{
		"fit": {"fit rows.csv --verbose --method svm --tune none --set sigma=1", map[string]string{
			"--verbose": "", // of the base, so that each parameter shows
			"--output":  "--output m.mercer", "--format": "", "--label": "--label c --task classification",
			"--unlabelled-mark": "--unlabelled-mark 3", "--view": "--method lap-rls --view v=1..2",
			"--memory": "", "--task": "--task regression --method svr --label b", "--unlabelled": "--unlabelled test.csv",
			"--drop": "--drop a", "--features": "--features a,c", "--id": "--id a", "--weight": "--weight c", "--group": "--group c",
			"--order":   "--order c",
			"--columns": "--columns columns.json",
			"--test":    "--test test.csv", "--scale": "--scale minmax",
			"--labelled-rows": "--labelled-rows keep", "--labels": "--labels 9", "--labels-per-class": "--labels-per-class 4",
			"--seed": "--labels 9 --seed 2", "--splits": "--splits splits.csv", "--from": "", // which TestFitFrom has
			"--method": "--method l2-svm", "--kernel": "--kernel ard-gaussian", "--set": "--set loss=quartic", "--tune": "--tune kfold:3",
			"--search": "--tune kfold:3 --search random --budget 3", "--effort": "--method auto --tune auto --effort low",
			"--budget": "--tune kfold:3 --search random --budget 2", "--trace": "--tune kfold:3 --search random --budget 2 --trace t",
			"--tol": "--tol 0.3 --json", "--offset": "--offset no", "--groups": "--groups auto", "--basis": "--basis 4",
			"--multiclass": "--multiclass one-vs-rest", "--class-weight": "--class-weight 1=5", "--recipe": "--recipe recipe.json",
			"--decide": "--tune kfold:3 --decide balanced", "--cv": "--cv 2",
			"--cache": "--cache 1Mi", "--time-limit": "", "--report": "--report page",
			"--json": "--json", "--quiet": "--quiet", "--threads": "--threads 1",
		}},
		"pareto": {"pareto rows.csv --method mobj-svm --set C=1,4,16 --set sigma=1,2", map[string]string{
			"--output": "--output m.mercer", "--format": "", "--label": "--label c --task classification",
			"--unlabelled-mark": "--unlabelled-mark 3", "--view": "",
			"--memory": "", "--task": "", "--unlabelled": "--unlabelled test.csv", "--test": "--test test.csv", "--scale": "--scale minmax",
			"--drop": "--drop a", "--features": "--features a,c", "--id": "--id a", "--weight": "", "--group": "", "--order": "--order c",
			"--columns":       "--columns columns.json",
			"--labelled-rows": "--labelled-rows keep", "--labels": "--labels 12",
			"--labels-per-class": "--labels-per-class 5", "--seed": "--seed 4",
			"--method": "", "--kernel": "--kernel polynomial", "--set": "--set floor=1e-3", "--decision": "--decision knee",
			"--pick": "--pick 2", "--offset": "--offset no",
			"--multiclass": "--multiclass one-vs-rest", "--class-weight": "--class-weight 1=5", "--recipe": "--recipe front.json",
			"--tol":        "--tol 0.5",
			"--time-limit": "", "--report": "--report page",
			"--json": "--json", "--quiet": "--quiet", "--threads": "--threads 1",
		}},
		"predict": {"predict front.mercer rows.csv", map[string]string{
			"--output": "--output out.csv", "--member": "--member 1", "--id": "--id " +
				"c", "--probability": "", "--interval": "", "--format": "", "--label": "",
			"--unlabelled-mark": "", "--view": "", "--memory": "",
			"--json": "--json", "--quiet": "", "--threads": "--threads 1",
		}},
		"evaluate": {"evaluate model.mercer rows.csv", map[string]string{
			"--drift":  "--drift",
			"--format": "", "--label": "", "--unlabelled-mark": "--unlabelled-mark 3", "--view": "", "--memory": "", "--json": "--json",
			"--quiet": "", "--threads": "--threads 1",
		}},
		"label": {"", map[string]string{ // runs until it is ended: TestLabel and those beside it have the flags
			"--output": "", "--format": "", "--label": "", "--unlabelled-mark": "", "--view": "",
			"--memory": "", "--drop": "", "--features": "",
			"--id": "", "--weight": "", "--group": "", "--order": "", "--columns": "", "--scale": "", "--classes": "",
			"--image": "", "--image-folder": "", "--token": "", "--log": "",
			"--labelled": "", "--port": "", "--seed": "", "--labels": "", "--labels-per-class": "",
			"--json": "", "--quiet": "", "--threads": "",
		}},
		"shrink": {"shrink model.mercer --basis 3 --data rows.csv -o small.mercer", map[string]string{
			"--output": "-o other.mercer", "--basis": "--basis 2", "--data": "--data test.csv", "--seed": "",
			"--format": "", "--label": "", "--unlabelled-mark": "--unlabelled-mark 3", "--view": "", "--memory": "", "--json": "--json",
			"--quiet": "", "--threads": "--threads 1",
		}},
		"explain": {"explain model.mercer rows.csv --row 1 --top 3", map[string]string{
			"--row": "--row 2", "--class": "--class 3", "--training": "--training rows.csv", "--reference": "--reference mean",
			"--top": "--top 2", "--interval": "", "--format": "", "--label": "", "--unlabelled-mark": "", "--view": "", "--memory": "",
			"--json": "--json", "--quiet": "", "--threads": "--threads 1",
		}},
		"cluster": {"cluster rows.csv --clusters 3", unsupervised(map[string]string{"--clusters": "--clusters 4", "--split": ""})},
		"embed":   {"embed rows.csv", unsupervised(map[string]string{"--dim": "--dim 3", "--unlabelled-mark": ""})},
		"export": {
			"export model.mercer --format libsvm --output m.svm",
			map[string]string{"--output": "--output other.svm", "--format": "", "--quiet": "--quiet", "--json": ""},
		},
		"convert": {"convert rows.csv --output r.svm", map[string]string{
			"--output": "--output other.csv", "--range": "", "--format": "", "--label": "--label c", "--unlabelled-mark": "", "--view": "",
			"--memory": "", "--quiet": "", "--json": "", "--drop": "--drop a", "--features": "--features a,b", "--id": "--id c",
		}},
		"serve": {"", map[string]string{ // it ends by a signal; TestServe has it
			"--listen": "", "--token": "", "--tls": "", "--max-body": "", "--max-rows": "", "--request-time": "", "--connections": "",
			"--memory": "", "--quiet": "", "--threads": "",
		}},
		"methods": {"methods", map[string]string{"--plot": "", "--json": "--json", "--schema": "--schema"}},
		"data": {
			"data two-moons",
			map[string]string{
				"--output":           "--output o.csv",
				"--rows":             "--rows 9",
				"--noise":            "--noise 0.4",
				"--seed":             "--seed 5",
				"--set":              "--set labelled=4",
				"--json":             "",
				"--splits":           "--splits 2 --labels 4",
				"--labels":           "--labels 4 --splits 2",
				"--labels-per-class": "--labels-per-class 2 --splits 2",
				"--label":            "", // of a file, as those that follow
				"--format":           "", "--task": "", "--drop": "", "--features": "", "--id": "",
				"--weight": "", "--group": "", "--order": "", "--columns": "",
			},
		},
		"reproduce": {
			"reproduce becker-f3.1",
			map[string]string{
				"--runs":     "",
				"--only":     "",
				"--seed":     "",
				"--sources":  "", // runs nothing
				"--markdown": "--markdown m.md",
				"--data":     "",
				"--report":   "",
				"--json":     "--json",
				"--quiet":    "",
				"--threads":  "--threads 1",
			},
		},
		"version":    {"version", map[string]string{"--json": "--json"}},
		"completion": {"completion bash", nil},
		"man":        {"man", nil},
	}
}

// combined is a command with more flags, which take the place of the same ones in it; --set adds up.
func combined(base, more string) []string {
	words, extra := strings.Fields(base), strings.Fields(more)
	for i := 0; i < len(words); i++ {
		if strings.HasPrefix(words[i], "-") && words[i] != "--set" && slices.Contains(extra, words[i]) {
			words = slices.Delete(words, i, i+2)
			i--
		}
	}
	return append(words, extra...)
}

// TestEveryFlag: every flag of every verb is listed above, and what it adds changes what is left. An
// empty case says that another test has the flag.
func TestEveryFlag(t *testing.T) {
	if testing.Short() {
		t.Skip("some hundred runs of the program, slow under the race detector")
	}
	var rows strings.Builder
	rows.WriteString("a,b,c,label\n")
	for i := range 48 {
		fmt.Fprintf(&rows, "%g,%g,%d,%d\n", float64(i%3)+0.1*float64(i*7%23), 0.2*float64(i*5%17)-float64(i%3), 100*(1+i*13%19), 1+i%3)
	}
	all := rows.String()
	folderWith(t, map[string]string{
		"rows.csv": all, "test.csv": "a,b,c,label\n" + strings.Join(strings.SplitAfter(all, "\n")[20:32], ""),
		"keep":       "0 1 2 3 4 6 7 8 9 10 11 12 13 14",
		"splits.csv": "split,labelled_rows\n0,0 1 2 3 4 6 7 8\n1,9 10 11 12 13 14 17 18\n", "recipe.json": `{"class_weight":"2=3"}`,
		"front.json": `{"decision":"lcurve"}`, "columns.json": `{"columns":[{"name":"a","kind":"left out"}]}`,
	})
	done(t, "fit", "rows.csv", "--method", "svm", "-o", "model.mercer")
	done(t, "pareto", "rows.csv", "--method", "mobj-svm", "--set", "C=1,4,16", "--set", "sigma=1,2", "-o", "front.mercer")
	cases := flagCases()
	var p program
	k, err := kong.New(&p, arguments.Words(vocabulary()), kong.Writers(io.Discard, io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range k.Model.Children {
		c, ok := cases[verb.Name]
		if !ok {
			t.Errorf("no case for %s", verb.Name)
			continue
		}
		t.Run(verb.Name, func(t *testing.T) {
			var plain string
			if c.base != "" {
				plain = left(t, strings.Fields(c.base))
				if again := left(t, strings.Fields(c.base)); again != plain {
					t.Fatalf("two runs differ:\n%s\n%s", plain, again)
				}
			}
			for _, f := range verb.Flags {
				name := "--" + f.Name
				more, ok := c.flags[name]
				switch {
				case f.Name == "help" || ok && more == "" || slices.Contains(ofText, name) || slices.Contains(ofDialect, name):
				case !ok:
					t.Errorf("no case for %s", name)
				case slices.Contains(silent, name):
					if a, b := left(t, combined(c.base, "--quiet")), left(t, combined(c.base, "--quiet "+more)); a != b {
						t.Errorf("mercer %s %s leaves something else:\n%s\n%s", c.base, more, a, b)
					}
				default:
					if left(t, combined(c.base, more)) == plain {
						t.Errorf("mercer %s %s: same as without", c.base, more)
					}
				}
			}
		})
	}
}
