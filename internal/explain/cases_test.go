package explain_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/explain"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
)

// linear is a regression of dense rows by weights.
func linear(weights ...float64) *model.Model {
	return &model.Model{
		Method: "by hand", Task: data.Regression, Columns: len(weights), Scaling: data.Scaling{Kind: data.ScaleNone},
		Parts: []model.Part{{Functions: []model.Function{model.Linear{Weights: mat.NewDense(len(weights), 1, weights)}}}},
	}
}

// mixed is a model of columns of every kind: ten features.
func mixed() *model.Model {
	m := linear(1, 10, 20, 30, 40, 50, 60, 0.5, 2, 3)
	m.Table = data.NewTable([]data.Column{
		{Name: "size", Kind: data.KindNumber},
		{Name: "colour", Kind: data.KindCategory, Levels: []string{"blue", "red"}, Other: true},
		{Name: "grade", Kind: data.KindOrdered, Levels: []string{"a", "b", "c", "d"}},
		{Name: "ok", Kind: data.KindYesNo, Levels: []string{"no", "yes"}, Missing: true},
		{Name: "y", Kind: data.KindLabel},
		{Name: "when", Kind: data.KindDate, Parts: []string{"month"}},
	})
	m.Features, _ = m.Table.Features()
	return m
}

// told are the columns of an explanation by name.
func told(x *explain.Explanation) map[string]explain.Feature {
	all := map[string]explain.Feature{}
	for _, f := range x.Features.List {
		all[f.Name] = f
	}
	return all
}

// TestReferencesOfTraining: of numbers the median or mean of those that are there, of words the commonest, the first of equal ones, of
// grades and dates the lower median with all that belongs to it; and what a cell says in words.
func TestReferencesOfTraining(t *testing.T) {
	nan := math.NaN()
	rows := data.Rows{Dense: mat.NewDense(5, 10, []float64{
		1, 1, 0, 0, 1, 1, 0, 50, 0.5, 0.1,
		nan, 0, 1, 0, 1. / 3, 0, 0, 30, 0.3, 0.2,
		5, 1, 0, 0, 0, 1, 0, 10, 0.1, 0.3,
		2, 0, 1, 0, nan, 0.5, 1, 40, 0.4, 0.4,
		10, 0, 0, 1, 2. / 3, 0, 0, 20, 0.2, 0.5,
	})}
	row := func(colour [3]float64, grade float64) data.Rows {
		return data.Rows{Dense: mat.NewDense(1, 10, []float64{7, colour[0], colour[1], colour[2], grade, 1, 0, 20, 0.2, 0.5})}
	}
	type want struct {
		value, reference any
		effect           float64
	}
	for _, c := range []struct {
		row  data.Rows
		kind string
		want map[string]want
	}{
		{row([3]float64{0, 0, 1}, 2./3), explain.Median, map[string]want{
			"size": {7.0, 3.5, 3.5}, "colour": {"another word", "blue", 20}, "grade": {"c", "b", 40. / 3}, "ok": {"yes", 0.5, 25},
			"when": {20.0, 30.0, -5 - 0.2 + 0.9},
		}},
		{row([3]float64{0, 0, 0}, 0.5), explain.Mean, map[string]want{
			"size": {7.0, 4.5, 2.5}, "colour": {"missing", "blue", -10}, "grade": {0.5, "b", 20. / 3},
		}},
		{row([3]float64{0, 1, 0}, 2), "", map[string]want{"colour": {"red", "blue", 10}, "grade": {2.0, "b", 200. / 3}}},
		{row([3]float64{1, 0, 0}, -1./3), "", map[string]want{"colour": {"blue", "blue", 0}, "grade": {-1. / 3, "b", -80. / 3}}},
		{row([3]float64{1, 0, 0}, 1), "", map[string]want{"grade": {"d", "b", 80. / 3}}},
		{row([3]float64{1, 0, 0}, 0), "", map[string]want{"grade": {"a", "b", -40. / 3}}},
	} {
		m := mixed()
		m.Parts = append(m.Parts, m.Parts[0]) // only rows of several parts may lack cells
		x := explained(t, m, explain.Options{Reference: c.kind, Training: &data.Set{Rows: rows}}, c.row)
		if want := cmp.Or(c.kind, explain.Median) + " of the rows of --training"; x.Features.Reference != want {
			t.Errorf("%q, want %q", x.Features.Reference, want)
		}
		all := told(x)
		for name, w := range c.want {
			f := all[name]
			if f.Value != w.value || f.Reference != w.reference {
				t.Errorf("%s: %v at %v, want %v at %v", name, f.Value, f.Reference, w.value, w.reference)
			}
			near(t, "effect of "+name, *f.Effect, w.effect, 1e-12)
		}
		smaller := func(a, b explain.Feature) int { return cmp.Compare(math.Abs(*b.Effect), math.Abs(*a.Effect)) }
		if !slices.IsSortedFunc(x.Features.List, smaller) {
			t.Error("columns are not in the order of their effects")
		}
		for _, f := range x.Features.List {
			if (f.Slope != nil) != (f.Name == "size") {
				t.Errorf("slope of %s: %v", f.Name, f.Slope)
			}
		}
	}
}

