package await

import (
	"context"
	"time"
)

// origin is the key of the context whose end a context outlasts.
type origin struct{}

// Outlast returns a context with the values of ctx that never ends, for work that finishes what was interrupted. Linger, when it is called
// on it, still knows the end of ctx.
func Outlast(ctx context.Context) context.Context {
	return context.WithValue(context.WithoutCancel(ctx), origin{}, ctx)
}

// Linger returns a context with the values of ctx that ends so long after ctx does, or after the context that ctx outlasts: for work that
// ends what was interrupted, if it is small. Cancel lets go of what it holds.
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
	stops := []func() bool{context.AfterFunc(ctx, wait)}
	for {
		before, ok := ctx.Value(origin{}).(context.Context)
		if !ok {
			break
		}
		ctx = before
		stops = append(stops, context.AfterFunc(ctx, wait))
	}
	return late, func() {
		for _, stop := range stops {
			stop()
		}
		cancel()
	}
}
