package replace

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestPatiently: a file in use is tried again until it is free, for two seconds; other errors are returned at once.
func TestPatiently(t *testing.T) {
	used, other := errors.New("in use"), errors.New("other")
	busy := func(err error) bool { return errors.Is(err, used) }
	for _, c := range []struct {
		tries int // after which the error changes
		then  error
		want  error
		waits time.Duration
	}{
		{0, nil, nil, 0},
		{0, other, other, 0},
		{3, nil, nil, 7 * time.Millisecond},
		{3, other, other, 7 * time.Millisecond},
		{100, nil, used, 2047 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			start, tried := time.Now(), 0
			err := patiently(func() error {
				if tried++; tried > c.tries {
					return c.then
				}
				return used
			}, busy)
			if waited := time.Since(start); !errors.Is(err, c.want) || waited != c.waits {
				t.Errorf("%+v: %v after %v", c, err, waited)
			}
		})
	}
}