// TestReferencesThatModelsRemember: by column, and the name of the first column of which a model remembers nothing.
func TestReferencesThatModelsRemember(t *testing.T) {
	nan := math.NaN()
	row := data.Rows{Dense: mat.NewDense(1, 10, []float64{7, 1, 0, 0, 1, 1, 0, 20, 0.2, 0.5})}
	profile := func(colours ...[]float64) *mat.Dense { // rows of the fit
		rows := mat.NewDense(12, 10, nil)
		for i := range 12 {
			for j := range 10 {
				rows.Set(i, j, float64(1+i%2))
			}
			for q, v := range colours {
				rows.Set(i, 1+q, v[i%len(v)])
			}
		}
		return rows
	}
	for name, c := range map[string]struct {
		profile      *mat.Dense
		size, grade  float64 // fills; NaN: none
		dates        bool    // that have no parts
		kind         string
		lacks        string
		colour       any
		gradeInWords string
	}{
		"all":                 {profile([]float64{0, 0, 1}, []float64{0, 1, 1}), 3, 0.5, true, "", "", "red", "b"},
		"equally common":      {profile([]float64{0, 1}, []float64{0, 1}), 3, 2. / 3, true, "", "", "blue", "c"},
		"always":              {profile([]float64{0, 0}, []float64{1, 1}), 3, 1. / 3, true, "", "", "red", "b"},
		"never there":         {profile([]float64{nan, nan}, []float64{0, 0, 0, 1}), 3, 1, true, "", "", "red", "d"},
		"never at all":        {profile([]float64{nan, nan}, []float64{0, 0}), 3, 0, true, "", "", "blue", "a"},
		"no profile":          {nil, 3, 0.5, true, "", "colour", nil, ""},
		"profile of no words": {new(mat.Dense), 3, 0.5, true, "", "colour", nil, ""},
		"no median":           {profile(), nan, 0.5, true, "", "size", nil, ""},
		"no grade":            {profile(), 3, nan, true, "", "grade", nil, ""},
		"date with parts":     {profile(), 3, 0.5, false, "", "when", nil, ""},
		"no mean":             {profile(), 3, 0.5, true, explain.Mean, "size", nil, ""},
	} {
		m := mixed()
		columns, one, when := m.Table.Columns, 1.0, 30.0
		if c.size == c.size {
			columns[0].Fill = &c.size
		}
		if c.grade == c.grade {
			columns[2].Fill = &c.grade
		}
		columns[3].Fill, columns[5].Fill = &one, &when
		columns[3].Missing = false
		at := row
		m.Columns = 9
		if c.dates {
			columns[5].Parts, m.Columns = nil, 7
		}
		m.Features, _ = m.Table.Features()
		m.Parts = linear(make([]float64, m.Columns)...).Parts
		if c.profile != nil {
			var rows data.Rows
			if !c.profile.IsEmpty() {
				rows.Dense = c.profile.Slice(0, 12, 0, m.Columns).(*mat.Dense)
			}
			if err := m.Remember(t.Context(), rows, nil); err != nil {
				t.Fatal(err)
			}
		}
		at.Dense = mat.DenseCopyOf(row.Dense.Slice(0, 1, 0, m.Columns))
		x := explained(t, m, explain.Options{Reference: c.kind}, at)
		want := ""
		if c.lacks != "" {
			want = "this model does not remember " +
				"what column " + c.lacks + " could be compared with; give the rows of the fit with --training"
		}
		if x.Features.Without != want {
			t.Errorf("%s: %q, want %q", name, x.Features.Without, want)
		}
		all := told(x)
		if all["colour"].Reference != c.colour || want == "" && (all["grade"].Reference != c.gradeInWords || all["size"].Reference != 3.0 ||
			all["ok"].Reference != "yes" || all["when"].Reference != 30.0) {
			t.Errorf("%s: %v", name, all)
		}
		if want != "" && all["size"].Effect != nil {
			t.Errorf("%s: an effect without a reference", name)
		}
	}
}

