package stoptest

import (
	"context"
	"sync/atomic"
)

// After is a context that ends after so many looks at it.
func After(ctx context.Context, looks int) *Looked {
	c := &Looked{Context: ctx}
	c.left.Store(int64(looks))
	return c
}

// Looked is a context that counts how often it is asked.
type Looked struct {
	context.Context
	left atomic.Int64
}

// Err counts a look.
func (c *Looked) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Ended says whether a look has found the end.
func (c *Looked) Ended() bool { return c.left.Load() < 0 }

// Late is how often it was asked after a look had found the end: by those who hand that on, and not by who goes on regardless.
func (c *Looked) Late() int { return int(max(-c.left.Load()-1, 0)) }
