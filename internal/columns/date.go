package columns

import (
	"bytes"
	"math"
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
	"02-01-2006", "01-02-2006",
	"2 Jan 2006", "02 Jan 2006", "2-Jan-2006", "02-Jan-2006", "2 January 2006", "Jan 2, 2006", "January 2, 2006", "Jan 2 2006",
	"2006 Jan 2",
	"2.1.2006 15:04", "2.1.2006 15:04:05", "2/1/2006 15:04", "2/1/2006 15:04:05", "1/2/2006 15:04", "1/2/2006 15:04:05",
	"2/1/2006 3:04 PM", "2/1/2006 3:04:05 PM", "1/2/2006 3:04 PM", "1/2/2006 3:04:05 PM", "2006-01-02 3:04 PM", "2006-01-02 3:04:05 PM",
	"02.01.06", "2/1/06", "1/2/06", "2/1/06 15:04", "1/2/06 15:04", "2-Jan-06", "2 Jan 06",
	"15:04", "15:04:05", "3:04 PM", "3:04:05 PM", // times of a day
}

// swapped are layouts of which the month may be the day.
var swapped = map[string]string{
	"02/01/2006": "01/02/2006", "02/01/2006 15:04": "01/02/2006 15:04", "02/01/2006 15:04:05": "01/02/2006 15:04:05",
	"2/1/2006":   "1/2/2006",
	"02-01-2006": "01-02-2006", "2/1/2006 15:04": "1/2/2006 15:04", "2/1/2006 15:04:05": "1/2/2006 15:04:05",
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
	t, err := time.Parse(layout, string(cell))
	return t, err == nil
}

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

// dates are the readings of a column by one layout: which of its parts vary.
type dates struct {
	First, Last time.Time
	Weekdays    uint8
	Hours       uint32
	N           int
}

func (d *dates) add(t time.Time) {
	if d.N == 0 || t.Before(d.First) {
		d.First = t
	}
	if d.N == 0 || t.After(d.Last) {
		d.Last = t
	}
	d.Weekdays |= 1 << t.Weekday()
	d.Hours |= 1 << t.Hour()
	d.N++
}

func (d *dates) merge(o *dates) {
	if o.N == 0 {
		return
	}
	if d.N == 0 {
		*d = *o
		return
	}
	if o.First.Before(d.First) {
		d.First = o.First
	}
	if o.Last.After(d.Last) {
		d.Last = o.Last
	}
	d.Weekdays, d.Hours, d.N = d.Weekdays|o.Weekdays, d.Hours|o.Hours, d.N+o.N
}

// parts are those that vary: months where the dates span two of them at least, weekdays and hours where there are
// two.
func (d *dates) parts() []string {
	var list []string
	if d.Last.Sub(d.First) > 61*24*time.Hour {
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
