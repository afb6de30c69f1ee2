package read

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
)

// Splits reads the file of experiments on a set of n rows: CSV with the header
// split,labelled_rows, each line the name of a split and the rows (from 0) that
// keep their labels, parted by blanks.
func Splits(ctx context.Context, name string, n int) ([]data.Split, error) {
	f, err := openFile(ctx, name)
	if err != nil {
		return nil, err
	}
	s, err := parseSplits(ctx, f, name, n)
	_ = f.Close() // nothing was written
	return s, err
}

// LabelledRows reads the rows (from 0) of a set of n that keep their labels,
// parted by blanks or line ends, and returns them increasing.
func LabelledRows(ctx context.Context, name string, n int) ([]int, error) {
	f, err := openFile(ctx, name)
	if err != nil {
		return nil, err
	}
	rows, err := parseRows(ctx, f, name, n)
	_ = f.Close() // nothing was written
	return rows, err
}

// rowList collects row numbers and refuses repeats.
type rowList struct {
	file  string
	n     int
	where map[int]int // row to the line that had it
	rows  []int
}

// add takes the row numbers of text, which begins at byte base of a line.
func (l *rowList) add(text []byte, line, base int) error {
	for token, pos := nextToken(text, 0); token != nil; token, pos = nextToken(text, pos+len(token)) {
		fault := func(what, remedy string) error {
			return &Error{File: l.file, Line: line, Column: base + pos + 1, What: what, Remedy: remedy}
		}
		row := 0
		for _, c := range token {
			if c-'0' > 9 {
				return fault(quote(token)+" is no row number", "give whole numbers from 0, blanks between them")
			}
			row = min(row*10+int(c-'0'), l.n) // n itself is out of range: no overflow
		}
		if row >= l.n {
			return fault(
				fmt.Sprintf("row %s of a set of %d", token, l.n),
				fmt.Sprintf("rows count from 0 to %d, the header left out", l.n-1),
			)
		}
		if first, ok := l.where[row]; ok {
			return fault(fmt.Sprintf("row %d again, after line %d", row, first), "name every row once")
		}
		l.where[row] = line
		l.rows = append(l.rows, row)
	}
	return nil
}

// done returns the rows, increasing.
func (l *rowList) done(line int) ([]int, error) {
	if len(l.rows) == 0 {
		return nil, &Error{File: l.file, Line: line, What: "no labelled row", Remedy: "name at least one"}
	}
	slices.Sort(l.rows)
	return l.rows, nil
}

func parseRows(ctx context.Context, in io.Reader, file string, n int) ([]int, error) {
	ls, err := newLines(ctx, in, file)
	if err != nil {
		return nil, err
	}
	l := &rowList{file: file, n: n, where: make(map[int]int)}
	for {
		b, err := ls.next()
		if errors.Is(err, io.EOF) {
			return l.done(0)
		}
		if err != nil {
			return nil, err
		}
		if err := l.add(b, ls.n, 0); err != nil {
			return nil, err
		}
	}
}

func parseSplits(ctx context.Context, in io.Reader, file string, n int) ([]data.Split, error) {
	ls, err := newLines(ctx, in, file)
	if err != nil {
		return nil, err
	}
	var splits []data.Split
	seen := make(map[string]int)
	header := false
	for {
		b, err := ls.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(b)) == 0 {
			continue
		}
		if !header {
			if strings.ReplaceAll(strings.ReplaceAll(string(bytes.ToLower(b)), " ", ""), `"`, "") != "split,labelled_rows" {
				return nil, &Error{
					File:   file,
					Line:   ls.n,
					What:   "the header is " + quote(b),
					Remedy: "begin the file with: split,labelled_rows",
				}
			}
			header = true
			continue
		}
		comma := bytes.IndexByte(b, ',')
		if comma < 0 {
			return nil, &Error{
				File:   file,
				Line:   ls.n,
				What:   "no comma after the name of the split",
				Remedy: "write lines as: split,rows parted by blanks",
			}
		}
		name := string(bytes.Trim(b[:comma], ` "`))
		if first, ok := seen[name]; ok {
			return nil, &Error{
				File:   file,
				Line:   ls.n,
				Column: 1,
				What:   fmt.Sprintf("split %q again, after line %d", name, first),
				Remedy: "name every split once",
			}
		}
		seen[name] = ls.n
		base, text := comma+1, b[comma+1:]
		if len(text) > 1 && text[0] == '"' && text[len(text)-1] == '"' {
			base, text = base+1, text[1:len(text)-1]
		}
		l := &rowList{file: file, n: n, where: make(map[int]int)}
		if err := l.add(text, ls.n, base); err != nil {
			return nil, err
		}
		rows, err := l.done(ls.n)
		if err != nil {
			return nil, err
		}
		splits = append(splits, data.Split{Name: name, Labelled: rows})
	}
	if len(splits) == 0 {
		return nil, &Error{File: file, What: "no split", Remedy: "give lines split,labelled_rows below that header"}
	}
	return splits, nil
}

// WriteSplits writes experiments as Splits reads them.
func WriteSplits(w io.Writer, splits []data.Split) error {
	b := bufio.NewWriter(w)
	_, _ = b.WriteString("split,labelled_rows\n") // Flush tells
	for _, s := range splits {
		_, _ = b.WriteString(s.Name + ",")
		for i, row := range s.Labelled {
			if i > 0 {
				_ = b.WriteByte(' ')
			}
			_, _ = b.WriteString(strconv.Itoa(row))
		}
		_ = b.WriteByte('\n')
	}
	return b.Flush()
}
