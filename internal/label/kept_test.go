package label

import (
	"fmt"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/pathtest"
)

// TestSessionsAreAsTheyWere: features, every question and what is known after its answer, on sets of several kinds and with choosers of
// every kind.
func TestSessionsAreAsTheyWere(t *testing.T) {
	var p pathtest.Path
	for _, spec := range []string{"two-moons:n=60", "two-moons:n=50,noise=0.4", "two-spirals:n=40,noise=0.1"} {
		set, err := data.Builtin(spec)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range []Recipe{{}, {Neighbours: 4, Size: 9, Soft: 0.05, Degree: 1, Seed: 5}, {Size: 1000, Neighbours: 1000}} {
			f, err := r.Fit(t.Context(), set.Rows)
			if err != nil {
				p.Add(fmt.Sprintf("%s, recipe %d", spec, i), err.Error())
				continue
			}
			n, m := f.Z.Dims()
			p.Add(fmt.Sprintf("%s, recipe %d", spec, i), n, m, f.Count, fmt.Sprint(f.Component[:9]), r.Bytes(set.Rows))
			for _, k := range []int{0, n / 2, n - 1} {
				sum := 0.0
				for _, v := range f.Z.RawRowView(k) {
					sum += v * v
				}
				// A direction may be turned, so lengths and products with the first row are looked at.
				dot := 0.0
				for q, v := range f.Z.RawRowView(k) {
					dot += v * f.Z.At(0, q)
				}
				p.Add(fmt.Sprintf("  row %d", k), sum, dot)
			}
			for j, c := range []Chooser{{Seed: 3}, {Candidates: 5, Judges: 7, CheckEvery: -1, Seed: 2}, {CheckEvery: 2, Seed: 9}} {
				s, err := Begin(f, Start{Classes: []string{"1"}[:j%2], Clock: then}, c)
				if err != nil {
					t.Fatal(err)
				}
				p.Add(fmt.Sprintf("  chooser %d", j))
				for step := range 12 {
					q := s.Question()
					switch {
					case step == 4:
						err = s.Skip(q, "")
					case step == 7:
						err = s.Undo(q)
					case step == 9:
						err = s.Ask(q, 3)
					default:
						err = s.Answer(q, Reply{Label: set.Answers[q.Row], New: true})
					}
					st := s.State()
					p.Add(fmt.Sprintf("  asked %d", step), q.Number, q.Row, q.Why, fmt.Sprint(err), st.Belief, st.Given,
						fmt.Sprint(st.Classes),
						st.Answered, st.Skipped, st.Undo, st.Error.Error, st.Error.Low, st.Error.High, st.Error.Checks, st.Error.Mistaken,
						st.Error.Believed)
					if len(st.Doubted) > 0 {
						d := st.Doubted[0]
						p.Add("  doubted", len(st.Doubted), d.Belief)
					}
					if len(st.Suspicious) > 0 {
						d := st.Suspicious[0]
						p.Add("  suspicious", len(st.Suspicious), d.Belief)
					}
					p.Add("  decided", fmt.Sprint(st.Decided[:12]), fmt.Sprint(st.Labelled[:min(8, len(st.Labelled))]))
				}
				p.Add("  answers", fmt.Sprint(s.Answers()[:20]))
			}
		}
	}
	p.Compare(t, "sessions")
}
