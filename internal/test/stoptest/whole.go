package stoptest

import (
	"context"
	"errors"
	"testing"
)

// Whole lets a context end at each look in turn: what ends without an error all the same is then the whole answer, and an error is that of
// the context.
func Whole[T any](t *testing.T, same func(a, b T) bool, f func(ctx context.Context) (T, error)) {
	t.Helper()
	want, err := f(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for looks := 0; ; looks++ {
		ctx := After(t.Context(), looks)
		got, err := f(ctx)
		if err == nil && !same(got, want) || err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("ended at look %d: %v, error %v; the whole is %v", looks+1, got, err, want)
		}
		if !ctx.Ended() {
			return
		}
	}
}
