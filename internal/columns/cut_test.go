package columns

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// TestLongWordsAreKept: a long word that is cut within a letter is known again to a table that was written and read.
func TestLongWordsAreKept(t *testing.T) {
	long := []byte("a" + strings.Repeat("ü", 150))
	p := NewProfile(2)
	for i := range 20 {
		p.Rows++
		cell := long
		if i%2 == 0 {
			cell = []byte("short")
		}
		p.Add(0, cell, i+2)
		p.Add(1, []byte("1"), i+2)
	}
	table, err := Decide([]string{"a", "y"}, p, Settings{Roles: map[string]string{"y": data.KindLabel}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(table)
	if err != nil {
		t.Fatal(err)
	}
	var kept data.Table
	if err := json.Unmarshal(text, &kept); err != nil {
		t.Fatal(err)
	}
	for _, of := range []*data.Table{table, &kept} {
		c := NewCoder(of)
		u, row := c.NewUnknown(), make([]float64, c.Dim())
		if what, _ := c.Set(row, 0, long, u); what != "" || u.Words[0] > 0 {
			t.Errorf("%s: %q is not known, %v", what, long, c.Names())
		}
	}
}
