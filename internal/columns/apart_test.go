package columns

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
)

// TestPlainAgreesWithDecide: rows of numbers alone are learned from as they are where Decide, which sees them as cells, leaves no column
// out as one that counts the rows or has an id, and takes none for dates; a single column is none to leave out.
func TestPlainAgreesWithDecide(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	kinds := map[string]func(i, n int) float64{
		"steps": func(i, _ int) float64 { return float64(i + 7) }, "back": func(i, n int) float64 { return float64(n - i) },
		"odd": func(i, _ int) float64 { return float64(2*i + 1) }, "half": func(i, _ int) float64 { return float64(i*i) + 0.5 },
		"again": func(i, _ int) float64 { return float64(i % 5) }, "dates": func(i, _ int) float64 { return float64(20180101 + i%28) },
		"months": func(i, _ int) float64 { return float64(20180100 + i) }, // of which the first is no day
		"broken": func(i, _ int) float64 { return float64(i + i/8) },
	}
	names := []string{"x", "id", "day", "orderId", "t", "Unnamed: 0", "y"}
	plain := map[bool]int{}
	for range 400 {
		n, d := []int{9, 10, 14}[rng.IntN(3)], 2+rng.IntN(2)
		x, own := mat.NewDense(n, d, nil), make([]string, d)
		p := NewProfile(d)
		for j := range d {
			own[j] = names[(rng.IntN(3)+2*j)%len(names)]
			of := kinds[slices.Sorted(func(yield func(string) bool) {
				for k := range kinds {
					if !yield(k) {
						return
					}
				}
			})[rng.IntN(len(kinds))]]
			for i := range n {
				x.Set(i, j, of(i, n))
				p.Add(j, strconv.AppendFloat(nil, of(i, n), 'f', -1, 64), i+2)
			}
		}
		p.Rows = n
		table, err := Decide(own, p, Settings{Delimiter: ','})
		if err != nil {
			t.Fatal(err)
		}
		want := !slices.ContainsFunc(table.Columns, func(c data.Column) bool {
			return c.Kind == data.KindDate || c.Kind == data.KindIgnored && !strings.HasPrefix(c.Why, "every cell")
		})
		if n < fewRows {
			want = true
		}
		if got := Plain(own, data.Rows{Dense: x}); got != want {
			t.Errorf("%v of %v: %v, Decide says %+v", own, mat.Formatted(x.T()), got, table.Columns)
		}
		plain[want]++
		if got := plainInParts(own, x, 4, 5, n); got != want {
			t.Errorf("%v of %v: in parts %v", own, mat.Formatted(x.T()), got)
		}
	}
	if min(plain[true], plain[false]) < 100 {
		t.Errorf("%v", plain)
	}
	steps := mat.NewDense(12, 1, nil)
	for i := range 12 {
		steps.Set(i, 0, float64(i))
	}
	if !Plain([]string{"id"}, data.Rows{Dense: steps}) || !Plain([]string{"id"}, data.Rows{Sparse: data.CSRFromDense(steps)}) {
		t.Error("the only column is left out")
	}
}

// plainInParts is Plain of rows in parts that end at these rows; the later parts are joined first.
func plainInParts(names []string, x *mat.Dense, ends ...int) bool {
	var parts []Runs
	from := 0
	for _, to := range ends {
		parts = append(parts, RunsOf(names, data.Rows{Dense: x.Slice(from, to, 0, len(names)).(*mat.Dense)}))
		from = to
	}
	for k := len(parts) - 2; k >= 0; k-- {
		parts[k].Join(parts[k+1])
	}
	return parts[0].Plain(names, from)
}

