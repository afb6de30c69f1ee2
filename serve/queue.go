package serve

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/model"
)

// queue joins the rows of small requests that wait for the same model into one prediction, whose matrix products cost far less
// a row than those of one. Nothing waits for company: a request that finds a free runner goes at once, alone, and what
// came meanwhile goes together when a runner is free again. The answers are those of each request alone.
type queue struct {
	predict func(context.Context, data.Rows) (*mat.Dense, error)
	limit   time.Duration            // of a joined prediction
	joined  func(requests, rows int) // is told of each prediction; nil: nobody

	runners int // in all

	mu      sync.Mutex
	free    int // runners
	waiting []*job
}

// At most joinedRows rows go together, and longer requests go in pieces of so many, so that a small one does not wait for
// all of a long one. Where several runners may share a request its pieces have sharedRows at least, of which a product of
// matrices costs hardly more a row than of many.
const (
	joinedRows = 512
	sharedRows = 128
)

// runners is how many predictions of a model go on at the same time: one a processor.
func runners() int { return runtime.GOMAXPROCS(0) }

// job is the rows of a request. It is told of its outputs, or that it is to run others with it.
type job struct {
	rows data.Rows
	told chan turn // of capacity 1
}

// turn is an answer, or the jobs that the receiver is to run, itself the first.
type turn struct {
	out  *mat.Dense
	err  error
	jobs []*job
}

func newQueue(predict func(context.Context, data.Rows) (*mat.Dense, error), o Options) *queue {
	n := runners()
	return &queue{predict: predict, limit: o.Time, joined: o.joined, runners: n, free: n}
}

// outputs predicts rows. The context ends the waiting, and the prediction too where nobody else's rows are in it.
func (q *queue) outputs(ctx context.Context, rows data.Rows) (*mat.Dense, error) {
	n := rows.Len()
	size := min(joinedRows, max(sharedRows, (n+q.runners-1)/q.runners))
	if n <= size {
		return q.piece(ctx, rows)
	}
	pieces := make([]*mat.Dense, (n+size-1)/size)
	var failed atomic.Int64 // the least piece that has, from 1
	err := parallel.Each(q.runners, len(pieces), func(k int) (err error) {
		if least := failed.Load(); least > 0 && least <= int64(k) {
			return nil // an earlier row is to blame
		}
		idx := make([]int, min(size, n-k*size))
		for i := range idx {
			idx[i] = k*size + i
		}
		pieces[k], err = q.piece(ctx, rows.Select(idx))
		var row *model.RowError
		if errors.As(err, &row) {
			err = &model.RowError{Row: k*size + row.Row, What: row.What}
		}
		if err != nil {
			failed.CompareAndSwap(0, int64(k+1))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	_, c := pieces[0].Dims()
	all := mat.NewDense(n, c, nil)
	for k, piece := range pieces {
		all.Slice(k*size, min((k+1)*size, n), 0, c).(*mat.Dense).Copy(piece)
	}
	return all, nil
}

// piece predicts rows of one turn.
func (q *queue) piece(ctx context.Context, rows data.Rows) (*mat.Dense, error) {
	j := &job{rows: rows, told: make(chan turn, 1)}
	q.mu.Lock()
	if q.free > 0 {
		q.free--
		q.mu.Unlock()
		return q.run(ctx, []*job{j})
	}
	q.waiting = append(q.waiting, j)
	q.mu.Unlock()
	select {
	case t := <-j.told:
		return q.take(ctx, t)
	case <-ctx.Done():
	}
	q.mu.Lock()
	at := slices.Index(q.waiting, j)
	if at >= 0 {
		q.waiting = slices.Delete(q.waiting, at, at+1)
	}
	q.mu.Unlock()
	if at < 0 { // its turn came meanwhile, perhaps with the rows of others
		return q.take(ctx, <-j.told)
	}
	return nil, ctx.Err()
}

// take does what a job was told.
func (q *queue) take(ctx context.Context, t turn) (*mat.Dense, error) {
	if t.jobs == nil {
		return t.out, t.err
	}
	return q.run(ctx, t.jobs)
}

// run predicts the rows of jobs, the first of which is the caller's, hands the runner on and answers the others.
func (q *queue) run(ctx context.Context, jobs []*job) (*mat.Dense, error) {
	if len(jobs) > 1 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), q.limit)
		defer cancel()
	}
	turns := make([]turn, len(jobs))
	passed := false
	defer func() {
		if !passed { // a panic: nobody waits for ever
			for i := range turns {
				turns[i] = turn{err: errPanicked}
			}
			q.pass()
			answer(jobs[1:], turns[1:])
		}
	}()
	q.solve(ctx, jobs, turns)
	passed = true
	q.pass()
	answer(jobs[1:], turns[1:])
	return turns[0].out, turns[0].err
}

// errPanicked is told to those whose rows went with others' when the prediction panicked.
var errPanicked = errors.New("a prediction that was joined with others panicked")

func answer(jobs []*job, turns []turn) {
	for i, j := range jobs {
		j.told <- turns[i]
	}
}

// solve predicts all rows at once or, where one of them has no prediction, those of each job alone.
func (q *queue) solve(ctx context.Context, jobs []*job, turns []turn) {
	rows, total := join(jobs)
	q.tell(len(jobs), total)
	out, err := q.predict(ctx, rows)
	if err != nil && len(jobs) > 1 {
		for i, j := range jobs {
			turns[i].out, turns[i].err = q.predict(ctx, j.rows)
		}
		return
	}
	from := 0
	for i, j := range jobs {
		n := j.rows.Len()
		if turns[i].err = err; err == nil {
			_, c := out.Dims()
			turns[i].out = out.Slice(from, from+n, 0, c).(*mat.Dense)
		}
		from += n
	}
}

// pass gives the runner to the first that waits, with all that go with it, or sets it free.
func (q *queue) pass() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.free++
		return
	}
	n, rows := 0, 0
	for n < len(q.waiting) && (n == 0 || rows+q.waiting[n].rows.Len() <= joinedRows) {
		rows += q.waiting[n].rows.Len()
		n++
	}
	jobs := slices.Clone(q.waiting[:n])
	q.waiting = slices.Delete(q.waiting, 0, n)
	jobs[0].told <- turn{jobs: jobs}
}

func (q *queue) tell(requests, rows int) {
	if q.joined != nil {
		q.joined(requests, rows)
	}
}

// join is the rows of all jobs, and their number. They are of one model and so of one form.
func join(jobs []*job) (data.Rows, int) {
	first := jobs[0].rows
	if len(jobs) == 1 {
		return first, first.Len()
	}
	n := 0
	for _, j := range jobs {
		n += j.rows.Len()
	}
	if first.IsSparse() {
		all := first.Sparse
		for _, j := range jobs[1:] {
			all = data.ConcatCSR(all, j.rows.Sparse)
		}
		return data.Rows{Sparse: all}, n
	}
	all := mat.NewDense(n, first.Dim(), nil)
	at := 0
	for _, j := range jobs {
		for i := range j.rows.Len() {
			copy(all.RawRowView(at), j.rows.Dense.RawRowView(i))
			at++
		}
	}
	return data.Rows{Dense: all}, n
}
