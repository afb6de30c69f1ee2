package data

// Whether a column of answers names classes or measures numbers. Numbers serve as names of
// classes as often as not, so the rule asks how they are used:
//
//	a word, or a code such as 01234          classes
//	a value that is not whole                numbers
//	two different whole numbers              classes
//	11 to 20 of them, with a hump            numbers
//	3 to 20 others                           classes if half of them have three rows or more
//	beyond 20                                classes if they are 0..K-1 or 1..K without a gap
//	                                         and half of them have ten rows or more
//	other whole numbers                      numbers
//
// Half: the median of the rows a value has. A hump: in the order of the values their numbers of rows rise and then fall again, as
// those of counts and of rounded measurements do; classes are numbered in any order. Where rows are unlabelled few labels of a class are
// to be expected, so that up to 20 values 0..K-1 or 1..K without a gap are classes there however few rows
// they have. Only answers that are visible count. Cost: one look at each, and a sort of the distinct ones.

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

const (
	fewValues  = 20 // integers up to which classes are likely
	humpValues = 11 // from which a hump is no chance: of so many classes in any order one in 39 000 has rows that rise and then fall
	humpRows   = 20 // of the value at its top
	humpFoot   = 5  // the least and the largest value have no more rows than the top over this, and so many values more than that
	rowsOfFew  = 3  // median rows of a class among them
	rowsOfMany = 10 // and beyond
	asClasses  = "; use --task classification if they are classes"
)

// class is one of the classes that a column could have.
type class struct {
	name, spelled string // as compared, and as first written
	rows          int
}

// answersSeen is what there is to know of a column before its task is decided.
type answersSeen struct {
	distinct   []string       // raw answers, in order of their first rows
	classes    []class        // sorted
	unlabelled int            // rows without an answer
	word       int            // the first row whose answer is no number, or -1
	first      string         // that answer
	fraction   string         // the first answer that is not whole
	zero, code string         // the first with a leading zero, and the first code
	marks      map[string]int // rows of each mark that is a word
}

// Count is an answer as it is written, the number of rows that have it, and the first of them, from 0.
type Count struct {
	Answer      string
	Rows, First int
}

// counts lists the different answers, those of no label included, in the order of their first rows.
func (a Answers) counts() []Count {
	var list []Count
	at := make(map[string]int)
	for i, r := range a {
		q, seen := at[r]
		if !seen {
			q = len(list)
			at[r] = q
			list = append(list, Count{Answer: r, First: i})
		}
		list[q].Rows++
	}
	return list
}

// tally looks at every different answer closely.
func tally(counts []Count) *answersSeen {
	t := &answersSeen{word: -1, marks: map[string]int{}}
	rows := make(map[string]int, len(counts))
	for _, c := range counts {
		if IsUnlabelled(c.Answer) {
			t.unlabelled += c.Rows
			if m := strings.TrimSpace(c.Answer); m != "" && m != "?" {
				t.marks[m] += c.Rows
			}
			continue
		}
		rows[c.Answer] = c.Rows
		t.distinct = append(t.distinct, c.Answer)
		t.look(strings.TrimSpace(c.Answer), c.First)
	}
	name, order := naming(t.distinct)
	at := make(map[string]int)
	for _, r := range t.distinct {
		c := name(r)
		if _, ok := at[c]; !ok {
			at[c] = len(t.classes)
			t.classes = append(t.classes, class{name: c, spelled: strings.TrimSpace(r)})
		}
		t.classes[at[c]].rows += rows[r]
	}
	slices.SortFunc(t.classes, func(a, b class) int { return order(a.name, b.name) })
	return t
}

// look notes the first answers of their kind.
func (t *answersSeen) look(answer string, row int) {
	v, ok := Number(answer)
	switch {
	case !ok && t.word < 0:
		t.word, t.first = row, answer
	case ok && t.fraction == "" && v != math.Trunc(v):
		t.fraction = answer
	}
	if ok && t.zero == "" && leadingZero(answer) {
		t.zero = answer
	}
	if t.code == "" && IsCode(answer) {
		t.code = answer
	}
}

