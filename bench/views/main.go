//go:build unix

// Views measures `mercer fit`, default settings, on WebKB's course pages by the words of links, of pages,
// and of both with a joint graph, 12 labels (3 and 9), over the splits given:
//
//	go run ./bench/views --data DIR -markdown docs/results/views.md
//
// Files are named as in docs/datasets.md.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/mercer-ml/mercer/bench/internal/process"
	"github.com/mercer-ml/mercer/internal/results"
)

func main() {
	dir := flag.String("data", "", "folder of the data files")
	program := flag.String("mercer", "", "a built mercer; default: built from here")
	markdown := flag.String("markdown", "", "write the table there too, with the command, the date and the machine")
	flag.Parse()
	err := results.Program(*markdown, "Course pages of WebKB by two views, mercer fit, default settings", "bench/views", os.Args[1:],
		func(w io.Writer) error { return table(w, *dir, *program) })
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// fitted is what is read of the result.
type fitted struct {
	Splits struct {
		Count    int
		Hidden   map[string]float64
		Baseline struct{ Hidden map[string]float64 }
	}
}

func table(w io.Writer, dir, program string) error {
	ctx := context.Background()
	scratch, err := os.MkdirTemp("", "mercer-views-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	if program, err = process.Mercer(ctx, program, scratch); err != nil {
		return err
	}
	fmt.Fprintln(w, "| words of | splits | 100 - PRBEP %, mean (sd) | supervised | hidden error % | supervised |\n|---|---|---|---|---|---|")
	both := []string{"--view", "link=" + filepath.Join(dir, "webkb_course_link.svm")}
	for _, v := range []struct {
		name string
		args []string
	}{
		{"links, joint graph", append(both, "--kernel", "linear[3001..4840]")},
		{"pages, joint graph", append(both, "--kernel", "linear[1..3000]")},
		{"both, joint graph", both},
		{"pages alone", nil},
	} {
		args := append([]string{"fit", filepath.Join(dir, "webkb_course_page.svm.gz"), "--json", "--quiet",
			"--splits", filepath.Join(dir, "webkb_course.gensplits.csv")}, v.args...)
		_, out, err := process.Timed(ctx, program, args...)
		if err != nil {
			return err
		}
		var r fitted
		if err := json.Unmarshal(out, &r); err != nil {
			return err
		}
		h, b := r.Splits.Hidden, r.Splits.Baseline.Hidden
		fmt.Fprintf(w, "| %s | %d | %.1f (%.1f) | %.1f | %.1f | %.1f |\n", v.name, r.Splits.Count,
			100*(1-h["prbep_mean"]), 100*h["prbep_std"], 100*(1-b["prbep_mean"]), 100*h["error_mean"], 100*b["error_mean"])
	}
	return nil
}
