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

// Linger returns a context with the values of ctx that ends a time d after ctx does, or after the context that ctx outlasts; d after the
// call where that has ended before. It is for small work that completes what was interrupted. Cancel lets go of what it holds.
func Linger(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	wait := func() {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
			cancel()
		case <-late.Done():
		}
	}
	var stops []func() bool
	for more := true; more; ctx, more = ctx.Value(origin{}).(context.Context) {
		stops = append(stops, context.AfterFunc(ctx, wait))
	}
	return late, func() {
		for _, stop := range stops {
			stop()
		}
		cancel()
	}
}
