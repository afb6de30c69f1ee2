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
	"errors"
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
	var list []part
	var partNames, setNames []string
	for _, p := range parts() {
		if partNames = append(partNames, p.name); measure.Wanted(o.parts, p.name) {
			list = append(list, p)
		}
	}
	for _, s := range sets() {
		setNames = append(setNames, s.name)
	}
	return list, errors.Join(known("-sets", o.Sets, setNames), known("-parts", o.parts, partNames))
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

// median is the run of the median of the seconds.
func median(costs []process.Cost) process.Cost {
	return measure.Median(costs, func(c process.Cost) float64 { return c.Seconds })
}