// TestMarkedFiles: rows of a file with the other decimal mark are read as by a table that was learned from that file.
func TestMarkedFiles(t *testing.T) {
	one := func(decimal string) *Coder {
		fill := 0.0
		return NewCoder(data.NewTable([]data.Column{{Name: "x", Kind: data.KindNumber, Decimal: decimal, Thousands: true, Fill: &fill}}))
	}
	marks := map[string]byte{"": '.', ",": ','}
	for from := range marks {
		for to, mark := range marks {
			coder, want := one(from), one(to)
			coder.Marked([]byte{mark}, 0)
			for _, cell := range []string{"1,5", "1.5", "1.234,5", "1,234.5", "12", "-0,25", "1.234", "1,234", "x"} {
				a, b := make([]float64, 1), make([]float64, 1)
				u := coder.NewUnknown()
				faultA, _ := coder.Set(a, 0, []byte(cell), u)
				faultB, _ := want.Set(b, 0, []byte(cell), u)
				if (faultA == "") != (faultB == "") || faultA == "" && a[0] != b[0] {
					t.Errorf("%q by %q in a file of %c: %g %s, want %g %s", cell, from, mark, a[0], faultA, b[0], faultB)
				}
			}
		}
	}
}

// TestUnknownsAddUp: what rows have that was not learned from is counted in parts as in one, and an example is the first.
func TestUnknownsAddUp(t *testing.T) {
	fill := 0.5
	coder := NewCoder(data.NewTable([]data.Column{
		{Name: "a", Kind: data.KindCategory, Levels: []string{"u", "v"}},
		{Name: "b", Kind: data.KindCategory, Levels: []string{"u", "v"}, Other: true},
		{Name: "c", Kind: data.KindOrdered, Levels: []string{"u", "v"}, Fill: &fill},
		{Name: "d", Kind: data.KindNumber, Fill: &fill},
	}))
	rows := [][]string{{"u", "w", "v", "1"}, {"w", "z", "y", ""}, {"x", "u", "u", "2"}, {"", "", "", ""}, {"y", "v", "x", "3"}}
	count := func(u *Unknown, rows [][]string) *Unknown {
		for _, row := range rows {
			to := make([]float64, coder.Dim())
			for i, cell := range row {
				if what, _ := coder.Set(to, i, []byte(cell), u); what != "" {
					t.Fatal(what)
				}
			}
		}
		return u
	}
	whole := count(coder.NewUnknown(), rows)
	for cut := range rows {
		u := count(coder.NewUnknown(), rows[:cut])
		u.Add(count(coder.NewUnknown(), rows[cut:]))
		if fmt.Sprint(u) != fmt.Sprint(whole) {
			t.Errorf("cut at %d: %v, want %v", cut, u, whole)
		}
	}
	const words = "rows with words that were not learned from, such as"
	want := []string{
		`column "a": 3 ` + words + ` "w"; they count as none of its words`,
		`column "a": no value in 1 row, though all that were learned from have one; there it counts as none of its words`,
		`column "b": no value in 1 row, though all that were learned from have one; there it counts as none of its words`,
		`column "c": 2 ` + words + ` "y"; they count as missing`,
		`column "c": no value in 1 row, though all that were learned from have one; there it counts as the median`,
		`column "d": no value in 2 rows, though all that were learned from have one; there it counts as the median`,
	}
	if got := whole.Says(coder); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	whole.Reset()
	if got := whole.Says(coder); got != nil {
		t.Errorf("of nothing is said %q", got)
	}
}

// TestAsTheyStand: a table of numbers and answers takes cells as they stand, unless anything is made of one of them.
func TestAsTheyStand(t *testing.T) {
	table := func(change func(x, y *data.Column)) *data.Table {
		list := []data.Column{{Name: "x", Kind: data.KindNumber}, {Name: "y", Kind: data.KindLabel}}
		change(&list[0], &list[1])
		return data.NewTable(list)
	}
	if !AsTheyStand(table(func(*data.Column, *data.Column) {})) {
		t.Error("numbers with a decimal point are no numbers as they stand")
	}
	one := 1.0
	for what, change := range map[string]func(x, y *data.Column){
		"a comma": func(x, _ *data.Column) { x.Decimal = "," }, "a comma of answers": func(_, y *data.Column) { y.Decimal = "," },
		"amounts": func(_, y *data.Column) { y.Amounts = true }, "a unit": func(x, _ *data.Column) { x.Unit = "kg" },
		"a level": func(x, _ *data.Column) { x.Levels = []string{"<1"} }, "missing": func(x, _ *data.Column) { x.Missing = true },
		"marks": func(x, _ *data.Column) { x.Empty = []string{"-9"} }, "a median": func(x, _ *data.Column) { x.Fill = &one },
		"words":    func(x, _ *data.Column) { x.Kind, x.Levels = data.KindCategory, []string{"u", "v"} },
		"left out": func(x, _ *data.Column) { x.Kind = data.KindIgnored },
	} {
		if AsTheyStand(table(change)) {
			t.Errorf("%s stands as it is", what)
		}
	}
}

