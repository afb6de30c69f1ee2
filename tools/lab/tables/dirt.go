package tables

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/data"
)

// column is one column of a table: its cells as they are written, and what they mean.
type column struct {
	name   string
	cells  []string
	number []float64 // NaN: missing; nil of words and of what says nothing
	word   []string  // nil of numbers; "" is missing
}

// made is a dirty table.
type made struct {
	recipe
	columns []column
	answers []string
	hidden  []bool
	classes bool
}

// step dirties a table.
type step func(m *made, rng *rand.Rand)

// short is a text as part of a file's name.
func short(text string) string { return strings.NewReplacer(" ", "-", ",", "").Replace(text) }

// make draws the rows and dirties them; the same recipe makes the same table.
func (r recipe) make(set *data.Set) *made {
	h := fnv.New64a()
	_, _ = h.Write([]byte(r.set + r.dirt)) // takes everything
	rng := rand.New(rand.NewPCG(h.Sum64(), 1))
	m := &made{recipe: r}
	m.classes = set.LabelName != "target"
	rows := rng.Perm(set.Rows.Len())
	if r.rare > 0 {
		rows = unequal(rows, set.Answers, r.rare)
	}
	rows = rows[:min(len(rows), rowsOf)]
	for j := range set.Rows.Dim() {
		c := column{name: fmt.Sprintf("x%d", j)}
		if set.Features != nil {
			c.name = set.Features[j]
		}
		for _, i := range rows {
			c.number = append(c.number, set.Rows.Dense.At(i, j))
		}
		m.columns = append(m.columns, c)
	}
	met := map[string]int{} // rows of each class, of which every fourth is hidden
	for q, i := range rows {
		a := set.Answers[i]
		if v, ok := data.Number(a); ok && r.whole && !m.classes {
			a = strconv.Itoa(int(math.Round(10 * v)))
		}
		m.answers = append(m.answers, a)
		if m.classes {
			q = met[a]
			met[a]++
		}
		m.hidden = append(m.hidden, q%4 == 3)
	}
	for j := range m.columns {
		m.columns[j].write(m.commas)
	}
	for _, s := range r.steps {
		s(m, rng)
	}
	return m
}

// unequal keeps all rows of the commonest class and so many of another that they are a share of all.
func unequal(rows []int, answers data.Answers, share float64) []int {
	n := map[string]int{}
	for _, i := range rows {
		n[answers[i]]++
	}
	var names []string
	for c := range n {
		names = append(names, c)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(n[b]-n[a], strings.Compare(a, b)) })
	most := int(math.Round(share / (1 - share) * float64(min(n[names[0]], rowsOf))))
	rare, common := 0, 0
	return slices.DeleteFunc(slices.Clone(rows), func(i int) bool {
		switch answers[i] {
		case names[0]:
			common++
			return common > rowsOf-most
		case names[1]:
			rare++
			return rare > max(most, 8)
		}
		return true
	})
}

// write spells numbers.
func (c *column) write(commas bool) {
	c.cells = make([]string, len(c.number))
	for i, v := range c.number {
		c.cells[i] = strconv.FormatFloat(v, 'g', 8, 64)
		if commas {
			c.cells[i] = strings.Replace(strconv.FormatFloat(v, 'f', -1, 64), ".", ",", 1)
		}
	}
}

// missing empties cells of columns.
func missing(share float64, mark string, columns ...int) step {
	return func(m *made, rng *rand.Rand) {
		for _, j := range columns {
			c := &m.columns[j]
			for i := range c.cells {
				if rng.Float64() >= share {
					continue
				}
				if c.cells[i] = mark; c.word != nil {
					c.word[i] = ""
				} else {
					c.number[i] = math.NaN()
				}
			}
		}
	}
}

// words names parts of a column of numbers by their order: low values are "level a", ...
func words(j, parts int) step {
	return func(m *made, _ *rand.Rand) {
		m.columns[j].named(parts, func(k int) string { return "level " + string(rune('a'+k)) })
	}
}

// towns are words with letters beyond ASCII.
func towns(j, parts int) step {
	list := []string{"Köln", "Zürich", "Münster", "Besançon", "Málaga", "Århus", "Łódź", "Ulm"}
	return func(m *made, _ *rand.Rand) { m.columns[j].named(parts, func(k int) string { return list[k%6] }) }
}

// named turns a column into words by quantiles.
func (c *column) named(parts int, name func(int) string) {
	sorted := slices.Sorted(slices.Values(c.number))
	var cuts []float64
	for k := 1; k < parts; k++ {
		cuts = append(cuts, sorted[k*len(sorted)/parts])
	}
	c.word = make([]string, len(c.number))
	for i, v := range c.number {
		k := 0
		for k < len(cuts) && v >= cuts[k] {
			k++
		}
		c.word[i] = name(k)
	}
	c.cells, c.number = slices.Clone(c.word), nil
}

// yesNo says whether values are above the median, or above the least of two.
func yesNo(j int, yes, no string) step {
	return func(m *made, _ *rand.Rand) {
		c := &m.columns[j]
		sorted := slices.Sorted(slices.Values(c.number))
		cut := sorted[len(sorted)/2]
		if cut == sorted[0] {
			cut = sorted[len(sorted)-1]
		}
		for i, v := range c.number {
			c.cells[i], c.number[i] = no, 0
			if v >= cut {
				c.cells[i], c.number[i] = yes, 1
			}
		}
	}
}

