package columns

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/brief"
)

// The rules by which a column is understood. The shares and counts are choices of design, told in docs/tables.md.
const (
	mostLevels   = 64  // categories with a column of their own
	mostlyNumber = 0.8 // share of numbers from which a cell that is none is a fault rather than a word
	mostlyApart  = 0.9 // share of different words from which a column names its rows
	mostlyTexts  = 0.5 // share of different words from which long ones are text
	marked       = 0.5 // share of numbers that is enough where the other cells are few different words again and again
	mostAmounts  = 20  // different answers up to which amounts may name classes
	rowsOfAmount = 3   // rows that each of them then has
	mostMarks    = 4   // different words that may stand again and again in place of numbers
	leastMarks   = 2   // cells that have each of them
	fewRows      = 10  // below which all words may differ by chance
)

// Fault is a cell or a column that cannot be understood; a Line of 0 is the column as a whole, a Column of -1 the table.
type Fault struct {
	Column int // from 0
	Place
	What, Remedy string
}

// Error returns what and remedy; file, line and column are left to callers.
func (f *Fault) Error() string { return f.What + "; " + f.Remedy }

// Settings are what the user has said of a table.
type Settings struct {
	// Given are columns as the user wants them: by name, in any order. What a given column does not say is found from
	// its cells.
	Given []data.Column
	// Roles are the kinds of columns that are no features, by name: the label, the id, weights, groups, and those left out.
	Roles map[string]string
	// Delimiter of cells: programs write semicolons where the decimal mark is a comma, and commas where it is a point.
	Delimiter byte
	// Numbers: the table holds numbers alone, and none of its columns counts the rows, so that it is learned from as it is.
	Numbers bool
	// Empty are cells of a column, by its name, that stand for missing ones.
	Empty map[string][]string
	// Decimal mark of numbers, comma or point, where the cells leave both; "": found by the rules.
	Decimal string
}

// Decide says what every column is. The error is a *Fault: a column that can be read in two ways, a cell that does
// not fit the others.
func Decide(names []string, p *Profile, o Settings) (*data.Table, error) {
	given, err := byName(names, o.Given)
	if err != nil {
		return nil, err
	}
	f := file{Settings: o}
	for c := range p.Columns {
		s := &p.Columns[c]
		f.commas = f.commas || s.Comma == s.Numbers && s.Point < s.Numbers && s.mostlyNumbers()
		f.likely = f.likely || s.mostlyNumbers() && f.between(s) && s.Unlike > 0
		f.points = f.points || s.mostlyNumbers() && s.points()
	}
	f.points = f.points && !f.commas
	f.likely = f.commas || f.likely && !f.points && o.Decimal != "point"
	columns := make([]data.Column, len(names))
	for c, name := range names {
		col := data.Column{Name: name}
		if g, ok := given[name]; ok {
			col = g
		}
		if kind := o.Roles[name]; kind != "" {
			col = data.Column{Name: name, Kind: kind, Why: "as asked"}
			if kind == data.KindLabel {
				col.Why = "the answers"
				if f.commas {
					col.Decimal = ","
				}
			}
		}
		switch col.Kind {
		case data.KindLabel:
			if err = f.amounts(&col, &p.Columns[c], c); given[name].Amounts {
				col.Guess = "" // it was said
			}
		case data.KindWeight:
			f.weights(&col, &p.Columns[c], c)
		}
		if err != nil {
			return nil, err
		}
		for _, mark := range o.Empty[name] {
			if col.Kind != data.KindLabel && !slices.Contains(col.Empty, mark) {
				col.Empty = append(slices.Clip(col.Empty), mark)
			}
		}
		if err := f.column(&col, &p.Columns[c], c); err != nil {
			return nil, err
		}
		columns[c] = col
	}
	if slices.ContainsFunc(columns, func(c data.Column) bool { return c.Decimal == "," }) {
		for c := range columns {
			col, s := &columns[c], &p.Columns[c]
			if col.Kind == data.KindNumber && col.Decimal == "" && (s.points() || s.Unlike > 0) {
				col.Decimal = "." // unlike those of whole numbers, which are as the file that they stand in
			}
		}
	}
	t := data.NewTable(columns)
	return t, nil
}

