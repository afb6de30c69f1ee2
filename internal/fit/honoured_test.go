package fit

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/answer"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/machine"
	"github.com/mercer-ml/mercer/result"
)

// TestEstimatesOfReducedModels: what a smaller model is judged and refused by is what the whole machine left out, in its own coding.
func TestEstimatesOfReducedModels(t *testing.T) {
	set, err := data.Builtin("iris")
	if err != nil {
		t.Fatal(err)
	}
	set = set.Select([]int{0, 1, 2, 3, 4, 5, 50, 51, 52, 53, 54, 55, 100, 101, 102, 103, 104, 105})
	for _, r := range []result.Recipe{
		{Method: "svm", Multiclass: "one-vs-one", Tune: "kfold:3", Set: map[string]string{"C": "1"}, Kernel: "gaussian"},
		{Method: "rls", Tune: "kfold:3", Kernel: "gaussian", Decide: "balanced"},
	} {
		p, err := read(result.Input{Set: set}, r, result.Options{})
		if err != nil {
			t.Fatal(err)
		}
		a, err := p.answer(context.Background(), 0)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := a.Result(context.Background(), a.Model(false))
		if err != nil {
			t.Fatal(err)
		}
		small := *a.Model(false)
		small.Pairs, small.Decision = false, nil
		a.Reduced = &small
		if err := a.Undecided(&small); err != nil {
			t.Errorf("%s: %v", r.Method, err)
		}
		res, err := a.Result(context.Background(), &small)
		if err != nil || !reflect.DeepEqual(res.Estimate, whole.Estimate) {
			t.Errorf("%s: %+v, of the whole %+v, %v", r.Method, res.Estimate, whole.Estimate, err)
		}
	}
}

