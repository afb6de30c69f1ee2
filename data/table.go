package data

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Kinds of columns.
const (
	KindNumber   = "number"   // a number, perhaps with a unit
	KindCategory = "category" // words: a column of zeros and ones for each level
	KindOrdered  = "ordered"  // words in an order: the number of the level over the last one's
	KindYesNo    = "yes-no"   // two words of which the second is 1
	KindDate     = "date"     // years since 2000, and parts of the date
	KindIgnored  = "left out" // no feature
	KindLabel    = "label"    // the answers
	KindID       = "id"       // carried into predictions
	KindWeight   = "weight"   // of the row
	KindGroup    = "group"    // rows that folds keep together
)

// kinds are all of them.
var kinds = []string{KindNumber, KindCategory, KindOrdered, KindYesNo, KindDate, KindIgnored, KindLabel, KindID, KindWeight, KindGroup}

// tableVersion is that of the JSON of a Table.
const tableVersion = 1

// Table says how the columns of a table become numbers, in the order of the file: part of every model of a table
// that holds more than numbers. Package internal/columns decides it and carries it out.
type Table struct {
	Version int      `json:"version"`
	Columns []Column `json:"columns"`
}

// Column says how one column becomes numbers. Zero fields of a column that is given by hand are found from its cells.
type Column struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	// Levels of category, sorted; of ordered, in their order; of yes-no, no and then yes; of number, words that recur in place of numbers,
	// each with a column of zeros and ones of its own.
	Levels []string `json:"levels,omitempty"`
	// Other: words that are no level have one more column together, of a category.
	Other bool `json:"other,omitempty"`
	// Missing: cells are missing in training, so a further column says where.
	Missing bool `json:"missing,omitempty"`
	// Empty are cells that stand for missing ones, beside those that always do.
	Empty []string `json:"empty,omitempty"`
	// Fill is what a missing cell counts as, the median of those that are there; not of a category, which has zeros.
	Fill *float64 `json:"fill,omitempty"`
	// Decimal mark of numbers: "," or, by default, ".".
	Decimal string `json:"decimal,omitempty"`
	// Thousands: digits of numbers stand in groups of three, with the other mark, an apostrophe or a blank between them.
	Thousands bool `json:"thousands,omitempty"`
	// Unit that numbers may be followed by, or led by as $ is.
	Unit string `json:"unit,omitempty"`
	// Format of a date, as Go writes 2 January 2006, 15:04:05.
	Format string `json:"format,omitempty"`
	// Parts of a date that count beside its age: month, weekday, hour.
	Parts []string `json:"parts,omitempty"`
	// Amounts: answers are amounts, of which the text is read as that of a column of numbers.
	Amounts bool `json:"amounts,omitempty"`
	// Why says in words what was seen and decided.
	Why string `json:"why,omitempty"`
	// Guess says what was guessed that is not the usual; it is not kept.
	Guess string `json:"-"`
}

// dateParts are the words of Column.Parts.
func dateParts() []string { return []string{"month", "weekday", "hour"} }

// Feature says whether the column is one that is learned from.
func (c *Column) Feature() bool {
	switch c.Kind {
	case KindNumber, KindCategory, KindOrdered, KindYesNo, KindDate:
		return true
	}
	return false
}

// Features are the names of the numbers that a column becomes.
func (c *Column) Features() []string {
	var names []string
	switch c.Kind {
	case KindOrdered, KindYesNo:
		names = []string{c.Name}
	case KindNumber:
		names = []string{c.Name}
		for _, l := range c.Levels {
			names = append(names, c.Name+"="+l)
		}
	case KindDate:
		names = []string{c.Name}
		for _, p := range c.Parts {
			names = append(names, c.Name+" "+p+" sin", c.Name+" "+p+" cos")
		}
	case KindCategory:
		for _, l := range c.Levels {
			names = append(names, c.Name+"="+l)
		}
		if c.Other {
			names = append(names, c.Name+" other")
		}
	default:
		return nil
	}
	if c.Missing {
		names = append(names, c.Name+" missing")
	}
	return names
}

// NewTable is the table of columns.
func NewTable(columns []Column) *Table { return &Table{Version: tableVersion, Columns: columns} }

