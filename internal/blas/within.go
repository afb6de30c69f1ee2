package blas

import (
	"context"
	"sync"
)

// Problem   An operation on thousands of rows takes minutes, and whoever waits for it may not want it any more.
// Method    The threads of an operation (team.go) ask its context before each work that they share: the product of one slice of k with
//           at most maxM rows and maxN columns, a panel of right-hand sides, a column of a tridiagonalisation. Once the context has
//           ended nothing is shared any more, so that what is left of the operation runs to its end over little.
// Cost      a look at the context, some nanoseconds, beside a work of 20 microseconds or more. No result depends on it.

// Within returns a Backend for work that ends soon after the context does. What an operation that was
// stopped has stored is arbitrary, and all later ones of the same value store nothing: whoever uses it
// asks Stopped before the results. Factor and SymEigen return that as their error.
func Within(ctx context.Context) Backend { return Backend{pureGo.within(ctx)} }

// Stopped is the error of the context that stopped an operation, nil if none was.
func (b Backend) Stopped() error {
	if b.e == nil || b.e.stop == nil {
		return nil
	}
	return b.e.stop.reason()
}

// within is the same engine, which asks the context.
func (g *engine) within(ctx context.Context) *engine {
	return &engine{processors: g.processors, plain: g.plain, narrow: g.narrow, stop: &stop{ctx: ctx}}
}

// stop asks a context until it has ended; nil never ends. Several threads may.
type stop struct {
	ctx context.Context

	mu  sync.Mutex
	err error // of the context, once it ended
}

// asked asks the context, and says whether it has ended.
func (s *stop) asked() bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = s.ctx.Err()
	}
	return s.err != nil
}

// reason is the error of the context where one that asked has found it ended.
func (s *stop) reason() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}