// byName are the given columns, each of which must be there.
func byName(names []string, given []data.Column) (map[string]data.Column, error) {
	list := map[string]data.Column{}
	for _, g := range given {
		if !slices.Contains(names, g.Name) {
			return nil, &Fault{-1, Place{}, fmt.Sprintf("no column %q, which the file of columns has", g.Name), "correct its name there"}
		}
		list[g.Name] = g
	}
	return list, nil
}

// file is what all columns share.
type file struct {
	Settings
	commas bool // some column of numbers has decimal commas and nothing else
	likely bool // or is taken for one of these, and none has decimal points and nothing else
	points bool // some column of numbers has decimal points and nothing else, and none has decimal commas and nothing else
}

// column fills in what is not given of a column.
func (f *file) column(col *data.Column, s *seen, c int) error {
	if err := ditto(col, s, c); err != nil {
		return err
	}
	asked, told := col.Kind != "", col.Why
	if asked && !col.Feature() {
		return nil
	}
	if !asked {
		f.leftOut(col, s)
	}
	if col.Kind == data.KindIgnored {
		return nil
	}
	missing := s.Missing
	rest := s.Cells - s.Blank
	var err error
	switch kind := col.Kind; {
	case kind == "" && s.coded():
		if err = f.words(col, s, c); err == nil && col.Kind == data.KindCategory {
			col.Why = fmt.Sprintf("codes of %d digits, of which some begin with 0: %s", s.Length, col.Why)
			col.Guess = "codes of one length, of which some begin with 0, are words and no numbers"
		}
	case s.Infinite.Line > 0 && s.Numbers > 0 && kind != data.KindCategory:
		return &Fault{c, s.Infinite, fmt.Sprintf("column %q: %q is not finite", col.Name, s.Infinite.Text),
			"give a number, or leave the cell empty"}
	case kind == "" && s.compact():
		missing += s.Blank
		if err = f.date(col, s, c); err == nil {
			col.Guess = fmt.Sprintf("numbers such as %s are dates", s.First.Text)
		}
	case kind == data.KindNumber, kind == "" && rest > 0 && (s.mostlyNumbers() || s.isMarked()) && !f.codes(s):
		missing += s.Blank
		err = f.number(col, s, c)
	case kind == data.KindDate, kind == "" && rest > 0 && float64(s.mostDates()) >= mostlyNumber*float64(rest):
		missing += s.Blank
		err = f.date(col, s, c)
	case kind == data.KindCategory, kind == data.KindOrdered, kind == data.KindYesNo, kind == "":
		err = f.words(col, s, c)
	}
	if err != nil {
		return err
	}
	if col.Kind != data.KindIgnored && missing > 0 {
		col.Missing = true
		if s.Zeros > 0 && col.Kind == data.KindDate {
			col.Guess = fmt.Sprintf("%d cells such as %s are missing", s.Zeros, s.Zero.Text)
			col.Why += fmt.Sprintf("; %s is missing", s.Zero.Text)
		}
		as := "which count as the median, with a column that says where"
		if col.Kind == data.KindCategory {
			as = "which are a category"
		}
		col.Why += fmt.Sprintf("; %d of %d missing, %s", missing, s.Missing+s.Cells, as)
	}
	if asked {
		col.Why = cmp.Or(told, "as asked: "+col.Why)
	}
	return nil
}

