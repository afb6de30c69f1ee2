package read

// Tables that hold more than numbers. A table of numbers alone is read once, as fast as numbers can be, and looked at
// if it is to be described. Where a cell is none, the text is read twice more: once to look at all cells (columns.Profile),
// in parts on all processors, and once to make numbers of them as was then decided. What can be read only once, a pipe, is
// kept meanwhile in a file.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/columns"
)

// prepared reads a set to learn from.
func prepared(ctx context.Context, name string, o Options) (*data.Set, []Warning, error) {
	o, err := o.asGiven(name)
	if err != nil {
		return nil, nil, err
	}
	src, err := newReplay(ctx, name, o)
	if err != nil {
		return nil, nil, err
	}
	defer src.close()
	if o.Given, err = src.declared(ctx, o); err != nil {
		return nil, nil, err
	}
	var numbers *data.Set                                                  // as they stand
	asked := len(o.Given)+len(o.Marks) > 0 || o.Dialect.Decimal == "comma" // what numbers are, so that cells are looked at
	if !asked {
		set, warnings, err := wholeSet(func(to *sink) error { return src.parse(ctx, o, to) })
		var fault *Error
		o.Numbers = err == nil && columns.Plain(set.Features, set.Rows) && !columns.AmountsOf(set.Answers).Found
		if o.Numbers && !set.Coded && !o.Describe && !o.chooses() || err != nil && !(errors.As(err, &fault) && fault.cell) {
			return withSentinels(set, warnings, err, o)
		}
		if o.Numbers && !o.chooses() && len(warnings) == 0 && set.Dialect != nil && set.Dialect.Header > 0 {
			numbers = set
		}
	}
	if err := src.again(); err != nil {
		return nil, nil, err
	}
	seen, err := look(ctx, o, src.name, src.parse)
	if err != nil {
		return nil, nil, err
	}
	files := []string{src.name}
	var ends []Warning // notes stand below the totals
	for list := seen.Ends(files); len(list) > 0 && len(ends) < 2; list = seen.Ends(files) {
		o.Until = list[0].Line
		ends = append(ends, list...)
		if err := src.again(); err != nil {
			return nil, nil, err
		}
		if seen, err = look(ctx, o, src.name, src.parse); err != nil {
			return nil, nil, err
		}
	}
	if asked {
		o.Numbers = seen.cells.Plain(seen.names, seen.roles)
	}
	if o.Table, err = seen.Decide(files, o); err != nil {
		return nil, nil, err
	}
	if numbers != nil && numbers.Rows.Len() != seen.Rows() {
		numbers = nil // names of numbers stand among them again
	}
	o.found = seen.of // names that are now known are no reason to cut the text in another way
	set, warnings, err := src.decided(ctx, o, numbers)
	if err != nil {
		return nil, nil, err
	}
	warnings = append(warnings, ends...)
	if o.Group == "" && o.Order == "" {
		for _, hint := range columns.Hints(seen.cells, set.Table) {
			warnings = append(warnings, Warning{File: src.name, What: hint})
		}
	}
	for _, what := range columns.Guesses(set.Table) {
		warnings = append(warnings, Warning{File: src.name, Guess: true, What: what})
	}
	set, warnings, err = withSentinels(set, warnings, o.refuse(warnings), o)
	if err == nil {
		columns.NewCoder(set.Table).Complete(set.Rows)
	}
	return set, warnings, err
}

// decided reads a set as its table says. One of numbers is there already, if the table takes each as it stands.
func (s *replay) decided(ctx context.Context, o Options, numbers *data.Set) (*data.Set, []Warning, error) {
	if numbers != nil && o.Until == 0 && !o.Missing && o.Fill == nil && columns.AsTheyStand(o.Table) {
		numbers.Table = o.Table
		return numbers, nil, nil
	}
	if err := s.again(); err != nil {
		return nil, nil, err
	}
	return wholeSet(func(to *sink) error { return s.parse(ctx, o, to) })
}

