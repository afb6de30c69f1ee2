package columns

import (
	"slices"
	"testing"
)

// TestAbbreviatedMonths: a point behind the name of a month, with a blank behind it, is of the name, wherever that stands; a point
// elsewhere is none of it.
func TestAbbreviatedMonths(t *testing.T) {
	for cell, want := range map[string]bool{
		"2 Okt. 2006": true, "22. Okt. 2006": true, "Sept. 2, 2006": true, "2 Okt 2006": true, "Okt. 2006": true,
		"2 Okt.2006": false, "2 Okt.. 2006": false, "O. 2006": false, "x. y 2006": false,
	} {
		if got := dated([]byte(cell)); got != want {
			t.Errorf("%q is a date: %v", cell, got)
		}
	}
	long, short := layoutsOf([]byte("2 Okt. 2006")), layoutsOf([]byte("2 Okt 2006"))
	if long == nil || !slices.Equal(long, short) {
		t.Errorf("with a point %v, without %v", long, short)
	}
}

// TestLongestMark: the length up to which a cell is looked up among the marks of missing values is that of the longest.
func TestLongestMark(t *testing.T) {
	longest := 0
	for _, mark := range slices.Concat(missing, blanks) {
		longest = max(longest, len(mark))
	}
	if longest != longestMark {
		t.Errorf("the longest mark has %d bytes, not %d", longest, longestMark)
	}
}

// TestPartsOfYears: the parts of a layout are as long there, and in a cell, as package time writes them.
func TestPartsOfYears(t *testing.T) {
	for layout, want := range map[string][4]int{
		"06": {shortYear, 2, 2, 2}, "2006": {year, 4, 4, 4}, "01": {month, 2, 2, 2}, "1": {month, 1, 1, 2}, "02": {day, 2, 2, 2},
		"2": {day, 1, 1, 2}, "15": {hour, 2, 1, 2}, "04": {minute, 2, 2, 2}, "05": {second, 2, 2, 2}, "-": {noPart, 1, 0, 0},
	} {
		part, size, least, most := partOf(layout)
		if got := [4]int{part, size, least, most}; got != want {
			t.Errorf("%s: %v, want %v", layout, got, want)
		}
	}
}

// TestLongestDates: a date has nine digits of a second and a zone at most; longer text is none.
func TestLongestDates(t *testing.T) {
	for cell, want := range map[string]bool{"2006-01-02T15:04:05.123456789+07:00": true, "2006-01-02T15:04:05.1234567890+07:00": false} {
		if got := dated([]byte(cell)); got != want {
			t.Errorf("%q is a date: %v", cell, got)
		}
	}
}
