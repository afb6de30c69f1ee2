package columns

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/pathtest"
)

// understood is a column by its cells, with what was said of it.
type understood struct {
	what, name string
	o          Settings
	cells      []string
}

// mixed are n cells of a format with their number, and then others.
func mixed(format string, n int, others ...string) []string {
	return append(counted(format, n, 11), others...)
}

// spread are n whole numbers that differ and do not count.
func spread(format string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(format, 7*i*i%1009+i)
	}
	return list
}

// alphabet are n words that stand as often.
func alphabet(n, times int) []string {
	words := make([]string, n)
	for k := range words {
		words[k] = fmt.Sprintf("%c%c", 'a'+k/26, 'a'+k%26)
	}
	return repeated(times, words...)
}

// columnsOfNumbers are on both sides of each bound of the rules for numbers.
func columnsOfNumbers() []understood {
	list := []understood{
		{"four of five are numbers", "x", Settings{}, mixed("%d", 8, "a", "b")},
		{"fewer are numbers", "x", Settings{}, mixed("%d", 7, "a", "b", "c")},
		{"two words recur", "x", Settings{}, mixed("%d", 8, "lo", "lo", "hi", "hi")},
		{"a word does not recur", "x", Settings{}, mixed("%d", 28, "lo", "lo", "hi")},
		{"four words recur", "x", Settings{}, mixed("%d", 40, "a", "b", "c", "d", "a", "b", "c", "d")},
		{"five words recur", "x", Settings{}, mixed("%d", 60, "a", "b", "c", "d", "e", "a", "b", "c", "d", "e")},
		{"half are numbers, of which ten differ", "x", Settings{}, append(mixed("%d", 10), repeated(5, "<0.5", "any")...)},
		{"less than half are numbers", "x", Settings{}, append(mixed("%d", 10), repeated(6, "<0.5", "any")...)},
		{"half are numbers, of which nine differ", "x", Settings{}, append(mixed("%d", 9), repeated(4, "<0.5", "any")...)},
		{"marks of thirteen letters", "x", Settings{}, mixed("%d", 40, "abcdefghijklm", "abcdefghijklm")},
		{"marks of fourteen letters", "x", Settings{}, mixed("%d", 40, "abcdefghijklmn", "abcdefghijklmn")},
		{"a mark for the shell", "x", Settings{}, mixed("%d", 9, "it's more")},
		{"seventeen other words", "x", Settings{}, append(counted("%d", 90, 5), counted("w%d", 17, 3)...)},
		{"as asked", "x", Settings{Given: []data.Column{{Name: "x", Kind: data.KindNumber}}}, mixed("%d", 3, "a", "b", "c", "c")},
		{"infinite", "x", Settings{}, []string{"1", "-Infinity", "3"}},
		{"infinite words", "x", Settings{Given: []data.Column{{Name: "x", Kind: data.KindCategory}}}, []string{"1", "inf", "inf", "1"}},
		{"blanks", "x", Settings{}, []string{"1", ".", "3.5", "n.d.", "-", "#N/A", "NaT", "7"}},
		{"its own blanks", "x", Settings{Empty: map[string][]string{"x": {"-9", "none at all"}}}, []string{"1", "-9", "none at all", "2", "4"}},
		{"codes", "zip", Settings{}, repeated(3, "01234", "99999", "04229")},
		{"codes of two lengths", "zip", Settings{}, repeated(3, "01234", "99999", "4229")},
		{"codes of one digit", "zip", Settings{}, repeated(3, "0", "1", "7", "3")},
		{"codes with a word", "zip", Settings{}, repeated(3, "01234", "99999", "none given")},
		{"flats", "x", Settings{}, repeated(4, "12A", "7B", "3C")},
		{"kilobytes and megabytes", "x", Settings{}, repeated(2, "12K", "7M", "3K")},
		{"a unit that most have", "x", Settings{}, []string{"1 zorn", "2 zorn", "3", "5 zorn"}},
		{"a unit that half have", "x", Settings{}, []string{"1 zorn", "2 zorn", "3", "5"}},
		{"two unknown units", "x", Settings{}, append(repeated(9, "1 zorn", "3 zorn"), "7 bork")},
		{"a unit of twelve letters", "x", Settings{}, []string{"1 zornzornzorn", "2 zornzornzorn", "3"}},
		{"a unit of thirteen letters", "x", Settings{}, []string{"1 zornzornzorns", "2 zornzornzorns", "3"}},
		{"a number of 64 digits", "x", Settings{}, []string{strings.Repeat("1", 64) + "", "2", "3"}},
		{"a number of 65 digits", "x", Settings{}, []string{strings.Repeat("1", 65) + "", "2", "3"}},
		{"ditto", "x", Settings{}, []string{"1", `"`, "3"}},
		{"ditto of words", "x", Settings{}, []string{"a", "''", "b", "''"}},
		{"a known unit that one has", "x", Settings{}, []string{"1", "2", "3", "5 kg"}},
		{"two known units", "x", Settings{}, []string{"1 kg", "2 kg", "3 kg", "5 lb"}},
		{"percentages and fractions", "x", Settings{}, []string{"0.25", "0.5", "30 %", "1"}},
		{"percentages and numbers", "x", Settings{}, []string{"0.25", "1.5", "30 %", "1"}},
		{"percentages below one", "x", Settings{}, []string{"0.25", "0.5", "0.3 %", "1"}},
		{"a unit that is given", "x", Settings{Given: []data.Column{{Name: "x", Unit: "m"}}}, []string{"1 m", "2", "4 m"}},
		{"at least", "x", Settings{}, []string{"1+", "2", "4+", "7"}},
		{"thousands beside four digits", "x", Settings{Delimiter: ','}, []string{"1,500", "2,000", "2500"}},
		{"thousands and a point", "x", Settings{Delimiter: ';'}, []string{"1,500", "2,500.5", "25"}},
		{"round thousands", "x", Settings{Delimiter: '\t'}, []string{"1,000", "2,000", "25,000"}},
		{"a comma and a point", "x", Settings{Delimiter: ';'}, []string{"1,5", "2,25", "2.5"}},
		{"points between thousands", "x", Settings{Delimiter: ';'}, []string{"1.500", "2.250", "12.500"}},
		{"points between thousands, and commas", "x", Settings{Delimiter: ';'}, []string{"1.500", "2.250,5", "12.500"}},
		{"a mark that is given", "x", Settings{Decimal: "comma", Delimiter: '\t'}, []string{"1,500", "2,500"}},
		{"another mark that is given", "x", Settings{Decimal: "point", Delimiter: '\t'}, []string{"1,500", "2,500"}},
		{"commas where points were said", "x", Settings{Decimal: "point", Delimiter: ';'}, []string{"1,5", "7", "2,25"}},
		{"points where commas were said", "x", Settings{Decimal: "comma", Delimiter: ';'}, []string{"7", "1.5", "2.25"}},
		{"whole numbers where commas were said", "x", Settings{Decimal: "comma", Delimiter: ';'}, []string{"7", "9", "12"}},
		{"all alike, with a gap", "x", Settings{}, []string{"7", "", "7", "7"}},
		{"all alike", "x", Settings{}, repeated(4, "7")},
		{"all alike in a table of numbers", "x", Settings{Numbers: true}, repeated(4, "7")},
		{"counting nine", "x", Settings{}, counted("%d", 9, -3)},
		{"counting ten", "x", Settings{}, counted("%d", 10, -3)},
		{"counting with a gap", "x", Settings{}, append(counted("%d", 10, 1), "", "11")},
		{"counting metres", "x", Settings{}, counted("%d m", 10, 1)},
		{"amounts of many kinds", "y", Settings{Roles: map[string]string{"y": data.KindLabel}}, spread("$%d,250", 30)},
		{"amounts of twenty kinds", "y", Settings{Roles: map[string]string{"y": data.KindLabel}}, repeated(3, spread("$%d", 20)...)},
		{"amounts of twenty-one kinds", "y", Settings{Roles: map[string]string{"y": data.KindLabel}}, repeated(3, spread("$%d", 21)...)},
		{"amounts that two rows have", "y", Settings{Roles: map[string]string{"y": data.KindLabel}}, repeated(2, spread("$%d", 20)...)},
		{"answers with decimal commas", "y", Settings{Roles: map[string]string{"y": data.KindLabel}}, spread("%d,5", 30)},
		{"plain answers", "y", Settings{Roles: map[string]string{"y": data.KindLabel}}, spread("%d.5", 30)},
		{"weights", "w", Settings{Roles: map[string]string{"w": data.KindWeight}}, spread("%d", 12)},
		{"a column that is not there", "x", Settings{Given: []data.Column{{Name: "z"}}}, []string{"1"}},
	}
	for _, name := range []string{"id", "No.", "rowid", "Unnamed: 0", "user_id", "user id", "order_no", "part_key", "caseNumber", "userId",
		"userID", "ID", "aId", "AId", "paid", "Id", "step", "T", "Age", "x"} {
		list = append(list, understood{"called " + name, name, Settings{}, spread("%d", 10)})
	}
	for _, name := range []string{"t", "weekend", "birthdate", "steps", "page", "tt"} {
		list = append(list, understood{"counting " + name, name, Settings{}, counted("%d", 10, 1)})
	}
	return append(list, understood{"nine of an id", "id", Settings{}, spread("%d", 9)},
		understood{"an id that is there twice", "id", Settings{}, append(spread("%d", 10), "7", "8")})
}

