package columns

import (
	"fmt"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
)

// TestFormsOfCells: what a column of such cells is, and the fault of what it cannot be.
func TestFormsOfCells(t *testing.T) {
	numbers := counted("%d.5", 20, 100)
	for want, cells := range map[string][]string{
		"number [x] numbers from 100 to 2500 in €":                    {"€100", "€1.2k", "€2500"},
		"number [x] numbers from 100.5 to 102.5 in EUR":               {"EUR 100.50", "EUR 102.50"},
		"number [x] numbers from -5 to 5 in $":                        {"-$5.00", "$5.00"},
		"number [x] numbers from 110100 to 211113":                    {"1,10,100", "2,11,113"},
		"number [x] numbers from 1100.5 to 2101.5, with a decimal":    {"1\u202f100,50", "2\u2009101,50"},
		"number [x] numbers from 10000 to 30000":                      {"10,000+", "20,000+", "30,000+"},
		"number [x] numbers from 2e+06 to 3.5e+06":                    {"2 million", "3.5 million"},
		"number [x x=<=5] numbers from 6 to 20":                       append(counted("%d", 15, 6), "<=5", "<=5", "<=5"),
		"category [x=00501 x=01234] codes of 5 digits":                repeated(4, "01234", "00501"),
		"category [x=a long answer of words x=another of many words]": repeated(8, "a long answer of words", "another of many words"),
		"date [x x month sin x month cos x missing] dates from 2020":  append(repeated(9, "2020-01-02", "2020-07-02"), "0000-00-00"),
		"date [x x month sin x month cos] dates from 2015-01-01":      {"2015-01", "2015-07"},
		`column "x": "1O5" is no number`:                              append(numbers, "1O5"),
		`column "x": "NV" is no number`:                               append(numbers, "NV"),
		`column "x": "TBD" is no date`:                                append(repeated(9, "2020-01-02", "2020-07-02"), "TBD"),
		"number [x x=<=5 x=NV] numbers from 6 to 15":                  append(counted("%d", 10, 6), repeated(5, "<=5", "NV")...),
		"category [x=10 x=11 x=12 x=13 x=14 x=15 x=6 x=7 x=8 x=9 x=<=5 x=NV]": append(append(counted("%d", 10, 6),
			repeated(5, "<=5", "NV")...), "NV"),
		`column "x": a percentage`: append(repeated(4, "0.5", "0.7"), "50%"),
	} {
		c, err := table(t, "x", Settings{Delimiter: ','}, cells...)
		got := fmt.Sprintf("%s %v %s", c.Kind, c.Features(), c.Why)
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s, want %s", cells[:2], got, want)
		}
	}
}

// TestSentinels: a number far from all others that stands often is one, and zeros, ones and heavy tails have none.
func TestSentinels(t *testing.T) {
	x := mat.NewDense(60, 4, nil)
	for i := range 60 {
		x.SetRow(i, []float64{float64(i*i%37) / 10, float64(i % 2), float64(i * i * i), 5 + float64(i%7)})
		if i%9 == 0 {
			x.Set(i, 0, -200)
		}
		if i%20 == 3 {
			x.Set(i, 3, 9999)
		}
	}
	got := Sentinels([]string{"a", "b", "c", "d"}, data.Rows{Dense: x}, func(string) bool { return true })
	if fmt.Sprint(got) != "[{a -200 7} {d 9999 3}]" {
		t.Error(got)
	}
}
