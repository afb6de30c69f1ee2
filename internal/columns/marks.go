package columns

import (
	"bytes"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
)

// marks are the cells of a column that stand for missing ones, beside those that always do.
type marks struct {
	words   []string
	numbers []float64 // of those that are numbers: -999 is meant however it is written, as -999.0 too
}

func marksOf(list []string) (m marks) {
	m.words = make([]string, len(list)) // without the space around them, as cells are
	for i, word := range list {
		word = string(trimSpace([]byte(word)))
		m.words[i] = word
		if v, ok := markNumber([]byte(word)); ok {
			m.numbers = append(m.numbers, v)
		}
	}
	return m
}

// has says whether a cell is one of them.
func (m *marks) has(cell []byte) bool {
	if len(m.words) == 0 {
		return false
	}
	if slices.Contains(m.words, string(cell)) {
		return true
	}
	if len(m.numbers) == 0 {
		return false
	}
	v, ok := markNumber(cell)
	return ok && slices.Contains(m.numbers, v)
}

// markNumber reads a number with a decimal point, or with a comma that cannot stand between thousands.
func markNumber(cell []byte) (v float64, ok bool) {
	if len(cell) > longestNumber {
		return 0, false
	}
	if at := bytes.IndexByte(cell, ','); at >= 0 {
		if len(cell)-at-1 == 3 || bytes.IndexByte(cell, '.') >= 0 {
			return 0, false
		}
		cell = bytes.Clone(cell)
		cell[at] = '.'
	}
	v, ok = data.Number(string(cell))
	return v, ok && !math.IsNaN(v)
}

// Marks says which cells stand for missing ones where these are named.
func Marks(list []string) func(cell []byte) bool {
	m := marksOf(list)
	return func(cell []byte) bool { return m.has(trimSpace(cell)) }
}