// withSentinels warns of numbers in a set that may stand for missing values.
func withSentinels(set *data.Set, said []Warning, err error, o Options) (*data.Set, []Warning, error) {
	if err != nil || set.Rows.Dense == nil || set.Features == nil {
		return set, said, err
	}
	number := map[string]bool{}
	if set.Table != nil {
		for i := range set.Table.Columns {
			number[set.Table.Columns[i].Name] = set.Table.Columns[i].Kind == data.KindNumber
		}
	}
	for _, s := range columns.Sentinels(set.Features, set.Rows, func(name string) bool { return set.Table == nil || number[name] }) {
		value := strconv.FormatFloat(s.Value, 'f', -1, 64)
		said = append(said, Warning{File: set.Source, Guess: true, What: fmt.Sprintf(
			"column %q: %d cells are %s, far from all others, and count as that number (--missing %s if they stand for "+
				"missing ones)",
			s.Column, s.Rows, value, columns.OfList(s.Column+"="+value))})
	}
	return set, said, o.refuse(said)
}

// emptyOf are the cells that stand for missing ones in each of some columns, as --missing says; nil: there are none.
func (o Options) emptyOf(names []string) (list [][]string) {
	if len(o.Marks) == 0 {
		return nil
	}
	list = make([][]string, len(names))
	for _, mark := range o.Marks {
		column, value, named := strings.Cut(mark, "=")
		if at := slices.Index(names, spelled(column, names)); named && at >= 0 {
			list[at] = append(list[at], value)
			continue
		}
		for c := range list {
			list[c] = append(list[c], mark)
		}
	}
	return list
}

// emptyByName are those of each column that has some.
func (o Options) emptyByName(names []string) map[string][]string {
	empty := map[string][]string{}
	for i, list := range o.emptyOf(names) {
		empty[names[i]] = list
	}
	return empty
}

// mistyped warns of marks that seem to name a column which is not there: such a mark is a cell of any column as a whole, as >=5 is.
func (o Options) mistyped(names []string, file string) (list []Warning) {
	for _, mark := range o.Marks {
		column, _, named := strings.Cut(mark, "=")
		if !named || slices.Contains(names, spelled(column, names)) || !strings.ContainsFunc(column, unicode.IsLetter) {
			continue
		}
		list = append(list, Warning{File: file, What: fmt.Sprintf(
			"no column %q, which --missing names%s; cells of any column that are %q count as missing; columns are %s", column,
			brief.Suggest(column, names), mark, listed(names))})
	}
	return list
}

// emptyOfGiven has beside them those of the columns that are given.
func (o Options) emptyOfGiven(names []string) [][]string {
	list := o.emptyOf(names)
	for _, g := range o.Given {
		if at := slices.Index(names, g.Name); at >= 0 && len(g.Empty) > 0 {
			if list == nil {
				list = make([][]string, len(names))
			}
			list[at] = append(list[at], g.Empty...)
		}
	}
	return list
}

// asGiven takes label, id, weights and groups from the given columns, where no option names others: then what theirs are is found from
// the cells.
func (o Options) asGiven(name string) (Options, error) {
	if len(o.Given) == 0 {
		return o, nil
	}
	if err := data.NewTable(o.Given).Check(); err != nil {
		return o, &Error{File: name, What: "the columns that are given: " + err.Error(), Remedy: "correct the file of columns"}
	}
	names := make([]string, len(o.Given))
	for i, c := range o.Given {
		names[i] = c.Name
	}
	parts := map[string]*string{data.KindLabel: &o.Label, data.KindID: &o.ID, data.KindWeight: &o.Weight, data.KindGroup: &o.Group}
	o.Given = slices.DeleteFunc(slices.Clone(o.Given), func(c data.Column) bool {
		to := parts[c.Kind]
		if to == nil {
			return false
		}
		*to = cmp.Or(*to, c.Name)
		return spelled(*to, names) != c.Name
	})
	return o, nil
}

// replay is a text that can be read again.
type replay struct {
	name string
	file *os.File  // regular
	in   io.Reader // what can be read once
	kept *os.File  // what was read of it
	now  io.Reader
}

