package data

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/test/failtest"
)

// TestTaskOfHumps: whole numbers whose rows rise and fall are numbers, up to the bounds of what a hump is.
func TestTaskOfHumps(t *testing.T) {
	for name, c := range map[string]struct {
		rows []int // of 3, 4, 5, ...
		want Task
	}{
		"a hump":                {[]int{4, 8, 12, 16, 18, 20, 18, 16, 12, 8, 4}, Regression},
		"of ten":                {[]int{4, 8, 12, 16, 20, 18, 16, 12, 8, 4}, Classification},
		"of twenty":             {[]int{4, 8, 9, 10, 12, 13, 14, 16, 18, 20, 19, 18, 16, 14, 13, 12, 10, 9, 8, 4}, Regression},
		"few at the top":        {[]int{3, 8, 12, 16, 18, 19, 18, 16, 12, 8, 3}, Classification},
		"many at first":         {[]int{5, 8, 12, 16, 18, 20, 18, 16, 12, 8, 4}, Classification},
		"many at last":          {[]int{4, 8, 12, 16, 18, 20, 18, 16, 12, 8, 5}, Classification},
		"five high":             {[]int{4, 4, 4, 5, 6, 20, 6, 5, 4, 4, 4}, Regression},
		"four high":             {[]int{4, 4, 4, 4, 6, 20, 6, 5, 4, 4, 4}, Classification},
		"a dent that may be":    {[]int{4, 12, 4, 8, 12, 20, 12, 8, 6, 5, 4}, Regression},
		"a dent":                {[]int{4, 12, 3, 8, 12, 20, 12, 8, 6, 5, 4}, Classification},
		"behind, that may be":   {[]int{4, 5, 6, 8, 12, 20, 12, 8, 4, 12, 4}, Regression},
		"a dent behind the top": {[]int{4, 5, 6, 8, 12, 20, 12, 8, 3, 12, 4}, Classification},
		"the first of two tops": {[]int{4, 8, 12, 16, 20, 20, 18, 16, 12, 8, 4}, Regression},
	} {
		var raw Answers
		for q, n := range c.rows {
			raw = append(raw, slices.Repeat(Answers{strconv.Itoa(3 + q)}, n)...)
		}
		l := interpret(t, raw, "y", TaskAuto)
		words := fmt.Sprintf("numbers to predict: %d different integers, whose numbers of rows rise and fall in their order, "+
			"as those of measurements do; use --task classification if they are classes", len(c.rows))
		if l.Task != c.want || c.want == Regression && l.Decided != words {
			t.Errorf("%s: %v, %s", name, l.Task, l.Decided)
		}
	}
}

// TestColumnsOfTables: the numbers that each kind of column becomes, and which of them are measured.
func TestColumnsOfTables(t *testing.T) {
	levels := []string{"x", "y"}
	for _, c := range []struct {
		c        Column
		names    []string
		measured []bool
	}{
		{Column{Kind: KindNumber}, []string{"a"}, []bool{true}},
		{Column{Kind: KindNumber, Missing: true}, []string{"a", "a missing"}, []bool{true, false}},
		{Column{Kind: KindNumber, Levels: levels}, []string{"a", "a=x", "a=y"}, []bool{true, false, false}},
		{Column{Kind: KindOrdered, Levels: levels}, []string{"a"}, []bool{true}},
		{Column{Kind: KindYesNo, Levels: levels, Missing: true}, []string{"a", "a missing"}, []bool{false, false}},
		{Column{Kind: KindDate}, []string{"a"}, []bool{true}},
		{Column{Kind: KindDate, Parts: []string{"hour", "month"}}, []string{"a", "a hour sin", "a hour cos", "a month sin", "a month cos"},
			[]bool{true, false, false, false, false}},
		{Column{Kind: KindCategory, Levels: levels}, []string{"a=x", "a=y"}, []bool{false, false}},
		{Column{Kind: KindCategory, Levels: levels, Other: true, Missing: true}, []string{"a=x", "a=y", "a other", "a missing"},
			[]bool{false, false, false, false}},
		{Column{Kind: KindIgnored, Missing: true}, nil, nil}, {Column{Kind: KindLabel}, nil, nil}, {Column{Kind: KindID}, nil, nil},
		{Column{Kind: KindWeight}, nil, nil}, {Column{Kind: KindGroup}, nil, nil},
	} {
		c.c.Name = "a"
		table := NewTable([]Column{{Name: "first", Kind: KindNumber}, c.c})
		names, measured := table.Features()
		if !slices.Equal(names, append([]string{"first"}, c.names...)) || !slices.Equal(measured, append([]bool{true}, c.measured...)) {
			t.Errorf("%+v: %q, measured %v", c.c, names, measured)
		}
		if c.c.Feature() != (c.names != nil) {
			t.Errorf("%+v: a feature %v", c.c, c.c.Feature())
		}
		if plain := c.names == nil || len(c.names) == 1 && c.c.Kind == KindNumber; table.Numeric() != plain || table.mixed() == plain {
			t.Errorf("%+v: numeric %v, mixed %v", c.c, table.Numeric(), table.mixed())
		}
		if at := table.Column(c.c.Kind); c.c.Kind != KindNumber && at != &table.Columns[1] || table.Column("none") != nil {
			t.Errorf("%+v: the column of its kind is %v", c.c, at)
		}
		want := map[bool]string{true: "a"}[c.c.Kind == KindID]
		if table.ID() != want {
			t.Errorf("%+v: rows are called by %q", c.c, table.ID())
		}
	}
	if none := (*Table)(nil); !none.Numeric() || none.ID() != "" {
		t.Error("no table is one of other things than numbers")
	}
}

