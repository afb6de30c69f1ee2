package columns

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
)

// TestReadNumber: what a cell says with a decimal point, and with a decimal comma; x: nothing.
func TestReadNumber(t *testing.T) {
	for cell, want := range map[string]string{
		"12": "12 12", "-3.5": "-3.5 x", "3,5": "x 3.5", "1,234": "1234 1.234", "1.234": "1.234 1234", "1,234.5": "1234.5 x",
		"1.234,5": "x 1234.5", "1,234,567": "1.234567e+06 x", "12,34,567": "1.234567e+06 x", "0,123": "x 0.123", "1 234": "1234 1234",
		"1'234.5": "1234.5 x", "1\u00a0234": "1234 1234", "1e3": "1000 1000", ".5": "0.5 x", "5.": "5 x", "12 kg": "12 12 kg",
		"12kg":   "12 12 kg",
		"$1,000": "1000 1 $", "45%": "45 45 %", "1e": "1 1 e", "20 °C": "20 20 °C", "12.5.3": "x x", "": "x x", "abc": "x x", "12-3": "x x",
		"(12.5)": "-12.5 x", "(1.234,5)": "x -1234.5", "($3)": "-3 -3 $", "(-3)": "x x", "()": "x x", "(a)": "x x",
		"12 a b c": "x x", "5 3": "x x", "1 2345": "x x", "12 kilograms of it": "x x", "+7": "7 7", "- 7": "x x", "..": "x x", "1,23 " +
			"€": "x 1.23 €",
	} {
		got := "x x"
		if r, ok := readNumber([]byte(cell)); ok {
			say := func(v float64) string {
				if math.IsNaN(v) {
					return "x"
				}
				return fmt.Sprint(v)
			}
			got = strings.TrimSpace(say(r.point) + " " + say(r.comma) + " " + string(r.unit))
		}
		if got != want {
			t.Errorf("%q: %s, want %s", cell, got, want)
		}
	}
}

// table decides a table of one column that is given by its cells, and of rows in the order of the cells.
func table(t *testing.T, name string, o Settings, cells ...string) (data.Column, error) {
	t.Helper()
	p := NewProfile(1)
	for i, c := range cells {
		p.Add(0, []byte(c), i+2)
		p.Rows++
	}
	d, err := Decide([]string{name}, p, o)
	if err != nil {
		return data.Column{}, err
	}
	return d.Columns[0], nil
}

func repeated(n int, of ...string) []string {
	var list []string
	for range n {
		list = append(list, of...)
	}
	return list
}

func counted(format string, n, from int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(format, from+i)
	}
	return list
}

