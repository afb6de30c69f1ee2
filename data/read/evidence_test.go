package read

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// TestEvidenceOfCommas: a decimal comma in a column of words says nothing of the numbers of others, one in a column of numbers does. So
// it is in rows for a model: cells that it does not read as numbers say nothing of those that it does.
func TestEvidenceOfCommas(t *testing.T) {
	rows := func(note, size string) string {
		var b strings.Builder
		b.WriteString("note,size,price,label\n")
		for i := range 12 {
			n, s := []string{"ok", "bad", "fair"}[i%3], fmt.Sprint(i%5)
			if i == 4 {
				n, s = note, size
			}
			fmt.Fprintf(&b, "%s,%s,%s,%s\n", n, s, []string{`"1,250"`, "980", `"1,780"`, "640"}[i%4], []string{"a", "b"}[i%2])
		}
		return b.String()
	}
	learned, _, err := wholeOf(t, rows("ok", "3"), Options{Prepare: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		note, size string
		want       float64 // of the first row's price
	}{{"ok", "3", 1250}, {`"2,5"`, "3", 1250}, {"ok", `"2,5"`, 1.25}} {
		set, _, err := wholeOf(t, rows(c.note, c.size), Options{Prepare: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := set.Rows.Dense.At(0, slices.Index(set.Features, "price")); got != c.want {
			t.Errorf("beside %s and %s a price of 1,250 is %g", c.note, c.size, got)
		}
		again, _, err := wholeOf(t, rows(c.note, c.size), Options{Table: learned.Table})
		if c.size != "3" {
			continue // one cell does not make all others commas: what it means here is refused or read by its own mark
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := again.Rows.Dense.At(0, slices.Index(again.Features, "price")); got != 1250 {
			t.Errorf("for a model, beside %s a price of 1,250 is %g", c.note, got)
		}
	}
}

// TestCodesAnywhere: codes are codes wherever the first stands that begins with 0.
func TestCodesAnywhere(t *testing.T) {
	row := func(i int) string { return fmt.Sprintf("%d,%05d,%s\n", i%7, 99_000-9*i, []string{"a", "b"}[i%2]) }
	for _, n := range []int{100, 10_900} { // of which those that begin with 0 stand far below the beginning of the file
		var b strings.Builder
		b.WriteString("x,zip,label\n")
		for i := range n {
			b.WriteString(row(i + 10_950 - n))
		}
		set, _, err := wholeOf(t, b.String(), Options{Prepare: true})
		if err != nil {
			t.Fatal(err)
		}
		if set.Table == nil || set.Table.Columns[1].Kind == data.KindNumber {
			t.Errorf("%d rows: codes are numbers", n)
		}
	}
	set, _, err := wholeOf(t, "x,y,label\n01,2,a\n3,4,b\n005,6,a\n", Options{Prepare: true})
	if err != nil || set.Table != nil && set.Table.Columns[0].Kind != data.KindNumber {
		t.Errorf("numbers with zeros before them, of unequal length, are no codes: %v", err)
	}
}

// TestAmountsWithoutCents: answers such as 1,250 are amounts too, and refused where nothing says what the comma is.
func TestAmountsWithoutCents(t *testing.T) {
	text := func(between string) string {
		var b strings.Builder
		fmt.Fprintf(&b, "x%sprice\n", between)
		for i := range 40 {
			price := fmt.Sprint(600 + i*9)
			if i > 20 {
				price = fmt.Sprintf("%d,%03d", i, 25*i)
			}
			if between == "," {
				price = `"` + price + `"`
			}
			fmt.Fprintf(&b, "%d%s%s\n", i*i%17, between, price)
		}
		return b.String()
	}
	set, _, err := wholeOf(t, text(","), Options{Prepare: true})
	if err != nil || set.Answers[21] != "21525" || set.Answers[0] != "600" {
		t.Errorf("answers %q, %v", set.Answers, err)
	}
	if set, _, err = wholeOf(t, text(";"), Options{Prepare: true}); err != nil || set.Answers[21] != "21.525" {
		t.Errorf("answers %q, %v", set.Answers, err)
	}
	if _, _, err = wholeOf(t, text("\t"), Options{Prepare: true}); err == nil || !strings.Contains(err.Error(), "--decimal comma") {
		t.Errorf("a comma that may mean both: %v", err)
	}
	set, _, err = wholeOf(t, text("\t"), Options{Prepare: true, Dialect: Dialect{Decimal: "point"}})
	if err != nil || set.Answers[21] != "21525" {
		t.Errorf("answers %q, %v", set.Answers, err)
	}
}