// unit puts a unit behind numbers.
func unit(j int, name string) step {
	return func(m *made, _ *rand.Rand) {
		for i := range m.columns[j].cells {
			if !math.IsNaN(m.columns[j].number[i]) {
				m.columns[j].cells[i] += " " + name
			}
		}
	}
}

// thousands makes whole numbers of up to a million, in groups.
func thousands(j int) step {
	return func(m *made, _ *rand.Rand) {
		c := &m.columns[j]
		least, most := slices.Min(c.number), slices.Max(c.number)
		for i, v := range c.number {
			n := int(math.Round((v - least) / (most - least) * 1e6))
			c.number[i], c.cells[i] = float64(n), strconv.Itoa(n)
			for at := len(c.cells[i]) - 3; at > 0; at -= 3 {
				c.cells[i] = c.cells[i][:at] + "," + c.cells[i][at:]
			}
		}
	}
}

// date makes days, or minutes, after the year 2010 of numbers, by their order of size.
func date(j int, layout string) step {
	return func(m *made, _ *rand.Rand) {
		c := &m.columns[j]
		least, most := slices.Min(c.number), slices.Max(c.number)
		for i, v := range c.number {
			t := time.Date(2010, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration((v - least) / (most - least) * float64(3000*24*time.Hour)))
			c.cells[i] = t.Format(layout)
			t, _ = time.Parse(layout, c.cells[i]) // as it was written
			c.number[i] = float64(t.Unix()) / 86400
		}
	}
}

// id puts the number of each row in front.
func id(name string) step {
	return func(m *made, _ *rand.Rand) { m.front(name, func(i int) string { return strconv.Itoa(i + 1) }) }
}

// names puts a name of each row in front.
func names(of string) step {
	return func(m *made, rng *rand.Rand) {
		m.front("name", func(i int) string { return fmt.Sprintf("%s_%d_%04x", of, i, rng.IntN(1<<16)) })
	}
}

// constant puts one cell in front of all rows.
func constant(name, cell string) step {
	return func(m *made, _ *rand.Rand) { m.front(name, func(int) string { return cell }) }
}

// noise puts words in front that say nothing; the peers see them too.
func noise(name string, parts int) step {
	return func(m *made, rng *rand.Rand) {
		m.front(name, func(int) string { return fmt.Sprintf("%s %c", name, 'A'+rng.IntN(parts)) })
		m.columns[0].word = m.columns[0].cells
	}
}

func (m *made) front(name string, cell func(int) string) {
	c := column{name: name}
	if name == "unnamed" {
		c.name = ""
	}
	for i := range m.answers {
		c.cells = append(c.cells, cell(i))
	}
	m.columns = append([]column{c}, m.columns...)
}

// text is the table as it is written, of the hidden quarter or of the others.
func (m *made) text(hidden bool) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if m.delimiter != "" {
		w.Comma = rune(m.delimiter[0])
	}
	line := make([]string, len(m.columns)+1)
	for j, c := range m.columns {
		line[j] = c.name
	}
	line[len(m.columns)] = "outcome"
	_ = w.Write(line) // a buffer takes everything
	for i, a := range m.answers {
		if m.hidden[i] != hidden {
			continue
		}
		for j, c := range m.columns {
			line[j] = c.cells[i]
		}
		line[len(m.columns)] = a
		if m.commas && !m.classes {
			line[len(m.columns)] = strings.Replace(a, ".", ",", 1)
		}
		_ = w.Write(line)
	}
	w.Flush()
	text := b.Bytes()
	if m.latin {
		var out []byte
		for _, r := range string(text) {
			out = append(out, byte(r))
		}
		text = out
	}
	if m.mark {
		text = append([]byte("\xef\xbb\xbf"), text...)
	}
	return text
}

// cleanTable is what the peers are given.
type cleanTable struct {
	Classes bool         `json:"classes"`
	Numbers [][]*float64 `json:"numbers"` // column by column, null is missing
	Words   [][]string   `json:"words"`
	Answers []string     `json:"answers"`
	Hidden  []bool       `json:"hidden"`
}

func (m *made) clean() cleanTable {
	t := cleanTable{Classes: m.classes, Answers: m.answers, Hidden: m.hidden, Numbers: [][]*float64{}, Words: [][]string{}}
	for _, c := range m.columns {
		switch {
		case c.number != nil:
			list := make([]*float64, len(c.number))
			for i, v := range c.number {
				if !math.IsNaN(v) {
					list[i] = &v
				}
			}
			t.Numbers = append(t.Numbers, list)
		case c.word != nil:
			t.Words = append(t.Words, c.word)
		}
	}
	return t
}

func (m *made) task() string {
	if m.classes {
		return "classification"
	}
	return "regression"
}

// shown is an error as the table prints it.
func (m *made) shown(v float64) string {
	if m.classes {
		return fmt.Sprintf("%.2f", 100*v)
	}
	return fmt.Sprintf("%.3g", v)
}
