package cli

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/internal/columns"
	"github.com/mercer-ml/mercer/internal/exchange/libsvm"
	"github.com/mercer-ml/mercer/internal/exchange/onnx"
	"github.com/mercer-ml/mercer/internal/replace"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/python"
)

// exportCmd is mercer export.
type exportCmd struct {
	Model  string `arg:"" help:"A file that mercer fit -o wrote."`
	Format string `required:"" enum:"${exports}" help:"${export_format}" placeholder:"libsvm|liblinear|svmlin|onnx|sklearn"`
	Output string `short:"o" required:"" help:"${export_output}" placeholder:"OUT"`

	talk `group:"Running:"`
}

// Help shows examples.
func (exportCmd) Help() string {
	return `One machine with a Gaussian, linear, polynomial or sigmoid kernel has a LIBSVM form, more than two classes only
one-versus-one. Linear machines of any number have the form of LIBLINEAR, classes one-versus-rest, and those of one
output that of SVMlin. Any model but one of documents becomes a graph of ONNX's operators, which takes rows before
scaling, dates as seconds since 1970, and answers with label, scores and probabilities. The Python script of sklearn predicts with every
model: it needs numpy, and the model file, whose path it has.

Examples:

    mercer fit iris --method svm -o iris.mercer
    mercer export iris.mercer --format libsvm -o iris.model
    mercer convert new.csv -o new.svm && svm-predict new.svm iris.model answers
    mercer export iris.mercer --format onnx -o iris.onnx
    mercer export iris.mercer --format sklearn -o iris.py && python3 iris.py new.csv`
}

// Run exports.
func (c *exportCmd) Run(e *env) error {
	if c.Output == standard {
		return usage("-o -: a model and what it does to features are two files; name the first, as in -o rows.model")
	}
	if err := writable("-o", c.Output, c.Model); err != nil {
		return err
	}
	m, err := e.loadModel(c.Model)
	if err != nil {
		return err
	}
	switch c.Format {
	case "sklearn":
		return c.script(e)
	case "onnx":
		return c.graph(e, m)
	}
	out, ranges, classes, err := c.foreign(m)
	if err != nil {
		return &fault{file: c.Model, what: strings.TrimPrefix(err.Error(), "libsvm: ")}
	}
	to := func(path string, from io.WriterTo) replace.Part {
		return replace.Part{Path: path, Write: func(w io.Writer) error { _, err := from.WriteTo(w); return err }}
	}
	parts, beside := []replace.Part{to(c.Output, out)}, c.Output+".range"
	if ranges != nil {
		if err := writable("-o", beside, c.Model); err != nil {
			return err
		}
		parts = append(parts, to(beside, ranges))
	}
	if err := replace.Files(parts); err != nil {
		return named(err, c.Output, nil)
	}
	written := map[string]any{"output": c.Output}
	if ranges != nil {
		written["range"] = beside
		e.warn(c.talk, fmt.Sprintf("the model scales its features: use svm-scale -r %s on data first", beside))
	}
	if classes != "" {
		e.warn(c.talk, classes)
	}
	if features := lookedAt(m); features != "" {
		e.warn(c.talk, "the model does not look at all columns: mercer convert --features "+features+" on data first")
	}
	if s, ok := m.Calibration.(calibrate.Sigmoid); (!ok || s != calibrate.Sigmoid{Slope: 1}) && logistic(out) {
		e.warn(c.talk, "predict -b 1 of LIBLINEAR will give the probabilities of the outputs as they are: the format has no place for the "+
			"calibration of this model")
	}
	if p, ok := m.Calibration.(calibrate.Pairs); ok && p.Power > 0 && c.Format == "libsvm" {
		e.warn(
			c.talk,
			fmt.Sprintf(
				"svm-predict -b 1 will give the probabilities before they are raised to the power %.3g of this model: the format has no "+
					"place for it",
				p.Power,
			),
		)
	}
	return c.done(e, written)
}