// TestDecide: kind, features and reason of columns, one case for each rule.
func TestDecide(t *testing.T) {
	for want, c := range map[string]struct {
		name  string
		o     Settings
		cells []string
	}{
		"number [x] numbers from 1 to 3": {"x", Settings{}, []string{"1",
			"2.5", "3", "1"}},
		"number [x x missing] numbers from 1 to 2; 1 of 3 missing": {"x", Settings{}, []string{"1", "NA", "2"}},
		"number [x x missing] numbers from 1 to 2; 2 of 4 missing": {"x", Settings{}, []string{"1",
			"-", "2", "unknown"}},
		"number [x] numbers from 12 to 13 in kg, which 1 do not say": {"x", Settings{},
			[]string{"12 kg", "13kg", "12"}},
		"number [x] numbers from 1.5 to 2, with a decimal comma": {"x", Settings{}, []string{"1,5",
			"2", "2,00"}},
		"number [x] numbers from 1.5 to 1234.5, with a decimal comma": {"x", Settings{}, []string{"1,5", "1.234,5"}},
		"number [x] numbers from 1000 to 2500": {"x", Settings{Delimiter: ','},
			[]string{"1,000", "2,500"}},
		"number [x] numbers from 1 to 2.5, with a decimal comma": {"x", Settings{Delimiter: ';'},
			[]string{"1,000", "2,500"}},
		"number [x] numbers from 1.5 to 2000, with a decimal comma": {"x", Settings{Delimiter: ','},
			[]string{"1,500", "2000"}},
		"category [x=B x=a x=b] 3 different words; B, b differ in case alone": {"x", Settings{}, repeated(8, "a", "b", "B")},
		"category [x=a x=b] 2 different words":                                {"x", Settings{}, repeated(8, "a", "b")},
		"category [x=a x=b x missing] 2 different words; 8 of 24 missing":     {"x", Settings{}, repeated(8, "a", "b", "")},
		"category [x=7B x=12A x=3] 3 different words":                         {"x", Settings{}, nil},
		"yes-no [x] no and yes":                                               {"x", Settings{}, repeated(8, "yes", "no")},
		"yes-no [x] F and T":                                                  {"x", Settings{}, repeated(8, "T", "F")},
		"date [x x month sin x month cos x weekday sin x weekday cos] dates": {"x", Settings{},
			[]string{"2020-01-02", "2021-05-04"}},
		"date [x x weekday sin x weekday cos x hour sin x hour cos] dates": {"x", Settings{},
			[]string{"2020-01-02 10:00", "2020-01-03 11:00"}},
		"date [x x month sin x month cos x weekday sin x weekday cos x missing] dates from 2018-02-19 to 2018-11-19": {"x", Settings{},
			append(counted("2018%02d19", 10, 2), "-")},
		"number [x] numbers from 2.01801e+07 to 2.0181e+07": {"x", Settings{}, counted("2018%02d31", 10, 1)},
		"number [x] numbers from 2.01802e+07 to 2.0181e+07": {"x", Settings{}, counted("2018%02d19", 9, 2)},
		"date [x] as asked: dates from 2018-02-19": {"x", Settings{Given: []data.Column{
			{Name: "x", Kind: data.KindDate, Format: "20060102", Parts: []string{}}}}, counted("2018%02d19", 9, 2)},
		"left out [] every cell is \"7\"":          {"x", Settings{}, repeated(3, "7")},
		"left out [] no cell has a value":          {"x", Settings{}, []string{"", "NA"}},
		"left out [] counts the rows from 5 to 24": {"x", Settings{}, counted("%d", 20, 5)},
		"number [day] numbers from 5 to 24":        {"day", Settings{}, counted("%d", 20, 5)},
		"left out [] its name and its numbers": {"customerId", Settings{},
			append(counted("%d", 20, 5), "3")},
		"left out [] 20 different words in 20 cells name the rows": {"x", Settings{}, counted("p%d", 20, 5)},
		"left out [] text, of which no cell counts as a whole; learn from its words with --text x": {"x", Settings{},
			counted("this is a text %d", 20, 5)},
		"ordered [x] as asked: 3 different words": {"x", Settings{Given: []data.Column{
			{Name: "x", Kind: data.KindOrdered, Levels: []string{"S", "M", "L"}}}}, repeated(4, "S", "M", "L")},
		"category [x=1 x=2] as asked: 2 different words": {"x", Settings{Given: []data.Column{{Name: "x", Kind: data.KindCategory}}},
			repeated(4, "1", "2")},
		"date [x] as asked: dates from 2020-02-01": {"x", Settings{Given: []data.Column{
			{Name: "x", Kind: data.KindDate, Format: "02/01/2006", Parts: []string{}}}}, []string{"01/02/2020", "03/04/2021"}},
		"id [] as asked": {"x", Settings{Roles: map[string]string{"x": data.KindID}}, repeated(3, "a")},
	} {
		if c.cells == nil {
			continue
		}
		col, err := table(t, c.name, c.o, c.cells...)
		if got := fmt.Sprintf("%s %v %s", col.Kind, col.Features(), col.Why); err != nil || !strings.HasPrefix(got, want) {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
}

// TestLevelsBeyondThoseCounted: of a level that was not counted, as there are more words than are, no number of cells is told.
func TestLevelsBeyondThoseCounted(t *testing.T) {
	cells := counted("%d", 30, 1)
	var levels []string
	for k := range mostOthers + 1 {
		levels = append(levels, fmt.Sprintf("w%02d", k))
		cells = append(cells, levels[k], levels[k])
	}
	col, err := table(t, "x", Settings{Given: []data.Column{{Name: "x", Kind: data.KindNumber, Levels: levels}}}, cells...)
	if err != nil {
		t.Fatal(err)
	}
	for k, l := range levels {
		want := fmt.Sprintf("; 2 cells %q: missing", l)
		if k == mostOthers {
			want = fmt.Sprintf("; cells %q: missing", l)
		}
		if !strings.Contains(col.Why, want) {
			t.Errorf("%s: no %s", col.Why, want)
		}
	}
}

// TestRefused: what can be read in two ways, or in none, names its line, what and the way out.
func TestRefused(t *testing.T) {
	for want, c := range map[string]struct {
		o     Settings
		cells []string
	}{
		`2 column "x": "1,000" can be a number of thousands or have a decimal comma`: {Settings{Delimiter: '\t'}, []string{"1,000", "2,500"}},
		`6 column "x": "abc" is no number, as 6 of 7 cells are`:                      {Settings{}, []string{"1", "2", "3", "4", "abc", "6", "7"}},
		`3 column "x": the unit g, where kg stands before`:                           {Settings{}, []string{"1 kg", "2 g"}},
		`3 column "x": "2.7" has no decimal comma, which other cells have`:           {Settings{}, []string{"3,5", "2.7"}},
		`2 column "x": "01/02/2020" can be a day and a month`:                        {Settings{}, []string{"01/02/2020", "03/04/2021"}},
		`4 column "x": "inf" is not finite`:                                          {Settings{}, []string{"1", "2", "inf"}},
		`0 column "x": levels of the kind ordered are not given`: {Settings{Given: []data.Column{{Name: "x", Kind: data.KindOrdered}}},
			repeated(2, "a", "b")},
		`2 column "x": its cells are not all dates`: {Settings{Given: []data.Column{{Name: "x", Kind: data.KindDate}}}, repeated(2, "a", "b")},
		`0 no column "y"`: {Settings{Given: []data.Column{{Name: "y"}}}, []string{"1"}},
	} {
		_, err := table(t, "x", c.o, c.cells...)
		var f *Fault
		if !errors.As(err, &f) || !strings.HasPrefix(fmt.Sprint(f.Line, " ", f.What), want) || f.Remedy == "" {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if col, err := table(t, "x", Settings{}, "12A", "7B", "3C", "12A"); err != nil || col.Kind != data.KindCategory {
		t.Errorf("codes are %+v, %v", col, err)
	}
}

// TestMerge: the profile of all rows is that of their parts.
func TestMerge(t *testing.T) {
	columns := [][]string{
		counted("%d", 60, 3), repeated(20, "a", "b", ""), repeated(20, "2020-01-02", "2021-05-14", "NA"), counted("w%d", 60, 0),
		repeated(20, "1,5 kg", "2", "-"), repeated(20, "no", "yes", "no"), append(counted("%d", 59, 100), "7"),
	}
	var names []string
	whole := NewProfile(len(columns))
	for c := range columns {
		names = append(names, fmt.Sprint("c", c))
		for i, cell := range columns[c] {
			whole.Add(c, []byte(cell), i+2)
		}
	}
	want, err := Decide(names, whole, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1, 7, 59} {
		joined := NewProfile(len(columns))
		for from := 0; from < 60; from += size {
			part := NewProfile(len(columns))
			for c := range columns {
				for i := from; i < min(60, from+size); i++ {
					part.Add(c, []byte(columns[c][i]), i+2)
				}
			}
			joined.Merge(travelled(t, part))
		}
		got, err := Decide(names, joined, Settings{})
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("parts of %d: %v\n%s", size, err, d)
		}
	}
}

// travelled is a profile that went through encoding/gob.
func travelled(t *testing.T, p *Profile) *Profile {
	t.Helper()
	var b bytes.Buffer
	var out Profile
	if err := errors.Join(gob.NewEncoder(&b).Encode(p), gob.NewDecoder(&b).Decode(&out)); err != nil {
		t.Fatal(err)
	}
	return &out
}

// TestBounded: a million different words, and long cells, take no more memory than a profile may.
func TestBounded(t *testing.T) {
	p := NewProfile(2)
	long := []byte(strings.Repeat("x", 1<<20))
	for i := range 50_000 {
		p.Add(0, fmt.Appendf(nil, "word %d", i), i)
	}
	for range 50 {
		p.Add(1, long, 1)
	}
	if n := p.Columns[0].Words.len(); n > mostWords {
		t.Errorf("%d words are kept", n)
	}
	for w := range p.Columns[1].Words.counted() {
		if len(w) > longestWord {
			t.Errorf("a word of %d bytes is kept", len(w))
		}
	}
	if p.Most != mostWords || NewProfile(MostColumns).Most != leastWords {
		t.Error("words of many columns are not fewer")
	}
	d, err := Decide([]string{"a", "b"}, p, Settings{})
	if err != nil || d.Columns[0].Kind != data.KindIgnored || d.Columns[1].Kind != data.KindIgnored {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestCoder: the numbers of cells, with a table that went through JSON.
func TestCoder(t *testing.T) {
	fill := 2.0
	of := data.NewTable([]data.Column{
		{Name: "n", Kind: data.KindNumber, Missing: true, Fill: &fill, Unit: "kg"},
		{Name: "w", Kind: data.KindCategory, Levels: []string{"a", "b"}, Other: true},
		{Name: "o", Kind: data.KindOrdered, Levels: []string{"S", "M", "L"}, Fill: &fill},
		{Name: "y", Kind: data.KindYesNo, Levels: []string{"no", "yes"}, Fill: &fill},
		{Name: "d", Kind: data.KindDate, Format: "2006-01-02", Fill: &fill},
		{Name: "i", Kind: data.KindIgnored},
		{Name: "c", Kind: data.KindNumber, Decimal: ",", Thousands: true, Fill: &fill},
	})
	text, err := json.Marshal(of)
	if err != nil {
		t.Fatal(err)
	}
	var read data.Table
	if err := json.Unmarshal(text, &read); err != nil || read.Check() != nil {
		t.Fatal(err)
	}
	e := NewCoder(&read)
	if got := strings.Join(e.Names(), "|"); got != "n|n missing|w=a|w=b|w other|o|y|d|c" {
		t.Error(got)
	}
	u := e.NewUnknown()
	for cells, want := range map[string]string{
		"3 kg|a|M|yes|2000-01-01|q|1.234,5":  "[3 0 1 0 0 0.5 1 0 1234.5]",
		"|c|L|no|2000-01-01|q|7":             "[2 1 0 0 1 1 0 0 7]",
		"(3 kg)|a|M|yes|2000-01-01|q|(1,5)":  "[-3 0 1 0 0 0.5 1 0 -1.5]",
		"1,234.5|a|M|yes|2000-01-01|q|1'234": "[1234.5 0 1 0 0 0.5 1 0 1234]",
		"NA|?|XL||NA|q|-":                    "[2 1 0 0 0 2 2 2 2]",
	} {
		row := make([]float64, e.Dim())
		for i, c := range strings.Split(cells, "|") {
			if what, _ := e.Set(row, i, []byte(c), u); what != "" {
				t.Errorf("%s: %s", c, what)
			}
		}
		if got := fmt.Sprint(row); got != want {
			t.Errorf("%s: %s, want %s", cells, got, want)
		}
	}
	if says := strings.Join(u.Says(e), "\n"); !strings.Contains(says,
		`column "o": 1 row with words that were not learned from, such as "XL"`) ||
		strings.Count(says, "no value in 1 row, though all that were learned from have one") != 4 || strings.Contains(says, `"n"`) {
		t.Error(says)
	}
	for cell, want := range map[string]string{"x": "is no number", "1,234": "can be a number of thousands",
		"3 g": "has the unit g, where kg was learned from"} {
		if what, remedy := e.Set(make([]float64, e.Dim()), 0, []byte(cell), u); !strings.Contains(what, want) || remedy == "" {
			t.Errorf("%s: %s", cell, what)
		}
	}
	if what, _ := e.Set(make([]float64, e.Dim()), 4, []byte("01.02.2000"), u); !strings.Contains(what, "no date of the format 2006-01-02") {
		t.Error(what)
	}
}

// TestComplete: missing numbers are the median of the others.
func TestComplete(t *testing.T) {
	of := data.NewTable([]data.Column{{Name: "a", Kind: data.KindNumber, Missing: true}, {Name: "b", Kind: data.KindCategory,
		Levels: []string{"x"}}})
	e := NewCoder(of)
	nan := math.NaN()
	rows := data.Rows{Dense: mat.NewDense(5, 3, []float64{1, 0, 1, nan, 1, 0, 4, 0, 1, 2, 0, 0, 9, 0, 1})}
	e.Complete(rows)
	if *of.Columns[0].Fill != 3 || rows.Dense.At(1, 0) != 3 || of.Columns[1].Fill != nil {
		t.Errorf("%+v, %v", of.Columns, mat.Formatted(rows.Dense))
	}
}

// TestTurn: parts of dates are on circles, so that the last of them is beside the first.
func TestTurn(t *testing.T) {
	at := func(cell, part string) [2]float64 {
		d, ok := parseDate([]byte(cell), "2006-01-02 15:04")
		if !ok {
			t.Fatal(cell)
		}
		s, c := turn(d, part)
		return [2]float64{s, c}
	}
	far := func(a, b [2]float64) float64 { return math.Hypot(a[0]-b[0], a[1]-b[1]) }
	for part, c := range map[string][3]string{
		"month":   {"2020-12-31 10:00", "2021-01-01 10:00", "2020-06-30 10:00"},
		"weekday": {"2024-06-01 10:00", "2024-06-02 10:00", "2024-06-05 10:00"},
		"hour":    {"2020-01-01 23:30", "2020-01-01 00:30", "2020-01-01 12:00"},
	} {
		a, b, other := at(c[0], part), at(c[1], part), at(c[2], part)
		if far(a, b) > 0.9 || far(a, other) < 1.7 {
			t.Errorf("%s: %g and %g", part, far(a, b), far(a, other))
		}
	}
}

// FuzzNumber: no cell ends in a panic, and a plain number is read as it is.
func FuzzNumber(f *testing.F) {
	for _, s := range []string{"1,234.5", "1'234", "-", "+", "1e5", "1e+", "$", "$ 5 x", "\xc2", "1\u00a0234,5", ".,", "5,"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, cell []byte) {
		r, ok := readNumber(cell)
		if v, plain := data.Number(string(cell)); plain && !math.IsInf(v, 0) && (!ok || r.point != v) && len(cell) <= longestNumber {
			t.Errorf("%q: %+v, %v, want %g", cell, r, ok, v)
		}
		p := NewProfile(1)
		p.Add(0, cell, 1)
		d, err := Decide([]string{"x"}, p, Settings{Delimiter: ','})
		if err != nil {
			return
		}
		e := NewCoder(d)
		if what, _ := e.Set(make([]float64, e.Dim()), 0, cell, e.NewUnknown()); what != "" {
			t.Errorf("%q was decided to be %+v and is refused: %s", cell, d.Columns[0], what)
		}
	})
}

// TestDatesOfSpreadsheets: days and months without zeros, years of two digits, halves of a day and times alone.
func TestDatesOfSpreadsheets(t *testing.T) {
	for cells, want := range map[string]string{
		"1/31/2020 15:04|12/1/2020 9:05":            "1/2/2006 15:04: dates from 2020-01-31 to 2020-12-01",
		"1/31/2020 3:04 PM|12/1/2020 9:05 AM":       "1/2/2006 3:04 PM: dates from 2020-01-31 to 2020-12-01",
		"31/1/2020 3:04:10 PM|1/12/2020 9:05:59 AM": "2/1/2006 3:04:05 PM: dates from 2020-01-31 to 2020-12-01",
		"31.01.20|01.12.99":                         "02.01.06: dates from 1999-12-01 to 2020-01-31",
		"1/31/20|12/1/20":                           "1/2/06: dates from 2020-01-31 to 2020-12-01",
		"7:30|18:05|23:59":                          "15:04: times from 07:30 to 23:59",
		"7:30 AM|6:05 PM":                           "3:04 PM: times from 07:30 to 18:05",
	} {
		c, err := table(t, "x", Settings{}, strings.Split(cells, "|")...)
		if got := c.Format + ": " + c.Why; err != nil || c.Kind != data.KindDate || got != want {
			t.Errorf("%s: %s %s, %v, want %s", cells, c.Kind, got, err, want)
		}
	}
	for _, cells := range []string{"1/2/2020 15:04|3/4/2020 9:05", "1/2/20|3/4/20"} {
		if _, err := table(t, "x", Settings{}, strings.Split(cells, "|")...); err == nil || !strings.Contains(err.Error(),
			"a month and a day") {
			t.Errorf("%s: %v", cells, err)
		}
	}
	if c, err := table(t, "x", Settings{}, "3:1", "2:0", "25:10", "3:1"); err != nil || c.Kind != data.KindCategory {
		t.Errorf("results of games: %v, %v", c.Kind, err)
	}
}

// Every layout that docs/tables.md lists makes a column of dates, in which days and months are told apart by a day above 12.
func TestLayouts(t *testing.T) {
	for _, l := range layouts {
		var cells []string
		for i := range 30 {
			cells = append(cells, time.Date(2001+i, time.Month(1+i%12), 13+i%15, i%24, i, 0, 0, time.UTC).Format(l))
		}
		if c, err := table(t, "x", Settings{}, cells...); err != nil || c.Kind != data.KindDate {
			t.Errorf("%s: kind %q, %s, %v", l, c.Kind, c.Why, err)
		}
	}
}

// TestExample: the example of a table is read by it as medians, first words and nothing that it does not know.
func TestExample(t *testing.T) {
	half, years, third := 1234.5, 24.36, 0.4
	of := data.NewTable([]data.Column{
		{Name: "id", Kind: data.KindID},
		{Name: "size", Kind: data.KindNumber, Fill: &half},
		{Name: "price", Kind: data.KindNumber, Fill: &half, Decimal: ","},
		{Name: "when", Kind: data.KindDate, Fill: &years, Format: "2 January 2006"},
		{Name: "colour", Kind: data.KindCategory, Levels: []string{"blue", "red"}},
		{Name: "grade", Kind: data.KindOrdered, Levels: []string{"low", "middle", "high"}, Fill: &third},
		{Name: "paid", Kind: data.KindYesNo, Levels: []string{"no", "yes"}, Fill: &third},
		{Name: "unseen", Kind: data.KindNumber, Missing: true},
		{Name: "class", Kind: data.KindLabel},
	})
	cells := Example(of)
	if diff := cmp.Diff([]string{"1234.5", "1234,5", "11 May 2024", "blue", "low", "no", ""}, cells); diff != "" {
		t.Fatal(diff)
	}
	e := NewCoder(of)
	row, u := make([]float64, e.Dim()), e.NewUnknown()
	for i, at := 0, 0; i < len(of.Columns); i++ {
		if of.Columns[i].Feature() {
			if what, _ := e.Set(row, i, []byte(cells[at]), u); what != "" {
				t.Error(what)
			}
			at++
		}
	}
	if row[0] != half || row[1] != half || math.Abs(row[2]-years) > 1.0/365 || row[3] != 1 || row[5] != 0 {
		t.Errorf("%v", row)
	}
	if list := u.Says(e); len(list) > 0 {
		t.Errorf("%v", list)
	}
}

// TestDatesThatStandForNone: the first and the last days that programs know are told where they are far from the others, whole or in parts,
// and are dates like others where they are not.
func TestDatesThatStandForNone(t *testing.T) {
	day := func(i int) string { return fmt.Sprintf("20%02d-%02d-%02d", 10+i%9, 1+i%12, 1+i*7%28) }
	for odd, c := range map[string]struct{ why, guess string }{
		"9999-12-31": {"dates from 2010-01-01 to 9999-12-31", "2 dates such as 9999-12-31 are far from all others"},
		"1900-01-01": {"dates from 1900-01-01 to 2018-12-22", "2 dates such as 1900-01-01 are far from all others"},
		"0001-01-01": {"dates from 0001-01-01 to 2018-12-22", "2 dates such as 0001-01-01 are far from all others"},
		"1970-01-01": {"dates from 1970-01-01 to 2018-12-22", "2 dates such as 1970-01-01 are far from all others"},
		"2019-01-01": {"dates from 2010-01-01 to 2019-01-01", ""}, "1970-01-02": {"dates from 1970-01-02 to 2018-12-22", ""},
	} {
		for _, cut := range []int{0, 1, 30, 61} {
			all := NewProfile(1)
			for _, part := range [][2]int{{0, cut}, {cut, 62}} {
				p := NewProfile(1)
				for i := part[0]; i < part[1]; i++ {
					cell := day(i)
					if i == 0 || i == 61 {
						cell = odd
					}
					p.Rows++
					p.Add(0, []byte(cell), i+2)
				}
				all.Merge(p)
			}
			table, err := Decide([]string{"d"}, all, Settings{})
			if err != nil {
				t.Fatal(err)
			}
			col := table.Columns[0]
			if col.Kind != data.KindDate || col.Why != c.why || (c.guess == "") != (col.Guess == "") || !strings.Contains(col.Guess, c.guess) {
				t.Errorf("%s, cut at %d: %s %q, %q", odd, cut, col.Kind, col.Why, col.Guess)
			}
		}
	}
}

// TestZones: a time is read by its own clock, however its zone is written.
func TestZones(t *testing.T) {
	for text, layout := range map[string]string{
		"2024-01-05 02:00 GMT+6": "2006-01-02 15:04 MST", "2024-01-05 02:00 GMT-3": "2006-01-02 15:04 MST",
		"2024-01-05 02:00 UTC": "2006-01-02 15:04 MST", "2024-01-05T02:00:00+06:00": "2006-01-02T15:04:05Z07:00",
	} {
		at, ok := parseDate([]byte(text), layout)
		if !ok || at.Hour() != 2 || at.Day() != 5 {
			t.Errorf("%s: %v, %v", text, at, ok)
		}
	}
	one, _ := parseDate([]byte("2024-01-05 02:00 GMT+6"), "2006-01-02 15:04 MST")
	other, _ := parseDate([]byte("2024-01-05T02:00:00+06:00"), "2006-01-02T15:04:05Z07:00")
	if !one.Equal(other) || unknownZone(one) != "" || unknownZone(other) != "" {
		t.Errorf("%v and %v", one, other)
	}
	if cet, _ := parseDate([]byte("2024-01-05 02:00 CET"), "2006-01-02 15:04 MST"); unknownZone(cet) != "CET" {
		t.Errorf("%v", cet)
	}
}

// TestSignsOfMoney: a sign of the number may stand before the money, of one digit too, and no second sign behind it.
func TestSignsOfMoney(t *testing.T) {
	for cell, want := range map[string]string{
		"-$5": "-5 $", "+€7": "7 €", "-EUR 3": "-3 EUR", "-$12.5": "-12.5 $", "$4": "4 $",
		"-$-5": "", "-$+5": "", "--$5": "", "+$-5": "", "-$": "",
	} {
		got := ""
		if r, ok := readNumber([]byte(cell)); ok {
			got = fmt.Sprint(r.point, " ", string(r.unit))
		}
		if got != want {
			t.Errorf("%q: %q, want %q", cell, got, want)
		}
	}
}

// TestTextsAreNoWords: cells of four words are texts; a column of which more than half are texts is left out where half of its cells are
// different, or more than 64.
func TestTextsAreNoWords(t *testing.T) {
	texts := func(n, different int) []string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf("some words about %d", i%different)
		}
		return list
	}
	for name, c := range map[string]struct {
		cells []string
		text  bool
	}{
		"half are different": {texts(20, 10), true}, "less than half are": {texts(20, 9), false},
		"65 are different": {texts(200, 65), true}, "64 are": {texts(200, 64), false},
		"more than half are texts": {append(texts(11, 11), repeated(9, "a")...), true},
		"half are texts":           {append(texts(10, 10), repeated(10, "a")...), false},
		"three words":              {repeated(2, counted("some words %d", 10, 1)...), false}, "nine rows": {texts(9, 9), false},
	} {
		col, err := table(t, "x", Settings{}, c.cells...)
		if text := col.Kind == data.KindIgnored && strings.HasPrefix(col.Why, "text, "); err != nil || text != c.text ||
			!text && col.Kind != data.KindCategory {
			t.Errorf("%s: %s, %s, %v", name, col.Kind, col.Why, err)
		}
	}
}

// TestBoundsOfProfiles: 4096 words of a column are counted, a million of all columns, but 64 of each; sixteen words of a column of numbers,
// and eight units.
func TestBoundsOfProfiles(t *testing.T) {
	for width, want := range map[int]int{1: 4096, 256: 4096, 257: 4080, 1 << 14: 64} {
		if got := NewProfile(width).Most; got != want {
			t.Errorf("of %d columns %d words each are counted, want %d", width, got, want)
		}
	}
	for _, c := range []struct {
		form         string
		cells        int
		words, units int
		further      bool // words
	}{{"w%c", 16, 16, 0, false}, {"w%c", 17, 16, 0, true}, {"1 zor%c", 8, 0, 8, false}, {"1 zor%c", 9, 0, 8, false}} {
		p := NewProfile(1)
		for i := range c.cells {
			p.Add(0, fmt.Appendf(nil, c.form, 'a'+i), i+2)
		}
		if s := &p.Columns[0]; s.Others.len() != c.words || s.More != c.further || len(s.Units) != c.units {
			t.Errorf("%+v: %d words, further %v, %d units", c, s.Others.len(), s.More, len(s.Units))
		}
	}
}

// TestAnswersOfTwoMeanings: answers whose commas may be decimal or not are refused as other numbers are, with the first of them.
func TestAnswersOfTwoMeanings(t *testing.T) {
	o := Settings{Roles: map[string]string{"y": data.KindLabel}, Delimiter: '\t'}
	_, err := table(t, "y", o, counted("%d,500", 30, 1)...)
	var f *Fault
	if !errors.As(err, &f) || f.Line != 2 || f.Remedy != "say --decimal point or --decimal comma" ||
		!strings.HasPrefix(f.What, `column "y": "1,500" can be a number of thousands or have a decimal comma`) {
		t.Errorf("%v", err)
	}
	for _, decimal := range []string{"point", "comma"} {
		o.Decimal = decimal
		if _, err := table(t, "y", o, counted("%d,500", 30, 1)...); err != nil {
			t.Errorf("with a decimal %s: %v", decimal, err)
		}
	}
}