// TestReferencesOfKeptRows: where nothing else is known they are the medians of the rows that a model keeps, dense or sparse, each view's
// of its own columns; not where their scaling has lost their length.
func TestReferencesOfKeptRows(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{1, 0, 4, 8, 2, 5})
	kept := func(rows data.Rows, columns ...int) model.Part {
		return model.Part{Columns: columns, Functions: []model.Function{
			model.Expansion{Kernel: kernel.Linear{}, Centres: rows, Coef: mat.NewDense(3, 1, []float64{1, 2, 3})},
		}}
	}
	d := data.Rows{Dense: x}
	standard := data.Scaling{Kind: data.ScaleStandard, Shift: []float64{1, 2}, Scale: []float64{2, 4}}
	views := []model.Part{kept(d.SelectColumns([]int{0}), 0), kept(d.SelectColumns([]int{1}), 1)}
	views[0].View, views[1].View = "one", "two"
	for name, c := range map[string]struct {
		scaling data.Scaling
		parts   []model.Part
		want    []float64
	}{
		"dense":    {data.Scaling{Kind: data.ScaleNone}, []model.Part{kept(d)}, []float64{2, 5}},
		"sparse":   {data.Scaling{Kind: data.ScaleNone}, []model.Part{kept(data.Rows{Sparse: data.CSRFromDense(x)})}, []float64{2, 5}},
		"standard": {standard, []model.Part{kept(d)}, []float64{5, 22}},
		"views":    {data.Scaling{Kind: data.ScaleNone}, views, []float64{2, 5}},
		"unit":     {data.Scaling{Kind: data.ScaleUnit}, []model.Part{kept(d)}, nil},
		"tf-idf":   {data.Scaling{Kind: data.ScaleTFIDF, Scale: []float64{1, 1}}, []model.Part{kept(d)}, nil},
	} {
		m := linear(1, 1)
		m.Scaling, m.Parts = c.scaling, c.parts
		got := explained(t, m, explain.Options{}, data.Rows{Dense: mat.NewDense(1, 2, []float64{7, 9})})
		all := told(got)
		if c.want == nil {
			if !strings.Contains(got.Features.Without, "column 1 could") {
				t.Errorf("%s: %+v", name, got.Features)
			}
			continue
		}
		from := "median of the rows that the model keeps"
		if all["1"].Reference != c.want[0] || all["2"].Reference != c.want[1] || got.Features.Reference != from {
			t.Errorf("%s: %+v", name, got.Features)
		}
	}
}

