// Package columns turns the cells of a table into numbers.
//
// A Profile looks at every cell once, in memory that is bounded whatever the file holds. Decide says from it what each
// column is (data.Table): numbers, words as categories, dates, yes and no, or nothing to learn from. A Coder turns
// the cells of a row into numbers, alike for the rows that were learned from and for those to come. Answers are
// never looked at.
//
// Change here what a cell may mean. How files are cut into cells is package data/read's.
package columns

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// missing are the cells that hold nothing, in lower case.
var missing = []string{"", "?", "na", "n/a", "nan", "null", "none"}

// blanks are those that hold nothing in a column of numbers or dates, while among words they may be words.
var blanks = []string{
	"-", "--", "---", ".", "..", "*", "#n/a", "#na", "#null!", "#value!", "#div/0!", "#num!", "#ref!", "#name?",
	"nil", "nd", "n.d.", "n.a.", "(null)", `\n`,
	"unknown", "missing", "not available", "k.a.", "<na>", "nat",
}

// longestMark is the length of the longest of both.
const longestMark = 13

// Missing says whether a cell holds nothing: empty, or ?, NA, N/A, NaN, null or None in any case.
func Missing(cell []byte) bool { return among(missing, cell) }

// blank says whether a cell of a column of numbers or dates holds nothing.
func blank(cell []byte) bool { return among(missing, cell) || among(blanks, cell) }

func among(list []string, cell []byte) bool { return trimmed(list, bytes.TrimSpace(cell)) }

// trimSpace is bytes.TrimSpace, at once for the many cells that begin and end with a letter or a digit.
func trimSpace(cell []byte) []byte {
	n := len(cell)
	if n == 0 || isPrinted(cell[0]) && isPrinted(cell[n-1]) {
		return cell
	}
	return bytes.TrimSpace(cell)
}

// Level is a cell of words as it is compared with levels: without blanks around it, and no longer than they may be.
func Level(cell []byte) []byte {
	return cut(trimSpace(cell))
}

// cut is what is kept of a word: whole letters, so that files have it as it is.
func cut(word []byte) []byte {
	if len(word) <= longestWord {
		return word
	}
	end := longestWord
	for end > longestWord-utf8.UTFMax && !utf8.RuneStart(word[end]) {
		end--
	}
	return word[:end]
}

// isPrinted says whether a byte is a character of ASCII and no space.
func isPrinted(c byte) bool { return ' ' < c && c < 0x7f }

// trimmed is among of a cell without blanks around it.
func trimmed(list []string, cell []byte) bool {
	if len(cell) > longestMark {
		return false
	}
	if len(cell) > 0 {
		switch cell[0] | 0x20 { // with which marks begin, in any case
		case 'n', 'u', 'm', 'k', '?', '-', '.', '*', '#', '(', '<', '\\' | 0x20:
		default:
			return false // as of most cells
		}
	}
	for _, mark := range list {
		if len(mark) == len(cell) && bytes.EqualFold([]byte(mark), cell) {
			return true
		}
	}
	return false
}

// infinite says whether a cell is a number without bound.
func infinite(cell []byte) bool {
	if n := len(cell); n == 0 || cell[n-1]|0x20 != 'f' && cell[n-1]|0x20 != 'y' {
		return false
	}
	cell = bytes.TrimLeft(cell, "+-")
	return len(cell) <= len("infinity") && (bytes.EqualFold(cell, []byte("inf")) || bytes.EqualFold(cell, []byte("infinity")))
}

// pairs of words for no and yes.
var pairs = [][2]string{
	{"no", "yes"}, {"false", "true"}, {"n", "y"}, {"f", "t"}, {"off", "on"}, {"nein", "ja"}, {"non", "oui"}, {"nee", "ja"},
}

// yesNo returns the two words of a column as it spells them, no first, if they are such a pair.
func yesNo(words []string) []string {
	if len(words) != 2 {
		return nil
	}
	for _, p := range pairs {
		for k := range 2 {
			if strings.EqualFold(words[k], p[0]) && strings.EqualFold(words[1-k], p[1]) {
				return []string{words[k], words[1-k]}
			}
		}
	}
	return nil
}
