package read

// Which columns of a CSV file are features, which one is that of the answers, and whether the first
// line names them.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/columns"
)

// table says where the columns of a CSV file go.
type table struct {
	width    int
	columns  []int // field of each feature
	names    []string
	label    int // field of the label, -1 = none
	labelled string
	to       []int    // feature of each field, -1 = none; nil if one field is used twice
	all      []string // names of the fields

	id, weight, group, order int                 // fields, -1 = none
	places                   columns.Settings    // of the column of order
	coder                    *columns.Coder      // of a table; columns are then fields of its columns, -1 = not read
	marks                    []func([]byte) bool // cells of each field that stand for missing ones; nil: none, or of a table
	mark                     byte                // the decimal mark of numbers among the answers, 0 where the table does not say it
	amounts                  bool                // answers are amounts
}

// besides are the fields of id, weight, group and order, -1 where there is none.
func (t *table) besides() []int { return []int{t.id, t.weight, t.group, t.order} }

// dim is the number of features.
func (t *table) dim() int {
	if t.coder != nil {
		return t.coder.Dim()
	}
	return len(t.columns)
}

// place sets to, when all else is known, no column is absent, and every cell that is a plain number counts as that.
func (t *table) place(o Options) {
	if t.coder != nil {
		return
	}
	for _, list := range o.emptyOf(t.all) {
		t.marks = append(t.marks, columns.Marks(list))
	}
	if slices.Max(t.besides()) >= 0 || t.marks != nil || o.dialect != nil && o.dialect.mark == ',' {
		return
	}
	to := make([]int, t.width)
	for c := range to {
		to[c] = -1
	}
	for j, c := range t.columns {
		if c < 0 || to[c] >= 0 || c == t.label {
			return
		}
		to[c] = j
	}
	t.to = to
}

// layout reads the first record: names of columns, or data.
func (r *records) layout(first []field, o Options, d *dialect) (t *table, headless bool, w []Warning, err error) {
	if d.header > 0 {
		if first, err = r.heading(first, d); err != nil {
			return nil, false, nil, err
		}
		t, ignored, err := r.header(first, o)
		w = append(w, r.renamed...)
		if ignored > 0 && !o.Part { // they were left out on purpose
			w = append(w, Warning{File: r.file, Line: r.line,
				What: "the model ignores " + brief.Count(ignored, "column") + " that it does not know"})
		}
		if err == nil {
			w, err = append(w, o.mistyped(t.all, r.file)...), r.unanswered(t, o)
		}
		return t, false, w, err
	}
	if o.Table == nil && o.Want == nil && (o.chooses() || strings.HasPrefix(o.Label, "x") && !o.LabelOptional) {
		t, _, err = r.header(numberedNames(len(first)), o) // a flag names some of the columns
	} else {
		t, err = r.unnamed(first, o)
	}
	if err != nil {
		return nil, true, nil, err
	}
	named := t.names // of a model
	if o.Want == nil {
		named = slices.DeleteFunc(slices.Clone(t.all), func(name string) bool { return t.label >= 0 && name == t.labelled })
	}
	what := fmt.Sprintf("no header line; columns are named %s to %s", named[0], named[len(named)-1])
	switch {
	case t.label >= 0 && t.label == t.width-1:
		what += ", the last is the label"
	case t.label >= 0:
		what += ", the label is " + t.labelled
	}
	w = []Warning{{File: r.file, Line: r.line, What: what, Guess: o.Dialect.Header == ""}}
	return t, true, append(w, o.mistyped(t.all, r.file)...), nil
}

// unanswered refuses marks of missing cells that are of the labels.
func (r *records) unanswered(t *table, o Options) error {
	for _, mark := range o.Marks {
		column, value, named := strings.Cut(mark, "=")
		if named && t.label >= 0 && !slices.Contains(t.all, mark) && spelled(column, t.all) == t.all[t.label] {
			return r.fault(t.label+1, fmt.Sprintf("--missing %s: the column has the labels", mark), "say --unlabelled-mark="+brief.Flagged(value)+
				" for those that are none")
		}
	}
	return nil
}

// numberedNames are those of columns without a header: x0, x1, ... and label.
func numberedNames(n int) []field {
	names := make([]field, n)
	for c := range names {
		names[c].text = []byte("x" + strconv.Itoa(c))
	}
	names[n-1].text = []byte("label")
	return names
}

// numbers says whether all fields are unquoted numbers.
func numbers(f []field) bool {
	for _, v := range f {
		if _, ok := data.Number(string(v.text)); v.quoted || !ok {
			return false
		}
	}
	return true
}

// isData says whether the first record holds data rather than names.
func isData(f []field) bool {
	most := f
	if len(f) > 1 {
		most = f[:len(f)-1]
	}
	if !numbers(most) {
		return false
	}
	for from := range 2 {
		counting := len(most) > 1
		for j, v := range f {
			if _, number := data.Number(string(v.text)); j < len(most) || number {
				counting = counting && string(v.text) == strconv.Itoa(j+from)
			}
		}
		if counting {
			return false
		}
	}
	return true
}