// TestChecksOfTables: what is wrong with a table that comes from a file, in words.
func TestChecksOfTables(t *testing.T) {
	number := func(v float64) *float64 { return &v }
	of := func(c ...Column) *Table { return NewTable(c) }
	a, b := Column{Name: "a", Kind: KindNumber}, Column{Name: "b", Kind: KindID}
	for _, c := range []struct {
		table *Table
		want  string
	}{
		{of(a, b, Column{Name: "c", Kind: KindLabel}, Column{Name: "d", Kind: KindWeight}, Column{Name: "e", Kind: KindGroup}), ""},
		{of(a, Column{Name: "c", Kind: KindNumber}, Column{Name: "d", Kind: KindIgnored}, Column{Name: "e", Kind: KindIgnored},
			Column{Name: "f"}), ""},
		{&Table{}, ""}, {&Table{Version: 1}, ""},
		{&Table{Version: 2}, "a table of version 2, this program reads version 1"},
		{&Table{Version: -1}, "a table of version -1, this program reads version 1"},
		{of(a, b, a), `two columns are named "a"`},
		{of(a, b, Column{Name: "c", Kind: KindID}), `columns "b" and "c" are both of kind id; there is one`},
		{of(Column{Name: "b", Kind: KindLabel}, Column{Name: "c", Kind: KindLabel}), `columns "b" and "c" are both of kind label; there is one`},
		{of(Column{Name: "b", Kind: KindWeight}, Column{Name: "c", Kind: KindWeight}),
			`columns "b" and "c" are both of kind weight; there is one`},
		{of(Column{Name: "b", Kind: KindGroup}, Column{Name: "c", Kind: KindGroup}), `columns "b" and "c" are both of kind group; there is one`},
		{of(a, Column{Name: "c", Kind: "word"}),
			`column "c": unknown kind "word"; one of number, category, ordered, yes-no, date, left out, label, id, weight, group`},
		{of(Column{Name: "c", Decimal: "."}, Column{Name: "d", Decimal: ","}), ""},
		{of(Column{Name: "c", Decimal: ";"}), `column "c": decimal mark ";"; it is a comma or a point`},
		{of(Column{Name: "c", Fill: number(1)}), ""},
		{of(Column{Name: "c", Fill: number(math.NaN())}), `column "c": fill NaN is not finite`},
		{of(Column{Name: "c", Fill: number(math.Inf(-1))}), `column "c": fill -Inf is not finite`},
		{of(Column{Name: "c", Kind: KindYesNo}, Column{Name: "d", Kind: KindYesNo, Levels: []string{"n", "y"}}), ""},
		{of(Column{Name: "c", Kind: KindYesNo, Levels: []string{"n"}}), `column "c": 1 levels of yes and no; give two`},
		{of(Column{Name: "c", Kind: KindYesNo, Levels: []string{"n", "y", "z"}}), `column "c": 3 levels of yes and no; give two`},
		{of(Column{Name: "c", Kind: KindCategory, Levels: []string{"n", "y", "n"}}), `column "c": level "n" is listed twice`},
		{of(Column{Name: "c", Kind: KindDate, Parts: dateParts()}), ""},
		{of(Column{Name: "c", Kind: KindDate, Parts: []string{"hour", "era"}}),
			`column "c": unknown part "era" of a date; one of month, weekday, hour`},
	} {
		if err := c.table.Check(); c.want != "" {
			failtest.Refused(t, err, c.want)
		} else if err != nil {
			t.Errorf("%+v: %v", c.table, err)
		}
	}
}

