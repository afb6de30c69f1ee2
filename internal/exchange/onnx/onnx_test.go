package onnx_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/internal/columns"
	"github.com/mercer-ml/mercer/internal/exchange/onnx"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
	"gonum.org/v1/gonum/mat"
)

// tolerance of outputs and probabilities, relative to the largest of a model: both sides compute in double precision.
const tolerance = 1e-9

// tensor is an input or output as testdata/run.mjs reads and writes it.
type tensor struct {
	Type string `json:"type"`
	Dims []int  `json:"dims"`
	Data any    `json:"data"`
}

// problem is a model with rows to predict, and what goes into its graph.
type problem struct {
	name   string
	m      *model.Model
	rows   data.Rows
	inputs map[string]tensor
}

func random(rng *rand.Rand, n, d int) *mat.Dense {
	a := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			a.Set(i, j, rng.Float64()*2)
		}
	}
	return a
}

// inputs are rows of numbers, null where they are NaN.
func inputs(x *mat.Dense) map[string]tensor {
	n, d := x.Dims()
	list := make([]any, 0, n*d)
	for i := range n {
		for _, v := range x.RawRowView(i) {
			if math.IsNaN(v) {
				list = append(list, nil)
			} else {
				list = append(list, v)
			}
		}
	}
	return map[string]tensor{onnx.Rows: {"float64", []int{n, d}, list}}
}

// plain is a model of one part, its classes as many as its outputs decide, or a regression for none.
func plain(rng *rand.Rand, classes int, k kernel.Kernel) *model.Model {
	m := &model.Model{Method: "rls", Task: data.Regression, Columns: 4, Scaling: data.Scaling{Kind: data.ScaleNone}}
	if classes > 0 {
		m.Task, m.Classes = data.Classification, []string{"a", "b", "c", "d", "e"}[:classes]
	}
	e := kernel.Expansion{Kernel: k, Centres: data.Rows{Dense: random(rng, 12, 4)}, Coef: random(rng, 12, m.Outputs())}
	e.Coef.Apply(func(_, _ int, v float64) float64 { return v - 1 }, e.Coef)
	m.Parts = model.Single([]kernel.Expansion{e}, make([]float64, m.Outputs()))
	return m
}

// kernels are all that new rows can be put into.
func kernels(rng *rand.Rand) map[string]kernel.Kernel {
	k := map[string]kernel.Kernel{}
	for _, spec := range []string{
		"gaussian(sigma=0.7)", "ard-gaussian(sigma=1:2:0.5:3)", "laplacian(sigma=1.5)", "linear", "ard-linear(c=1:2:3:4)",
		"polynomial(degree=3,scale=0.3)", "sigmoid(scale=0.3,offset=-0.1)", "exp-chi2(sigma=0.8)", "add-chi2", "chi2-map(harmonics=3)",
		"clusters", "components", "gaussian(sigma=1)+0.3*linear+0.1*constant", "gaussian(sigma=1)*polynomial(degree=2,scale=1)",
		"normalised(polynomial(degree=2,scale=1)+linear)", "normalised(add-chi2)", "normalised(chi2-map)",
		"gaussian(sigma=1)[1,3]+laplacian(sigma=2)[2..4]", "anova", "metric-laplacian", "metric-laplacian(sigma=1,diagonal=1:2:0.5:3)",
	} {
		one, err := kernel.Parse(spec, nil)
		if err != nil {
			panic(err)
		}
		k[spec] = one.Adapt(data.Rows{Dense: random(rng, 40, 4)})
	}
	k["anova of words"] = kernel.ANOVA{
		Weight: []float64{2, 0.7}, Sigma: 0.2, Group: []int{0, 0, 1, 1},
		Knots: [][]float64{{0.3, 0.6}, {0.5}, {0.2, 0.4, 0.4, 0.4, 0.9}, {0, 1}},
	}
	k["metric-laplacian of a matrix"] = kernel.MetricLaplacian{
		Sigma: 0.7, Metric: mat.NewDense(4, 4, []float64{2, 1, 0, 0, 1, 2, 0, 0, 0, 0, 1, 0.3, 0, 0, 0.3, 0.5}),
	}
	return k
}

