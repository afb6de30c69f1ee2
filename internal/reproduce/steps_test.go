package reproduce

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
)

// TestSteps: a step that fails ends what was being done, here or in one of several at a time, and its error says where; what
// did not fail has its values, and a panic of another kind is none of ours.
func TestSteps(t *testing.T) {
	wrong := errors.New("wrong")
	if err := caught(func() { check(nil); must(1, nil) }); err != nil {
		t.Error(err)
	}
	if v, w := must2("a", 2, nil); v != "a" || w != 2 || must(3, nil) != 3 {
		t.Error(v, w)
	}
	after := false
	err := caught(func() {
		during("outside", func() { during("inside", func() { must2(1, 2, wrong) }) })
		after = true
	})
	if !errors.Is(err, wrong) || err.Error() != "outside: inside: wrong" || after {
		t.Errorf("%v, went on %v", err, after)
	}
	var done atomic.Int64
	err = caught(func() {
		each(20, func(i int) {
			if i == 7 {
				fail("number %d: %w", i, wrong)
			}
			done.Add(1)
		})
	})
	if !errors.Is(err, wrong) || !strings.Contains(err.Error(), "number 7") || done.Load() > 19 {
		t.Errorf("%v after %d", err, done.Load())
	}
	defer func() {
		if recover() != "another" {
			t.Error("a panic of another kind was caught")
		}
	}()
	err = caught(func() { panic("another") })
	t.Error(err)
}