// TestScalingOfTables: measured columns of a table with other things are standardised, all others are left as they are.
func TestScalingOfTables(t *testing.T) {
	rows := Rows{Dense: mat.NewDense(4, 3, []float64{1, 0, 5, 2, 1, 5, 3, 0, 7, 4, 1, 7})}
	mixed := NewTable([]Column{{Name: "a", Kind: KindNumber}, {Name: "b", Kind: KindYesNo}, {Name: "c", Kind: KindDate}})
	s, why, err := mixed.ScalingOf("", rows.ColumnStats)
	if err != nil || s.Kind != ScaleStandard || !slices.Equal(s.Shift, []float64{2.5, 0, 6}) || s.Scale[1] != 1 ||
		math.Abs(s.Scale[2]-1) > 1e-15 ||
		why != "numbers and dates standardised, words and parts of dates left as they are coded, from -1 to 1" {
		t.Errorf("%+v, %s, %v", s, why, err)
	}
	dated := NewTable([]Column{{Name: "a", Kind: KindNumber}, {Name: "b", Kind: KindOrdered}, {Name: "c", Kind: KindDate}})
	if s, why, _ := dated.ScalingOf(ScaleAuto, rows.ColumnStats); s.Shift[1] != 0.5 || why != "numbers and dates standardised" {
		t.Errorf("%+v, %s", s, why)
	}
	for _, kind := range []string{ScaleNone, ScaleMinMax} {
		want, reason, _ := ScalingOf(kind, false, rows.ColumnStats)
		if s, why, err := mixed.ScalingOf(kind, rows.ColumnStats); err != nil || !reflect.DeepEqual(s, want) || why != reason {
			t.Errorf("%s: %+v, %s", kind, s, why)
		}
	}
	numbers := NewTable([]Column{{Name: "a", Kind: KindNumber}, {Name: "b", Kind: KindNumber}, {Name: "c", Kind: KindNumber}})
	want, reason, _ := ScalingOf("", false, rows.ColumnStats)
	for _, table := range []*Table{numbers, nil} {
		if s, why, err := table.ScalingOf("", rows.ColumnStats); err != nil || !reflect.DeepEqual(s, want) || why != reason {
			t.Errorf("numbers alone: %+v, %s, %v", s, why, err)
		}
	}
}

// TestRowsThatLack: which rows lack all, which lack nothing, and columns put back where they were.
func TestRowsThatLack(t *testing.T) {
	nan := math.NaN()
	x := mat.NewDense(4, 3, []float64{1, 2, 3, nan, nan, nan, nan, 5, 6, 0, 0, 0})
	dense := Rows{Dense: x, ID: []int{4, 5, 6, 7}}
	thin := Rows{Sparse: CSRFromDense(mat.NewDense(4, 3, []float64{1, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0})), ID: []int{4, 5, 6, 7}}
	for i, want := range [][2]bool{{false, false}, {true, true}, {false, false}, {false, true}} {
		if dense.Lacks(i) != want[0] || thin.Lacks(i) != want[1] {
			t.Errorf("row %d lacks all: %v, sparse %v", i, dense.Lacks(i), thin.Lacks(i))
		}
	}
	if a, b := dense.Whole(), thin.Whole(); !slices.Equal(a, []int{0, 3}) || !slices.Equal(b, []int{0, 1, 2, 3}) {
		t.Errorf("whole rows %v, sparse %v", a, b)
	}
	full := Rows{Dense: mat.NewDense(2, 4, []float64{1, 2, 0, 4, 5, 0, 7, 8}), ID: []int{9, 3}}
	for _, r := range []Rows{full, {Sparse: CSRFromDense(full.Dense), ID: full.ID}} {
		columns := []int{0, 2, 3}
		back := r.SelectColumns(columns).Among(columns, 6)
		want := mat.NewDense(2, 6, []float64{1, 0, 0, 4, 0, 0, 5, 0, 7, 8, 0, 0})
		got := back.Dense
		if r.IsSparse() {
			got = back.Sparse.ToDense()
		}
		if back.Len() != 2 || back.Dim() != 6 || !mat.Equal(got, want) || !slices.Equal(back.ID, full.ID) {
			t.Errorf("sparse %v: %v, rows %v", r.IsSparse(), mat.Formatted(got), back.ID)
		}
		if r.IsSparse() && (back.Sparse == r.Sparse || r.Dim() != 4) {
			t.Error("the rows themselves have changed")
		}
	}
	failtest.Panics(t, "data: rows both dense and sparse", func() { Rows{Dense: x, Sparse: thin.Sparse}.Len() })
	failtest.Panics(t, "data: no column selected", func() { dense.SelectColumns(nil) })
	failtest.Panics(t, "data: 2 rows beside 4, sparse false and false", func() { dense.Beside(full) })
	failtest.Panics(t, "data: 4 rows beside 4, sparse true and false", func() { dense.Beside(thin) })
	failtest.Panics(t, "data: row of 2 values for 3 columns", func() { NewColumnStats(3).Add([]float64{1, 2}) })
	lacking := NewColumnStats(2)
	lacking.Add([]float64{1, nan})
	failtest.Panics(t, "data: statistics of columns with missing cells are not merged", func() { lacking.Merge(NewColumnStats(2)) })
	failtest.Panics(t, "data: statistics of columns with missing cells are not merged", func() { NewColumnStats(2).Merge(lacking) })
}

