// Package serve loads mercer serve, and scikit-learn behind Flask, with the same questions over 64 connections: the same Gaussian support
// vector machine on the same rows of digits, one row a request and 100. With -soak it does to mercer serve alone what happens in a long
// life: models replaced, also by garbage, ends and kills, slow clients, bodies of a gigabyte.
//
// Flask is Debian's python3-flask, scikit-learn its python3-sklearn.
package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

// flags of the measurement.
type flags struct {
	measure.Options
	seconds     time.Duration
	connections int
	soak        time.Duration
}

// Declare is the measurement.
func Declare(f *measure.Flags) func() measure.Page {
	given, python := f.Mercer(), f.Python()
	seconds := f.Duration("time", 10*time.Second, "of load for each line of the table")
	connections := f.Int("connections", 64, "at the same time")
	long := f.Duration("soak", 0, "soak mercer serve for this time instead")
	return func() measure.Page {
		title, run := "Serving a model with mercer, and with scikit-learn behind Flask", compare
		if *long > 0 {
			title, run = "A long life of mercer serve", soak
		}
		return measure.Page{Title: title, Write: func(ctx context.Context, w io.Writer) error {
			return process.Within(ctx, *given, func(program, folder string) error {
				o := measure.Options{Program: program, Python: *python}
				return run(ctx, w, flags{o, *seconds, *connections, *long}, folder)
			})
		}}
	}
}

// The machine, whose parameters are those that mercer fit digits --method svm finds, rounded.
const cost, gamma = "10", "0.0008"

// digits are the rows of the built-in set, and a file of them.
type digits struct {
	file string
	rows [][]float64
}

// digitsIn writes the built-in set to a folder and reads its rows.
func digitsIn(ctx context.Context, f flags, tmp string) (*digits, error) {
	set, err := data.Builtin("digits")
	if err != nil {
		return nil, err
	}
	d := &digits{file: filepath.Join(tmp, "digits.csv")}
	for i := range set.Rows.Len() {
		d.rows = append(d.rows, set.Rows.Dense.RawRowView(i))
	}
	_, _, err = process.Timed(ctx, f.Program, "data", "digits", "-o", d.file)
	return d, err
}

// fit fits a model to a file.
func fit(ctx context.Context, f flags, file, out string, words ...string) error {
	_, _, err := process.Timed(ctx, f.Program, append([]string{"fit", file, "--quiet", "-o", out}, words...)...)
	return err
}

// machine are the words for mercer fit of a support vector machine with C.
func machine(c string) []string {
	return []string{"--method", "svm", "--tune", "none", "--scale", "none", "--set", "C=" + c, "--set", "gamma=" + gamma}
}

// predicted are the classes that mercer predict gives the rows of a file.
func predicted(ctx context.Context, f flags, model, file string) ([]string, error) {
	_, out, err := process.Timed(ctx, f.Program, "predict", model, file, "--quiet")
	if err != nil {
		return nil, err
	}
	var list []string
	for line := range strings.Lines(string(out)) {
		class, _, _ := strings.Cut(line, ",")
		list = append(list, class)
	}
	return list[1:], nil
}

// compare loads both servers.
func compare(ctx context.Context, w io.Writer, f flags, tmp string) error {
	d, err := digitsIn(ctx, f, tmp)
	if err != nil {
		return err
	}
	models := []struct {
		name, path string
		words      []string
	}{
		{"svm", filepath.Join(tmp, "svm.mercer"), machine(cost)},
		{"auto", filepath.Join(tmp, "auto.mercer"), []string{"--labels-per-class", "2"}},
	}
	fmt.Fprintln(w, "| program | machine | rows a request | rows/s | p50 ms | p99 ms | rows a CPU s | times Flask, rows/s | "+
		"times Flask, rows a CPU s | wrong |\n"+
		"|---|---|---|---|---|---|---|---|---|---|")
	peer, err := start(ctx, os.Stderr, f.Python, "tools/lab/serve/peer.py", d.file, cost, gamma)
	if err != nil {
		return fmt.Errorf("apt-get install python3-flask python3-sklearn: %w", err)
	}
	want := map[string][]string{}
	words := []string{"serve", "--listen", "127.0.0.1:0", "--quiet"}
	for _, m := range models {
		if err := fit(ctx, f, d.file, m.path, m.words...); err != nil {
			return err
		}
		if want[m.name], err = predicted(ctx, f, m.path, d.file); err != nil {
			return err
		}
		words = append(words, m.path)
	}
	own, err := start(ctx, os.Stderr, f.Program, words...)
	if err != nil {
		return err
	}
	for _, batch := range []int{1, 100} {
		flask, err := press(ctx, peer, f.connections, f.seconds, questions(d, batch, flaskQuestion, want["svm"]))
		if err != nil {
			return err
		}
		line(w, "Flask", "SVC", batch, flask, flask)
		for _, m := range models {
			got, err := press(ctx, own, f.connections, f.seconds, questions(d, batch, protocolQuestion(m.name), want[m.name]))
			if err != nil {
				return err
			}
			line(w, "mercer serve", m.name, batch, got, flask)
		}
	}
	if err := own.end(syscall.SIGTERM); err != nil {
		return err
	}
	_ = peer.end(syscall.SIGTERM) // which it does not catch
	fmt.Fprintf(w, "\n%d connections, each of which sends its next request when it has the answer to the last; the program "+
		"that asks shares the %d processors. svm and SVC are the same machine, C = %s and gamma = %s, of all 1797 rows of "+
		"digits; auto is what mercer fit makes of two labels a class, a sum over all rows. CPU s are the server's own. "+
		"Flask's server closes each connection after its answer. Wrong are answers that differ from mercer predict.\n",
		f.connections, runtime.NumCPU(), cost, gamma)
	return nil
}

func line(w io.Writer, program, machine string, batch int, l, peer *load) {
	rate := func(l *load) (wall, cpu float64) {
		return float64(l.rows) / l.seconds, float64(l.rows) / max(l.cpu, 0.01)
	}
	wall, cpu := rate(l)
	peerWall, peerCPU := rate(peer)
	fmt.Fprintf(w, "| %s | %s | %d | %.0f | %.1f | %.1f | %.0f | %.1f | %.1f | %d |\n",
		program, machine, batch, wall, l.quantile(0.5), l.quantile(0.99), cpu, wall/peerWall, cpu/peerCPU, l.wrong)
}

// questions are requests of so many rows each, in the form that make gives them.
func questions(d *digits, batch int, form func(rows [][]float64, want []string) question, want []string) []question {
	var list []question
	for lo := 0; lo+batch <= len(d.rows); lo += batch {
		list = append(list, form(d.rows[lo:lo+batch], want[lo:lo+batch]))
	}
	return list
}

// classes is a JSON list of texts.
func classes(want []string) []byte {
	return []byte(`["` + strings.Join(want, `","`) + `"]`)
}

func flaskQuestion(rows [][]float64, want []string) question {
	body, _ := json.Marshal(map[string]any{"rows": rows}) // numbers always have a form
	return ask("/predict", body, classes(want), len(rows))
}

func protocolQuestion(model string) func([][]float64, []string) question {
	return func(rows [][]float64, want []string) question {
		var all []float64
		for _, row := range rows {
			all = append(all, row...)
		}
		body, _ := json.Marshal(map[string]any{ // numbers always have a form
			"inputs":  []any{map[string]any{"name": "x", "shape": []int{len(rows), len(rows[0])}, "datatype": "FP64", "data": all}},
			"outputs": []any{map[string]any{"name": "prediction"}},
		})
		return ask("/v2/models/"+model+"/infer", body, classes(want), len(rows))
	}
}
