package columns

// How numbers are spelled: their unit, their decimal mark, words among them; and which answers are amounts.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/brief"
)

// knownUnits are those that are surely units, so that two of them in one column are a fault.
var knownUnits = []string{
	"kg", "g", "mg", "t", "lb", "lbs", "oz", "km", "m", "cm", "mm", "mi", "ft", "in", "l", "ml", "s", "ms", "min", "h", "d", "%", "°c",
	"°f", "c", "f", "k",
	"$", "€", "£", "¥", "eur", "usd", "gbp", "kw", "w", "kwh", "v", "a", "hz", "m2", "m²", "m3", "m³", "sqft",
	"km/h", "mph", "hp", "ps", "+",
}

// number decides how numbers are spelled.
func (f *file) number(col *data.Column, s *seen, c int) error {
	col.Kind = data.KindNumber
	if s.Other.Line > 0 && col.Levels == nil && !f.recurring(col, s) {
		return &Fault{c, s.Other, fmt.Sprintf("column %q: %q is no number, as %d of %d cells are", col.Name, s.Other.Text,
			s.Numbers, s.Cells-s.Blank),
			"correct it or leave it empty, say --missing " + OfList(s.Other.Text) + " if it stands for that, or give the column the kind " +
				"category with --columns"}
	}
	if err := f.unit(col, s, c); err != nil {
		return err
	}
	if col.Decimal == "" {
		if err := f.decimal(col, s, c); err != nil {
			return err
		}
		if other := f.against(s); other != "" {
			col.Guess = strings.TrimPrefix(col.Guess+"; "+other, "; ")
		}
	}
	col.Thousands = col.Thousands || col.Decimal != "," && s.Groups[0] > 0 || col.Decimal == "," && s.Groups[1] > 0
	if col.Why == "" {
		k := 0
		if col.Decimal == "," {
			k = 1
		}
		col.Why = fmt.Sprintf("numbers from %.6g to %.6g", s.Least[k], s.Most[k])
		if col.Unit != "" && col.Unit != "+" {
			col.Why += " in " + col.Unit
			if s.Unitless > 0 {
				col.Why += fmt.Sprintf(", which %d do not say", s.Unitless)
			}
		}
		if col.Decimal == "," {
			col.Why += ", with a decimal comma"
		}
		for _, l := range col.Levels {
			count := brief.Count(s.Others.having(l), "cell")
			if s.More && s.Others.having(l) == 0 {
				count = "cells" // of more words than were counted
			}
			col.Why += fmt.Sprintf("; %s %q: missing, with a column of their own", count, l)
		}
	}
	return nil
}