// TestDecimalMarks: the mark that a cell must have, where it leaves no other, and its number with a comma.
func TestDecimalMarks(t *testing.T) {
	for cell, want := range map[string]string{
		"1,5": ", 1.5", "1.5": ". x", "1,234": "- 1.234", "1.234": "- 1234", "12": "- 12", "1.234,5": ", 1234.5", "1,234.5": ". x",
		"0,123": ", 0.123", "1,5 kg": ", x", "x,y": "- x", "": "- x", "1.2.3": "- x", "-1,5": ", -1.5", "1.234.567": ", 1.234567e+06",
	} {
		mark := string(rune(max(DecimalMark([]byte(cell)), '-')))
		if DecimalMark([]byte(cell)) == ',' {
			mark = ","
		}
		number := "x"
		if v, ok := WithComma([]byte(cell)); ok {
			number = fmt.Sprint(v)
		}
		if got := mark + " " + number; got != want {
			t.Errorf("%q: %s, want %s", cell, got, want)
		}
	}
	for cell, want := range map[string]Shape{
		"": Nothing, " ": Nothing, "NA": Nothing, "inf": Number, "-Infinity": Number, "1e5": Number, "12 kg": Number, "12 kwh": Number,
		"12 furlongs": Word, "2020-01-02": Date, "13:45": Date, "2020-13-02": Word, "a": Word, "1.2.3": Word, "(3,5)": Number,
	} {
		if got := ShapeOf([]byte(cell)); got != want {
			t.Errorf("%q: %v, want %v", cell, got, want)
		}
	}
}

// TestPartsOfTables: a fault names the part of a table and the column there, also where columns stand in another order.
func TestPartsOfTables(t *testing.T) {
	p := NewProfile(2)
	for i := range 12 {
		p.Add(0, fmt.Appendf(nil, "%d.5", i), i+2)
		p.Add(1, fmt.Appendf(nil, "%d.5", 20-i), i+2)
		p.Rows++
	}
	p.Add(1, []byte("1O5"), 14)
	p.Add(0, []byte("3"), 14)
	p.Rows++
	p.Of(3)
	for c, q := range []*Profile{p.Select([]int{1, 0}), p} {
		_, err := Decide([]string{"a", "b"}, q, Settings{Delimiter: ','})
		fault, ok := err.(*Fault) //nolint:errorlint // Decide returns it unwrapped
		if !ok || fault.Column != c || fault.Place.Part != 3 || fault.Place.Column != 2 || fault.Line != 14 {
			t.Errorf("in the order %d: %+v", c, err)
		}
	}
	for want, cells := range map[string][]string{
		`column "a": the unit g, where kg stands before`: append(repeated(4, "1 kg", "2 kg"), "3 g"),
		`column "a": "soon" is no date`:                  append(repeated(4, "2020-01-02", "2020-01-03", "2020-03-04"), "soon"),
	} {
		q := NewProfile(2)
		for i, cell := range cells {
			q.Add(1, []byte(cell), i+2)
			q.Add(0, []byte("w"), i+2)
			q.Rows++
		}
		q.Of(5)
		_, err := Decide([]string{"a"}, q.Select([]int{1}), Settings{Delimiter: ','})
		fault, ok := err.(*Fault) //nolint:errorlint // Decide returns it unwrapped
		if !ok || !strings.HasPrefix(err.Error(), want) || fault.Place.Part != 5 || fault.Place.Column != 2 || fault.Line != len(cells)+1 {
			t.Errorf("%+v, want %s", err, want)
		}
	}
	if got := p.Select([]int{1, 1, 0}); got.Rows != 13 || len(got.Columns) != 3 {
		t.Errorf("%+v", got)
	}
	if v := Median(nil); v != 0 {
		t.Errorf("the median of nothing is %g", v)
	}
	if v := Median([]float64{3, math.Inf(-1), 4, 1}); v != 2 {
		t.Errorf("a median of %g", v)
	}
	long := []byte(strings.Repeat("x", 39) + "é and more")
	if got := shortened(long); got != strings.Repeat("x", 39)+"..." {
		t.Errorf("%q", got)
	}
	if got := shortened(long[:41]); got != strings.Repeat("x", 39)+"..." || shortened(long[:39]) != string(long[:39]) {
		t.Errorf("%q", got)
	}
}

