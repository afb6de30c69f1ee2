package task

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/learner/multiview"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/test/kept"
	"github.com/mercer-ml/mercer/internal/test/learntest"
	"github.com/mercer-ml/mercer/internal/test/pathtest"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

// What each setting takes, and how it refuses the rest, is what it was.
func TestWhatSettingsTake(t *testing.T) {
	list := slices.Concat(Common(), GraphSettings(), Whole(GraphSettings()), []setting.Setting{
		Tune, Search, Budget, Effort, Basis, Choose, Candidates, Kernel, Groups, Views, Offset, ColumnOffset, Scheme, Weight, Tol,
		Decide, Lambda, C,
		GammaA, GammaI, Scaled, Semigroup, Outer, Rho, Eta, Points,
	})
	texts := []string{
		"", "0", "1", "2", "3", "-1", "0.5", "1e-9", "8.0", "8.5", "1000000", "1000001", "1,2", "0,1", "1.5,2", "x", "auto", "none",
		"real", "default", "balanced",
		"a=2", "a=0", "kfold:5", "kfold:1", "greedy", "greedy-ms", "sup", "yes", "normal", "rate=a=0.5", "mse", "inf", "NaN",
	}
	var b strings.Builder
	for _, s := range list {
		fmt.Fprintf(&b, "%s: %s; default %s, many %v\n", s.Key(), s.Accepts(), s.Default, s.Many)
		for _, text := range texts {
			v, err := s.Read(text)
			if err == nil {
				fmt.Fprintf(&b, "  %q is %q %v\n", text, v.Words, v.Numbers)
			} else {
				fmt.Fprintf(&b, "  %q: %v\n", text, err)
			}
		}
	}
	kept.Text(t, filepath.Join("testdata", "settings.txt"), b.String())
}

// words are settings by their texts.
func words(t *testing.T, list map[string]string) setting.Values {
	t.Helper()
	v := setting.Values{}
	for _, s := range slices.Concat(GraphSettings(), []setting.Setting{Scheme, Scaled, Outer, Rho, Eta, LossWeights}) {
		if text, ok := list[s.Name]; ok {
			one, err := s.Read(text)
			if err != nil {
				t.Fatal(err)
			}
			v[s.Key()] = one
		}
	}
	return v
}

// asked is a request, and what it is asked of.
type asked struct {
	in     result.Input
	r      result.Recipe
	kernel string // parameters of the kernel, NAME=VALUE by spaces
	set    map[string]string
	coding Coding
	sample int
}

