// Package stoptest stops functions in the midst of what they do, at each place where they ask their
// context whether to stop, and sees that they say so.
//
// Change here how such places are found.
package stoptest

import (
	"context"
	"errors"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Everywhere runs f once to see from which functions its context is asked, and then once for each, in
// which that one alone is told to stop, every time that it asks. f must return the error of that: whoever
// is between the place and f hands it on, and does not go on without what was not computed.
// Of functions in after, which look at their context again when something below them has failed, the asking
// is told the truth once another was stopped.
func Everywhere(t *testing.T, f func(context.Context) error, after ...string) {
	t.Helper()
	first := &asked{Context: t.Context(), places: map[string]bool{}}
	if err := f(first); err != nil {
		t.Errorf("not stopped: %v", err)
		return
	}
	for _, place := range slices.Sorted(maps.Keys(first.places)) {
		c := &asked{Context: t.Context(), places: map[string]bool{}, stopped: place, after: after}
		if err := f(c); !errors.Is(err, context.Canceled) {
			t.Errorf("stopped in %s, the error is %v", place, err)
		}
	}
}

// Each calls f for each place where the function f asks its context whether to stop: first with no place, then with each of them, whose
// context that place alone finds cancelled, or with all also those that ask later, as of a context that has ended.
func Each(t *testing.T, all bool, f func(ctx context.Context, place string)) {
	t.Helper()
	first := &asked{Context: t.Context(), places: map[string]bool{}}
	f(first, "")
	for _, place := range slices.Sorted(maps.Keys(first.places)) {
		f(&asked{Context: t.Context(), places: map[string]bool{}, stopped: place, all: all}, place)
	}
}

// asked is a context that one function alone finds cancelled.
type asked struct {
	context.Context
	stopped string // the function; "" for none
	after   []string
	all     bool // that ask later are told too

	mu     sync.Mutex
	told   bool            // that function was told
	places map[string]bool // that asked
}

// closure is the end of the name of a function within another.
var closure = regexp.MustCompile(`(\.func\d+|\.\d+|\.gowrap\d+|-range\d+|\[\.\.\.\])*$`)

// Err is asked by the function that calls it, however deep in its closures.
func (c *asked) Err() error {
	pc := make([]uintptr, 1)
	runtime.Callers(2, pc)
	frame, _ := runtime.CallersFrames(pc).Next()
	place := closure.ReplaceAllString(strings.ReplaceAll(frame.Function, "[...]", ""), "")
	place = place[strings.LastIndexByte(place, '/')+1:]
	c.mu.Lock()
	defer c.mu.Unlock()
	c.places[place] = true
	c.told = c.told || place == c.stopped
	if place == c.stopped || c.told && (c.all || slices.Contains(c.after, place)) {
		return context.Canceled
	}
	return c.Context.Err()
}
