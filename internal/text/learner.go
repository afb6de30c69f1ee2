package text

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/parallel"
)

// Learner makes one set of counts that come one after the other, whose words are numbered each in
// their own way. Memory: 12 bytes for each word of each document, and the list of words.
type Learner struct {
	text      data.Text
	number    map[string]int32
	names     []string
	documents []int32 // that have the word
	start     []int
	index     []int32
	value     []float64
	to        []int32 // numbers here of the words of the counts at work
}

// NewLearner begins without a document.
func NewLearner(t data.Text) *Learner {
	return &Learner{text: t, number: map[string]int32{}, start: []int{0}}
}

// Len is the number of documents.
func (l *Learner) Len() int { return len(l.start) - 1 }

// Join appends the documents of c, made by NewCounts, and returns about how many bytes their new words take.
func (l *Learner) Join(c *Counts) (bytes int) {
	l.to = l.to[:0]
	before := len(l.names)
	for _, name := range c.names {
		j, ok := l.number[name]
		if !ok {
			j = int32(len(l.names))
			l.number[name], l.names, l.documents = j, append(l.names, name), append(l.documents, 0)
		}
		l.to = append(l.to, j)
	}
	base := len(l.index)
	for _, end := range c.start[1:] {
		l.start = append(l.start, base+end)
	}
	for _, e := range c.entry {
		j := l.to[e.word]
		l.documents[j]++
		l.index, l.value = append(l.index, j), append(l.value, float64(e.count))
	}
	return wordBytes * (len(l.names) - before)
}

// Set returns the documents, in the order in which they came, with a column for each word that enough of them
// have. Columns are in alphabetical order of the words, whatever the order of documents. The learner is not used
// again. No word at all is an error.
func (l *Learner) Set() (*data.Set, error) {
	least := int32(max(1, l.text.MinDocuments))
	var kept []int32
	for j, n := range l.documents {
		if n >= least {
			kept = append(kept, int32(j))
		}
	}
	if len(l.names) == 0 {
		return nil, errors.New("no document has a word, two letters or digits at least; check that this is the text")
	}
	if len(kept) == 0 {
		return nil, fmt.Errorf("no word is in %d documents; ask for fewer with --min-documents", least)
	}
	slices.SortFunc(kept, func(a, b int32) int {
		if l.names[a] < l.names[b] {
			return -1
		}
		return 1
	})
	place := make([]int32, len(l.names))
	for j := range place {
		place[j] = -1
	}
	list := make([]string, len(kept))
	for k, j := range kept {
		place[j], list[k] = int32(k), l.names[j]
	}
	l.number, l.names, l.documents = nil, nil, nil
	l.renumber(place)
	t := l.text
	x := &data.CSR{R: l.Len(), C: len(list), Start: l.start, Index: l.index, Value: l.value}
	return &data.Set{Rows: data.Rows{Sparse: x}, Features: list, Text: &t}, nil
}

// renumber gives word j the number place[j], drops those of -1, and sorts the words of every document.
func (l *Learner) renumber(place []int32) {
	end, from := 0, 0
	for i := range l.Len() {
		lo, hi := from, l.start[i+1]
		from = hi
		for p := lo; p < hi; p++ {
			if j := place[l.index[p]]; j >= 0 {
				l.index[end], l.value[end] = j, l.value[p]
				end++
			}
		}
		l.start[i+1] = end
	}
	l.index, l.value = l.index[:end], l.value[:end]
	parallel.Pieces(l.Len(), 1024, func(lo, hi int) {
		var row []entry
		for i := lo; i < hi; i++ {
			a, b := l.start[i], l.start[i+1]
			row = row[:0]
			for p := a; p < b; p++ {
				row = append(row, entry{l.index[p], int32(l.value[p])})
			}
			slices.SortFunc(row, func(a, b entry) int { return int(a.word) - int(b.word) })
			for p, e := range row {
				l.index[a+p], l.value[a+p] = e.word, float64(e.count)
			}
		}
	})
}