// TestWordsOfKeptRows: of the rows that a model keeps the most frequent word is found, though what undoes their scaling rounds.
func TestWordsOfKeptRows(t *testing.T) {
	words := []int{1, 2, 2, 0, 2, 1, 0, 0}
	x := mat.NewDense(len(words), 4, nil)
	for i, w := range words {
		x.Set(i, w, 1)
		x.Set(i, 3, float64(i)) // rows that are equal are kept once
	}
	x.Set(3, 0, 0) // a row without a word
	s := data.Scaling{Kind: data.ScaleStandard, Shift: []float64{0.1, 0.08, 0.11, 0}, Scale: []float64{0.39, 0.29, 0.4, 1}}
	scaled := s.Apply(data.Rows{Dense: x})
	if mat.Equal(s.Undo(scaled).Dense, x) {
		t.Fatal("nothing is rounded")
	}
	m := linear(10, 20, 30, 1)
	m.Table = data.NewTable([]data.Column{{Name: "town", Kind: data.KindCategory, Levels: []string{"Bonn", "Kiel", "Ulm"}}, {Name: "size"}})
	m.Features, _ = m.Table.Features()
	m.Scaling = s
	coef := mat.NewDense(len(words), 1, nil)
	coef.Set(0, 0, 1)
	m.Parts = []model.Part{{Functions: []model.Function{model.Expansion{Kernel: kernel.Linear{}, Centres: scaled, Coef: coef}}}}
	got := explained(t, m, explain.Options{}, data.Rows{Dense: mat.NewDense(1, 4, []float64{1, 0, 0, 5})})
	if c := told(got)["town"]; c.Reference != "Ulm" || c.Value != "Bonn" {
		t.Errorf("%+v", got.Features)
	}
}

// TestWordsAmongNumbers: a cell of a column of numbers that is one of its words is that word; columns without names have numbers from 1.
func TestWordsAmongNumbers(t *testing.T) {
	m := linear(1, 10, 20)
	m.Table = data.NewTable([]data.Column{{Name: "size", Kind: data.KindNumber, Levels: []string{"many", "none"}}})
	m.Features, _ = m.Table.Features()
	for want, row := range map[any][]float64{"many": {5, 1, 0}, "none": {5, 0, 1}, 5.0: {5, 0, 0}} {
		rows := data.Rows{Dense: mat.NewDense(1, 3, row)}
		x := explained(t, m, explain.Options{Training: &data.Set{Rows: rows}}, rows)
		if got := told(x)["size"].Value; got != want {
			t.Errorf("%v is %v, expected %v", row, got, want)
		}
	}
	plain := linear(1, 2)
	x := mat.NewDense(2, 2, []float64{3, 0, 0.1234567, -7})
	for _, rows := range []data.Rows{{Dense: x}, {Sparse: data.CSRFromDense(x)}} {
		want := [][2]string{{"1", "0.1235"}, {"2", "-7"}}
		if rows.IsSparse() { // the largest first
			slices.Reverse(want)
		}
		if got, more := explain.Cells(plain, rows, 1); !slices.Equal(got, want) || more != 0 {
			t.Errorf("sparse %v: %v and %d more", rows.IsSparse(), got, more)
		}
	}
	for d, want := range map[int][2]int{12: {12, 0}, 13: {12, 1}} {
		got, more := explain.Cells(linear(make([]float64, d)...), data.Rows{Dense: mat.NewDense(1, d, nil)}, 0)
		if len(got) != want[0] || more != want[1] {
			t.Errorf("of %d columns %d are shown, and %d more", d, len(got), more)
		}
	}
	// Whole numbers that scaling has moved a little are whole again, others are as they are.
	m.Table = data.NewTable([]data.Column{{Name: "grade", Kind: data.KindYesNo, Levels: []string{"no", "yes"}}, {Name: "b"}, {Name: "c"}})
	rows := data.Rows{Dense: mat.NewDense(1, 3, []float64{1 - 1e-10, 1 - 1e-7, 0})}
	if got, _ := explain.Cells(m, rows, 0); got[0] != [2]string{"grade", "yes"} {
		t.Errorf("%v", got)
	}
}

