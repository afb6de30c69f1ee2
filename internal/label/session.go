// Package label asks a person for the labels of the rows that help most, and learns after every answer.
//
//	Features   the functions that vary least over the graph of all rows (features.go)
//	Learner    ridge regression in them, one more label in closed form (learner.go)
//	Chooser    the row after whose answer the fewest mistakes are expected (chooser.go)
//	Estimate   the error to expect, from questions drawn at random (estimate.go), and its curve over the answers (curve.go)
//	Log        every answer on the disk before the next question (log.go)
//	Session    all of these: questions, answers, undo (session.go)
//
// The Learner is none of the methods of a fit, because one more label must be learned while a person waits. It has no part in the model.
//
// Change here what is asked and what is learned from it. The page in the browser is package internal/label/page, and the model that
// comes of the answers is a fit like any other.
package label

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mercer-ml/mercer/data"
)

// Question asks for the label of a row.
type Question struct {
	Number int    `json:"number"` // of the events before it, plus one
	Row    int    `json:"row"`    // from 0; -1: no row is left to ask about
	Why    string `json:"why"`
}

// Session asks and learns. Several goroutines may call its methods.
type Session struct {
	mu      sync.Mutex
	learner *Learner
	chooser Chooser
	keeper  Keeper
	clock   func() time.Time
	none    string // the name that means no label, as names are compared

	classes []string     // as they were first spelled
	names   []string     // as they are compared
	given   data.Answers // labels that came with the data, as they are spelled there
	steps   []step       // answers and skips that stand
	events  int          // lines of the log
	marks   []mark       // of the rows
	now     Question
	draft   string   // note of the answer that was taken back last, for the question about its row
	error   Estimate // as the labels stand
	first   *Point   // before the first answer; nil: no row had a label
}

// mark is what is known of a row beside its label.
type mark struct {
	passed    bool // it was skipped
	checked   bool // its label came from a check question
	confirmed bool // its label was asked for again
	note      string
}

// step is an entry that stands, what the row had before it, and the error to expect after it; nil: not worked out.
type step struct {
	Entry
	class int
	mark  mark
	point *Point
}

// leastClasses are as many as a learner knows of, whether or not they have names: with one there would be nothing to ask.
const leastClasses = 2

// maxClasses are as many as a State has numbers for.
const maxClasses = 256

// Keeper keeps entries: a Log. An error says that the entry was not kept.
type Keeper interface {
	Append(e Entry) error
}

// Start is what a session begins with.
type Start struct {
	Answers data.Answers // labels that rows have already; nil: none
	Classes []string     // names of classes, in the order of the page; those of Answers and Entries follow
	Entries []Entry      // of the log, which are replayed
	Keeper  Keeper       // of entries to come; nil: nothing is kept
	Clock   func() time.Time
	// UnlabelledMark is a name that means no label in the data, beside those of data.IsUnlabelled; "": there is none.
	UnlabelledMark string
}

// Begin goes on where the entries end. Names of classes are compared as package data compares them (1 and 1.0 are one
// class). The error names the line of the log that cannot be followed.
func Begin(f *Features, from Start, c Chooser) (*Session, error) {
	n := f.Z.RawMatrix().Rows
	s := &Session{chooser: c, keeper: from.Keeper, clock: from.Clock, none: data.ClassName(from.UnlabelledMark), given: from.Answers,
		marks: make([]mark, n)}
	for _, name := range from.Classes {
		s.class(name)
	}
	class := make([]int, n)
	for i := range class {
		class[i] = data.Unlabelled
		if from.Answers != nil && !data.IsUnlabelled(from.Answers[i]) {
			class[i] = s.class(from.Answers[i])
		}
	}
	for q, e := range from.Entries {
		if e.Skip || e.Undo {
			continue
		}
		if s.isNone(e.Label) {
			return nil, fmt.Errorf("line %d: %q means that there is no label; leave --unlabelled-mark out if that says so, else correct "+
				"or remove the line", q+2, e.Label)
		}
		s.class(e.Label)
	}
	if len(s.classes) > maxClasses {
		return nil, fmt.Errorf("%d classes; at most %d can be labelled", len(s.classes), maxClasses)
	}
	s.learner = NewLearner(f.Z, class, max(len(s.classes), leastClasses))
	s.error = s.expected()
	s.first = s.point()
	every := 1 + len(from.Entries)/mostPoints
	for q, e := range from.Entries {
		if err := s.replay(e); err != nil {
			return nil, fmt.Errorf("line %d: %w", q+2, err)
		}
		if q%every == 0 || q == len(from.Entries)-1 {
			s.tell(e)
		}
	}
	s.ask()
	return s, nil
}

// isNone says whether a name means that there is no label.
func (s *Session) isNone(name string) bool {
	return data.IsUnlabelled(name) || s.none != "" && data.ClassName(name) == s.none
}

// class is the number of a name, which is made a class if it is none.
func (s *Session) class(name string) int {
	k := slices.Index(s.names, data.ClassName(name))
	if k < 0 {
		k = len(s.classes)
		s.classes, s.names = append(s.classes, strings.TrimSpace(name)), append(s.names, data.ClassName(name))
	}
	return k
}

