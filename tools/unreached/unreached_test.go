package main

import (
	"slices"
	"testing"
)

// An exception covers a function or a folder, and one that covers nothing is a fault as an uncovered function is.
func TestJudge(t *testing.T) {
	allowed := []exception{{"a/b/", "a suite"}, {"c.go T.M", "a door"}, {"c.go F", "gone"}}
	got := judge([]string{"a/b/d.go G", "a/be.go H", "c.go T.M", "c.go T.MM"}, allowed)
	want := []string{
		"a/be.go H: no program and no example reaches it",
		"c.go T.MM: no program and no example reaches it",
		"c.go F: it is reached, and needs no exception",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the faults are %q", got)
	}
}
