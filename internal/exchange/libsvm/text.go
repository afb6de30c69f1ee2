package libsvm

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/mercer-ml/mercer/data/read"
)

// maxLine bounds a line, so that a file without line ends fails early: 2^28
// bytes are ten million numbers of full length.
const maxLine = 1 << 28

// text reads tokens, parted by blanks, and knows their lines.
type text struct {
	file string
	in   *bufio.Reader
	n    int    // number of the present line, from 1
	line []byte // what is left of it
	long []byte // holds a line longer than the buffer
}

func newText(r io.Reader, file string) *text {
	return &text{file: file, in: bufio.NewReaderSize(r, 1<<16)}
}

func (t *text) fault(remedy, format string, args ...any) error {
	return &read.Error{File: t.file, Line: t.n, What: fmt.Sprintf(format, args...), Remedy: remedy}
}

// damaged is the remedy where nothing else helps.
const damaged = "the file is damaged; train or fetch the model again"

// advance goes to the next line; the error is io.EOF after the last one.
func (t *text) advance() error {
	t.long = t.long[:0]
	for {
		part, err := t.in.ReadSlice('\n')
		if err == nil && len(t.long) == 0 {
			t.line = part
			break
		}
		t.long = append(t.long, part...)
		t.line = t.long
		if err == nil || errors.Is(err, io.EOF) && len(t.long) > 0 {
			break
		}
		switch {
		case errors.Is(err, io.EOF):
			return err
		case !errors.Is(err, bufio.ErrBufferFull):
			t.n++
			return t.fault("make or fetch it again", "cannot be read further: %v", err)
		case len(t.long) > maxLine:
			t.n++
			return t.fault("check that this is a LIBSVM text file", "a line of more than %d bytes", maxLine)
		}
	}
	t.n++
	return nil
}

// onLine returns the next token of the present line, nil at its end. It is valid
// until the next line.
func (t *text) onLine() []byte {
	from := 0
	for from < len(t.line) && isBlank(t.line[from]) {
		from++
	}
	end := from
	for end < len(t.line) && !isBlank(t.line[end]) {
		end++
	}
	token := t.line[from:end]
	t.line = t.line[end:]
	if len(token) == 0 {
		return nil
	}
	return token
}

// isBlank holds for C's white space.
func isBlank(c byte) bool { return c == ' ' || c-'\t' < 5 }

// token returns the next token of the file; the error is io.EOF at its end.
func (t *text) token() ([]byte, error) {
	for {
		if token := t.onLine(); token != nil {
			return token, nil
		}
		if err := t.advance(); err != nil {
			return nil, err
		}
	}
}

// value returns the next token of the file as the value of a field.
func (t *text) value(field string) ([]byte, error) {
	token, err := t.token()
	if errors.Is(err, io.EOF) {
		return nil, t.fault(damaged, "the file ends within %s", field)
	}
	return token, err
}

// number returns the next token as a finite decimal number.
func (t *text) number(field string) (float64, error) {
	token, err := t.value(field)
	if err != nil {
		return 0, err
	}
	return t.float(field, token)
}

func (t *text) float(field string, token []byte) (float64, error) {
	for _, c := range token {
		if c-'0' > 9 && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return 0, t.fault(damaged, "%s: %s is no finite number", field, quote(token))
		}
	}
	v, err := strconv.ParseFloat(string(token), 64)
	if err != nil {
		return 0, t.fault(damaged, "%s: %s is no finite number", field, quote(token))
	}
	return v, nil
}

// integer returns the next token as a whole number of at least lo and below 2^31.
func (t *text) integer(field string, lo int) (int, error) {
	token, err := t.value(field)
	if err != nil {
		return 0, err
	}
	v, err := strconv.ParseInt(string(token), 10, 32)
	if err != nil || v < int64(lo) {
		least := fmt.Sprintf(" from %d to 2^31-1", lo)
		if lo == math.MinInt32 {
			least = " of 32 bits"
		}
		return 0, t.fault(damaged, "%s: %s is no whole number%s", field, quote(token), least)
	}
	return int(v), nil
}

// numbers returns the next n numbers. They are appended as they are read, so that
// an absurd n costs nothing.
func (t *text) numbers(field string, n int) ([]float64, error) {
	v := make([]float64, 0, min(n, 1<<10))
	for len(v) < n {
		x, err := t.number(field)
		if err != nil {
			return nil, err
		}
		v = append(v, x)
	}
	return v, nil
}

// integers returns the next n whole numbers of at least lo.
func (t *text) integers(field string, n, lo int) ([]int, error) {
	v := make([]int, 0, min(n, 1<<10))
	for len(v) < n {
		x, err := t.integer(field, lo)
		if err != nil {
			return nil, err
		}
		v = append(v, x)
	}
	return v, nil
}

// entry splits index:value. The index is a decimal number below 2^31.
func (t *text) entry(token []byte) (index int, value []byte, err error) {
	colon := bytes.IndexByte(token, ':')
	if colon < 1 {
		return 0, nil, t.fault(damaged, "%s is no index:value", quote(token))
	}
	for _, c := range token[:colon] {
		if c-'0' > 9 {
			return 0, nil, t.fault(damaged, "%s is no index:value", quote(token))
		}
		// Stopping at 2^31 keeps any number of digits from overflowing.
		index = min(index*10+int(c-'0'), math.MaxInt32+1)
	}
	if index > math.MaxInt32 {
		return 0, nil, t.fault("renumber the features and train again", "index %s is not below 2^31", quote(token[:colon]))
	}
	return index, token[colon+1:], nil
}

// quote returns a token for a message, cut to a readable length.
func quote(token []byte) string {
	const most = 40
	if len(token) > most {
		return strconv.Quote(string(token[:most])) + "..."
	}
	return strconv.Quote(string(token))
}

// appendNumber writes v as LIBSVM writes all numbers but features: %.17g, from
// which every float64 reads back exactly.
func appendNumber(b []byte, v float64) []byte { return strconv.AppendFloat(b, v, 'g', 17, 64) }

// appendFeature writes v as LIBSVM writes features, %.8g, where that reads back
// exactly, else in full. So a file that svm-train wrote is written again byte for
// byte, and no other model loses digits.
func appendFeature(b []byte, v float64) []byte {
	from := len(b)
	b = strconv.AppendFloat(b, v, 'g', 8, 64)
	if back, err := strconv.ParseFloat(string(b[from:]), 64); err == nil && back == v {
		return b
	}
	return appendNumber(b[:from], v)
}