// leftOut finds columns that say nothing of a row but its name.
func (f *file) leftOut(col *data.Column, s *seen) {
	why := ""
	switch {
	case s.Cells == 0:
		why = "no cell has a value"
	case f.Numbers:
		return // what is constant does no harm, and features keep their places
	case s.Missing == 0 && s.Overflow == 0 && s.Words.len() == 1:
		why = fmt.Sprintf("every cell is %q", shortened(s.Words.of(0)))
	case s.Missing+s.Blank == 0 && s.Numbers == s.Cells && s.Unitless == s.Cells && s.Steps && s.Cells >= fewRows && !timely(col.Name):
		why = fmt.Sprintf("counts the rows from %.15g to %.15g", s.From, s.To)
	case s.Numbers == s.Cells && s.Whole && named(col.Name) && s.Cells >= fewRows && s.Words.len() == s.counted():
		why = "its name and its numbers, which are all different, are those of an id"
	default:
		return
	}
	col.Kind, col.Why = data.KindIgnored, why
}

// named says whether a column is called as ids are.
func named(name string) bool {
	lower := strings.ToLower(strings.TrimSpace(name))
	if slices.Contains([]string{"id", "ids", "index", "idx", "row", "rowid", "rownum", "no", "no.", "nr", "nr.", "key", "uid",
		"uuid", "guid", "#",
		"number", "record", "case", "caseid"}, lower) || strings.HasPrefix(lower, "unnamed") {
		return true
	}
	for _, end := range []string{"_id", " id", "-id", ".id", "_no", "_nr", "_key", "number"} {
		if strings.HasSuffix(lower, end) {
			return true
		}
	}
	runes := []rune(name)
	return len(runes) > 2 && strings.HasSuffix(name, "ID") || strings.HasSuffix(name, "Id") && len(runes) > 2 &&
		unicode.IsLower(runes[len(runes)-3])
}

// timely says whether a column is called as times are, which may well count and yet matter.
func timely(name string) bool {
	lower := strings.ToLower(name)
	return lower == "t" || slices.ContainsFunc([]string{"time", "day", "date", "week", "month", "year", "hour", "minute", "step", "age"},
		func(part string) bool { return strings.Contains(lower, part) })
}

// mostlyNumbers says whether so many cells are numbers that the others are faults.
func (s *seen) mostlyNumbers() bool {
	return float64(s.Numbers) >= mostlyNumber*float64(s.Cells-s.Blank)
}

// Coded says whether column c holds codes such as 01234.
func (p *Profile) Coded(c int) bool { return p.Columns[c].coded() }

// coded says whether all cells are codes such as 01234: digits of one length, of which some begin with 0.
func (s *seen) coded() bool {
	return s.Codes > 0 && s.Length > 1 && s.Numbers == s.Cells-s.Blank && s.Point == s.Numbers && s.Unitless == s.Numbers
}

// compact says whether all cells are dates such as 20180131.
func (s *seen) compact() bool {
	q, some := slices.BinarySearch(s.Layouts, compactAt)
	return some && s.Dates[q].all().N == s.Cells-s.Blank && s.Dates[q].all().N >= fewRows
}

// isMarked says whether most cells are numbers, of which many differ, and all others are a few words that recur, as <0.5 does where less
// cannot be measured.
func (s *seen) isMarked() bool {
	if s.More || s.Others.len() > mostMarks || s.Words.len()-s.Others.len() < fewRows || float64(s.Numbers) < marked*float64(s.Cells-s.Blank) {
		return false
	}
	for w, n := range s.Others.counted() {
		if n < leastMarks || len(w) > longestMark {
			return false
		}
	}
	return true
}

// mostDates are the cells that have one layout of dates, the commonest. Of 1.2.10 a day above 12 shows that it is no number of a version.
func (s *seen) mostDates() (n int) {
	for q, d := range s.Dates {
		if d.Late || layouts[s.Layouts[q]] != "2.1.06" {
			n = max(n, d.all().N)
		}
	}
	return n
}