func numbers(name string, m *model.Model, x *mat.Dense) problem {
	return problem{name, m, data.Rows{Dense: x}, inputs(x)}
}

func problems(t *testing.T) []problem {
	rng := rand.New(rand.NewPCG(1, 2))
	x := random(rng, 30, 4)
	var list []problem
	for spec, k := range kernels(rng) {
		list = append(list, numbers(spec, plain(rng, 3, k), x))
	}
	g := kernel.Gaussian{Sigma: 1}
	list = append(list, numbers("regression", plain(rng, 0, g), x), numbers("two classes", plain(rng, 2, g), x))

	scaled := plain(rng, 3, g)
	scaled.Scaling = data.Scaling{Kind: data.ScaleStandard, Shift: []float64{1, 2, 0, 1}, Scale: []float64{2, 1, 3, 1}}
	unit := plain(rng, 3, g)
	unit.Scaling = data.Scaling{Kind: data.ScaleUnit}
	linear := plain(rng, 3, g)
	linear.Parts = []model.Part{{Functions: []model.Function{model.Linear{Weights: random(rng, 4, 3)}}, Offset: []float64{-4, -4, -4}}}
	mean := plain(rng, 3, g)
	centres := kernel.Expansion{Kernel: kernel.Gaussian{Sigma: 0.3}, Centres: data.Rows{Dense: random(rng, 9, 4)}, Coef: random(rng, 9, 3)}
	mean.Parts = model.WeightedMean(centres, true, nil)
	some := mat.DenseCopyOf(x)
	for i := range 9 {
		some.SetRow(2*i, mat.Row(nil, i, centres.Centres.Dense))
	}
	many := plain(rng, 2, g)
	many.Parts[0].Functions = append(many.Parts[0].Functions, plain(rng, 2, kernel.Gaussian{Sigma: 3}).Parts[0].Functions...)
	csr := plain(rng, 3, g)
	e := csr.Parts[0].Functions[0].(model.Expansion)
	e.Centres = data.Rows{Sparse: data.CSRFromDense(e.Centres.Dense)}
	csr.Parts[0].Functions[0], csr.Sparse = e, true
	list = append(list, numbers("scaled", scaled, x), numbers("length one", unit, x), numbers("linear", linear, x),
		numbers("mean, known", mean, some), numbers("sum of two", many, x), numbers("sparse centres", csr, x))
	list = append(list, calibrated(rng, x)...)
	return append(list, views(rng, x), table(t, rng), missing(t, rng), dates(t, rng))
}

func calibrated(rng *rand.Rand, x *mat.Dense) []problem {
	g := kernel.Gaussian{Sigma: 1}
	sigmoid, isotonic, softmax, decided, pairs := plain(rng, 2, g), plain(rng, 2, g), plain(rng, 4, g), plain(rng, 3, g), plain(rng, 5, g)
	sigmoid.Calibration = calibrate.Sigmoid{Slope: 2, Offset: 0.7}
	isotonic.Calibration = calibrate.Isotonic{Score: []float64{-1, -0.2, 0, 0.4, 2}, P: []float64{0.1, 0.4, 0.5, 0.6, 0.95}}
	softmax.Calibration = calibrate.Softmax{Temperature: 1.5}
	decided.Calibration = calibrate.Softmax{Temperature: 0.5}
	decided.Decision = &result.Decision{Rule: "cost=1:2:3", Weight: []float64{1, 2, 3}}
	pairs.Pairs = true
	pairs.Parts = model.Single([]kernel.Expansion{{Kernel: g, Centres: data.Rows{Dense: random(rng, 12, 4)}, Coef: random(rng, 12, 10)}},
		[]float64{-9, -5, -3, -9, -8, -7, -6, -8, -9, -8})
	c := calibrate.Pairs{Classes: 5, Power: 1.3}
	for range 10 {
		c.Pair = append(c.Pair, calibrate.Sigmoid{Slope: 1 + rng.Float64(), Offset: rng.Float64() - 0.5})
	}
	pairs.Calibration = c
	return []problem{
		numbers("sigmoid", sigmoid, x), numbers("isotonic", isotonic, x), numbers("softmax", softmax, x), numbers("decision", decided, x),
		numbers("pairs", pairs, x),
	}
}

