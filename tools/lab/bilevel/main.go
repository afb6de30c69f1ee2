//go:build unix

// Bilevel compares tuning by derivatives with the usual practice, on equal training and
// test rows, and prints a table:
//
//	go run ./tools/lab/bilevel --data DIR             five seeds
//	go run ./tools/lab/bilevel --data DIR --seeds 1 --sets sonar,wdbc
//
// Usual practice: scikit-learn's GridSearchCV of an SVC, 25 points x 5 folds, 2 jobs
// (grid.py, with Debian's python3-sklearn). Ours: mercer fit --method rls --kernel
// ard-gaussian --search gradient, a width for every feature, leave-one-out. At most 1000
// training rows, standardised; seconds are those of tuning and the last fit. The peer is one
// process for all sets, whose two workers are started and used before the first time is taken: who
// tunes often does not start them anew. Files are named as in docs/datasets.md.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/results"
)

func sets() []string {
	return []string{"sonar", "wdbc", "spambase", "satimage", "segment", "digits", "usps_train", "pima_diabetes", "australian", "heart_statlog"}
}

func main() {
	dir := flag.String("data", "", "folder of the data files")
	only := flag.String("sets", strings.Join(sets(), ","), "the sets, by name")
	seeds := flag.Int("seeds", 5, "draws of the training rows")
	python := flag.String("python", "/usr/bin/python3", "the interpreter that has scikit-learn")
	args := flag.String("args", "--method rls --kernel ard-gaussian --search gradient --budget 40", "what mercer fit is told")
	markdown := flag.String("markdown", "", "write the table there too, with the command, the date and the machine")
	flag.Parse()
	const title = "Tuning by derivatives against a grid search"
	err := results.Program(*markdown, title, "tools/lab/bilevel", os.Args[1:], func(w io.Writer) error {
		return run(w, *dir, *python, *args, strings.Split(*only, ","), *seeds)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// measured is what one program took and got.
type measured struct{ seconds, percent []float64 }

func (m *measured) add(seconds, percent float64) {
	m.seconds, m.percent = append(m.seconds, seconds), append(m.percent, percent)
}

func run(w io.Writer, dir, python, args string, names []string, seeds int) (err error) {
	tmp, err := os.MkdirTemp("", "bilevel")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp) //nolint:errcheck // nothing can be done about what is left
	program := filepath.Join(tmp, "mercer")
	if out, err := exec.Command("go", "build", "-o", program, "./cmd/mercer").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	peer, err := startPeer(exec.Command(python, "tools/lab/bilevel/grid.py"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, peer.close()) }()
	fmt.Fprintln(w, "| set | test error %, mean (sd): grid | bi-level | seconds, median: grid | bi-level |\n|---|---|---|---|---|")
	var total [2]measured
	for _, name := range names {
		file := filepath.Join(dir, name+".csv")
		if _, err := os.Stat(file); err != nil {
			file += ".gz"
		}
		var grid, ours measured
		for seed := range seeds {
			base := filepath.Join(tmp, name)
			s, e, err := peer.ask(file, base, seed)
			if err != nil {
				return err
			}
			grid.add(s, e)
			line := append([]string{"fit", base + ".train.csv", "--test", base + ".test.csv", "--label", "label", "--task", "classification",
				"--scale", "none", "--json", "--quiet"}, strings.Fields(args)...)
			out, err := output(exec.Command(program, line...))
			if err != nil {
				return err
			}
			var fit struct {
				Metrics map[string]map[string]float64 `json:"metrics"`
				Seconds map[string]float64            `json:"seconds"`
			}
			if err := json.Unmarshal(out, &fit); err != nil {
				return err
			}
			ours.add(fit.Seconds["total"], 100*fit.Metrics["test"]["error"])
		}
		fmt.Fprintf(w, "| %s | %s | %s | %.1f | %.1f |\n", name, spread(grid.percent), spread(ours.percent), median(grid.seconds),
			median(ours.seconds))
		for q, m := range []measured{grid, ours} {
			total[q].add(median(m.seconds), mean(m.percent))
		}
	}
	fmt.Fprintf(w, "| mean | %.2f | %.2f | %.1f | %.1f |\n", mean(total[0].percent), mean(total[1].percent), mean(total[0].seconds),
		mean(total[1].seconds))
	return nil
}

// output runs a command; what it wrote to stderr is the error's.
func output(c *exec.Cmd) ([]byte, error) {
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(c.Args, " "), err, errs.Bytes())
	}
	return out, nil
}

func mean(v []float64) float64 {
	var s float64
	for _, x := range v {
		s += x / float64(len(v))
	}
	return s
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

func spread(v []float64) string {
	var s float64
	for _, x := range v {
		s += (x - mean(v)) * (x - mean(v))
	}
	return fmt.Sprintf("%.2f (%.2f)", mean(v), math.Sqrt(s/max(float64(len(v)-1), 1)))
}
