package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
)

// hiddenErrors measures the hidden error of mercer fit, default settings, on sets with given splits.
func hiddenErrors(f *measure.Flags) func() measure.Page {
	dir := f.Data()
	design := f.Bool("design", false, "measure the design sets; with -text generated text that the automatic choice was designed on")
	texts := f.Bool("text", false, "measure sets of text")
	whole := f.Bool("folder", false, "measure every set of the folder, NAME.csv or NAME.csv.gz with NAME.splits.csv, "+
		"and the mean of sets whose names begin alike")
	return func() measure.Page {
		title := "Hidden error of mercer fit, default settings"
		if *design {
			title += ", design sets"
		}
		if *texts {
			title += ", text"
		}
		if *whole {
			title += ", generated sets"
		}
		return measure.Page{Title: title, Write: func(ctx context.Context, w io.Writer) error {
			switch {
			case *whole:
				return errorsOfFolder(ctx, w, *dir)
			case *texts && *design:
				return errorsOfGeneratedText(ctx, w)
			case *texts:
				return errorsOfTexts(ctx, w, *dir)
			case *design:
				return errorsOf(ctx, w, *dir, designSets())
			}
			return errorsOf(ctx, w, *dir, heldSets())
		}}
	}
}

const errorsHeading = "Hidden error: the share of wrong answers on the rows whose labels were kept from the fit. Worst: the " +
	"largest over the splits. Supervised: the hidden error of the machine that learned from the labelled " +
	"rows alone. sd: the standard deviation over the splits.\n\n" +
	"| set | splits | hidden error %, mean (sd) | worst | supervised | seconds a split |\n|---|---|---|---|---|---|"

// designSets are those that choices of the automatic fit were made on.
func designSets() []source {
	list := []source{{name: "g10n", file: "g10n.csv", splits: "g10n.splits.csv"}}
	for _, name := range []string{"ssl_digit1", "ssl_coil6", "ssl_usps1500"} {
		for _, labels := range []string{"10", "100"} {
			splits := name + ".splits" + labels + ".csv"
			list = append(list, source{name: name + ", " + labels + " labels", file: name + ".csv.gz", splits: splits})
		}
	}
	held := heldSets()
	return append(list, held[len(held)-1])
}

func errorsOf(ctx context.Context, w io.Writer, dir string, list []source) error {
	fmt.Fprintln(w, errorsHeading)
	for _, s := range list {
		if _, err := errorsOfSource(ctx, w, dir, s); err != nil {
			return err
		}
	}
	return nil
}

// errorsOfFolder measures every set of a folder, and the means of those whose names agree up to the second dash.
func errorsOfFolder(ctx context.Context, w io.Writer, dir string) error {
	splits, err := filepath.Glob(filepath.Join(dir, "*.splits.csv"))
	if err != nil {
		return err
	}
	fmt.Fprintln(w, errorsHeading)
	families, order := map[string][]meanErrors{}, []string{}
	for _, path := range splits {
		name := strings.TrimSuffix(filepath.Base(path), ".splits.csv")
		s := source{name: name, file: name + ".csv", splits: name + ".splits.csv"}
		if _, err := os.Stat(filepath.Join(dir, s.file)); err != nil {
			s.file += ".gz"
		}
		m, err := errorsOfSource(ctx, w, dir, s)
		if err != nil {
			return err
		}
		parts := append(strings.Split(name, "-"), "")
		family := parts[0] + "-" + parts[1]
		if families[family] == nil {
			order = append(order, family)
		}
		families[family] = append(families[family], m)
		families["all"] = append(families["all"], m)
	}
	fmt.Fprintln(w, "\nA family is the sets whose names agree up to the second dash.\n\n"+
		"| family | sets | hidden error %, mean | supervised |\n|---|---|---|---|")
	for _, name := range append(order, "all") {
		m := meanOf(families[name])
		fmt.Fprintf(w, "| %s | %d | %.2f | %.2f |\n", name, len(families[name]), m.hidden, m.supervised)
	}
	return nil
}

