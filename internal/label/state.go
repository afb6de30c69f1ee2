package label

// What a session knows, for a page to show.

import (
	"cmp"
	"slices"
	"sort"
)

// Class is a class, and how many rows have its label and are believed to be of it.
type Class struct {
	Name     string `json:"name"`
	Labelled int    `json:"labelled"`
	Believed int    `json:"believed"`
}

// Doubt is a row of which little is believed, or whose label is not what is believed of it.
type Doubt struct {
	Row    int     `json:"row"`
	Label  string  `json:"label,omitempty"` // that it has
	Class  string  `json:"class"`           // most believed, without its own label
	Belief float64 `json:"belief"`          // of the label that it has, else of Class
}

// State is what a session knows.
type State struct {
	Question   Question  `json:"question"`
	Belief     []float64 `json:"belief"` // of the classes, of the row of the question
	Given      string    `json:"given"`  // label that this row has, if it is asked about again
	Note       string    `json:"note,omitempty"`
	Classes    []Class   `json:"classes"`
	Rows       int       `json:"rows"`
	Answered   int       `json:"answered"` // rows with a label
	Skipped    int       `json:"skipped"`
	Passed     []Passed  `json:"passed,omitempty"` // the rows that were skipped, the last first
	Undo       bool      `json:"undo"`             // there is something to take back
	Error      Estimate  `json:"error"`
	Doubted    []Doubt   `json:"doubted"` // none before the first label
	Suspicious []Doubt   `json:"suspicious"`
	Decided    []byte    `json:"decided"` // class of each row, labelled or believed
	Sure       []byte    `json:"sure"`    // belief in it, of 255; 255 also for a label
	Labelled   []byte    `json:"labelled"`
}

// Passed is a row that was skipped, and the note that says why.
type Passed struct {
	Row  int    `json:"row"`
	Note string `json:"note,omitempty"`
}

// mostPassed is how many skipped rows are listed.
const mostPassed = 60

// shown doubted rows and suspicious labels at most.
const shown = 12

// suspicion is how many times as probable as its own another class must be, for a label to be suspicious; the other must
// also be believed to more than one half, for early beliefs say little.
const suspicion = 3

// State describes the session. Cost: n c, beside the rows with labels.
func (s *Session) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.learner
	n := len(l.Class)
	st := State{Question: s.now, Rows: n, Undo: len(s.steps) > 0, Classes: make([]Class, len(s.classes)),
		Decided: make([]byte, n), Sure: make([]byte, n), Labelled: make([]byte, n), Belief: []float64{}}
	for k, name := range s.classes {
		st.Classes[k].Name = name
	}
	b := make([]float64, l.classes)
	for i, k := range l.Class {
		if k < 0 {
			l.Belief(b, i)
			at := largest(b)
			if at < len(s.classes) {
				st.Classes[at].Believed++
			}
			st.Decided[i], st.Sure[i] = byte(at), byte(255*b[at])
			if s.marks[i].passed {
				st.Skipped++
			} else if at < len(s.classes) {
				st.Doubted = append(st.Doubted, Doubt{Row: i, Class: s.classes[at], Belief: b[at]})
			}
			continue
		}
		st.Answered++
		st.Classes[k].Labelled++
		st.Decided[i], st.Sure[i], st.Labelled[i] = byte(k), 255, 1
		l.LeftOut(b, i)
		at := largest(b)
		if at != k && at < len(s.classes) && b[at] > 0.5 && b[k] < b[at]/suspicion && !s.marks[i].confirmed {
			st.Suspicious = append(st.Suspicious, Doubt{Row: i, Label: s.classes[k], Class: s.classes[at], Belief: b[k]})
		}
	}
	if st.Answered == 0 { // nothing is believed yet that could be doubted
		st.Doubted = nil
	}
	st.Error, st.Passed = s.error, s.skipped()
	st.Doubted, st.Suspicious = least(st.Doubted), least(st.Suspicious)
	if s.now.Row >= 0 {
		st.Note = cmp.Or(s.draft, s.marks[s.now.Row].note)
	}
	if i := s.now.Row; i >= 0 && len(s.classes) > 0 {
		if k := l.Class[i]; k >= 0 {
			st.Given = s.classes[k]
			l.LeftOut(b, i)
		} else {
			l.Belief(b, i)
		}
		st.Belief = slices.Clone(b[:len(s.classes)])
	}
	return st
}

// skipped are the rows without a label that were skipped, the last first.
func (s *Session) skipped() (list []Passed) {
	listed := map[int]bool{}
	for _, e := range slices.Backward(s.steps) {
		i := e.Row
		if e.Skip && !listed[i] && s.marks[i].passed && s.learner.Class[i] < 0 && len(list) < mostPassed {
			listed[i] = true
			list = append(list, Passed{i, s.marks[i].note})
		}
	}
	return list
}

// least are the doubts of the least belief.
func least(d []Doubt) []Doubt {
	sort.SliceStable(d, func(a, b int) bool { return d[a].Belief < d[b].Belief })
	return slices.Clone(d[:min(len(d), shown)])
}

// largest is the place of the largest number, the first of equal ones.
func largest(b []float64) int {
	at := 0
	for k, v := range b {
		if v > b[at] {
			at = k
		}
	}
	return at
}
