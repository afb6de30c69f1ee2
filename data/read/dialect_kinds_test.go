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
		"single quotes below double ones": {"\"name\",size,label\n" + rowsOf(20, func(i int) string {
			return fmt.Sprintf("'%c','%c',%c", 'p'+i%3, 'u'+i/2%2, 'a'+i%2)
		}), "name='p'|name='q'|name='r'|size='u'|size='v'", "", 20},
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
		"names again": {"a,b,label\n" + rowsOf(30, func(i int) string {
			if i%12 == 11 {
				return "a,b,label"
			}
			return fmt.Sprintf("%d,%d,%c", i*i%17, i*5%11, 'x'+i%2)
		}), "a|b", "the names stand here again: no row, and passed over, as 1 further ones are", 28},
		"a table of Markdown": {"| a | b | label |\n|:--|--:|---|\n" + rowsOf(20, func(i int) string {
			return fmt.Sprintf("| %d | %d | %c |", i*i%17, i*5%11, 'x'+i%2)
		}), "a|b", "a line of dashes", 20},
		"subtotals": {"shop,visits,label\n" + rowsOf(33, func(i int) string {
			if i%11 == 10 {
				return "Subtotal,700,"
			}
			return fmt.Sprintf("%s,%d,%c", []string{"North", "South"}[i%2], i*i%17, 'x'+i%2)
		}), "shop=North|shop=South|visits", "a subtotal is no row and is passed over, as 2 further ones are", 30},
		"notes below a blank line": {"shop,visits,sales,label\n" + rowsOf(20, func(i int) string {
			return fmt.Sprintf("%s,%d,%d,%c", []string{"North", "South"}[i%2], i*i%17, i*5%11, 'x'+i%2)
		}) + "\n* provisional\nSource: Office of Statistics, 2021\n", "shop=North|shop=South|visits|sales", "notes below the table", 20},
		"notes below numbers": {"a,b,label\n" + rowsOf(20, func(i int) string {
			return fmt.Sprintf("%d,%d,%c", i*i%17, i*5%11, 'x'+i%2)
		}) + "All figures are provisional.\n", "a|b", "notes below the table", 20},
		"totals and padded notes": {"shop,visits,label\n" + rowsOf(20, func(i int) string {
			return fmt.Sprintf("%s,%d,%c", []string{"North", "South"}[i%2], i*i%17, 'x'+i%2)
		}) + "Total,97,\n,,\nSource: Office of Statistics,,\n", "shop=North|shop=South|visits", "it has the totals", 20},
		"numbers as text of spreadsheets": {"code,a,label\n" + rowsOf(20, func(i int) string {
			return fmt.Sprintf("=\"00%d\",%d,%c", i%3, i*i%17, 'x'+i%2)
		}), "code=000|code=001|code=002|a", "codes of one length", 20},
		"signs behind numbers": {"amount;n;label\n" + rowsOf(20, func(i int) string {
			return fmt.Sprintf("1.%03d,50%s;%d;%c", i*37%999, []string{"", "-"}[i%2], i*i%17, 'x'+i%2)
		}), "amount|n", "", 20},
		"marks at school": {"mark,n,label\n" + rowsOf(20, func(i int) string {
			return fmt.Sprintf("%s,%d,%c", []string{"1-", "2-", "2", "3-", "1"}[i%5], i*i%17, 'x'+i%2)
		}), "mark=1|mark=1-|mark=2|mark=2-|mark=3-|n", "", 20},
		"short dates": {"day,n,label\n" + rowsOf(24, func(i int) string {
			return fmt.Sprintf("%d.%d.2%d,%d,%c", i+1, i%12+1, i%3, i*i%17, 'x'+i%2)
		}), "day|day month sin|day month cos|day weekday sin|day weekday cos|n", "", 24},
		"months in German": {"day;n;label\n" + rowsOf(24, func(i int) string {
			month := []string{"Januar", "März", "Mai", "Oktober"}[i%4]
			return fmt.Sprintf("%d. %s %d;%d;%c", i+1, month, 2019+i%3, i*i%17, 'x'+i%2)
		}), "day|day month sin|day month cos|day weekday sin|day weekday cos|n", "", 24},
		"abbreviated months in French": {"month,n,label\n" + rowsOf(24, func(i int) string {
			month := []string{"janv.", "févr.", "mars", "août", "sept.", "déc."}[i%6]
			return fmt.Sprintf("%s %d,%d,%c", month, 2019+i%3, i*i%17, 'x'+i%2)
		}), "month|month month sin|month month cos|n", "", 24},
		"fewer numbers than words among them": {"lead,n,label\n" + rowsOf(30, func(i int) string {
			return fmt.Sprintf("%s%d.%d,%d,%c", []string{"", "", "<"}[i%3], i, i*7%10, i*i%17, 'x'+i%2)
		}), "n", "left out, though 20 of 30 cells are numbers", 30},
		"numbers of versions": {"version,n,label\n" + rowsOf(24, func(i int) string {
			return fmt.Sprintf("%d.%d.1%d,%d,%c", i%2+1, i%3+1, i%2, i*i%17, 'x'+i%2)
		}), "version=1.1.10|version=1.2.10|version=1.3.10|version=2.1.11|version=2.2.11|version=2.3.11|n", "", 24},
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
