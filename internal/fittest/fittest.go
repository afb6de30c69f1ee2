// Package fittest keeps what fits say and predict, so that the tests of a package see what the package does for whole fits: of each
// every value of the result, and some outputs of the model.
//
// Change here what of a fit is kept.
package fittest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fit"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/test/pathtest"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

// Case is a fit. A pick above 0 makes the front and takes that member, below 0 the member that the recipe's decision takes.
type Case struct {
	Name   string
	In     mercer.Input
	Recipe mercer.Recipe
	Pick   int
}

// Rows are those of a built-in set, such as two-moons:n=40, of which so many of each class keep their labels; 0: all of them. The
// others are known to be hidden.
func Rows(t testing.TB, spec string, each int) mercer.Input {
	t.Helper()
	set, err := data.Builtin(spec)
	if err != nil {
		t.Fatal(err)
	}
	in := mercer.Input{Set: set}
	if each == 0 {
		return in
	}
	labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	keep, err := data.DrawPerClass(labels, each, 1)
	if err != nil {
		t.Fatal(err)
	}
	set.Answers, in.Hidden = data.Hide(set.Answers, keep)
	return in
}

// Asked is a recipe written as on the command line: METHOD --flag value name=value ... A view is --view NAME=FIRST..LAST.
func Asked(t testing.TB, text string) mercer.Recipe {
	t.Helper()
	words := strings.Fields(text)
	r := mercer.Recipe{Method: words[0], Set: map[string]string{}}
	texts := map[string]*string{
		"--kernel": &r.Kernel, "--groups": &r.Groups, "--tune": &r.Tune, "--search": &r.Search, "--decision": &r.Decision,
		"--effort": &r.Effort, "--basis": &r.Basis, "--offset": &r.Offset, "--multiclass": &r.Multiclass,
		"--class-weight": &r.ClassWeight, "--decide": &r.Decide, "--scale": &r.Scale, "--task": &r.Task,
	}
	numbers := map[string]any{"--budget": &r.Budget, "--cv": &r.CV, "--tol": &r.Tolerance, "--seed": &r.Seed}
	for i := 1; i < len(words); i++ {
		name, value, set := strings.Cut(words[i], "=")
		if set {
			r.Set[name] = value
			continue
		}
		i++
		var err error
		switch {
		case name == "--view":
			var v mercer.View
			view, span, _ := strings.Cut(words[i], "=")
			v.Name = view
			_, err = fmt.Sscanf(span, "%d..%d", &v.First, &v.Last)
			r.Views = append(r.Views, v)
		case texts[name] != nil:
			*texts[name] = words[i]
		case numbers[name] != nil:
			_, err = fmt.Sscan(words[i], numbers[name])
		default:
			t.Fatalf("%s is not among the flags of this test", name)
		}
		if err != nil {
			t.Fatal(text, err)
		}
	}
	return r
}

// Changed are cases whose set is changed first.
func Changed(cases []Case, name string, change func(*data.Set)) []Case {
	for i := range cases {
		cases[i].Name += ", " + name
		set := *cases[i].In.Set
		change(&set)
		cases[i].In.Set = &set
	}
	return cases
}

// On are recipes on the rows of a set.
type On struct {
	Spec    string
	Each    int // labels of each class, 0: all; see Rows
	Recipes []string
}

// Cases are the fits of recipes, as Asked reads them, on sets.
func Cases(t testing.TB, list ...On) (all []Case) {
	t.Helper()
	for _, on := range list {
		for _, text := range on.Recipes {
			r := Asked(t, text)
			name := fmt.Sprintf("%s, %d of each class: %s", on.Spec, on.Each, text)
			if on.Each == 0 {
				name = on.Spec + ": " + text
			}
			one := Case{Name: name, In: Rows(t, on.Spec, on.Each), Recipe: r}
			if m, ok := method.Find(r.Method); ok && m.Supports(nil).Front {
				one.Pick = -1
			}
			all = append(all, one)
		}
	}
	return all
}

// Keep compares the fits with testdata/NAME.txt, as paths are compared (pathtest.Path). A fit that is refused is its message.
func Keep(t *testing.T, name string, cases []Case) {
	t.Helper()
	var p pathtest.Path
	for _, c := range cases {
		c.add(t, &p)
	}
	p.Compare(t, name)
}

