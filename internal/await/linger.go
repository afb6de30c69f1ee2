package await

import (
	"context"
	"time"
)

// origin is the key of the context whose end a context outlasts.
type origin struct{}

// Outlast returns a context with the values of ctx that never ends, for work that must complete what was interrupted. Parts of that work
// that may be left out call Linger on it, which knows the end of ctx.
func Outlast(ctx context.Context) context.Context {
	return context.WithValue(context.WithoutCancel(ctx), origin{}, ctx)
}

// prompt is the key of a context after whose end nothing lingers.
type prompt struct{}

// Prompt returns a context with the values and the end of ctx. What calls Linger on it, or on a context made of it, gets no time after
// that end, as if the time had passed already.
func Prompt(ctx context.Context) context.Context {
	return context.WithValue(ctx, prompt{}, true)
}

// Linger returns a context with the values of ctx that ends a time d after ctx does, or after the context that ctx outlasts; d after the
// call where that has ended before. It is for small work that completes what was interrupted. Cancel lets go of what it holds.
func Linger(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	l := &lingering{Context: late}
	after := func() {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
			cancel()
		case <-late.Done():
		}
	}
	atOnce := ctx.Value(prompt{}) != nil
	if atOnce {
		after = cancel
	}
	var stops []func() bool
	for more := true; more; ctx, more = ctx.Value(origin{}).(context.Context) {
		stops = append(stops, context.AfterFunc(ctx, after))
		if atOnce {
			l.ask = append(l.ask, ctx)
		}
	}
	return l, func() {
		for _, stop := range stops {
			stop()
		}
		cancel()
	}
}

// lingering is what Linger returns.
type lingering struct {
	context.Context
	ask []context.Context // those with whose end it ends at once, not when a goroutine has heard of it
}

// Err implements context.Context. After Prompt it may tell of the end a moment before Done is closed.
func (l *lingering) Err() error {
	for _, ctx := range l.ask {
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return l.Context.Err()
}