// views is a model of two views of which rows lack one.
func views(rng *rand.Rand, x *mat.Dense) problem {
	m := plain(rng, 3, kernel.Gaussian{Sigma: 1})
	m.Parts = nil
	for _, c := range [][]int{{0, 1}, {2, 3}} {
		e := kernel.Expansion{Kernel: kernel.Gaussian{Sigma: 1}, Centres: data.Rows{Dense: random(rng, 8, 2)}, Coef: random(rng, 8, 3)}
		p := model.Single([]kernel.Expansion{e}, []float64{-1, -1, -2})[0]
		p.Columns = c
		m.Parts = append(m.Parts, p)
	}
	x = mat.DenseCopyOf(x)
	for i := range 10 {
		c := i % 2 * 2
		x.Set(i, c, math.NaN())
		x.Set(i, c+1, math.NaN())
	}
	return numbers("views", m, x)
}

// coded is a model of a table, and the rows that its cells become.
func coded(t *testing.T, rng *rand.Rand, spec []data.Column, cells [][]string) (*model.Model, data.Rows) {
	t.Helper()
	coder := columns.NewCoder(data.NewTable(spec))
	x := mat.NewDense(len(cells), coder.Dim(), nil)
	for i, row := range cells {
		for j, cell := range row {
			if what, _ := coder.Set(x.RawRowView(i), j, []byte(cell), coder.NewUnknown()); what != "" {
				t.Fatal(what)
			}
		}
	}
	m := plain(rng, 3, kernel.Gaussian{Sigma: 1})
	m.Table, m.Columns, m.Features = coder.Table, coder.Dim(), coder.Names()
	e := kernel.Expansion{Kernel: kernel.Gaussian{Sigma: 2}, Centres: data.Rows{Dense: random(rng, 9, m.Columns)}, Coef: random(rng, 9, 3)}
	m.Parts = model.Single([]kernel.Expansion{e}, []float64{-2, -2, -2})
	return m, data.Rows{Dense: x}
}

func number(v float64) *float64 { return &v }

func words() []data.Column {
	return []data.Column{
		{Name: "size", Kind: data.KindNumber, Fill: number(1.5), Missing: true},
		{Name: "colour", Kind: data.KindCategory, Levels: []string{"blue", "red"}, Other: true, Missing: true},
		{Name: "why", Kind: data.KindIgnored},
		{Name: "old", Kind: data.KindYesNo, Levels: []string{"no", "yes"}, Fill: number(1)},
		{Name: "how", Kind: data.KindOrdered, Levels: []string{"bad", "fair", "good"}, Fill: number(0.5), Missing: true},
		{Name: "count", Kind: data.KindNumber, Fill: number(3)},
	}
}

// table is a model of numbers and words.
func table(t *testing.T, rng *rand.Rand) problem {
	cells := [][]string{
		{"1.25", "red", "", "yes", "bad", "2"}, {"", "blue", "", "no", "good", "1e-3"}, {"0.5", "", "", "no", "fair", ""},
		{"2", "green", "", "", "", "7"}, {"NA", "NA", "", "maybe", "awful", "NaN"}, {"-1", "red", "", "yes", "good", "0"},
	}
	m, rows := coded(t, rng, words(), cells)
	in := map[string]tensor{}
	for j, c := range m.Table.Columns {
		switch {
		case !c.Feature():
		case c.Kind == data.KindNumber:
			list := make([]any, len(cells))
			for i, row := range cells {
				if v, ok := data.Number(row[j]); ok {
					list[i] = v
				}
			}
			in[c.Name] = tensor{"float64", []int{len(cells), 1}, list}
		default:
			list := make([]any, len(cells))
			for i, row := range cells {
				list[i] = row[j]
			}
			in[c.Name] = tensor{"string", []int{len(cells), 1}, list}
		}
	}
	return problem{"words", m, rows, in}
}

