package shard

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
)

// errEnough ends the reading of a shard of which no more rows are wanted.
var errEnough = errors.New("enough")

// Notes are what there is to tell of a shard that was read.
type Notes struct {
	Skipped  []int          // lines left out
	Warnings []read.Warning // of the last reading
}

// mostSaid is how many warnings of different texts are told.
const mostSaid = 5

// Say lists warnings of shards: of those with the same text the first, with how many shards have it.
func Say(warnings []read.Warning) (list []string) {
	count := map[string]int{}
	var first []read.Warning
	for _, w := range warnings {
		if count[w.What]++; count[w.What] == 1 {
			first = append(first, w)
		}
	}
	for i, w := range first {
		if i == mostSaid {
			return append(list, fmt.Sprintf("%d further warnings of shards are not shown", len(first)-i))
		}
		text := w.String()
		if n := count[w.What]; n > 1 {
			text += fmt.Sprintf(" (of %d shards)", n)
		}
		list = append(list, text)
	}
	return list
}

// Taker gets the batches of a shard. Begin is called before the first, and again if the shard is read again: what was made of
// earlier batches is then void.
type Taker struct {
	Begin func()
	Batch func(*data.Set) error
}

// Each reads a shard in batches of at most so many rows and hands them to a taker; a batch is valid until the next. Where a line
// cannot be read and o.SkipBad allows it, the line is left out and the shard read again from its beginning.
// A bad line costs another reading of the shard, and a bad header line is an error. A shard without rows has no batch.
func Each(ctx context.Context, file string, o Options, reading read.Options, rows int, to Taker) (n Notes, err error) {
	for {
		to.Begin()
		warnings, err := each(ctx, file, reading, rows, n.Skipped, to.Batch)
		n.Warnings = warnings
		var bad *read.Error
		switch {
		case err == nil || IsEmpty(err):
			return n, nil
		case !errors.As(err, &bad) || bad.Line == 0 || bad.Header() || o.SkipBad == 0:
			return n, err
		case !isText(file, o.Format):
			return n, fmt.Errorf("%w (--skip-bad leaves out lines of text, and this is a row of a table)", err)
		case len(n.Skipped) > 0 && bad.Line <= n.Skipped[len(n.Skipped)-1]:
			return n, fmt.Errorf("%w (leaving the line out did not help: the record has several lines)", err)
		case len(n.Skipped) == o.SkipBad:
			return n, fmt.Errorf("%w (and more lines before it than --skip-bad %d)", err, o.SkipBad)
		}
		n.Skipped = append(n.Skipped, bad.Line)
	}
}

// each reads a shard once, without the lines listed.
func each(
	ctx context.Context, file string, o read.Options, rows int, without []int, take func(*data.Set) error,
) (warnings []read.Warning, err error) {
	name := file
	if len(without) > 0 {
		in, end, err := blanked(file, without)
		if err != nil {
			return nil, err
		}
		defer end()
		o.Stdin, name = in, "-"
		if o.Format == read.FormatAuto {
			o.Format = formatOf(file)
		}
	}
	stream := read.NewStream(name, o, rows)
	for set, batchErr := range stream.Batches(ctx) {
		if err = batchErr; err != nil {
			var e *read.Error
			if errors.As(err, &e) {
				e.File = file
			}
			break
		}
		set.Source = file
		if err = take(set); err != nil {
			break
		}
	}
	warnings = slices.Clone(stream.Warnings())
	for i := range warnings {
		warnings[i].File = file
	}
	return warnings, err
}

// isText says whether the file has lines: that it is none of the formats beside text, by its first bytes.
func isText(file string, f read.Format) bool {
	if f == read.FormatCSV || f == read.FormatLIBSVM {
		return true
	}
	in, err := os.Open(file)
	if err != nil {
		return true // it could be read a moment ago, and the next reading tells
	}
	defer func() { _ = in.Close() }() // nothing was written
	head := make([]byte, 16)
	n, _ := io.ReadFull(in, head) // a shorter file is none of these formats
	return !slices.ContainsFunc(formats(), func(f read.Further) bool { return f.Begins(head[:n]) })
}

// formatOf tells the format by the ending of a name, as package read does.
func formatOf(name string) read.Format {
	switch filepath.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz")) {
	case ".csv", ".tsv":
		return read.FormatCSV
	case ".svm", ".libsvm", ".svmlight":
		return read.FormatLIBSVM
	}
	return read.FormatAuto
}

// blanked is the text of a file with some lines empty, so that the others keep their numbers.
func blanked(file string, without []int) (io.Reader, func(), error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, err
	}
	end := func() { _ = f.Close() } // nothing was written
	in := bufio.NewReaderSize(f, 1<<16)
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(in)
		if err != nil {
			end()
			return nil, nil, err
		}
		in = bufio.NewReaderSize(z, 1<<16)
	}
	return &blanks{in: in, without: without}, end, nil
}

// blanks is a reader that makes some lines empty.
type blanks struct {
	in      *bufio.Reader
	without []int // increasing
	line    int   // of what was read last
	whole   bool  // that line has ended
	rest    []byte
	begun   bool
}

// Read implements io.Reader.
func (b *blanks) Read(p []byte) (int, error) {
	for len(b.rest) == 0 {
		if !b.begun || b.whole {
			b.begun, b.whole, b.line = true, false, b.line+1
		}
		piece, err := b.in.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) && len(piece) == 0 {
			return 0, err
		}
		b.whole = len(piece) > 0 && piece[len(piece)-1] == '\n'
		for len(b.without) > 0 && b.without[0] < b.line {
			b.without = b.without[1:]
		}
		if len(b.without) > 0 && b.without[0] == b.line {
			if piece = piece[:0]; b.whole {
				piece = []byte{'\n'}
			}
		}
		b.rest = append(b.rest[:0], piece...)
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}
