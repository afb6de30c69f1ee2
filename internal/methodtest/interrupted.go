package methodtest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/await"
	"github.com/mercer-ml/mercer/search"
)

// interrupted is the check that a fit whose context ends, whenever that is, gives its best so far
// and says so, or context.Canceled where it has none; what it gives without saying so must be what
// it gives when left alone. After the first machine that is told to the listener it has one. Half of the contexts leave no time after
// their end, in which what completes a fit could be made.
func (a *answers) interrupted() {
	t, m, in := a.t, a.method, sample(a.t, plain(a.method))
	looks := []int64{0, 1, 4, 16, 100, 400}
	if whole() {
		looks = []int64{0, 1, 2, 4, 8, 16, 40, 100, 200, 400}
	}
	best, told := 0, false
	for _, r := range recipes(m) {
		want, err := a.one(t, r).model.Predict(t.Context(), in.Set.Rows)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []func(context.Context) context.Context{itself, await.Prompt} {
			for _, looks := range looks {
				f, err := fit(at(newCountdown(t.Context(), looks)), in, r, mercer.Options{})
				switch {
				case errors.Is(err, context.Canceled):
					continue
				case err != nil:
					t.Errorf("%+v: the context ended at look %d: %v", r, looks, err)
					continue
				case f.stopped():
					best++
					continue
				}
				got, err := f.model.Predict(t.Context(), in.Set.Rows)
				if err != nil || !same(got, want) {
					t.Errorf("%+v: the context ended at look %d, and the model is another without a word: %v", r, looks, err)
				}
			}
			told = afterFirst(at(t.Context()), t, in, r) || told
		}
	}
	if best == 0 && !told && m.ID != "one-class" { // which trains one machine
		t.Errorf("%s: never was a best kept", m.ID)
	}
}

func itself(ctx context.Context) context.Context { return ctx }

// afterFirst ends a fit after the first of its machines, and says whether one was told of.
func afterFirst(ctx context.Context, t *testing.T, in mercer.Input, r mercer.Recipe) (told bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	last := false
	f, err := fit(ctx, in, r, mercer.Options{Progress: func(p mercer.Progress) {
		told, last = true, p.Done == p.Total
		cancel()
	}})
	if told && !last && (err != nil || !f.stopped()) {
		t.Errorf("%+v: interrupted after the first machine, which is not kept, or not said: %v", r, err)
	}
	return told
}

// stopped says whether a fit says that it was interrupted.
func (f fitted) stopped() bool {
	if f.front != nil {
		return f.front.Partial
	}
	return f.result.Tuning.Status == string(search.Interrupted)
}

// countdown is a context that ends when it has been asked for its end so many times: in the
// middle of a fit, at the same place in every run of one processor.
type countdown struct {
	context.Context
	left atomic.Int64
	end  sync.Once
	done chan struct{}
}

func newCountdown(ctx context.Context, looks int64) *countdown {
	c := &countdown{Context: ctx, done: make(chan struct{})}
	c.left.Store(looks)
	return c
}

func (c *countdown) Done() <-chan struct{} { return c.done }

func (c *countdown) Err() error {
	if c.left.Add(-1) >= 0 {
		return nil
	}
	c.end.Do(func() { close(c.done) })
	return context.Canceled
}