// dates is a model of dates: ends of years and of February, in leap years, centuries and others, before 1970 and long
// after, and of times alone.
func dates(t *testing.T, rng *rand.Rand) problem {
	const layout = "2006-01-02 15:04:05"
	spec := []data.Column{
		{Name: "at", Kind: data.KindDate, Format: layout, Fill: number(3), Parts: []string{"month", "weekday", "hour"}, Missing: true},
		{Name: "clock", Kind: data.KindDate, Format: "15:04:05", Fill: number(-2000), Parts: []string{"hour"}},
	}
	cells, seconds, clocks := [][]string{{"", ""}}, []any{nil}, []any{nil}
	for _, year := range []int{1600, 1899, 1900, 1969, 1970, 1999, 2000, 2004, 2023, 2024, 2100, 2101, 2400} {
		for _, day := range [][2]int{{1, 1}, {2, 28}, {2, 29}, {3, 1}, {7, 14}, {12, 31}} { // the 29th may be the first of March
			at := time.Date(year, time.Month(day[0]), day[1], rng.IntN(24), rng.IntN(60), rng.IntN(60), 0, time.UTC)
			cells = append(cells, []string{at.Format(layout), at.Format(time.TimeOnly)})
			seconds, clocks = append(seconds, at.Unix()), append(clocks, at.Hour()*3600+at.Minute()*60+at.Second())
		}
	}
	m, rows := coded(t, rng, spec, cells)
	m.Parts = []model.Part{{Functions: []model.Function{model.Linear{Weights: random(rng, m.Columns, 3)}}, Offset: []float64{-1, -2, -3}}}
	n := len(cells)
	return problem{"dates", m, rows, map[string]tensor{"at": {"float64", []int{n, 1}, seconds}, "clock": {"float64", []int{n, 1}, clocks}}}
}

// missing is a model of numbers some of which are missing.
func missing(t *testing.T, rng *rand.Rand) problem {
	spec := []data.Column{
		{Name: "a", Kind: data.KindNumber, Fill: number(1), Missing: true}, {Name: "b", Kind: data.KindNumber, Fill: number(0.5)},
	}
	m, rows := coded(t, rng, spec, [][]string{{"1", ""}, {"", "2"}, {"", ""}, {"0.25", "1.5"}})
	nan := math.NaN()
	return problem{"imputed", m, rows, inputs(mat.NewDense(4, 2, []float64{1, nan, nan, 2, nan, nan, 0.25, 1.5}))}
}

