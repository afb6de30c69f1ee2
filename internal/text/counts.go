package text

import "slices"

// Counts are the words of some documents, one after the other. Each goroutine has its own, and a Learner or
// a Vocabulary makes rows of them.
type Counts struct {
	ngrams int
	of     *Vocabulary // whose words are counted; nil: all
	words  words
	number map[string]int32 // of words, where there is no vocabulary
	names  []string         // of words by number
	start  []int            // where each document begins in entry, and the end of all
	entry  []entry          // by document, then by number of the word
	found  []int32          // the known words of the document at work
	seen   Unknown
}

// entry is how often a document has a word.
type entry struct{ word, count int32 }

// Unknown says how much of some documents a vocabulary does not have.
type Unknown struct {
	Words, Of        int // words that it does not have, of so many
	Documents, Among int // documents of which it has no word, of so many
}

// Add joins what is said of further documents.
func (u *Unknown) Add(more Unknown) {
	u.Words, u.Of = u.Words+more.Words, u.Of+more.Of
	u.Documents, u.Among = u.Documents+more.Documents, u.Among+more.Among
}

// NewCounts counts every word, and up to ngrams words in a row as one, too; 0 is 1.
func NewCounts(ngrams int) *Counts {
	return &Counts{ngrams: max(1, ngrams), number: map[string]int32{}, start: []int{0}}
}

// Reset forgets all documents.
func (c *Counts) Reset() {
	clear(c.number)
	c.names, c.start, c.entry, c.seen = c.names[:0], c.start[:1], c.entry[:0], Unknown{}
}

// Len is the number of documents.
func (c *Counts) Len() int { return len(c.start) - 1 }

// Row appends the numbers of the words that document i has, increasing where they are those of a vocabulary, and how
// often it has them.
func (c *Counts) Row(i int, index []int32, value []float64) ([]int32, []float64) {
	for _, e := range c.entry[c.start[i]:c.start[i+1]] {
		index, value = append(index, e.word), append(value, float64(e.count))
	}
	return index, value
}

// Words is the number of different words that document i has.
func (c *Counts) Words(i int) int { return c.start[i+1] - c.start[i] }

// Unknown says what of the documents is not in the vocabulary.
func (c *Counts) Unknown() Unknown { return c.seen }

// Bytes is about what the counts hold.
func (c *Counts) Bytes() int { return 8*len(c.entry) + 8*len(c.start) + wordBytes*len(c.names) }

// wordBytes is about what a word takes in a table of words: its letters, their place twice, its number.
const wordBytes = 64

// Add counts the words of one more document. Cost: linear in its length, and a sort of its words.
func (c *Counts) Add(document []byte) {
	c.words.read(document)
	c.found = c.found[:0]
	n := c.words.len()
	for size := 1; size <= min(c.ngrams, n); size++ {
		for i := range n - size + 1 {
			c.find(c.words.gram(i, size))
		}
	}
	slices.Sort(c.found)
	for k, j := range c.found {
		if k == 0 || j != c.found[k-1] {
			c.entry = append(c.entry, entry{word: j})
		}
		c.entry[len(c.entry)-1].count++
	}
	c.start = append(c.start, len(c.entry))
	c.seen.Among++
	if len(c.found) == 0 {
		c.seen.Documents++
	}
}

// find adds the number of a word to those found.
func (c *Counts) find(word []byte) {
	c.seen.Of++
	number := c.number
	if c.of != nil {
		number = c.of.number
	}
	j, ok := number[string(word)] // allocates nothing
	if !ok {
		if c.of != nil {
			c.seen.Words++
			return
		}
		j = int32(len(c.names))
		name := string(word)
		number[name], c.names = j, append(c.names, name)
	}
	c.found = append(c.found, j)
}
