package data

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
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

// regressionValues is the number of distinct values above which a column named
// "target" is a regression even if all of them are whole (rings, ages, prices).
const regressionValues = 10

// Labels are answers understood. For a Classification, Classes are the printed
// names in sorted order (numbers by value, before text) and Class the class
// number of each row; for a Regression, Value is the answer of each row, NaN
// where there is none.
type Labels struct {
	Task    Task
	Classes []string
	Class   []int
	Value   []float64
}

// LabelOptions say how to understand answers. The zero value decides by itself.
type LabelOptions struct {
	Task Task
}

// LabelError is a fault of the answers. Row is the row at fault, from 0, or -1
// when it is the column as a whole.
type LabelError struct {
	Row          int
	What, Remedy string
}

// Error returns what and remedy; the row is left to callers, who know its line.
func (e *LabelError) Error() string { return e.What + "; " + e.Remedy }

// IsUnlabelled says whether a raw answer stands for none: empty, ?, NA or NaN
// (numpy's nan included).
func IsUnlabelled(raw string) bool {
	raw = strings.TrimSpace(raw)
	return raw == "" || raw == "?" || raw == "NA" || strings.EqualFold(raw, "nan")
}

// Number reads a finite decimal number: what ParseFloat takes, without its
// hexadecimal, infinite and NaN forms.
func Number(s string) (float64, bool) {
	for i := range len(s) {
		switch c := s[i]; {
		case '0' <= c && c <= '9', c == '+', c == '-', c == '.', c == 'e', c == 'E':
		default:
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}

// ClassName returns the printed name of a raw class: numbers in their shortest
// form, so that +1, 1 and 1.0 are one class "1", whole ones below 1e21 without exponent and
// with all the digits they were written with; text without surrounding space.
func ClassName(raw string) string {
	raw = strings.TrimSpace(raw)
	v, ok := Number(raw)
	if !ok {
		return raw
	}
	if v == 0 {
		return "0" // also -0
	}
	if v != math.Trunc(v) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	if math.Abs(v) < 1e15 { // exact, and reads better without an exponent
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	exact := strconv.FormatFloat(math.Abs(v), 'f', 0, 64)
	digits, rest, _ := strings.Cut(strings.TrimLeft(strings.TrimLeft(raw, "+-"), "0"), ".")
	switch {
	case strings.Trim(digits, "0123456789") == "" && strings.Trim(rest, "0") == "" && digits != exact: // an identifier that a float64 would round
	case math.Abs(v) < 1e21:
		digits = exact
	default:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	if v < 0 {
		return "-" + digits
	}
	return digits
}

// compareClasses orders printed classes: numbers by value, then text.
func compareClasses(a, b string) int {
	x, xok := Number(a)
	y, yok := Number(b)
	switch {
	case xok && yok:
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a, b))
	case xok:
		return -1
	case yok:
		return 1
	}
	return cmp.Compare(a, b)
}

// Interpret understands raw, the visible answers of the column name. Nothing
// else decides task and classes, so hidden answers must be blank in raw (Hide).
// The rule of TaskAuto: any answer that is no number makes it a classification;
// a column named target with more than 10 distinct values is a regression;
// otherwise it is one only if some value is fractional. The error is a
// *LabelError: no answer, one class only, text in a regression.
func Interpret(raw Answers, name string, o LabelOptions) (Labels, error) {
	printed := make(map[string]string) // raw answer to class, each parsed once
	classes := make(map[string]bool)
	text, fractional := -1, false
	for i, r := range raw {
		if IsUnlabelled(r) {
			continue
		}
		if _, done := printed[r]; done {
			continue
		}
		c := ClassName(r)
		printed[r], classes[c] = c, true
		if v, ok := Number(c); !ok && text < 0 {
			text = i
		} else if ok && v != math.Trunc(v) {
			fractional = true
		}
	}
	if len(classes) == 0 {
		return Labels{}, &LabelError{-1, fmt.Sprintf("no row of column %q has a label", name), "label some rows, or name another column with --label"}
	}
	task := o.Task
	if task == TaskAuto {
		task = Classification
		if text < 0 && (fractional || name == "target" && len(classes) > regressionValues) {
			task = Regression
		}
	}
	if task == Regression {
		if text >= 0 {
			return Labels{}, &LabelError{text, fmt.Sprintf("label %q is no number, so this is no regression", raw[text]), "correct it, or use --task classification"}
		}
		l := Labels{Task: Regression}
		l, _, err := l.Of(raw)
		return l, err
	}
	if len(classes) == 1 {
		only := ""
		for c := range classes {
			only = c
		}
		return Labels{}, &LabelError{-1, fmt.Sprintf("every label of column %q is %q; two classes are needed", name, only), "label rows of another class, learn what this one looks like with --method one-class, or use --task regression for numbers"}
	}
	l := Labels{Task: Classification}
	for c := range classes {
		l.Classes = append(l.Classes, c)
	}
	slices.SortFunc(l.Classes, compareClasses)
	l, _, err := l.Of(raw)
	return l, err
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
				return Labels{}, nil, &LabelError{i, fmt.Sprintf("label %q is no number, but the task is regression", r), "correct or blank it"}
			}
			out.Value[i] = v
		}
		return out, nil, nil
	}
	number := make(map[string]int, len(l.Classes))
	for k, c := range l.Classes {
		number[c] = k
	}
	known := make(map[string]int) // raw answer to class number, each parsed once
	out.Class = make([]int, len(raw))
	for i, r := range raw {
		k, ok := known[r]
		if !ok {
			if IsUnlabelled(r) {
				k = Unlabelled
			} else if k, ok = number[ClassName(r)]; !ok {
				k = Unseen
			}
			known[r] = k
		}
		if k == Unseen {
			if unseen == nil {
				unseen = make(map[string]int)
			}
			unseen[ClassName(r)]++
		}
		out.Class[i] = k
	}
	return out, unseen, nil
}

// Len returns the number of rows, labelled or not.
func (l Labels) Len() int { return max(len(l.Class), len(l.Value)) }

// Labelled returns the rows that have an answer among the known, increasing.
func (l Labels) Labelled() []int {
	var rows []int
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
