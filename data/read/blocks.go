package read

// Reading at size. The rows of a text are parsed on all processors: one goroutine reads the
// text and cuts it into blocks at ends of records (cut.go), the others parse blocks, each into a
// small table of its own, and the first one joins the tables in the order of the text (list.go).
// No block knows of another, but for words that it need not count (columns.Kept), so that rows, warnings
// and faults, which are those of the earliest row, depend neither on where the cuts fall nor on the number
// of processors.
//
// The floor, by BenchmarkFloor on a core of an AMD EPYC, in bytes of text with 50 columns of about
// 8 bytes a number:
//
//	reading a cached file                     47 GB/s
//	reading it and counting its line ends     28 GB/s
//	writing its numbers to fresh memory        8 GB/s
//	decimals as internal/decimal reads them  0.57 GB/s
//	decimals as strconv reads them           0.22 GB/s
//	unpacking gzip                           0.18 GB/s
//
// Plain text is thus bound by its numbers, and gains by every processor; packed text is bound by
// the unpacking, which the first goroutine does while others parse.

import (
	"context"
	"runtime"
	"sync"
)

// A line takes at most this share of the memory that is allowed, because it is copied as the buffer grows; and a record at
// most so many bytes a field, of its text, of its value and of the name of its column.
const (
	lineShare  = 8
	fieldBytes = 256
	leastLine  = 1 << 20
)

// within shortens the longest line to what an allowance of memory holds, 0 for none.
func (c cutting) within(limit int64) cutting {
	if c.longest == 0 && limit > 0 {
		c.longest = int(min(maxLine, max(limit/lineShare, leastLine)))
	}
	return c
}

// widest is the number of fields that an allowance of memory holds, 0 without one.
func widest(limit int64) int {
	if limit <= 0 {
		return 0
	}
	return int(max(limit/fieldBytes, 1<<12))
}

// cutting says how text is shared out; the zero value is the best known way.
type cutting struct {
	block   int // bytes, 0 = blockSize
	workers int // goroutines that parse, 0 = one a processor
	longest int // bytes of a line, 0 = maxLine
	quoted  int // lines of a quoted field, 0 = maxQuotedLines
}

// blockSize is small enough for a block and its table to stay in the cache of a core, and
// large enough for the handing over, some microseconds, not to count.
const blockSize = 1 << 18

// firstBlock is all there is of a small file, which needs no goroutine.
const firstBlock = 1 << 16

// slot is one of the blocks at work; slots are used in turn.
type slot[P any] struct {
	buf  []byte
	part P
	block
	done chan struct{}
}

// inOrder parses the blocks of c and joins their parts in order, up to the first error of
// join or until the context ends. Until started says so, and for one worker, blocks are parsed one after the
// other. All goroutines have ended when it returns.
func inOrder[P any](ctx context.Context, c *cutter, workers int, started func() bool, parse func(*P, block), join func(*P) error) error {
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	first := new(slot[P])
	for !started() || workers == 1 || c.over {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !first.fill(c) {
			return nil
		}
		parse(&first.part, first.block)
		if err := join(&first.part); err != nil {
			return err
		}
	}
	ring := make([]slot[P], 2*workers+1)
	for i := range ring {
		ring[i].done = make(chan struct{}, 1)
	}
	jobs := make(chan *slot[P], len(ring))
	var group sync.WaitGroup
	defer group.Wait()
	defer close(jobs)
	for range workers {
		group.Go(func() {
			for s := range jobs {
				parse(&s.part, s.block)
				s.done <- struct{}{}
			}
		})
	}
	next, joined := 0, 0
	for more := true; more || joined < next; {
		if err := ctx.Err(); err != nil {
			return err
		}
		if joined < next && (!more || next-joined == len(ring)) {
			s := &ring[joined%len(ring)]
			<-s.done
			if err := join(&s.part); err != nil {
				return err
			}
			joined++
			continue
		}
		s := &ring[next%len(ring)]
		if more = s.fill(c); more {
			jobs <- s
			next++
		}
	}
	return nil
}

// fill reads the next block, if there is one.
func (s *slot[P]) fill(c *cutter) (ok bool) {
	s.block, s.buf, ok = c.next(s.buf)
	return ok
}
