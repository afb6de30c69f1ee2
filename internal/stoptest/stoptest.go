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
	places(t, f, false, after)
}

// Anywhere is Everywhere for functions that may have an answer though they were stopped: without an error that is one. Once one place
// is told to stop all are, as of a context that has ended.
func Anywhere(t *testing.T, f func(context.Context) error) {
	t.Helper()
	places(t, f, true, nil)
}

// places runs f once for each place where it asks.
func places(t *testing.T, f func(context.Context) error, answered bool, after []string) {
	t.Helper()
	first := &asked{Context: t.Context(), places: map[string]bool{}}
	if err := f(first); err != nil {
		t.Errorf("not stopped: %v", err)
		return
	}
	for _, place := range slices.Sorted(maps.Keys(first.places)) {
		c := &asked{Context: t.Context(), places: map[string]bool{}, stopped: place, after: after, all: answered}
		if err := f(c); !errors.Is(err, context.Canceled) && !(answered && err == nil) {
			t.Errorf("stopped in %s, the error is %v", place, err)
		}
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