// codes says whether numbers with letters behind them are codes such as 12A and 7B: many letters, and none of them known.
func (f *file) codes(s *seen) bool {
	if len(s.Units) < 2 {
		return false
	}
	letters := slices.ContainsFunc(s.Units, func(u Unit) bool {
		return multiplier([]byte(u.Text)) == 0 && 'A' <= u.Text[0] && u.Text[0] <= 'Z'
	})
	return slices.ContainsFunc(s.Units, func(u Unit) bool {
		return !slices.Contains(knownUnits, strings.ToLower(u.Text)) && (multiplier([]byte(u.Text)) == 0 || letters)
	})
}

// date decides the layout of dates: the one that most cells have.
func (f *file) date(col *data.Column, s *seen, c int) error {
	col.Kind = data.KindDate
	most, rest := s.mostDates(), s.Cells-s.Blank
	likely := slices.DeleteFunc(slices.Clone(s.Layouts), func(k int) bool {
		q, _ := slices.BinarySearch(s.Layouts, k)
		return s.Dates[q].all().N < most
	})
	if len(likely) == 0 || float64(most) < mostlyNumber*float64(rest) {
		return &Fault{c, s.Other, fmt.Sprintf("column %q: its cells are not all dates of one format that is known", col.Name),
			"write them as 2006-01-31, or say \"kind\": \"category\" of the column with --columns"}
	}
	at := 0
	if col.Format != "" {
		at = slices.IndexFunc(likely, func(k int) bool { return layouts[k] == col.Format })
		if at < 0 {
			return &Fault{c, s.Other, fmt.Sprintf("column %q: its dates do not have the format %s", col.Name, col.Format),
				"use the format of its cells, one that docs/tables.md lists"}
		}
	}
	format := layouts[likely[at]]
	other := swapped[format]
	if col.Format == "" && other != "" && slices.ContainsFunc(likely, func(k int) bool { return layouts[k] == other }) {
		return &Fault{c, s.Other,
			fmt.Sprintf("column %q: %q can be a day and a month or a month and a day, and no cell says which", col.Name, s.Other.Text),
			fmt.Sprintf("write dates as 2006-01-31, or say \"format\": %q or %q of the column with --columns", format, other)}
	}
	q, _ := slices.BinarySearch(s.Layouts, likely[at])
	d := s.Dates[q]
	all := d.all()
	if most < rest && all.Last.Year() == 0 && elapsed(d.Out.Text) {
		return &Fault{c, d.Out, fmt.Sprintf("column %q: %q is no time of a day, as %d of %d cells are", col.Name, d.Out.Text, most, rest),
			"write times that have passed as numbers, of minutes say, or leave the column out with --drop"}
	}
	if most < rest {
		return &Fault{c, d.Out, fmt.Sprintf("column %q: %q is no date as %d of %d cells are, such as %q", col.Name, d.Out.Text, most, rest,
			all.First.Format(format)),
			"correct it or leave it empty, or say --missing " + OfList(d.Out.Text) + " if it stands for that"}
	}
	col.Format = format
	if strange, ok := d.strange(); ok {
		text := strange.Format(format)
		col.Guess = fmt.Sprintf("%d dates such as %s are far from all others and count as dates (--missing %s if they stand for missing ones)",
			d.Apart.N, text, OfList(text))
	}
	if d.Zone != "" {
		col.Guess = fmt.Sprintf("zones by their names, such as %s, are not counted, and times are read as they stand (write them as +01:00)",
			d.Zone)
	}
	if col.Parts == nil {
		col.Parts = slices.DeleteFunc(d.parts(), func(part string) bool { return part == "weekday" && !hasDay(format) })
	}
	if all.Last.Year() == 0 {
		col.Why = cmp.Or(col.Why, fmt.Sprintf("times from %s to %s", all.First.Format("15:04"), all.Last.Format("15:04")))
	}
	col.Why = cmp.Or(col.Why, fmt.Sprintf("dates from %s to %s", all.First.Format("2006-01-02"), all.Last.Format("2006-01-02")))
	return nil
}