// OfList is a value as a flag wants it that takes several with commas between them.
func OfList(value string) string {
	return brief.Flagged(strings.NewReplacer(`\`, `\\`, ",", `\,`).Replace(value))
}

// recurring finds words that stand again and again in place of numbers: they are levels of the column.
func (f *file) recurring(col *data.Column, s *seen) bool {
	if s.More || s.Others.len() > mostMarks {
		return false
	}
	for w, n := range s.Others.counted() {
		if n < leastMarks || len(w) > longestMark {
			col.Levels = nil
			return false
		}
		col.Levels = append(col.Levels, w)
	}
	slices.Sort(col.Levels)
	var told []string
	for _, l := range col.Levels {
		told = append(told, fmt.Sprintf("%d cells %q", s.Others.having(l), l))
	}
	col.Guess = fmt.Sprintf("%s: missing, with a column of their own (--missing if they stand for nothing)", strings.Join(told, ", "))
	return len(col.Levels) > 0
}

// unit decides the unit of numbers: one that most of them have, or that is known. Words that multiply are none.
func (f *file) unit(col *data.Column, s *seen, c int) error {
	if col.Unit != "" {
		return nil
	}
	var units []Unit
	for _, u := range s.Units {
		switch {
		case u.Text == string(percent) && u.Cells == s.Shares && s.Unitless > 0: // as a sheet shows some fractions
			col.Why = cmp.Or(col.Why, "numbers, some of which the file shows in percent")
		case multiplier([]byte(u.Text)) == 0:
			units = append(units, u)
		case u.Text == "B":
			col.Guess = fmt.Sprintf("%q counts as billions, and not as bytes or as a letter beside the number", u.Cell)
		}
	}
	if len(units) == 0 {
		return nil
	}
	u := units[0]
	known := slices.Contains(knownUnits, strings.ToLower(u.Text))
	switch {
	case len(units) > 1 && 2*units[1].Cells < s.Numbers && !slices.Contains(knownUnits, strings.ToLower(units[1].Text)):
		u = units[1]
		fallthrough
	case !known && 2*u.Cells <= s.Numbers:
		return &Fault{c, u.Place, fmt.Sprintf("column %q: %q is no number: only %d of %d have the unit %s", col.Name, u.Cell,
			u.Cells, s.Numbers, u.Text),
			"correct it, leave it empty, or give the column the kind category with --columns"}
	case len(units) < len(s.Units) && slices.Contains(letters, strings.ToLower(u.Text)):
		return &Fault{c, u.Place, fmt.Sprintf("column %q: %q may be of the unit %s, or a multiple, as %q is", col.Name, u.Cell, u.Text,
			s.multiple()),
			"write numbers in full, or millions as M"}
	case len(units) > 1:
		return &Fault{c, units[1].Place, fmt.Sprintf("column %q: the unit %s, where %s stands before", col.Name, units[1].Text, u.Text),
			"convert the numbers to one unit"}
	case u.Text == "%" && s.Unitless > 0 && s.Plain[0] >= 0 && s.Plain[1] <= 1 && s.Most[0] > 1:
		return &Fault{c, u.Place, fmt.Sprintf("column %q: a percentage, where others are fractions from %.6g to %.6g", col.Name,
			s.Plain[0], s.Plain[1]),
			"write all of them alike"}
	}
	col.Unit = u.Text
	return nil
}

// letters are units that also stand for millions, billions and trillions.
var letters = []string{"m", "mm", "g", "t"}

// multiple is the first cell with a word that multiplies.
func (s *seen) multiple() string {
	for _, u := range s.Units {
		if multiplier([]byte(u.Text)) != 0 {
			return u.Cell
		}
	}
	return ""
}

// points says whether numbers have decimal points, and some of them nothing else.
func (s *seen) points() bool { return s.Point == s.Numbers && s.Comma < s.Numbers }

// decimal finds the decimal mark. Most columns leave one reading. Where 1,234 is all there is, it is decimal in a file
// that is divided by semicolons, beside a column that has decimal commas for sure and beside numbers of four digits
// without a comma, unless another column has decimal points for sure; it stands between thousands beside such a column, and in a file
// that is divided by commas.
func (f *file) decimal(col *data.Column, s *seen, c int) error {
	point, comma := s.Point == s.Numbers, s.Comma == s.Numbers
	switch {
	case f.Decimal == "comma" && comma:
		col.Decimal = ","
	case f.Decimal == "point" && point:
	case point && comma && s.Unlike > 0 && s.Round == s.Numbers && s.Dotted == 0: // 10,000 is ten thousand where all end so
	case comma && (f.commas && s.Unlike > 0 || f.likely && s.Dotted > 0): // points divide thousands where others have decimal commas
		col.Decimal = ","
	case point && (!comma || s.Unlike == 0):
	case comma && !point:
		col.Decimal = ","
	case f.between(s):
		col.Decimal = ","
	case point && comma && s.Long == 0 && f.Delimiter == ',':
	case point && comma && s.Long == 0 && f.points:
		col.Guess = fmt.Sprintf("numbers such as %q have commas between thousands, as others of the file have decimal points", s.Both.Text)
	case point && comma:
		return &Fault{c, s.Both,
			fmt.Sprintf("column %q: %q can be a number of thousands or have a decimal comma, and no other cell says which",
				col.Name, s.Both.Text), "say --decimal point or --decimal comma"}
	case s.Numbers-s.Point < s.Numbers-s.Comma: // fewer have a comma
		return &Fault{c, s.Commas, fmt.Sprintf("column %q: %q has a decimal comma, which %d other cells have not", col.Name, s.Commas.Text,
			s.Numbers-s.Comma), "write all numbers alike"}
	default:
		return &Fault{c, s.Points, fmt.Sprintf("column %q: %q has no decimal comma, which other cells have", col.Name, s.Points.Text),
			"write all numbers alike"}
	}
	return nil
}

// against says that numbers have the other mark than --decimal names; "" where they have not.
func (f *file) against(s *seen) string {
	switch {
	case f.Decimal == "point" && s.Point < s.Numbers:
		return fmt.Sprintf("numbers such as %q have a decimal comma, although --decimal point was said", s.Commas.Text)
	case f.Decimal == "comma" && s.Comma < s.Numbers:
		return fmt.Sprintf("numbers such as %q have a decimal point, although --decimal comma was said", s.Points.Text)
	}
	return ""
}

// weights finds out how weights are spelled. Cells that are none are refused where they are read.
func (f *file) weights(col *data.Column, s *seen, c int) {
	if number := (data.Column{Name: col.Name}); f.number(&number, s, c) == nil {
		col.Decimal, col.Thousands = number.Decimal, number.Thousands
	}
}

// between says whether commas that could stand between thousands are decimal: these would be divided in all numbers, or semicolons divide
// the cells.
func (f *file) between(s *seen) bool {
	whole := s.Unlike > 0 && s.Round == s.Numbers && s.Dotted == 0 // 10,000 is ten thousand where all end so
	return s.Point == s.Numbers && s.Comma == s.Numbers && !whole && !f.points && (f.Delimiter == ';' || s.Long > 0)
}

// amounts finds out whether answers are amounts such as $1,000, or (12.50) of books: all are numbers, not all of them plain, and more of
// them differ than the names of classes do. Those of which nothing says whether a comma is decimal are refused. A point between thousands
// is plain only where the file has no decimal commas.
func (f *file) amounts(col *data.Column, s *seen, c int) error {
	rest := s.Cells - s.Blank
	if f.commas && s.Numbers == rest && s.points() {
		col.Decimal = "." // whatever other columns have
	}
	thousands := s.Dotted > 0 && s.Comma == s.Numbers && (f.likely || f.Decimal == "comma")
	plain := s.Unitless == s.Numbers && s.Groups[0]+s.Ledger == 0 && s.Point == s.Numbers && !thousands
	few := s.Overflow == 0 && s.Words.len() <= mostAmounts && s.Cells >= rowsOfAmount*s.Words.len() && !thousands
	number := *col
	if rest == 0 || s.Numbers < rest || plain || s.Codes > 0 || few || f.unit(&number, s, c) != nil {
		return nil
	}
	if err := f.number(&number, s, c); err != nil {
		return err
	}
	if number.Unit == "" && !number.Thousands && s.Ledger == 0 && s.multiple() == "" {
		col.Decimal = number.Decimal
		return nil
	}
	col.Amounts, col.Unit, col.Decimal, col.Thousands = true, number.Unit, number.Decimal, number.Thousands
	col.Why += ", amounts that are read as numbers"
	col.Guess = fmt.Sprintf("answers such as %q are amounts: numbers", s.amount(thousands))
	return nil
}

// amount is the first answer that shows that it is one of amounts: that is no number without more ado, or has a point between thousands.
func (s *seen) amount(thousands bool) string {
	for i := range s.Words.len() {
		word := string(s.Words.of(i))
		_, plain := data.Number(word)
		if _, number := readNumber([]byte(word)); number && (!plain || thousands && strings.Contains(word, ".")) {
			return shortened([]byte(word))
		}
	}
	return s.First.Text
}