// columnsOfWords are on both sides of each bound of the rules for words.
func columnsOfWords() []understood {
	list := []understood{
		{"ten words", "x", Settings{}, counted("p%c", 10, 'a')},
		{"nine words", "x", Settings{}, counted("p%c", 9, 'a')},
		{"nine of ten differ", "x", Settings{}, append(counted("p%c", 9, 'a'), "pa")},
		{"eight of ten differ", "x", Settings{}, append(counted("p%c", 8, 'a'), "pa", "pb")},
		{"four of five begin with a digit", "x", Settings{}, append(counted("%dp", 8, 11), "a", "b")},
		{"seven of ten begin with a digit", "x", Settings{}, append(counted("%dp q", 7, 11), "a", "b", "c")},
		{"half are numbers", "x", Settings{}, append(counted("%d", 5, 11), counted("p%c", 5, 'a')...)},
		{"less than half are numbers", "x", Settings{}, append(counted("%d", 4, 11), counted("p%c", 6, 'a')...)},
		{"more than half are texts", "x", Settings{}, append(counted("some words %d", 6, 1), "a", "a", "b", "b")},
		{"half are texts", "x", Settings{}, append(counted("some words %d", 5, 1), "a", "a", "b", "b", "b")},
		{"texts that recur", "x", Settings{}, repeated(4, "some words here", "other words here", "a")},
		{"texts of half", "x", Settings{}, repeated(2, counted("some words %d", 6, 1)...)},
		{"texts of less than half", "x", Settings{}, repeated(3, counted("some words %d", 6, 1)...)},
		{"long cells", "x", Settings{}, repeated(6, strings.Repeat("a", 200), strings.Repeat("a", 201))},
		{"64 words", "x", Settings{}, alphabet(64, 3)},
		{"65 words", "x", Settings{}, append(alphabet(65, 3), alphabet(64, 1)...)},
		{"more words than are counted", "x", Settings{}, counted("p%d", mostWords+40, 1)},
		{"as many words as are counted", "x", Settings{}, counted("p%d", mostWords, 1)},
		{"words that are counted no longer", "x", Settings{}, repeated(2, counted("p%d", mostWords+40, 1)...)},
		{"yes and no", "x", Settings{}, repeated(2, "Yes", "No", "")},
		{"yes, no and more", "x", Settings{}, repeated(2, "Yes", "No", "Perhaps")},
		{"as asked", "x", Settings{Given: []data.Column{{Name: "x", Kind: data.KindYesNo, Levels: []string{"b", "a"}}}}, repeated(2, "a", "b")},
		{"yes and no as asked", "x", Settings{Given: []data.Column{{Name: "x", Kind: data.KindYesNo}}}, repeated(2, "oui", "non")},
		{"an order", "x", Settings{Given: []data.Column{{Name: "x", Kind: data.KindOrdered, Levels: []string{"S", "M", "L"}, Why: "sizes"}}},
			repeated(2, "S", "L", "M", "")},
		{"an order without one", "x", Settings{Given: []data.Column{{Name: "x", Kind: data.KindOrdered, Levels: []string{"S", "L"}}}},
			repeated(2, "S", "L", "M")},
		{"levels that are given", "x", Settings{Given: []data.Column{{Name: "x", Kind: data.KindCategory, Levels: []string{"b", "c"}}}},
			repeated(2, "a", "b")},
		{"case alone", "x", Settings{}, repeated(3, "Red", "red", "blue")},
		{"marks that are words", "x", Settings{}, repeated(3, "unknown", "-", "a", "N/A")},
		{"a mark that is a level", "x", Settings{Given: []data.Column{{Name: "x", Kind: data.KindCategory, Levels: []string{"NA", "a"}}}},
			repeated(3, "NA", "a", "?")},
		{"nothing at all", "x", Settings{}, []string{"", "NA", "?"}},
		{"left out as asked", "x", Settings{Roles: map[string]string{"x": data.KindIgnored}}, repeated(3, "a", "b")},
	}
	return list
}

