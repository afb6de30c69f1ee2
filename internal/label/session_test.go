package label

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mercer-ml/mercer/data"
)

// subject is that of the logs of these tests.
var subject = Subject{Data: "moons", Rows: 60, Checksum: "sha256:1"}

// then is a clock that stands.
func then() time.Time { return time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC) }

// begin goes on with the log at path.
func begin(t *testing.T, f *Features, path string, from Start) (*Session, *Log) {
	t.Helper()
	log, err := OpenLog(path, subject)
	if err != nil {
		t.Fatal(err)
	}
	from.Entries, from.Keeper, from.Clock = log.Entries, log, then
	s, err := Begin(f, from, Chooser{Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	return s, log
}

// work answers, skips, takes back, adds a class and asks again.
func work(t *testing.T, s *Session, answers data.Answers) {
	t.Helper()
	for n := range 14 {
		q := s.Question()
		var err error
		switch n {
		case 3:
			err = s.Skip(q, "")
		case 5, 6:
			err = s.Undo(q)
		case 9:
			err = s.Answer(q, Reply{Label: "other", New: true})
		case 11:
			if err = s.Ask(q, 5); err == nil {
				err = s.Answer(s.Question(), Reply{Label: "other"})
			}
		default:
			err = s.Answer(q, Reply{Label: answers[q.Row]})
		}
		if err != nil {
			t.Fatalf("step %d: %v", n, err)
		}
	}
}

// TestKilledAnywhere: a log that is cut off after any byte goes on with the answers of its whole lines, and a session that
// is begun again is where it was.
func TestKilledAnywhere(t *testing.T) {
	f, labels, answers := some(t, "two-moons:n=60", 20)
	path := filepath.Join(t.TempDir(), "log")
	s, log := begin(t, f, path, Start{Classes: labels.Classes})
	work(t, s, answers)
	want := s.State()
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	again, log := begin(t, f, path, Start{Classes: labels.Classes})
	got := again.State()
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })); diff != "" {
		t.Errorf("begun again: %s", diff)
	}
	log.Close()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(text), "\n"); lines != 15 {
		t.Errorf("%d lines:\n%s", lines, text)
	}
	for cut := 0; cut <= len(text); cut++ {
		if cut%13 > 0 && (cut == 0 || text[cut-1] != '\n') && cut < len(text) && text[cut] != '\n' {
			continue // every kind of place is met
		}
		part := filepath.Join(t.TempDir(), "part")
		if err := os.WriteFile(part, text[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		log, err := OpenLog(part, subject)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if whole := max(strings.Count(string(text[:cut]), "\n")-1, 0); len(log.Entries) != whole ||
			log.Torn != (cut > 0 && text[cut-1] != '\n') {
			t.Fatalf("cut at %d: %d answers, torn %v, want %d", cut, len(log.Entries), log.Torn, whole)
		}
		if err := log.Append(Entry{Row: 1, Label: "a"}); err != nil {
			t.Fatal(err)
		}
		log.Close()
		if log, err = OpenLog(part, subject); err != nil || log.Torn || log.Entries[len(log.Entries)-1].Label != "a" {
			t.Fatalf("cut at %d and gone on: %v", cut, err)
		}
		log.Close()
	}
}

// full is a disk that has room for so many bytes.
type full struct {
	disk
	room int
}

func (d *full) WriteAt(p []byte, at int64) (int, error) {
	if len(p) <= d.room {
		d.room -= len(p)
		return d.disk.WriteAt(p, at)
	}
	n, _ := d.disk.WriteAt(p[:d.room], at)
	d.room = 0
	return n, syscall.ENOSPC
}

// TestFullDisk: an answer for which there is no room is refused, nothing is lost, and it can be given when there is room.
func TestFullDisk(t *testing.T) {
	f, labels, answers := some(t, "two-moons:n=60", 20)
	path := filepath.Join(t.TempDir(), "log")
	s, log := begin(t, f, path, Start{Classes: labels.Classes})
	d := &full{log.file, 250}
	log.file = d
	var err error
	taken := 0
	for ; err == nil; taken++ {
		q := s.Question()
		err = s.Answer(q, Reply{Label: answers[q.Row]})
	}
	taken--
	if before := s.State(); !errors.Is(err, syscall.ENOSPC) || before.Answered != taken || before.Question.Number != taken+1 {
		t.Fatalf("%d answers, then %v; %+v", taken, err, before.Question)
	}
	d.room = 1000
	q := s.Question()
	if err := s.Answer(q, Reply{Label: answers[q.Row]}); err != nil {
		t.Fatal(err)
	}
	log.Close()
	if log, err = OpenLog(path, subject); err != nil || len(log.Entries) != taken+1 || log.Torn {
		t.Fatalf("%v: %d answers of %d", err, len(log.Entries), taken+1)
	}
	log.Close()
}

// TestRefusals: what a session and a log refuse, and that it changes nothing.
func TestRefusals(t *testing.T) {
	f, labels, answers := some(t, "two-moons:n=60", 20)
	path := filepath.Join(t.TempDir(), "log")
	s, log := begin(t, f, path, Start{Classes: labels.Classes})
	q := s.Question()
	if err := s.Answer(q, Reply{Label: answers[q.Row]}); err != nil {
		t.Fatal(err)
	}
	before := s.State()
	var wrong *AnswerError
	if err := s.Answer(q, Reply{Label: "1"}); !errors.Is(err, ErrStale) {
		t.Errorf("a question that is answered: %v", err)
	}
	if err := s.Skip(q, ""); !errors.Is(err, ErrStale) {
		t.Errorf("a question that is answered: %v", err)
	}
	now := s.Question()
	for _, name := range []string{"seven", "", " ? ", "NA"} {
		if err := s.Answer(now, Reply{Label: name}); !errors.As(err, &wrong) {
			t.Errorf("label %q: %v", name, err)
		}
	}
	if err := s.Ask(now, 60); !errors.As(err, &wrong) {
		t.Errorf("row 60 of 60: %v", err)
	}
	if diff := cmp.Diff(before, s.State()); diff != "" {
		t.Errorf("something was changed: %s", diff)
	}
	var fault *LogError
	if _, err := OpenLog(path, subject); !errors.As(err, &fault) || !strings.Contains(err.Error(), "another mercer label") {
		t.Errorf("opened twice: %v", err)
	}
	log.Close()
	for _, c := range []struct{ text, want string }{
		{"nothing\n", "log:1: no log of labels"},
		{`{"mercer_labels":9,"rows":60}` + "\n", "log:1: a log of a newer version"},
		{`{"mercer_labels":2,"data":"moons","rows":60,"checksum":"sha256:1"}` + "\n", "log:1: a log of a newer version"},
		{`{"mercer_labels":1,"data":"x","rows":60,"checksum":"sha256:2"}` + "\n", "log:1: the answers are of other rows (x, 60 rows)"},
		{`{"mercer_labels":1,"rows":60,"checksum":"sha256:1"}` + "\n" + `{"row":60,"label":"1"}` + "\n", "log:2: no answer to one of 60 rows"},
		{`{"mercer_labels":1,"rows":60,"checksum":"sha256:1"}` + "\n" + `{"row":6` + "\n", "log:2: no answer"},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenLog(path, subject); !errors.As(err, &fault) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.text, err)
		}
	}
	if _, err := Begin(f, Start{Entries: []Entry{{Row: 1, Undo: true}}}, Chooser{}); err == nil {
		t.Error("a log that takes back what is not there is followed")
	}
}