// replay does what an entry says.
func (s *Session) replay(e Entry) error {
	s.events++
	i := e.Row
	if e.Undo {
		if len(s.steps) == 0 {
			return errors.New("takes back an answer, and there is none")
		}
		last := s.steps[len(s.steps)-1]
		if last.Row != i {
			return fmt.Errorf("takes back the answer of row %d, and the last one is of row %d", i, last.Row)
		}
		s.steps = s.steps[:len(s.steps)-1]
		s.learner.Set(i, last.class)
		s.marks[i] = last.mark
		return nil
	}
	s.steps = append(s.steps, step{Entry: e, class: s.learner.Class[i], mark: s.marks[i]})
	s.marks[i].note = e.Note
	if e.Skip {
		s.marks[i].passed = true
		return nil
	}
	k := s.class(e.Label)
	s.learner.Classes(len(s.classes))
	s.learner.Set(i, k)
	s.marks[i].passed = false
	s.marks[i].checked = s.marks[i].checked || e.Why == WhyCheck
	s.marks[i].confirmed = s.marks[i].confirmed || e.Why == WhyAgain
	return nil
}

// ask chooses the next question.
func (s *Session) ask() {
	var free []int
	for i, k := range s.learner.Class {
		if k < 0 && !s.marks[i].passed {
			free = append(free, i)
		}
	}
	s.now, s.draft = Question{Number: s.events + 1, Row: -1}, ""
	if len(free) > 0 {
		s.now.Row, s.now.Why = s.chooser.Next(s.learner, free, s.events)
	}
}

// ErrStale says that a question was answered already, or is no longer asked.
var ErrStale = errors.New("this question was answered, skipped or taken back meanwhile; here is the next one")

// ErrNothing says that there is nothing to take back.
var ErrNothing = errors.New("there is no answer to take back")

// AnswerError is an answer that is no label.
type AnswerError struct{ What string }

// Error returns what is wrong, and the remedy.
func (e *AnswerError) Error() string { return e.What }

// Reply is what a person says to a question.
type Reply struct {
	Label string
	New   bool   // the label is a class that is not known yet
	Note  string // beside the label; it takes the place of the one that the row has
}

// mostNote is the most bytes of a note.
const mostNote = 1000

// Answer labels the row of a question. A label that is no class yet is refused, unless it is said to be new. The error
// is ErrStale, an *AnswerError, or that of the log, after which all is as before.
func (s *Session) Answer(to Question, r Reply) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stale(to) {
		return ErrStale
	}
	name := strings.TrimSpace(r.Label)
	switch known := slices.Contains(s.names, data.ClassName(name)); {
	case s.isNone(name):
		return &AnswerError{fmt.Sprintf("%q means that there is no label; give another name, or skip the row", name)}
	case !known && !r.New:
		return &AnswerError{fmt.Sprintf("%q is no class; the classes are %s; a new one is to be added as such", name,
			strings.Join(s.classes, ", "))}
	case !known && len(s.classes) == maxClasses:
		return &AnswerError{fmt.Sprintf("%q would be one class too many; there are %d, and no more can be labelled", name, maxClasses)}
	}
	return s.take(to, Entry{Row: to.Row, Label: name, Why: s.now.Why, Note: strings.TrimSpace(r.Note)})
}

// Skip passes over the row of a question, which is not asked about again unless a person asks for it; a note may say why.
func (s *Session) Skip(to Question, note string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.take(to, Entry{Row: to.Row, Skip: true, Why: s.now.Why, Note: strings.TrimSpace(note)})
}

// Undo takes the last answer or skip back, and asks about its row again.
func (s *Session) Undo(at Question) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.steps) == 0 {
		return ErrNothing
	}
	last := s.steps[len(s.steps)-1]
	if err := s.take(at, Entry{Row: last.Row, Undo: true}); err != nil {
		return err
	}
	s.now.Row, s.now.Why, s.draft = last.Row, last.Why, last.Note
	return nil
}

// Ask makes row the question, as one whose label is doubted.
func (s *Session) Ask(at Question, row int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.stale(at):
		return ErrStale
	case row < 0 || row >= len(s.marks):
		return &AnswerError{fmt.Sprintf("there is no row %d; rows are numbered from 0 to %d", row, len(s.marks)-1)}
	}
	s.now.Row, s.now.Why, s.draft = row, WhyAgain, ""
	return nil
}

// stale says whether a question is no longer asked.
func (s *Session) stale(q Question) bool { return q.Number != s.now.Number || q.Row != s.now.Row }

// take keeps an entry, does what it says, and asks the next question.
func (s *Session) take(to Question, e Entry) error {
	if s.stale(to) || to.Row < 0 && !e.Undo {
		return ErrStale
	}
	if len(e.Note) > mostNote {
		return &AnswerError{fmt.Sprintf("a note of %d bytes; at most %d are kept", len(e.Note), mostNote)}
	}
	if s.keeper != nil {
		e.Time = s.clock()
		if err := s.keeper.Append(e); err != nil {
			return err
		}
	}
	if err := s.replay(e); err != nil {
		return err
	}
	s.tell(e)
	s.ask()
	return nil
}

// Answers are the labels of all rows, those that came with the data included.
func (s *Session) Answers() data.Answers {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := make(data.Answers, len(s.marks))
	for i, k := range s.learner.Class {
		if k >= 0 {
			if a[i] = s.classes[k]; s.given != nil && data.ClassName(s.given[i]) == s.names[k] {
				a[i] = s.given[i]
			}
		}
	}
	return a
}

// Question is what is asked now.
func (s *Session) Question() Question {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}