// marked is a model of columns whose tables name cells that stand for missing ones.
func marked(t *testing.T, rng *rand.Rand) problem {
	spec := []data.Column{
		{Name: "size", Kind: data.KindNumber, Fill: number(1.5), Missing: true, Empty: []string{"-999", "n.k.", "1.5e2"}},
		{Name: "price", Kind: data.KindNumber, Fill: number(2), Decimal: ",", Empty: []string{"-9,5"}},
		{Name: "colour", Kind: data.KindCategory, Levels: []string{"blue", "red"}, Other: true, Missing: true, Empty: []string{"none at all"}},
		{Name: "old", Kind: data.KindYesNo, Levels: []string{"no", "."}, Fill: number(1), Empty: []string{"."}},
		{Name: "day", Kind: data.KindDate, Format: "02.01.2006", Fill: number(3), Parts: []string{"month"}, Missing: true,
			Empty: []string{"01.01.1900", "never"}},
		{Name: "clock", Kind: data.KindDate, Format: "15:04", Fill: number(-2000), Parts: []string{"hour"}, Empty: []string{"00:00"}},
	}
	cells := [][]string{
		{"1", "2,5", "red", "no", "01.01.1900", "10:30"}, {"-999", "-9,5", "none at all", ".", "02.01.1900", "00:00"},
		{"150", "1", "green", "no", "05.06.2007", "00:01"}, {"-998", "-9", "", ".", "", ""},
	}
	m, rows := coded(t, rng, spec, cells)
	nan, n, in := any(nil), []int{4, 1}, map[string]tensor{}
	for name, list := range map[string][]any{
		"size": {1, -999, 150, -998}, "price": {2.5, -9.5, 1, -9},
		"day": {
			time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC).Unix(), time.Date(1900, 1, 2, 0, 0, 0, 0, time.UTC).Unix(),
			time.Date(2007, 6, 5, 0, 0, 0, 0, time.UTC).Unix(), nan,
		},
		"clock": {10*3600 + 30*60, 0, 60, nan},
	} {
		in[name] = tensor{"float64", n, list}
	}
	in["colour"] = tensor{"string", n, []any{"red", "none at all", "green", ""}}
	in["old"] = tensor{"string", n, []any{"no", ".", "no", "."}}
	return problem{"marks of missing cells", m, rows, in}
}

// filled is a model of numbers alone, of which missing cells count as the medians; of several parts they are views that lack.
func filled(rng *rand.Rand) problem {
	x := random(rng, 6, 4)
	holes := mat.DenseCopyOf(x)
	m := plain(rng, 3, kernel.Gaussian{Sigma: 1})
	m.Fill = []float64{1, 2, 0.5, 3}
	for i, j := range []int{0, 3, 1, 2} {
		x.Set(i, j, m.Fill[j])
		holes.Set(i, j, math.NaN())
	}
	return problem{"medians", m, data.Rows{Dense: x}, inputs(holes)}
}

// The runtime of ONNX in Node answers as predict does, for every kernel and every kind of model.
func TestRuntimeAgrees(t *testing.T) {
	folder := os.Getenv("MERCER_ONNXRUNTIME")
	if testing.Short() {
		t.Skip("skipped: it runs another program, and -short does without")
	}
	if folder == "" {
		t.Skip("skipped: MERCER_ONNXRUNTIME names no folder of onnxruntime-web (npm install onnxruntime-web)")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("skipped: node is not installed")
	}
	list := append(problems(t), further(t)...)
	var files []file
	for _, p := range list {
		var b bytes.Buffer
		if err := onnx.Write(&b, p.m); err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
		files = append(files, file{b.Bytes(), p.inputs})
	}
	for i, outputs := range run(t, node, folder, files) {
		t.Run(list[i].name, func(t *testing.T) { list[i].compare(t, outputs) })
	}
}

// file is a model as it is written, and what goes into it.
type file struct {
	text   []byte
	inputs map[string]tensor
}

// run are the outputs of the runtime for each file.
func run(t *testing.T, node, folder string, list []file) []map[string]json.RawMessage {
	t.Helper()
	dir := t.TempDir()
	type job struct {
		Model  string            `json:"model"`
		Inputs map[string]tensor `json:"inputs"`
	}
	var jobs []job
	for i, f := range list {
		path := filepath.Join(dir, fmt.Sprint(i, ".onnx"))
		if err := os.WriteFile(path, f.text, 0o600); err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, job{path, f.inputs})
	}
	text, err := json.Marshal(jobs)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "jobs.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, filepath.Join("testdata", "run.mjs"), folder, path) //nolint:gosec // of this test
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v\n%s", err, stderr.String())
	}
	var answers []map[string]json.RawMessage
	if err := json.Unmarshal(out, &answers); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return answers
}