// decide is the rule, and why in words that follow those for the task.
func (t *answersSeen) decide() (Task, string) {
	switch {
	case t.word >= 0 || t.zero != "":
		return Classification, ""
	case t.fraction != "":
		return Regression, fmt.Sprintf(": %s is not whole", t.fraction)
	}
	k, median, whole := len(t.classes), t.median(), t.counting()
	values := fmt.Sprintf(": %d different integers, ", k)
	switch {
	case k <= 2:
		return Classification, ""
	case k >= humpValues && k <= fewValues && t.hump():
		return Regression, values + "whose numbers of rows rise and fall in their order, as those of measurements do" + asClasses
	case k <= fewValues && (median >= rowsOfFew || whole && t.unlabelled > 0):
		return Classification, ""
	case k <= fewValues:
		return Regression, values + fmt.Sprintf("half of them in fewer than %d rows", rowsOfFew) + asClasses
	case whole && median >= rowsOfMany:
		return Classification, ""
	case whole:
		return Regression, values + fmt.Sprintf("half of them in fewer than %d rows", rowsOfMany) + asClasses
	}
	return Regression, values + "with gaps between them" + asClasses
}

// hump says whether the rows of the values rise to a top and fall from it, but for steps that two standard deviations of counts allow.
func (t *answersSeen) hump() bool {
	top := 0
	for q, c := range t.classes {
		if c.rows > t.classes[top].rows {
			top = q
		}
	}
	most, last := t.classes[top].rows, len(t.classes)-1
	foot := func(q int) bool { return humpFoot*t.classes[q].rows <= most }
	if most < humpRows || !foot(0) || !foot(last) {
		return false
	}
	high := 0
	for q := range last {
		low, next := t.classes[q].rows, t.classes[q+1].rows
		if q >= top {
			low, next = next, low
		}
		if float64(low-next) > 2*math.Sqrt(float64(low+next)) {
			return false
		}
		if !foot(q) {
			high++
		}
	}
	return high >= humpFoot
}

// median is that of the rows the classes have.
func (t *answersSeen) median() float64 {
	rows := make([]int, len(t.classes))
	for q, c := range t.classes {
		rows[q] = c.rows
	}
	slices.Sort(rows)
	return float64(rows[(len(rows)-1)/2]+rows[len(rows)/2]) / 2
}

// counting says whether whole numbers are 0..K-1 or 1..K.
func (t *answersSeen) counting() bool {
	values := make([]float64, len(t.classes))
	for q, c := range t.classes {
		values[q], _ = Number(c.name)
	}
	slices.Sort(values)
	from := values[0]
	for q, v := range values {
		if v != from+float64(q) {
			return false
		}
	}
	return from == 0 || from == 1
}

// compared says that classes which look like numbers are compared as text.
func (t *answersSeen) compared() string {
	switch {
	case t.code == "":
		return ""
	case leadingZero(t.code):
		return fmt.Sprintf(", compared as text because %s begins with a zero", t.code)
	}
	return fmt.Sprintf(", compared as text because %s has an exponent", t.code)
}

// alike says that classes are spelled alike but for upper and lower case, "" if none are.
func (t *answersSeen) alike() string {
	words := make([]string, len(t.classes))
	for q, c := range t.classes {
		words[q] = c.spelled
	}
	if same := InCaseAlone(words); same != nil {
		return fmt.Sprintf("; %s differ in case alone and are different classes: spell them alike if they are one",
			strings.Join(same, ", "))
	}
	return ""
}

// InCaseAlone are the first of the words that are the same but for upper and lower case; nil if none are.
func InCaseAlone(words []string) []string {
	at := make(map[string][]string, len(words))
	for _, w := range words {
		key := strings.ToLower(w)
		at[key] = append(at[key], w)
	}
	for _, w := range words {
		if same := at[strings.ToLower(w)]; len(same) > 1 {
			return same
		}
	}
	return nil
}

// minusOne names the flag for rows whose label is -1, as some programs mark those without one: most rows have it beside the numbers of
// several classes.
func (t *answersSeen) minusOne() string {
	minus, rows := 0, 0
	for _, c := range t.classes {
		v, ok := Number(c.name)
		if c.name == "-1" {
			minus = c.rows
		} else if !ok || v < 0 || v != math.Trunc(v) {
			return ""
		}
		rows += c.rows
	}
	if len(t.classes) < 3 || 2*minus <= rows {
		return ""
	}
	return fmt.Sprintf("; %d of %d are -1: if these have no label, --unlabelled-mark -1", minus, rows)
}

// marked says which words were taken for no answer.
func (t *answersSeen) marked() string {
	words := make([]string, 0, len(t.marks))
	for m := range t.marks {
		words = append(words, m)
	}
	slices.Sort(words)
	for q, m := range words {
		words[q] = fmt.Sprintf("%d %s", t.marks[m], m)
	}
	if len(words) == 0 {
		return t.minusOne()
	}
	return "; without an answer: " + strings.Join(words, ", ")
}
