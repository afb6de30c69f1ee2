//go:build unix

// Sizes compares plain `mercer fit` with scikit-learn on files of some thousand to some ten thousand labelled
// rows, on equal training and test rows, and prints a table:
//
//	go run ./tools/lab/sizes --data DIR                                  all peers: the grid search takes hours
//	go run ./tools/lab/sizes --data DIR --limit 10m                      no longer than that for a peer on a set
//	go run ./tools/lab/sizes --data DIR --peers forest,boosting --sets letter,satimage
//
// A set's own test part is used where there is one, else a quarter drawn by classes. The peers are those of
// peers.py, with Debian's python3-sklearn, and `twin`: the same grid over the same machines, trained by mercer,
// which reaches LIBSVM's objective (docs/results/peers.md) in less time, so it says what the grid would find where
// the grid itself takes hours. Files are named as in docs/datasets.md.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/internal/results"
)

// set is a file and its test part; "" is a quarter of the file.
type set struct{ name, data, test string }

func sets() []set {
	return []set{
		{"a9a", "a9a.svm.gz", "a9a_test.svm.gz"}, {"letter", "letter.csv.gz", ""}, {"covtype_20k", "covtype_20k.csv.gz", ""},
		{"usps", "usps_train.csv.gz", "usps_test.csv.gz"}, {"ijcnn1_val", "ijcnn1_val.csv.gz", ""},
		{"fashion_mnist_5000", "fashion_mnist_5000.csv.gz", ""}, {"satimage", "satimage.csv.gz", ""},
		{"spambase", "spambase.csv.gz", ""}, {"banana", "banana.csv", ""}, {"segment", "segment.csv.gz", ""},
	}
}

func main() {
	dir := flag.String("data", "", "folder of the data files")
	only := flag.String("sets", "", "the sets, by name, with commas between; all if empty")
	peers := flag.String("peers", "grid,forest,boosting", "the peers, with commas between")
	python := flag.String("python", "/usr/bin/python3", "the interpreter that has scikit-learn")
	script := flag.String("script", "tools/lab/sizes/peers.py", "the peers' program")
	limit := flag.Duration("limit", 24*time.Hour, "the time after which a peer is stopped on a set")
	markdown := flag.String("markdown", "", "write the table there too, with the command, the date and the machine")
	flag.Parse()
	b := bench{dir: *dir, python: *python, script: *script, limit: *limit}
	b.peers = strings.FieldsFunc(*peers, func(r rune) bool { return r == ',' })
	title := "Plain mercer fit and scikit-learn on many labelled rows"
	err := results.Program(*markdown, title, "tools/lab/sizes", os.Args[1:], func(w io.Writer) error { return b.run(w, *only) })
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// bench is a comparison.
type bench struct {
	dir, python, script string
	limit               time.Duration
	peers               []string
	program, scratch    string
}

// run builds the program, compares on every set and prints a line for each.
func (b *bench) run(w io.Writer, only string) (err error) {
	if b.scratch, err = os.MkdirTemp("", "sizes"); err != nil {
		return err
	}
	defer os.RemoveAll(b.scratch) //nolint:errcheck // a folder left in the system's own is no fault of the run
	b.program = filepath.Join(b.scratch, "mercer")
	if out, err := exec.Command("go", "build", "-o", b.program, "./cmd/mercer").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, out)
	}
	fmt.Fprint(w, "Errors are of test rows, seconds of the whole fit. Grid, forest and boosting are GridSearchCV of "+
		"SVC, RandomForestClassifier and HistGradientBoostingClassifier of scikit-learn; the time of a peer "+
		"is limited.\n\n")
	fmt.Fprintf(w, "| set | mercer: error %% | seconds | machine |%s\n", header(b.peers, " %s: error %% | seconds |"))
	fmt.Fprintf(w, "|---|---|---|---|%s\n", header(b.peers, "---|---|"))
	for _, s := range sets() {
		if only != "" && !slices.Contains(strings.Split(only, ","), s.name) {
			continue
		}
		line, err := b.compare(s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		fmt.Fprintln(w, line)
	}
	return nil
}

// header repeats a text for every peer.
func header(peers []string, text string) string {
	var b strings.Builder
	for _, p := range peers {
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(text, "%s", p), "%%", "%"))
	}
	return b.String()
}

// compare measures all on one set.
func (b *bench) compare(s set) (string, error) {
	test := "-"
	if s.test != "" {
		test = filepath.Join(b.dir, s.test)
	}
	out := filepath.Join(b.scratch, s.name)
	limit := strconv.Itoa(int(b.limit.Seconds()))
	others := slices.DeleteFunc(slices.Clone(b.peers), func(p string) bool { return p == twin })
	python := exec.Command(b.python, append([]string{b.script, filepath.Join(b.dir, s.data), test, out, limit}, others...)...)
	python.Stderr = os.Stderr
	answer, err := python.Output()
	if err != nil {
		return "", err
	}
	kind := "csv"
	if strings.Contains(s.data, ".svm") {
		kind = "svm"
	}
	train, holdout := out+".train."+kind, out+".test."+kind
	line, err := b.ours(s.name, train, holdout)
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
	if len(others) == len(b.peers) {
		return line, nil
	}
	last, err := b.grid(train, holdout)
	return line + last, err
}

// twin is the peer that is mercer's own grid; it is the last of a line.
const twin = "twin"

// result is what is read of a fit.
type result struct {
	Method, Kernel string
	Metrics        map[string]map[string]float64
	Seconds        struct{ Total float64 }
}

// ours is the beginning of a set's line.
func (b *bench) ours(name, train, test string) (string, error) {
	r, err := b.fit(context.Background(), train, "--test", test)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("| %s | %.2f | %.1f | %s, %s |", name, 100*r.Metrics["test"]["error"], r.Seconds.Total, r.Method, r.Kernel), nil
}

// grid is the end of a set's line: the peers' grid by mercer's machines.
func (b *bench) grid(train, test string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), b.limit)
	defer cancel()
	r, err := b.fit(ctx, train, "--test", test, "--method", "svm", "--multiclass", "one-vs-one", "--scale", "standard", "--search", "grid",
		"--tune", "kfold:5", "--set", "outer=error", "--set", "C=0.1,1,10,100,1000", "--set", "gamma=0.0001,0.001,0.01,0.1,1")
	if ctx.Err() != nil {
		return fmt.Sprintf(" - | stopped after %.0f |", b.limit.Seconds()), nil
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(" %.2f | %.1f |", 100*r.Metrics["test"]["error"], r.Seconds.Total), nil
}

// fit runs the program.
func (b *bench) fit(ctx context.Context, args ...string) (r result, err error) {
	fit := exec.CommandContext(ctx, b.program, append([]string{"fit", "--json"}, args...)...)
	fit.Stderr = io.Discard
	text, err := fit.Output()
	if err != nil {
		return r, fmt.Errorf("mercer fit: %w", err)
	}
	return r, json.Unmarshal(text, &r)
}
