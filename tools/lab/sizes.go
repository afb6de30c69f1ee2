package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

// sizesSet is a file and its test part; "" is a quarter of the file.
type sizesSet struct{ name, data, test string }

func sizesSets() []sizesSet {
	return []sizesSet{
		{"a9a", "a9a.svm.gz", "a9a_test.svm.gz"}, {"letter", "letter.csv.gz", ""}, {"covtype_20k", "covtype_20k.csv.gz", ""},
		{"usps", "usps_train.csv.gz", "usps_test.csv.gz"}, {"ijcnn1_val", "ijcnn1_val.csv.gz", ""},
		{"fashion_mnist_5000", "fashion_mnist_5000.csv.gz", ""}, {"satimage", "satimage.csv.gz", ""},
		{"spambase", "spambase.csv.gz", ""}, {"banana", "banana.csv", ""}, {"segment", "segment.csv.gz", ""},
	}
}

// manyRows compares plain mercer fit with scikit-learn on files of some thousand to some ten thousand labelled rows, on equal training
// and test rows. A set's own test part is used where there is one, else a quarter drawn by classes. The peers are those of sizes.py,
// with Debian's python3-sklearn.
func manyRows(f *measure.Flags) func() measure.Page {
	data, sets, given, python := f.Data(), f.Sets(), f.Mercer(), f.Python()
	peers := f.String("peers", "grid,forest,boosting", "the peers, with commas between")
	limit := f.Duration("limit", 24*time.Hour, "the time after which a peer is stopped on a set")
	return func() measure.Page {
		b := sizesBench{Options: measure.Options{Data: *data, Sets: *sets, Program: *given, Python: *python}, limit: *limit}
		b.peers = strings.FieldsFunc(*peers, func(r rune) bool { return r == ',' })
		title := "Plain mercer fit and scikit-learn on many labelled rows"
		return measure.Page{Title: title, Write: func(ctx context.Context, w io.Writer) error {
			return process.Within(ctx, b.Program, func(program, folder string) error {
				b.Program, b.folder = program, folder
				return b.run(ctx, w)
			})
		}}
	}
}

// sizesBench is a comparison.
type sizesBench struct {
	measure.Options
	folder string
	limit  time.Duration
	peers  []string
}

// run compares on every set and prints a line for each.
func (b *sizesBench) run(ctx context.Context, w io.Writer) error {
	fmt.Fprint(w, "Errors are of test rows, seconds of the whole fit. Grid, forest and boosting are GridSearchCV of "+
		"SVC, RandomForestClassifier and HistGradientBoostingClassifier of scikit-learn; the time of a peer "+
		"is limited.\n\n")
	head, rule := "| set | mercer: error % | seconds | machine |", "|---|---|---|---|"
	for _, p := range b.peers {
		head, rule = head+" "+p+": error % | seconds |", rule+"---|---|"
	}
	fmt.Fprintf(w, "%s\n%s\n", head, rule)
	for _, s := range sizesSets() {
		if !measure.Wanted(b.Sets, s.name) {
			continue
		}
		line, err := b.compare(ctx, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		fmt.Fprintln(w, line)
	}
	return nil
}

// compare measures all on one set.
func (b *sizesBench) compare(ctx context.Context, s sizesSet) (string, error) {
	test := "-"
	if s.test != "" {
		test = filepath.Join(b.Data, s.test)
	}
	out := filepath.Join(b.folder, s.name)
	limit := fmt.Sprint(int(b.limit.Seconds()))
	words := append([]string{"tools/lab/sizes.py", filepath.Join(b.Data, s.data), test, out, limit}, b.peers...)
	_, answer, err := process.Timed(ctx, b.Python, words...)
	if err != nil {
		return "", err
	}
	kind := "csv"
	if strings.Contains(s.data, ".svm") {
		kind = "svm"
	}
	train, holdout := out+".train."+kind, out+".test."+kind
	line, err := b.ours(ctx, s.name, train, holdout)
	if err != nil {
		return "", err
	}
	for lines := bufio.NewScanner(bytes.NewReader(answer)); lines.Scan(); {
		var name string
		var seconds, percent float64
		if _, err := fmt.Sscan(lines.Text(), &name, &seconds, &percent); err != nil {
			return "", fmt.Errorf("a peer answered %q: %w", lines.Text(), err)
		}
		if math.IsNaN(percent) {
			line += fmt.Sprintf(" - | stopped after %.0f |", seconds)
			continue
		}
		line += fmt.Sprintf(" %.2f | %.1f |", percent, seconds)
	}
	return line, nil
}

// ours is the beginning of a set's line.
func (b *sizesBench) ours(ctx context.Context, name, train, test string) (string, error) {
	var r struct {
		Method, Kernel string
		Metrics        struct{ Test struct{ Error float64 } }
		Seconds        struct{ Total float64 }
	}
	if _, err := process.Fit(ctx, b.Program, &r, train, "--test", test); err != nil {
		return "", fmt.Errorf("mercer fit: %w", err)
	}
	return fmt.Sprintf("| %s | %.2f | %.1f | %s, %s |", name, 100*r.Metrics.Test.Error, r.Seconds.Total, r.Method, r.Kernel), nil
}
