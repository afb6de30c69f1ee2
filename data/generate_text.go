package data

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sort"
	"strconv"

	"github.com/mercer-ml/mercer/internal/parallel"
)

// Text without language: n documents of two or more classes over w words, as sparse rows. The word of rank r = 1..w
// has in class c the probability
//
//	p_c(r) proportional to (1/r) exp(spread N(0, 1)),
//
// which is Zipf's law with each class's own preferences. A document is a number of words drawn from its
// class. Its row is weighted by TF-IDF over all documents and has length 1.
//
// Classes take turns, 1 and -1, or 1, 2, ... where there are more. Row i has a random stream of its own, made of the seed and i: what is
// drawn depends on neither the number of processors nor that of rows, but for the weights of words. Rows
// are drawn twice, first to know how long they are, so that nothing is held beside the CSR form: 12 bytes
// an entry. Time: O(1) a word drawn, and a sort of each row.

// textEntries are the generators of text.
func textEntries() []Entry {
	words := func(def float64) param {
		return param{name: "words", about: "words of the language", usual: def, least: 2, most: maxRows, whole: true}
	}
	spread := func(def float64) param {
		return param{name: "spread", about: "standard deviation of the logarithm of a word's probability in a class",
			usual: def, least: 0, most: 10}
	}
	return []Entry{
		{Name: "two-topics", About: "text of two topics, weighted by TF-IDF, sparse", Rows: 610, Features: 600, Classes: 2,
			parameters: []param{nParam(610), words(600), spread(0.7), seedParam(), labelledParam()}, generate: twoTopics},
		{Name: "zipf", About: "text of two topics that differ little, for large sets, sparse", Rows: 2000, Features: 10000, Classes: 2,
			parameters: []param{nParam(2000), words(10000),
				{name: "classes", about: "topics, in equal shares", usual: 2, least: 2, most: 1000, whole: true},
				{name: "length", about: "mean number of different words in a row", usual: 76, least: 5, most: 1e5, whole: true},
				spread(0.2), seedParam(), labelledParam()}, generate: zipf},
	}
}

// twoTopics draws documents of Poisson(60) + 5 words.
func twoTopics(ctx context.Context, v values) (*Set, error) {
	l := newLanguage(v, 60)
	l.most = func(length int) (words, distinct int) { return length, length }
	return l.set(ctx, v)
}

// zipf draws the words of a document until Poisson(length - 5) + 5 of them differ, or, where the
// language has too few, until they are 16 times as many.
func zipf(ctx context.Context, v values) (*Set, error) {
	l := newLanguage(v, v["length"]-5)
	l.most = func(length int) (words, distinct int) { return 16 * length, length }
	return l.set(ctx, v)
}

// language is what all documents share.
type language struct {
	seed   uint64
	words  int
	class  []*alias  // the words of each class
	length []float64 // Poisson's distribution function of the length less 5
	most   func(length int) (words, distinct int)
}

// newLanguage draws the probabilities of words; documents have Poisson(mean) + 5 words.
func newLanguage(v values, mean float64) *language {
	classes := 2
	if c, ok := v["classes"]; ok {
		classes = int(c)
	}
	l := &language{seed: uint64(v["seed"]), words: v.int("words"), class: make([]*alias, classes), length: poisson(mean)}
	rng := rand.New(rand.NewPCG(l.seed, 1)) // apart from the rows
	p := make([]float64, l.words)
	for c := range l.class {
		for r := range p {
			p[r] = math.Exp(v["spread"]*rng.NormFloat64()) / float64(r+1)
		}
		l.class[c] = newAlias(p)
	}
	return l
}

// poisson returns P(k <= 0), P(k <= 1), ... of the Poisson distribution, as far as double precision sees them.
func poisson(mean float64) []float64 {
	var below []float64
	sum := 0.0
	for k := 0.0; k <= mean+12*math.Sqrt(mean)+30; k++ {
		logFactorial, _ := math.Lgamma(k + 1)
		if mean > 0 {
			sum += math.Exp(k*math.Log(mean) - mean - logFactorial)
		} else {
			sum = 1
		}
		below = append(below, sum)
	}
	return below
}

// writer draws documents, one after the other.
type writer struct {
	*language
	rng   rand.PCG
	count []int32 // of each word in the document, 0 between documents
	used  []int32 // the words that are in it
}

// document draws document i into count and used.
func (w *writer) document(i int) {
	w.rng.Seed(mixed(w.seed, 2*uint64(i)), mixed(w.seed, 2*uint64(i)+1))
	at := float64(w.rng.Uint64()>>11) / (1 << 53)
	words, distinct := w.most(5 + sort.SearchFloat64s(w.length, at))
	from := w.class[i%len(w.class)]
	w.used = w.used[:0]
	for ; words > 0 && len(w.used) < distinct; words-- {
		j := from.draw(&w.rng)
		if w.count[j] == 0 {
			w.used = append(w.used, j)
		}
		w.count[j]++
	}
}

// mixed hashes two numbers to one, so that streams of neighbouring rows have nothing in common (the
// finaliser of SplitMix64: Steele, Lea and Flood 2014).
func mixed(a, b uint64) uint64 {
	x := a*0x9e3779b97f4a7c15 + b*0xd1342543de82ef95
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// each calls f after every document 0..n-1, on all processors, until the context ends.
func (l *language) each(ctx context.Context, n int, f func(w *writer, i int)) error {
	const piece = 512 // documents at a time; no result depends on it
	workers := max(1, min(runtime.GOMAXPROCS(0), n/piece))
	writers := make([]writer, workers)
	for k := range writers {
		writers[k] = writer{language: l, count: make([]int32, l.words)}
	}
	parallel.Workers(workers, n, piece, func(k, lo, hi int) {
		w := &writers[k]
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			w.document(i)
			f(w, i)
			for _, j := range w.used {
				w.count[j] = 0
			}
		}
	})
	return ctx.Err()
}

// set draws all documents.
func (l *language) set(ctx context.Context, v values) (*Set, error) {
	n := v.int("n")
	x := &CSR{R: n, C: l.words, Start: make([]int, n+1)}
	if err := l.each(ctx, n, func(w *writer, i int) { x.Start[i+1] = len(w.used) }); err != nil {
		return nil, err
	}
	for i := range n {
		x.Start[i+1] += x.Start[i]
	}
	x.Index, x.Value = make([]int32, x.Start[n]), make([]float64, x.Start[n])
	err := l.each(ctx, n, func(w *writer, i int) {
		slices.Sort(w.used)
		index, value := x.Row(i)
		copy(index, w.used)
		for p, j := range index {
			value[p] = float64(w.count[j])
		}
	})
	if err != nil {
		return nil, err
	}
	idf := inverseFrequencies(n, Rows{Sparse: x}.ColumnStats().NonZero)
	parallel.Pieces(n, 4096, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			index, value := x.Row(i)
			for p, j := range index {
				value[p] *= idf[j]
			}
			toUnit(value)
		}
	})
	s := &Set{Rows: Rows{Sparse: x}, LabelName: "label", Answers: make(Answers, n)}
	for i := range n {
		if s.Answers[i] = strconv.Itoa(i%len(l.class) + 1); len(l.class) == 2 {
			s.Answers[i] = [2]string{"1", "-1"}[i%2]
		}
	}
	return s, keepDrawn(s, v)
}
