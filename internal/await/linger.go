package await

import (
	"context"
	"time"
)

// Linger returns a context with the values of ctx that ends so long after ctx does: for work that ends what
// was interrupted, if it is small. Cancel lets go of what it holds.
func Linger(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
			cancel()
		case <-late.Done():
		}
	})
	return late, func() { stop(); cancel() }
}