// TestPartsOfOtherLengths: sets whose parts are not as long as they have rows are refused before anything is learned.
func TestPartsOfOtherLengths(t *testing.T) {
	for name, change := range map[string]func(in *result.Input){
		"1 weights of 24 rows":             func(in *result.Input) { in.Set.Weight = []float64{1} },
		"1 groups of 24 rows":              func(in *result.Input) { in.Set.Group = []string{"a"} },
		"1 places in the order of 24 rows": func(in *result.Input) { in.Set.Order = []float64{1} },
		"25 hidden answers of 24 rows":     func(in *result.Input) { in.Hidden = make(data.Answers, 25) },
		"25 answers of 24 test rows": func(in *result.Input) {
			test := *in.Set
			test.Answers = append(slices.Clone(test.Answers), "high")
			in.Test = &test
		},
	} {
		for _, cv := range []int{0, 2} {
			in := result.Input{Set: drifting(24, true)}
			in.Set.Order = nil
			change(&in)
			_, _, err := Fit(context.Background(), in, result.Recipe{Method: "rls", CV: cv}, result.Options{})
			if err == nil || !strings.Contains(err.Error(), name+"; give one for each row") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	m, _, err := Fit(context.Background(), result.Input{Set: drifting(24, true)}, result.Recipe{Method: "rls"}, result.Options{})
	if err != nil {
		t.Fatal(err)
	}
	set := drifting(24, true)
	if _, _, err := answer.Evaluate(context.Background(), m, set.Rows, append(set.Answers, "low")); err == nil ||
		!strings.Contains(err.Error(), "25 answers of 24 rows") {
		t.Error(err)
	}
}

// TestSetsWithoutASource: messages about rows that a program made itself call them the input, whichever part speaks of them.
func TestSetsWithoutASource(t *testing.T) {
	ctx := context.Background()
	for name, r := range map[string]result.Recipe{
		"more centres than rows":  {Method: "rls", Basis: "100"},
		"a score with many folds": {Method: "rls", Tune: "kfold:25"},
	} {
		set := drifting(24, true)
		set.Source, set.Order = "", nil
		if _, _, err := Fit(ctx, result.Input{Set: set}, r, result.Options{}); err == nil || !strings.Contains(err.Error(), "the input") {
			t.Errorf("%s: %v", name, err)
		}
		if set.Source != "" {
			t.Errorf("%s: the caller's set is called %q", name, set.Source)
		}
		if _, err := Splits(ctx, set, nil, r, result.Options{}); err == nil || !strings.HasPrefix(err.Error(), "the input: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNoTuningKeepsGroups: where nothing is chosen the error is estimated by rows whose group, or whose future, is not learned from.
func TestNoTuningKeepsGroups(t *testing.T) {
	grouped := drifting(24, false)
	grouped.Order = nil
	for i := range grouped.Answers {
		grouped.Group = append(grouped.Group, string("abc"[i%3]))
	}
	for _, c := range []struct {
		set  *data.Set
		r    result.Recipe
		from string
		rows int
	}{
		{grouped, result.Recipe{Method: "rls", Tune: "none", Set: map[string]string{"lambda": "0.01"}}, "3 folds", 24},
		{grouped, result.Recipe{Method: "nadaraya-watson", Tune: "none"}, "3 folds", 24},
		{drifting(24, false), result.Recipe{Method: "nadaraya-watson", Tune: "none"}, "forward hold-out", 5},
	} {
		p, err := read(result.Input{Set: c.set}, c.r, result.Options{})
		if err != nil {
			t.Fatal(err)
		}
		a, err := p.answer(context.Background(), 0)
		if err != nil {
			t.Fatal(err)
		}
		res, err := a.Result(context.Background(), a.Model(false))
		if err != nil {
			t.Fatal(err)
		}
		if e := res.Estimate; e == nil || e.From != c.from || e.Rows != c.rows {
			t.Errorf("%s: %+v", c.r.Method, e)
		}
		// Answers of a fold are not among what its rows are judged by.
		moved, left := *c.set, a.Candidates.Members[0].LeftOut
		moved.Answers = slices.Clone(moved.Answers)
		for _, i := range a.Task.Folds[0] {
			moved.Answers[i] = "100"
		}
		if p, err = read(result.Input{Set: &moved}, c.r, result.Options{}); err != nil {
			t.Fatal(err)
		}
		b, err := p.answer(context.Background(), 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range a.Task.Folds[0] {
			if got := b.Candidates.Members[0].LeftOut.At(i, 0); math.Abs(got-left.At(i, 0)) > 1e-9 {
				t.Errorf("%s: row %d left out has learned from its own group: %g, then %g", c.r.Method, i, left.At(i, 0), got)
			}
		}
	}
}

// TestSplitsLearnOneTask: few labels that are all whole numbers are those of a regression where all labels are.
func TestSplitsLearnOneTask(t *testing.T) {
	set := drifting(40, false)
	set.Order = nil
	for i := range set.Answers {
		set.Answers[i] = strconv.Itoa(1 + i%4)
	}
	set.Answers[39] = "2.5"
	res, err := Splits(context.Background(), set, [][]int{every(12), {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 39}},
		result.Recipe{Method: "rls"}, result.Options{TimeLimit: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if res.Task != "regression" || len(res.Splits.Each) != 2 || res.Splits.Hidden["error_mean"] != 0 {
		t.Errorf("%s: %+v", res.Task, res.Splits)
	}
}

// TestKeptRecipesAreAsAsked: the recipe that a model keeps has what was asked for, not the folds and the centres that these rows led to.
func TestKeptRecipesAreAsAsked(t *testing.T) {
	twice := drifting(24, true)
	twice.Order = nil
	twice = twice.Select(append(every(24), every(24)...))
	for _, r := range []result.Recipe{{Method: "rls", Search: "gradient", Budget: 3}, {Method: "lap-rls", Basis: "auto", Budget: 1}} {
		m, _, err := Fit(context.Background(), result.Input{Set: twice}, r, result.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var kept result.Recipe
		if err := json.Unmarshal(m.Recipe, &kept); err != nil || kept.Tune != "" || kept.Basis != r.Basis {
			t.Errorf("%s", m.Recipe)
		}
	}
}

// TestCostsOfOuterFolds: what is foreseen and what was taken are of all fits.
func TestCostsOfOuterFolds(t *testing.T) {
	var forecast [2]float64
	for i, cv := range []int{0, 3} {
		_, res, err := Fit(context.Background(), result.Input{Set: drifting(24, true)}, result.Recipe{Method: "rls", CV: cv, Budget: 2,
			Search: "gradient"}, result.Options{})
		if err != nil {
			t.Fatal(err)
		}
		forecast[i] = res.Forecast.Seconds
	}
	if d := forecast[1] - 4*forecast[0]; math.Abs(d) > 1e-9*forecast[1] {
		t.Errorf("foreseen: %v", forecast)
	}
}

// TestDefaultsSpelledOut: auto is what is done without it.
func TestDefaultsSpelledOut(t *testing.T) {
	set, err := data.Builtin("iris")
	if err != nil {
		t.Fatal(err)
	}
	in := result.Input{Set: set}
	for _, c := range [][2]result.Recipe{
		{{}, {Offset: "auto"}},
		{{Kernel: "chi2"}, {Kernel: "chi2", Scale: "auto"}},
		{{Method: "one-class"}, {Method: "one-class", Tune: "auto"}},
	} {
		var forms [2]string
		for i, r := range c {
			p, err := read(in, r, result.Options{})
			if err != nil {
				t.Fatalf("%+v: %v", r, err)
			}
			form, forecast := foresee(in, p.method, p.request, p.options)
			size, _ := json.Marshal(forecast.size)
			forms[i] = string(size) + form.Scale + strconv.FormatInt(forecast.Memory, 10) + p.request.Recipe.ScaleKind()
		}
		if strings.TrimSuffix(forms[1], "auto") != forms[0] {
			t.Errorf("%+v: %s, then %s", c[1], forms[0], forms[1])
		}
	}
}

// TestClassesSearchedBeforeTheEnd: a limit in the search of a later class keeps what the classes before it have found.
func TestClassesSearchedBeforeTheEnd(t *testing.T) {
	in := few(t, "iris", 4)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	heard := 0
	o := result.Options{Listen: result.Listener{Evaluation: func(result.Evaluation) {
		if heard++; heard == 4 { // the first class has been searched to its end
			cancel()
		}
	}}}
	m, res, err := Fit(ctx, in, result.Recipe{Method: "rls", Search: "random", Budget: 4,
		Set: map[string]string{"per_class": "yes"}}, o)
	if err != nil {
		t.Fatal(err)
	}
	if res.Tuning.Status != "interrupted" || len(m.Classes) != 3 || res.Tuning.Evaluations != 6 {
		t.Errorf("%+v", res.Tuning)
	}
}

// TestTextInFewGroups: the candidate that decides the unlabelled rows of a text is there where there are fewer groups than its ten folds.
func TestTextInFewGroups(t *testing.T) {
	const n = 48
	words := mat.NewDense(n, 14, nil)
	set := &data.Set{Source: "mails"}
	for i := range n {
		for _, j := range []int{i % 2, 2 + i%5, 7 + i%7} {
			words.Set(i, j, 1)
		}
		set.Answers = append(set.Answers, []string{"ham", "spam"}[i%2])
		set.Group = append(set.Group, string("abcdef"[i/2%6]))
		if i >= n/2 {
			set.Answers[i] = ""
		}
	}
	set.Rows.Sparse = data.CSRFromDense(words)
	p, err := read(result.Input{Set: set}, result.Recipe{}, result.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.answer(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(a.Candidates.Members, func(c *choose.Candidate) bool { return c.Transductive }) {
		t.Error("nothing decides the unlabelled rows")
	}
}

// TestSpeedOfForecasts: a tenth of a second is foreseen by the speed of a slow machine, and more by that of this one.
func TestSpeedOfForecasts(t *testing.T) {
	var below, above bool
	for n := 40.0; n < 1500; n *= 1.06 {
		in := result.Input{Set: columnsOf(int(n), 1, 1, 1)}
		p, err := read(in, result.Recipe{Method: "rls", Scale: "none"}, result.Options{})
		if err != nil {
			t.Fatal(err)
		}
		form, f := foresee(in, p.method, p.request, p.options)
		work := form.Work(f.size, p.request.Scored(p.method.Coding, f.size.Task, f.size.Labelled))
		want := work.Time(machine.SlowSpeed()).Seconds()
		below, above = below || want > 0.05 && want <= 0.1, above || want > 0.1 && want <= 0.2
		if want > 0.1 {
			want = work.Time(machine.MeasuredSpeed()).Seconds()
		}
		if f.Seconds != want {
			t.Errorf("%d rows: %g s, want %g", int(n), f.Seconds, want)
		}
	}
	if !below || !above {
		t.Error("no forecast is near a tenth of a second")
	}
}

// TestForecastsOfManyNumbers: that scalings are compared is foreseen of up to ten million numbers, of more it is no matter.
func TestForecastsOfManyNumbers(t *testing.T) {
	few := columnsOf(125, 1, 1)
	p, err := read(result.Input{Set: few}, result.Recipe{Method: "rls"}, result.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for columns, counts := range map[int]bool{80_000: true, 80_001: false} {
		x := mat.NewDense(125, columns, nil)
		for i := range 125 {
			x.Set(i, 0, float64(i%7))
		}
		in := result.Input{Set: &data.Set{Source: "made", LabelName: "label", Rows: data.Rows{Dense: x}, Answers: few.Answers}}
		form, f := foresee(in, p.method, p.request, p.options)
		work := form.Work(f.size, p.request.Scored(p.method.Coding, f.size.Task, f.size.Labelled))
		if alone := work.Time(machine.MeasuredSpeed()).Seconds(); (f.Seconds > alone) != counts {
			t.Errorf("%d columns: %g s, %g without the comparison", columns, f.Seconds, alone)
		}
	}
}

// TestWhatFitsRefuse: what rows, or their folds, cannot honour of a recipe that may be read is refused, and so is what has no meaning for
// a front.
func TestWhatFitsRefuse(t *testing.T) {
	ctx := context.Background()
	all, some := result.Input{Set: builtin(t, "two-moons:n=24")}, few(t, "two-moons:n=24", 4)
	thirds := cells(slices.Repeat([]string{"yes", "no"}, 12)...)
	for i := range thirds.Answers {
		thirds.Order = append(thirds.Order, float64(i/8))
	}
	hidden := result.Input{Set: builtin(t, "sinc:n=20"), Hidden: make(data.Answers, 20)}
	hidden.Set.Answers[3], hidden.Hidden[3] = "", "dear"
	short := *all.Set
	short.Weight = []float64{1}
	rls := func(r result.Recipe, set ...string) result.Recipe {
		r.Method, r.Set = "rls", map[string]string{"sigma": "1", "lambda": "0.1"}
		for i := 0; i < len(set); i += 2 {
			r.Set[set[i]] = set[i+1]
		}
		return r
	}
	refused := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, expected %s", err, want)
		}
	}
	for _, c := range []struct {
		in   result.Input
		r    result.Recipe
		o    result.Options
		want string
	}{
		{all, result.Recipe{Method: "svm", Tune: "bound:sv", Decide: "balanced"}, result.Options{}, "the fit left no row out, so that"},
		{all, rls(result.Recipe{CV: 25}), result.Options{}, "--cv 25: there are 24 labelled rows; ask for 24 folds at most"},
		{all, rls(result.Recipe{CV: 2}), result.Options{Folds: [][]float64{{0}}}, "--cv 2: the losses of 1 outer folds were given"},
		{some, rls(result.Recipe{CV: 2, Tune: "kfold:7"}), result.Options{}, "--cv 2, fold 1: two-moons:n=24: --tune kfold:7 asks 7 folds"},
		{result.Input{Set: thirds}, rls(result.Recipe{CV: 2}), result.Options{}, "--cv 2, fold 1: the labelled rows before it have one"},
		{some, result.Recipe{Method: "lap-rls", Search: "gradient", Budget: 2, Candidates: []string{"none"}}, result.Options{},
			"of which --method lap-rls, searched as it is here, compares none; leave them out"},
		{some, rls(result.Recipe{}, "balance", "0.2,0.3,0.5"), result.Options{}, "has 3 shares, and there are 2 classes"},
		{hidden, rls(result.Recipe{}), result.Options{}, "is no number"},
	} {
		_, _, err := Fit(ctx, c.in, c.r, c.o)
		refused(err, c.want)
	}
	for _, c := range []struct {
		in   result.Input
		r    result.Recipe
		pick int
		want string
	}{
		{all, result.Recipe{Method: "rls"}, 0, "--method rls: it makes one model and no front; choose "},
		{all, result.Recipe{Method: "mobj-rbf", CV: 2}, 0, "--cv 2: fronts are not repeated; leave it out"},
		{all, result.Recipe{Method: "mobj-rbf"}, -1, "--pick -1: members are numbered from 1"},
		{all, result.Recipe{Method: "rofs"}, 1 << 20, "--pick 1048576: the front has "},
		{result.Input{Set: &short}, result.Recipe{Method: "mobj-rbf"}, 0, "1 weights of 24 rows; give one for each row"},
		{hidden, result.Recipe{Method: "rofs"}, 0, "is no number"},
	} {
		_, _, err := Pareto(ctx, c.in, c.r, result.Options{}, c.pick)
		refused(err, c.want)
	}
	_, err := OuterFold(ctx, all, rls(result.Recipe{CV: 25}), result.Options{}, 0)
	refused(err, "--cv 25: there are 24 labelled rows")
	_, err = Split(ctx, nil, []int{0, 1}, rls(result.Recipe{}), result.Options{})
	refused(err, "no set of rows")
	// What the first of several splits was stopped in is none of them.
	stopped, stop := context.WithCancel(ctx)
	defer stop()
	o := result.Options{Progress: func(result.Progress) { stop() }}
	splits := [][]int{{0, 1, 2, 21, 22, 23}, {3, 4, 5, 18, 19, 20}}
	if res, err := Splits(stopped, all.Set, splits, result.Recipe{Method: "rls"}, o); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped in the first split: %+v, %v", res, err)
	}
}

// TestWhatNeedsMemory: memory that is not enough is refused with what takes most of it: columns, what any fit has, or the rows, of which
// fewer would do.
func TestWhatNeedsMemory(t *testing.T) {
	in := result.Input{Set: &data.Set{Source: "large"}}
	for _, c := range []struct {
		f     foreseen
		limit int64
		want  string // "": it is enough
	}{
		{foreseen{Forecast: result.Forecast{Rows: 100, Memory: 1 << 30}}, 1 << 30, ""},
		{foreseen{Forecast: result.Forecast{Rows: 100, Features: 9, Memory: 1 << 30}, columns: 1 << 29}, 1 << 29, "large: 9 columns need "},
		{foreseen{Forecast: result.Forecast{Rows: 100, Memory: 20 << 20}}, 18 << 20, "are for any rows, and "},
		{foreseen{Forecast: result.Forecast{Rows: 100, Memory: 1 << 30}}, 1 << 20, "are for any rows, and "},
		{foreseen{Forecast: result.Forecast{Rows: 100, Memory: 4*(1<<29-16<<20) + 16<<20}}, 1 << 29, "keep about 50 rows"},
	} {
		err := checkMemory(in, c.f, c.limit)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v, want %q", c.f.Forecast, err, c.want)
		}
	}
}