// TestStatsOfMissingCells: statistics of a column are those of the cells that are there.
func TestStatsOfMissingCells(t *testing.T) {
	nan := math.NaN()
	columns := [][]float64{{1, 2, 3, 4, 5}, {nan, 2, nan, 6, 4}, {0, nan, 0, 3, nan}, {nan, nan, nan, nan, nan}, {nan, 7, 7, nan, 7}}
	s := NewColumnStats(len(columns))
	for i := range columns[0] {
		row := make([]float64, len(columns))
		for j, c := range columns {
			row[j] = c[i]
		}
		s.Add(row)
	}
	for j, c := range columns {
		there := slices.DeleteFunc(slices.Clone(c), math.IsNaN)
		if s.Missing[j] != 5-len(there) || s.count(j) != len(there) {
			t.Errorf("column %d misses %d cells", j, s.Missing[j])
		}
		if len(there) == 0 {
			if !s.Constant(j) || s.SD(j) != 0 {
				t.Errorf("a column without cells varies by %v", s.SD(j))
			}
			continue
		}
		var mean, square, not float64
		for _, v := range there {
			mean += v / float64(len(there))
			if v != 0 {
				not++
			}
		}
		for _, v := range there {
			square += (v - mean) * (v - mean) / float64(len(there))
		}
		if math.Abs(s.Mean[j]-mean) > 1e-14 || math.Abs(s.SD(j)-math.Sqrt(square)) > 1e-14 || s.NonZero[j] != int(not) ||
			s.Min[j] != slices.Min(there) || s.Max[j] != slices.Max(there) || s.Constant(j) != (square == 0) {
			t.Errorf("column %d: mean %v, deviation %v, %v to %v", j, s.Mean[j], s.SD(j), s.Min[j], s.Max[j])
		}
	}
}

