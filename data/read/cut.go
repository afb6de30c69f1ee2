package read

// Cutting text into blocks at ends of records. A record of LIBSVM is a line. A line end in
// quotes ends no record of CSV: in records without fault all quotes are paired, so that a line
// end is in quotes if the number of quotes before it is odd; those of comments do not count. A
// faulty record is whole in its block too, for the cuts before it are right, and what is cut
// after it is never looked at.
// Cost: a look at every byte for quotes and one for line ends, by vector instructions.

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/mercer-ml/mercer/internal/await"
)

// maxLine bounds a line, so that a file without line ends fails early: 2^28
// bytes are ten million numbers of full length.
const maxLine = 1 << 28

// plainText is text, unpacked. If it is a regular file, count looks at what is to come.
type plainText struct {
	*bufio.Reader
	file *os.File     // nil if what is read is something else
	from int64        // where in file it begins
	size int64        // of file, when it was opened
	held *[]io.Closer // what was opened for it and for text that is unpacked from it
}

// close closes what was opened for the text beside the reader that it came from.
func (t *plainText) close() {
	for _, c := range *t.held {
		_ = c.Close() // what is wanted of it was read
	}
	*t.held = nil
}

// plain unpacks gzip, known by its magic bytes, drops a byte-order mark and makes UTF-8 of the UTF-16 that is told by one.
// Reading ends with the context. Who gives a reader that is no plainText closes the text.
func plain(ctx context.Context, r io.Reader, file string) (text *plainText, err error) {
	t, ok := r.(*plainText)
	if !ok {
		t = &plainText{Reader: bufio.NewReaderSize(await.Reader(ctx, r), 1<<16), held: new([]io.Closer)}
		if f, ok := r.(*os.File); ok {
			if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
				if t.from, err = f.Seek(0, io.SeekCurrent); err == nil {
					t.file, t.size = f, info.Size()
				}
			}
		}
		defer func(t *plainText) {
			if err != nil {
				t.close()
			}
		}(t)
	}
	if magic, _ := t.Peek(2); len(magic) == 2 && magic[0] == 0x1f && magic[1] == 0x8b {
		packed := &counting{Reader: t.Reader}
		z, err := gzip.NewReader(packed)
		if isStop(err) {
			return nil, err
		}
		if err != nil {
			return nil, &Error{File: file, What: "damaged gzip file: " + err.Error(), Remedy: "make or fetch it again"}
		}
		text := &unpacked{Reader: z, file: file, in: func() int64 { return packed.n }}
		t = &plainText{Reader: bufio.NewReaderSize(text, 1<<16), held: t.held}
	}
	if magic, _ := t.Peek(4); string(magic) == "PK\x03\x04" {
		if t, err = unzipped(t, file); err != nil {
			return nil, err
		}
	}
	mark, _ := t.Peek(3)
	switch {
	case bytes.Equal(mark, []byte("\xef\xbb\xbf")):
		_, _ = t.Discard(3) // peeked above
	case bytes.HasPrefix(mark, []byte("\xff\xfe")), bytes.HasPrefix(mark, []byte("\xfe\xff")):
		_, _ = t.Discard(2)
		t = &plainText{Reader: bufio.NewReaderSize(&wide{in: t.Reader, file: file, big: mark[0] == 0xfe}, 1<<16), held: t.held}
	}
	return t, nil
}

// textOf is plain for what must be text: files of other programs, known by their first bytes, are refused.
func textOf(ctx context.Context, r io.Reader, file string) (*plainText, error) {
	t, err := plain(ctx, r, file)
	if err != nil {
		return nil, err
	}
	head, _ := t.Peek(t.Size()) // less at the end of the text
	return t, isForeign(head, file)
}

// isForeign is an error that names what is often given in the place of text, by the beginning of the file.
func isForeign(head []byte, file string) error {
	if bytes.HasPrefix(head, []byte("version https://git-lfs.github.com/spec/")) {
		return &Error{File: file, What: "a pointer of Git LFS, not the file that it stands for", Remedy: "fetch the file with git lfs pull"}
	}
	if isWide(head) {
		return &Error{File: file, What: "UTF-16 text without a byte-order mark", Remedy: "save it as UTF-8, or with the mark"}
	}
	for _, f := range foreign {
		if bytes.HasPrefix(head, []byte(f.begins)) && !isText(whole(head)) {
			return &Error{File: file, What: f.what + ", not text", Remedy: f.remedy}
		}
	}
	return nil
}

