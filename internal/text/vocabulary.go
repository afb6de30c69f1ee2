package text

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/parallel"
)

// Vocabulary is a list of words, the columns of rows. It may be used by several goroutines at once.
type Vocabulary struct {
	Words  []string // column by column
	ngrams int
	number map[string]int32
}

// NewVocabulary is the list of words of a set or a model, with its data.Text. A word that is listed twice is
// an error.
func NewVocabulary(list []string, t data.Text) (*Vocabulary, error) {
	v := &Vocabulary{Words: list, ngrams: max(1, t.NGrams), number: make(map[string]int32, len(list))}
	for j, w := range list {
		if old, twice := v.number[w]; twice {
			return nil, fmt.Errorf("text: words %d and %d are both %q", old+1, j+1, w)
		}
		v.number[w] = int32(j)
	}
	return v, nil
}

// Counts counts the words of the vocabulary and no others.
func (v *Vocabulary) Counts() *Counts {
	return &Counts{ngrams: v.ngrams, of: v, start: []int{0}}
}

// Rows returns the rows of all documents that parts, made by v.Counts, have counted, and what of them is not in the
// vocabulary. A document without a known word is a row of zeros.
func (v *Vocabulary) Rows(parts ...*Counts) (data.Rows, Unknown) {
	n, entries := 0, 0
	var u Unknown
	for _, c := range parts {
		n, entries = n+c.Len(), entries+len(c.entry)
		u.Add(c.seen)
	}
	x := &data.CSR{R: n, C: len(v.Words), Start: make([]int, 1, n+1),
		Index: make([]int32, 0, entries), Value: make([]float64, 0, entries)}
	for _, c := range parts {
		for i := range c.Len() {
			x.Index, x.Value = c.Row(i, x.Index, x.Value)
			x.Start = append(x.Start, len(x.Index))
		}
	}
	return data.Rows{Sparse: x}, u
}

// Count returns the rows of documents. Cost: linear in their length, on all processors.
func (v *Vocabulary) Count(ctx context.Context, documents []string) (data.Rows, Unknown, error) {
	parts, err := counted(ctx, documents, v.Counts)
	if err != nil {
		return data.Rows{}, Unknown{}, err
	}
	rows, u := v.Rows(parts...)
	return rows, u, nil
}

// Learn returns the set of documents whose columns are their words. Name, labels and source are the caller's to add.
// No document with a word is an error.
func Learn(ctx context.Context, documents []string, t data.Text) (*data.Set, error) {
	parts, err := counted(ctx, documents, func() *Counts { return NewCounts(t.NGrams) })
	if err != nil {
		return nil, err
	}
	l := NewLearner(t)
	for _, c := range parts {
		l.Join(c)
	}
	return l.Set()
}

// counted counts documents, so many to each part.
func counted(ctx context.Context, documents []string, counts func() *Counts) ([]*Counts, error) {
	const size = 256
	parts := make([]*Counts, (len(documents)+size-1)/size)
	err := parallel.Each(0, len(parts), func(k int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := counts()
		var text []byte
		for _, d := range documents[k*size : min((k+1)*size, len(documents))] {
			text = append(text[:0], d...)
			c.Add(text)
		}
		parts[k] = c
		return nil
	})
	return parts, err
}
