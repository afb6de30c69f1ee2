package read

// Columns of CSV that stand beside the features: what rows are called, what they weigh, what they belong to; and which
// columns are features.

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/columns"
)

// chooses says whether some columns have a part of their own.
func (o Options) chooses() bool {
	return o.Table != nil || len(o.Drop) > 0 || len(o.Features) > 0 || o.ID != "" || o.Weight != "" || o.Group != "" || o.Order != "" ||
		len(o.Given) > 0
}

// roles finds the columns of id, weight, group and order, -1 where none is asked for. Rows for a model may lack that of their names, and
// those that it was learned with.
func (r *records) roles(t *table, at map[string]int, o Options) error {
	parts := map[string]string{}
	for _, part := range []struct {
		field *int
		name  string
		flag  string
	}{{&t.id, o.ID, "id"}, {&t.weight, o.Weight, "weight"}, {&t.group, o.Group, "group"}, {&t.order, o.Order, "order"}} {
		*part.field = -1
		given := slices.IndexFunc(o.Given, func(c data.Column) bool { return c.Kind == part.flag })
		learned := part.name == "" && o.Table != nil && !o.Prepare && given >= 0
		if learned {
			part.name = o.Given[given].Name
		}
		if part.name == "" {
			continue
		}
		part.name = spelled(part.name, t.all)
		c, ok := at[part.name]
		switch {
		case !ok && learned, !ok && part.flag == "id" && !o.Prepare && (o.Table != nil || o.Want != nil || o.Dim > 0):
			continue
		case !ok:
			return r.fault(0, fmt.Sprintf("no column %q, which --%s names%s; columns are %s", part.name, part.flag,
				brief.Suggest(part.name, t.all), listed(t.all)),
				"name one of them")
		case part.name == o.Label && (o.Table != nil || o.Want != nil || o.Dim > 0):
			return r.fault(c+1, fmt.Sprintf("column %q has the labels that the model learned, and --%s names it too", part.name, part.flag),
				"name another column with --"+part.flag)
		case parts[part.name] != "" && part.flag != "group" && part.flag != "order" || part.name == o.Label:
			return r.fault(c+1, fmt.Sprintf("column %q is named twice, with --%s and as another part", part.name, part.flag),
				"name two columns")
		}
		parts[part.name] = part.flag
		*part.field = c
	}
	if t.order >= 0 {
		t.places = columns.Settings{Given: o.Given, Delimiter: r.delim, Decimal: o.Dialect.Decimal, Empty: o.emptyByName(t.all)}
		commas := func(c data.Column) bool { return c.Decimal == "," }
		if t.places.Decimal == "" && o.Table != nil && slices.ContainsFunc(o.Table.Columns, commas) {
			t.places.Decimal = "comma"
		}
	}
	return nil
}

// chosen says which fields are no features because a flag says so, and which are all features, nil where no flag says that.
func (r *records) chosen(t *table, all []string, o Options) (left []bool, kept []int, err error) {
	left = make([]bool, len(all))
	if o.Table != nil || o.Want != nil && t.id < 0 || !o.chooses() {
		return left, nil, nil
	}
	for _, c := range t.besides() {
		if c >= 0 {
			left[c] = true
		}
	}
	dropped, err := r.among(all, o.Drop, "drop")
	if err != nil {
		return nil, nil, err
	}
	for _, c := range dropped {
		if all[c] == o.Label {
			return nil, nil, r.fault(c+1, fmt.Sprintf("--drop %s: it is the column of the labels", all[c]), "name another column with --label")
		}
		left[c] = true
	}
	if len(o.Features) == 0 {
		return left, nil, nil
	}
	if kept, err = r.among(all, o.Features, "features"); err != nil {
		return nil, nil, err
	}
	for c, name := range all {
		if slices.Contains(kept, c) && left[c] {
			return nil, nil, r.fault(c+1, fmt.Sprintf("column %q is named with --features and as no feature", name), "name it once")
		}
	}
	return left, kept, nil
}