// TestManyColumns: effects of more columns than are predicted at a time, of as many, and of none.
func TestManyColumns(t *testing.T) {
	for _, n := range []int{1, 254, 255, 256, 257, 600} {
		weights := make([]float64, n)
		for j := range weights {
			weights[j] = float64(1 + j%7)
		}
		m := linear(weights...)
		m.Fill = make([]float64, n)
		row := mat.NewDense(1, n, nil)
		for j := range n {
			row.Set(0, j, float64(1+j%3))
		}
		for _, f := range explained(t, m, explain.Options{}, data.Rows{Dense: row}).Features.List {
			var j int
			if _, err := fmt.Sscan(f.Name, &j); err != nil {
				t.Fatal(err)
			}
			near(t, "effect of "+f.Name, *f.Effect, weights[j-1]*row.At(0, j-1), 1e-9)
		}
		same := explained(t, m, explain.Options{}, data.Rows{Dense: mat.NewDense(1, n, nil)})
		if *same.Features.AtReference != 0 || *same.Features.List[0].Effect != 0 {
			t.Errorf("a row of %d columns at its reference: %+v", n, same.Features.List[0])
		}
	}
}

// TestNearest: the nearest kept rows by measuring the distance to each, with the model's answers for them; five where nothing else is
// asked for.
func TestNearest(t *testing.T) {
	m := machine(kernel.Gaussian{Sigma: 1}, scalings[1], false, []string{"p", "q", "r"}, false)
	kept := m.Parts[0].Functions[0].(model.Expansion).Centres
	row := data.Rows{Dense: mat.NewDense(1, 3, []float64{0.7, 1.1, 0.4})}
	at := m.Scaling.Apply(row).Dense.RawRowView(0)
	distance := make([]float64, kept.Len())
	order := make([]int, kept.Len())
	for i := range distance {
		order[i] = i
		for j, v := range kept.Dense.RawRowView(i) {
			distance[i] = math.Hypot(distance[i], v-at[j])
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(distance[a], distance[b]) })
	out, err := m.Predict(t.Context(), m.Scaling.Undo(kept))
	if err != nil {
		t.Fatal(err)
	}
	answers := explain.Named(m, out)
	for top, want := range map[int][2]int{0: {5, 5}, 1: {1, 1}, 6: {6, 6}, 100: {7, 10}} {
		x := explained(t, m, explain.Options{Top: top}, row)
		if len(x.Nearest) != want[0] || len(x.Influence.Rows) != want[1] {
			t.Fatalf("%d are asked for: %d nearest, %d shares", top, len(x.Nearest), len(x.Influence.Rows))
		}
		for q, n := range x.Nearest {
			if n.Row != nil || *n.Kept != order[q] || n.Prediction != answers[order[q]] || n.More != 0 || len(n.Cells) != 3 {
				t.Errorf("neighbour %d: %+v, want row %d, %s", q, n, order[q], answers[order[q]])
			}
			near(t, "distance", n.Distance, distance[order[q]], 1e-7)
		}
	}
}

// TestWithoutSlope: where there is no derivative the reason is told.
func TestWithoutSlope(t *testing.T) {
	row := data.Rows{Dense: mat.NewDense(1, 3, []float64{0.7, 1.1, 0.4})}
	kept := machine(kernel.Linear{}, scalings[0], false, nil, false).Parts[0].Functions[0].(model.Expansion).Centres.Select([]int{2})
	zero := data.Rows{Dense: mat.NewDense(1, 3, nil)}
	for _, c := range []struct {
		kernel kernel.Kernel
		row    data.Rows
		want   string
	}{
		{kernel.Laplacian{Sigma: 1}, kept, "the row is equal to one that the model keeps, where the laplacian kernel has a kink"},
		{kernel.ExpChi2{Sigma: 1}, row, "the kernel expchi2 has no slope here"},
		{kernel.Normalised{Base: kernel.Linear{}}, zero, "the row has no length in the kernel's space"},
		{kernel.Sum{Terms: []kernel.Kernel{kernel.Linear{}, kernel.ExpChi2{Sigma: 1}}}, row, "the kernel expchi2 has no slope here"},
		{kernel.Scaled{Weight: 2, Base: kernel.ExpChi2{Sigma: 1}}, row, "the kernel expchi2 has no slope here"},
		{kernel.Product{Terms: []kernel.Kernel{kernel.Linear{}, kernel.ExpChi2{Sigma: 1}}}, row, "the kernel expchi2 has no slope here"},
		{kernel.Columns{Base: kernel.ExpChi2{Sigma: 1}, Columns: []int{0}}, row, "the kernel expchi2 has no slope here"},
		{kernel.Normalised{Base: kernel.ExpChi2{Sigma: 1}}, row, "the kernel expchi2 has no slope here"},
	} {
		x := explained(t, machine(c.kernel, scalings[0], false, nil, false), explain.Options{}, c.row)
		if x.Features.WithoutSlope != c.want || x.Features.List[0].Slope != nil || x.Features.List[0].Effect == nil {
			t.Errorf("%T: %q, want %q", c.kernel, x.Features.WithoutSlope, c.want)
		}
	}
	for d, want := range map[int]string{1 << 20: "", 1<<20 + 1: "the rows have too many columns"} {
		m := linear(make([]float64, d)...)
		m.Sparse = true
		one := &data.CSR{R: 1, C: d, Start: []int{0, 1}, Index: []int32{5}, Value: []float64{2}}
		if x := explained(t, m, explain.Options{}, data.Rows{Sparse: one}); x.Features.WithoutSlope != want {
			t.Errorf("%d columns: %q", d, x.Features.WithoutSlope)
		}
	}
}