func newReplay(ctx context.Context, name string, o Options) (*replay, error) {
	s := &replay{name: name}
	switch {
	case data.IsBuiltin(name):
		return s, nil
	case name == "-":
		if s.name, s.in = "standard input", o.Stdin; s.in == nil {
			s.in = os.Stdin
		}
	default:
		f, err := openFile(ctx, name)
		if err != nil {
			return nil, err
		}
		s.file = f
		if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
			s.in = f
		}
	}
	if s.in == nil {
		s.now = s.file
		return s, nil
	}
	var err error
	if s.kept, err = os.CreateTemp("", "mercer.*.tmp"); err != nil {
		return nil, &Error{File: s.name, What: "cannot be kept while it is read: " + err.Error(), Remedy: "give a file"}
	}
	_ = os.Remove(s.kept.Name()) // it goes with the process
	s.now = io.TeeReader(s.in, s.kept)
	return s, nil
}

func (s *replay) close() {
	for _, f := range []*os.File{s.file, s.kept} {
		if f != nil {
			_ = f.Close() // nothing that is wanted was written
		}
	}
	if s.kept != nil {
		_ = os.Remove(s.kept.Name()) // where an open file could not be removed
	}
}

// again goes back to the beginning.
func (s *replay) again() error {
	switch {
	case s.kept != nil:
		n, err := s.kept.Seek(0, io.SeekEnd)
		if err != nil {
			return &Error{File: s.name, What: err.Error(), Remedy: "give a file"}
		}
		s.now = io.MultiReader(io.NewSectionReader(s.kept, 0, n), io.TeeReader(s.in, s.kept))
	case s.file != nil:
		if _, err := s.file.Seek(0, io.SeekStart); err != nil {
			return &Error{File: s.name, What: err.Error(), Remedy: "check the file"}
		}
	}
	return nil
}

// declared are the columns that are given, and those that ARFF declares beside them.
func (s *replay) declared(ctx context.Context, o Options) ([]data.Column, error) {
	if s.now == nil {
		return o.Given, nil
	}
	text, err := plain(ctx, s.now, s.name)
	if err != nil {
		return nil, err
	}
	defer text.close()
	head, _ := text.Peek(text.Size())
	if o.Format != FormatARFF && (o.Format != FormatAuto || !isARFF(head)) {
		return o.Given, s.again()
	}
	ls, err := newLines(ctx, text, s.name)
	if err != nil {
		return nil, err
	}
	a, err := newARFF(ls)
	if err != nil {
		return nil, err
	}
	given := slices.Clone(o.Given)
	for _, c := range a.columns() {
		if !slices.ContainsFunc(given, func(g data.Column) bool { return g.Name == c.Name }) && !s.hasPart(c.Name, o) {
			given = append(given, c)
		}
	}
	return given, s.again()
}

// hasPart says whether a column has a part of its own.
func (s *replay) hasPart(name string, o Options) bool {
	return slices.Contains([]string{o.Label, o.ID, o.Weight, o.Group, o.Order}, name)
}

// parse reads the text as it is.
func (s *replay) parse(ctx context.Context, o Options, to *sink) error {
	if s.now == nil {
		return builtin(ctx, s.name, o, to)
	}
	if o.Format == FormatAuto {
		o.Format = o.formatOf(s.name)
	}
	return parse(ctx, s.now, s.name, o, cutting{}, to)
}

// unnamedTable lays out columns without a header as a table of as many columns has them.
func (r *records) unnamedTable(t *table, o Options) (*table, error) {
	n := len(o.Table.Columns)
	label := -1
	for i, c := range o.Table.Columns {
		if c.Kind == data.KindLabel {
			label = i
		}
	}
	without := t.width == n-1 && label >= 0 && o.LabelOptional
	if t.width != n && !without {
		return nil, r.fault(0, fmt.Sprintf("%d columns without names, but %d are expected", t.width, n),
			"give a header line that names the columns")
	}
	t.take(o, func(i int) int {
		switch {
		case without && i == label:
			return -1
		case without && i > label:
			return i - 1
		}
		return i
	})
	t.label = label
	if t.labelled = ""; label >= 0 {
		t.labelled = o.Table.Columns[label].Name
	}
	if without {
		t.label, t.labelled = -1, ""
	}
	at := 0
	for i := range o.Table.Columns {
		c := &o.Table.Columns[i]
		if i == label && without {
			t.columns = append(t.columns, -1)
			continue
		}
		t.all = append(t.all, c.Name)
		if c.Feature() {
			t.columns = append(t.columns, at)
		} else {
			t.columns = append(t.columns, -1)
		}
		for kind, to := range map[string]*int{data.KindID: &t.id, data.KindWeight: &t.weight, data.KindGroup: &t.group} {
			if c.Kind == kind {
				*to = at
			}
		}
		at++
	}
	return t, nil
}

