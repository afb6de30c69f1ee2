package stoptest

import (
	"context"
	"sync/atomic"
)

// After is a context that ends after so many looks at it.
func After(ctx context.Context, looks int) context.Context {
	c := &looked{Context: ctx}
	c.left.Store(int64(looks))
	return c
}

type looked struct {
	context.Context
	left atomic.Int64
}

// Err counts a look.
func (c *looked) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}
