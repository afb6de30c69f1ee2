package explain_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/explain"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
)

// cloud are n positive rows of d columns.
func cloud(n, d int, seed uint64) *mat.Dense {
	r := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, math.Abs(r.NormFloat64())+0.1)
		}
	}
	return x
}

func numbers(n, c int, seed uint64) *mat.Dense {
	r := rand.New(rand.NewPCG(seed, 2))
	x := mat.NewDense(n, c, nil)
	for i := range n {
		for j := range c {
			x.Set(i, j, r.NormFloat64())
		}
	}
	return x
}

// kernels have slopes.
var kernels = []kernel.Kernel{
	kernel.Gaussian{Sigma: 1.3}, kernel.ARDGaussian{Sigma: []float64{1, 2, 0.7}}, kernel.Linear{}, kernel.ARDLinear{C: []float64{1, 2, 3}},
	kernel.Polynomial{Degree: 3, Scale: 0.5, Offset: 1}, kernel.Sigmoid{Scale: 0.2, Offset: -0.1}, kernel.Laplacian{Sigma: 1.5},
	kernel.Scaled{Weight: 0.3, Base: kernel.Gaussian{Sigma: 1}}, kernel.Sum{Terms: []kernel.Kernel{kernel.Linear{}, kernel.Constant{}}},
	kernel.Product{Terms: []kernel.Kernel{kernel.Gaussian{Sigma: 2}, kernel.Linear{}, kernel.Polynomial{Degree: 2, Scale: 1}}},
	kernel.Columns{Base: kernel.Gaussian{Sigma: 1}, Columns: []int{2, 0}},
	kernel.Normalised{Base: kernel.Polynomial{Degree: 2, Scale: 1, Offset: 0.5}},
}

// scalings of three columns.
var scalings = []data.Scaling{
	{Kind: data.ScaleNone}, {Kind: data.ScaleStandard, Shift: []float64{0.1, 0.2, -0.3}, Scale: []float64{2, 0.5, 1}},
	{Kind: data.ScaleUnit}, {Kind: data.ScaleTFIDF, Scale: []float64{0.5, 0.7, 1}},
}

// machine is a model of two expansions that share a row, a linear function and an offset, of c outputs.
func machine(k kernel.Kernel, s data.Scaling, isSparse bool, classes []string, pairs bool) *model.Model {
	m := &model.Model{
		Method: "by hand", Task: data.Classification, Classes: classes, Pairs: pairs, Columns: 3, Features: []string{"a", "b", "c"},
		Scaling: s, Sparse: isSparse,
	}
	if !isSparse {
		m.Fill = []float64{0.9, 0.8, 0.7}
	}
	if classes == nil {
		m.Task = data.Regression
	}
	c := m.Outputs()
	form := func(x *mat.Dense) data.Rows {
		rows := s.Apply(data.Rows{Dense: x})
		if isSparse {
			return data.Rows{Sparse: data.CSRFromDense(rows.Dense)}
		}
		return rows
	}
	x := cloud(7, 3, 5)
	x.Set(3, 1, 0)
	shared := form(x)
	other := cloud(4, 3, 6)
	other.SetRow(2, x.RawRowView(1))
	m.Parts = []model.Part{{Offset: numbers(1, c, 7).RawRowView(0), Functions: []model.Function{
		model.Expansion{Kernel: k, Centres: shared, Coef: numbers(7, c, 8)},
		model.Expansion{Kernel: k, Centres: shared, Rows: []int{5, 0}, Coef: numbers(2, c, 9)},
		model.Expansion{Kernel: k, Centres: form(other), Coef: numbers(4, c, 10)},
		model.Linear{Weights: numbers(3, c, 11)},
	}}}
	return m
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*(1+math.Abs(want))) {
		t.Errorf("%s: %.15g, want %.15g", what, got, want)
	}
}

