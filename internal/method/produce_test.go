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

// TestWhatRowsRefuse: what the rows, their number, their labels or their weights have no use for is refused while machines are made, in
// words with a remedy.
func TestWhatRowsRefuse(t *testing.T) {
	for _, c := range []struct {
		text, on string
		rows     []int // nil: all
		says     string
	}{
		{"rls --basis 25", "two", nil, "--basis 25 of 24 rows; ask for at most 24 centres"},
		{"lap-rls --basis 25", "two", nil, "--basis 25 of 24 rows; ask for at most 24 centres"},
		{"sparse-lap-rls --basis 25", "two", nil, "--basis 25 of 24 rows; ask for at most as many as there are rows"},
		{"sparse-lap-rls repair=sigmoid", "numbers", nil, "the labels are numbers; repair=sigmoid and losses other than the square"},
		{"rls --basis 5 --kernel linear", "two", nil, "a function of kernel linear is a sum over its features and has no centres"},
		{"linear-svm --kernel gaussian", "two", nil, "--kernel gaussian: it has no features, in which --method linear-svm works"},
		{"linear-lap-rls --kernel gaussian", "two", nil, "--kernel gaussian: it has no features, in which --method linear-lap-rls works"},
		{"rls --tune none balance=0.2,0.3,0.5", "two", nil, "balance=0.2,0.3,0.5 has 3 shares, and there are 2 classes; give one share"},
		{"svm --tune none --multiclass one-vs-one balance=0.2,0.3,0.5", "three", nil, "it is for two classes or one-versus-rest machines"},
		{"da-s3vm positive=0.2,0.3,0.5", "two", nil, "positive=0.2,0.3,0.5 has 3 shares, and there are 2 classes; give one share"},
		{"co-train --view a=1..1 --view b=2..3 added=1,2,3", "two", nil, "--set added=1,2,3 has 3 numbers, and there are 2 classes"},
		{"l2-svm per_class=yes --search random", "two", nil, "--set per_class=yes: it is for more than two classes"},
		{"c-lap-rls mu=0.5,0.5 neighbours=3,6 degree=1,2", "two", nil, "has 2 weights, there are 4 graphs to combine; give one each"},
		{"c-lap-rls", "two", []int{0, 1, 2, 3}, "4 rows are too few for the graphs to combine; give --set neighbours=2"},
		{"c-lap-rls --tune loo:error", "two", nil, "--search gradient with --tune loo:error: an error count has no derivative"},
		{"lap-rls gamma_i=0 --search random", "two", nil, "--set gamma_i=0: a search moves parameters of a graph"},
		{"lap-rls --tune kfold:3:inductive --search grid neighbours=17", "two", nil,
			"--set neighbours=17 of the 17 rows that --tune kfold:3:inductive leaves; ask for at most 16"},
		{"lap-rls --tune kfold:2:inductive --search grid", "two", []int{0, 1, 2, 3, 4, 6},
			"--tune kfold:2:inductive leaves 3 rows for a graph; give more rows or folds"},
		{"harmonic masses=yes", "numbers", nil, "--set masses=yes: it is for classes, and the targets are numbers; leave it out"},
		{"sgt eigenvectors=24", "two", nil, "--set eigenvectors=24 of 24 rows; ask for at most 23"},
		{"lap-rls --tune none solver=cg", "weighed", nil, "--weight with --set solver=cg: it weighs all rows alike; leave one of them out"},
		{"lap-rls --tune cp", "reduced", nil, "--tune cp: not for machines reduced to landmarks; choose loo:press, or --set exact=true"},
	} {
		sets := inputs()
		sets["weighed"], sets["reduced"] = inputs()["two"], sets["two"]
		for i := range 24 {
			sets["weighed"].Set.Weight = append(sets["weighed"].Set.Weight, float64(1+i%2))
		}
		in := sets[c.on]
		if c.rows != nil {
			in.Set = in.Set.Select(c.rows)
		}
		m, r, err := Read(asked(t, c.text))
		if err != nil {
			t.Errorf("%s is refused before: %v", c.text, err)
			continue
		}
		p, err := task.Prepare(t.Context(), in, r, result.Options{}, m.Coding, 0)
		if err != nil {
			t.Errorf("%s is refused before: %v", c.text, err)
			continue
		}
		form := m.Form(task.SizeOf(in, r.Recipe, result.Options{}, m.Coding.OneClass), r)
		if c.on == "reduced" {
			form = landmarkForm(machine{id: m.ID, family: Warped}.produce)
		}
		if _, err = form.Produce(t.Context(), p); err == nil {
			_, err = Balance(p)
		}
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s of %s: %v, want %q", c.text, c.on, err, c.says)
		}
	}
}

// TestStoppedRequests: a machine at given values, whose centres or graphs are found before it is trained, is the error of the context that
// ends at any place on the way, or what it is when it is left alone.
func TestStoppedRequests(t *testing.T) {
	for _, text := range []string{
		"rls --basis 4 choose=greedy --tune none", "lap-rls --basis 5 --tune none", "sparse-lap-rls --tune none",
		"linear-lap-rls --tune none",
	} {
		m, r, err := Read(asked(t, text))
		if err != nil {
			t.Fatal(err)
		}
		in := inputs()["two"]
		form := m.Form(task.SizeOf(in, r.Recipe, result.Options{}, m.Coding.OneClass), r)
		for _, all := range []bool{true, false} {
			whole := ""
			stoptest.Each(t, all, func(ctx context.Context, place string) {
				of, c, err := madeBy(ctx, t, in, text, form)
				if err != nil {
					if place == "" || !errors.Is(err, context.Canceled) {
						t.Errorf("%s, stopped in %q: %v", text, place, err)
					}
					return
				}
				var p pathtest.Path
				told(&p, of, c)
				cut := c.Tuning.Status == string(search.Interrupted) // which says so
				if place == "" {
					whole = p.String()
				} else if !cut && p.String() != whole && place != "linear.(*cgls).solve" { // whoever calls that looks once more
					t.Errorf("%s, stopped in %s: other candidates without a word", text, place)
				}
			})
		}
	}
}