// Features are the names of the numbers of a row, in order, and Measured says which of them are on a scale of
// their own: those that are not are parts of dates, or zeros and ones.
func (t *Table) Features() (names []string, measured []bool) {
	for i := range t.Columns {
		c := &t.Columns[i]
		for q, name := range c.Features() {
			names = append(names, name)
			measured = append(measured, q == 0 && (c.Kind == KindNumber || c.Kind == KindDate || c.Kind == KindOrdered))
		}
	}
	return names, measured
}

// Numeric says whether every feature is a column of numbers as it stands, so that a format of numbers alone can hold the rows. It is true
// of no table.
func (t *Table) Numeric() bool {
	if t == nil {
		return true
	}
	return !t.mixed()
}

// ID is the name of the column of what rows are called, "" if there is none or no table.
func (t *Table) ID() string {
	if t == nil {
		return ""
	}
	if c := t.Column(KindID); c != nil {
		return c.Name
	}
	return ""
}

// Column of a kind, nil if there is none.
func (t *Table) Column(kind string) *Column {
	if i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Kind == kind }); i >= 0 {
		return &t.Columns[i]
	}
	return nil
}

// Check returns what is wrong with a table that was read from a file.
func (t *Table) Check() error {
	if t.Version < 0 || t.Version > tableVersion {
		return fmt.Errorf("a table of version %d, this program reads version %d", t.Version, tableVersion)
	}
	names := map[string]bool{}
	once := map[string]string{}
	for i := range t.Columns {
		c := &t.Columns[i]
		if names[c.Name] {
			return fmt.Errorf("two columns are named %q", c.Name)
		}
		names[c.Name] = true
		if c.Kind == KindLabel || c.Kind == KindID || c.Kind == KindWeight || c.Kind == KindGroup {
			if other, twice := once[c.Kind]; twice {
				return fmt.Errorf("columns %q and %q are both of kind %s; there is one", other, c.Name, c.Kind)
			}
			once[c.Kind] = c.Name
		}
		if err := c.check(); err != nil {
			return fmt.Errorf("column %q: %w", c.Name, err)
		}
	}
	return nil
}

func (c *Column) check() error {
	switch {
	case c.Kind != "" && !slices.Contains(kinds, c.Kind):
		return fmt.Errorf("unknown kind %q; one of %s", c.Kind, strings.Join(kinds, ", "))
	case c.Decimal != "" && c.Decimal != "," && c.Decimal != ".":
		return fmt.Errorf("decimal mark %q; it is a comma or a point", c.Decimal)
	case c.Fill != nil && (math.IsNaN(*c.Fill) || math.IsInf(*c.Fill, 0)):
		return fmt.Errorf("fill %g is not finite", *c.Fill)
	case c.Kind == KindYesNo && c.Levels != nil && len(c.Levels) != 2:
		return fmt.Errorf("%d levels of yes and no; give two", len(c.Levels))
	}
	seen := map[string]bool{}
	for _, l := range c.Levels {
		if seen[l] {
			return fmt.Errorf("level %q is listed twice", l)
		}
		seen[l] = true
	}
	for _, p := range c.Parts {
		if !slices.Contains(dateParts(), p) {
			return fmt.Errorf("unknown part %q of a date; one of %s", p, strings.Join(dateParts(), ", "))
		}
	}
	return nil
}

// mixed says whether some features are no numbers of the file.
func (t *Table) mixed() bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool {
		return c.Feature() && (c.Kind != KindNumber || c.Missing || c.Levels != nil)
	})
}

// ScalingOf is the function ScalingOf for the rows of a table, nil of numbers as they were. If some of its features are no
// numbers of the file, auto standardises the columns that are measured and leaves zeros, ones and parts of dates as they are: two
// different words are then as far apart as numbers are whose difference is 1.4 standard deviations.
func (t *Table) ScalingOf(kind string, of func() *ColumnStats) (Scaling, string, error) {
	if t == nil || !t.mixed() || kind != "" && kind != ScaleAuto {
		return ScalingOf(kind, false, of)
	}
	s := columnScaling(ScaleStandard, of(), false)
	_, measured := t.Features()
	left := 0
	for j, m := range measured {
		if !m {
			s.Shift[j], s.Scale[j] = 0, 1
			left++
		}
	}
	reason := "numbers and dates standardised"
	if left > 0 {
		reason += ", words and parts of dates left as they are coded, from -1 to 1"
	}
	return s, reason, nil
}
