package data

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// counted lists the whole numbers from first, each in so many rows.
func counted(first, values, rows int) Answers {
	var a Answers
	for v := range values {
		for range rows {
			a = append(a, strconv.Itoa(first+v))
		}
	}
	return a
}

// What --task auto takes for classes and what for numbers, and how it says so.
func TestTaskAuto(t *testing.T) {
	blank := func(a Answers) Answers { return append(a, "", "?") }
	gap := func(a Answers, v string) Answers { return append(a, slices.Repeat(Answers{v}, 10)...) }
	for _, c := range []struct {
		what    string
		raw     Answers
		want    Task
		decided string
	}{
		{"words", Answers{"1.5", "2", "low"}, Classification, "3 classes"},
		{"a fraction", Answers{"1", "2", "1.5"}, Regression, "numbers to predict: 1.5 is not whole"},
		{"a fraction with an exponent", Answers{"1", "2", "1e-05"}, Regression, "numbers to predict: 1e-05 is not whole"},
		{"two values", Answers{"7", "12"}, Classification, "2 classes"},
		{"wholes with a point", Answers{"1.0", "2"}, Classification, "2 classes"},
		{"three rows each", counted(5, 3, 3), Classification, "3 classes"},
		{"two rows each", counted(5, 3, 2), Regression,
			"numbers to predict: 3 different integers, half of them in fewer than 3 rows; use " +
				"--task classification if they are classes"},
		{"two rows each of 0..2, all labelled", counted(0, 3, 2), Regression,
			"numbers to predict: 3 different integers, half of them in fewer than 3 rows; use --task classification if they are classes"},
		{"one row each of 0..9, others unlabelled", blank(counted(0, 10, 1)), Classification, "10 classes"},
		{"one row each of 1..20, others unlabelled", blank(counted(1, 20, 1)), Classification, "20 classes"},
		{"one row each of 2..4, others unlabelled", blank(counted(2, 3, 1)), Regression,
			"numbers to predict: 3 different integers, half of them in fewer than 3 rows; use --task classification if they are classes"},
		{"half in three rows", append(counted(0, 2, 1), counted(7, 2, 5)...), Classification, "4 classes"},
		{"half in two rows", append(counted(0, 2, 1), counted(7, 2, 4)...), Regression,
			"numbers to predict: 4 different integers, half of them in fewer than 3 rows; use --task classification if they are classes"},
		{"20 of three", counted(5, 20, 3), Classification, "20 classes"},
		{"21 of nine, without a gap", counted(0, 21, 9), Regression,
			"numbers to predict: 21 different integers, half of them in fewer than 10 rows; use --task classification if they are classes"},
		{"21 of ten, from 0", counted(0, 21, 10), Classification, "21 classes"},
		{"21 of ten, from 1", counted(1, 21, 10), Classification, "21 classes"},
		{"21 of ten, from 2", counted(2, 21, 10), Regression,
			"numbers to predict: 21 different integers, with gaps between them; use --task classification if they are classes"},
		{"22 of ten, with a gap", gap(counted(0, 21, 10), "22"), Regression,
			"numbers to predict: 22 different integers, with gaps between them; use --task classification if they are classes"},
		{"many integers", counted(1000, 934, 1), Regression,
			"numbers to predict: 934 different integers, with gaps between them; use --task classification if they are classes"},
		{"codes", Answers{"01234", "1234", "99999"}, Classification, "3 classes, compared as text because 01234 begins with a zero"},
		{"exponents", append(counted(1000, 1, 3), "1e3", "1e3", "1e3"), Classification,
			"2 classes, compared as text because 1e3 has an exponent"},
		{"words for no answer in any case", append(counted(0, 2, 1), "NULL", "n/a", "#N/A", "<NA>", "NULL"), Classification,
			"2 classes; without an answer: 1 #N/A, 1 <NA>, 2 NULL, 1 n/a"},
		{"words that are classes as well", Answers{"none", "NONE", "a", "na"}, Classification,
			"4 classes; NONE, none differ in case alone and are different classes: spell them alike if they are one"},
		{"words for no answer", append(counted(0, 2, 1), "None", "None", "?", ""), Classification, "2 classes; without an answer: 2 None"},
	} {
		for _, name := range []string{"label", "target"} { // the column's name decides nothing
			if l := interpret(t, c.raw, name, TaskAuto); l.Task != c.want || l.Decided != c.decided {
				t.Errorf("%s in column %s: %v, %q", c.what, name, l.Task, l.Decided)
			}
		}
	}
	if l := interpret(t, counted(0, 3, 9), "label", Regression); l.Decided != "numbers to predict, as asked" {
		t.Errorf("decided %q", l.Decided)
	}
}

