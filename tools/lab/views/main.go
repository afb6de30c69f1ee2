//go:build unix

// Views measures `mercer fit`, default settings, on rows of several descriptions, with --view and without:
//
//	go run ./tools/lab/views --data DIR -markdown docs/results/views.md           WebKB's pages and links, digits in four views
//	go run ./tools/lab/views --design -markdown docs/results/views-design.md      generated sets, which choices were made on
//
// Files are named as in docs/datasets.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/results"
)

func main() {
	dir := flag.String("data", "", "folder of the data files")
	design := flag.Bool("design", false, "measure the generated sets")
	only := flag.String("only", "", "measure sets whose name holds this")
	markdown := flag.String("markdown", "", "write the table there too, with the command, the date and the machine")
	flag.Parse()
	title := "Several descriptions of the rows, mercer fit, default settings"
	if *design {
		title += ", generated sets"
	}
	err := results.Program(*markdown, title, "tools/lab/views", os.Args[1:], func(w io.Writer) error {
		var sets []described
		var err error
		if *design {
			sets, err = generated()
		} else {
			sets, err = real(*dir)
		}
		if err != nil {
			return err
		}
		return table(w, sets, *only)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// real are the pages of WebKB, 12 labels, and the built-in digits in four views.
func real(dir string) ([]described, error) {
	ctx := context.Background()
	pages, _, err := read.Open(ctx, filepath.Join(dir, "webkb_course_page.svm.gz"), read.Options{})
	if err != nil {
		return nil, err
	}
	links, _, err := read.Open(ctx, filepath.Join(dir, "webkb_course_link.svm"), read.Options{})
	if err != nil {
		return nil, err
	}
	splits, err := read.Splits(ctx, filepath.Join(dir, "webkb_course.gensplits.csv"), pages.Rows.Len())
	if err != nil {
		return nil, err
	}
	web := described{name: "webkb, pages and links, 12 labels"}
	words := pages.Rows.Dim()
	web.views = []mercer.View{{Name: "page", First: 1, Last: words}, {Name: "link", First: words + 1, Last: words + links.Rows.Dim()}}
	pages.Rows, pages.Features = pages.Rows.Beside(links.Rows), nil
	web.set = pages
	for _, s := range splits {
		web.splits = append(web.splits, s.Labelled)
	}
	images, err := digits(2, 10)
	return []described{web, images}, err
}

// table fits every set with its views and without.
func table(w io.Writer, sets []described, only string) error {
	fmt.Fprintln(w, "Hidden error: the share of wrong answers on the rows whose labels were kept from the fit. Without "+
		"views: all columns together, without --view. Supervised: the machine that learned from the labelled "+
		"rows alone. PRBEP: the precision at the threshold at which it equals the recall.\n\n"+
		"| set | splits | hidden error %, mean (sd) | without views | supervised | 100 - PRBEP % | without views "+
		"| seconds a split |\n|---|---|---|---|---|---|---|---|")
	for _, s := range sets {
		if !strings.Contains(s.name, only) {
			continue
		}
		ctx := context.Background()
		with, err := mercer.FitSplits(ctx, s.set, s.splits, mercer.Recipe{Views: s.views}, mercer.Options{})
		if err != nil {
			return err
		}
		without, err := mercer.FitSplits(ctx, s.set, s.splits, mercer.Recipe{}, mercer.Options{})
		if err != nil {
			return err
		}
		supervised := "-"
		if b := with.Splits.Baseline; b != nil {
			supervised = fmt.Sprintf("%.2f", 100*b.Hidden["error_mean"])
		}
		a, b := with.Splits.Hidden, without.Splits.Hidden
		ranked := " - | - "
		if v, ok := a["prbep_mean"]; ok {
			ranked = fmt.Sprintf(" %.2f | %.2f ", 100*(1-v), 100*(1-b["prbep_mean"]))
		}
		fmt.Fprintf(w, "| %s | %d | %.2f (%.2f) | %.2f | %s |%s| %.1f |\n", s.name, len(s.splits), 100*a["error_mean"], 100*a["error_std"],
			100*b["error_mean"], supervised, ranked, with.Seconds.Total/float64(len(s.splits)))
	}
	return nil
}