// TestAnswersOfRows: answers less some, rows that have one, and sets of some rows.
func TestAnswersOfRows(t *testing.T) {
	a := Answers{"x", "", "?", "y", "NA", "x"}
	if got := a.Answered(); !slices.Equal(got, []int{0, 3, 5}) {
		t.Errorf("answered %v", got)
	}
	if got := a.Without([]int{0, 3}); !slices.Equal(got, Answers{"", "", "?", "", "NA", "x"}) || a[0] != "x" {
		t.Errorf("without two: %q of %q", got, a)
	}
	counts := a.counts()
	if want := []Count{{"x", 2, 0}, {"", 1, 1}, {"?", 1, 2}, {"y", 1, 3}, {"NA", 1, 4}}; !slices.Equal(counts, want) {
		t.Errorf("counted %v", counts)
	}
	set := &Set{Rows: Rows{Dense: mat.NewDense(3, 1, []float64{7, 8, 9})}, Answers: Answers{"a", "b", "c"}, Lines: []int{2, 3, 5},
		ID: []string{"p", "q", "r"}, Weight: []float64{1, 2, 3}}
	some := set.Select([]int{2, 0})
	if !slices.Equal(some.Answers, Answers{"c", "a"}) || !slices.Equal(some.Lines, []int{5, 2}) ||
		!slices.Equal(some.ID, []string{"r", "p"}) ||
		!slices.Equal(some.Weight, []float64{3, 1}) || some.Group != nil || some.Rows.Dense.At(0, 0) != 9 {
		t.Errorf("%+v", some)
	}
	bare := (&Set{Rows: set.Rows}).Select([]int{1})
	if bare.Answers != nil || bare.Lines != nil || bare.ID != nil {
		t.Errorf("%+v", bare)
	}
	both, err := set.WithUnlabelled(&Set{Rows: set.Rows, ID: []string{"s", "t", "u"}, Group: []string{"1", "2", "2"}})
	if err != nil || !slices.Equal(both.ID, []string{"p", "q", "r", "s", "t", "u"}) ||
		!slices.Equal(both.Group, []string{"", "", "", "1", "2", "2"}) ||
		!slices.Equal(both.Weight, []float64{1, 2, 3, 1, 1, 1}) || !slices.Equal(both.Lines, []int{2, 3, 5, 0, 0, 0}) ||
		!slices.Equal(both.Answers, Answers{"a", "b", "c", "", "", ""}) {
		t.Errorf("%+v, %v", both, err)
	}
	if err := (&CellError{What: "a fault", Remedy: "mend it"}); err.Error() != "a fault; mend it" {
		t.Error(err)
	}
}

// TestScalesAlone: scales without shifts divide, in either form, and rows of no number are left alone.
func TestScalesAlone(t *testing.T) {
	x := mat.NewDense(2, 2, []float64{2, 9, 0, 3})
	s := Scaling{Kind: ScaleStandard, Scale: []float64{2, 3}}
	want := mat.NewDense(2, 2, []float64{1, 3, 0, 1})
	thin := Rows{Sparse: CSRFromDense(x)}
	if a, b := s.Apply(Rows{Dense: x}), s.Apply(thin); !mat.Equal(a.Dense, want) || !mat.Equal(b.Sparse.ToDense(), want) {
		t.Errorf("%v, sparse %v", a.Dense, b.Sparse)
	}
	for _, r := range []Rows{s.Apply(Rows{Dense: x}), s.Apply(thin)} {
		back := s.Undo(r)
		if got := back.Dense; got != nil && !mat.Equal(got, x) || got == nil && !mat.Equal(back.Sparse.ToDense(), x) {
			t.Errorf("undone: %v", back)
		}
	}
	if got := s.Apply(Rows{}); got.Len() != 0 {
		t.Errorf("no rows become %v", got)
	}
	if n := (Rows{Dense: mat.NewDense(3, 2, []float64{0, 0, 0, 1, 0, 0})}).Zero(); n != 2 {
		t.Errorf("%d rows of zeros", n)
	}
	// Lengths at both ends of what numbers are.
	for _, v := range []float64{1e-200, 1e-150, 1, 1e150, 1e200} {
		row := []float64{3 * v, -4 * v}
		if got := length(row); math.Abs(got/(5*v)-1) > 1e-15 {
			t.Errorf("length %v of %v", got, row)
		}
		if toUnit(row); math.Abs(row[0]-0.6) > 1e-15 || math.Abs(row[1]+0.8) > 1e-15 {
			t.Errorf("of length one: %v", row)
		}
	}
	if zeros := []float64{0, 0}; length(zeros) != 0 {
		t.Error("zeros have a length")
	} else if toUnit(zeros); zeros[0] != 0 {
		t.Error("zeros are scaled")
	}
	for _, c := range []struct {
		x    float64
		want string
	}{{-1, "column 1 has values from -1 to 3; " + ofCounts}, {math.Inf(1), "column 1 has values from 0 to +Inf; " + ofCounts}, {0, ""}} {
		// Rows that are read as a stream have their statistics alone.
		_, _, err := ScalingOf(ScaleTFIDF, false, Rows{Dense: mat.NewDense(3, 2, []float64{0, 0, 1, 3, 2, c.x})}.ColumnStats)
		if c.want != "" {
			failtest.Refused(t, err, c.want)
		} else if err != nil {
			t.Error(err)
		}
	}
}
