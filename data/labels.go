package data

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Task is what the answers ask for.
type Task int

// TaskAuto lets Interpret decide; Labels never have it.
const (
	TaskAuto Task = iota
	Classification
	Regression
)

var taskNames = [...]string{"auto", "classification", "regression"}

// String returns auto, classification or regression.
func (t Task) String() string { return taskNames[t] }

// MarshalText writes the task's name.
func (t Task) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads the task's name.
func (t *Task) UnmarshalText(b []byte) error {
	i := slices.Index(taskNames[:], string(b))
	if i < 0 {
		return fmt.Errorf("unknown task %q; one of %s", b, strings.Join(taskNames[:], ", "))
	}
	*t = Task(i)
	return nil
}

// Class numbers of rows without a class among Classes.
const (
	Unlabelled = -1 // no answer
	Unseen     = -2 // an answer that is no class of the training labels
)

// Labels are answers understood. For a Classification, Classes are the printed
// names, each as the rows first spell it, in sorted order (numbers by value, before
// text; all as text if one is a code) and Class the class number of each row; for a
// Regression, Value is the answer of each row, NaN where there is none. Decided says
// what Interpret found, for the user to see first: "3 classes".
type Labels struct {
	Task    Task
	Classes []string
	Class   []int
	Value   []float64
	Decided string
	// Group is that of each row: rows of one group stay together in folds, and those of "" on their own. Nil: all do.
	Group []string
	// Order is the place of each row: rows that are held out are later than all others. Nil: rows have no order.
	Order []float64
}

// LabelOptions say how to understand answers. The zero value decides by itself.
type LabelOptions struct {
	Task Task
	// Declared answers are classes to TaskAuto, whatever they look like: Declared of a set.
	Declared bool
}

// LabelError is a fault of the answers. Row is the row at fault, from 0, or -1
// when it is the column as a whole.
type LabelError struct {
	Row          int
	What, Remedy string
}

// CellError is a fault of one feature of one row, both from 0.
type CellError struct {
	Row, Column  int
	What, Remedy string
}

// Error returns what and remedy; the place is left to callers, who know its line and name.
func (e *CellError) Error() string { return e.What + "; " + e.Remedy }

// Error returns what and remedy; the row is left to callers, who know its line.
func (e *LabelError) Error() string { return e.What + "; " + e.Remedy }

// Interpret understands raw, the visible answers of the column name. Nothing
// else decides task and classes, so hidden answers must be blank in raw (Hide).
// TaskAuto follows the rule of decide. The error is a *LabelError: no answer, one
// class only, text in a regression.
func Interpret(raw Answers, name string, o LabelOptions) (Labels, error) {
	l, err := InterpretCounts(raw.counts(), name, o)
	if err != nil {
		return Labels{}, err
	}
	decided := l.Decided
	l, _, err = l.Of(raw)
	l.Decided = decided
	return l, err
}

// unlabelled says that no row has a label.
func unlabelled(name string) string {
	if name == "" {
		return "no row has a label, and no column is one of labels"
	}
	return fmt.Sprintf("no row of column %q has a label", name)
}

// InterpretCounts is Interpret of the different answers of all rows, in the order of their first rows, for rows that are
// counted where they lie. The labels say what the answers are; they have no rows, which Labels.Of understands.
func InterpretCounts(counts []Count, name string, o LabelOptions) (Labels, error) {
	t := tally(counts)
	if len(t.distinct) == 0 {
		return Labels{}, &LabelError{
			-1,
			unlabelled(name),
			"label some rows, or name another column with --label",
		}
	}
	task, decided := o.Task, ", as asked"
	switch {
	case task == TaskAuto && o.Declared:
		task, decided = Classification, ", as the file declares"
	case task == TaskAuto:
		task, decided = t.decide()
	}
	if task == Regression {
		if t.word >= 0 {
			return Labels{}, &LabelError{
				t.word,
				fmt.Sprintf("label %q is no number, so this is no regression", t.first),
				"correct it, or use --task classification",
			}
		}
		return Labels{Task: Regression, Decided: "numbers to predict" + decided + t.marked()}, nil
	}
	if len(t.classes) == 1 {
		return Labels{}, &LabelError{
			-1,
			fmt.Sprintf("every label of column %q is %q; two classes are needed", name, t.classes[0].spelled),
			"label rows of another class, learn what this one looks like with --method one-class, or use --task regression for numbers",
		}
	}
	l := Labels{Task: Classification}
	for _, c := range t.classes {
		l.Classes = append(l.Classes, c.spelled)
	}
	l.Decided = fmt.Sprintf("%d classes%s%s%s%s", len(l.Classes), decided, t.compared(), t.alike(), t.marked())
	return l, nil
}

// Of understands other answers as these labels do: same task, same classes, for
// hidden or test rows. A class not among l.Classes becomes Unseen; unseen counts
// such rows by class name. In a regression, text is a *LabelError.
func (l Labels) Of(raw Answers) (out Labels, unseen map[string]int, err error) {
	out = Labels{Task: l.Task, Classes: l.Classes}
	if l.Task == Regression {
		out.Value = make([]float64, len(raw))
		for i, r := range raw {
			v, ok := Number(strings.TrimSpace(r))
			if IsUnlabelled(r) {
				v, ok = math.NaN(), true
			}
			if !ok {
				return Labels{}, nil, &LabelError{
					i,
					fmt.Sprintf("label %q is no number, but the task is regression", r),
					"correct or blank it",
				}
			}
			out.Value[i] = v
		}
		return out, nil, nil
	}
	index := ClassIndex(l.Classes)
	type found struct {
		k    int
		name string
	}
	known := make(map[string]found) // by raw answer, each parsed once
	out.Class = make([]int, len(raw))
	for i, r := range raw {
		f, ok := known[r]
		if !ok {
			if f.k = Unlabelled; !IsUnlabelled(r) {
				f.k, f.name = index(r)
			}
			known[r] = f
		}
		if f.k == Unseen {
			if unseen == nil {
				unseen = make(map[string]int)
			}
			unseen[f.name]++
		}
		out.Class[i] = f.k
	}
	return out, unseen, nil
}

// Len returns the number of rows, labelled or not.
func (l Labels) Len() int { return max(len(l.Class), len(l.Value)) }

// Labelled returns the rows that have an answer among the known, increasing.
func (l Labels) Labelled() []int {
	rows := make([]int, 0, l.Len())
	for i := range l.Len() {
		if l.Task == Regression && !math.IsNaN(l.Value[i]) || l.Task != Regression && l.Class[i] >= 0 {
			rows = append(rows, i)
		}
	}
	return rows
}

// Counts returns the number of rows of each class.
func (l Labels) Counts() []int {
	n := make([]int, len(l.Classes))
	for _, c := range l.Class {
		if c >= 0 {
			n[c]++
		}
	}
	return n
}