// script writes the reader of models in Python, with the path of this one as it is seen from there.
func (c *exportCmd) script(e *env) error {
	there, err := filepath.Abs(c.Model)
	if err != nil {
		return named(err, c.Model, nil)
	}
	if from, err := filepath.Abs(filepath.Dir(c.Output)); err == nil {
		if seen, err := filepath.Rel(from, there); err == nil {
			there = seen
		}
	}
	if err := replace.File(c.Output, func(w io.Writer) error { return python.Script(w, filepath.ToSlash(there)) }); err != nil {
		return named(err, c.Output, nil)
	}
	return c.done(e, map[string]any{"output": c.Output})
}

// graph writes the model as a graph of ONNX.
func (c *exportCmd) graph(e *env, m *model.Model) error {
	var file bytes.Buffer
	if err := onnx.Write(&file, m); err != nil {
		return &fault{file: c.Model, what: err.Error()}
	}
	if err := replace.File(c.Output, func(w io.Writer) error { _, err := file.WriteTo(w); return err }); err != nil {
		return named(err, c.Output, nil)
	}
	return c.done(e, map[string]any{"output": c.Output})
}

// done prints what was written, where --json asks for it.
func (c *exportCmd) done(e *env, written map[string]any) error {
	if c.JSON {
		return e.printJSON(written)
	}
	return nil
}

// foreign is the model in the format that is asked for, the ranges of its scaling, and how its classes are written where
// that is not as they are.
func (c *exportCmd) foreign(m *model.Model) (out io.WriterTo, ranges *libsvm.Ranges, classes string, err error) {
	numbered := func(labels []int) {
		slices.Sort(labels)
		if len(m.Classes) > 0 && len(labels) > 0 && !slices.Equal(m.Classes, names(labels)) {
			classes = fmt.Sprintf("classes are written as the numbers 0 to %d: %s", len(m.Classes)-1, strings.Join(m.Classes, ", "))
			if !slices.ContainsFunc(m.Classes, columns.Numbered) {
				classes += "; mercer convert writes these as they are: give the rows whole numbers for the format's own count of errors"
			}
		}
	}
	switch c.Format {
	case "liblinear":
		var l *libsvm.LinearModel
		if l, ranges, err = libsvm.LinearFromModel(m); err == nil {
			numbered(slices.Clone(l.Labels))
		}
		return l, ranges, classes, err
	case "svmlin":
		if len(m.Classes) == 2 && !slices.Equal(m.Classes, []string{"-1", "1"}) {
			classes = fmt.Sprintf("svmlin knows the classes -1 and 1: they are written for %s and %s", m.Classes[0], m.Classes[1])
		}
		w, ranges, err := libsvm.WeightsFromModel(m)
		return w, ranges, classes, err
	}
	l, ranges, err := libsvm.FromModel(m)
	if err == nil {
		numbered(slices.Clone(l.Labels))
	}
	return l, ranges, classes, err
}

func names(labels []int) []string {
	list := make([]string, len(labels))
	for i, v := range labels {
		list[i] = strconv.Itoa(v)
	}
	return list
}

// logistic says whether what was written is a model of LIBLINEAR that has probabilities.
func logistic(written io.WriterTo) bool {
	l, ok := written.(*libsvm.LinearModel)
	return ok && l.Solver == "L2R_LR"
}

// lookedAt names the columns that a model looks at, where the rows of its fit had further ones, which data that are converted have too.
func lookedAt(m *model.Model) string {
	if m.Table == nil {
		return ""
	}
	var list []string
	more := false
	for i := range m.Table.Columns {
		switch c := &m.Table.Columns[i]; {
		case c.Feature():
			list = append(list, c.Name)
		case c.Kind != data.KindLabel:
			more = true
		}
	}
	if !more {
		return ""
	}
	return strings.Join(list, ",")
}
