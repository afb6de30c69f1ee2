package read

// Lists whose length is not known beforehand. They grow by pieces, an eighth of the list each,
// that are not copied while it grows, so that a list needs an eighth more than its values. Where
// the length can be bounded, all pieces lie side by side in memory reserved for them, which is
// address space until it is written to, and the list is whole as it is. Otherwise the
// pieces are copied together at the end, and the memory of each is given back before the next ones
// are copied. Memory is counted by pieces, in the order of rows: a limit is met at the same
// row wherever the text was cut. A list that is whole can begin again in the same memory, for the next
// rows of a stream.

import (
	"bytes"
	"context"
	"fmt"
	"runtime/debug"
	"unicode/utf8"
	"unsafe"

	"github.com/mercer-ml/mercer/data"
)

// budget counts the bytes that lists hold, within a context.
type budget struct {
	ctx         context.Context
	file        string
	limit, used int64
}

// take counts n bytes more, or refuses.
func (b *budget) take(n int64, line int) error {
	if b.limit > 0 && b.used+n > b.limit {
		return overLimit(b.file, line, b.used+n, b.limit)
	}
	b.used += n
	return nil
}

// memory is an amount in whole KB, a small one in bytes.
func memory(n int64) string {
	if n < 10<<10 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%d KB", n>>10)
}

// overLimit is the fault of rows that need more memory than is allowed.
func overLimit(file string, line int, need, limit int64) error {
	return &Error{
		File:   file,
		Line:   line,
		What:   fmt.Sprintf("reading on needs %s of memory, over the limit of %s", memory(need), memory(limit)),
		Remedy: "raise --memory, or use fewer rows or columns",
	}
}

// fits refuses n bytes for a while that are over the limit, beside those that lists hold.
func (b *budget) fits(n int64, line int) error {
	if b.limit > 0 && b.used+n > b.limit {
		return overLimit(b.file, line, b.used+n, b.limit)
	}
	return nil
}

// list grows within a budget.
type list[T any] struct {
	*budget
	room   []T   // reserved; its pieces are the first
	pieces [][]T // all but the last are full
	n      int   // values in all
	last   []T   // what whole returned, with all the room that it has
}

// bytes is the size of n values.
func (l *list[T]) bytes(n int) int64 {
	var v T
	return int64(unsafe.Sizeof(v)) * int64(n)
}

// reserve finds room for n values, of which nothing is counted before it is used. It is called
// at most once, before the first value. A limit leaves no use for more than it allows.
func (l *list[T]) reserve(n int) {
	if l.limit > 0 {
		n = min(n, int(l.limit/l.bytes(1)))
	}
	if n > 0 {
		l.room = make([]T, 0, n)
	}
}

// add appends v; line is that of the row, for the fault.
func (l *list[T]) add(v []T, line int) error {
	last := len(l.pieces) - 1
	for len(v) > 0 {
		if last < 0 || len(l.pieces[last]) == cap(l.pieces[last]) {
			if err := l.extend(line); err != nil {
				return err
			}
			last++
		}
		p := &l.pieces[last]
		k := min(len(v), cap(*p)-len(*p))
		*p = append(*p, v[:k]...)
		v = v[k:]
		l.n += k
	}
	return nil
}

// one is add of one value.
func (l *list[T]) one(v T, line int) error {
	if last := len(l.pieces) - 1; last >= 0 && len(l.pieces[last]) < cap(l.pieces[last]) {
		l.pieces[last] = append(l.pieces[last], v)
		l.n++
		return nil
	}
	return l.add([]T{v}, line)
}

// extend begins a new piece.
func (l *list[T]) extend(line int) error {
	const least = 64
	size := max(l.n/8, least)
	if err := l.take(l.bytes(size), line); err != nil {
		return err
	}
	if free := cap(l.room) - l.n; free > 0 {
		l.pieces = append(l.pieces, l.room[l.n:l.n:l.n+min(size, free)])
		return nil
	}
	l.pieces = append(l.pieces, make([]T, 0, size))
	return nil
}

// release is the size of lists beyond which memory is given back while they are copied; no result depends on it.
const release = 64 << 20

// again makes the list empty, for new values in the memory of those that whole returned.
func (l *list[T]) again() { l.room, l.n, l.last = l.last[:0], 0, nil }

// whole returns all values and forgets them. Line is that of the last row.
func (l *list[T]) whole(line int) ([]T, error) {
	defer func() { l.pieces, l.room = nil, nil }()
	if l.n == 0 {
		return nil, nil
	}
	if l.n <= cap(l.room) && l.n >= cap(l.room)/4*3 {
		l.last = l.room[:l.n]
		return l.room[:l.n:l.n], nil
	}
	all, step := l.bytes(l.n), l.n
	if all > release && cap(l.room) == 0 {
		step = l.n / 8
	}
	if err := l.take(l.bytes(step), line); err != nil {
		return nil, err
	}
	out := make([]T, 0, l.n)
	held := 0 // since memory was last given back
	for i, p := range l.pieces {
		if err := l.ctx.Err(); err != nil {
			return nil, err
		}
		out = append(out, p...)
		l.pieces[i] = nil
		l.used -= l.bytes(cap(p))
		if held += len(p); step < l.n && held >= step {
			// The collector alone would come too late, and keep the pages for later use.
			debug.FreeOSMemory()
			held = 0
		}
	}
	l.used += all - l.bytes(step)
	l.last = out
	return out, nil
}

// answers collects labels; equal ones share their text.
type answers struct {
	list[string]
	mark string // class name that means unlabelled
	seen map[string]string
}

// maxShared bounds the table of distinct labels: beyond it they are measurements,
// of which few are equal.
const maxShared = 1 << 16

func newAnswers(b *budget, mark string) *answers {
	if mark != "" {
		mark = data.ClassName(mark)
	}
	return &answers{list: list[string]{budget: b}, mark: mark, seen: make(map[string]string)}
}

// isText says whether b is UTF-8 without NUL bytes, which only files that are no text have.
func isText(b []byte) bool { return utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 }

func (a *answers) label(text []byte, line int) error {
	s, ok := a.seen[string(text)]
	if !ok {
		key := string(text)
		if s = key; a.mark != "" && data.ClassName(s) == a.mark {
			s = ""
		}
		if err := a.take(int64(len(key)), line); err != nil {
			return err
		}
		if len(a.seen) < maxShared {
			a.seen[key] = s
		}
	}
	return a.one(s, line)
}
