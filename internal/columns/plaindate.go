package columns

import "time"

// Parts of a plain date.
const (
	noPart = iota
	year
	shortYear // of two digits
	month
	day
	hour
	minute
	second
	partsOfDates
)

// partOf is the part at the beginning of a layout, which has so many bytes there, and so many digits at least and at most in a cell.
func partOf(layout string) (part, size, least, most int) {
	next := byte(0)
	if len(layout) > 1 {
		next = layout[1]
	}
	switch layout[0] {
	case '0':
		switch next {
		case '1':
			return month, 2, 2, 2
		case '2':
			return day, 2, 2, 2
		case '4':
			return minute, 2, 2, 2
		case '5':
			return second, 2, 2, 2
		case '6':
			return shortYear, 2, 2, 2
		}
	case '1':
		if next == '5' {
			return hour, 2, 1, 2
		}
		return month, 1, 1, 2
	case '2':
		if next == '0' && len(layout) > 3 && layout[3] == '6' {
			return year, 4, 4, 4
		}
		return day, 1, 1, 2
	}
	return noPart, 1, 0, 0
}

// plainDate reads a cell by a layout of digits alone, such as 2006-01-02 15:04, as time.Parse does, which takes several times as long. Sure
// is false for what time.Parse is to look at: names of months, zones, halves of a day, fractions of seconds.
func plainDate(cell []byte, layout string) (t time.Time, ok, sure bool) {
	n := [partsOfDates]int{month: 1, day: 1}
	for len(layout) > 0 {
		part, size, least, most := partOf(layout)
		if part == noPart {
			switch c := layout[0]; c {
			case '-', '/', '.', ':', ' ', 'T':
				if len(cell) == 0 || cell[0] != c {
					return t, false, false
				}
			default:
				return t, false, false
			}
			cell, layout = cell[1:], layout[1:]
			continue
		}
		v, digits := 0, 0
		for digits < most && digits < len(cell) && isDigit(cell[digits]) {
			v = 10*v + int(cell[digits]-'0')
			digits++
		}
		if digits < least {
			return t, false, false
		}
		if part == shortYear {
			part = year
			if v += 1900; v < 1969 {
				v += 100
			}
		}
		n[part] = v
		cell, layout = cell[digits:], layout[size:]
	}
	if len(cell) > 0 {
		return t, false, false
	}
	if n[month] < 1 || n[month] > 12 || n[hour] > 23 || n[minute] > 59 || n[second] > 59 {
		return t, false, true
	}
	t = time.Date(n[year], time.Month(n[month]), n[day], n[hour], n[minute], n[second], 0, time.UTC)
	return t, n[day] > 0 && t.Day() == n[day] && t.Month() == time.Month(n[month]), true // the 31st of April would be the first of May
}
