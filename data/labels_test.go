package data

import (
	"errors"
	"testing"
)

// TestLabelComplaints: what is wrong with answers is said with its row and a remedy.
func TestLabelComplaints(t *testing.T) {
	for _, c := range []struct {
		raw  Answers
		task Task
		row  int
		want string
	}{
		{Answers{"", "?"}, TaskAuto, -1, `no row of column "y" has a label; label some rows, or name another column with --label`},
		{Answers{"1", "", "x", "z"}, Regression, 2, `label "x" is no number, so this is no regression; correct it, or use --task classification`},
		{Answers{"x", "1"}, Regression, 0, `label "x" is no number, so this is no regression; correct it, or use --task classification`},
		{Answers{" a", "a ", ""}, TaskAuto, -1,
			`every label of column "y" is "a"; two classes are needed; label rows of another class, ` +
				`learn what this one looks like with --method one-class, or use --task regression for numbers`},
	} {
		_, err := Interpret(c.raw, "y", LabelOptions{Task: c.task})
		if e := (*LabelError)(nil); !errors.As(err, &e) || e.Row != c.row || e.Error() != c.want {
			t.Errorf("%q: %v", c.raw, err)
		}
	}
	_, _, err := (Labels{Task: Regression}).Of(Answers{"1", "NA", "two"})
	if e := (*LabelError)(nil); !errors.As(err, &e) || e.Row != 2 ||
		e.Error() != `label "two" is no number, but the task is regression; correct or blank it` {
		t.Error(err)
	}
	var task Task
	if err := task.UnmarshalText([]byte("ranking")); err == nil ||
		err.Error() != `unknown task "ranking"; one of auto, classification, regression` {
		t.Error(err)
	}
}

// TestDrawComplaints: more labels, folds or shares than there are rows for are refused with what would do.
func TestDrawComplaints(t *testing.T) {
	l := interpret(t, Answers{"a", "a", "b", "a", ""}, "y", Classification)
	numbers := interpret(t, Answers{"1.5", "2"}, "y", Regression)
	single := interpret(t, Answers{"a", "b", ""}, "y", Classification)
	for want, draw := range map[string]func() error{
		`class "b" has fewer labels (1) than the 2 a class that were asked for; ask for 1 at most`: func() error {
			_,
				err := DrawPerClass(l, 2, 1)
			return err
		},
		`0 labels a class; at least 1 is needed`: func() error {
			_,
				err := DrawPerClass(l, 0, 1)
			return err
		},
		`a regression has no classes to draw 3 labels of; use --labels`: func() error {
			_,
				err := DrawPerClass(numbers, 3, 1)
			return err
		},
		`5 labels asked for, 4 rows are labelled; use 1 to 4`: func() error {
			_,
				err := DrawTotal(l, 5, 1)
			return err
		},
		`0 labels asked for, 4 rows are labelled; use 1 to 4`: func() error {
			_,
				err := DrawTotal(l, 0, 1)
			return err
		},
		`1 folds of 4 labelled rows; use 2 to 4`: func() error {
			_,
				err := Folds(l, 1, 1)
			return err
		},
		`5 folds of 4 labelled rows; use 2 to 4`: func() error {
			_,
				err := Folds(l, 5, 1)
			return err
		},
		`a share of 1 held out; use one between 0 and 1`: func() error {
			_,
				err := HoldOut(l, 1, 1)
			return err
		},
		`a share of 0 held out; use one between 0 and 1`: func() error {
			_,
				err := HoldOut(l, 0, 1)
			return err
		},
		`no two labelled rows of one class, so none can be held out while another trains; label more rows`: func() error {
			_,
				err := HoldOut(single, 0.5, 1)
			return err
		},
	} {
		if err := draw(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for _, right := range []func() error{
		func() error { _, err := DrawPerClass(l, 1, 1); return err },
		func() error { _, err := DrawTotal(l, 4, 1); return err },
		func() error { _, err := Folds(l, 4, 1); return err },
		func() error { _, err := Folds(l, 2, 1); return err },
	} {
		if err := right(); err != nil {
			t.Error(err)
		}
	}
}
