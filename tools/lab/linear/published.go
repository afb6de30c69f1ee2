//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

// svmlin is what SVMlin, the published program of both machines, was measured at on the same two files: its lambda,
// the error on the test file in percent and its seconds, on another machine of two cores.
var svmlin = []struct {
	lambda         float64
	method         string
	error, seconds float64
}{
	{0.001, "linear-tsvm", 7.2, 0.15},
	{0.001, "linear-da", 6.0, 0.45},
	{0.01, "linear-tsvm", 5.3, 0.067},
	{0.01, "linear-da", 6.2, 0.15},
}

// published compares both transductive machines with SVMlin on its own example: 50 labelled and 1410 unlabelled
// messages, 486 to test on, half of the messages in each class.
func published(ctx context.Context, w io.Writer, o options, _ string) error {
	fmt.Fprint(w, "| method | lambda | test error % | SVMlin's | s, training | s, whole process | SVMlin's s | objective |\n"+
		"|---|---|---|---|---|---|---|---|\n")
	for _, p := range svmlin {
		const labels = 50
		var costs []process.Cost
		var training []float64
		var got struct {
			Metrics     map[string]struct{ Error float64 }
			Certificate struct{ Objective float64 }
			Seconds     struct{ Tune, Fit float64 }
		}
		for range o.Runs {
			cost, out, err := process.Timed(ctx, o.Program, "fit", filepath.Join(o.Data, "macwin_svmlin_train.svm.gz"), "--unlabelled-mark", "0",
				"--test", filepath.Join(o.Data, "macwin_svmlin_test.svm.gz"), "--method", p.method, "--tune", "none", "--scale", "none",
				"--set", fmt.Sprint("C=", 1/(2*p.lambda*labels)), "--set", "positive=0.5", "--json", "--quiet")
			if err != nil {
				return err
			}
			if err := json.Unmarshal(out, &got); err != nil {
				return err
			}
			costs, training = append(costs, cost), append(training, got.Seconds.Tune+got.Seconds.Fit)
		}
		fmt.Fprintf(w, "| %s | %g | %.2f | %.1f | %.2f | %.2f | %.3g | %.6g |\n", p.method, p.lambda, 100*got.Metrics["test"].Error, p.error,
			middle(training), median(costs).Seconds, p.seconds, got.Certificate.Objective)
	}
	fmt.Fprintln(w, "\nSVMlin's example files, lambda' = 1, half of the messages positive; C = 1/(2 lambda l). SVMlin's errors and seconds "+
		"(whole process, reading included) were measured on another machine of two cores. A supervised linear machine errs on a third of the "+
		"test file. Medians of the runs.")
	return nil
}
