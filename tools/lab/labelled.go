package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

// labelledTables compares plain mercer fit with peers on tables whose rows are all labelled: the folder of data has sets.csv, the names of
// the sets (set) and their tasks (task, c or r), and for each set NAME.split0.train.csv.gz, NAME.split0.test.csv.gz and the same of split1.
// Further splits are drawn from the rows of the first. The peers are those of labelled.py, with Debian's python3-sklearn and
// python3-xgboost; all run on one thread.
func labelledTables(f *measure.Flags) func() measure.Page {
	data, sets, given, python := f.Data(), f.Sets(), f.Mercer(), f.Python()
	peers := f.String("peers", "tuned,xgb,boosting,forest,svm,linear", "the peers, with commas between; the first is the one to beat")
	splits := f.Int("splits", 5, "splits of each set")
	tries := f.Int("tries", 100, "random settings of tuned")
	flags := f.String("flags", "", "flags of mercer fit, with spaces between")
	kept := f.String("kept", "", "a folder that keeps the splits and what the peers did on them: a run that stopped goes on there")
	return func() measure.Page {
		b := labelledBench{Options: measure.Options{Data: *data, Sets: *sets, Program: *given, Python: *python},
			splits: *splits, tries: *tries, kept: *kept}
		b.flags = strings.Fields(*flags)
		b.names = append([]string{"mercer"}, strings.FieldsFunc(*peers, func(r rune) bool { return r == ',' })...)
		title := "Labelled tables: plain mercer fit beside boosting, forests and support vector machines"
		return measure.Page{Title: title, Write: func(ctx context.Context, w io.Writer) error {
			return process.Within(ctx, b.Program, func(program, folder string) error {
				b.Program = program
				if b.kept == "" {
					b.kept = folder
				}
				return b.run(ctx, w)
			})
		}}
	}
}

// labelledBench is a comparison.
type labelledBench struct {
	measure.Options
	kept   string // the folder of splits and of the peers' answers
	splits int
	tries  int // random settings of the peer tuned
	flags  []string
	names  []string // mercer, then the peers
}

// labelledScore is how a program did on a split.
type labelledScore struct {
	error, loss, seconds float64 // error over that of the trivial answer
	estimate, covered    float64 // of mercer alone: expected error less the error, so divided; whether its interval held the error
	within               float64 // the same of an interval that is wider by what the error of so few test rows varies
}

// labelledSet is a set with the scores of each program, split by split.
type labelledSet struct {
	name    string
	classes bool
	scores  map[string][]labelledScore
}

// tables reads sets.csv.
func (b *labelledBench) tables() (list []labelledSet, err error) {
	file, err := os.Open(filepath.Join(b.Data, "sets.csv"))
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was read
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, err
	}
	name, task := slices.Index(rows[0], "set"), slices.Index(rows[0], "task")
	if name < 0 || task < 0 {
		return nil, fmt.Errorf("sets.csv: no columns set and task")
	}
	for _, row := range rows[1:] {
		if measure.Wanted(b.Sets, row[name]) {
			list = append(list, labelledSet{row[name], row[task] == "c", map[string][]labelledScore{}})
		}
	}
	return list, nil
}

func (b *labelledBench) run(ctx context.Context, w io.Writer) error {
	list, err := b.tables()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "Errors are of test rows, divided by that of the trivial answer (the most frequent class, the mean), in the mean over "+
		"the splits. Tuned is XGBoost with the best of %d random settings, xgb XGBoost and boosting HistGradientBoosting as they come, "+
		"svm the best of 25 points of a grid. Won, lost: the mean difference to tuned over the splits exceeds two standard errors.\n\n", b.tries)
	head, rule := "| set |", "|---|"
	for _, n := range b.names {
		head, rule = head+" "+n+" |", rule+"---|"
	}
	fmt.Fprintf(w, "%s difference to %s | |\n%s---|---|\n", head, b.names[1], rule)
	for i := range list {
		for split := range b.splits {
			if err := b.split(ctx, &list[i], split); err != nil {
				return fmt.Errorf("%s, split %d: %w", list[i].name, split, err)
			}
		}
		b.line(w, list[i])
	}
	b.summary(w, list)
	return nil
}