// Codes are text, in their own spelling, and so are all others beside them.
// TestTaskOfCounts: counts and rounded measurements of few values are numbers, and classes that are numbered in any order are none.
// Draws of classes have shares as unequal as exponentials are.
func TestTaskOfCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	const draws = 400
	var numbers, classes int
	within := func(v int) bool { return v >= humpValues && v <= fewValues }
	for done := 0; done < draws; {
		rows, mean, sd := 200+rng.IntN(2000), 6+8*rng.Float64(), 1.8+1.2*rng.Float64()
		raw, seen := make(Answers, rows), map[string]bool{}
		for i := range raw {
			raw[i] = fmt.Sprint(int(math.Round(max(0, mean+sd*rng.NormFloat64()))))
			seen[raw[i]] = true
		}
		if !within(len(seen)) {
			continue
		}
		done++
		if l := interpret(t, raw, "y", TaskAuto); l.Task == Regression {
			numbers++
		}
	}
	for range draws {
		var raw Answers
		for class := range humpValues + rng.IntN(fewValues-humpValues+1) {
			raw = append(raw, slices.Repeat(Answers{fmt.Sprint(class)}, 3+int(40*rng.ExpFloat64()))...)
		}
		if l := interpret(t, raw, "y", TaskAuto); l.Task == Classification {
			classes++
		}
	}
	if numbers < draws*9/10 || classes < draws*99/100 {
		t.Errorf("of %d draws %d were numbers, and %d classes", draws, numbers, classes)
	}
	// Classes numbered by how common they are, and even ones, are classes.
	var falling Answers
	for class := range 15 {
		falling = append(falling, slices.Repeat(Answers{fmt.Sprint(class)}, 200/(class+1))...)
	}
	for _, raw := range []Answers{falling, counted(0, 15, 20)} {
		if l := interpret(t, raw, "y", TaskAuto); l.Task != Classification {
			t.Errorf("%s", l.Decided)
		}
	}
}

func TestCodes(t *testing.T) {
	raw := Answers{"1234", "01234", "1.0", "1", "1000", "1e3", " 01234 "}
	l := interpret(t, raw, "label", Classification)
	if want := []string{"01234", "1", "1.0", "1000", "1234", "1e3"}; !slices.Equal(l.Classes, want) ||
		!slices.Equal(l.Class, []int{4, 0, 2, 1, 3, 5, 0}) {
		t.Errorf("%q %v", l.Classes, l.Class)
	}
	// Other answers are found as these are: a code is none of the numbers, nor a number a code.
	for _, c := range []struct {
		classes []string
		raw     Answers
		want    []int
	}{
		{l.Classes, Answers{"1.00", "1.0", "1e3", "1E3"}, []int{Unseen, 2, 5, Unseen}},
		{[]string{"-1", "+1"}, Answers{"1", "+1", "1.0", "-1.0", "01", "1e0", "None"}, []int{1, 1, 1, 0, Unseen, Unseen, Unlabelled}},
	} {
		got, unseen, err := Labels{Task: Classification, Classes: c.classes}.Of(c.raw)
		if err != nil || !slices.Equal(got.Class, c.want) {
			t.Errorf("%q among %q: %v, %v", c.raw, c.classes, got.Class, err)
		}
		find := ClassIndex(c.classes)
		for i, r := range c.raw {
			if k, name := find(r); c.want[i] != Unlabelled && k != c.want[i] {
				t.Errorf("%q among %q is %d", r, c.classes, k)
			} else if c.want[i] == Unseen && unseen[name] != 1 {
				t.Errorf("%q is not among the unseen %v", name, unseen)
			}
		}
	}
}

// The classes that a set is read with are those it is written with.
func TestClassesAreSpelledAsFirst(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{"+1 1 1.0 -1", "-1 +1"},
		{"1.0 +1 2", "1.0 2"},
		{"2 x 1.50 1.5", "1.50 2 x"},
	} {
		l := interpret(t, strings.Fields(c.raw), "label", Classification)
		if got := strings.Join(l.Classes, " "); got != c.want {
			t.Errorf("%s are the classes %s, want %s", c.raw, got, c.want)
		}
		// Reading them again changes nothing.
		again := interpret(t, l.Classes, "label", Classification)
		if !reflect.DeepEqual(again.Classes, l.Classes) {
			t.Errorf("%q, again %q", l.Classes, again.Classes)
		}
	}
	if got := fmt.Sprint(interpret(t, Answers{"9", "10", "-3"}, "label", Classification).Classes); got != "[-3 9 10]" {
		t.Errorf("numbers sorted as %s", got)
	}
}
