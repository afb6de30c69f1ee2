package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/calibrate"
	"github.com/mercer-ml/mercer/internal/replace"
	"github.com/mercer-ml/mercer/model/libsvm"
)

// exportCmd is mercer export.
type exportCmd struct {
	Model  string `arg:"" help:"A file that mercer fit -o wrote."`
	Format string `required:"" enum:"libsvm" help:"libsvm: a model that svm-predict reads." placeholder:"libsvm"`
	Output string `short:"o" required:"" help:"${export_output}" placeholder:"OUT"`

	talk `group:"Running:"`
}

// Help shows examples.
func (exportCmd) Help() string {
	return `One machine with a Gaussian, linear, polynomial or sigmoid kernel has a LIBSVM form, more than two classes only one-versus-one.

Examples:

    mercer fit iris --method svm -o iris.mercer
    mercer export iris.mercer --format libsvm -o iris.model
    mercer convert new.csv -o new.svm && svm-predict new.svm iris.model answers`
}

// Run exports.
func (c *exportCmd) Run(e *env) error {
	if err := writable(c.Output, c.Model); err != nil {
		return err
	}
	m, err := e.loadModel(c.Model)
	if err != nil {
		return err
	}
	out, ranges, err := libsvm.FromModel(m)
	if err != nil {
		return &fault{file: c.Model, what: strings.TrimPrefix(err.Error(), "libsvm: ")}
	}
	if err := replace.File(c.Output, func(w io.Writer) error { _, err := out.WriteTo(w); return err }); err != nil {
		return named(err, c.Output, nil)
	}
	written := map[string]any{"output": c.Output}
	if ranges != nil {
		beside := c.Output + ".range"
		if err := replace.File(beside, func(w io.Writer) error { _, err := ranges.WriteTo(w); return err }); err != nil {
			return named(err, beside, nil)
		}
		written["range"] = beside
		e.warn(c.talk, fmt.Sprintf("the model scales its features: use svm-scale -r %s on data first", beside))
	}
	if len(m.Classes) > 0 && len(out.Labels) > 0 && !slices.Equal(m.Classes, names(out.Labels)) {
		e.warn(c.talk, fmt.Sprintf("classes are written as the numbers 0 to %d: %s", len(m.Classes)-1, strings.Join(m.Classes, ", ")))
	}
	if p, ok := m.Calibration.(calibrate.Pairs); ok && p.Power > 0 && len(out.ProbA) > 0 {
		e.warn(
			c.talk,
			fmt.Sprintf(
				"svm-predict -b 1 will give the probabilities before they are raised to the power %.3g of this model: the format has no place for it",
				p.Power,
			),
		)
	}
	if c.JSON {
		return e.printJSON(written)
	}
	return nil
}

func names(labels []int) []string {
	list := make([]string, len(labels))
	for i, v := range labels {
		list[i] = strconv.Itoa(v)
	}
	return list
}