// TestSpellings: columns of numbers that are written in several ways are read, or refused in these words, and the decimal mark that is
// said decides where cells leave both.
func TestSpellings(t *testing.T) {
	for _, c := range []struct {
		decimal string
		cells   []string
		want    string
	}{
		{"", []string{"1,234", "2,345"}, `column "x": "1,234" can be a number of thousands or have a decimal comma, and no other cell says ` +
			`which; say --decimal point or --decimal comma`},
		{"comma", []string{"1,234", "2,345"}, "numbers from 1.234 to 2.345, with a decimal comma"},
		{"point", []string{"1,234", "2,345"}, "numbers from 1234 to 2345"},
		{"comma", []string{"1.5", "2.5"}, "numbers from 1.5 to 2.5"}, // which is none with a comma
		{"", []string{"1.25", "2,5", "3.25"}, `column "x": "2,5" has a decimal comma, which 2 other cells have not; write all numbers alike`},
		{"", []string{"1,25", "2.5", "3,25"}, `column "x": "2.5" has no decimal comma, which other cells have; write all numbers alike`},
		{"", []string{"12.50-", "3.25"}, "numbers from -12.5 to 3.25"},
		{"", []string{"2 lakh", "3 lakh"}, "numbers from 200000 to 300000"},
		{"", []string{"2 crore", "3 Cr"}, "numbers from 2e+07 to 3e+07"},
		{"", []string{"A$5", "A$6"}, "numbers from 5 to 6 in A$"},
		{"", []string{"1,23,456", "12,34,567"}, "numbers from 123456 to 1.23457e+06"},
		{"", []string{"2 bn", "3 Mrd"}, "numbers from 2e+09 to 3e+09"},
		{"", []string{"2k", "3 Tsd."}, "numbers from 2000 to 3000"},
		{"", []string{"1 kg", "2 kg", "3 g"}, `column "x": the unit g, where kg stands before; convert the numbers to one unit`},
		{"", []string{"1", "2", "inf"}, `column "x": "inf" is not finite; give a number, or leave the cell empty`},
	} {
		got := ""
		if col, err := table(t, "x", Settings{Decimal: c.decimal}, c.cells...); err != nil {
			got = err.Error()
		} else {
			got = col.Why
		}
		if got != c.want {
			t.Errorf("%q: %s, want %s", c.cells, got, c.want)
		}
	}
}

