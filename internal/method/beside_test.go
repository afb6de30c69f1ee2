package method

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mercer-ml/mercer/internal/await"
	"github.com/mercer-ml/mercer/internal/choose"
)

// TestBesideEnds: a baseline that is not ready a moment after an interrupt is done without, also where what finishes the method's own model
// outlasts the interrupt; before, its errors are errors.
func TestBesideEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		failed := errors.New("failed")
		if _, err := beside(ctx, func(context.Context) (*choose.Candidates, error) { return nil, failed }); !errors.Is(err, failed) {
			t.Errorf("an error that is not of an interrupt became %v", err)
		}
		cancel()
		for _, ended := range []context.Context{ctx, await.Outlast(ctx), await.Outlast(await.Outlast(ctx))} {
			begun := time.Now()
			c, err := beside(ended, func(ctx context.Context) (*choose.Candidates, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			})
			if c != nil || err != nil || time.Since(begun) != comparing {
				t.Errorf("after an interrupt %v, %v in %v", c, err, time.Since(begun))
			}
			if _, err := beside(ended, func(context.Context) (*choose.Candidates, error) { return nil, failed }); !errors.Is(err, failed) {
				t.Errorf("an error within the moment became %v", err)
			}
		}
	})
}