// TestMark: a name that means no label in the data is no answer, however it is spelled, nor is it followed in a log.
func TestMark(t *testing.T) {
	f := alike(3, 3)
	s, err := Begin(f, Start{Classes: []string{"1", "2"}, UnlabelledMark: "0"}, Chooser{})
	if err != nil {
		t.Fatal(err)
	}
	var wrong *AnswerError
	for _, name := range []string{"0", " 0.0 ", "-0"} {
		if err := s.Answer(s.Question(), Reply{Label: name, New: true}); !errors.As(err, &wrong) || len(s.State().Classes) != 2 {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := s.Answer(s.Question(), Reply{Label: "00", New: true}); err != nil { // a code is another name
		t.Error(err)
	}
	log := []Entry{{Row: 1, Label: "1"}, {Row: 2, Label: "0"}}
	if _, err := Begin(f, Start{UnlabelledMark: "0.0", Entries: log}, Chooser{}); err == nil || !strings.HasPrefix(err.Error(), "line 3: ") {
		t.Errorf("a log with such an answer: %v", err)
	}
	if _, err := Begin(f, Start{Entries: log}, Chooser{}); err != nil {
		t.Errorf("without the mark: %v", err)
	}
}

// TestLabelsThatAreThere: labels of the data are learned, keep their spelling, and are suspicious where the rows around
// them have others.
func TestLabelsThatAreThere(t *testing.T) {
	f, _, answers := some(t, "two-moons:n=60,noise=0.05", 20)
	given := slices.Clone(answers)
	for i, a := range given {
		given[i] = a + ".0" // 1.0 is the class 1
	}
	wrong := 12
	given[wrong] = map[string]string{"1": "-1.0", "-1": "1.0"}[answers[wrong]]
	given[0], given[1] = "", "?"
	s, err := Begin(f, Start{Answers: given, Classes: []string{"-1", "1"}}, Chooser{})
	if err != nil {
		t.Fatal(err)
	}
	state := s.State()
	if state.Answered != 58 || len(state.Classes) != 2 || state.Question.Row > 1 {
		t.Errorf("%d answers, classes %v, question %+v", state.Answered, state.Classes, state.Question)
	}
	if len(state.Suspicious) != 1 || state.Suspicious[0].Row != wrong {
		b := make([]float64, 2)
		s.learner.LeftOut(b, wrong)
		t.Fatalf("suspicious: %+v; %v", state.Suspicious, b)
	}
	if err := s.Ask(s.Question(), wrong); err != nil {
		t.Fatal(err)
	}
	if state := s.State(); state.Given != state.Suspicious[0].Label {
		t.Errorf("row %d has %q", wrong, state.Given)
	}
	if err := s.Answer(s.Question(), Reply{Label: answers[wrong]}); err != nil {
		t.Fatal(err)
	}
	if list := s.State().Suspicious; len(list) != 0 {
		t.Errorf("still suspicious: %+v", list)
	}
	out := s.Answers()
	if out[2] != given[2] || out[wrong] != answers[wrong] || out[0] != "" {
		t.Errorf("answers %q, %q, %q", out[2], out[wrong], out[0])
	}
}

// TestNoClassesYet: a session without classes asks, doubts nothing before it is told something, and takes the first names that
// it is told.
func TestNoClassesYet(t *testing.T) {
	f, _, answers := some(t, "two-moons:n=60", 20)
	s, err := Begin(f, Start{}, Chooser{})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 60 {
		if doubts := len(s.State().Doubted); (doubts > 0) != (n > 0) {
			t.Errorf("%d doubts after %d answers", doubts, n)
		}
		q := s.Question()
		if err := s.Answer(q, Reply{Label: "moon " + answers[q.Row], New: true}); err != nil {
			t.Fatal(err)
		}
	}
	state := s.State()
	if state.Question.Row != -1 || state.Answered != 60 || len(state.Classes) != 2 {
		t.Errorf("%+v, %d answers, %v", state.Question, state.Answered, state.Classes)
	}
	if err := s.Skip(s.Question(), ""); !errors.Is(err, ErrStale) {
		t.Errorf("no row to skip: %v", err)
	}
	if err := s.Undo(s.Question()); err != nil || s.Question().Row < 0 {
		t.Errorf("undo of the last row: %v, %+v", err, s.Question())
	}
}

// TestEstimate: without checks the interval is wide, with many the estimate is their share.
func TestEstimate(t *testing.T) {
	if e := newEstimate(0.5, 0, 0); e.High-e.Low < 0.6 {
		t.Errorf("without checks %+v", e)
	}
	e := newEstimate(0.5, 10000, 1000)
	if e.Error < 0.099 || e.Error > 0.101 || e.Low < 0.09 || e.High > 0.11 || e.Low >= e.High {
		t.Errorf("1000 of 10000 %+v", e)
	}
	for q := range 30 {
		if more := newEstimate(0.3, q+1, 0); more.High >= newEstimate(0.3, q, 0).High {
			t.Error(fmt.Sprint("one more check that is right, of ", q, " does not lower the interval"))
		}
	}
}

// TestNotesAndSkips: a note stands in the log and is there when its row is asked again; skipped rows are listed, the last first, until they
// have a label; a note that is too long changes nothing.
func TestNotesAndSkips(t *testing.T) {
	f, labels, answers := some(t, "two-moons:n=60", 20)
	path := filepath.Join(t.TempDir(), "log")
	s, log := begin(t, f, path, Start{Classes: labels.Classes})
	first, second := s.Question(), Question{}
	long := strings.Repeat("x", 1001)
	var wrong *AnswerError
	if err := s.Skip(first, long); !errors.As(err, &wrong) || s.Question() != first {
		t.Errorf("a long note: %v", err)
	}
	if s, err := Begin(alike(70), Start{}, Chooser{}); err != nil {
		t.Fatal(err)
	} else if err := s.Skip(s.Question(), long[:1000]); err != nil || len(s.State().Passed) != 1 {
		t.Errorf("a note of 1000 bytes: %v", err)
	} else {
		for range 65 {
			if err := s.Skip(s.Question(), ""); err != nil {
				t.Fatal(err)
			}
		}
		if st := s.State(); len(st.Passed) != 60 || st.Skipped != 66 {
			t.Errorf("of 66 skipped rows %d are listed, %d counted", len(st.Passed), st.Skipped)
		}
	}
	for _, note := range []string{" which one? ", ""} {
		second = s.Question()
		if err := s.Skip(second, note); err != nil {
			t.Fatal(err)
		}
	}
	third := s.Question()
	if err := s.Answer(third, Reply{Label: answers[third.Row], Note: "blurred"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Passed{{Row: second.Row}, {first.Row, "which one?"}}, s.State().Passed); diff != "" {
		t.Errorf("skipped: %s", diff)
	}
	for row, want := range map[int]string{first.Row: "which one?", second.Row: "", third.Row: "blurred"} {
		if err := s.Ask(s.Question(), row); err != nil {
			t.Fatal(err)
		}
		if st := s.State(); st.Note != want || st.Question.Row != row {
			t.Errorf("row %d: note %q, want %q", row, st.Note, want)
		}
	}
	fourth := s.Question()
	if err := errors.Join(s.Answer(fourth, Reply{Label: "1", Note: "a slip"}), s.Undo(s.Question())); err != nil {
		t.Fatal(err)
	}
	if st := s.State(); st.Note != "a slip" || st.Question.Row != fourth.Row {
		t.Errorf("the note of an answer that is taken back: %q, row %d of %d", st.Note, st.Question.Row, fourth.Row)
	}
	if err := s.Ask(s.Question(), third.Row); err != nil || s.State().Note != "blurred" {
		t.Errorf("of another row: %q, %v", s.State().Note, err)
	}
	log.Close()
	again, log := begin(t, f, path, Start{Classes: labels.Classes})
	defer log.Close()
	if diff := cmp.Diff(s.State().Passed, again.State().Passed); diff != "" {
		t.Errorf("begun again: %s", diff)
	}
	if log.Entries[2].Note != "blurred" {
		t.Errorf("the log has %+v", log.Entries[2])
	}
	if err := again.Ask(again.Question(), first.Row); err != nil {
		t.Fatal(err)
	}
	if err := again.Answer(again.Question(), Reply{Label: answers[first.Row]}); err != nil {
		t.Fatal(err)
	}
	if st := again.State(); len(st.Passed) != 1 || st.Skipped != 1 {
		t.Errorf("after coming back: %+v", st.Passed)
	}
}

// TestCurve: the curve has the estimates that the states had, one for each number of labels; what is taken back leaves it, and a session
// that goes on with known classes has the same one, of a long log a part of it.
func TestCurve(t *testing.T) {
	f, labels, answers := some(t, "two-moons:n=60", 20)
	path := filepath.Join(t.TempDir(), "log")
	s, log := begin(t, f, path, Start{Classes: labels.Classes})
	if c := s.Curve(); len(c) != 0 {
		t.Errorf("before the first label: %+v", c)
	}
	var want []Point
	for n := range 12 {
		q := s.Question()
		var err error
		switch n {
		case 3:
			err = s.Skip(q, "")
		case 6:
			err = s.Undo(q)
			want = want[:len(want)-1]
		default:
			err = s.Answer(q, Reply{Label: answers[q.Row]})
			e := s.State().Error
			want = append(want, Point{len(want) + 1, e.Error, e.Low, e.High})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, s.Curve()); diff != "" {
		t.Errorf("curve: %s", diff)
	}
	again, err := Begin(alike(3), Start{Classes: []string{"a", "b"}}, Chooser{})
	if err != nil {
		t.Fatal(err)
	}
	for _, label := range []string{"a", "b"} { // of the first row, twice
		if err := errors.Join(again.Ask(again.Question(), 0), again.Answer(again.Question(), Reply{Label: label})); err != nil {
			t.Fatal(err)
		}
		if c := again.Curve(); len(c) != 1 || c[0].Labels != 1 {
			t.Errorf("one label: %+v", c)
		}
	}
	if err := s.Ask(s.Question(), s.steps[0].Row); err != nil {
		t.Fatal(err)
	}
	if err := s.Answer(s.Question(), Reply{Label: answers[s.Question().Row]}); err != nil {
		t.Fatal(err)
	}
	if c := s.Curve(); len(c) != len(want) {
		t.Errorf("a label given again: %d points, want %d", len(c), len(want))
	}
	log.Close()
	continued, log := begin(t, f, path, Start{Classes: labels.Classes})
	log.Close()
	near := cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })
	if diff := cmp.Diff(s.Curve(), continued.Curve(), near); diff != "" {
		t.Errorf("begun again: %s", diff)
	}
	for n, points := range map[int]int{199: 199, 200: 101, 401: 135} { // each, each second, each third, and the last
		var entries []Entry
		for i := range n {
			entries = append(entries, Entry{Row: i, Label: "a"})
		}
		s, err := Begin(alike(n), Start{Entries: entries}, Chooser{})
		if err != nil {
			t.Fatal(err)
		}
		if c := s.Curve(); len(c) != points || c[len(c)-1].Labels != n {
			t.Errorf("of %d answers: %d points, want %d", n, len(c), points)
		}
	}
	var many []Entry
	for i := range 3 * mostPoints {
		many = append(many, Entry{Row: i % 60, Label: labels.Classes[0]})
	}
	long, err := Begin(f, Start{Classes: labels.Classes, Entries: many, Clock: then}, Chooser{})
	if err != nil {
		t.Fatal(err)
	}
	if c := long.Curve(); len(c) == 0 || len(c) > 60 || c[len(c)-1].Labels != 60 {
		t.Errorf("of a long log: %+v", c)
	}
}
