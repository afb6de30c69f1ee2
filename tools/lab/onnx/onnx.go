// Package onnx compares what models answer in other programs with mercer predict: as graphs of ONNX in onnxruntime-web, which Node runs,
// and from the model file in the Python package, which has numpy. Both predict rows that were not learned from.
package onnx

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

// release is the one of onnxruntime-web that is installed.
const release = "onnxruntime-web@1.30.0"

//go:embed answers.mjs
var inNode []byte

//go:embed answers.py
var inPython []byte

// Declare is the measurement.
func Declare(f *measure.Flags) func() measure.Page {
	sets, given, python := f.Sets(), f.Mercer(), f.Python()
	runtime := f.String("onnxruntime", os.Getenv("MERCER_ONNXRUNTIME"),
		"folder of onnxruntime-web; default: npm installs it into a folder of its own, which is removed")
	return func() measure.Page {
		title := "Models in onnxruntime-web and in numpy, beside mercer predict"
		return measure.Page{Title: title, Write: func(ctx context.Context, w io.Writer) error {
			return compare(ctx, w, measure.Options{Sets: *sets, Program: *given, Python: *python}, *runtime)
		}}
	}
}

// answers are those of one program for the rows of one model.
type answers struct {
	Labels []string             `json:"labels"` // nil of a regression
	Values map[string][]float64 `json:"values"` // row by row: score, and probability where there are some; prediction of a regression
}

// compare fits the models, asks all programs, and writes the table.
func compare(ctx context.Context, w io.Writer, o measure.Options, runtime string) error {
	return process.Within(ctx, o.Program, func(program, dir string) error {
		o.Program = program
		return compareIn(ctx, w, o, runtime, dir)
	})
}

// compareIn does it in a folder.
func compareIn(ctx context.Context, w io.Writer, o measure.Options, runtime, dir string) error {
	if runtime == "" {
		_, _, err := process.Timed(ctx, "npm", "install", "--prefix", dir, "--no-audit", "--no-fund", "--ignore-scripts", release)
		if err != nil {
			return err
		}
		runtime = filepath.Join(dir, "node_modules", "onnxruntime-web")
	}
	for name, text := range map[string][]byte{"answers.mjs": inNode, "answers.py": inPython} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return err
		}
	}
	fitter := fitter{program: o.Program, dir: dir}
	var list []*fitted
	for _, p := range problems {
		if !measure.Wanted(o.Sets, p.name) {
			continue
		}
		f, err := fitter.fit(ctx, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		list = append(list, f)
	}
	jobs := filepath.Join(dir, "jobs.json")
	if err := writeJSON(jobs, list); err != nil {
		return err
	}
	graphs, err := asked(ctx, "node", filepath.Join(dir, "answers.mjs"), runtime, jobs)
	if err != nil {
		return err
	}
	readers, err := asked(ctx, o.Python, filepath.Join(dir, "answers.py"), "python", jobs)
	if err != nil {
		return err
	}
	return table(w, list, graphs, readers)
}

func writeJSON(path string, of any) error {
	text, err := json.Marshal(of)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// asked runs a program that prints its answers for each model.
func asked(ctx context.Context, program string, args ...string) ([]answers, error) {
	_, out, err := process.Timed(ctx, program, args...)
	if err != nil {
		return nil, err
	}
	var list []answers
	if err := json.Unmarshal(out, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	return list, nil
}

// table writes a line for each model.
func table(w io.Writer, list []*fitted, graphs, readers []answers) error {
	fmt.Fprintln(w, "| model | rows | columns | onnxruntime-web: largest difference | labels otherwise | numpy: largest difference |"+
		" labels otherwise |\n"+
		"|---|---|---|---|---|---|---|")
	var worst [2]float64
	var otherwise, rows int
	for i, f := range list {
		fmt.Fprintf(w, "| %s | %d | %d |", f.Name, len(f.Cells), f.width())
		rows += len(f.Cells)
		for k, of := range []answers{graphs[i], readers[i]} {
			far, labels, err := f.want.apart(of)
			if err != nil {
				return fmt.Errorf("%s: %w", f.Name, err)
			}
			worst[k] = max(worst[k], far)
			otherwise += labels
			fmt.Fprintf(w, " %.1e | %s |", far, map[bool]string{true: fmt.Sprint(labels), false: "-"}[f.want.Labels != nil])
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "\nDifferences are those of scores, probabilities or predictions from what `mercer predict` prints, over the largest "+
		"of these of the model. Of all %d models the largest are %.1e in onnxruntime-web (asked: 1e-5) and %.1e in numpy; of the labels "+
		"of %d rows %d differ in one of both (asked: none). No row was learned from. Models with the name of a kernel are least squares, "+
		"that of the sigmoid kernel a support vector machine.\n", len(list), worst[0], worst[1], rows, otherwise)
	return nil
}

// apart is the largest difference of values, relative to the largest of those of the same kind, and the number of labels that differ.
func (a answers) apart(from answers) (far float64, labels int, err error) {
	if len(a.Values) != len(from.Values) || len(a.Labels) != len(from.Labels) {
		return 0, 0, fmt.Errorf("%d kinds of values and %d labels, where predict has %d and %d", len(from.Values), len(from.Labels),
			len(a.Values), len(a.Labels))
	}
	for kind, want := range a.Values {
		got := from.Values[kind]
		if len(got) != len(want) {
			return 0, 0, fmt.Errorf("%s: %d values, where predict has %d", kind, len(got), len(want))
		}
		largest, apart := 0.0, 0.0
		for i, v := range want {
			largest, apart = max(largest, math.Abs(v)), max(apart, math.Abs(v-got[i]))
		}
		far = max(far, apart/largest)
	}
	for i, l := range a.Labels {
		if l != from.Labels[i] {
			labels++
		}
	}
	return far, labels, nil
}