// columnsOfDates have every layout, and what is nearly a date.
func columnsOfDates() []understood {
	list := []understood{
		{"eight digits, the first and the last", "x", Settings{}, append(counted("201801%d", 10, 11), "19000101", "20991231")},
		{"eight digits, too early", "x", Settings{}, append(counted("201801%d", 10, 11), "18991231")},
		{"eight digits, too late", "x", Settings{}, append(counted("201801%d", 10, 11), "21000101")},
		{"eight digits, nine rows", "x", Settings{}, counted("201801%d", 9, 11)},
		{"eight digits, no day", "x", Settings{}, append(counted("201801%d", 10, 11), "20180431")},
		{"days or months", "x", Settings{}, []string{"01/02/2020", "03/04/2021"}},
		{"days", "x", Settings{}, []string{"01/02/2020", "13/04/2021"}},
		{"months", "x", Settings{}, []string{"01/02/2020", "03/14/2021"}},
		{"versions", "x", Settings{}, repeated(3, "1.2.10", "2.3.11", "1.4.12")},
		{"days of two digits", "x", Settings{}, repeated(3, "13.2.10", "2.3.11", "1.4.12")},
		{"another format than asked", "x", Settings{Given: []data.Column{{Name: "x", Kind: data.KindDate, Format: "01/02/2006"}}},
			[]string{"13/02/2020", "14/04/2021"}},
		{"a word among dates", "x", Settings{}, append(counted("2020-03-%d", 10, 11), "soon")},
		{"a word among few dates", "x", Settings{}, append(counted("2020-03-%d", 3, 11), "soon")},
		{"times of a day", "x", Settings{}, []string{"03:15", "23:59", "00:00"}},
		{"times that have passed", "x", Settings{}, append(counted("%d:30", 10, 11), "24:10")},
		{"no time", "x", Settings{}, append(counted("%d:30", 10, 11), "23:71")},
		{"dates of zeros", "x", Settings{}, []string{"2020-03-11", "0000-00-00", "2021-05-06", "0000-00-00 00:00:00"}},
		{"two months", "x", Settings{}, []string{"2020-03-01", "2020-05-01"}},
		{"more than two months", "x", Settings{}, []string{"2020-03-01", "2020-05-02"}},
		{"one day of the week, one hour", "x", Settings{}, []string{"2020-03-01 10:00", "2020-03-08 10:59"}},
		{"as asked", "x", Settings{Given: []data.Column{{Name: "x", Kind: data.KindDate, Parts: []string{"month", "hour"}}}},
			[]string{"2020-03-01 10:00", "2020-06-08 22:59"}},
	}
	for _, l := range layouts {
		var cells []string
		for k := range 4 {
			cells = append(cells, epoch.AddDate(1+k, 2+k, 13+k).Add(13*3600e9+31*60e9+7e9).Format(l))
		}
		list = append(list, understood{"layout " + l, "x", Settings{}, cells})
	}
	return list
}

