//go:build unix

// Linear measures linear machines of many sparse rows, whole processes with reading and writing, in four parts:
//
//	supervised     mercer fit --method linear-svm beside LIBLINEAR's train -s 2 -B 1 at an equal objective
//	text           documents to a model: mercer fit --text beside scikit-learn's TfidfVectorizer and LinearSVC
//	published      linear-tsvm and linear-da beside SVMlin on its own example
//	transductive   linear-tsvm and linear-da on 804 414 rows of generated text, with 100 and 1000 labels
//
//	go run ./tools/lab/linear --data DIR                                    all parts, three runs each
//	go run ./tools/lab/linear --data DIR --parts supervised --sets a9a,macwin --runs 5
//
// Files are named as in docs/datasets.md; liblinear-train is Debian's liblinear-tools, scikit-learn its python3-sklearn.
// Generated files go to the folder for temporary files: 1 GB for the set zipf.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

// options are the flags.
type options struct {
	process.Options
	parts string
}

// part is a measurement that can be chosen.
type part struct {
	name string
	run  func(ctx context.Context, w io.Writer, o options, tmp string) error
}

func parts() []part {
	return []part{{"supervised", supervised}, {"text", text}, {"published", published}, {"transductive", transductive}}
}

func main() {
	var o options
	o.Flags()
	flag.StringVar(&o.parts, "parts", "", "some of supervised, text, published, transductive")
	flag.Parse()
	title := "Linear machines of sparse rows: mercer, LIBLINEAR and scikit-learn"
	o.Measure(title, "tools/lab/linear", func(ctx context.Context, w io.Writer) error { return run(ctx, w, o) })
}

func run(ctx context.Context, w io.Writer, o options) error {
	wanted, err := chosen(o)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "linear")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp) //nolint:errcheck // nothing can be done about what is left
	if o.Program, err = process.Mercer(ctx, o.Program, tmp); err != nil {
		return err
	}
	for k, p := range wanted {
		if k > 0 {
			fmt.Fprintln(w)
		}
		if err := p.run(ctx, w, o, tmp); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// chosen are the parts that are asked for.
func chosen(o options) ([]part, error) {
	if o.Runs < 1 {
		return nil, fmt.Errorf("-runs %d: must be at least 1", o.Runs)
	}
	if err := known("-sets", o.Sets, names(sets(), func(s set) string { return s.name })); err != nil {
		return nil, err
	}
	if err := known("-parts", o.parts, names(parts(), func(p part) string { return p.name })); err != nil {
		return nil, err
	}
	var list []part
	for _, p := range parts() {
		if wants(o.parts, p.name) {
			list = append(list, p)
		}
	}
	return list, nil
}

// wants says whether a name is in a list with commas, in which an empty one has all.
func wants(list, name string) bool {
	return list == "" || slices.Contains(strings.Split(list, ","), name)
}

// known refuses names that are not there.
func known(flag, list string, there []string) error {
	if list == "" {
		return nil
	}
	for name := range strings.SplitSeq(list, ",") {
		if !slices.Contains(there, name) {
			return fmt.Errorf("%s %s: there is no %q; choose of %s", flag, list, name, strings.Join(there, ", "))
		}
	}
	return nil
}

func names[T any](list []T, of func(T) string) []string {
	var all []string
	for _, v := range list {
		all = append(all, of(v))
	}
	return all
}

// middle is the median of numbers.
func middle(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return x[len(x)/2]
}

// median is the run of the median of the seconds.
func median(costs []process.Cost) process.Cost {
	costs = slices.Clone(costs)
	slices.SortFunc(costs, func(a, b process.Cost) int {
		switch {
		case a.Seconds < b.Seconds:
			return -1
		case a.Seconds > b.Seconds:
			return 1
		}
		return 0
	})
	return costs[len(costs)/2]
}