// compare compares the outputs with those of predict.
func (p problem) compare(t *testing.T, outputs map[string]json.RawMessage) {
	if fault := outputs["error"]; fault != nil {
		t.Fatalf("the runtime says %s", fault)
	}
	out, err := p.m.Predict(t.Context(), p.rows)
	if err != nil {
		t.Fatal(err)
	}
	if p.m.Task == data.Regression {
		close(t, onnx.Prediction, outputs, out)
		return
	}
	close(t, onnx.Scores, outputs, p.m.Coding().Scores(out))
	var labels struct{ Data []string }
	if err := json.Unmarshal(outputs[onnx.Label], &labels); err != nil {
		t.Fatal(err)
	}
	for i, k := range p.m.Decide(out) {
		if labels.Data[i] != p.m.Classes[k] {
			t.Errorf("row %d is %s, predict says %s", i, labels.Data[i], p.m.Classes[k])
		}
	}
	if p.m.HasProbabilities() {
		want, err := p.m.Probabilities(out)
		if err != nil {
			t.Fatal(err)
		}
		close(t, onnx.Probabilities, outputs, want)
	}
}

func close(t *testing.T, name string, outputs map[string]json.RawMessage, want *mat.Dense) {
	t.Helper()
	var got struct{ Data []float64 }
	if err := json.Unmarshal(outputs[name], &got); err != nil {
		t.Fatalf("%s: %v: %s", name, err, outputs[name])
	}
	n, c := want.Dims()
	if len(got.Data) != n*c {
		t.Fatalf("%s: %d numbers, want %d x %d", name, len(got.Data), n, c)
	}
	largest := math.Max(mat.Max(want), -mat.Min(want))
	for i, v := range got.Data {
		if w := want.At(i/c, i%c); !(math.Abs(v-w) <= tolerance*largest) {
			t.Fatalf("%s: row %d, column %d is %v, predict says %v", name, i/c, i%c, v, w)
		}
	}
}

// What ONNX has no operators for is refused, with the part and what to do.
func TestRefused(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	text := plain(rng, 2, kernel.Gaussian{Sigma: 1})
	text.Text, text.Sparse = &data.Text{}, true
	named := plain(rng, 2, kernel.Gaussian{Sigma: 1})
	named.Table = data.NewTable([]data.Column{{Name: "scores", Kind: data.KindCategory, Levels: []string{"a"}}})
	rows := plain(rng, 2, kernel.Precomputed{K: mat.NewDense(12, 12, nil)})
	wide := plain(rng, 2, kernel.Gaussian{Sigma: 1})
	wide.Columns, wide.Features = 1<<40, nil
	apart := plain(rng, 2, kernel.Gaussian{Sigma: 1}) // of two parts the second
	apart.Parts = append(apart.Parts, plain(rng, 2, kernel.Precomputed{K: mat.NewDense(12, 12, nil)}).Parts...)
	mean := plain(rng, 0, kernel.Laplacian{Sigma: 1})
	mean.Parts[0].Functions[0] = model.Mean{Expansion: mean.Parts[0].Functions[0].(model.Expansion)}
	mixed := plain(rng, 2, kernel.Gaussian{Sigma: 1})
	mixed.Table = data.NewTable([]data.Column{{Name: "q", Kind: data.KindNumber, Levels: []string{"below"}}})
	full := plain(rng, 2, kernel.Gaussian{Sigma: 1}) // 2 GiB with their zeros
	full.Columns, full.Sparse = 1<<20, true
	full.Parts[0].Functions[0] = model.Expansion{Kernel: kernel.Linear{},
		Centres: data.Rows{Sparse: &data.CSR{R: 256, C: 1 << 20, Start: make([]int, 257)}}, Coef: mat.NewDense(256, 1, nil)}
	within := func(k kernel.Kernel) *model.Model { return plain(rng, 2, k) }
	table := kernel.Precomputed{K: mat.NewDense(12, 12, nil)}
	for _, c := range []struct {
		m    *model.Model
		want []string
	}{
		{wide, []string{"1099511627776 columns need"}},
		{text, []string{"words of documents", "--format sklearn"}},
		{named, []string{`column "scores" has the name of an output`}},
		{rows, []string{"the kernel precomputed", "choose another kernel"}},
		{apart, []string{"the kernel precomputed", "choose another kernel"}},
		{within(kernel.Scaled{Base: table, Weight: 2}), []string{"the kernel precomputed"}},
		{within(kernel.Normalised{Base: table}), []string{"the kernel precomputed"}},
		{within(kernel.Sum{Terms: []kernel.Kernel{kernel.Linear{}, table}}), []string{"the kernel precomputed"}},
		{within(kernel.Product{Terms: []kernel.Kernel{table, kernel.Linear{}}}), []string{"the kernel precomputed"}},
		{within(kernel.Columns{Base: table, Columns: []int{1}}), []string{"the kernel precomputed"}},
		{mean, []string{"a mean weighted by another kernel than the Gaussian"}},
		{mixed, []string{`column "q" has words among its numbers, such as "below", which no tensor holds`}},
		{full, []string{"it takes 2147483648 bytes, and an ONNX file has 2 GiB at most; make the model smaller by mercer shrink"}},
	} {
		var b bytes.Buffer
		err := onnx.Write(&b, c.m)
		for _, part := range c.want {
			if err == nil || !strings.Contains(err.Error(), part) || b.Len() > 0 {
				t.Errorf("%v, %d bytes; want %q and nothing written", err, b.Len(), part)
			}
		}
	}
}