// TestSparseViews: of sparse rows a view is there if they store something in its columns, and all are if they store nothing at all.
func TestSparseViews(t *testing.T) {
	part := func(view string, columns []int, seed uint64) model.Part {
		return model.Part{View: view, Columns: columns, Offset: []float64{float64(seed)}, Functions: []model.Function{
			model.Expansion{
				Kernel: kernel.Gaussian{Sigma: 1}, Centres: data.Rows{Sparse: data.CSRFromDense(cloud(5, 2, seed))},
				Coef: numbers(5, 1, seed),
			},
		}}
	}
	m := &model.Model{
		Method: "by hand", Task: data.Regression, Columns: 4, Sparse: true, Scaling: data.Scaling{Kind: data.ScaleNone},
		Parts: []model.Part{part("one", []int{0, 2}, 3), part("two", []int{1, 3}, 4)},
	}
	for _, c := range []struct {
		row   []float64
		views int
	}{{[]float64{1, 2, 0, 0}, 2}, {[]float64{1, 0, 3, 0}, 1}, {[]float64{0, 0, 0, 3}, 1}, {make([]float64, 4), 2}} {
		row := data.Rows{Sparse: data.CSRFromDense(mat.NewDense(1, 4, c.row))}
		x := explained(t, m, explain.Options{Top: 20}, row)
		g := number(t, m, x, row)
		in := x.Influence
		near(t, "sum of parts", in.Positive+in.Negative+in.Offset, g, 1e-12)
		if in.Of != 5*c.views || len(in.Rows) != 5*c.views {
			t.Errorf("%v: %d rows of %d", c.row, len(in.Rows), in.Of)
		}
	}
}

// TestClassesInWords: of many classes the first eight are named.
func TestClassesInWords(t *testing.T) {
	for n, want := range map[int]string{2: "c0, c1", 8: "c0, c1, c2, c3, c4, c5, c6, c7", 9: "c0, c1, c2, c3, c4, c5, c6, c7 and 1 more",
		11: "c0, c1, c2, c3, c4, c5, c6, c7 and 3 more"} {
		m := &model.Model{Task: data.Classification}
		for k := range n {
			m.Classes = append(m.Classes, fmt.Sprint("c", k))
		}
		_, err := explain.New(t.Context(), m, explain.Options{Class: "z"})
		if err == nil || err.Error() != `the model has no class "z"; its classes are `+want {
			t.Errorf("%d classes: %v", n, err)
		}
	}
}

