package tables

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/mercer-ml/mercer/internal/machine"
)

// bounded allocates no more than its limit at a time.
type bounded struct {
	memory.GoAllocator
	limit, used atomic.Int64
}

// newBounded allocates up to a limit; without one, what the machine has for a process: a file that announces more would end it.
func newBounded(limit int64) *bounded {
	b := &bounded{}
	if limit <= 0 {
		limit = machine.Allowed(0)
	}
	b.limit.Store(limit)
	return b
}

// overLimit is what an allocation beyond the limit panics with.
type overLimit struct{ need, limit int64 }

func (b *bounded) take(n int) {
	used, limit := b.used.Add(int64(n)), b.limit.Load()
	if limit > 0 && used > limit {
		b.used.Add(-int64(n))
		panic(overLimit{used, limit})
	}
}

// fits says whether n more bytes are within the limit: those that the library takes elsewhere.
func (b *bounded) fits(n int64) error {
	if room := b.room(); n > room {
		limit := b.limit.Load()
		return (overLimit{limit - room + n, limit}).err()
	}
	return nil
}

// room is what is left within the limit.
func (b *bounded) room() int64 {
	if limit := b.limit.Load(); limit > 0 {
		return limit - b.used.Load()
	}
	return math.MaxInt64
}

// Allocate makes size bytes.
func (b *bounded) Allocate(size int) []byte {
	b.take(size)
	return b.GoAllocator.Allocate(size)
}

// Reallocate makes size bytes that begin with those of old.
func (b *bounded) Reallocate(size int, old []byte) []byte {
	b.take(size - len(old))
	return b.GoAllocator.Reallocate(size, old)
}

// Free gives bytes back.
func (b *bounded) Free(old []byte) {
	b.used.Add(-int64(len(old)))
	b.GoAllocator.Free(old)
}

// guarded calls f and turns a panic of the library into an error of one line.
func guarded(f func() error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case overLimit:
			err = p.err()
		default:
			err = damaged(p)
		}
	}()
	return f()
}

// limitError says that the limit of memory was met.
type limitError struct{ overLimit }

func (o overLimit) err() error { return &limitError{o} }

func (e *limitError) Error() string {
	return fmt.Sprintf("reading on needs %d KB of memory, over the limit of %d KB; raise --memory, or write the file with fewer rows "+
		"in a group",
		e.need>>10, e.limit>>10)
}

// damaged is the error of a file that the library cannot decode, unless it is that of too little memory.
func damaged(why any) error {
	err, _ := why.(error)
	if limit := (*limitError)(nil); errors.As(err, &limit) {
		return limit
	}
	if fault := runtime.Error(nil); errors.As(err, &fault) || errors.Is(err, errSizes) {
		why = errSizes // which index was out of range, or who reported it, says nothing to people
	}
	return fmt.Errorf("damaged or not of this format: %.200s; make or fetch it again", oneClause(fmt.Sprint(why)))
}
