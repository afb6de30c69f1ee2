package method

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/internal/test/kept"
	"github.com/mercer-ml/mercer/internal/test/pathtest"
	"github.com/mercer-ml/mercer/internal/test/slowtest"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/search"
)

// madeBy are the candidates of one form, though another may suit so few rows better.
func madeBy(ctx context.Context, t *testing.T, in result.Input, text string, form Form) (*task.Task, *choose.Candidates, error) {
	t.Helper()
	m, r, err := Read(asked(t, text))
	if err != nil {
		return nil, nil, err
	}
	p, err := task.Prepare(t.Context(), in, r, result.Options{}, m.Coding, 0)
	if err != nil || m.For != data.TaskAuto && m.For != p.Labels.Task {
		return nil, nil, err
	}
	c, err := form.Produce(ctx, p)
	return p, c, err
}

// usual says whether a form is the one that a method has for the rows, whose whole fits other tests look at.
func usual(t *testing.T, m Method, name string, form Form) bool {
	t.Helper()
	_, r, err := Read(asked(t, m.ID))
	if err != nil {
		t.Fatal(err)
	}
	return m.Form(task.SizeOf(inputs()[name], r.Recipe, result.Options{}, m.Coding.OneClass), r).Name == form.Name
}

// told adds what candidates are.
func told(p *pathtest.Path, of *task.Task, c *choose.Candidates) {
	p.Add("  tuning", c.Tuning.Score, c.Tuning.Value, c.Tuning.Evaluations, c.Tuning.Search, c.Tuning.Status)
	p.Add("  task", of.Scoring.Name, of.Scoring.Folds, of.Scoring.Share, of.Offset, len(of.Folds), c.Safe, c.Blurred, c.Squared, c.Failed)
	for _, w := range append(c.Warnings, of.Warnings...) {
		p.Add("  warning", w)
	}
	one := func(name string, m *choose.Candidate) {
		if m == nil || m.Machine == nil {
			return
		}
		p.Add("  "+name, m.Name, m.Method, m.Linear, m.Width, m.Graph.Neighbours, m.Graph.Degree, m.Ratio, m.Transductive, m.Prior)
		p.Add("    ", m.Score, m.Lambda, fmt.Sprintf("%T", m.Kernel))
	}
	for i, m := range c.Members {
		if i < 2 || i >= len(c.Members)-2 {
			one("member", m)
		}
	}
	p.Add("  members", len(c.Members))
	one("baseline", c.Baseline)
	for _, r := range c.Raced {
		p.Add("  raced", r.Method, r.Kernel, r.Params, r.Rows, r.Score, r.Left)
	}
	if c.Front != nil {
		for i, x := range c.Front.Points {
			if i < 2 || i >= len(c.Front.Points)-2 {
				p.Add("  point", x.Risk, x.Complexity)
			}
		}
		p.Add("  front", len(c.Front.Points), c.Front.Trained)
	}
}

// TestFormsProduce: what a form of a method makes of few rows, though these would have another one, is what testdata/produced.txt keeps of
// auto, and testdata/produced_all.txt of the others; so it is of all forms of auto, and of grids of values.
func TestFormsProduce(t *testing.T) {
	var short, p pathtest.Path
	for _, m := range All() {
		p := &p
		if m.ID == Auto {
			p = &short
		} else if !slowtest.Asked() && !kept.Updating() {
			continue
		}
		for _, form := range m.Forms {
			for _, words := range []string{"", " --basis 5 --kernel gaussian", " --kernel gaussian sigma=1,2 lambda=0.1,1 --search grid"} {
				for _, name := range []string{"two", "three", "numbers", "sparse"} {
					if words != "" && name != "two" || m.ID != Auto && (name == "three" || words == "" && usual(t, m, name, form)) ||
						strings.Contains(words, "basis") != (form.Name == "basis") {
						continue
					}
					of, c, err := madeBy(t.Context(), t, inputs()[name], m.ID+words, form)
					if of == nil {
						continue // refused before
					}
					p.Add(m.ID+words+", "+form.Name+", "+name, err)
					if err == nil {
						told(p, of, c)
					}
				}
			}
		}
	}
	short.Compare(t, "produced")
	if slowtest.Asked() || kept.Updating() {
		p.Compare(t, "produced_all")
	}
}

// TestStoppedForms: a form that is stopped at any place makes no candidates, or says that its search was interrupted, or has ended as when
// it is left alone.
func TestStoppedForms(t *testing.T) {
	slowtest.Only(t, "some thousand fits")
	for _, m := range All() {
		for _, form := range m.Forms {
			for _, name := range []string{"two", "numbers"} {
				in := inputs()[name]
				var whole string
				stoptest.Each(t, true, func(ctx context.Context, place string) {
					of, c, err := madeBy(ctx, t, in, m.ID, form)
					switch {
					case of == nil || errors.Is(err, context.Canceled):
						return
					case err != nil && place != "":
						if err.Error() != whole {
							t.Errorf("%s, %s, %s, stopped in %s: %v", m.ID, form.Name, name, place, err)
						}
						return
					}
					var p pathtest.Path
					text := ""
					if err != nil {
						text = err.Error()
					} else {
						told(&p, of, c)
						text = p.String()
					}
					if place == "" {
						whole = text
						return
					}
					stopped := c.Tuning.Status == string(search.Interrupted) || c.Front != nil && c.Front.Partial
					if !stopped && text != whole {
						t.Errorf("%s, %s, %s, stopped in %s: other candidates, and %q", m.ID, form.Name, name, place, c.Tuning.Status)
					}
				})
			}
		}
	}
}
