package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
)

// severalViews measures mercer fit, default settings, on rows of several descriptions, with --view and without.
func severalViews(f *measure.Flags) func() measure.Page {
	dir, design := f.Data(), f.Bool("design", false, "measure the generated sets, which choices were made on")
	only := f.String("only", "", "measure sets whose name holds this")
	return func() measure.Page {
		title, sets := "Several descriptions of the rows, mercer fit, default settings", realViews
		if *design {
			title, sets = title+", generated sets", generatedViews
		}
		return measure.Page{Title: title, Write: func(ctx context.Context, w io.Writer) error {
			list, err := sets(ctx, *dir)
			if err != nil {
				return err
			}
			fmt.Fprintln(w, viewsHeading)
			for _, s := range list {
				if !strings.Contains(s.name, *only) {
					continue
				}
				if err := compareViews(ctx, w, s); err != nil {
					return err
				}
			}
			return nil
		}}
	}
}

const viewsHeading = "Hidden error: the share of wrong answers on the rows whose labels were kept from the fit. Without " +
	"views: all columns together, without --view. Supervised: the machine that learned from the labelled " +
	"rows alone. PRBEP: the precision at the threshold at which it equals the recall.\n\n" +
	"| set | splits | hidden error %, mean (sd) | without views | supervised | 100 - PRBEP % | without views " +
	"| seconds a split |\n|---|---|---|---|---|---|---|---|"

// viewedSet is a set whose rows have several descriptions.
type viewedSet struct {
	splitSet
	views []mercer.View
}

// realViews are the pages of WebKB, 12 labels.
func realViews(ctx context.Context, dir string) ([]viewedSet, error) {
	pages, err := source{name: "webkb, pages and links, 12 labels", file: "webkb_course_page.svm.gz",
		splits: "webkb_course.gensplits.csv"}.open(ctx, dir, 0)
	if err != nil {
		return nil, err
	}
	links, _, err := read.Open(ctx, filepath.Join(dir, "webkb_course_link.svm"), read.Options{})
	if err != nil {
		return nil, err
	}
	words := pages.set.Rows.Dim()
	pages.set.Rows, pages.set.Features = pages.set.Rows.Beside(links.Rows), nil
	return []viewedSet{{pages, []mercer.View{
		{Name: "page", First: 1, Last: words}, {Name: "link", First: words + 1, Last: words + links.Rows.Dim()},
	}}}, nil
}

// generatedViews are two moons beside two lines.
func generatedViews(ctx context.Context, _ string) (list []viewedSet, err error) {
	for _, s := range []source{
		{builtin: "moons-lines", each: 1, draws: 10}, {builtin: "moons-lines", each: 2, draws: 10},
		{builtin: "moons-lines:blur=0.25", each: 3, draws: 10},
	} {
		s.name = fmt.Sprintf("%s, %d labels a class", s.builtin, s.each)
		set, err := s.open(ctx, "", 0)
		if err != nil {
			return nil, err
		}
		list = append(list, viewedSet{set, []mercer.View{{Name: "moons", First: 1, Last: 2}, {Name: "lines", First: 3, Last: 4}}})
	}
	return list, nil
}

// compareViews fits a set with its views and without, and prints its line.
func compareViews(ctx context.Context, w io.Writer, s viewedSet) error {
	with, err := mercer.FitSplits(ctx, s.set, s.splits, mercer.Recipe{Views: s.views}, mercer.Options{})
	if err != nil {
		return err
	}
	without, err := mercer.FitSplits(ctx, s.set, s.splits, mercer.Recipe{}, mercer.Options{})
	if err != nil {
		return err
	}
	supervised, ranked := "-", " - | - "
	if b := with.Splits.Baseline; b != nil {
		supervised = fmt.Sprintf("%.2f", 100*b.Hidden["error_mean"])
	}
	a, b := with.Splits.Hidden, without.Splits.Hidden
	if v, ok := a["prbep_mean"]; ok {
		ranked = fmt.Sprintf(" %.2f | %.2f ", 100*(1-v), 100*(1-b["prbep_mean"]))
	}
	fmt.Fprintf(w, "| %s | %d | %.2f (%.2f) | %.2f | %s |%s| %.1f |\n", s.name, len(s.splits), 100*a["error_mean"], 100*a["error_std"],
		100*b["error_mean"], supervised, ranked, with.Seconds.Total/float64(len(s.splits)))
	return nil
}
