package method

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

// TestStagesOfSearch: where widths can be moved together a first stage ends at ten times the decrease of the second, and of a score
// on drawn folds, which is confirmed on others, at 1e-5 at least; there the second may end early, unless widths choose features.
func TestStagesOfSearch(t *testing.T) {
	space := param.Space{
		{Name: "sigma[a]", Kind: param.Log, Lo: 0.01, Hi: 100, Default: 1}, {Name: "sigma[b]", Kind: param.Log, Lo: 0.01, Hi: 100, Default: 1},
	}
	begin, drawn := space.Defaults(), task.Scoring{Criterion: score.LogLoss{}}
	selects := setting.Values{selected.Key(): {Text: "0.1", Numbers: []float64{0.1}}}
	for _, c := range []struct {
		scoring         task.Scoring
		values          setting.Values
		decrease, first float64
		stops           bool
	}{
		{drawn, nil, 0, 1e-5, true}, {drawn, nil, 1e-4, 1e-3, true}, {drawn, nil, 1e-7, 1e-5, true}, {drawn, selects, 1e-7, 1e-6, false},
		{task.Scoring{GCV: true}, nil, 0, 0, false}, {task.Scoring{GCV: true}, nil, 1e-7, 1e-6, false},
		{task.Scoring{Criterion: score.LogLoss{}, Share: 0.3}, nil, 1e-7, 1e-6, false},
	} {
		s := searching{word: "gradient", t: &task.Task{Request: task.Request{Values: c.values}, Problem: &learn.Problem{Labelled: []int{0, 1}}}}
		s.t.Scoring = c.scoring
		staged, ok := s.byGradient(space, begin, c.decrease).(search.Coarse)
		if !ok || (staged.Stop != nil) != c.stops || len(staged.Groups) != 1 {
			t.Errorf("%+v: %+v", c, staged)
			continue
		}
		first, second := staged.First(begin).(search.Gradient), staged.Inner(begin).(search.Gradient)
		if first.Decrease != c.first || second.Decrease != c.decrease {
			t.Errorf("%+v: the stages end at %g and %g", c, first.Decrease, second.Decrease)
		}
		if alone, ok := s.byGradient(space[:1], begin[:1], c.decrease).(search.Gradient); !ok || alone.Decrease != c.decrease {
			t.Errorf("%+v: one width is searched by %+v", c, alone)
		}
	}
}

// TestDescent: the words of searches by derivatives, with the place where they begin and the decrease at which they end.
func TestDescent(t *testing.T) {
	begin := []float64{1, 2}
	for word, want := range map[string]search.Search{
		"rprop": search.RPROP{Start: begin}, "sqp": search.Gradient{Start: begin, Decrease: 0.5, SQP: true},
		"gradient": search.Gradient{Start: begin, Decrease: 0.5}, "auto": search.Gradient{Start: begin, Decrease: 0.5},
	} {
		if got := descent(word, begin, 0.5); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v", word, got)
		}
	}
}

// TestFixedParameters: settings fix the parameters of their names, which must be positive where these are; a graph without a
// weight has none to search.
func TestFixedParameters(t *testing.T) {
	space := param.Space{
		{Name: "gamma_a", Kind: param.Log, Lo: 0.01, Hi: 100, Default: 1}, {Name: "gamma_i", Kind: param.Log, Lo: 0.01, Hi: 100, Default: 1},
	}
	number := func(s setting.Setting, v ...float64) setting.Values {
		return setting.Values{s.Key(): {Text: "given", Numbers: v}}
	}
	for _, c := range []struct {
		values setting.Values
		fixed  []bool
		begin  []float64
	}{
		{nil, []bool{false, false}, []float64{1, 1}}, {number(task.GammaA, 0.5), []bool{true, false}, []float64{0.5, 1}},
		{number(task.GammaI, 2), []bool{false, true}, []float64{1, 2}}, {number(task.GammaA, 1, 2), []bool{false, false}, []float64{1, 1}},
		{number(task.GammaI, 0), nil, nil}, {number(task.GammaA, 0), nil, nil}, {number(task.GammaA, -1), nil, nil},
	} {
		got, err := fix(&task.Task{Request: task.Request{Values: c.values}}, slices.Clone(space))
		if (err != nil) != (c.fixed == nil) {
			t.Errorf("%v: %v", c.values, err)
			continue
		}
		for i, d := range got {
			if d.Fixed != c.fixed[i] || d.Default != c.begin[i] {
				t.Errorf("%v: %+v", c.values, d)
			}
		}
	}
}

// asHeard says whether values that were told of a candidate are those of its parameters.
func asHeard(e result.Evaluation, params map[string]any) bool {
	for i, d := range e.Space {
		want := math.NaN()
		switch v := params[d.Name].(type) {
		case float64:
			want = v
		case int:
			want = float64(v)
		}
		if v := e.Theta[i]; !math.IsNaN(v) && !(math.Abs(v-want) <= 1e-12*math.Abs(want)) {
			return false
		}
	}
	return !math.IsNaN(e.Theta[len(e.Theta)-1]) // the strength, which all have
}

// TestHeardOfADesign: a listener is told each candidate of a design with the parameters and the score that its machine has.
func TestHeardOfADesign(t *testing.T) {
	for _, text := range []string{"rls", "rn", "svm", "lap-rls --budget 5", "lap-svm --budget 5"} {
		m, r, err := Read(asked(t, text))
		if err != nil {
			t.Fatal(err)
		}
		var heard []result.Evaluation
		o := result.Options{Listen: result.Listener{Evaluation: func(e result.Evaluation) { heard = append(heard, e) }}}
		in := inputs()["two"]
		p, err := task.Prepare(t.Context(), in, r, o, m.Coding, 0)
		if err != nil {
			t.Fatal(err)
		}
		c, err := m.Form(task.SizeOf(in, r.Recipe, o, false), r).Produce(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if len(heard) == 0 || len(heard) != len(c.Members)+c.Failed {
			t.Errorf("%s: %d candidates heard of, %d trained, %d failed", text, len(heard), len(c.Members), c.Failed)
		}
		for _, one := range c.Members {
			params := m.Params(p, one)
			if !slices.ContainsFunc(heard, func(e result.Evaluation) bool { return e.Score == one.Score && asHeard(e, params) }) {
				t.Errorf("%s: nothing was heard of %v with the score %g", text, params, one.Score)
			}
		}
	}
}

// TestEndOfSearches: a search by gradients goes on as long as a score in closed form falls; one that trains again, or makes graphs, ends
// where a step gains less than a ten-thousandth of the score.
func TestEndOfSearches(t *testing.T) {
	space := param.Space{{Name: "sigma", Kind: param.Log, Lo: 0.01, Hi: 100, Default: 1}}
	for _, c := range []struct {
		of   machine
		want float64
	}{
		{machine{id: "rls"}, 0}, {machine{id: l2ID, losses: []string{"squared-hinge"}}, 1e-4},
		{machine{id: "lap-rls", family: Warped, baseline: "rls"}, 1e-4},
	} {
		m, r, err := Read(asked(t, c.of.id+" --search gradient"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := task.Prepare(t.Context(), inputs()["two"], r, result.Options{}, m.Coding, 0)
		if err != nil {
			t.Fatal(err)
		}
		s := searching{machine: c.of, word: "gradient", t: p}.search(space, 0)
		if several, ok := s.(search.Starts); ok {
			s = several.Inner(space.Defaults())
		}
		if g, ok := s.(search.Gradient); !ok || g.Decrease != c.want {
			t.Errorf("%s: %+v, want a decrease of %g", c.of.id, s, c.want)
		}
	}
}
