package onnx

import (
	"math"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/columns"
)

// Dates go in as seconds since 1970 in UTC, times alone as seconds since midnight, because no operator reads their text.

const (
	aDay        = 24 * 3600
	secondsYear = 365.2425 * aDay // as package columns has it
	fromMarch   = 719468          // days from the first of March of the year 0 to 1970
	aCycle      = 146097          // days in 400 years
)

// dates are the features of a column of dates: years since 2000, sine and cosine of each part, and whether the cell is missing.
func (g *graph) dates(c *data.Column, seconds value) []value {
	seconds = g.without(seconds, c)
	there := g.op("Equal", []value{seconds, seconds}) // NaN is not equal to itself
	if from := begin(c); from != 0 {
		seconds = g.add(seconds, g.scalar(from))
	}
	t := g.where(there, seconds, g.scalar(0))
	years := g.div(g.sub(t, g.scalar(since(2000))), g.scalar(secondsYear))
	list := []value{g.where(there, years, g.scalar(fill(c.Fill)))}
	day := g.quotient(t, aDay)
	second := g.sub(t, g.times(day, aDay))
	hour := g.quotient(second, 3600)
	for _, part := range c.Parts {
		var share value
		switch part {
		case "month":
			share = g.div(g.add(g.dayOfYear(day), g.div(hour, g.scalar(24))), g.scalar(secondsYear/aDay))
		case "weekday": // 1970 begins on a Thursday, and weeks on Sunday
			share = g.div(g.rest(g.add(day, g.scalar(4)), 7), g.scalar(7))
		case "hour":
			minute := g.quotient(g.sub(second, g.times(hour, 3600)), 60)
			share = g.div(g.add(hour, g.div(minute, g.scalar(60))), g.scalar(24))
		}
		for _, phase := range []float64{0, math.Pi / 2} {
			turn := g.op("Sin", []value{g.add(g.times(share, 2*math.Pi), g.scalar(phase))})
			list = append(list, g.where(there, turn, g.scalar(0)))
		}
	}
	if c.Missing {
		list = append(list, g.sub(g.scalar(1), g.double(there)))
	}
	return list
}

// since are the seconds from 1970 to the first day of a year.
func since(year int) float64 { return float64(time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC).Unix()) }

// begin is where the seconds of a column are counted from: times alone, with neither 2006 nor 06, are those of the first day of the
// year 0.
func begin(c *data.Column) float64 {
	if strings.Contains(c.Format, "06") {
		return 0
	}
	return since(0)
}

// secondsOf are those that go in for a cell, if it is a date.
func secondsOf(c *data.Column, cell string) (float64, bool) {
	coder := columns.NewCoder(data.NewTable([]data.Column{{Name: c.Name, Kind: c.Kind, Format: c.Format}}))
	var years [1]float64
	what, _ := coder.Set(years[:], 0, []byte(cell), coder.NewUnknown())
	return math.Round(years[0]*secondsYear) + since(2000) - begin(c), what == "" && !math.IsNaN(years[0]) // of a missing cell it is NaN
}

// dayOfYear is 0 on the first of January, of days since 1970. Years are counted from March, so that a leap day is the last one of its
// year; cycles of 400 years are alike.
func (g *graph) dayOfYear(day value) value {
	d := g.rest(g.add(day, g.scalar(fromMarch)), aCycle)
	leap := g.sub(g.add(g.sub(d, g.quotient(d, 1460)), g.quotient(d, 36524)), g.quotient(d, aCycle-1))
	year := g.quotient(leap, 365) // of the cycle
	d = g.sub(g.sub(d, g.times(year, 365)), g.sub(g.quotient(year, 4), g.quotient(year, 100)))
	isLeap := g.add(g.sub(g.divides(year, 4), g.divides(year, 100)), g.divides(year, 400))
	const march, january = 31 + 28, 306 // days before March, and from March to the next January
	after := g.op("Less", []value{d, g.scalar(january)})
	return g.where(after, g.add(d, g.add(isLeap, g.scalar(march))), g.sub(d, g.scalar(january)))
}

// quotient is the whole part of a / by, rounded down.
func (g *graph) quotient(a value, by float64) value {
	return g.op("Floor", []value{g.div(a, g.scalar(by))})
}

// rest is a - by floor(a / by).
func (g *graph) rest(a value, by float64) value { return g.sub(a, g.times(g.quotient(a, by), by)) }

// divides is 1 where a is a multiple, else 0.
func (g *graph) divides(a value, by float64) value {
	return g.double(g.op("Equal", []value{g.rest(a, by), g.scalar(0)}))
}