// guesses says whether the data are to show if their last column is one of answers.
func (o Options) guesses() bool {
	return o.LabelOptional && o.LabelNamed && o.Label == "" && o.Want == nil && o.Dim == 0
}

// setAside makes the last column that of the answers if none is and one of its first values is a
// word, for words are no features. Of a table it was decided before what columns are.
func (t *table) setAside(first []field, d *dialect) {
	last := len(t.columns) - 1
	if t.label >= 0 || last < 1 || len(first) != t.width || t.coder != nil || t.columns[last] != t.width-1 {
		return
	}
	if !d.words {
		return
	}
	t.label, t.labelled = t.columns[last], t.names[last]
	t.columns, t.names = t.columns[:last], t.names[:last]
}

// unnamed lays out columns without a header, of which the first record is given.
func (r *records) unnamed(first []field, o Options) (*table, error) {
	n := len(first)
	t := &table{width: n, label: n - 1, labelled: "label", id: -1, weight: -1, group: -1, order: -1}
	if o.Table != nil {
		return r.unnamedTable(t, o)
	}
	d := n - 1
	want := max(len(o.Want), o.Dim)
	switch {
	case o.Label != "" && o.Label != t.labelled && !o.LabelOptional:
		return nil, r.fault(0, fmt.Sprintf("no header line, so no column %q", o.Label), "give a header line that names the columns")
	case want > 0 && want == n && o.LabelOptional:
		t.label, t.labelled, d = -1, "", n
	case want > 0 && want != d:
		return nil, r.fault(
			0,
			fmt.Sprintf("%d columns without names, but %d features are expected", n, want),
			"give a header line that names the columns",
		)
	case want == 0 && o.LabelOptional && (n == 1 || o.guesses() && numbers(first)):
		t.label, t.labelled, d = -1, "", n
	}
	if d == 0 {
		return nil, r.fault(0, "one column only", "give at least one feature beside the label")
	}
	for j := range d {
		t.columns = append(t.columns, j)
		t.names = append(t.names, "x"+strconv.Itoa(j))
	}
	t.all = slices.Clone(t.names)
	if t.label >= 0 {
		t.all = append(t.all, t.labelled)
	}
	if o.Want != nil {
		t.names = slices.Clone(o.Want)
	}
	return t, nil
}

// header lays out named columns and counts those ignored.
func (r *records) header(f []field, o Options) (t *table, ignored int, err error) {
	t = &table{width: len(f), label: -1}
	at, all, err := r.columnNames(f, o)
	if err != nil {
		return nil, 0, err
	}
	t.all = all
	if o.Label != "" {
		o.Label = spelled(o.Label, all)
	}
	if err := r.roles(t, at, o); err != nil {
		return nil, 0, err
	}
	left, kept, err := r.chosen(t, all, o)
	if err != nil {
		return nil, 0, err
	}
	may := func(c int) bool { return !left[c] && !slices.Contains(kept, c) }
	if t.label, err = r.labelColumn(at, all, may, o); err != nil {
		return nil, 0, err
	}
	if t.label >= 0 {
		t.labelled = all[t.label]
	}
	for c := range left {
		left[c] = left[c] || kept != nil && c != t.label && !slices.Contains(kept, c)
	}
	if o.Table != nil {
		ignored, err = r.tableColumns(t, at, o)
		return t, ignored, err
	}
	if o.Want != nil {
		ignored = len(f)
		for _, name := range o.Want {
			c, ok := at[name]
			if !ok && o.Missing {
				t.columns = append(t.columns, -1)
				continue
			}
			ignored--
			if !ok {
				return nil, 0, r.fault(
					0,
					fmt.Sprintf("no column %q, which the model needs; columns are %s", name, listed(all)),
					"add it, or use a file with the columns of the training data",
				)
			}
			t.columns = append(t.columns, c)
		}
		t.names = slices.Clone(o.Want)
		for _, c := range append(t.besides(), t.label) {
			if c >= 0 && !slices.Contains(t.columns, c) {
				ignored--
			}
		}
	} else {
		for c, name := range all {
			if c != t.label && !left[c] {
				t.columns = append(t.columns, c)
				t.names = append(t.names, name)
			}
		}
	}
	if len(t.columns) == 0 || slices.Max(t.columns) < 0 {
		return nil, 0, r.fault(0, "no feature column", "give at least one feature beside the label")
	}
	if o.Dim > 0 && len(t.columns) != o.Dim {
		return nil, 0, r.fault(
			0,
			fmt.Sprintf("%d features, the model has %d", len(t.columns), o.Dim),
			"use a file with the columns of the training data",
		)
	}
	return t, ignored, nil
}