// TestFailuresAreHandedOn: what cannot be computed of a model or a row is the error of the explanation.
func TestFailuresAreHandedOn(t *testing.T) {
	expansion := func(k kernel.Kernel, rows data.Rows) model.Function {
		return model.Expansion{Kernel: k, Centres: rows, Coef: mat.NewDense(rows.Len(), 1, nil)}
	}
	x := cloud(3, 2, 1)
	for name, list := range map[string][]model.Function{
		"a kernel without a width": {expansion(kernel.Gaussian{}, data.Rows{Dense: x})},
		"rows of a different breadth": {
			expansion(kernel.Linear{}, data.Rows{Dense: x}), expansion(kernel.Linear{}, data.Rows{Dense: cloud(3, 4, 2)}),
		},
	} {
		m := linear(1, 2)
		m.Parts[0].Functions = list
		if e, err := explain.New(t.Context(), m, explain.Options{}); err == nil || e != nil {
			t.Errorf("%s: %v, %v", name, e, err)
		}
	}
	far := math.MaxFloat64
	for name, c := range map[string]struct {
		columns int
		fill    float64 // of the first column
		row     float64
	}{
		"a row without a finite prediction": {2, 0, far}, "a reference without one": {2, far, 1}, "a reference of many columns": {300, far, 1},
	} {
		weights, row := make([]float64, c.columns), make([]float64, c.columns)
		for j := range weights {
			weights[j], row[j] = 10, 1
		}
		m := linear(weights...)
		m.Fill, row[0] = make([]float64, c.columns), c.row
		m.Fill[0] = c.fill
		e, err := explain.New(t.Context(), m, explain.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Row(t.Context(), data.Rows{Dense: mat.NewDense(1, c.columns, row)}); err == nil {
			t.Errorf("%s is explained", name)
		}
	}
}

// TestExplainersStopWhereTheyAsk: an explanation that is stopped at any place is an error and no half of one.
func TestExplainersStopWhereTheyAsk(t *testing.T) {
	row := data.Rows{Dense: mat.NewDense(1, 3, []float64{0.7, 1.1, 0.4})}
	rows := data.Rows{Dense: cloud(4, 3, 2)}
	mean := model.WeightedMean(kernel.Expansion{Kernel: kernel.Gaussian{Sigma: 1}, Centres: rows, Coef: numbers(4, 1, 3)}, false, nil)
	for _, k := range append(slices.Clone(kernels), nil) {
		m := machine(kernel.Linear{}, scalings[0], false, nil, false)
		if k == nil {
			m.Parts = mean
		} else {
			m = machine(k, scalings[0], false, []string{"p", "q"}, false)
		}
		training := &data.Set{Rows: rows}
		for _, all := range []bool{true, false} {
			stoptest.Each(t, all, func(ctx context.Context, place string) {
				e, err := explain.New(ctx, m, explain.Options{Training: training})
				if err == nil {
					_, err = e.Row(ctx, row)
				}
				if (place == "") != (err == nil) || err != nil && !errors.Is(err, context.Canceled) {
					t.Errorf("%T, stopped in %q: %v", k, place, err)
				}
			})
		}
	}
}

// TestTrainingThatIsNotScaled: rows of the fit that the scaling of the model refuses, as words counted below zero, explain nothing.
func TestTrainingThatIsNotScaled(t *testing.T) {
	counts := &data.Set{Source: "counts", Rows: data.Rows{Dense: mat.NewDense(2, 2, []float64{1, 0, 2, 3})}}
	m := linear(1, 2)
	var err error
	if m.Scaling, _, err = counts.FitScaling(data.ScaleTFIDF); err != nil {
		t.Fatal(err)
	}
	if _, err := explain.New(t.Context(), m, explain.Options{Training: counts}); err != nil {
		t.Error(err)
	}
	counts.Rows.Dense.Set(1, 0, -1)
	if _, err := explain.New(t.Context(), m, explain.Options{Training: counts}); err == nil ||
		!strings.Contains(err.Error(), "row 1, column 0 is -1") {
		t.Errorf("a count below zero: %v", err)
	}
}

// TestFigures: large numbers keep the digits before their point, by which they differ.
func TestFigures(t *testing.T) {
	for v, want := range map[float64]string{
		1.23456: "1.235", 1234.5: "1234", 9999.9: "10000", 1_700_000_123: "1700000123", -1_000_009.46: "-1000009", 1e15: "1e+15", 1e-7: "1e-07",
	} {
		if got := explain.Figures(v, 4); got != want {
			t.Errorf("%g is shown as %s, want %s", v, got, want)
		}
	}
}