// split measures all programs on one split of a set.
func (b *labelledBench) split(ctx context.Context, s *labelledSet, split int) error {
	part := 0
	if split == 1 {
		part = 1
	}
	of := func(rows string) string {
		return filepath.Join(b.Data, fmt.Sprintf("%s.split%d.%s.csv.gz", s.name, part, rows))
	}
	kind, out := "r", filepath.Join(b.kept, fmt.Sprintf("%s.%d", s.name, split))
	if s.classes {
		kind = "c"
	}
	words := []string{"tools/lab/labelled.py", of("train"), of("test"), kind, fmt.Sprint(split), out, fmt.Sprint(b.tries)}
	words = append(words, b.names[1:]...)
	answer, err := b.answers(ctx, out+".peers", words)
	if err != nil {
		return err
	}
	trivial := 1.0
	for lines := bufio.NewScanner(bytes.NewReader(answer)); lines.Scan(); {
		var name string
		var v labelledScore
		if _, err := fmt.Sscan(lines.Text(), &name, &v.seconds, &v.error, &v.loss); err != nil {
			return fmt.Errorf("a peer answered %q: %w", lines.Text(), err)
		}
		if name == "trivial" {
			trivial = v.error
			continue
		}
		v.error /= trivial
		s.scores[name] = append(s.scores[name], v)
	}
	v, err := b.ours(ctx, s, out, trivial)
	s.scores["mercer"] = append(s.scores["mercer"], v)
	return err
}

// answers is what the command of the peers printed, which file keeps below the command itself. The same command is not run twice.
func (b *labelledBench) answers(ctx context.Context, file string, words []string) ([]byte, error) {
	asked := strings.Join(words[3:], " ") + "\n"
	if kept, err := os.ReadFile(file); err == nil && strings.HasPrefix(string(kept), asked) {
		return kept[len(asked):], nil
	}
	_, answer, err := process.Timed(ctx, b.Python, words...)
	if err != nil {
		return nil, err
	}
	return answer, os.WriteFile(file, append([]byte(asked), answer...), 0o644)
}

// ours is plain mercer fit on one thread.
func (b *labelledBench) ours(ctx context.Context, s *labelledSet, out string, trivial float64) (v labelledScore, err error) {
	var r struct {
		Metrics struct {
			Test struct {
				Error, RMSE float64
				LogLoss     float64 `json:"log_loss"`
			}
		}
		Estimate struct{ Error, Low, High float64 }
	}
	words := append([]string{"GOMAXPROCS=1", b.Program, "fit", "--json", "--quiet", out + ".train.csv",
		"--test", out + ".test.csv"}, b.flags...)
	if !s.classes {
		words = append(words, "--task", "regression")
	}
	cost, answer, err := process.Timed(ctx, "env", words...)
	if err == nil {
		err = json.Unmarshal(answer, &r)
	}
	if err != nil {
		return v, err
	}
	test := r.Metrics.Test
	v = labelledScore{error: test.Error, loss: test.LogLoss, seconds: cost.Processor}
	if !s.classes {
		v.error, v.loss = test.RMSE, math.NaN()
	}
	v.estimate = (r.Estimate.Error - v.error) / trivial
	low, high := r.Estimate.Low, r.Estimate.High
	v.covered = share(low <= v.error && v.error <= high)
	varies, err := testNoise(out+".test.csv", v.error, s.classes)
	if err != nil {
		return v, err
	}
	varies *= distuv.UnitNormal.Quantile(0.95)
	middle := r.Estimate.Error
	v.within = share(middle-math.Hypot(middle-low, varies) <= v.error && v.error <= middle+math.Hypot(high-middle, varies))
	v.error /= trivial
	return v, nil
}