// namesAll says whether columns without a name get one.
func (o Options) namesAll() bool { return o.Prepare || o.Part || o.Table != nil || o.Want != nil }

// columnNames reads a header line: the column of each name, and the names in order.
func (r *records) columnNames(f []field, o Options) (at map[string]int, all []string, err error) {
	at, all = make(map[string]int, len(f)), make([]string, len(f))
	var renamed []string
	again := newNaming(f)
	for c, v := range f {
		text, ok := r.decode(v.text)
		if !ok {
			return nil, nil, r.fault(c+1, "column name "+quote(v.text)+" is not text", "save the file as UTF-8")
		}
		name := string(text)
		if name == "" && o.namesAll() {
			name = fmt.Sprintf("unnamed %d", c+1) // as programs leave a column of row numbers, or a last delimiter
		}
		if name == "" {
			return nil, nil, r.fault(c+1, "a column without a name", "name it or remove it (an index column is no feature)")
		}
		if _, twice := at[name]; twice {
			name = again.another(name, at)
			renamed = append(renamed, name)
		}
		at[name], all[c] = c, name
	}
	r.renamed = nil
	if renamed != nil {
		r.renamed = []Warning{{File: r.file, Line: r.line, Guess: o.Dialect.Header == "",
			What: fmt.Sprintf("names that stand twice have numbers: %s", listed(renamed))}}
	}
	return at, all, nil
}

// naming finds names for columns whose own stand twice.
type naming struct {
	written map[string]bool
	last    map[string]int // number of each name
}

func newNaming(f []field) *naming {
	n := &naming{written: make(map[string]bool, len(f)), last: map[string]int{}}
	for _, v := range f {
		name, _, _, _ := compared(v.text)
		n.written[string(name)] = true
	}
	return n
}

// another is a name like one that stands twice, and that no other column has: name_2, name_3.
func (n *naming) another(name string, at map[string]int) string {
	for k := max(n.last[name]+1, 2); ; k++ {
		next := fmt.Sprintf("%s_%d", name, k)
		if _, there := at[next]; !there && !n.written[next] {
			n.last[name] = k
			return next
		}
	}
}

// spelled is the name among all that is meant by one: that name itself, or without the spaces around it, or else the only one that differs
// from it in case and such spaces alone.
func spelled(name string, all []string) string {
	if slices.Contains(all, name) {
		return name
	}
	name = strings.TrimSpace(name)
	if slices.Contains(all, name) {
		return name
	}
	found := name
	for _, other := range all {
		if strings.EqualFold(strings.TrimSpace(other), name) {
			if found != name {
				return name
			}
			found = other
		}
	}
	return found
}

// usualLabel is the field of a column called label or target, in any case where none is spelled so; -1 without one.
func usualLabel(all []string, may func(c int) bool) int {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		for _, name := range []string{"label", "target"} {
			for c, other := range all {
				if same(other, name) && may(c) {
					return c
				}
			}
		}
	}
	return -1
}

// labelColumn returns the field of the label, -1 if there is none and need be none. One that is not named may not be everywhere.
func (r *records) labelColumn(at map[string]int, all []string, may func(c int) bool, o Options) (int, error) {
	if o.Label == "" && o.Table != nil {
		label := o.Table.Column(data.KindLabel)
		if label == nil {
			return -1, nil
		}
		o.Label = label.Name
	}
	if o.Label != "" {
		if c, ok := at[o.Label]; ok {
			return c, nil
		}
		if o.LabelOptional || o.Label == none {
			return -1, nil
		}
		return 0, r.fault(
			0,
			fmt.Sprintf("no column %q for the label%s; columns are %s", o.Label, brief.Suggest(o.Label, all), listed(all)),
			"name one of them with --label",
		)
	}
	if c := usualLabel(all, func(c int) bool { return !slices.Contains(o.Want, all[c]) && may(c) }); c >= 0 {
		return c, nil
	}
	last := len(all) - 1
	for last > 0 && (!may(last) || o.namesAll() && strings.HasPrefix(all[last], "unnamed ")) {
		last--
	}
	if o.guesses() && last > 0 {
		if c := slices.IndexFunc(all, func(name string) bool { return strings.EqualFold(name, "class") }); c >= 0 && may(c) {
			return c, nil
		}
	}
	if !may(last) || o.LabelOptional && (o.Want != nil || o.Dim == len(all) || o.LabelNamed) || slices.Contains(o.Want, all[last]) {
		if o.LabelOptional {
			return -1, nil
		}
		return 0, r.fault(0, fmt.Sprintf("no label column; columns are %s", listed(all)), "name one of them with --label")
	}
	return last, nil
}

// listed returns names for a message, the first few of many.
func listed(names []string) string {
	const most = 8
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(", ... (%d in all)", len(names))
	}
	return strings.Join(names, ", ")
}