// foreign are cells that were not learned from.
var foreign = []string{
	"", "?", "-", "zzz", "12 kg", "1,5", "1,500", "1.500", "2.5", "inf", "2021-02-03", "14:10", "0000-00-00", "12K", "yes",
}

// TestColumnsAreAsTheyWere: what is said of columns on both sides of each bound of the rules, what becomes of their cells, and of others.
// A profile of two parts is that of the whole.
func TestColumnsAreAsTheyWere(t *testing.T) {
	var p pathtest.Path
	for _, c := range slices.Concat(columnsOfNumbers(), columnsOfWords(), columnsOfDates()) {
		col, err := table(t, c.name, c.o, c.cells...)
		p.Add(c.what, fmt.Sprintf("%q", some(c.cells)))
		parted, again := inParts(c)
		limited := strings.HasPrefix(col.Why, "more than") // each part counts so many words
		if fmt.Sprint(again) != fmt.Sprint(err) ||
			!limited && err == nil && fmt.Sprint(parted) != fmt.Sprint(col) {
			t.Errorf("%s: in two parts it is\n%+v, %v, as a whole\n%+v, %v", c.what, parted, again, col, err)
		}
		if fault := (*Fault)(nil); errors.As(err, &fault) {
			p.Add("  refused", fault.Line, fault.Text, fault.What, fault.Remedy)
			continue
		}
		p.Object("  column", col, 9)
		cells := slices.Concat(c.cells[:min(5, len(c.cells))], c.cells[max(0, len(c.cells)-3):], foreign)
		if strings.HasPrefix(c.what, "layout") {
			cells = c.cells[:2]
		}
		coded(&p, col, cells)
	}
	p.Compare(t, "columns")
}

