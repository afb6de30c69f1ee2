package columns

import (
	"math"
	"strings"
	"testing"
)

// FuzzCells: the cells by which a column was decided can all be read as it says, and nothing of them is without bound.
func FuzzCells(f *testing.F) {
	for _, s := range []string{
		"1|2|3", "1,5|2,5|x", "$1,000|$2.5k|($3)", "EUR 100|-$5.00|10,000+", "1,10,100|2,11,113", "2020-01-02|2020-01-03|0000-00-00",
		"01234|10115", "5 kg|6 kg|7", "<=5|<=5|1|2|3|4|5|6|7|8|9", "10:00 UTC|11:30 UTC", "a|b|a|b", "1 100,50|2 200,75", "50%|0.5|0.7|0.1",
		"2020-01-01T10:00:00+0200|2020-01-01T10:00:00.5+0200", "1e5kg|1e400|-0", "12th|1O5|0x1F",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, list string) {
		cells := strings.Split(list, "|")
		p := NewProfile(1)
		for i, c := range cells {
			ShapeOf([]byte(c))
			p.Rows++
			p.Add(0, []byte(c), i+1)
		}
		table, err := Decide([]string{"x"}, p, Settings{})
		if err != nil || !table.Columns[0].Feature() {
			return
		}
		if err := table.Check(); err != nil {
			t.Fatal(err)
		}
		e := NewCoder(table)
		u := e.NewUnknown()
		row := make([]float64, e.Dim())
		for _, c := range cells {
			if what, _ := e.Set(row, 0, []byte(c), u); what != "" {
				t.Fatalf("%q: %s, of %+v", c, what, table.Columns[0])
			}
			for _, v := range row {
				if math.IsInf(v, 0) {
					t.Fatalf("%q: %v", c, row)
				}
			}
		}
		if u.Missing[0] > 0 {
			t.Fatalf("cells are missing, which was not seen: %q, %+v", cells, table.Columns[0])
		}
	})
}