// marked is the table with the cells that stand for missing ones, as --missing says, beside those that were learned.
func (o Options) marked() *data.Table {
	names := make([]string, len(o.Table.Columns))
	for i := range names {
		names[i] = o.Table.Columns[i].Name
	}
	of := o.Table
	for i, list := range o.emptyOf(names) {
		for _, mark := range list {
			if c := &of.Columns[i]; c.Feature() && !slices.Contains(c.Empty, mark) {
				if of == o.Table {
					of = data.NewTable(slices.Clone(of.Columns))
				}
				of.Columns[i].Empty = append(slices.Clip(of.Columns[i].Empty), mark)
			}
		}
	}
	return of
}

// take lays out the columns of a table, of which field tells where each stands in a record, -1 where it does not.
func (t *table) take(o Options, field func(i int) int) {
	of, d := o.marked(), o.dialect
	t.coder = columns.NewCoder(of)
	if d != nil && d.marks != nil { // a table that is still to be learned from has the marks of its file
		shown := make([]byte, len(of.Columns))
		for i := range of.Columns {
			kind, at := of.Columns[i].Kind, field(i)
			if at >= 0 && at < len(d.marks) && d.marks[at] != bothMarks &&
				(kind == data.KindNumber || kind == data.KindLabel || kind == data.KindWeight) {
				shown[i] = d.marks[at]
			}
		}
		t.coder.Marked(shown, markSaid(o.Dialect.Decimal))
	}
	t.names = t.coder.Names()
	if label := of.Column(data.KindLabel); label != nil {
		t.mark, t.amounts = t.coder.AnswerMark(), label.Amounts
	}
}

// tableColumns finds the fields of the columns of a table, and counts those that it does not know.
func (r *records) tableColumns(t *table, at map[string]int, o Options) (ignored int, err error) {
	t.take(o, func(i int) int {
		if f, ok := at[o.Table.Columns[i].Name]; ok {
			return f
		}
		return -1
	})
	known := 0
	for i := range o.Table.Columns {
		c := &o.Table.Columns[i]
		f, ok := at[c.Name]
		if ok {
			known++
		}
		switch {
		case !c.Feature():
			f = -1
		case !ok:
			return 0, r.fault(0, fmt.Sprintf("no column %q, which the model needs; columns are %s", c.Name, listed(t.all)),
				"add it, or use a file with the columns of the training data")
		}
		t.columns = append(t.columns, f)
	}
	if len(t.names) == 0 {
		return 0, r.fault(0, "no feature column", "give at least one feature beside the label")
	}
	return len(t.all) - known, nil
}

// coded appends the features that a table makes of a record.
func (p *csvPart) coded(f []field) error {
	base := len(p.x)
	p.x = append(p.x, make([]float64, p.coder.Dim())...)
	for i, c := range p.columns {
		if c < 0 {
			continue
		}
		text := f[c].text
		if !p.ascii {
			var ok bool
			if text, ok = p.decode(text); !ok {
				return p.fault(c+1, "the cell "+quote(f[c].text)+" is not text", "save the file as UTF-8")
			}
		}
		var what, remedy string
		if f[c].typed {
			what, remedy = p.coder.SetTyped(p.x[base:], i, text, p.unknown)
		} else {
			what, remedy = p.coder.Set(p.x[base:], i, text, p.unknown)
		}
		if what != "" {
			return p.fault(c+1, what, remedy)
		}
	}
	return nil
}
