package main

import (
	"errors"
	"strings"
	"testing"
)

// TestDescribeTrials: the page has the counts of the test and each of its findings, and a test that fails without any is an error.
func TestDescribeTrials(t *testing.T) {
	const text = `=== RUN   TestTrials
    metamorphic_test.go:40: seed 3, trial 9: rows permuted: they differ by 0.1
        94 rows, 2 columns, sparse false, pinned true: {"method":"rls"}
    metamorphic_test.go:56: 80 trials, 6 recipes refused, 2 trials ended by their time
    metamorphic_test.go:58: rows twice: compared 19 times
    metamorphic_test.go:58: save and load: compared 72 times
--- FAIL: TestTrials (60.49s)
`
	var b strings.Builder
	if err := describeTrials(&b, text, errors.New("exit status 1")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"80 trials, 6 recipes refused, 2 trials ended by their time. Findings: 1.\n", "| rows twice | 19 |\n| save and load | 72 |\n",
		"* seed 3, trial 9: rows permuted: they differ by 0.1; 94 rows, 2 columns, sparse false, pinned true: {\"method\":\"rls\"}\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if err := describeTrials(&b, "80 trials, 0 recipes refused\n", errors.New("exit status 2")); err == nil {
		t.Error("a test that fails says nothing")
	}
	if err := describeTrials(&b, "", nil); err == nil {
		t.Error("no trial is no error")
	}
}

// TestDescribeFuzz: the last line of progress counts, and a fault is in its own words.
func TestDescribeFuzz(t *testing.T) {
	const text = `fuzz: elapsed: 0s, gathering baseline coverage: 0/7 completed
fuzz: elapsed: 3s, execs: 300 (100/sec), new interesting: 1 (total: 8)
fuzz: elapsed: 6s, execs: 700 (133/sec), new interesting: 4 (total: 11)
`
	if got := describeFuzz(text, nil); got != "700 | 4 | none" {
		t.Error(got)
	}
	fault := text + "--- FAIL: FuzzRead (0.02s)\n    --- FAIL: FuzzRead (0.00s)\n        read_test.go:30: two rows of one\n"
	if got := describeFuzz(fault, errors.New("exit status 1")); got != "700 | 4 | read_test.go:30: two rows of one" {
		t.Error(got)
	}
	race := text + "--- FAIL: FuzzRead (6.01s)\n    context deadline exceeded\nFAIL\nexit status 1\n"
	if got := describeFuzz(race, errors.New("exit status 1")); got != "700 | 4 | none" {
		t.Error(got)
	}
	late := text + "--- FAIL: FuzzRead (0.02s)\n    --- FAIL: FuzzRead (0.00s)\n        read_test.go:9: context deadline exceeded\nFAIL\n"
	if got := describeFuzz(late, errors.New("exit status 1")); got != "700 | 4 | read_test.go:9: context deadline exceeded" {
		t.Error(got)
	}
	if got := describeFuzz("", errors.New("exit status 1")); got != "- | - | exit status 1" {
		t.Error(got)
	}
	const none = "- | - | no input was tried: the time was spent on those that are kept"
	if got := describeFuzz("fuzz: elapsed: 3s, gathering baseline coverage: 104/1993 completed\n", nil); got != none {
		t.Error(got)
	}
}
