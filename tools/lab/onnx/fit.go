package onnx

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

// fitted is a model, and rows for it.
type fitted struct {
	Name    string   `json:"name"`
	Model   string   `json:"model"`   // its file
	Graph   string   `json:"graph"`   // as ONNX
	Columns []string `json:"columns"` // of the cells
	Cells   [][]any  `json:"cells"`   // numbers, texts, or null where one is missing

	want answers
}

func (f *fitted) width() int { return len(f.Columns) }

// fitter fits models in a folder.
type fitter struct {
	program, dir string
	count        int
}

func (t *fitter) run(ctx context.Context, args ...string) ([]byte, error) {
	_, out, err := process.Timed(ctx, t.program, args...)
	return out, err
}

// fit learns from two rows of three, writes the model and its graph, and predicts the third.
func (t *fitter) fit(ctx context.Context, p problem) (*fitted, error) {
	t.count++
	at := func(ending string) string { return filepath.Join(t.dir, fmt.Sprint(t.count, ending)) }
	f := &fitted{Name: p.name, Model: at(".mercer"), Graph: at(".onnx")}
	all, err := t.lines(ctx, p)
	if err != nil {
		return nil, err
	}
	ending := ".csv"
	if p.sparse {
		ending = ".svm"
	}
	learn, ask := at("-learn"+ending), at("-ask"+ending)
	if err := divided(all, learn, ask, !p.sparse); err != nil {
		return nil, err
	}
	args := append([]string{"fit", learn, "-o", f.Model, "--json", "--quiet"}, p.flags...)
	out, err := t.run(ctx, args...)
	if err != nil {
		return nil, err
	}
	var said struct {
		Task string
		Rows struct{ Features int }
	}
	if err := json.Unmarshal(out, &said); err != nil {
		return nil, err
	}
	if p.shrink > 0 {
		small := at("-small.mercer")
		if _, err := t.run(ctx, "shrink", f.Model, "--basis", fmt.Sprint(p.shrink), "--data", learn, "-o", small, "--quiet"); err != nil {
			return nil, err
		}
		f.Model = small
	}
	if _, err := t.run(ctx, "export", f.Model, "--format", "onnx", "-o", f.Graph, "--quiet"); err != nil {
		return nil, err
	}
	if f.Columns, f.Cells, err = cells(ask, said.Rows.Features); err != nil {
		return nil, err
	}
	f.want, err = t.predict(ctx, f.Model, ask, said.Task == "regression")
	return f, err
}

// lines are those of all rows of a problem, below a line of names where they are CSV.
func (t *fitter) lines(ctx context.Context, p problem) ([]string, error) {
	if p.made != nil {
		return p.made(rand.New(rand.NewPCG(1, 2))), nil
	}
	path := filepath.Join(t.dir, "all.csv")
	if p.sparse {
		path = filepath.Join(t.dir, "all.svm")
	}
	if _, err := t.run(ctx, "convert", p.set, "-o", path, "--quiet"); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path) //nolint:gosec // of this program
	return strings.Split(strings.TrimSpace(string(text)), "\n"), err
}

// divided writes two of three rows to one file and the third to another, each with the names of columns.
func divided(lines []string, learn, ask string, named bool) error {
	var parts [2][]string
	if named {
		parts, lines = [2][]string{{lines[0]}, {lines[0]}}, lines[1:]
	}
	for i, line := range lines {
		k := 0
		if i%3 == 2 {
			k = 1
		}
		parts[k] = append(parts[k], line)
	}
	for k, path := range []string{learn, ask} {
		if err := os.WriteFile(path, []byte(strings.Join(parts[k], "\n")+"\n"), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// cells are those of a file, without the answers: the last column of CSV, the first field of sparse rows.
func cells(path string, width int) (columns []string, rows [][]any, err error) {
	text, err := os.ReadFile(path) //nolint:gosec // of this program
	if err != nil {
		return nil, nil, err
	}
	if filepath.Ext(path) == ".svm" {
		return dense(strings.Split(strings.TrimSpace(string(text)), "\n"), width)
	}
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, nil, err
	}
	columns = lines[0][:len(lines[0])-1]
	for _, line := range lines[1:] {
		row := make([]any, len(columns))
		for j := range row {
			if v, err := strconv.ParseFloat(line[j], 64); err == nil {
				row[j] = v
			} else if line[j] != "" {
				row[j] = line[j]
			}
		}
		rows = append(rows, row)
	}
	return columns, rows, nil
}

// dense are sparse rows with their zeros.
func dense(lines []string, width int) (columns []string, rows [][]any, err error) {
	for j := range width {
		columns = append(columns, fmt.Sprint(j+1))
	}
	for _, line := range lines {
		row := make([]any, width)
		for j := range row {
			row[j] = 0
		}
		for _, field := range strings.Fields(line)[1:] {
			index, value, _ := strings.Cut(field, ":")
			j, err := strconv.Atoi(index)
			if err != nil {
				return nil, nil, err
			}
			if j > width {
				continue // no row that was learned from has it
			}
			if row[j-1], err = strconv.ParseFloat(value, 64); err != nil {
				return nil, nil, err
			}
		}
		rows = append(rows, row)
	}
	return columns, rows, nil
}

// predict is what mercer predict says of the rows of a file.
func (t *fitter) predict(ctx context.Context, model, path string, regression bool) (answers, error) {
	out, err := t.run(ctx, "predict", model, path, "--probability")
	if err != nil && strings.Contains(err.Error(), "no probabilities") {
		out, err = t.run(ctx, "predict", model, path)
	}
	if err != nil {
		return answers{}, err
	}
	lines, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
	if err != nil {
		return answers{}, err
	}
	a := answers{Values: map[string][]float64{}}
	for _, line := range lines[1:] {
		for j, cell := range line {
			kind, _, _ := strings.Cut(lines[0][j], "_")
			switch {
			case regression && kind != "prediction":
				continue
			case !regression && kind == "prediction":
				a.Labels = append(a.Labels, cell)
				continue
			}
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				return answers{}, err
			}
			a.Values[kind] = append(a.Values[kind], v)
		}
	}
	return a, nil
}
