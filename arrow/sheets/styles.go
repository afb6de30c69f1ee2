package sheets

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/internal/columns"
)

// kind is how a format shows numbers.
type kind byte

const (
	plain   kind = iota
	day          // as a date
	moment       // as a date with a time
	clock        // as a time of a day
	unsure       // as a date or as a time, which the language decides
	elapsed      // as hours, minutes or seconds that went by, a day and more of them too
	share        // in percent
)

// readStyles reads how styles show numbers (ECMA-376, part 1, 18.8).
func (b *book) readStyles(name string) error {
	if b.parts[inLower(name)] == nil {
		return nil // all are plain
	}
	var styles struct {
		Formats []struct {
			ID   int    `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Cells []struct {
			ID int `xml:"numFmtId,attr"`
		} `xml:"cellXfs>xf"`
	}
	if err := b.decode(name, &styles); err != nil {
		return err
	}
	own := map[int]kind{}
	for _, f := range styles.Formats {
		own[f.ID] = kindOf(f.Code)
	}
	for _, c := range styles.Cells {
		of, ok := own[c.ID]
		if !ok {
			of = builtIn(c.ID)
		}
		b.shown = append(b.shown, of)
	}
	return nil
}

// builtIn is the kind of a format that has a number alone (ECMA-376, part 1, 18.8.30). Of 27 to 36 and 50 to 58 the language decides.
func builtIn(n int) kind {
	switch {
	case n == 9 || n == 10:
		return share
	case n == 46:
		return elapsed
	case n == 22:
		return moment
	case 18 <= n && n <= 21 || n == 45 || n == 47:
		return clock
	case 32 <= n && n <= 35 || n == 55 || n == 56:
		return unsure
	case 14 <= n && n <= 17 || 27 <= n && n <= 36 || 50 <= n && n <= 58:
		return day
	}
	return plain
}

// kindOf tells the kind by the letters outside of what a format quotes.
func kindOf(format string) kind {
	quoted, days, times, percent := false, false, false, false
	for i := 0; i < len(format); i++ {
		switch c := format[i] | 0x20; { // in lower case, if it is a letter
		case format[i] == '"':
			quoted = !quoted
		case quoted:
		case format[i] == '\\' || format[i] == '_' || format[i] == '*':
			i++
		case format[i] == '[':
			inside, _, _ := strings.Cut(format[i+1:], "]")
			if i += len(inside) + 1; slices.Contains([]string{"h", "m", "s"}, squeezed(inside)) {
				return elapsed
			}
		case c == 'y' || c == 'd':
			days = true
		case c == 'h' || c == 's':
			times = true
		case format[i] == '%':
			percent = true
		}
	}
	switch {
	case days && times:
		return moment
	case days:
		return day
	case times:
		return clock
	case percent:
		return share
	}
	return plain
}

// squeezed is a word of one letter that is repeated, in lower case, as that letter.
func squeezed(word string) string {
	word = strings.ToLower(word)
	if word != "" && strings.Trim(word, word[:1]) == "" {
		return word[:1]
	}
	return word
}

// number is the text of a number that is shown so: hours that went by, a percentage, a time of a day, or a date with or without a time.
func (b *book) number(text string, of kind) string {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || of == plain {
		return text
	}
	switch of {
	case elapsed:
		return strconv.FormatFloat(v*24, 'g', -1, 64)
	case share:
		return string(columns.Scaled([]byte(text), 2)) + "%"
	}
	const last = 2958466 // the day after the 31st of December 9999
	from, shown := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC), v
	switch {
	case b.old:
		from = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case 1 <= v && v < 60:
		shown++ // spreadsheets know a 29th of February 1900
	}
	seconds := math.Floor(shown*86400 + 0.499) // half of a second goes down, however it was rounded
	if !(v >= 0) || from.AddDate(0, 0, int(min(shown, last))).Year() > 9999 {
		return text // a number that no date has
	}
	when := time.Unix(from.Unix()+int64(seconds), 0).UTC()
	if of == unsure {
		of = moment
		if v < 1 {
			of = clock
		} else if when.Format(time.TimeOnly) == "00:00:00" {
			of = day
		}
	}
	return when.Format(map[kind]string{day: time.DateOnly, moment: time.DateTime, clock: time.TimeOnly}[of])
}