func share(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// testNoise is the standard error of an error of the rows in a file: of a share of them, or of the root of a mean square where errors
// are normal.
func testNoise(path string, of float64, classes bool) (float64, error) {
	text, err := os.ReadFile(path) //nolint:gosec // a file of this run
	if err != nil {
		return 0, err
	}
	n := float64(bytes.Count(text, []byte{'\n'}) - 1)
	if classes {
		return math.Sqrt(of * (1 - of) / n), nil
	}
	return of / math.Sqrt(2*n), nil
}

// column are the values of one program.
func (s *labelledSet) column(name string, of func(labelledScore) float64) (list []float64) {
	for _, v := range s.scores[name] {
		list = append(list, of(v))
	}
	return list
}

func normalised(v labelledScore) float64 { return v.error }

// against is the mean difference of mercer to the first peer, its standard error, and the word for it.
func (b *labelledBench) against(s *labelledSet) (mean, spread float64, word string) {
	ours, theirs := s.column("mercer", normalised), s.column(b.names[1], normalised)
	var d []float64
	for i, v := range ours {
		d = append(d, v-theirs[i])
	}
	mean, word = stat.Mean(d, nil), "not decided"
	if len(d) > 1 {
		spread = stat.StdErr(stat.StdDev(d, nil), float64(len(d)))
	}
	switch {
	case mean < -2*spread:
		word = "won"
	case mean > 2*spread:
		word = "lost"
	}
	return mean, spread, word
}

// line is that of a set.
func (b *labelledBench) line(w io.Writer, s labelledSet) {
	fmt.Fprintf(w, "| %s |", s.name)
	for _, n := range b.names {
		fmt.Fprintf(w, " %.3f |", stat.Mean(s.column(n, normalised), nil))
	}
	mean, spread, word := b.against(&s)
	fmt.Fprintf(w, " %+.3f +- %.3f | %s |\n", mean, spread, word)
}

// summary are the means over the sets.
func (b *labelledBench) summary(w io.Writer, list []labelledSet) {
	count := map[string]int{}
	var estimates, covered, within []float64
	for i := range list {
		_, _, word := b.against(&list[i])
		count[word]++
		estimates = append(estimates, list[i].column("mercer", func(v labelledScore) float64 { return v.estimate })...)
		covered = append(covered, list[i].column("mercer", func(v labelledScore) float64 { return v.covered })...)
		within = append(within, list[i].column("mercer", func(v labelledScore) float64 { return v.within })...)
	}
	fmt.Fprint(w, "\n| mean over the sets |")
	for _, n := range b.names {
		fmt.Fprintf(w, " %s |", n)
	}
	fmt.Fprint(w, "\n|---|"+strings.Repeat("---|", len(b.names))+"\n")
	rows := []struct {
		name string
		of   func(labelledScore) float64
	}{
		{"normalised error", normalised},
		{"log loss of the sets of classes", func(v labelledScore) float64 { return v.loss }},
		{"processor seconds", func(v labelledScore) float64 { return v.seconds }},
	}
	for _, r := range rows {
		fmt.Fprintf(w, "| %s |", r.name)
		for _, n := range b.names {
			var each []float64
			for i := range list {
				if v := stat.Mean(list[i].column(n, r.of), nil); v == v {
					each = append(each, v)
				}
			}
			v := stat.Mean(each, nil)
			if len(each) == 0 {
				fmt.Fprint(w, " - |")
				continue
			}
			fmt.Fprintf(w, " %.3f |", v)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "\nAgainst %s: %d won, %d not decided, %d lost. The expected error less that of the test rows, over the trivial error: "+
		"%+.4f in the mean of %d fits, +- %.4f. The interval of 90 %% held the error of the test rows in %.0f %% of them; made wider by "+
		"what that error varies for so few rows, in %.0f %%.\n",
		b.names[1], count["won"], count["not decided"], count["lost"], stat.Mean(estimates, nil), len(estimates),
		stat.StdErr(stat.StdDev(estimates, nil), float64(len(estimates))), 100*stat.Mean(covered, nil), 100*stat.Mean(within, nil))
}