// foreign are files that are often given in the place of text, by their first bytes.
var foreign = []struct{ begins, what, remedy string }{
	{"PAR1", "a Parquet file", "give it to mercer-arrow, the same program with that format (docs/exchange.md), or write it as CSV"},
	{"ARROW1", "an Arrow file", "give it to mercer-arrow, the same program with that format (docs/exchange.md), or write it as CSV"},
	{"PK\x03\x04", "a spreadsheet or a zip archive", "save the sheet as CSV, give .xlsx to mercer-arrow, or unpack the archive"},
	{"\xd0\xcf\x11\xe0", "a spreadsheet of an old program", "save the sheet as CSV"},
	{"SQLite format 3", "a database", "save its table as CSV"},
	{"%PDF", "a PDF document", "save its table as CSV"},
}

// isStop says whether an error is that of a context which ended.
func isStop(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// count returns how many bytes a file has from the beginning of the text, and how many of
// them are c: bounds by which memory is reserved. Both are 0 for what is no regular file,
// which can be read only once.
func (t *plainText) count(ctx context.Context, c byte) (size, n int, err error) {
	if t.file == nil {
		return 0, 0, nil
	}
	buf := make([]byte, min(blockSize, t.size+1))
	for {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		k, err := t.file.ReadAt(buf, t.from+int64(size))
		n += bytes.Count(buf[:k], []byte{c})
		size += k
		if err != nil || k == 0 { // what cannot be read is found when it is read
			return size, n, nil
		}
	}
}

// block is a piece of text of whole records.
type block struct {
	text []byte
	line int   // lines before it
	n    int   // lines in it, whole ones and a last one
	end  error // what is met after it: io.EOF, or why the text cannot be read further
}

// cutter reads text and cuts it into blocks.
type cutter struct {
	in      io.Reader
	file    string
	quote   byte // a record goes on after a line end in quotes; 0: it does not
	comment byte // with which lines begin that are passed over, 0: none
	needs   int  // lines that the first block has at least
	size    int  // bytes of a block, more if a record is longer
	first   int  // bytes of the first block
	most    int  // lines of a quoted field
	longest int  // bytes of a line

	rest []byte // read, but not yet in a block
	line int    // lines in blocks
	end  error  // why there is no more to read, nil while there is
	over bool   // the last block was given
}

func newCutter(in io.Reader, file string, d *dialect, c cutting) *cutter {
	size, longest := cmp.Or(c.block, blockSize), cmp.Or(c.longest, maxLine)
	out := &cutter{in: in, file: file, size: size, first: min(size, firstBlock), longest: longest, most: cmp.Or(c.quoted, maxQuotedLines)}
	if d != nil {
		out.quote, out.comment, out.line, out.needs = d.quote, d.comment, d.skip, d.header+1
	}
	return out
}

// next returns the next block, held in buf or in a larger one, which is returned too. The block
// before it may be in use, and its buffer must be another, or else be no longer in use.
func (c *cutter) next(buf []byte) (b block, buffer []byte, ok bool) {
	if c.over {
		return block{}, buf, false
	}
	buf = append(buf[:0], c.rest...)
	size := c.first
	c.first = c.size
	cut := 0
	for ; cut == 0 && c.end == nil; size = 2 * max(size, len(buf)) {
		buf = c.fill(buf, size)
		if cut = c.cut(buf); c.needs > 1 && len(buf) < firstBlock && !shows(buf[:cut], c.needs) {
			cut = 0 // the lines of names and the first row are read together
		}
	}
	c.needs = 0
	b = block{line: c.line, end: io.EOF}
	if c.end != nil {
		c.over = true
		cut = len(buf)
		if !errors.Is(c.end, io.EOF) {
			cut = bytes.LastIndexByte(buf, '\n') + 1
		}
	}
	b.text, c.rest = buf[:cut], buf[cut:]
	whole := bytes.Count(b.text, []byte{'\n'})
	b.n = whole + 1
	c.line += whole
	if c.over {
		b.end = c.fault()
		if cut > 0 && buf[cut-1] != '\n' {
			c.line++
		}
	}
	return b, buf, true
}

// shows says whether a text has so many lines that are not blank.
func shows(text []byte, lines int) bool {
	n := 0
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) > 0 {
			n++
		}
		if n == lines {
			return true
		}
	}
	return false
}

// errLong ends the reading of a text that has a line which is too long.
var errLong = errors.New("long line")