// errorsOfGeneratedText is generated text, four seeds of each kind with 10, 20 and 50 labels, and the mean of each kind.
func errorsOfGeneratedText(ctx context.Context, w io.Writer) error {
	fmt.Fprintln(w, "Hidden error: the share of wrong answers on the rows whose labels were kept from the fit. "+
		"Supervised: that of the machine that learned from the labelled rows alone.\n\n"+
		"| generated text | fits | hidden error %, mean | supervised |\n|---|---|---|---|")
	for _, spec := range []string{
		"two-topics:n=610", "two-topics:n=1200,words=4000,spread=0.5", "two-topics:n=800,words=2000,spread=0.35",
		"zipf:n=1500,words=8000,spread=0.3", "zipf:n=1500,words=8000,spread=0.45",
	} {
		var all []meanErrors
		for seed := 11; seed <= 14; seed++ {
			for _, each := range []int{5, 10, 25} {
				s := source{name: spec, builtin: fmt.Sprintf("%s,seed=%d", spec, seed), each: each, draws: 1}
				m, err := errorsOfSource(ctx, io.Discard, "", s)
				if err != nil {
					return err
				}
				all = append(all, m)
			}
		}
		m := meanOf(all)
		fmt.Fprintf(w, "| %s | %d | %.2f | %.2f |\n", spec, len(all), m.hidden, m.supervised)
	}
	return nil
}

// errorsOfTexts is pages and messages with their splits, two groups of short messages, and generated text of two topics.
func errorsOfTexts(ctx context.Context, w io.Writer, dir string) error {
	err := errorsOf(ctx, w, dir, []source{
		{name: "macwin_text1", file: "macwin_text1.svm.gz", splits: "macwin_text1.splits.csv"},
		{name: "webkb, pages", file: "webkb_course_page.svm.gz", splits: "webkb_course.gensplits.csv"},
		{name: "webkb, links", file: "webkb_course_link.svm", splits: "webkb_course.gensplits.csv"},
	})
	if err != nil {
		return err
	}
	news, err := twoGroups(ctx, dir)
	if err != nil {
		return err
	}
	if _, err := errorsOfSet(ctx, w, news); err != nil {
		return err
	}
	for seed := 1; seed <= 5; seed++ {
		spec := fmt.Sprintf("two-topics:seed=%d", seed)
		if _, err := errorsOfSource(ctx, w, "", source{name: spec + ", 20 labels", builtin: spec, each: 10, draws: 2}); err != nil {
			return err
		}
	}
	return nil
}

// twoGroups are short messages of two groups, every fourth: 2031 of 8124.
func twoGroups(ctx context.Context, dir string) (splitSet, error) {
	out := splitSet{name: "news20_w100, computers or recreation, 20 labels"}
	d, _, err := read.Open(ctx, filepath.Join(dir, "news20_w100.svm.gz"), read.Options{})
	if err != nil {
		return out, err
	}
	var rows []int
	seen := 0
	for i, a := range d.Answers {
		if a != "1" && a != "2" {
			continue
		}
		if seen%4 == 0 {
			rows = append(rows, i)
		}
		seen++
	}
	out.set = &data.Set{Source: d.Source, Features: d.Features, LabelName: d.LabelName, Rows: d.Rows.Select(rows)}
	for _, i := range rows {
		out.set.Answers = append(out.set.Answers, d.Answers[i])
	}
	out.splits, err = drawSplits(out.set, 10, 10)
	return out, err
}

// meanErrors are errors in percent, the means over the splits of a set.
type meanErrors struct{ hidden, supervised float64 }

func meanOf(all []meanErrors) (mean meanErrors) {
	for _, m := range all {
		mean.hidden += m.hidden / float64(len(all))
		mean.supervised += m.supervised / float64(len(all))
	}
	return mean
}

func errorsOfSource(ctx context.Context, w io.Writer, dir string, s source) (meanErrors, error) {
	set, err := s.open(ctx, dir, 0)
	if err != nil {
		return meanErrors{}, err
	}
	return errorsOfSet(ctx, w, set)
}

// errorsOfSet fits every split and prints the line of a set.
func errorsOfSet(ctx context.Context, w io.Writer, s splitSet) (meanErrors, error) {
	res, err := mercer.FitSplits(ctx, s.set, s.splits, mercer.Recipe{}, mercer.Options{})
	if err != nil {
		return meanErrors{}, err
	}
	var worst float64
	for _, e := range res.Splits.Each {
		worst = max(worst, e)
	}
	h := res.Splits.Hidden
	m, base := meanErrors{100 * h["error_mean"], 100 * h["error_mean"]}, "-"
	if b := res.Splits.Baseline; b != nil {
		m.supervised = 100 * b.Hidden["error_mean"]
		base = fmt.Sprintf("%.2f", m.supervised)
	}
	fmt.Fprintf(w, "| %s | %d | %.2f (%.2f) | %.2f | %s | %.1f |\n", s.name, len(s.splits),
		m.hidden, 100*h["error_std"], 100*worst, base, res.Seconds.Total/float64(len(s.splits)))
	return m, nil
}
