package fit

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/result"
)

// TestGroupsOfFronts: fronts whose member is chosen by folds keep groups whole, as many folds as there are groups; what chooses by rows
// that were learned from is wrong usage with a remedy.
func TestGroupsOfFronts(t *testing.T) {
	set := drifting(24, true)
	set.Order = nil
	for i := range set.Answers {
		set.Group = append(set.Group, string("abc"[i%3]))
	}
	in := result.Input{Set: set}
	var usage *result.UsageError
	for _, word := range method.Decisions() {
		word = strings.Replace(word, ":K", ":2", 1)
		head, _, _ := strings.Cut(word, ":")
		_, err := judgedBy(in, result.Recipe{Method: "mobj-rbf", Decision: word})
		if heldOut := head == "cv" || head == "validation"; heldOut && err != nil || !heldOut && !errors.As(err, &usage) {
			t.Errorf("--decision %s: %v", word, err)
		}
	}
	for _, word := range []string{"", "gcv", "bic"} {
		if _, err := judgedBy(in, result.Recipe{Method: "rofs", Decision: word}); !errors.As(err, &usage) ||
			!strings.HasPrefix(err.Error(), "--group: method rofs") || strings.Contains(err.Error(), ", rofs") {
			t.Errorf("rofs: %v", err)
		}
	}
	_, res, err := Fit(context.Background(), in, result.Recipe{Method: "mobj-rbf", Set: map[string]string{"joint": "no"}}, result.Options{})
	if err != nil || res.Tuning.Score != "cv:3" {
		t.Errorf("three groups: %+v, %v", res, err)
	}
}

// TestCopiesOfFronts: where no fold keeps copies together nothing says so.
func TestCopiesOfFronts(t *testing.T) {
	set := drifting(24, true)
	set.Order = nil
	twice := set.Select(append(every(24), every(24)...))
	for _, c := range []struct {
		r    result.Recipe
		says string // "": folds keep the copies together
	}{
		{result.Recipe{Method: "mobj-rbf"}, ""},
		{result.Recipe{Method: "mobj-rbf", Decision: "validation:4"}, ""},
		{result.Recipe{Method: "mobj-rbf", Decision: "bic"}, "choose --decision cv"},
		{result.Recipe{Method: "rofs"}, "choose a method that folds judge"},
		{result.Recipe{Method: "rls"}, ""},
	} {
		in, told := groupCopies(result.Input{Set: twice}, c.r)
		want := ": folds keep them together"
		if c.says != "" {
			want = c.says
		}
		if !strings.Contains(told, want) || (in.Set.Group != nil) != (c.says == "") {
			t.Errorf("%+v: %q", c.r, told)
		}
		if _, err := judgedBy(in, c.r); err != nil {
			t.Errorf("%+v: %v", c.r, err)
		}
		if labels, err := outerLabels(in.Set, c.r); err != nil || labels.Group == nil {
			t.Errorf("%+v: outer folds part copies: %v", c.r, err)
		}
	}
}

// TestOuterFoldsOfFewGroups: outer folds leave two groups to learn from, or are refused before anything is learned, with a remedy that
// is not refused.
func TestOuterFoldsOfFewGroups(t *testing.T) {
	for _, c := range []struct {
		groups  string // of the rows, by turns
		cv      int
		refused string
	}{
		{"ab", 2, "set: --cv 2: folds keep groups whole, those that each outer fold learns from too, so that it needs three groups that " +
			"have labels, and there are 2; label rows of another, or leave out --cv"},
		{"ab", 3, "set: --cv 3: folds keep groups whole, those that each outer fold learns from too, so that it needs three groups that " +
			"have labels, and there are 2; label rows of another, or leave out --cv"},
		{"abc", 2, "set: --cv 2: fold 1 has all groups but one, and folds of what it learns from keep groups whole too; ask for --cv 3"},
		{"abc", 3, ""},
		{"abc", 4, "4 folds of 3 groups that have labels; use 2 to 3 folds"},
		{"abcd", 2, ""},
	} {
		set := cells(slices.Repeat([]string{"yes", "no"}, 12)...)
		for i := range set.Answers {
			set.Group = append(set.Group, string(c.groups[i/2%len(c.groups)]))
		}
		r := result.Recipe{Method: "rls", Set: map[string]string{"lambda": "0.1"}, CV: c.cv}
		_, res, err := Fit(context.Background(), result.Input{Set: set}, r, result.Options{})
		if c.refused != "" {
			failtest.Refused(t, err, c.refused)
		} else if err != nil || res.Estimate.Rows != 24 {
			t.Errorf("%d folds of %d groups: %v", c.cv, len(c.groups), err)
		}
	}
}

// TestGroupsOfOneClass: one class is not judged by folds, whatever groups its rows are in.
func TestGroupsOfOneClass(t *testing.T) {
	set := cells(slices.Repeat([]string{"yes"}, 12)...)
	set.Group = slices.Repeat([]string{"a", "b", "c"}, 4)
	for _, r := range []result.Recipe{{}, {CV: 2}, {Tune: "none"}} {
		r.Method = "one-class"
		_, _, err := Fit(context.Background(), result.Input{Set: set}, r, result.Options{})
		if err == nil || !strings.HasPrefix(err.Error(), "--group: method one-class is not judged by folds; choose ") {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

// TestUnknownMethodWithFolds: a method that there is not is refused by its name, before folds ask what judges it.
func TestUnknownMethodWithFolds(t *testing.T) {
	_, _, err := Fit(context.Background(), few(t, "two-moons", 5), result.Recipe{Method: "no-such", CV: 2}, result.Options{})
	if err == nil || !strings.Contains(err.Error(), "--method no-such") {
		t.Error(err)
	}
}

// every are the numbers below n.
func every(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}