func explained(t *testing.T, m *model.Model, o explain.Options, row data.Rows) *explain.Explanation {
	t.Helper()
	e, err := explain.New(t.Context(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.Row(t.Context(), row)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// number is the explained number of a row by prediction alone.
func number(t *testing.T, m *model.Model, x *explain.Explanation, row data.Rows) float64 {
	t.Helper()
	out, err := m.Predict(t.Context(), row)
	if err != nil {
		t.Fatal(err)
	}
	f := out.RawRowView(0)
	at := func(class string) int { return slices.Index(m.Classes, class) }
	switch o := x.Output; {
	case len(f) == 1 && (len(m.Classes) == 0 || o.For == m.Classes[1]):
		return f[0]
	case len(f) == 1:
		return -f[0]
	case !m.Pairs:
		return f[at(o.For)]
	default:
		var g float64
		m.Coding().EachPair(func(output, a, b int) {
			switch {
			case a == at(o.Against) && b == at(o.For):
				g = f[output]
			case b == at(o.Against) && a == at(o.For):
				g = -f[output]
			}
		})
		return g
	}
}

// TestAgreements: for every kernel, scaling, form of rows and coding, the shares, weights and offset add up to the output, effects
// are differences of predictions, and slopes are central differences.
func TestAgreements(t *testing.T) {
	codings := []struct {
		classes []string
		pairs   bool
		asked   string
	}{{nil, false, ""}, {[]string{"n", "y"}, false, "n"}, {[]string{"p", "q", "r"}, false, ""}, {[]string{"p", "q", "r"}, true, "q"}}
	for q, k := range kernels {
		for _, s := range scalings {
			for _, isSparse := range []bool{false, true} {
				if isSparse && s.Shift != nil {
					continue
				}
				c := codings[q%len(codings)]
				t.Run(fmt.Sprintf("%T %s sparse=%v", k, s.Kind, isSparse), func(t *testing.T) {
					m := machine(k, s, isSparse, c.classes, c.pairs)
					row := data.Rows{Dense: mat.NewDense(1, 3, []float64{0.7, 1.1, 0.4})}
					agree(t, m, explain.Options{Class: c.asked, Top: 100}, row)
				})
			}
		}
	}
}

func agree(t *testing.T, m *model.Model, o explain.Options, row data.Rows) {
	t.Helper()
	formed := func(d *mat.Dense) data.Rows {
		if m.Sparse {
			return data.Rows{Sparse: data.CSRFromDense(d)}
		}
		return data.Rows{Dense: d}
	}
	x := explained(t, m, o, formed(row.Dense))
	g := number(t, m, x, formed(row.Dense))
	near(t, "value", x.Output.Value, g, 1e-12)
	in := x.Influence
	near(t, "sum of parts", in.Positive+in.Negative+in.Weights+in.Offset, g, 1e-10)
	var sum float64
	for _, s := range in.Rows {
		sum += s.Share
	}
	near(t, "sum of shares", sum, in.Positive+in.Negative, 1e-10)
	if in.Of != 10 || len(in.Rows) > 10 { // 7 and 4 with one in common
		t.Errorf("%d rows of %d", len(in.Rows), in.Of)
	}
	if x.Features.WithoutSlope != "" {
		t.Error(x.Features.WithoutSlope)
	}
	for _, f := range x.Features.List {
		j := slices.Index(m.Features, f.Name)
		moved := func(v float64) float64 {
			d := mat.DenseCopyOf(row.Dense)
			d.Set(0, j, v)
			return number(t, m, x, formed(d))
		}
		at := 0.0
		if !m.Sparse {
			at = m.Fill[j]
		}
		near(t, "effect of "+f.Name, *f.Effect, g-moved(at), 1e-10)
		const h = 1e-5
		v := row.Dense.At(0, j)
		near(t, "slope of "+f.Name, *f.Slope, (moved(v+h)-moved(v-h))/(2*h), 1e-7)
	}
}

// TestLinear: contributions of a linear model add up to the output less the output at the means.
func TestLinear(t *testing.T) {
	x := cloud(20, 3, 3)
	rows := data.Rows{Dense: x}
	s, _, err := data.FitScaling(data.ScaleStandard, rows)
	if err != nil {
		t.Fatal(err)
	}
	m := &model.Model{
		Method: "by hand", Task: data.Regression, Columns: 3, Features: []string{"a", "b", "c"}, Scaling: s,
		Parts: []model.Part{{Functions: []model.Function{model.Linear{Weights: mat.NewDense(3, 1, []float64{2, 0, -3})}},
			Offset: []float64{5}}},
	}
	row := rows.Select([]int{4})
	for _, training := range []*data.Set{nil, {Rows: rows}} {
		got := explained(t, m, explain.Options{Reference: explain.Mean, Training: training}, row)
		var sum float64
		for _, f := range got.Features.List {
			sum += *f.Contribution
			near(t, "effect", *f.Effect, *f.Contribution, 1e-12)
			if f.Name == "b" && (*f.Effect != 0 || *f.Contribution != 0 || *f.Slope != 0) {
				t.Errorf("a column that the model ignores: %+v", f)
			}
		}
		near(t, "at the means", *got.Features.AtReference, 5, 1e-12)
		near(t, "sum of contributions", sum, got.Output.Value-5, 1e-12)
		if got.Influence.Of != 0 || (got.WithoutNearest == "") != (training != nil) {
			t.Errorf("%+v, %q", got.Influence, got.WithoutNearest)
		}
	}
	m.Scaling, m.Fill = data.Scaling{}, nil
	if got := explained(t, m, explain.Options{}, row); !strings.Contains(got.Features.Without, "--training") {
		t.Errorf("effects without a reference: %q", got.Features.Without)
	}
}

// TestMean: the shares of a weighted mean add up to it, and its slope is the central difference; a row that is known has the share
// of itself alone and no slope.
func TestMean(t *testing.T) {
	x := cloud(9, 3, 4)
	for _, known := range []bool{false, true} {
		m := &model.Model{
			Method: "by hand", Task: data.Classification, Classes: []string{"n", "y"}, Columns: 3, Features: []string{"a", "b", "c"},
			Fill: []float64{1, 1, 1},
			Parts: model.WeightedMean(kernel.Expansion{Kernel: kernel.Gaussian{Sigma: 0.8}, Centres: data.Rows{Dense: x},
				Coef: numbers(9, 1, 5)},
				known, nil),
		}
		row := mat.NewDense(1, 3, []float64{0.5, 0.6, 0.7})
		got := explained(t, m, explain.Options{Top: 9}, data.Rows{Dense: row})
		near(t, "sum of shares", got.Influence.Positive+got.Influence.Negative, got.Output.Value, 1e-12)
		for _, f := range got.Features.List {
			j := slices.Index(m.Features, f.Name)
			moved := func(h float64) float64 {
				d := mat.DenseCopyOf(row)
				d.Set(0, j, d.At(0, j)+h)
				return number(t, m, got, data.Rows{Dense: d})
			}
			near(t, "slope", *f.Slope, (moved(1e-5)-moved(-1e-5))/2e-5, 1e-7)
		}
		own := explained(t, m, explain.Options{}, data.Rows{Dense: x}.Select([]int{3}))
		if known && (len(own.Influence.Rows) != 1 || own.Influence.Rows[0].Kept != 3 || own.Features.WithoutSlope == "") {
			t.Errorf("a known row: %+v", own)
		}
	}
}

// TestSlopeOfSparseMean: of sparse rows the slope of a weighted mean is that of the same rows in dense form.
func TestSlopeOfSparseMean(t *testing.T) {
	x, row := cloud(9, 3, 4), mat.NewDense(1, 3, []float64{0.5, 0, 0.7})
	of := func(rows, one data.Rows) map[string]explain.Feature {
		m := &model.Model{Method: "by hand", Task: data.Regression, Columns: 3, Sparse: rows.IsSparse(),
			Parts: model.WeightedMean(kernel.Expansion{Kernel: kernel.Gaussian{Sigma: 0.8}, Centres: rows, Coef: numbers(9, 1, 5)}, false, nil)}
		return told(explained(t, m, explain.Options{Training: &data.Set{Rows: rows}}, one))
	}
	thin := of(data.Rows{Sparse: data.CSRFromDense(x)}, data.Rows{Sparse: data.CSRFromDense(row)})
	for name, f := range of(data.Rows{Dense: x}, data.Rows{Dense: row}) {
		if s, there := thin[name]; there && name != "2" {
			near(t, "slope of "+name, *s.Slope, *f.Slope, 1e-9)
		}
	}
	if len(thin) == 0 {
		t.Error("no column of the sparse row is explained")
	}
}

// TestTraining: a kept row is found among the training rows with its label and how many are equal to it, and the nearest row of a
// training row is itself.
func TestTraining(t *testing.T) {
	m := machine(kernel.Gaussian{Sigma: 1}, scalings[1], false, []string{"n", "y"}, false)
	kept := m.Scaling.Undo(m.Parts[0].Functions[0].(model.Expansion).Centres)
	rows, err := data.Rows{Dense: cloud(5, 3, 77)}.Append(kept)
	if err != nil {
		t.Fatal(err)
	}
	rows, err = rows.Append(kept)
	if err != nil {
		t.Fatal(err)
	}
	// The kept rows are the scaled training rows, to the bit, as after a fit.
	f := m.Parts[0].Functions
	again := f[0].(model.Expansion)
	again.Centres = m.Scaling.Apply(rows).Select([]int{5, 6, 7, 8, 9, 10, 11})
	f[0] = again
	m.Parts[0].Functions = f[:1]
	answers := make(data.Answers, rows.Len())
	answers[5+7+2] = "y"
	x := explained(t, m, explain.Options{Top: 100, Training: &data.Set{Rows: rows, Answers: answers}}, rows.Select([]int{7}))
	found := false
	for _, r := range x.Influence.Rows {
		if r.Row == nil || *r.Row != r.Kept+5 || r.Alike != 2 {
			t.Fatalf("kept row %+v is not found", r)
		}
		if *r.Row == 7 {
			found = r.Label == "y"
		}
	}
	if !found || *x.Nearest[0].Row != 7 || x.Nearest[0].Distance > 1e-6 || *x.Nearest[1].Row != 14 || x.Nearest[1].Label != "y" {
		t.Errorf("nearest %+v of %+v", x.Nearest, x.Influence.Rows)
	}
}

// TestRemembered: a model remembers the median of numbers and of words in an order, and by its profile the most frequent word.
func TestRemembered(t *testing.T) {
	fill, grade := 2.0, 1./3
	table := data.NewTable([]data.Column{
		{Name: "size", Kind: data.KindNumber, Fill: &fill}, {Name: "colour", Kind: data.KindCategory, Levels: []string{"blue", "red"}},
		{Name: "grade", Kind: data.KindOrdered, Levels: []string{"a", "b", "c", "d"}, Fill: &grade}, {Name: "y", Kind: data.KindLabel},
	})
	rows := data.Rows{Dense: mat.NewDense(3, 4, []float64{1, 0, 1, 1. / 3, 5, 1, 0, 1. / 3, 2, 0, 1, 1})}
	names, _ := table.Features()
	m := &model.Model{
		Method: "by hand", Task: data.Regression, Columns: 4, Features: names, Table: table,
		Parts: []model.Part{{Functions: []model.Function{model.Linear{Weights: mat.NewDense(4, 1, []float64{1, 10, 20, 30})}}}},
	}
	if err := m.Remember(t.Context(), rows, nil); err != nil {
		t.Fatal(err)
	}
	row := data.Rows{Dense: mat.NewDense(1, 4, []float64{7, 1, 0, 2. / 3})}
	for _, training := range []*data.Set{nil, {Rows: rows}} {
		x := explained(t, m, explain.Options{Training: training}, row)
		want := map[string]explain.Feature{
			"size": {Value: 7.0, Reference: 2.0}, "colour": {Value: "blue", Reference: "red"}, "grade": {Value: "c", Reference: "b"},
		}
		effects := map[string]float64{"size": 5, "colour": -10, "grade": 10}
		for _, f := range x.Features.List {
			if w := want[f.Name]; f.Value != w.Value || f.Reference != w.Reference || (f.Slope != nil) != (f.Name == "size") {
				t.Errorf("%+v, want %v at %v", f, w.Value, w.Reference)
			}
			near(t, "effect of "+f.Name, *f.Effect, effects[f.Name], 1e-12)
		}
		if len(x.Features.List) != 3 {
			t.Errorf("%d columns", len(x.Features.List))
		}
	}
}

// TestKeptRowsThatDoNotFit: rows that a model keeps sparse are no reference where memory has no room for their zeros.
func TestKeptRowsThatDoNotFit(t *testing.T) {
	const n, d = 1 << 20, 1 << 19
	m := &model.Model{
		Method: "by hand", Task: data.Regression, Columns: d, Scaling: data.Scaling{Kind: data.ScaleNone},
		Parts: []model.Part{{Functions: []model.Function{model.Expansion{
			Kernel: kernel.Linear{}, Centres: data.Rows{Sparse: &data.CSR{R: n, C: d, Start: make([]int, n+1)}},
			Coef: mat.NewDense(n, 1, nil),
		}}}},
	}
	if _, err := explain.New(t.Context(), m, explain.Options{}); err != nil {
		t.Error(err)
	}
}

// TestViews: of a row that lacks a view the other one is explained, and the outputs of views have the explained number as mean.
func TestViews(t *testing.T) {
	part := func(view string, columns []int, seed uint64) model.Part {
		return model.Part{View: view, Columns: columns, Functions: []model.Function{
			model.Expansion{Kernel: kernel.Gaussian{Sigma: 1}, Centres: data.Rows{Dense: cloud(5, len(columns), seed)},
				Coef: numbers(5, 1, seed)},
		}}
	}
	m := &model.Model{
		Method: "by hand", Task: data.Regression, Columns: 4, Features: []string{"a", "b", "c", "d"},
		Parts: []model.Part{part("one", []int{0, 2}, 3), part("two", []int{1, 3}, 4)},
	}
	nan := math.NaN()
	for _, c := range []struct {
		row     []float64
		columns int
	}{{[]float64{1, 0.5, 0.2, 0.3}, 4}, {[]float64{1, nan, 0.2, nan}, 2}} {
		row := data.Rows{Dense: mat.NewDense(1, 4, c.row)}
		x := explained(t, m, explain.Options{Top: 10}, row)
		g := number(t, m, x, row)
		in := x.Influence
		near(t, "sum of shares", in.Positive+in.Negative, g, 1e-12)
		var mean float64
		for _, v := range x.Views {
			mean += v / float64(len(x.Views))
		}
		near(t, "mean of views", mean, g, 1e-12)
		if len(x.Features.List) != c.columns || len(x.Views) != c.columns/2 || in.Of != 5*len(x.Views) || x.WithoutNearest == "" {
			t.Errorf("%+v", x)
		}
		for _, f := range x.Features.List {
			j := slices.Index(m.Features, f.Name)
			moved := func(h float64) float64 {
				d := mat.DenseCopyOf(row.Dense)
				d.Set(0, j, d.At(0, j)+h)
				return number(t, m, x, data.Rows{Dense: d})
			}
			near(t, "slope", *f.Slope, (moved(1e-5)-moved(-1e-5))/2e-5, 1e-7)
		}
	}
}

// TestWrongOptions are refused with what there is to choose.
func TestWrongOptions(t *testing.T) {
	classes := machine(kernel.Linear{}, data.Scaling{}, false, []string{"n", "y"}, false)
	number := machine(kernel.Linear{}, data.Scaling{}, false, nil, false)
	for _, c := range []struct {
		m    *model.Model
		o    explain.Options
		want string
	}{
		{classes, explain.Options{Class: "z"}, "its classes are n, y"}, {number, explain.Options{Class: "n"}, "has no classes"},
		{classes, explain.Options{Top: -1}, "ask for one"}, {classes, explain.Options{Reference: "mode"}, "median or mean"},
	} {
		if _, err := explain.New(t.Context(), c.m, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
}
