// Package linear measures linear machines of many sparse rows, whole processes with reading and writing, in two parts:
//
//	supervised     mercer fit --method linear-svm beside LIBLINEAR's train -s 2 -B 1 at an equal objective
//	text           documents to a model: mercer fit --text beside scikit-learn's TfidfVectorizer and LinearSVC
//
// liblinear-train is Debian's liblinear-tools, scikit-learn its python3-sklearn. Generated files go to the folder for temporary files:
// 1 GB for the set zipf.
package linear

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

// options are the flags.
type options struct {
	measure.Options
	parts string
}

// part is a measurement that can be chosen.
type part struct {
	name string
	run  func(ctx context.Context, w io.Writer, o options, tmp string) error
}

func parts() []part { return []part{{"supervised", supervised}, {"text", text}} }

// Declare is the measurement.
func Declare(f *measure.Flags) func() measure.Page {
	common, wanted := f.Options(), f.String("parts", "", "some of supervised, text")
	return func() measure.Page {
		title := "Linear machines of sparse rows: mercer, LIBLINEAR and scikit-learn"
		return measure.Page{Title: title, Write: func(ctx context.Context, w io.Writer) error {
			o := options{common(), *wanted}
			parts, err := chosen(o)
			if err != nil {
				return err
			}
			return process.Within(ctx, o.Program, func(program, folder string) error {
				o.Program = program
				for k, p := range parts {
					if k > 0 {
						fmt.Fprintln(w)
					}
					if err := p.run(ctx, w, o, folder); err != nil {
						return fmt.Errorf("%s: %w", p.name, err)
					}
				}
				return nil
			})
		}}
	}
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
		if measure.Wanted(o.parts, p.name) {
			list = append(list, p)
		}
	}
	return list, nil
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

// median is the run of the median of the seconds.
func median(costs []process.Cost) process.Cost {
	return measure.Median(costs, func(c process.Cost) float64 { return c.Seconds })
}
