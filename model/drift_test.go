package model

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/drift"
	"github.com/mercer-ml/mercer/kernel"
)

// column are rows of one column.
func column(v ...float64) data.Rows { return data.Rows{Dense: mat.NewDense(len(v), 1, v)} }

// ofOne is the regression x of one column.
func ofOne() *Model {
	return &Model{
		Method: "by hand", Task: data.Regression, Columns: 1,
		Parts: []Part{{Functions: []Function{Linear{Weights: mat.NewDense(1, 1, []float64{1})}}}},
	}
}

// TestSpaced: at most so many rows, evenly spaced.
func TestSpaced(t *testing.T) {
	rows := column(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	for _, c := range []struct {
		most int
		want []float64
	}{
		{10, []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}, {11, []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{5, []float64{0, 2, 4, 6, 8}}, {3, []float64{0, 3, 6}}, {1, []float64{0}},
	} {
		if got := mat.Col(nil, 0, spaced(rows, c.most).Dense); !slices.Equal(got, c.want) {
			t.Errorf("%d: %v, want %v", c.most, got, c.want)
		}
	}
	if got := leads(mat.NewDense(3, 3, []float64{1, 5, 3, 4, 4, 1, -1, -3, -2})); !slices.Equal(got, []float64{2, 0, 1}) {
		t.Errorf("%v", got)
	}
	if got := leads(mat.NewDense(2, 1, []float64{-3, 2})); !slices.Equal(got, []float64{-3, 2}) {
		t.Errorf("%v", got)
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if number(v) != nil {
			t.Errorf("%g is a number", v)
		}
	}
	if *number(3) != 3 {
		t.Error("3 is no number")
	}
}

// TestProfileLimits: 2000 rows and 1000 columns are looked at, and what a profile lacks is told.
func TestProfileLimits(t *testing.T) {
	m := ofOne()
	for _, c := range []struct{ rows, columns, want int }{{2000, 1, 2000}, {2001, 1, 2000}, {3, 1000, 3}, {3, 1001, 0}} {
		m.Columns = c.columns
		err := m.Remember(t.Context(), data.Rows{Dense: mat.NewDense(c.rows, c.columns, nil)}, nil)
		if p := m.profile; err != nil || p.Score != nil || (len(p.Columns) > 0) != (c.want > 0) || c.want > 0 && p.Columns[0].Rows != c.want {
			t.Errorf("%d rows of %d columns: %d, %v", c.rows, c.columns, len(p.Columns), err)
		}
	}
	err := m.Remember(t.Context(), data.Rows{}, mat.NewDense(2, 1, []float64{1, 2}))
	if p := m.profile; err != nil || p.Columns != nil || p.Distance != nil || p.Score.Rows != 2 {
		t.Errorf("a profile of no rows: %+v, %v", p, err)
	}
	const (
		columns   = "columns, which are not remembered of sparse rows or of more than 1000"
		distances = "distances, because the model keeps no rows with one measure of distance"
		outputs   = "outputs, because none are known of rows that were not learned from"
	)
	s := drift.New([]float64{1, 2})
	for _, c := range []struct {
		p    drift.Profile
		want string
	}{
		{drift.Profile{}, columns + "; " + distances + "; " + outputs},
		{drift.Profile{Columns: []drift.Sketch{s}, Distance: &s, Score: &s}, ""},
		{drift.Profile{Columns: []drift.Sketch{s}, Score: &s}, distances}, {drift.Profile{Distance: &s}, columns + "; " + outputs},
	} {
		if got := unknown(&c.p); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestPairsOfProfiles: of many centres fewer rows are looked at, so that distances are 20 million at most.
func TestPairsOfProfiles(t *testing.T) {
	m := ofOne()
	many := make([]float64, 12_500)
	for i := range many {
		many[i] = float64(i)
	}
	one := kernel.Expansion{Kernel: kernel.Gaussian{Sigma: 1}, Centres: column(many...), Coef: mat.NewDense(len(many), 1, nil)}
	m.Parts = Single([]kernel.Expansion{one}, nil)
	if got, err := m.distances(t.Context(), column(many[:2000]...), true); err != nil || len(got) != 1600 || got[0] != 1 {
		t.Errorf("%d distances, %v", len(got), err)
	}
}

// TestWordsOfProfiles: the feature of all other words of a column is not compared, wherever it stands.
func TestWordsOfProfiles(t *testing.T) {
	table := data.NewTable([]data.Column{
		{Name: "n", Kind: data.KindNumber, Missing: true},
		{Name: "a", Kind: data.KindCategory, Levels: []string{"x", "y"}, Other: true, Missing: true},
		{Name: "b", Kind: data.KindCategory, Levels: []string{"x", "y"}},
		{Name: "c", Kind: data.KindCategory, Levels: []string{"z"}, Other: true},
	})
	names, _ := table.Features()
	var others []string
	for _, j := range othersOf(table) {
		others = append(others, names[j])
	}
	if !slices.Equal(others, []string{"a other", "c other"}) || othersOf(nil) != nil {
		t.Errorf("the features of other words are %q of %q", others, names)
	}
	if clauses("", "b") != "b" || clauses("a", "b") != "a; b" {
		t.Errorf("%q, %q", clauses("", "b"), clauses("a", "b"))
	}
}

// TestShareOfOnes: by what is remembered of a column.
func TestShareOfOnes(t *testing.T) {
	m := ofOne()
	if share, known := m.ShareOfOnes(0); known || share != 0 {
		t.Errorf("nothing is remembered: %g, %v", share, known)
	}
	nan := math.NaN()
	for want, v := range map[float64][]float64{0.25: {0, 0, 1, 0}, 0: {0, 0}, 1: {1, 1, 1}, 0.5: {1, nan, 0, nan}} {
		if err := m.Remember(t.Context(), column(v...), nil); err != nil {
			t.Fatal(err)
		}
		if share, known := m.ShareOfOnes(0); !known || math.Abs(share-want) > 1e-4 {
			t.Errorf("%v: %g, %v", v, share, known)
		}
	}
	if err := m.Remember(t.Context(), column(nan, nan), nil); err != nil {
		t.Fatal(err)
	}
	if share, known := m.ShareOfOnes(0); !known || share != 0 {
		t.Errorf("a column that is missing: %g, %v", share, known)
	}
}

// TestDriftOfDistances: a row that was learned from is as far as the nearest other one, another row as far as the nearest.
func TestDriftOfDistances(t *testing.T) {
	m := ofOne()
	one := kernel.Expansion{Kernel: kernel.Gaussian{Sigma: 1}, Centres: column(1, 3, 8), Coef: mat.NewDense(3, 1, []float64{1, 1, 1})}
	m.Parts = Single([]kernel.Expansion{one}, nil)
	for learned, want := range map[bool][]float64{true: {2, 2, 5, 1}, false: {0, 0, 0, 1}} {
		got, err := m.distances(t.Context(), column(1, 3, 8, 4), learned)
		for i := range want {
			if err != nil || math.Abs(got[i]-want[i]) > 1e-6 {
				t.Errorf("learned %v: %v, %v, want %v", learned, got, err, want)
			}
		}
	}
	m.profile = &drift.Profile{}
	s := drift.New(mat.Col(nil, 0, column(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12).Dense))
	m.profile.Columns, m.profile.Distance, m.Features = []drift.Sketch{s}, &s, []string{"f"}
	many := mat.NewDense(60, 1, nil)
	for i := range 60 {
		many.Set(i, 0, 100+float64(i))
	}
	state, err := m.Drift(t.Context(), data.Rows{Dense: many})
	if err != nil || state.Rows != 60 || state.Compared != 2 || len(state.Moved) != 2 {
		t.Fatalf("%+v, %v", state, err)
	}
	first, second := state.Moved[0], state.Moved[1]
	if first.Name != "f" || first.What != "column" || second.What != "distance" || *first.Then != 6 || *first.Now < 125 ||
		*state.Largest != first {
		t.Errorf("%+v", state)
	}
	if state, err := m.Drift(t.Context(), data.Rows{}); state != nil || err != nil {
		t.Errorf("no rows: %+v, %v", state, err)
	}
}

// TestAbsentViewIsNoDrift: columns of a view that no row has are not compared.
func TestAbsentViewIsNoDrift(t *testing.T) {
	part := func(j int) Part {
		return Part{Columns: []int{j}, Functions: []Function{Linear{Weights: mat.NewDense(1, 1, []float64{1})}}}
	}
	m := &Model{Method: "by hand", Task: data.Regression, Columns: 2, Parts: []Part{part(0), part(1)}}
	both, one := mat.NewDense(60, 2, nil), mat.NewDense(60, 2, nil)
	for i := range 60 {
		both.SetRow(i, []float64{float64(i), float64(-i)})
		one.SetRow(i, []float64{float64(i) + 0.5, math.NaN()})
	}
	if err := m.Remember(t.Context(), data.Rows{Dense: both}, nil); err != nil {
		t.Fatal(err)
	}
	if d, err := m.Drift(t.Context(), data.Rows{Dense: one}); err != nil || d.Compared != 1 || len(d.Moved) > 0 {
		t.Errorf("%+v, %v", d, err)
	}
}
