package linear

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sort"

	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

// mails are generated documents in the size of 20 newsgroups. The word of rank r has in class c the probability
//
//	p_c(r) proportional to (1/r) exp(spread N(0, 1)),
//
// and document i, of class i mod classes, has 5 words and Poisson's number more of them.
type mails struct {
	learn, test, classes, words int
	length, spread              float64
	seed                        uint64
}

// newsgroups is their size: some 20 MB of text.
var newsgroups = mails{learn: 18_000, test: 2000, classes: 20, words: 130_000, length: 250, spread: 0.3, seed: 1}

// learner is a program, its words, and how its test error is read from what it prints.
type learner struct {
	name  string
	words []string
	wrong func(out []byte) (float64, error)
}

// text compares the ways from documents to a model.
func text(ctx context.Context, w io.Writer, o options, tmp string) error {
	train, test := filepath.Join(tmp, "mails.csv"), filepath.Join(tmp, "test.csv")
	if err := newsgroups.write(train, test); err != nil {
		return err
	}
	to := filepath.Join(tmp, "text.model")
	programs := []learner{
		{"TfidfVectorizer and LinearSVC", []string{
			o.Python, "tools/lab/linear/text.py", train, test, to,
		}, func(out []byte) (v float64, err error) {
			_, err = fmt.Sscan(string(out), &v)
			return v, err
		}},
		{"mercer", []string{
			o.Program, "fit", train, "--text", "body", "--label", "label", "--task", "classification", "--method", "linear-svm",
			"--tune", "none", "--set", fmt.Sprint("C=", strength), "--test", test, "--json", "--quiet", "-o", to,
		}, func(out []byte) (float64, error) {
			var printed struct {
				Metrics struct{ Test struct{ Error float64 } }
			}
			err := json.Unmarshal(out, &printed)
			return printed.Metrics.Test.Error, err
		}},
	}
	costs, wrong := make([][]process.Cost, len(programs)), make([]float64, len(programs))
	for range o.Runs {
		for k, p := range programs {
			cost, out, err := process.Timed(ctx, p.words[0], p.words[1:]...)
			if err != nil {
				return err
			}
			if wrong[k], err = p.wrong(out); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			costs[k] = append(costs[k], cost)
		}
	}
	fmt.Fprint(w, "| program | s | CPU s | of scikit-learn's s | peak MB | test error % |\n|---|---|---|---|---|---|\n")
	for k, p := range programs {
		c := median(costs[k])
		fmt.Fprintf(w, "| %s | %.2f | %.2f | %.2f | %d | %.2f |\n", p.name, c.Seconds, c.Processor, c.Seconds/median(costs[0]).Seconds,
			c.Memory>>20, 100*wrong[k])
	}
	size, err := os.Stat(train)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%d generated documents of %d classes, %d MB, C = %d; reading, TF-IDF, training, writing the model and predicting %d "+
		"more documents. Medians of the runs by seconds, in turn.\n",
		newsgroups.learn, newsgroups.classes, size.Size()>>20, strength, newsgroups.test)
	return nil
}

// write writes the documents to learn from and those to test, as CSV with columns label and body.
func (m mails) write(train, test string) error {
	rng := rand.New(rand.NewPCG(m.seed, 0))
	below := m.classWords(rng)
	if err := m.file(train, m.learn, below, rng); err != nil {
		return err
	}
	return m.file(test, m.test, below, rng)
}

// classWords are the distribution functions of the words of each class.
func (m mails) classWords(rng *rand.Rand) [][]float64 {
	below := make([][]float64, m.classes)
	for c := range below {
		below[c] = make([]float64, m.words)
		sum := 0.0
		for r := range below[c] {
			sum += math.Exp(m.spread*rng.NormFloat64()) / float64(r+1)
			below[c][r] = sum
		}
	}
	return below
}

// file writes n documents.
func (m mails) file(path string, n int, below [][]float64, rng *rand.Rand) error {
	f, err := os.Create(path) //nolint:gosec // a file of this run
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // closed below
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "label,body")
	for i := range n {
		c := i % m.classes
		fmt.Fprintf(w, "class%d,", c)
		for k := range 5 + m.poisson(rng) {
			if k > 0 {
				fmt.Fprint(w, " ")
			}
			at := rng.Float64() * below[c][m.words-1]
			fmt.Fprint(w, word(sort.SearchFloat64s(below[c], at)))
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// poisson draws how many words there are beyond five, by the gaps between events.
func (m mails) poisson(rng *rand.Rand) int {
	n := 0
	for at := rng.ExpFloat64(); at < m.length-5; at += rng.ExpFloat64() {
		n++
	}
	return n
}

// word is the word of a rank: syllables, of which frequent words have few.
func word(rank int) string {
	const consonants, vowels = "bdfghjklmnprstvz", "aeiou"
	var w []byte
	for rank++; rank > 0; rank /= len(consonants) * len(vowels) {
		rank--
		w = append(w, consonants[rank/len(vowels)%len(consonants)], vowels[rank%len(vowels)])
	}
	return string(w)
}
