package shard

import (
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/columns"
)

// mostEnds is how many ends of one file are looked for: above the notes below a table may stand a row of totals.
const mostEnds = 2

// Ended looks at the cells of files, and again where the rows of some end before the text does. Until are the lines at which they end, 0
// = with the text, nil: all do; said tells of these ends.
func Ended(
	files []string, look func(until []int) (*read.Seen, error),
) (seen *read.Seen, until []int, said []read.Warning, err error) {
	for looks := 0; ; looks++ {
		if seen, err = look(until); err != nil {
			return nil, nil, nil, err
		}
		ends := seen.Ends(files)
		if len(ends) == 0 || looks == mostEnds {
			return seen, until, said, nil
		}
		lines := make([]int, len(files))
		copy(lines, until)
		for _, end := range ends {
			lines[slices.Index(files, end.File)] = end.Line
		}
		until, said = lines, append(said, ends...)
	}
}

// Guessed are the guesses of what columns are.
func Guessed(files []string, t *data.Table) (said []read.Warning) {
	for _, what := range columns.Guesses(t) {
		said = append(said, read.Warning{File: files[0], Guess: true, What: what})
	}
	return said
}

// Refuse makes the first guess a fault where Strict asks for that, as package read does of what it guesses itself.
func (o Options) Refuse(said []read.Warning) error {
	at := slices.IndexFunc(said, func(w read.Warning) bool { return w.Guess })
	if !o.Strict || at < 0 {
		return nil
	}
	return fmt.Errorf("%s; say so with a flag or by --columns, correct the file where none says it, or leave out --strict", said[at])
}