// Stopped stops every fit at each place where it asks its context, that place alone and as a context that has ended. It then ends with
// an error, or says that it was ended and keeps the best so far, or has the same answer because there was nothing more to compute: it
// goes on with nothing that was not computed. Whoever calls the places in again asks the context once more.
func Stopped(t *testing.T, cases []Case, again ...string) {
	t.Helper()
	for _, c := range cases {
		for _, all := range []bool{true, false} {
			var whole []float64
			stoptest.Each(t, all, func(ctx context.Context, place string) {
				outputs, ended, err := c.stopped(ctx, t)
				switch {
				case place == "" && err != nil:
					t.Errorf("%s: %v", c.Name, err)
				case place == "":
					whole = outputs
				case all && err != nil && !errors.Is(err, context.Canceled):
					t.Errorf("%s, stopped in %s: %v", c.Name, place, err)
				case err == nil && !ended && (all || !slices.Contains(again, place)) && !slices.Equal(outputs, whole):
					t.Errorf("%s, stopped in %s: another answer, which does not say that it was ended", c.Name, place)
				}
			})
		}
	}
}

// stopped are outputs of a fit, and whether it says that it was ended.
func (c Case) stopped(ctx context.Context, t *testing.T) (outputs []float64, ended bool, err error) {
	t.Helper()
	if c.Pick != 0 {
		m, front, err := fit.Pareto(ctx, c.In, c.Recipe, mercer.Options{}, max(c.Pick, 0))
		if err != nil {
			return nil, false, err
		}
		return predicted(t, m, c.In), len(front.Warnings) > 0, nil
	}
	m, res, err := fit.Fit(ctx, c.In, c.Recipe, mercer.Options{})
	if err != nil {
		return nil, false, err
	}
	limited := res.Tuning.Status == string(search.Interrupted) || len(res.Warnings) > 0
	return predicted(t, m, c.In), limited, nil
}

// heard is what is told on the way.
type heard struct {
	told        map[string]int // how often of each stage
	last        result.Progress
	evaluations []result.Evaluation
	leftOut     []float64
	rows        []int
	surface     float64 // at the defaults
}

func (h *heard) options() mercer.Options {
	h.told = map[string]int{}
	return mercer.Options{
		Progress: func(p result.Progress) { h.told[p.Stage]++; h.last = p },
		Listen: result.Listener{
			Evaluation: func(e result.Evaluation) { h.evaluations = append(h.evaluations, e) },
			LeftOut:    func(rows []int, out *mat.Dense) { h.rows, h.leftOut = rows, slices.Clone(out.RawRowView(len(rows)/2)) },
			Surface: func(ctx context.Context, space param.Space, score func(context.Context, []float64) (float64, error)) error {
				v, err := score(ctx, space.Defaults())
				h.surface = v
				return err
			},
		},
	}
}

func (h *heard) add(p *pathtest.Path) {
	p.Add("  told", fmt.Sprint(h.told), h.last.Done, h.last.Total, h.last.Best, h.surface)
	if n := len(h.evaluations); n > 0 {
		for _, e := range []result.Evaluation{h.evaluations[0], h.evaluations[n-1]} {
			p.Add("  heard", e.N, e.Stage, e.Search, len(e.Space), e.Theta, e.Score)
		}
	}
	if h.rows != nil {
		p.Add("  left out", len(h.rows), h.rows[len(h.rows)/2], h.leftOut)
	}
}

// add adds the lines of a fit.
func (c Case) add(t *testing.T, p *pathtest.Path) {
	t.Helper()
	var found any
	var outputs []float64
	var h heard
	if c.Pick != 0 {
		m, front, err := fit.Pareto(t.Context(), c.In, c.Recipe, h.options(), max(c.Pick, 0))
		if err != nil {
			p.Add(c.Name+" is refused", err.Error())
			return
		}
		front.Seconds, front.Forecast = result.Seconds{}, nil
		found, outputs = front, predicted(t, m, c.In)
	} else {
		m, one, err := fit.Fit(t.Context(), c.In, c.Recipe, h.options())
		if err != nil {
			p.Add(c.Name+" is refused", err.Error())
			return
		}
		one.Seconds, one.Forecast, one.Memory = result.Seconds{}, nil, 0
		found, outputs = one.Finite(), predicted(t, m, c.In)
	}
	p.Add(c.Name)
	p.Object("  ", found, most)
	p.Add("  outputs", outputs)
	h.add(p)
}

// most outputs of a model, and parts of a list, are kept.
const most = 8

// predicted are outputs of the model at rows spread over the set, row by row.
func predicted(t *testing.T, m *model.Model, in mercer.Input) (list []float64) {
	t.Helper()
	out, err := m.Predict(t.Context(), in.Set.Rows)
	if err != nil {
		t.Fatal(err)
	}
	n, _ := out.Dims()
	for q := range min(n, most) {
		list = append(list, out.RawRowView(q*n/min(n, most))...)
	}
	return list
}