// inParts decides a column by the profiles of its first third and of the rest.
func inParts(c understood) (data.Column, error) {
	whole := NewProfile(1)
	for _, part := range [][2]int{{0, len(c.cells) / 3}, {len(c.cells) / 3, len(c.cells)}} {
		p := NewProfile(1)
		for i := part[0]; i < part[1]; i++ {
			p.Add(0, []byte(c.cells[i]), i+2)
			p.Rows++
		}
		whole.Merge(p)
	}
	d, err := Decide([]string{c.name}, whole, c.o)
	if err != nil {
		return data.Column{}, err
	}
	return d.Columns[0], nil
}

// coded writes down what becomes of cells.
func coded(p *pathtest.Path, col data.Column, cells []string) {
	e := NewCoder(data.NewTable([]data.Column{col}))
	u := e.NewUnknown()
	rows := data.Rows{Dense: mat.NewDense(len(cells), max(e.Dim(), 1), nil)}
	for i, cell := range cells {
		if what, remedy := e.Set(rows.Dense.RawRowView(i), 0, []byte(cell), u); what != "" {
			p.Add("  "+cell, what, remedy)
		}
	}
	if e.Dim() > 0 {
		e.Complete(rows)
	}
	for i, cell := range cells {
		var there []any
		for j, v := range rows.Dense.RawRowView(i) {
			if v != 0 {
				there = append(there, j, v)
			}
		}
		if there != nil {
			p.Add("  "+cell, there...)
		}
		if col.Amounts {
			answer, _, _ := e.Answer([]byte(cell))
			p.Add("  answer", string(answer))
		}
	}
	for _, text := range u.Says(e) {
		p.Add("  unknown", text)
	}
}

// TestTablesInWords: columns are counted by their kinds and named, the first eight of many; features have their numbers, column by column.
func TestTablesInWords(t *testing.T) {
	var columns []data.Column
	for k := range 9 {
		columns = append(columns, data.Column{Name: fmt.Sprintf("n%d", k), Kind: data.KindNumber, Missing: k%4 == 1})
	}
	columns = append(columns, data.Column{Name: "c", Kind: data.KindCategory, Levels: []string{"a", "b"}, Missing: true},
		data.Column{Name: "d", Kind: data.KindDate, Parts: []string{"month"}}, data.Column{Name: "i", Kind: data.KindIgnored, Why: "as asked"},
		data.Column{Name: "y", Kind: data.KindYesNo, Levels: []string{"no", "yes"}}, data.Column{Name: "id", Kind: data.KindID},
		data.Column{Name: "e", Kind: data.KindCategory, Levels: []string{"a"}, Other: true},
		data.Column{Name: "o", Kind: data.KindOrdered, Levels: []string{"S", "M", "L"}})
	table := data.NewTable(columns)
	const nine = "n0, n1, n2, n3, n4, n5, n6, n7, ... (9 in all)"
	if got, want := Summary(table), []string{"number: " + nine, "category: c (2), e (1)", "ordered: o", "yes-no: y", "date: d",
		"with missing cells: n1, n5, c", "left out: i (as asked)"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := Kinds(table), []string{"9 columns of numbers", "2 of words", "1 of words in an order", "1 yes-no", "1 of dates",
		"left out: i"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Kinds(data.NewTable(columns[1:2])); !slices.Equal(got, []string{"1 column of numbers"}) {
		t.Errorf("%q", got)
	}
	var parts []string
	for _, p := range Parts(table, 0, nil) {
		if p.Of == nil || p.Of.Name != p.Name {
			t.Errorf("%s is of %v", p.Name, p.Of)
		}
		parts = append(parts, fmt.Sprint(p.Name, p.At))
	}
	if want := "n0[0] n1[1 2] n2[3] n3[4] n4[5] n5[6 7] n6[8] n7[9] n8[10] c[11 12 13] d[14 15 16] y[17] e[18 19] o[20]"; strings.Join(parts,
		" ") != want {
		t.Errorf("%q, want %q", parts, want)
	}
	for want, names := range map[string][]string{"[{1 <nil> [0]} {2 <nil> [1]}]": nil, "[{a <nil> [0]} {b <nil> [1]}]": {"a", "b"}} {
		if got := fmt.Sprint(Parts(nil, 2, names)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