// fault tells why there is no more after the lines in blocks; io.EOF and the error of a context are no faults.
func (c *cutter) fault() error {
	switch {
	case errors.Is(c.end, io.EOF):
		return io.EOF
	case errors.Is(c.end, errLong):
		return &Error{
			File:   c.file,
			Line:   c.line + 1,
			What:   fmt.Sprintf("a line of more than %d bytes", c.longest),
			Remedy: "check that this is a text file with one row a line",
		}
	}
	return unreadable(c.end, c.file, c.line)
}

// unreadable is the error of a reader after so many lines of a file.
func unreadable(err error, file string, lines int) error {
	if isStop(err) || errors.As(err, new(*Error)) { // as of a table that was made text
		return err
	}
	return &Error{File: file, Line: lines + 1, What: "cannot be read further: " + err.Error(), Remedy: "make or fetch it again"}
}

// maxEmpty readings without a byte or an error are the end of one's patience, as in bufio.
const maxEmpty = 100

// fill reads on until buf has size bytes or there is no more.
func (c *cutter) fill(buf []byte, size int) []byte {
	begin := bytes.LastIndexByte(buf, '\n') + 1 // of the line that is not at its end
	for empty := 0; c.end == nil && len(buf) < size; empty++ {
		want := min(size, begin+c.longest+1)
		buf = slices.Grow(buf, want-len(buf))
		n, err := c.in.Read(buf[len(buf):want])
		at := len(buf)
		buf = buf[:at+n]
		if end := bytes.LastIndexByte(buf[at:], '\n'); end >= 0 {
			begin = at + end + 1
		}
		switch {
		case len(buf)-begin > c.longest:
			c.end = errLong
		case err != nil:
			c.end = err
		case n > 0:
			empty = 0
		case empty == maxEmpty:
			c.end = io.ErrNoProgress
		}
	}
	return buf
}

// cut returns where the last record of text ends that is whole, 0 if none is.
func (c *cutter) cut(text []byte) int {
	last := bytes.LastIndexByte(text, '\n') + 1
	if c.quote == 0 || last == 0 {
		return last
	}
	end := c.paired(text[:last])
	if end == 0 && bytes.Count(text, []byte{'\n'}) > c.most {
		return last // the first record has more lines than it may, which is reported
	}
	return end
}

// paired returns where the last of whole lines ends before which all quotes are paired: from the last line back, or from the first on
// where comments must be told from quoted lines.
func (c *cutter) paired(text []byte) (end int) {
	quote := []byte{c.quote}
	if c.comment == 0 || text[0] != c.comment && !bytes.Contains(text, []byte{'\n', c.comment}) {
		end = len(text)
		for odd := bytes.Count(text, quote)%2 == 1; odd; {
			before := bytes.LastIndexByte(text[:end-1], '\n') + 1
			odd = bytes.Count(text[before:end], quote)%2 == 0
			end = before
		}
		return end
	}
	at, odd := 0, false
	for line := range bytes.Lines(text) {
		if odd || line[0] != c.comment {
			odd = odd != (bytes.Count(line, quote)%2 == 1)
		}
		if at += len(line); !odd {
			end = at
		}
	}
	return end
}

// lines are those of a block, or of all blocks of a cutter.
type lines struct {
	file string
	n    int    // number of the last line
	text []byte // what is left of the block
	stop error  // what is met after it
	from *cutter
	buf  []byte // of the cutter
}

// linesOf returns the lines of one block.
func linesOf(b block, file string) lines {
	return lines{file: file, n: b.line, text: b.text, stop: b.end}
}

// newLines returns the lines of a text that is not parsed in blocks.
func newLines(ctx context.Context, r io.Reader, file string) (*lines, error) {
	in, err := textOf(ctx, r, file)
	if err != nil {
		return nil, err
	}
	return &lines{file: file, stop: io.EOF, from: newCutter(in, file, nil, cutting{block: firstBlock})}, nil
}

// next returns the next line without its end; it is valid until the next call.
// The error is io.EOF after the last one.
func (l *lines) next() ([]byte, error) {
	for len(l.text) == 0 {
		if l.from == nil {
			return nil, l.stop
		}
		b, buf, ok := l.from.next(l.buf)
		if !ok {
			return nil, l.stop
		}
		l.text, l.stop, l.buf = b.text, b.end, buf
	}
	l.n++
	line := l.text
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line, l.text = line[:end], line[end+1:]
	} else {
		l.text = nil
	}
	return bytes.TrimRight(line, "\r"), nil
}

func trimEnd(b []byte) []byte {
	return bytes.TrimRight(bytes.TrimSuffix(b, []byte("\n")), "\r")
}