// TestRulesAtTheirBorders: shares and counts by which a column is decided, one row on either side.
func TestRulesAtTheirBorders(t *testing.T) {
	streets := func(digits, n int) []string {
		list := counted("%d-street", digits, 1)
		return append(list, counted("w%d", n-digits, 1)...)
	}
	for _, c := range []struct {
		cells []string
		want  string
	}{
		{append(repeated(8, "1 kg", "2 kg"), "3 g"), `column "x": the unit g, where kg stands before; convert the numbers to one unit`},
		{streets(8, 10), "left out [] 10 different words in 10 cells name the rows, though 8 of 10 begin with a digit"},
		{streets(7, 10), "left out [] 10 different words in 10 cells name the rows"},
		{streets(9, 9), "category [x=1-street x=2-street x=3-street x=4-street x=5-street x=6-street x=7-street x=8-street x=9-street] " +
			"9 different words"},
		{append(counted("%d.5", 12, 1), "<0.5", "<0.5"), `number [x x=<0.5] numbers from 1.5 to 12.5; 2 cells "<0.5": missing, with a column ` +
			`of their own`},
		{append(counted("%d.5", 12, 1), "<0.5"), `column "x": "<0.5" is no number, as 12 of 13 cells are; correct it or leave it empty, say ` +
			`--missing '<0.5' if it stands for that, or give the column the kind category with --columns`},
		{append(counted("%d.5", 12, 1), repeated(2, "<1", "<2", "<3", "<4")...), `number [x x=<1 x=<2 x=<3 x=<4] numbers from 1.5 to 12.5; ` +
			`2 cells "<1": missing, with a column of their own; 2 cells "<2": missing, with a column of their own; 2 cells "<3": missing, ` +
			`with a column of their own; 2 cells "<4": missing, with a column of their own`},
	} {
		col, err := table(t, "x", Settings{Delimiter: ','}, c.cells...)
		got := fmt.Sprintf("%s %v %s", col.Kind, col.Features(), col.Why)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q: %s, want %s", c.cells[len(c.cells)-2:], got, c.want)
		}
	}
	asked := Settings{Given: []data.Column{{Name: "x", Kind: data.KindNumber}}}
	for want, cells := range map[string][]string{
		"only 1 of 17 have the unit furl": append(repeated(8, "1 kg", "2 kg"), "3 furl"), "only 2 of 4 have the unit furl": {"1", "2", "3 furl",
			"4 furl"},
	} {
		if _, err := table(t, "x", asked, cells...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if col, err := table(t, "x", asked, "1", "2 furl", "3 furl"); err != nil || col.Unit != "furl" {
		t.Errorf("%+v, %v", col, err)
	}
	zero := 0.0
	for unit, want := range map[string]map[string]float64{
		"K": {"300 K": 300, "2 M": 2e6, "7": 7}, "": {"3 k": 3000, "2 million": 2e6, "7": 7}, "$": {"$3k": 3000, "$7": 7},
	} {
		e := NewCoder(data.NewTable([]data.Column{{Name: "x", Kind: data.KindNumber, Unit: unit, Fill: &zero}}))
		for cell, v := range want {
			to := make([]float64, 1)
			if what, _ := e.Set(to, 0, []byte(cell), e.NewUnknown()); what != "" || to[0] != v {
				t.Errorf("%q where the unit is %q: %g, want %g %s", cell, unit, to[0], v, what)
			}
		}
	}
	x := mat.NewDense(30, 1, nil)
	for i := range 30 {
		x.Set(i, 0, float64(i%9))
		switch i % 10 {
		case 0:
			x.Set(i, 0, -999)
		case 5:
			x.Set(i, 0, math.NaN())
		}
	}
	rows := data.Rows{Dense: x}
	if got := Sentinels([]string{"a"}, rows, func(string) bool { return true }); fmt.Sprint(got) != "[{a -999 3}]" {
		t.Errorf("%v", got)
	}
	if got := Sentinels([]string{"a"}, rows, func(string) bool { return false }); got != nil {
		t.Errorf("of no column %v", got)
	}
}

// TestNumbersOfAnID: a column under the name of an id is one where no number stands twice, however many rows lie between the two; so many
// are looked at as Decide looks at.
func TestNumbersOfAnID(t *testing.T) {
	for again, want := range map[int]bool{150: true, 3000: true, 5000: false} {
		x := mat.NewDense(6000, 2, nil)
		for i := range 6000 {
			x.SetRow(i, []float64{float64((i*7919)%6007 + i/again*6007), float64(i % 5)})
		}
		x.Set(again, 0, x.At(0, 0))
		if got := Plain([]string{"id", "y"}, data.Rows{Dense: x}); got != want {
			t.Errorf("a number that stands again in row %d: plain %v", again, got)
		}
		if got := plainInParts([]string{"id", "y"}, x, 1000, 1001, 4000, 6000); got != want {
			t.Errorf("a number that stands again in row %d, in parts: plain %v", again, got)
		}
	}
}