func (a asked) request(t *testing.T) Request {
	t.Helper()
	scoring, err := ParseScoring(a.r.Tune)
	if err != nil {
		t.Fatal(err)
	}
	r := Request{Recipe: a.r, Values: words(t, a.set), Scoring: scoring}
	for _, s := range strings.Fields(a.kernel) {
		name, value, _ := strings.Cut(s, "=")
		if err := r.ReadKernel(name, value); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// changed is an input with some cells changed.
func changed(in result.Input, cells map[[2]int]float64) result.Input {
	set := *in.Set
	set.Rows.Dense = mat.DenseCopyOf(set.Rows.Dense)
	for at, v := range cells {
		set.Rows.Dense.Set(at[0], at[1], v)
	}
	in.Set = &set
	return in
}

// thin is an input with its rows in sparse form.
func thin(in result.Input) result.Input {
	set := *in.Set
	set.Rows = data.Rows{Sparse: data.CSRFromDense(set.Rows.Dense)}
	in.Set = &set
	return in
}

// wide is an input of four columns.
func wide(answers ...string) result.Input {
	x := mat.NewDense(len(answers), 4, nil)
	x.Apply(func(i, j int, _ float64) float64 { return math.Sin(float64(3*i+j+i*j)) * float64(j+1) }, x)
	return result.Input{
		Set: &data.Set{
			Source:    "wide",
			LabelName: "label",
			Features:  []string{"a", "b", "c", "d"},
			Rows:      data.Rows{Dense: x},
			Answers:   answers,
		},
	}
}

// Requests are made into the tasks they were, or refused in the words they were.
func TestWhatRequestsBecome(t *testing.T) {
	xy, numbers := turns(12, "x", "y"), turns(12, "1.5", "2.5", "3.25", "")
	nan := math.NaN()
	pair := []result.View{{Name: "v", First: 1, Last: 2}, {Name: "w", First: 3, Last: 4}}
	views := Coding{Views: true, Method: "co-rls"}
	rare := append(turns(3, "r"), turns(97, "x")...)
	few := append(turns(5, "r"), turns(50, "x", "y")...)
	in := func(kernel string, list ...result.View) result.Recipe {
		return result.Recipe{Kernel: kernel, Views: list, Scale: "none"}
	}
	all := map[string]asked{
		"plain": {in: some(xy...)}, "numbers": {in: some(numbers...)}, "three classes": {in: some(turns(12, "x", "y", "z")...)},
		"pairs by the method": {in: some(turns(12, "x", "y", "z")...), coding: Coding{Pairs: true}},
		"pairs asked for":     {in: some(turns(12, "x", "y", "z")...), set: map[string]string{"multiclass": "one-vs-one"}},
		"pairs asked against": {
			in:     some(turns(12, "x", "y", "z")...),
			set:    map[string]string{"multiclass": "one-vs-rest"},
			coding: Coding{Pairs: true},
		},
		"sample":                  {in: some(turns(12, "x", "", "y", "")...), sample: 8},
		"sample by a seed":        {in: some(turns(12, "x", "", "y", "")...), sample: 8, r: result.Recipe{Seed: 5}},
		"large number":            {in: some("1.5", "2.5", "1e151", "4.25")},
		"missing cell":            {in: changed(some(xy...), map[[2]int]float64{{5, 1}: nan})},
		"infinite cell":           {in: changed(some(xy...), map[[2]int]float64{{5, 1}: math.Inf(1)}), r: result.Recipe{Scale: "none"}},
		"squares overflow":        {in: changed(some(xy...), map[[2]int]float64{{5, 1}: 1e200}), r: result.Recipe{Scale: "none"}},
		"sigma":                   {in: some(xy...), kernel: "sigma=2", coding: Coding{Method: "rls"}},
		"sigma of linear":         {in: some(xy...), kernel: "sigma=2", r: result.Recipe{Kernel: "linear"}, coding: Coding{Method: "rls"}},
		"gamma of polynomial":     {in: some(xy...), kernel: "gamma=2", r: result.Recipe{Kernel: "polynomial"}},
		"gamma and coef0":         {in: some(xy...), kernel: "gamma=2 coef0=-1", r: result.Recipe{Kernel: "sigmoid"}},
		"offset of gaussian":      {in: some(xy...), kernel: "offset=2", coding: Coding{Method: "rls"}},
		"weight":                  {in: some(xy...), kernel: "weight=2", coding: Coding{Method: "rls"}},
		"c of gaussian":           {in: some(xy...), kernel: "c=2", coding: Coding{Method: "rls"}},
		"nothing has it":          {in: some(xy...), kernel: "nosuch=2", coding: Coding{Method: "rls"}},
		"widths of a grid":        {in: some(xy...), kernel: "sigma=1,2,3", coding: Coding{Grid: true}},
		"values of a search":      {in: some(xy...), kernel: "sigma=1,2,3", r: result.Recipe{Search: "grid"}},
		"two widths of a grid":    {in: some(xy...), kernel: "sigma=1,2", coding: Coding{Grid: true}},
		"one width of a grid":     {in: some(xy...), kernel: "sigma=3", coding: Coding{Grid: true}},
		"one value of a search":   {in: some(xy...), kernel: "sigma=3", r: result.Recipe{Search: "grid"}},
		"widths too many":         {in: some(xy...), kernel: "sigma=1,2,3"},
		"one width a column":      {in: some(xy...), kernel: "sigma=1,2", r: result.Recipe{Kernel: "ard-gaussian"}},
		"widths of three columns": {in: some(xy...), kernel: "sigma=1,2,3", r: result.Recipe{Kernel: "ard-gaussian"}},
		"unknown kernel":          {in: some(xy...), r: result.Recipe{Kernel: "nosuch"}},
		"degree out of range":     {in: some(xy...), kernel: "degree=2.5", r: result.Recipe{Kernel: "polynomial"}},
		"groups": {in: changed(some(xy...), map[[2]int]float64{{5, 1}: 9000}),
			r: result.Recipe{Groups: "auto", Scale: "none"}},
		"sparse":                  {in: thin(some(xy...)), r: result.Recipe{Method: "rls"}},
		"sparse, refused":         {in: thin(some(xy...)), coding: Coding{Dense: true, Method: "rofs"}},
		"neighbours":              {in: some(xy...), set: map[string]string{"neighbours": "3,12"}},
		"weights twice":           {in: some(xy...), r: result.Recipe{Decide: "balanced", ClassWeight: "balanced"}},
		"costs and weights":       {in: some(xy...), r: result.Recipe{Decide: "cost=x=3", ClassWeight: "x=2"}},
		"costs in order":          {in: some(xy...), r: result.Recipe{Decide: "cost=1:3", ClassWeight: "x=2"}},
		"class weight of numbers": {in: some(numbers...), r: result.Recipe{ClassWeight: "balanced"}},
		"class weight of nobody":  {in: some(xy...), r: result.Recipe{ClassWeight: "z=1"}},
		"decide of numbers":       {in: some(numbers...), r: result.Recipe{Decide: "balanced"}},
		"decide of one class": {in: some(xy...), r: result.Recipe{Decide: "balanced"},
			coding: Coding{OneClass: true, Method: "one-class"}},
		"decide default":          {in: some(numbers...), r: result.Recipe{Decide: "default"}},
		"decide wrong":            {in: some(xy...), r: result.Recipe{Decide: "nosuch"}},
		"cost of nobody":          {in: some(xy...), r: result.Recipe{Decide: "cost=z=3"}},
		"rate of three":           {in: some(turns(12, "x", "y", "z")...), r: result.Recipe{Decide: "rate=0.2"}},
		"rate as the labels":      {in: some(append(turns(3, "y"), turns(9, "x")...)...), r: result.Recipe{Decide: "rate=0.2"}},
		"rate of a half":          {in: some(append(turns(3, "y"), turns(9, "x")...)...), r: result.Recipe{Decide: "rate=0.5"}},
		"rate above a half":       {in: some(append(turns(9, "y"), turns(3, "x")...)...), r: result.Recipe{Decide: "rate=y=0.8"}},
		"rate against the labels": {in: some(append(turns(3, "y"), turns(9, "x")...)...), r: result.Recipe{Decide: "rate=y=0.8"}},
		"rare of two":             {in: some(rare...)}, "not rare of two": {in: some(append(turns(5, "r"), turns(95, "x")...)...)},
		"rare of two, many":   {in: some(append(turns(12, "r"), turns(400, "x")...)...)},
		"few of three":        {in: some(append(few, turns(30, "x", "y")...)...)},
		"few of two":          {in: some(append(turns(9, "r"), turns(100, "x")...)...)},
		"a fifth of a half":   {in: some(append(turns(9, "r"), turns(81, "x")...)...)},
		"a twentieth of two":  {in: some(append(turns(10, "r"), turns(190, "x")...)...)},
		"ten of two":          {in: some(append(turns(10, "r"), turns(110, "x")...)...)},
		"three, not few":      {in: some(few...)},
		"rare of three, many": {in: some(append(turns(12, "r"), turns(600, "x", "y")...)...)},
		"rare, one class":     {in: some(rare...), coding: Coding{OneClass: true}},
		"offset":              {in: some(xy...), coding: Coding{Offset: true}},
		"columns":             {in: some(xy...), r: result.Recipe{Kernel: "linear[a]"}},
		"view too far":        {in: some(xy...), r: result.Recipe{Views: []result.View{{Name: "v", First: 1, Last: 3}}}},
		"tfidf": {in: changed(some(xy...), map[[2]int]float64{{0, 1}: 0, {4, 0}: 0, {4, 1}: 0}),
			r: result.Recipe{Scale: "tfidf"}},
		"tfidf, all have words": {in: changed(some(xy...), map[[2]int]float64{{0, 1}: 1}), r: result.Recipe{Scale: "tfidf"}},
		"kfold of few":          {in: some(xy...), r: result.Recipe{Tune: "kfold:13"}},
		"holdout": {
			in: some(xy...),
			r:  result.Recipe{Tune: "holdout:0.25"},
		}, "inductive": {in: some(xy...), r: result.Recipe{Tune: "kfold:3:inductive"}},
		"smooth of numbers": {in: some(numbers...), r: result.Recipe{Tune: "loo:smooth-f"}},
		"smooth of three":   {in: some(turns(12, "x", "y", "z")...), r: result.Recipe{Tune: "loo:smooth-f"}},
		"weighted of three": {in: some(turns(12, "x", "y", "z")...), r: result.Recipe{Tune: "loo:smooth-wer"}},
		"weighted": {
			in:  some(append(turns(3, "y"), turns(9, "x")...)...),
			r:   result.Recipe{Tune: "loo:smooth-wer"},
			set: map[string]string{"rho": "3"},
		},
		"weighted by eta": {in: some(xy...), r: result.Recipe{Tune: "loo:smooth-wer"}, set: map[string]string{"eta": "0.25"}},
		"outer": {
			in:  some(xy...),
			set: map[string]string{"outer": "quartic"},
		}, "outer error": {in: some(xy...), set: map[string]string{"outer": "error"}},
		"outer of numbers":   {in: some(numbers...), set: map[string]string{"outer": "error"}},
		"outer without rows": {in: some(xy...), r: result.Recipe{Tune: "gcv"}, set: map[string]string{"outer": "mse"}},
		"outer of folds":     {in: some(xy...), r: result.Recipe{Tune: "kfold:3"}, set: map[string]string{"outer": "mse"}},
		"no noise":           {in: some(turns(12, "1.5", "2.5")...), r: result.Recipe{Tune: "cp", Task: "regression", Kernel: "linear"}},
		"no noise of few":    {in: some("1.5", "2.5", "3.25"), r: result.Recipe{Tune: "cp"}},
		"few labels":         {in: some(turns(40, "x", "y")...), coding: Coding{Classes: true, FewLabels: 30}},
		"few labels, rare": {
			in:     some(append(turns(4, "r"), turns(40, "x", "y")...)...),
			coding: Coding{Classes: true, FewLabels: 30},
		},
		"few labels, lone": {
			in:     some(append(turns(2, "r"), turns(40, "x", "y")...)...),
			coding: Coding{Classes: true, FewLabels: 30},
		},
		"usual number of labels":     {in: some(append(turns(4, "r"), turns(60, "x", "y")...)...), coding: Coding{Classes: true}},
		"few labels, as many":        {in: some(turns(30, "x", "y")...), coding: Coding{Classes: true, FewLabels: 30}},
		"views":                      {in: wide(xy...), r: result.Recipe{Views: pair}, coding: views},
		"views, set":                 {in: wide(xy...), r: result.Recipe{Views: pair}, coding: views, kernel: "sigma=2"},
		"views, set for each":        {in: wide(xy...), r: result.Recipe{Views: pair}, coding: views, kernel: "sigma=2,3"},
		"views, set for all and one": {in: wide(xy...), r: result.Recipe{Views: pair}, coding: views, kernel: "w.sigma=5 sigma=2"},
		"views, three values":        {in: wide(xy...), r: result.Recipe{Views: pair}, coding: views, kernel: "sigma=2,3,4"},
		"views, two for one":         {in: wide(xy...), r: result.Recipe{Views: pair}, coding: views, kernel: "w.sigma=2,3"},
		"views, weights of three":    {in: wide(xy...), r: in("", pair...), coding: views, set: map[string]string{"loss_weights": "1,2,3"}},
		"views, nobody of one, two":  {in: wide(xy...), r: result.Recipe{Views: pair}, coding: views, kernel: "w.degree=2,3"},
		"views, nobody has it":       {in: wide(xy...), r: result.Recipe{Views: pair}, coding: views, kernel: "degree=2"},
		"views, nobody of one":       {in: wide(xy...), r: result.Recipe{Views: pair}, coding: views, kernel: "w.degree=2"},
		"views of their own kernels": {
			in:     wide(xy...),
			r:      in("2*gaussian", result.View{Name: "v", First: 1, Last: 2, Kernel: "linear"}, pair[1]),
			coding: views,
		},
		"views of named columns": {
			in:     wide(xy...),
			r:      in("", result.View{Name: "v", First: 1, Last: 2, Kernel: "linear[b]"}, pair[1]),
			coding: views,
		},
		"views of others' columns": {
			in:     wide(xy...),
			r:      in("", result.View{Name: "v", First: 1, Last: 2, Kernel: "linear[c]"}, pair[1]),
			coding: views,
		},
		"views, linear": {
			in:     wide(xy...),
			r:      in("linear", pair...),
			coding: views,
		}, "one view": {in: wide(xy...), r: result.Recipe{Views: pair[:1]}, coding: views},
		"view that is missing": {
			in:     changed(wide(xy...), map[[2]int]float64{{3, 2}: nan, {3, 3}: nan, {6, 0}: nan, {6, 1}: nan}),
			r:      in("", pair...),
			coding: views,
		},
		"half a view": {in: changed(wide(xy...), map[[2]int]float64{{3, 2}: nan}), r: in("", pair...), coding: views},
		"half, after a whole": {
			in:     changed(wide(xy...), map[[2]int]float64{{3, 0}: nan, {3, 1}: nan, {3, 3}: nan}),
			r:      in("", pair...),
			coding: views,
		},
		"empty outside": {
			in:     changed(wide(xy...), map[[2]int]float64{{3, 2}: nan}),
			r:      in("", result.View{Name: "v", First: 1, Last: 2}, result.View{Name: "w", First: 4, Last: 4}),
			coding: views,
		},
		"row without views": {
			in:     changed(wide(xy...), map[[2]int]float64{{3, 0}: nan, {3, 1}: nan, {3, 2}: nan, {3, 3}: nan}),
			r:      in("", pair...),
			coding: views,
		},
		"view that nobody has": {
			in:     changed(wide("x", "y"), map[[2]int]float64{{0, 2}: nan, {0, 3}: nan, {1, 2}: nan, {1, 3}: nan}),
			r:      in("", pair...),
			coding: views,
		},
		"view of one value": {
			in:     changed(wide("x", "y"), map[[2]int]float64{{0, 2}: 1, {0, 3}: 2, {1, 2}: 1, {1, 3}: 2}),
			r:      in("", pair...),
			coding: views,
		},
		"view nearly constant": {
			in:     changed(wide("x", "y"), map[[2]int]float64{{0, 2}: 1, {0, 3}: 2, {1, 2}: 1, {1, 3}: 3}),
			r:      in("", pair...),
			coding: views,
		},
		"view of zeros": {
			in:     changed(wide("x", "y"), map[[2]int]float64{{0, 2}: 0, {0, 3}: 0, {1, 2}: 0, {1, 3}: 1e-200}),
			r:      in("linear", pair...),
			coding: views,
		},
		"view of little": {
			in:     changed(wide("x", "y"), map[[2]int]float64{{0, 2}: 0, {0, 3}: 0.5, {1, 2}: 0, {1, 3}: 0.25}),
			r:      in("linear", pair...),
			coding: views,
		},
		"sparse views":         {in: thin(wide(xy...)), r: in("linear", pair...), coding: views},
		"view, unknown kernel": {in: wide(xy...), r: in("nosuch", pair...), coding: views},
		"view, large": {
			in:     changed(wide(xy...), map[[2]int]float64{{3, 2}: 1e200}),
			r:      in("linear", pair...),
			coding: views,
		},
		"overflow, width given": {
			in:     changed(some(xy...), map[[2]int]float64{{5, 1}: math.Inf(1)}),
			r:      result.Recipe{Scale: "none"},
			kernel: "sigma=2",
		},
		"missing, width given": {
			in:     changed(wide(xy...), map[[2]int]float64{{3, 0}: nan, {3, 1}: math.Inf(1)}),
			r:      result.Recipe{Scale: "none"},
			kernel: "sigma=2",
		},
		"offset of polynomial":        {in: some(xy...), kernel: "offset=-1", r: result.Recipe{Kernel: "polynomial"}},
		"views, offset of polynomial": {in: wide(xy...), r: in("polynomial", pair...), coding: views, kernel: "offset=-1"},
		"words below zero":            {in: changed(some(xy...), map[[2]int]float64{{5, 1}: -1}), r: result.Recipe{Scale: "tfidf"}},
		"holdout of few":              {in: some("x", "y"), r: result.Recipe{Tune: "holdout:0.9"}},
		"holdout of one group":        {in: grouped(some("x", "y", "x", "y"), "g", "g", "g", "g"), r: result.Recipe{Tune: "holdout:0.5"}},
		"folds of one group":          {in: grouped(some("x", "y", "x", "y"), "g", "g", "g", "g"), r: result.Recipe{Tune: "kfold:2"}},
		"folds of two groups":         {in: grouped(some("x", "y", "x", "y"), "g", "h", "g", "h"), r: result.Recipe{Tune: "kfold:2"}},
		"uneven":                      {in: changed(some(xy...), map[[2]int]float64{{5, 1}: 1e7}), r: result.Recipe{Scale: "none"}},
		"one class, nobody":           {in: some("-1", "-1"), coding: Coding{OneClass: true}},
		"weight of a label":           {in: weighted(some("x", "y", "", "x"), 1, 3, 9, 2), r: result.Recipe{ClassWeight: "x=2"}},
		"weight of 0":                 {in: weighted(some("x", "y", "", "x"), 1, 0, 9, 2)},
		"weight of an absentee":       {in: weighted(some("x", "y", "", "x"), 1, 1, 0, 1)},
		"weight too large":            {in: weighted(some("x", "y", "", "x"), 1, 1, 1, 2*data.MostWeight)},
		"largest weight":              {in: weighted(some("x", "y", "", "x"), 1, 1, 1, data.MostWeight)},
		"weight NaN":                  {in: weighted(some("x", "y", "", "x"), 1, nan, 1, 1)},
	}
	var path pathtest.Path
	for _, name := range slices.Sorted(maps.Keys(all)) {
		a := all[name]
		p, err := Prepare(t.Context(), a.in, a.request(t), result.Options{}, a.coding, a.sample)
		if err != nil {
			path.Add(name, fmt.Sprintf("%T", err), err)
			continue
		}
		weight := make([]float64, 0, 4) // the first
		weight = append(weight, p.Problem.Weight[:min(4, len(p.Problem.Weight))]...)
		path.Add(
			name,
			p.Problem.Rows.Len(),
			p.Labelled(),
			p.Problem.Outputs(),
			p.Offset,
			p.Scoring.Name,
			learntest.Literal(p.Scoring.Criterion),
			p.Scoring.charge,
			p.Scaled,
			weight,
			len(p.Folds),
		)
		path.Add(
			name+", kernel",
			fmt.Sprintf("%T", p.Base),
			p.Base.Space().Names(),
			p.Base.Space().Defaults(),
			fmt.Sprint(slices.Sorted(slices.Values(p.Fixed))),
		)
		for _, w := range p.Warnings {
			path.Add(name+", warning", w)
		}
	}
	path.Compare(t, "requests")
}

// weighted is an input with weights of its rows.
func weighted(in result.Input, weight ...float64) result.Input {
	in.Set.Weight = weight
	return in
}

// grouped is an input whose rows are in groups.
func grouped(in result.Input, group ...string) result.Input {
	in.Set.Group = group
	return in
}

// An empty cell is named by its row and column, of views and without.
func TestEmptyCellsHaveAPlace(t *testing.T) {
	in := changed(wide("x", "y", "x", "y", "x"), map[[2]int]float64{{4, 2}: math.NaN()})
	for _, views := range [][]result.View{nil, {{Name: "v", First: 1, Last: 2}, {Name: "w", First: 3, Last: 4}}} {
		_, err := prepared(t, in, result.Recipe{Views: views, Scale: "none"}, Coding{Views: views != nil})
		var cell *data.CellError
		if !errors.As(err, &cell) || cell.Row != 4 || cell.Column != 2 {
			t.Errorf("%d views: %+v", len(views), err)
		}
	}
}

// The kernel of a recipe's own value stands in the place of its specification alone, and the reason for a scaling that was chosen in
// the place of the scaling's own.
func TestWhatARequestBrings(t *testing.T) {
	own := kernel.Gaussian{Sigma: 7}
	r := Request{Recipe: result.Recipe{Kernel: "mine", KernelValue: own}, Scale: "minmax", ScaleReason: "chosen"}
	if k, err := r.ParseKernel("mine", nil); err != nil || k != own {
		t.Errorf("%v, %v", k, err)
	}
	if k, err := r.ParseKernel("linear", nil); err != nil || k != (kernel.Linear{}) {
		t.Errorf("another specification is %v, %v", k, err)
	}
	p, err := Prepare(t.Context(), some(turns(12, "x", "y")...), r, result.Options{}, Coding{}, 0)
	if err != nil || p.Scaled != "chosen" || p.Scaling.Kind != data.ScaleMinMax {
		t.Errorf("%v, %v", p, err)
	}
	balance := Request{Scoring: Scoring{Name: "mine", Criterion: score.SmoothWeighted{Eta: 2, Rho: 3}}}
	p, err = Prepare(t.Context(), some(turns(12, "x", "y")...), balance, result.Options{}, Coding{}, 0)
	if err != nil || p.Scoring.Criterion != (score.SmoothWeighted{Eta: 2, Rho: 3}) {
		t.Errorf("%+v, %v", p.Scoring, err)
	}
}

// A kernel with a width, or a weight, for each feature has one for each column of a table that has features, unless it brings its own.
func TestWidthsOfColumns(t *testing.T) {
	table := &data.Table{Columns: []data.Column{
		{Name: "a", Kind: data.KindNumber}, {Name: "none", Kind: data.KindIgnored},
		{Name: "b", Kind: data.KindCategory, Levels: []string{"x", "y"}},
	}}
	group, names := []int{0, 1, 1}, []string{"a", "b"}
	for _, c := range []struct{ k, want kernel.Kernel }{
		{kernel.ARDL1Laplacian{}, kernel.ARDL1Laplacian{Group: group, Names: names}},
		{kernel.ARDRational{}, kernel.ARDRational{Group: group, Names: names}},
		{kernel.ANOVA{}, kernel.ANOVA{Group: group, Names: names}},
		{kernel.ARDL1Laplacian{Sigma: []float64{1}}, kernel.ARDL1Laplacian{Sigma: []float64{1}}},
		{kernel.ARDRational{Sigma: []float64{1}}, kernel.ARDRational{Sigma: []float64{1}}},
		{kernel.ANOVA{Weight: []float64{1}}, kernel.ANOVA{Weight: []float64{1}}},
		{kernel.Gaussian{}, kernel.Gaussian{}},
	} {
		if got := ByColumnOfTable(c.k, table); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v becomes %+v", c.k, got)
		}
		if got := ByColumnOfTable(c.k, nil); !reflect.DeepEqual(got, c.k) {
			t.Errorf("without a table %+v becomes %+v", c.k, got)
		}
	}
}

// The kernel for whoever cannot look at all rows needs all its parameters, and no other.
func TestKernelThatIsGiven(t *testing.T) {
	var b strings.Builder
	for _, c := range []struct{ spec, set string }{
		{"gaussian", "sigma=2"}, {"gaussian", "gamma=0.125"}, {"gaussian", ""}, {"gaussian", "sigma=1,2"},
		{"gaussian", "sigma=1 degree=2"}, {"gaussian", "degree=2"},
		{"linear", ""}, {"linear", "scale=2"}, {"polynomial", "gamma=2 coef0=1"}, {"polynomial", "scale=2 offset=1"},
		{"polynomial", "offset=3"},
		{"polynomial", "sigma=2 offset=1"}, {"polynomial", "gamma=2,3 coef0=1"}, {"sigmoid", "gamma=2"}, {"nosuch", ""}, {"", "sigma=2"},
		{"laplacian", "sigma=3"}, {"polynomial", "scale=2 offset=-1"},
	} {
		r := asked{r: result.Recipe{Kernel: c.spec}, kernel: c.set}.request(t)
		k, err := r.GivenKernel(false, []string{"a", "b"})
		if err != nil {
			fmt.Fprintf(&b, "%s %s: %v\n", c.spec, c.set, err)
			continue
		}
		fmt.Fprintf(&b, "%s %s: %T %.6g\n", c.spec, c.set, k, k.Space().Defaults())
	}
	kept.Text(t, filepath.Join("testdata", "given.txt"), b.String())
	if k, err := (Request{Recipe: result.Recipe{Method: "rls"}}).GivenKernel(true, nil); err != nil || k != (kernel.Linear{}) {
		t.Errorf("of sparse rows %v, %v", k, err)
	}
}

// Columns of the kernel's parameters are those of the name, or of the list by the name.
func TestPlaces(t *testing.T) {
	space := param.Space{{Name: "sigma[1]"}, {Name: "weight"}, {Name: "sigma[2]"}, {Name: "sigma"}, {Name: "scale[1]"}}
	for name, want := range map[string][]int{"sigma": {3}, "scale": {4}, "weight": {1}, "c": nil, "sigma[2]": {2}, "sig": nil} {
		if got := places(space, name); !slices.Equal(got, want) {
			t.Errorf("%s stands at %v, expected %v", name, got, want)
		}
	}
	if listed(nil) != "none" || listed([]string{"a", "b"}) != "a, b" {
		t.Error("lists of names")
	}
}

// Thresholds as they are read, and the words of what is none.
func TestReadingThresholds(t *testing.T) {
	var b strings.Builder
	for _, text := range []string{
		"", "default", "balanced", "balanced=1", "default=x", "cost", "cost=", "cost=1", "cost=1:2", "cost=0:2", "cost=1:-2",
		"cost=inf:1", "cost=x:1", "cost=1:2:3",
		"cost=a=1", "cost=a=1,b=2", "cost=a=x", "cost=,b=2", `cost="a,b"=2`, `cost="a"b=2`, `cost="a=2`, "cost=?=2", "rate", "rate=",
		"rate=0", "rate=1", "rate=0.25",
		"rate=-1", "rate=x", "rate=a=0.25", "rate=a=1", "rate=a=0", "rate=a=0.2,b=0.3", "rate=a=0.999", "nosuch", "nosuch=2",
		`cost="a""b"=2,c=3`, `cost="a""=2`,
	} {
		got, err := ParseThreshold(text)
		fmt.Fprintf(&b, "%q: %+v %v\n", text, got, err)
		if err != nil {
			continue
		}
		for _, classes := range [][]string{{"a", "b"}, {"b", "a"}, {"a", "b", "c"}} {
			of, err := got.Of(classes)
			fmt.Fprintf(&b, "  of %v: %v %v %.6g %v\n", classes, of.Balanced, of.Costs, of.Rate, err)
		}
	}
	kept.Text(t, filepath.Join("testdata", "thresholds.txt"), b.String())
}

// A listener hears each point with its number and the number of the search, and the surface of one that was not stopped.
func TestListening(t *testing.T) {
	var heard []result.Evaluation
	var steps []result.Progress
	surfaces := 0
	failed := errors.New("failed")
	p := &Task{Options: result.Options{
		Progress: func(s result.Progress) { steps = append(steps, s) },
		Listen: result.Listener{
			Evaluation: func(e result.Evaluation) { heard = append(heard, e) },
			Surface: func(ctx context.Context, space param.Space, score func(context.Context, []float64) (float64, error)) error {
				surfaces++
				v, err := score(ctx, []float64{3})
				if v != 9 || !errors.Is(err, failed) || len(space) != 1 {
					t.Errorf("the score is %g, %v", v, err)
				}
				return err
			},
		},
	}}
	space := param.Space{{Name: "x"}}
	p.Stage()
	p.Heard("grid", space, []float64{1}, 0.5)
	p.Heard("grid", space, []float64{2}, 0.25)
	p.Stage()
	p.Heard("random", space, []float64{4}, 0.75)
	want := []result.Evaluation{
		{N: 1, Stage: 1, Search: "grid", Space: space, Theta: []float64{1}, Score: 0.5},
		{N: 2, Stage: 1, Search: "grid", Space: space, Theta: []float64{2}, Score: 0.25},
		{N: 3, Stage: 2, Search: "random", Space: space, Theta: []float64{4}, Score: 0.75},
	}
	if !reflect.DeepEqual(heard, want) {
		t.Errorf("heard %+v", heard)
	}
	p.Progressed("fit", 2, 7, 0.5)
	if !slices.Equal(steps, []result.Progress{{Stage: "fit", Done: 2, Total: 7, Best: 0.5}}) {
		t.Errorf("told %+v", steps)
	}
	if err := p.Surface(t.Context(), square{space, failed}); !errors.Is(err, failed) || surfaces != 1 {
		t.Errorf("%d surfaces, %v", surfaces, err)
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Surface(stopped, square{space, failed}); err != nil || surfaces != 1 {
		t.Errorf("stopped: %d surfaces, %v", surfaces, err)
	}
	silent := &Task{}
	silent.Heard("grid", space, nil, 0)
	silent.Progressed("fit", 1, 2, 0)
	if err := silent.Surface(t.Context(), square{space, failed}); err != nil {
		t.Error(err)
	}
}

// square is an objective with an error beside its value.
type square struct {
	space param.Space
	err   error
}

func (s square) Space() param.Space { return s.space }

func (s square) Eval(_ context.Context, theta []float64, _ param.Want) (param.Value, error) {
	return param.Value{F: theta[0] * theta[0]}, s.err
}

// A task on the rows of views has the labels of things, leaves all descriptions of one out together, and judges their mean.
func TestTaskOnViews(t *testing.T) {
	in := changed(wide(turns(12, "x", "y", "")...), map[[2]int]float64{{3, 2}: math.NaN(), {3, 3}: math.NaN()})
	r := result.Recipe{Views: []result.View{{Name: "v", First: 1, Last: 2}, {Name: "w", First: 3, Last: 4}}, Scale: "none", Tune: "kfold:4"}
	a := asked{in: in, r: r, coding: Coding{Views: true}}
	p, err := Prepare(t.Context(), a.in, a.request(t), result.Options{}, a.coding, 0)
	if err != nil {
		t.Fatal(err)
	}
	if lists := p.ViewLists(); !slices.EqualFunc(lists, [][]int{{0, 1}, {2, 3}}, slices.Equal) {
		t.Errorf("columns %v", lists)
	}
	on := p.OnViews()
	if on.Things != p.Problem || on.Described() != p.Problem || p.Described() != p.Problem || on.Problem.Rows.Len() != 23 ||
		len(on.Problem.Labelled) != 15 {
		t.Errorf("%d rows, %d labelled", on.Problem.Rows.Len(), len(on.Problem.Labelled))
	}
	groups := p.Stacked.Groups(p.Problem)
	if !reflect.DeepEqual(on.Folds, multiview.Folds(p.Folds, groups)) || len(on.Folds) != 4 {
		t.Errorf("folds %v of %v", on.Folds, p.Folds)
	}
	agreed := on.Scoring.Criterion.(multiview.Agreed)
	if agreed.Criterion != (score.LogLoss{}) || agreed.Things != p.Problem || !reflect.DeepEqual(agreed.Groups, groups) {
		t.Errorf("%+v", agreed)
	}
	part, err := data.Folds(p.Labels, 4, p.Recipe.Drawn())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(p.Places(part), p.Folds) || !reflect.DeepEqual(on.Places(part), on.Folds) {
		t.Errorf("%v are %v of things and %v of rows", part.Groups(), p.Places(part), on.Places(part))
	}
	p.Scoring.Criterion = nil
	if inner := p.OnViews().Scoring.Criterion.(multiview.Agreed).Criterion; inner != (score.Press{}) {
		t.Errorf("without a criterion it is %T", inner)
	}
	// The averaged objective counts things.
	if got := on.Terms(); got != (score.Averaged{Labelled: 8, Scale: 1. / 144}) || on.Terms() != p.Terms() {
		t.Errorf("%+v", got)
	}
	on.Values = setting.Values{Scaled.Key(): {Text: "none", Words: []string{"none"}}}
	if got := on.Terms(); got != (score.Averaged{Labelled: 8, Scale: 1}) {
		t.Errorf("as it stands: %+v", got)
	}
	p.Values = words(t, map[string]string{"loss_weights": "1,3"})
	if weighed := p.OnViews().Problem; !reflect.DeepEqual(weighed, p.Stacked.Problem(p.Problem, []float64{1, 3})) ||
		reflect.DeepEqual(weighed, on.Problem) {
		t.Errorf("the losses of the views weigh %v", weighed.Weight)
	}
	// Kernels count alike: a mean of one on the diagonals, times what was asked for.
	k := p.Base.(multiview.Coupled)
	if k.Coupling != 1 || !slices.Equal(k.Names, []string{"v", "w"}) || !slices.Contains(p.Fixed, p.Base.Space().Index("v.weight")) {
		t.Errorf("%+v, fixed %v", k, p.Fixed)
	}
	r.Kernel = "3*linear"
	twice, err := Prepare(t.Context(), in, asked{r: r}.request(t), result.Options{}, a.coding, 0)
	if err != nil {
		t.Fatal(err)
	}
	for v, columns := range p.ViewLists() {
		diagonal, rows := 0.0, 0.0
		for i := range 12 {
			if v == 1 && i == 3 {
				continue
			}
			for _, c := range columns {
				x := in.Set.Rows.Dense.At(i, c)
				diagonal += x * x
			}
			rows++
		}
		if got, want := twice.Base.(multiview.Coupled).Kernels[v].(kernel.Scaled).Weight, 3*rows/diagonal; math.Abs(got/want-1) > 1e-12 {
			t.Errorf("view %d has the weight %g, expected %g", v, got, want)
		}
	}
	if !twice.Offset || p.Offset {
		t.Error("only linear functions of all views need a constant")
	}
	// A method of whole rows may look at the views too.
	whole, err := Prepare(
		t.Context(),
		wide(turns(12, "x", "y")...),
		asked{r: result.Recipe{Views: r.Views}, kernel: "sigma=2"}.request(t),
		result.Options{},
		Coding{},
		0,
	)
	if err != nil {
		t.Fatal(err)
	}
	before := slices.Clone(whole.Fixed)
	with, err := whole.WithViews(t.Context())
	if err != nil || whole.Stacked != nil || !slices.Equal(whole.Fixed, before) || with.Stacked == nil || len(with.Fixed) != 3 {
		t.Errorf("%v and %v are fixed, %v", whole.Fixed, with.Fixed, err)
	}
	stoptest.Everywhere(t, func(ctx context.Context) error {
		_, err := Prepare(ctx, in, asked{r: r}.request(t), result.Options{}, a.coding, 0)
		return err
	})
	answers := make([]string, 12)
	for i := range answers {
		answers[i] = fmt.Sprint(math.Sin(float64(5 * i)))
	}
	stoptest.Everywhere(t, func(ctx context.Context) error {
		_, err := Prepare(ctx, wide(answers...), asked{r: result.Recipe{Tune: "aic"}}.request(t), result.Options{}, Coding{}, 0)
		return err
	})
}

// The closed score of a task is that of its kernel, folds and offset; without a criterion the squares are for the record.
func TestClosedScore(t *testing.T) {
	p := must(t, some(turns(12, "x", "y")...), result.Recipe{Tune: "kfold:3"}, Coding{Offset: true})
	work := new(kernel.Work)
	got := p.LeaveOut(work)
	want := score.LeaveOut{Kernel: p.Base, Problem: p.Problem, Work: work, Criterion: score.LogLoss{}, Folds: p.Folds, Offset: true}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	p = must(t, some(turns(12, "x", "y")...), result.Recipe{Tune: "gcv"}, Coding{})
	if got := p.LeaveOut(nil); !got.GCV || got.Criterion != (score.Press{}) || got.Penalty != 0 || got.Offset {
		t.Errorf("gcv: %+v", got)
	}
	p.Scoring.charge = 0.5
	if got := p.LeaveOut(nil); got.Penalty != 0.5 {
		t.Errorf("the charge is %g", got.Penalty)
	}
	if (Request{}).Search() != "auto" || (Request{Recipe: result.Recipe{Search: "grid"}}).Search() != "grid" {
		t.Error("words of searches")
	}
	for text, want := range map[string]int{"": 0, "auto": 0, "7": 7} {
		if got := (Request{Recipe: result.Recipe{Basis: text}}).Centres(); got != want {
			t.Errorf("--basis %s: %d", text, got)
		}
	}
}

// Whether a function needs a constant is seen through the kernels that change nothing of that.
func TestPlainKernels(t *testing.T) {
	scaled := func(k kernel.Kernel) kernel.Kernel { return kernel.Scaled{Weight: 1, Base: k} }
	for _, c := range []struct {
		k    kernel.Kernel
		want bool
	}{
		{kernel.Linear{}, true}, {kernel.ARDLinear{}, true}, {kernel.Gaussian{}, false}, {kernel.Columns{Base: kernel.Linear{}}, true},
		{kernel.Columns{Base: kernel.Gaussian{}}, false},
		{multiview.Coupled{Kernels: []kernel.Kernel{scaled(kernel.Linear{}), scaled(kernel.Linear{})}}, true},
		{multiview.Coupled{Kernels: []kernel.Kernel{scaled(kernel.Linear{}), scaled(kernel.Gaussian{})}}, false},
		{scaled(kernel.Linear{}), false},
	} {
		if got := plain(c.k); got != c.want {
			t.Errorf("%+v is plain: %v", c.k, got)
		}
	}
}

// The graph of lengths has the radius that is set, that of nearest neighbours none but that of sparse rows.
func TestRadiusOfGraphs(t *testing.T) {
	for _, c := range []struct {
		set    map[string]string
		sparse bool
		want   graph.Recipe
	}{
		{map[string]string{"graph": "epsilon", "epsilon_graph": "2.5"}, false,
			graph.Recipe{Weights: graph.SelfTuned, Kind: graph.Epsilon, Radius: 2.5}},
		{map[string]string{"epsilon_graph": "2.5"}, false, graph.Recipe{Weights: graph.SelfTuned}},
		{map[string]string{"epsilon_graph": "2.5"}, true, graph.Recipe{Weights: graph.SelfTuned, Metric: graph.Cosine, Radius: 1 - 1e-9}},
		{map[string]string{"graph": "epsilon", "epsilon_graph": "2.5"}, true,
			graph.Recipe{Weights: graph.SelfTuned, Kind: graph.Epsilon, Metric: graph.Cosine, Radius: 2.5}},
		{map[string]string{"metric": "cosine"}, false, graph.Recipe{Weights: graph.SelfTuned, Metric: graph.Cosine}},
		{map[string]string{"neighbours": "3,4", "degree": "2,3", "width": "1,2", "weights": "binary,heat"}, false,
			graph.Recipe{Weights: graph.Binary}},
	} {
		if got := (Request{Values: words(t, c.set)}).Graph(c.sparse); got != c.want {
			t.Errorf("%v, sparse %v: %+v", c.set, c.sparse, got)
		}
	}
	for _, in := range []result.Input{some(turns(12, "x", "y")...), thin(some(turns(12, "x", "y")...))} {
		p := must(t, in, result.Recipe{Scale: "none"}, Coding{})
		want := 0.0
		if in.Set.Rows.IsSparse() {
			want = 1 - 1e-9
		}
		if g := p.Related(graph.Recipe{Metric: graph.Cosine, Radius: 5}); g.Radius != want || RealDegree(p.Values) {
			t.Errorf("the radius is %g", g.Radius)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a word that is none is taken")
		}
	}()
	SetWord(&graph.Recipe{}, Metric, "nosuch")
}

// Sizes count what a cost depends on.
func TestSizes(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	in := some("x", "y", "", "x", "z", "z", "z", "?")
	s := SizeOf(in, result.Recipe{}, result.Options{}, false)
	if s.Pair != 5 || s.Processors != 3 || s.Outputs != 3 || s.Task != data.Classification || s.Rows != 8 || s.Labelled != 6 {
		t.Errorf("%+v", s)
	}
	if s := SizeOf(some("x", "y", "x"), result.Recipe{}, result.Options{}, false); s.Pair != 3 || s.Outputs != 2 {
		t.Errorf("two classes: %+v", s)
	}
	s = SizeOf(some("x", "y"), result.Recipe{Task: "regression"}, result.Options{}, false)
	if s.Labelled != 0 || s.Outputs != 1 || s.Pair != 0 {
		t.Errorf("words as numbers: %+v", s)
	}
	in.Set.Table = &data.Table{Columns: []data.Column{{Name: "a", Kind: data.KindNumber}}}
	if s := SizeOf(in, result.Recipe{}, result.Options{}, false); s.Words || !mat.Equal(s.One.Dense, in.Set.Rows.Dense.Slice(0, 1, 0, 2)) {
		t.Errorf("without words: %+v", s)
	}
	in.Set.Table.Columns[0] = data.Column{Name: "a", Kind: data.KindYesNo, Levels: []string{"n", "y"}}
	if !SizeOf(in, result.Recipe{}, result.Options{}, false).Words {
		t.Error("a column of words is none")
	}
}

// Defaults of folds and seeds, and the scaling of histograms.
func TestWordsOfRecipes(t *testing.T) {
	for _, c := range []struct {
		r    result.Recipe
		want string
	}{
		{result.Recipe{}, ""}, {result.Recipe{Kernel: "exp-chi2"}, data.ScaleNone},
		{result.Recipe{Kernel: "chi2-map", Scale: "unit"}, "unit"},
		{result.Recipe{Scale: "standard"}, "standard"},
	} {
		if got := c.r.ScaleKind(); got != c.want {
			t.Errorf("%+v: %q", c.r, got)
		}
	}
	for key, text := range map[string]string{Effort.Key(): "normal", Threshold.Key(): "default", Scheme.Key(): "one-vs-rest",
		Tune.Key(): "auto"} {
		if !IsDefault(key, text) || IsDefault(key, text+"x") {
			t.Errorf("%s %s", key, text)
		}
	}
	e := &result.UsageError{Problems: []string{"a", "b"}}
	if e.Error() != "a; b" {
		t.Error(e)
	}
	inner := errors.New("inner")
	if s := (&result.SetError{Err: inner}); s.Error() != "inner" || !errors.Is(s, inner) {
		t.Error(s)
	}
	if got := (Request{}).Scored(Coding{Classes: true}, data.Classification, ManyLabels+1).Scoring.Name; got != "kfold:5" {
		t.Error(got)
	}
	if got := (Request{Scoring: Scoring{Name: "gcv"}}).Scored(Coding{}, data.Regression, 5).Scoring.Name; got != "gcv" {
		t.Error(got)
	}
	if rows := (&learn.Problem{}); weighRows(rows, nil) != nil || rows.Weight != nil {
		t.Error("weights where there are none")
	}
}

// TestRowsThatAreFew: less than a fifth of an even share and below ten, or of two classes less than a twentieth, is warned of.
func TestRowsThatAreFew(t *testing.T) {
	for _, c := range []struct {
		rows, others int
		of           []string // the other classes
		want         bool
	}{
		{9, 81, []string{"x"}, false}, {9, 82, []string{"x"}, true}, {10, 100, []string{"x"}, false}, {10, 190, []string{"x"}, false},
		{10, 191, []string{"x"}, true}, {9, 126, []string{"x", "y"}, false}, {9, 127, []string{"x", "y"}, true},
		{10, 300, []string{"x", "y"}, false},
	} {
		p := must(t, some(append(turns(c.rows, "r"), turns(c.others, c.of...)...)...), result.Recipe{}, Coding{})
		want := fmt.Sprintf("class r has %d of %d labelled rows", c.rows, c.rows+c.others)
		if got := strings.Contains(strings.Join(p.Warnings, "\n"), want); got != c.want {
			t.Errorf("%d rows beside %d of %v: %q", c.rows, c.others, c.of, p.Warnings)
		}
	}
}
