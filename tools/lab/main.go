// Lab measures Mercer: its errors and what it says of them, its speed and memory beside other programs, and how it ends on what means
// it ill.
//
//	go -C tools/lab run .                     the measurements, by name
//	go -C tools/lab run . NAME -h             the flags of one
//	go -C tools/lab run . errors -data ../data -markdown docs/results/errors.md
//
// Names of files and folders start from the root of the repository. Every page of docs/results names the command that wrote it.
// The lab runs on Unix. A new measurement is a file here, or a package below where it takes several, and a line in measurements.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"

	"github.com/mercer-ml/mercer/tools/lab/firstlook"
	"github.com/mercer-ml/mercer/tools/lab/forecast"
	"github.com/mercer-ml/mercer/tools/lab/hostile"
	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
	"github.com/mercer-ml/mercer/tools/lab/limit"
	"github.com/mercer-ml/mercer/tools/lab/linear"
	"github.com/mercer-ml/mercer/tools/lab/peers"
	"github.com/mercer-ml/mercer/tools/lab/serve"
	"github.com/mercer-ml/mercer/tools/lab/tables"
)

// measurements are all that the lab knows.
func measurements() []measure.Measurement {
	return []measure.Measurement{
		{Name: "errors", About: "hidden errors of the default fit on sets with splits", Declare: hiddenErrors},
		{Name: "ranks", About: "mean ranks of methods on six sets with 10 and 100 labels", Declare: meanRanks},
		{Name: "basis", About: "fits with --basis auto beside plain ones", Declare: basisOfFewRows},
		{Name: "views", About: "fits of rows in several views, with --view and without", Declare: severalViews},
		{Name: "estimate", About: "the error that a fit expects beside that on fresh rows", Declare: expectedError},
		{Name: "outside", About: "errors on rows that the file of a fit does not have", Declare: outsideErrors},
		{Name: "coverage", About: "how often an interval holds the answer", Declare: intervalCoverage},
		{Name: "drift", About: "how often rows are said to have moved that have, and that have not", Declare: movedRows},
		{Name: "label", About: "labels that mercer label asks for beside labels drawn at random", Declare: askedLabels},
		{Name: "tables", About: "dirty tables, beside scikit-learn; or the end of fits that are interrupted", Declare: tables.Declare},
		{Name: "firstlook", About: "files read right at the first look, refused, or misread in silence", Declare: firstlook.Declare},
		{Name: "bilevel", About: "widths tuned by derivatives beside a grid search of scikit-learn", Declare: tuningByDerivatives},
		{Name: "sizes", About: "plain fits of many labelled rows beside scikit-learn", Declare: manyRows},
		{Name: "labelled", About: "plain fits of tables whose rows are all labelled beside XGBoost and scikit-learn", Declare: labelledTables},
		{Name: "peers", About: "support vector machines beside LIBSVM's svm-train", Declare: peers.Declare},
		{Name: "linear", About: "linear machines of sparse rows beside LIBLINEAR and scikit-learn", Declare: linear.Declare},
		{Name: "predict", About: "predictions beside svm-predict and scikit-learn", Declare: predictions},
		{Name: "engine", About: "dense linear algebra in Go beside OpenBLAS", Declare: denseAlgebra},
		{Name: "limit", About: "ten jobs beside the least time that the machine needs for them", Declare: limit.Declare},
		{Name: "python", About: "predictions of the Python package beside scikit-learn", Declare: predictionsInPython},
		{Name: "serve", About: "mercer serve under load beside Flask, or through a long life", Declare: serve.Declare},
		{Name: "try", About: "the page for the browser", Declare: tryPage},
		{Name: "pages", About: "what the program's pages weigh in a browser, and when they are seen", Declare: loadedPages},
		{Name: "wheel", About: "seconds from the wheel of a release to the first fit in Python, with no Go", Declare: installedWheel},
		{Name: "walk", About: "five tasks as a newcomer does them: seconds, lines, and what was read", Declare: newcomer},
		{Name: "cost", About: "seconds and memory of the default fit against the number of rows", Declare: costOfRows},
		{Name: "forecast", About: "forecasts of memory and time beside what fits take", Declare: forecast.Declare},
		{Name: "shrink", About: "support vector machines made smaller", Declare: shrunkMachines},
		{Name: "benchmarks", About: "medians of Go's benchmarks as a list", Declare: goBenchmarks},
		{Name: "metamorphic", About: "relations between random fits, for as long as is asked", Declare: randomTrials},
		{Name: "fuzz", About: "every fuzz target, for as long as is asked", Declare: fuzzTargets},
		{Name: "hostile", About: "how the program ends on inputs that mean it ill", Declare: hostile.Declare},
	}
}

func main() {
	hostile.Child()
	forecast.Child()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stderr)
	stop()
	if err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
}

// run measures what the first word names, in the root of the repository.
func run(ctx context.Context, args []string, help io.Writer) error {
	all := measurements()
	at := -1
	if len(args) > 0 {
		at = slices.IndexFunc(all, func(m measure.Measurement) bool { return m.Name == args[0] })
	}
	if at < 0 {
		fmt.Fprint(help, "go -C tools/lab run . NAME [flags], where -h lists the flags, and NAME is one of\n\n")
		for _, m := range all {
			fmt.Fprintf(help, "  %-12s %s\n", m.Name, m.About)
		}
		if len(args) == 0 || slices.Contains([]string{"-h", "-help", "--help"}, args[0]) {
			return flag.ErrHelp
		}
		return fmt.Errorf("there is no measurement %q", args[0])
	}
	root, err := repository()
	if err != nil {
		return err
	}
	if err := os.Chdir(root); err != nil {
		return err
	}
	return all[at].Run(ctx, args[1:])
}

// repository is the folder above this one that has the program mercer.
func repository() (string, error) {
	here, err := os.Getwd()
	for dir := here; err == nil; dir = filepath.Dir(dir) {
		if _, missing := os.Stat(filepath.Join(dir, "cmd", "mercer")); missing == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%s is not in the repository of mercer", here)
		}
	}
	return "", err
}
