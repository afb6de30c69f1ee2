//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

// The rows of part transductive, and lambda and lambda' of the literature, of which C = 1/(2 lambda l).
const (
	transductiveSet    = "zipf:n=804414,words=47236,length=76,spread=0.4"
	lambda, unlabelled = 0.001, 1
)

// transductive times both transductive machines.
func transductive(ctx context.Context, w io.Writer, o options, tmp string) error {
	fmt.Fprint(w, "| method | labels | s | CPU s | peak MB | error % of unlabelled rows |\n|---|---|---|---|---|---|\n")
	rows := filepath.Join(tmp, "rows.svm")
	if _, _, err := process.Timed(ctx, o.Program, "convert", transductiveSet, "-o", rows); err != nil {
		return err
	}
	for _, method := range []string{"linear-tsvm", "linear-da"} {
		for _, labels := range []int{100, 1000} {
			var costs []process.Cost
			var wrong float64
			for range o.Runs {
				cost, out, err := process.Timed(ctx, o.Program, "fit", rows, "--task", "classification", "--labels", strconv.Itoa(labels),
					"--method", method, "--tune", "none", "--scale", "none", "--set", fmt.Sprint("C=", 1/(2*lambda*float64(labels))),
					"--set", fmt.Sprint("unlabelled_weight=", unlabelled), "--json", "--quiet")
				if err != nil {
					return err
				}
				if wrong, err = printedError(out, "hidden"); err != nil {
					return err
				}
				costs = append(costs, cost)
			}
			c := median(costs)
			fmt.Fprintf(w, "| %s | %d | %.1f | %.1f | %d | %.2f |\n", method, labels, c.Seconds, c.Processor, c.Memory>>20, 100*wrong)
		}
	}
	fmt.Fprintf(w, "\n%s as LIBSVM text, which is read in these seconds; lambda %g, lambda' %d. Medians of the runs by seconds; labels "+
		"are the same in all.\n", transductiveSet, lambda, unlabelled)
	return nil
}
