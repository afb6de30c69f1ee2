// Package fittest keeps what fits say and predict, so that the tests of a package see what the package does for whole fits: of each
// every value of the result, and some outputs of the model.
//
// Change here what of a fit is kept.
package fittest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/pathtest"
	"github.com/mercer-ml/mercer/method"
	"github.com/mercer-ml/mercer/model"
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
			if m, ok := method.Find(r.Method); ok && m.Offers(nil).Front {
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

// add adds the lines of a fit.
func (c Case) add(t *testing.T, p *pathtest.Path) {
	t.Helper()
	var result any
	var outputs []float64
	if c.Pick != 0 {
		m, front, err := mercer.Pareto(t.Context(), c.In, c.Recipe, mercer.Options{}, max(c.Pick, 0))
		if err != nil {
			p.Add(c.Name+" is refused", err.Error())
			return
		}
		front.Seconds, front.Forecast = mercer.Seconds{}, nil
		result, outputs = front, predicted(t, m, c.In)
	} else {
		m, one, err := mercer.Fit(t.Context(), c.In, c.Recipe, mercer.Options{})
		if err != nil {
			p.Add(c.Name+" is refused", err.Error())
			return
		}
		one.Seconds, one.Forecast, one.Memory = mercer.Seconds{}, nil, 0
		result, outputs = one.Finite(), predicted(t, m, c.In)
	}
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	var values any
	if err := json.Unmarshal(text, &values); err != nil {
		t.Fatal(err)
	}
	p.Add(c.Name)
	flat(p, " ", values)
	p.Add("  outputs", outputs)
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

// flat adds every value below a name, objects in the order of their keys.
func flat(p *pathtest.Path, name string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if key != "residual" { // what rounding leaves
				flat(p, strings.TrimSuffix(name, " ")+separator(name)+key, v[key])
			}
		}
	case []any:
		if numbers, ok := allNumbers(v); ok {
			p.Add(name, numbers[:min(len(v), most)])
			return
		}
		for i, one := range v[:min(len(v), most)] {
			flat(p, fmt.Sprintf("%s[%d]", name, i), one)
		}
	case string:
		p.Add(name, strings.ReplaceAll(v, "\n", " "))
	default:
		p.Add(name, v)
	}
}

// separator stands between a name and one below it.
func separator(name string) string {
	if strings.HasSuffix(name, " ") {
		return "  "
	}
	return "."
}

func allNumbers(list []any) ([]float64, bool) {
	numbers := make([]float64, len(list))
	for i, v := range list {
		x, ok := v.(float64)
		if !ok {
			return nil, false
		}
		numbers[i] = x
	}
	return numbers, len(list) > 0
}