// among finds the columns that a list of names, FIRST..LAST and PREFIX* means.
func (r *records) among(all, list []string, flag string) ([]int, error) {
	var out []int
	for _, one := range list {
		one = strings.TrimSpace(one)
		if c := slices.Index(all, one); c >= 0 {
			out = append(out, c)
			continue
		}
		before := len(out)
		if first, last, ok := strings.Cut(one, ".."); ok {
			a, b := slices.Index(all, first), slices.Index(all, last)
			for c := a; a >= 0 && c <= b; c++ {
				out = append(out, c)
			}
		} else if strings.HasSuffix(one, "*") {
			for c, name := range all {
				if ok, err := path.Match(one, name); ok && err == nil {
					out = append(out, c)
				}
			}
		}
		if len(out) == before {
			return nil, r.fault(0, fmt.Sprintf("--%s %s: no such column%s; columns are %s", flag, one, brief.Suggest(one, all),
				listed(all)), "name some of them")
		}
	}
	return out, nil
}

// cells are texts of rows, so many a row.
type cells struct {
	width int
	text  []byte
	ends  []int
}

func (c *cells) reset() { c.text, c.ends = c.text[:0], c.ends[:0] }

func (c *cells) add(text []byte) {
	c.text = append(c.text, text...)
	c.ends = append(c.ends, len(c.text))
}

// at is cell k of row i.
func (c *cells) at(i, k int) []byte {
	q, from := i*c.width+k, 0
	if q > 0 {
		from = c.ends[q-1]
	}
	return c.text[from:c.ends[q]]
}

// beside appends the cells of a record that stand beside its features.
func (p *csvPart) beside(f []field) error {
	p.cells.width = 0
	for _, c := range p.besides() {
		if c < 0 {
			continue
		}
		text, ok := p.decode(f[c].text)
		if !ok {
			return p.fault(c+1, "the cell "+quote(f[c].text)+" is not text", "save the file as UTF-8")
		}
		if f[c].typed {
			text = columns.Fraction(text)
		}
		if c == p.weight {
			v, ok := p.weighed(field{text: text, typed: f[c].typed})
			if !ok || !(v >= 0 && v <= data.MostWeight) {
				return &Error{File: p.file, Line: p.line, Column: c + 1, What: fmt.Sprintf("column %q: the weight %s is no number from 0 to %g",
					p.all[c], quote(text), data.MostWeight), Remedy: "correct it", cell: true}
			}
			text = strconv.AppendFloat(nil, v, 'g', -1, 64)
		}
		p.cells.add(text)
		p.cells.width++
	}
	return nil
}

// weighed reads a weight as the number that a feature would be.
func (p *csvPart) weighed(f field) (v float64, ok bool) {
	if !f.typed && p.coder != nil && p.coder.Table.Column(data.KindWeight) != nil {
		return p.coder.Weight(f.text)
	}
	v, what, _ := p.number(f)
	return v, what == ""
}

// extras are the cells of all rows that stand beside the features.
type extras struct {
	t     *table
	lists []*answers
	at    []int // lines, of a column of order
}

// ordered reads the places of rows in the order of a column.
func (e *extras) ordered(file string, texts []string) ([]float64, error) {
	at := e.at
	e.at = nil
	places, err := columns.Places(e.t.all[e.t.order], e.t.places, texts, at)
	if err != nil {
		return nil, &Error{File: file, Line: err.Line, Column: e.t.order + 1, What: err.What, Remedy: err.Remedy}
	}
	return places, nil
}

// begin makes lists for the columns that there are, and says how many.
func (e *extras) begin(t *table, b *budget) int {
	e.t = t
	for _, c := range t.besides() {
		if c >= 0 {
			e.lists = append(e.lists, newAnswers(b, ""))
		}
	}
	return len(e.lists)
}

// join appends the cells of row i of a part.
func (e *extras) join(c *cells, i, line int) error {
	for k, l := range e.lists {
		if err := l.label(c.at(i, k), line); err != nil {
			return err
		}
	}
	if e.t != nil && e.t.order >= 0 {
		e.at = append(e.at, line)
	}
	return nil
}

// set gives them to a set, and begins again.
func (e *extras) set(s *data.Set, line int) error {
	k := 0
	for q, c := range e.t.besides() {
		if c < 0 {
			continue
		}
		texts, err := e.lists[k].whole(line)
		if err != nil {
			return err
		}
		switch q {
		case 0:
			s.ID = texts
		case 1:
			s.Weight = make([]float64, len(texts))
			for i, text := range texts {
				s.Weight[i], _ = data.Number(text)
			}
		case 2:
			for i, text := range texts {
				if columns.Missing([]byte(text)) {
					texts[i] = "" // a group of its own
				}
			}
			s.Group = texts
		case 3:
			if s.Order, err = e.ordered(s.Source, texts); err != nil {
				return err
			}
		}
		e.lists[k].again()
		clear(e.lists[k].seen)
		k++
	}
	return nil
}
