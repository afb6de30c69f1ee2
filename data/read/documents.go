package read

// Documents, from wherever they come, become rows of counts of words.

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/text"
)

// documents joins counts of documents, in order. Without a list of words all must be seen before there is a
// row, so that they are one batch.
type documents struct {
	*rows
	labelled string           // name of the labels, "" = there are none
	of       *text.Vocabulary // words of a model, or nil
	learn    *text.Learner    // nil where there is a model

	index   []int32 // rows that are not yet handed on
	value   []float64
	start   []int
	unknown text.Unknown
}

// newDocuments begins without a document; r has no row.
func newDocuments(r *rows) (*documents, error) {
	d := &documents{rows: r, start: []int{0}}
	if r.o.Want == nil {
		d.learn = text.NewLearner(*r.o.Text)
		return d, nil
	}
	var err error
	if d.of, err = text.NewVocabulary(r.o.Want, *r.o.Text); err != nil {
		return nil, &Error{File: r.file, What: err.Error()}
	}
	return d, nil
}

// counts are what one goroutine counts with.
func (d *documents) counts() *text.Counts {
	if d.of != nil {
		return d.of.Counts()
	}
	return text.NewCounts(d.o.Text.NGrams)
}

// join appends the documents that c has counted; place gives line and label of each.
func (d *documents) join(c *text.Counts, place func(i int) (line int, label []byte)) error {
	if d.learn != nil {
		words := d.learn.Join(c)
		if err := d.take(int64(words), 0); err != nil {
			return err
		}
	}
	d.unknown.Add(c.Unknown())
	for i := range c.Len() {
		line, label := place(i)
		if err := d.at.one(line, line); err != nil {
			return err
		}
		if d.labelled != "" {
			if err := d.raw.label(label, line); err != nil {
				return err
			}
		}
		if err := d.take(int64(12*c.Words(i)+8), line); err != nil {
			return err
		}
		if d.learn != nil {
			continue
		}
		d.index, d.value = c.Row(i, d.index, d.value)
		d.start = append(d.start, len(d.index))
		if err := d.next(line, d.set); err != nil {
			return err
		}
	}
	return nil
}

// set makes the rows a set.
func (d *documents) set(int) (*data.Set, error) {
	s := &data.Set{Features: d.o.Want, Text: d.o.Text}
	if d.learn == nil {
		x, err := data.NewCSR(len(d.start)-1, len(d.of.Words), d.start, d.index, d.value)
		if err != nil {
			return nil, err
		}
		s.Rows.Sparse = x
		d.index, d.value, d.start = nil, nil, []int{0}
	} else {
		var err error
		if s, err = d.learn.Set(); err != nil {
			return nil, &Error{File: d.file, What: err.Error()}
		}
	}
	s.Name, s.Source, s.LabelName = d.file, d.file, d.labelled
	if d.o.dialect != nil {
		s.Dialect = d.o.dialect.set()
	}
	return s, nil
}

// finish hands on what is left and says what the model does not know.
func (d *documents) finish(line int) error {
	if err := d.end(line, d.set); err != nil {
		return err
	}
	u := d.unknown
	if u.Words > 0 {
		d.sink.warnings = append(d.sink.warnings, Warning{File: d.file, What: fmt.Sprintf(
			"%.3g %% of the words, %d of %d, are not in the list that was learned and count for nothing",
			100*float64(u.Words)/float64(u.Of), u.Words, u.Of)})
	}
	if d.of != nil && u.Documents > 0 {
		d.sink.warnings = append(d.sink.warnings, Warning{File: d.file, What: fmt.Sprintf(
			"%d of %d documents have no word of the list: their rows are zero, and their outputs those of the machine for such a row",
			u.Documents, u.Among)})
	}
	return nil
}

// learnFirst reads documents, of which all must be seen before the first row is known, and hands them on.
func learnFirst(ctx context.Context, o Options, to *sink, read func(*sink) error) error {
	if o.Want != nil || to.rows == 0 {
		return read(to)
	}
	s, w, err := wholeSet(read)
	if err != nil {
		return err
	}
	to.warnings = append(to.warnings, w...)
	return to.cut(ctx, s)
}
