package columns

import (
	"bytes"
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// layouts of dates that are understood, as Go writes 2 January 2006. Those that have day and month in two
// orders are told apart by a day above 12.
var layouts = []string{
	"2006-01-02", "2006-01-02 15:04", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02T15:04:05Z07:00",
	"2006-01-02 15:04:05Z07:00", "2006/01/02", "2006/01/02 15:04", "2006/01/02 15:04:05", "2006.01.02",
	"02.01.2006", "02.01.2006 15:04", "02.01.2006 15:04:05", "2.1.2006",
	"02/01/2006", "02/01/2006 15:04", "02/01/2006 15:04:05", "2/1/2006", "01/02/2006", "01/02/2006 15:04", "01/02/2006 15:04:05",
	"1/2/2006",
	"02-01-2006", "01-02-2006", "2-1-2006", "1-2-2006",
	"2. January 2006", "2. Jan 2006", "2 Jan 2006", "02 Jan 2006", "2-Jan-2006", "02-Jan-2006", "2 January 2006", "Jan 2, 2006",
	"January 2, 2006", "Jan 2 2006", "2006 Jan 2",
	"2.1.2006 15:04", "2.1.2006 15:04:05", "2/1/2006 15:04", "2/1/2006 15:04:05", "1/2/2006 15:04", "1/2/2006 15:04:05",
	"2/1/2006 3:04 PM", "2/1/2006 3:04:05 PM", "1/2/2006 3:04 PM", "1/2/2006 3:04:05 PM", "2006-01-02 3:04 PM", "2006-01-02 3:04:05 PM",
	"02.01.06", "2.1.06", "2.1.06 15:04", "2/1/06", "1/2/06", "2/1/06 15:04", "1/2/06 15:04", "2-Jan-06", "2 Jan 06",
	"15:04", "15:04:05", "3:04 PM", "3:04:05 PM", // times of a day
	"2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05Z0700", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04 MST", "2006-01-02 15:04:05 MST",
	"15:04 MST", "15:04:05 MST", "2006-01", "2006/01", "01/2006", "1/2006", "Jan 2006", "January 2006", "Jan-2006", "Jan-06",
	compact, "2006-1-2", "2006/1/2", "2006.1.2", "2 Jan 2006 15:04", "2 Jan 2006 15:04:05", "Mon, 2 Jan 2006 15:04:05 MST",
	"Mon, 2 Jan 2006 15:04:05 -0700", "2 January 2006 15:04",
}

// compact is the layout of dates that are eight digits. A column is read so where every cell is a day of these years, which numbers that
// mean something else are not by chance.
const (
	compact                = "20060102"
	firstCompact, lastYear = 1900_01_01, 2099
)

// compactAt is the place of that layout in the list.
var compactAt = slices.Index(layouts, compact)

// compactDate is the day that a number such as 20180131 stands for.
func compactDate(v float64) (time.Time, bool) {
	if v < firstCompact || v > lastYear*1_00_00+12_31 || v != math.Trunc(v) {
		return time.Time{}, false
	}
	n := int(v)
	month, day := time.Month(n/100%100), n%100
	t := time.Date(n/1_00_00, month, day, 0, 0, 0, 0, time.UTC)
	return t, t.Month() == month && t.Day() == day // the 31st of April would be the first of May
}

// byPattern are the layouts that cells of a pattern may have. Half a millisecond makes them, which programs that read no table spare.
var byPattern = sync.OnceValue(patternsOfLayouts)

func patternsOfLayouts() map[string][]int {
	list := map[string][]int{}
	east := time.FixedZone("CET", 3600)
	for k, l := range layouts {
		for _, month := range []time.Month{time.May, time.November} {
			for _, day := range []int{2, 22} {
				for _, hour := range []int{3, 10, 23} {
					for _, zone := range []*time.Location{time.UTC, east} {
						text := time.Date(2006, month, day, hour, 4, 5, 0, zone).Format(l)
						for _, cell := range []string{text, strings.Replace(text, "03:04", "3:04", 1)} { // hours may have one digit
							p, n := pattern([]byte(cell))
							if !slices.Contains(list[string(p[:n])], k) {
								list[string(p[:n])] = append(list[string(p[:n])], k)
							}
						}
					}
				}
			}
		}
	}
	return list
}

// pattern is a cell with 0 for each digit, a for each word, and what stands between them; fractions of seconds, which every
// layout with seconds may have, are left out.
func pattern(cell []byte) (out [longestDate]byte, n int) {
	colons := 0
	for i := 0; i < len(cell) && n < longestDate; i++ {
		c := cell[i]
		switch {
		case isDigit(c):
			c = '0'
		case isLetter(c):
			for i+1 < len(cell) && isLetter(cell[i+1]) {
				i++
			}
			if i+2 < len(cell) && cell[i+1] == '.' && cell[i+2] == ' ' { // of an abbreviation
				i++
			}
			c = 'a'
		case c == '+' || c == '-' && colons > 0:
			c = '+' // of a zone
		case c == ':':
			colons++
		case (c == '.' || c == ',') && colons == 2:
			for i+1 < len(cell) && isDigit(cell[i+1]) {
				i++
			}
			continue
		}
		out[n] = c
		n++
	}
	return out, n
}

// layoutsOf are the layouts that a cell may have.
func layoutsOf(cell []byte) []int {
	if len(cell) < shortestDate || len(cell) > longestDate || !hasDigit(cell) {
		return nil
	}
	p, n := pattern(cell)
	return byPattern()[string(p[:n])]
}

// swapped are layouts of which the month may be the day.
var swapped = map[string]string{
	"02/01/2006": "01/02/2006", "02/01/2006 15:04": "01/02/2006 15:04", "02/01/2006 15:04:05": "01/02/2006 15:04:05",
	"2/1/2006":   "1/2/2006",
	"02-01-2006": "01-02-2006", "2-1-2006": "1-2-2006", "2/1/2006 15:04": "1/2/2006 15:04", "2/1/2006 15:04:05": "1/2/2006 15:04:05",
	"2/1/2006 3:04 PM": "1/2/2006 3:04 PM", "2/1/2006 3:04:05 PM": "1/2/2006 3:04:05 PM", "2/1/06": "1/2/06",
	"2/1/06 15:04": "1/2/06 15:04",
}

const (
	shortestDate, longestDate = 4, 35
	secondsAYear              = 365.2425 * 24 * 3600
)

// epoch is where ages begin: near the dates of most files, so that little is lost of their differences.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// parseDate reads a cell by a layout.
func parseDate(cell []byte, layout string) (time.Time, bool) {
	cell = bytes.TrimSpace(cell)
	if len(cell) < shortestDate || len(cell) > longestDate {
		return time.Time{}, false
	}
	if t, ok, sure := plainDate(cell, layout); sure {
		return t, ok
	}
	t, err := time.ParseInLocation(layout, string(cell), time.UTC) // whose names of zones are the same on every machine
	if err != nil && strings.Contains(layout, "Jan") {
		if text, ok := inEnglish(cell, strings.Contains(layout, "January")); ok {
			t, err = time.ParseInLocation(layout, text, time.UTC)
		}
	}
	if name, east := t.Zone(); strings.HasPrefix(name, "GMT") && east != 0 { // which the parser shows by the clock of UTC
		t = t.Add(-time.Duration(east) * time.Second)
	}
	return t, err == nil
}

// dateOf reads a cell of a column of a layout, as other programs write the same dates too: beside days a time is a day if it is midnight,
// and beside times a day is its midnight.
func dateOf(cell []byte, layout string) (time.Time, bool) {
	t, ok := parseDate(cell, layout)
	if ok || !hasDay(layout) {
		return t, ok
	}
	for _, clock := range []string{" 15:", "T15:", " 3:"} {
		if day, _, found := strings.Cut(layout, clock); found {
			return parseDate(cell, day)
		}
	}
	if at := midnight().FindIndex(cell); at != nil {
		return parseDate(cell[:at[0]], layout)
	}
	return t, false
}

// midnight is the first time of a day, in UTC if it has a zone.
var midnight = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[ T]00?:00(?::00(?:[.,]0+)?)?(?:Z|[+-]00:?00)?$`)
})

// years is the age of a date: years since the epoch, earlier ones negative.
func years(t time.Time) float64 {
	return (float64(t.Unix()-epoch.Unix()) + float64(t.Nanosecond())*1e-9) / secondsAYear
}

// turn is the place of a part of a date on its circle, so that December is beside January.
func turn(t time.Time, part string) (sin, cos float64) {
	share := 0.0
	switch part {
	case "month":
		share = (float64(t.YearDay()-1) + float64(t.Hour())/24) / 365.2425
	case "weekday":
		share = float64(t.Weekday()) / 7
	case "hour":
		share = (float64(t.Hour()) + float64(t.Minute())/60) / 24
	}
	return math.Sincos(2 * math.Pi * share)
}

// span is the first and the last of N dates.
type span struct {
	First, Last time.Time
	N           int
}

func (s *span) add(t time.Time) {
	if s.N == 0 || t.Before(s.First) {
		s.First = t
	}
	if s.N == 0 || t.After(s.Last) {
		s.Last = t
	}
	s.N++
}

// with is the span of the dates of both.
func (s span) with(o span) span {
	if s.N == 0 || o.N == 0 {
		return cmp.Or(s, o)
	}
	n := s.N + o.N
	s.add(o.First)
	s.add(o.Last)
	s.N = n
	return s
}

// length is the time from the first to the last.
func (s span) length() time.Duration { return s.Last.Sub(s.First) }

// dates are the readings of a column by one layout: which of its parts vary.
type dates struct {
	Common   span // those that are no placeholders
	Apart    span // placeholders
	Weekdays uint8
	Hours    uint32
	Back     time.Duration // the most that a common date lies before one of a row above
	Late     bool          // some day is above 12
	Zone     string        // the first name of a zone whose distance from UTC is not known, such as CET
	Out      Place         // the first cell of the column that has not the layout; a Line of 0: all have
}

// all is the span of all dates.
func (d *dates) all() span { return d.Common.with(d.Apart) }

// placeholder says whether programs write a date where they have none: the first and the last that they know.
func placeholder(t time.Time) bool {
	switch t.Year() {
	case 1, 9999:
		return true
	case 1899:
		return t.Month() == time.December && t.Day() >= 30
	case 1900, 1970:
		return t.YearDay() == 1
	}
	return false
}

// strange is a placeholder that is farther from the common dates than these span, and than a year.
func (d *dates) strange() (t time.Time, ok bool) {
	far := max(d.Common.length(), 365*24*time.Hour)
	switch {
	case d.Apart.N == 0 || d.Common.N == 0:
	case d.Apart.Last.Sub(d.Common.Last) > far:
		return d.Apart.Last, true
	case d.Common.First.Sub(d.Apart.First) > far:
		return d.Apart.First, true
	}
	return t, false
}

func (d *dates) add(t time.Time) {
	if placeholder(t) {
		d.Apart.add(t)
	} else {
		d.Common.add(t)
		d.Back = max(d.Back, d.Common.Last.Sub(t))
	}
	d.Late = d.Late || t.Day() > 12
	if d.Zone == "" {
		d.Zone = unknownZone(t)
	}
	d.Weekdays |= 1 << t.Weekday()
	d.Hours |= 1 << t.Hour()
}

func (d *dates) merge(o *dates) {
	if d.Out.Line == 0 {
		d.Out = o.Out
	}
	d.Late = d.Late || o.Late
	d.Zone = cmp.Or(d.Zone, o.Zone)
	d.Back = max(d.Back, o.Back)
	if d.Common.N > 0 && o.Common.N > 0 {
		d.Back = max(d.Back, d.Common.Last.Sub(o.Common.First))
	}
	d.Common, d.Apart = d.Common.with(o.Common), d.Apart.with(o.Apart)
	d.Weekdays, d.Hours = d.Weekdays|o.Weekdays, d.Hours|o.Hours
}

// unknownZone is the name of the zone of a date if its distance from UTC is not known, such as CET, else "".
func unknownZone(t time.Time) string {
	if t.Location() == time.UTC {
		return ""
	}
	name, east := t.Zone()
	if east != 0 || strings.HasPrefix(name, "GMT") || strings.Trim(name, "+-:0123456789") == "" {
		return ""
	}
	return name
}

// hasDay says whether dates of a layout have a day, or a time of one.
func hasDay(layout string) bool { return epoch.Format(layout) != epoch.AddDate(0, 0, 4).Format(layout) }

// parts are those that vary: months where the dates span two of them at least, weekdays and hours where there are
// two.
func (d *dates) parts() []string {
	var list []string
	if d.all().length() > 61*24*time.Hour {
		list = append(list, "month")
	}
	if d.Weekdays&(d.Weekdays-1) != 0 {
		list = append(list, "weekday")
	}
	if d.Hours&(d.Hours-1) != 0 {
		list = append(list, "hour")
	}
	return list
}

// elapsed says whether a cell is as a time of a day, but of more hours than it has.
func elapsed(cell string) bool {
	hours, rest, found := strings.Cut(cell, ":")
	n, err := strconv.Atoi(hours)
	return found && err == nil && n > 23 && len(strings.Trim(rest, "0123456789:.")) == 0
}
