package serve

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// summed is a model of one output, the sum of a row. A row with a negative first value has none.
func summed(_ context.Context, rows data.Rows) (*mat.Dense, error) {
	out := mat.NewDense(rows.Len(), 1, nil)
	for i := range rows.Len() {
		row := rows.Dense.RawRowView(i)
		if row[0] < 0 {
			return nil, errors.New("negative")
		}
		out.Set(i, 0, mat.Sum(rows.Dense.RowView(i)))
	}
	return out, nil
}

// TestQueue: many requests at the same time are joined, each has its own answer, and a faulty row is the fault of its request
// alone.
func TestQueue(t *testing.T) {
	var predictions, most atomic.Int64
	held := make(chan struct{})
	q := newQueue(func(ctx context.Context, rows data.Rows) (*mat.Dense, error) {
		if predictions.Add(1) <= int64(runners()) {
			<-held // until all requests wait
		}
		most.Store(max(most.Load(), int64(rows.Len())))
		return summed(ctx, rows)
	}, Options{}.withDefaults())
	const n = 40
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			rows := mat.NewDense(1+i%3, 2, nil)
			for k := range rows.RawMatrix().Rows {
				rows.SetRow(k, []float64{float64(i), float64(k)})
			}
			if i == 7 {
				rows.Set(0, 0, -1)
			}
			out, err := q.outputs(t.Context(), data.Rows{Dense: rows})
			if (err != nil) != (i == 7) {
				t.Errorf("request %d: %v", i, err)
			}
			if err != nil {
				return
			}
			for k := range rows.RawMatrix().Rows {
				if out.At(k, 0) != float64(i+k) {
					t.Errorf("request %d, row %d: %v", i, k, out.At(k, 0))
				}
			}
		})
	}
	waiting := func() int {
		q.mu.Lock()
		defer q.mu.Unlock()
		return len(q.waiting)
	}
	for waiting() < n-runners() {
	}
	close(held)
	all.Wait()
	if most.Load() < n {
		t.Errorf("no more than %d rows were predicted together", most.Load())
	}
	if q.free != runners() || len(q.waiting) > 0 {
		t.Errorf("%d of %d runners are free, %d wait", q.free, runners(), len(q.waiting))
	}
}

// TestQueueLeft: a request whose client has gone neither waits nor keeps others from their answers.
func TestQueueLeft(t *testing.T) {
	held := make(chan struct{})
	var begun atomic.Int64
	q := newQueue(func(ctx context.Context, rows data.Rows) (*mat.Dense, error) {
		begun.Add(1)
		<-held
		return summed(ctx, rows)
	}, Options{}.withDefaults())
	rows := data.Rows{Dense: mat.NewDense(1, 1, []float64{3})}
	var all sync.WaitGroup
	ask := func(ctx context.Context, want error) {
		all.Go(func() {
			if _, err := q.outputs(ctx, rows); !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
		})
	}
	for range runners() {
		ask(t.Context(), nil)
	}
	for begun.Load() < int64(runners()) {
	}
	gone, cancel := context.WithCancel(t.Context())
	ask(gone, context.Canceled)
	ask(t.Context(), nil)
	waits := func(n int) {
		for {
			q.mu.Lock()
			now := len(q.waiting)
			q.mu.Unlock()
			if now == n {
				return
			}
		}
	}
	waits(2)
	cancel()
	waits(1)
	close(held)
	all.Wait()
}

// TestSizesOfPieces: a request goes in equal pieces for the runners, of 128 rows at least and of 512 at most.
func TestSizesOfPieces(t *testing.T) {
	for _, c := range []struct {
		rows, runners int
		want          []int
	}{
		{100, 4, []int{100}}, {128, 4, []int{128}}, {129, 4, []int{1, 128}}, {512, 1, []int{512}}, {513, 1, []int{1, 512}},
		{600, 2, []int{300, 300}}, {1100, 2, []int{76, 512, 512}}, {400, 3, []int{132, 134, 134}},
	} {
		var mu sync.Mutex
		var got []int
		q := newQueue(func(ctx context.Context, rows data.Rows) (*mat.Dense, error) {
			mu.Lock()
			got = append(got, rows.Len())
			mu.Unlock()
			return summed(ctx, rows)
		}, Options{}.withDefaults())
		q.runners, q.free = c.runners, c.runners
		if _, err := q.outputs(t.Context(), data.Rows{Dense: mat.NewDense(c.rows, 1, nil)}); err != nil {
			t.Fatal(err)
		}
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%d rows for %d runners go in pieces of %v, want %v", c.rows, c.runners, got, c.want)
		}
	}
	jobs := func(rows ...int) (list []*job) {
		for _, n := range rows {
			list = append(list, &job{rows: data.Rows{Dense: mat.NewDense(n, 1, nil)}, told: make(chan turn, 1)})
		}
		return list
	}
	for _, c := range []struct {
		waiting []*job
		want    int
	}{{jobs(256, 256, 1), 2}, {jobs(256, 257, 1), 1}, {jobs(600, 1), 1}, {jobs(1, 1, 1), 3}} {
		q := &queue{waiting: c.waiting}
		first, n := c.waiting[0], len(c.waiting)
		q.pass()
		if got := len((<-first.told).jobs); got != c.want || len(q.waiting) != n-c.want {
			t.Errorf("%d of %d waiting requests go together, %d wait on, want %d", got, n, len(q.waiting), c.want)
		}
	}
}

// TestQueueSparse: sparse rows are joined too.
func TestQueueSparse(t *testing.T) {
	one := number()
	a := data.Rows{Sparse: sparseOf([]float64{1, 0})}
	b := data.Rows{Sparse: sparseOf([]float64{0, 2})}
	rows, n := join([]*job{{rows: a}, {rows: b}})
	out, err := one.Predict(t.Context(), rows)
	if err != nil || n != 2 || out.At(0, 0) != 2.5 || out.At(1, 0) != -1.5 {
		t.Errorf("%v %v", out, err)
	}
}

// TestQueuePieces: a long request goes in pieces, its answers stand in the order of its rows, and the first of its faulty rows
// is told, whichever piece fails first.
func TestQueuePieces(t *testing.T) {
	q := newQueue(func(ctx context.Context, rows data.Rows) (*mat.Dense, error) {
		for i := range rows.Len() {
			if rows.Dense.At(i, 0) < 0 {
				return nil, &model.RowError{Row: i}
			}
		}
		return summed(ctx, rows)
	}, Options{}.withDefaults())
	q.runners, q.free = 3, 3
	for _, n := range []int{1, sharedRows, 3*sharedRows + 1, 4*joinedRows + 5} {
		rows := mat.NewDense(n, 2, nil)
		for i := range n {
			rows.Set(i, 1, float64(i))
		}
		out, err := q.outputs(t.Context(), data.Rows{Dense: rows})
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if out.At(i, 0) != float64(i) {
				t.Fatalf("row %d of %d: %v", i, n, out.At(i, 0))
			}
		}
		for _, i := range []int{n - 1, n / 2} {
			rows.Set(i, 0, -1)
			var row *model.RowError
			if _, err := q.outputs(t.Context(), data.Rows{Dense: rows}); !errors.As(err, &row) || row.Row != i {
				t.Errorf("row %d of %d is faulty: %v", i, n, err)
			}
		}
	}
	if q.free != 3 || len(q.waiting) > 0 {
		t.Errorf("%d of 3 runners are free, %d wait", q.free, len(q.waiting))
	}
}
