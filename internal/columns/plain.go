package columns

// Tables of numbers alone, which are learned from as they are unless a column among them is none to learn from, or holds dates.

import (
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
)

// Plain says whether numbers are learned from as they are: Decide leaves out no column of dense rows, as it does one of several that
// counts the rows or holds an id, and takes none for dates.
func Plain(names []string, rows data.Rows) bool {
	n, d := rows.Len(), rows.Dim()
	if rows.Dense == nil || n < fewRows {
		return true
	}
	if d > 1 && slices.ContainsFunc(Steps(rows), func(j int) bool { return Counts(names[j], n) }) {
		return false
	}
	for j, name := range names {
		if d > 1 && named(name) && differ(rows, j) || allDates(rows, j) {
			return false
		}
	}
	return true
}

// Apart says whether a column of numbers may be one that Decide leaves out as an id or takes for dates, by its name and its first and last
// value.
func Apart(name string, first, last float64) bool {
	_, from := compactDate(first)
	_, to := compactDate(last)
	return from && to || named(name)
}

// differ says whether a column holds whole numbers, no two of which are equal.
func differ(rows data.Rows, j int) bool {
	known := map[float64]bool{}
	for i := range rows.Len() {
		v := rows.Dense.At(i, j)
		if v != math.Trunc(v) || known[v] {
			return false
		}
		known[v] = true
		if len(known) > mostWords { // as many as Decide looks at
			break
		}
	}
	return true
}

// allDates says whether a column holds dates such as 20180131 alone.
func allDates(rows data.Rows, j int) bool {
	for i := range rows.Len() {
		if _, ok := compactDate(rows.Dense.At(i, j)); !ok {
			return false
		}
	}
	return true
}

// Counts says whether a column that Steps counts the rows, if there are so many.
func Counts(name string, rows int) bool { return rows >= fewRows && !timely(name) }

// Steps lists the columns of dense rows of which each value is one more than that before it.
func Steps(rows data.Rows) (list []int) {
	n, d := rows.Dense.Dims()
	for j := range d {
		i := 1
		for i < n && rows.Dense.At(i, j) == rows.Dense.At(i-1, j)+1 {
			i++
		}
		if i == n {
			list = append(list, j)
		}
	}
	return list
}

// Numbered says whether formats of numbers alone have no place for a class as it is written: one that is no number, or a code such as 007.
// They have numbers from 0 instead of all classes, in sorted order.
func Numbered(class string) bool {
	_, number := data.Number(data.ClassName(class))
	return !number || data.IsCode(class)
}

// Amounts says whether some answers are amounts such as $1,000. Where the first that are no plain numbers are words, all are.
type Amounts struct {
	Found bool
	Words int // above the first amount
}

// enoughWords is how many words show that no amount is to be looked for below them.
const enoughWords = 100

// AmountsOf looks for amounts among answers.
func AmountsOf(answers data.Answers) (a Amounts) {
	for _, text := range answers {
		if data.IsUnlabelled(text) {
			continue
		}
		if _, plain := data.Number(strings.TrimSpace(text)); plain {
			continue
		}
		if a.Found = ShapeOf([]byte(text)) == Number; a.Found {
			break
		}
		if a.Words++; a.Words == enoughWords {
			break
		}
	}
	return a
}

// Join adds what the answers of later rows show.
func (a *Amounts) Join(o Amounts) {
	if !a.Found {
		a.Words += o.Words
		a.Found = o.Found && a.Words < enoughWords
	}
}
