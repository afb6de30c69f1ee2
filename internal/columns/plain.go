package columns

// Tables of numbers alone, which are learned from as they are unless a column among them is none to learn from, or holds dates.

import (
	"math"
	"strings"

	"github.com/mercer-ml/mercer/data"
)

// Plain says whether numbers are learned from as they are: Decide leaves out no column of dense rows, as it does one of several that
// counts the rows or holds an id, and takes none for dates.
func Plain(names []string, rows data.Rows) bool { return RunsOf(names, rows).Plain(names, rows.Len()) }

// Run is what the numbers of a column show in the order of the rows.
type Run struct {
	From, To float64
	Steps    bool      // each is one more than that before it
	Dates    bool      // each is a day such as 20180131
	Known    []float64 // if the column is called as ids are, the first that are whole and differ, as many as Decide looks at
	Broken   bool      // that after them is not whole, or is one of them
}

// Runs are those of all columns of dense rows; there are none of sparse rows.
type Runs []Run

// know takes in n further numbers.
func (r *Run) know(n int, number func(i int) float64) {
	if r.Broken || r.full() {
		return
	}
	known := make(map[float64]bool, len(r.Known))
	for _, v := range r.Known {
		known[v] = true
	}
	for i := 0; i < n && !r.Broken && !r.full(); i++ {
		v := number(i)
		if r.Broken = v != math.Trunc(v) || known[v]; !r.Broken {
			known[v] = true
			r.Known = append(r.Known, v)
		}
	}
}

// full says whether so many numbers are known that Decide looks at no others.
func (r *Run) full() bool { return len(r.Known) > mostWords }

// Join takes in the runs of rows that follow.
func (l Runs) Join(o Runs) {
	for j := range l {
		a, b := &l[j], &o[j]
		a.Steps = a.Steps && b.Steps && b.From == a.To+1
		a.Dates = a.Dates && b.Dates
		a.To = b.To
		if a.know(len(b.Known), func(i int) float64 { return b.Known[i] }); !a.full() {
			a.Broken = a.Broken || b.Broken
		}
	}
}

// Plain is as the function, of so many rows in all.
func (l Runs) Plain(names []string, rows int) bool {
	if rows < fewRows {
		return true
	}
	for j, r := range l {
		if r.Dates || len(l) > 1 && (r.Steps && !timely(names[j]) || named(names[j]) && !r.Broken) {
			return false
		}
	}
	return true
}

// Plain says of the cells of a table what the function Plain says of its rows, given the kinds of columns that are no features.
func (p *Profile) Plain(names []string, roles map[string]string) bool {
	d := len(names) - len(roles)
	for c, name := range names {
		s, kind := &p.Columns[c], roles[name]
		plain := s.Numbers == s.Cells && s.Missing+s.Blank+s.Groups[0]+s.Ledger == 0 && s.Point == s.Numbers && s.Unitless == s.Numbers
		apart := d > 1 && s.Cells >= fewRows && (s.Steps && !timely(name) || named(name) && s.Whole && s.Words.len() == s.counted())
		switch {
		case kind == "" && (!plain || apart || s.compact()), kind == data.KindLabel && s.Numbers == s.Cells-s.Blank && s.Numbers > 0 && !plain:
			return false
		}
	}
	return true
}

// RunsOf looks at rows.
func RunsOf(names []string, rows data.Rows) Runs {
	if rows.Dense == nil {
		return nil
	}
	n, d := rows.Dense.Dims()
	list := make(Runs, d)
	for j := range list {
		r, at := &list[j], func(i int) float64 { return rows.Dense.At(i, j) }
		r.From, r.To, r.Steps, r.Dates = at(0), at(n-1), true, true
		for i := 1; i < n && r.Steps; i++ {
			r.Steps = at(i) == at(i-1)+1
		}
		for i := 0; i < n && r.Dates; i++ {
			_, r.Dates = compactDate(at(i))
		}
		if named(names[j]) {
			r.know(n, at)
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
