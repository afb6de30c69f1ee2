package columns

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
)

// TestLettersThatMultiply: m is metres, and millions beside k: which of them is asked, and not guessed.
func TestLettersThatMultiply(t *testing.T) {
	for cells, want := range map[string]string{
		"1.2m 800k 950k 2.4m":   `column "c": "1.2m" may be of the unit m, or a multiple, as "800k" is`,
		"1.2t 800k 950k 2.4t":   `column "c": "1.2t" may be of the unit t, or a multiple, as "800k" is`,
		"512 4K 16M 1.5G":       `column "c": "1.5G" may be of the unit G, or a multiple, as "4K" is`,
		"512 4K 16M 1.5T":       `column "c": "1.5T" may be of the unit T, or a multiple, as "4K" is`,
		"1.2m 8m 9.5m 2.4m":     "",
		"1.2M 800k 950k 2.4M":   "",
		"1.2kg 800kg 950kg 2kg": "",
	} {
		_, err := table(t, "c", Settings{}, strings.Fields(cells)...)
		if got := fmt.Sprint(err); want == "" && err != nil || want != "" && !strings.HasPrefix(got, want) {
			t.Errorf("%s: %v", cells, err)
		}
	}
}

// TestBillionsAreSaid: B alone behind a number may be of bytes or of a house, so that it counts as billions is said.
func TestBillionsAreSaid(t *testing.T) {
	for cells, said := range map[string]bool{"12 14B 16": true, "512B 16K 3K": true, "$1B $2B $3": false,
		"1bn 2bn 3bn": false, "1M 2k 3": false} {
		c, err := table(t, "c", Settings{}, strings.Fields(cells)...)
		if err != nil || strings.Contains(c.Guess, "counts as billions") != said {
			t.Errorf("%s: %q, %v", cells, c.Guess, err)
		}
	}
}

// TestMarksAgainstTheFlag: numbers that have the other mark than the flag says are read by theirs, which is said.
func TestMarksAgainstTheFlag(t *testing.T) {
	for cells, said := range map[string]string{
		"point 1,5 7 2,25":      `"1,5" have a decimal comma, although --decimal point was said`,
		"comma 7 1.5 2.25":      `"1.5" have a decimal point, although --decimal comma was said`,
		"point 1.5 7 2.25":      "",
		"comma 1,5 7 2,25":      "",
		"point 7 9 12":          "",
		"comma 7 9 12":          "",
		"comma 1.500 7.500 2,5": "",
		"point 1,500 7,500 2.5": "",
		"point 1,5 2B 3,5":      `or as a letter beside the number; numbers such as "1,5" have a decimal comma`,
	} {
		list := strings.Fields(cells)
		c, err := table(t, "c", Settings{Decimal: list[0]}, list[1:]...)
		if err != nil || (said == "") != (c.Guess == "") || !strings.Contains(c.Guess, said) {
			t.Errorf("%s: %q, %v", cells, c.Guess, err)
		}
	}
}

// TestFractionsOfPercentages: a cell without the sign that may be a fraction is counted where percentages were learned, and said.
func TestFractionsOfPercentages(t *testing.T) {
	for _, decimal := range []string{"", ","} {
		e := NewCoder(data.NewTable([]data.Column{{Name: "p", Kind: data.KindNumber, Unit: "%", Decimal: decimal}}))
		u, row := e.NewUnknown(), make([]float64, 1)
		for _, cell := range []string{"45%", "0.45", "0,5", "0.5%", "12", "0"} {
			if strings.Contains(cell, ".") == (decimal == ",") && strings.ContainsAny(cell, ".,") {
				continue
			}
			if what, _ := e.Set(row, 0, []byte(cell), u); what != "" {
				t.Error(what)
			}
		}
		if said := u.Says(e); len(said) != 1 ||
			!strings.HasPrefix(said[0], `column "p": 1 row without % and with a number from -1 to 1, such as "0`) {
			t.Errorf("%q", said)
		}
	}
}

// TestZonesByName: names of zones mean the same on every machine, wherever it stands, and that they do not count is said.
func TestZonesByName(t *testing.T) {
	here := time.Local
	defer func() { time.Local = here }()
	for cell, named := range map[string]bool{"2024-01-31 10:00 CET": true, "2024-01-31 10:00 UTC": false, "2024-01-31 10:00 GMT": false} {
		var first time.Time
		for k, zone := range []*time.Location{time.UTC, time.FixedZone("CET", 3600)} {
			time.Local = zone
			at, ok := parseDate([]byte(cell), "2006-01-02 15:04 MST")
			if !ok || k > 0 && !at.Equal(first) {
				t.Errorf("%s in %v: %v", cell, zone, at)
			}
			first = at
		}
		c, err := table(t, "at", Settings{}, cell, strings.Replace(cell, "31", "30", 1), strings.Replace(cell, "31", "29", 1))
		if said := strings.Contains(c.Guess, "such as CET"); err != nil || said != named {
			t.Errorf("%s: %q, %v", cell, c.Guess, err)
		}
	}
}

// TestSumsAreLookedFor: an amount is seen below however many plain numbers, but not below a hundred words.
func TestSumsAreLookedFor(t *testing.T) {
	for _, c := range []struct {
		above string
		n     int
		want  bool
	}{{" 7 ", 99, true}, {"980", 5000, true}, {"word", 99, true}, {"word", 100, false}} {
		answers := append(append(data.Answers{"", "NA"}, slices.Repeat(data.Answers{c.above}, c.n)...), "$1,000")
		if got := AmountsOf(answers).Found; got != c.want {
			t.Errorf("an amount below %d times %q is seen: %v", c.n, c.above, got)
		}
		for _, cut := range []int{1, 50, len(answers) - 1} {
			joined := AmountsOf(answers[:cut])
			if joined.Join(AmountsOf(answers[cut:])); joined.Found != c.want {
				t.Errorf("an amount below %d times %q, cut at %d, is seen: %v", c.n, c.above, cut, joined.Found)
			}
		}
	}
	if AmountsOf(data.Answers{"word", "1", ""}).Found {
		t.Error("a word is an amount")
	}
}