// words decides the levels of a column of words.
func (f *file) words(col *data.Column, s *seen, c int) error {
	list := byCount(&s.Words)
	if col.Kind == "" && s.Cells >= fewRows {
		switch {
		case 2*s.Texts > s.Cells && (s.different() >= mostlyTexts || s.Overflow > 0 || len(list) > mostLevels):
			col.Kind = data.KindIgnored
			col.Why = fmt.Sprintf("text, of which no cell counts as a whole; learn from its words with --text %s", brief.Flagged(col.Name))
			return nil
		case s.different() >= mostlyApart:
			col.Kind, col.Why = data.KindIgnored, fmt.Sprintf("%d different words in %d cells name the rows", len(list), s.Cells)
			if s.Overflow > 0 {
				col.Why = fmt.Sprintf("more than %d different words name the rows", len(list))
			}
			switch {
			case 5*s.Digits >= 4*s.Cells:
				col.Why += fmt.Sprintf(", though %d of %d begin with a digit", s.Digits, s.Cells)
				col.Guess = fmt.Sprintf("left out, though %d of %d cells begin with a digit, such as %q", s.Digits, s.Cells, s.First.Text)
			case 2*s.Numbers >= s.Cells:
				col.Why += fmt.Sprintf(", though %d of %d are numbers", s.Numbers, s.Cells)
				col.Guess = fmt.Sprintf("left out, though %d of %d cells are numbers; others are such as %q", s.Numbers, s.Cells, s.Other.Text)
			}
			return nil
		}
	}
	if pair := yesNo(list); pair != nil && s.Overflow == 0 && (col.Kind == "" || col.Kind == data.KindYesNo && col.Levels == nil) {
		col.Kind, col.Levels, col.Why = data.KindYesNo, pair, fmt.Sprintf("%s and %s", pair[0], pair[1])
		return nil
	}
	if col.Kind == "" && 2*s.Unitless >= s.Cells && len(list) >= fewRows {
		col.Guess = fmt.Sprintf("words, though %d of %d cells are numbers; others are such as %q", s.Unitless, s.Cells, s.Other.Text)
	}
	col.Kind = cmp.Or(col.Kind, data.KindCategory)
	if col.Kind != data.KindCategory && col.Levels == nil {
		return &Fault{c, Place{}, fmt.Sprintf("column %q: levels of the kind %s are not given", col.Name, col.Kind),
			"list them in \"levels\", the lowest first"}
	}
	if col.Levels == nil {
		f.levels(col, list, s)
	} else if col.Kind != data.KindCategory {
		for _, w := range list {
			if !slices.Contains(col.Levels, w) {
				return &Fault{c, Place{}, fmt.Sprintf("column %q: %q is none of its levels %s", col.Name, w,
					strings.Join(col.Levels, ", ")),
					"list it in \"levels\", or correct the cell"}
			}
		}
	}
	if col.Why == "" {
		col.Why = fmt.Sprintf("%d different words", len(list))
		if s.Overflow > 0 {
			col.Why = fmt.Sprintf("more than %d different words", len(list))
		}
		if col.Other {
			col.Why += fmt.Sprintf("; those beyond the %d commonest are one category", len(col.Levels))
		}
		if same := data.InCaseAlone(list); same != nil {
			col.Why += fmt.Sprintf("; %s differ in case alone and are different: spell them alike if they are one",
				strings.Join(same, ", "))
		}
	}
	return nil
}

// levels are the commonest words.
func (f *file) levels(col *data.Column, list []string, s *seen) {
	col.Levels = slices.Clone(list)
	if len(list) > mostLevels || s.Overflow > 0 {
		col.Levels, col.Other = col.Levels[:min(mostLevels, len(list))], true
	}
	slices.Sort(col.Levels)
}

// byCount lists words, the commonest first and those of one count in the order of their names.
func byCount(w *words) []string {
	list, cells := w.all(), w.counted()
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(cells[b]-cells[a], strings.Compare(a, b)) })
	return list
}