// TestNextToNothing: probabilities and rows that are next to nothing are in the graph what they are in predict.
func TestNextToNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	steep := plain(rng, 3, kernel.Gaussian{Sigma: 1})
	steep.Calibration = calibrate.Softmax{Temperature: 60}
	p := numbers("small probabilities", steep, random(rng, 10, 4))
	p.compare(t, evaluated(t, p))
	out, err := steep.Predict(t.Context(), p.rows)
	if err != nil {
		t.Fatal(err)
	}
	if all, err := steep.Probabilities(out); err != nil || mat.Min(all) > 1e-10 {
		t.Errorf("no probability is small: %v", err)
	}
	x := random(rng, 5, 4)
	x.SetRow(2, []float64{1e-149, 2e-149, 0, 3e-149}) // whose squares are far from the least number yet
	p = numbers("a short row", plain(rng, 2, kernel.Normalised{Base: kernel.Linear{}}), x)
	p.compare(t, evaluated(t, p))
}

// TestColumnsBeyondMemory: 64 bytes are needed for each column, which a model of more than memory has room for is refused with.
func TestColumnsBeyondMemory(t *testing.T) {
	wide := plain(rand.New(rand.NewPCG(1, 2)), 2, kernel.Gaussian{Sigma: 1})
	wide.Columns, wide.Features = 1<<40, nil
	want := fmt.Sprintf("its %d columns need %.3g bytes of memory", wide.Columns, 64*float64(wide.Columns))
	if err := onnx.Write(new(bytes.Buffer), wide); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestKernelsRefused: a kernel that its centres do not suit, or that was not adapted to them, is refused in its own words.
func TestKernelsRefused(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	below := plain(rng, 2, kernel.Chi2Map{})
	below.Parts[0].Functions[0].(model.Expansion).Centres.Dense.Set(0, 0, -1)
	for want, m := range map[string]*model.Model{
		"chi2-map: harmonics is 65; it must be from 1 to 64": plain(rng, 2, kernel.Chi2Map{Harmonics: 65}),

		"chi2-map: row 0, column 0 is -1; features must not be negative": below,

		"gaussian: sigma is not set": plain(rng, 2, kernel.Normalised{Base: kernel.Gaussian{}}),

		"the kernel precomputed is a table of the rows of its fit": plain(rng, 2,
			kernel.Normalised{Base: kernel.Precomputed{K: mat.NewDense(12, 12, nil)}}),
	} {
		var b bytes.Buffer
		if err := onnx.Write(&b, m); err == nil || !strings.Contains(err.Error(), want) || b.Len() > 0 {
			t.Errorf("%v, %d bytes; want %q and nothing written", err, b.Len(), want)
		}
	}
}
