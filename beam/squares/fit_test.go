package squares

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/beam/shard/shardtest"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/drift"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// here goes over the shards in this process, and joins what it finds in groups of so many, as the pipeline does.
type here struct {
	files []string
	o     shard.Options
	fan   int
}

func (h here) Sum(ctx context.Context, ask Ask) (*Part, error) {
	return tree(h, (*Part).Join, func(i int) (*Part, error) { return Sum(ctx, h.files[i], i, h.o, ask) })
}

func (h here) Look(ctx context.Context, ask Ask) (*Looked, error) {
	return tree(h, (*Looked).Join, func(i int) (*Looked, error) { return Look(ctx, h.files[i], i, h.o, ask) })
}

func (h here) Sample(ctx context.Context, plan *Plan) (*Picked, error) {
	return passed(ctx, h, plan, (*Picked).Join, Sample)
}

func (h here) LeftOut(ctx context.Context, plan *Plan) (*Left, error) {
	return passed(ctx, h, plan, (*Left).Join, LeftOut)
}

func (h here) Pick(ctx context.Context, plan *Plan) (*Picked, error) {
	return passed(ctx, h, plan, (*Picked).Join, Pick)
}

func (h here) Products(ctx context.Context, plan *Plan) (*Summed, error) {
	return passed(ctx, h, plan, (*Summed).Join, Products)
}

// passed goes over the shards with a plan that has travelled.
func passed[T any](
	ctx context.Context, h here, plan *Plan, join func(a, b *T), pass func(context.Context, string, int, shard.Options, *Plan) (*T, error),
) (*T, error) {
	text, err := Encode(plan)
	if err != nil {
		return nil, err
	}
	var sent Plan
	if err := Decode(text, &sent); err != nil {
		return nil, err
	}
	return tree(h, join, func(i int) (*T, error) { return pass(ctx, h.files[i], i, h.o, &sent) })
}

func tree[T any](h here, join func(a, b *T), each func(int) (*T, error)) (*T, error) {
	return shardtest.Tree(len(h.files), h.fan, join, each)
}

// remembered is what a model file has of the rows that were learned from.
func remembered(t *testing.T, m *model.Model) *drift.Profile {
	t.Helper()
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(file.Bytes(), []byte(`"profile":`))
	p := new(drift.Profile)
	if err := json.NewDecoder(bytes.NewReader(rest)).Decode(p); err != nil {
		t.Fatal(err)
	}
	return p
}

// profiled compares what models remember of their rows; those of few rows are alike but for rounding.
func profiled(t *testing.T, got, want *drift.Profile) {
	t.Helper()
	if want.Columns == nil { // of sparse rows, none of which are kept
		one := *want
		one.Distance, want = nil, &one
	}
	if d := cmp.Diff(want, got, cmpopts.EquateApprox(1e-3, 1e-3)); d != "" && want.Score.Rows < 2000 {
		t.Errorf("profiles differ\n%s", d)
	}
}

// mixed are rows with words, dates, missing cells and numbers of another country.
func mixed(n int) shardtest.Table {
	t := shardtest.Generated(n, shardtest.Kind(2, 0.1))
	t.Header = "a,town,since,size,b,label"
	for i, row := range t.Rows {
		c := strings.Split(row, ",")
		town, size := []string{"Ulm", "Bonn", "", "Kiel"}[i*i%7%4], c[3]
		if i%11 == 5 {
			size = "n/a"
		}
		t.Rows[i] = strings.Join([]string{c[0], town, fmt.Sprintf("20%02d-%02d-11", i%20, 1+i%12), size, c[1], c[5]}, ",")
	}
	return t
}

// numbersFirst leaves nothing but numbers in the first rows, for which the columns are numbers everywhere.
func numbersFirst(t shardtest.Table, rows int) shardtest.Table {
	for i := range t.Rows {
		c := strings.Split(t.Rows[i], ",")
		c[2] = fmt.Sprint(i * i % 13)
		if c[1] = fmt.Sprint(i % 3); i >= rows && i%3 > 0 {
			c[1] = "many"
		}
		t.Rows[i] = strings.Join(c, ",")
	}
	return t
}

// called has a column of such numbers besides.
func called(name string, number func(i int) int, t shardtest.Table) shardtest.Table {
	t.Header = name + "," + t.Header
	for i := range t.Rows {
		t.Rows[i] = fmt.Sprintf("%d,%s", number(i), t.Rows[i])
	}
	return t
}

// below has further rows after some row, the last = -1.
func below(row int, t shardtest.Table, rows ...string) shardtest.Table {
	if row < 0 {
		row = len(t.Rows)
	}
	t.Rows = slices.Insert(slices.Clone(t.Rows), row, rows...)
	return t
}

// amounts are labels such as $1,203, of as many different ones as there are rows.
func amounts(n int) shardtest.Table {
	i := 0
	return shardtest.Generated(n, func(*rand.Rand, []float64) string {
		i++
		return fmt.Sprintf(`"$%d,%03d"`, 1+i%3, i)
	})
}

// coded has a column of codes of which few begin with 0.
func coded(t shardtest.Table) shardtest.Table {
	t.Header = "zip," + t.Header
	for i := range t.Rows {
		t.Rows[i] = []string{"10115", "20095", "80331", "50667", "01067"}[min(4, i*i%23%6)] + "," + t.Rows[i]
	}
	return t
}

// scaledBy is a recipe with another scaling.
func scaledBy(r mercer.Recipe, kind string) mercer.Recipe {
	r.Scale = kind
	return r
}

// A fit over shards is that of mercer on one file: the same ridge, score, estimate, weights and predictions.
func TestFitIsThatOfOneFile(t *testing.T) {
	for name, c := range map[string]struct {
		table  shardtest.Table
		recipe mercer.Recipe
	}{
		"numbers":            {shardtest.Generated(500, shardtest.Number), mercer.Recipe{}},
		"standardised":       {shardtest.Generated(500, shardtest.Number), mercer.Recipe{Scale: "standard"}},
		"from 0 to 1, gcv":   {shardtest.Generated(300, shardtest.Number), mercer.Recipe{Scale: "minmax", Tune: "gcv"}},
		"unit, no offset":    {shardtest.Generated(300, shardtest.Number), mercer.Recipe{Scale: "unit", Offset: "no"}},
		"lambda":             {shardtest.Generated(300, shardtest.Number), mercer.Recipe{Set: map[string]string{"lambda": "0.01"}}},
		"two classes":        {shardtest.Generated(500, shardtest.Kind(2, 0.2)), mercer.Recipe{}},
		"two classes, press": {shardtest.Generated(500, shardtest.Kind(2, 0)), mercer.Recipe{Tune: "loo:press"}},
		"four classes":       {shardtest.Generated(500, shardtest.Kind(4, 0.1)), mercer.Recipe{Tune: "loo:press"}},
		"errors":             {shardtest.Generated(500, shardtest.Kind(3, 0)), mercer.Recipe{Tune: "loo:error"}},
		"many numbers":       {shardtest.Generated(4500, shardtest.Number), mercer.Recipe{}},
		"many of classes":    {shardtest.Generated(4500, shardtest.Kind(2, 0.01)), mercer.Recipe{}},
		"sparse":             {shardtest.Sparse(), mercer.Recipe{}},
		"centres":            {shardtest.Generated(500, shardtest.Number), onCentres("gaussian", "0.02", "")},
		"centres, offset":    {shardtest.Generated(500, shardtest.Kind(2, 0.2)), onCentres("gaussian", "0.5", "yes")},
		"centres, classes":   {shardtest.Generated(400, shardtest.Kind(2, 0)), onCentres("laplacian", "0.1", "")},
		"centres, gcv":       {shardtest.Generated(300, shardtest.Number), withTune(onCentres("gaussian", "0.5", "no"), "gcv")},
		"centres, three":     {shardtest.Generated(500, shardtest.Kind(3, 0.1)), withTune(onCentres("gaussian", "0.1", ""), "loo:error")},
		"centres, sparse":    {shardtest.Sparse(), onCentres("laplacian", "0.1", "")},
		"documents":          {shardtest.Counts(), mercer.Recipe{Scale: "tfidf"}},
		"words":              {mixed(500), mercer.Recipe{}},
		"words, minmax":      {mixed(300), mercer.Recipe{Scale: "minmax"}},
		"words late":         {numbersFirst(mixed(500), 120), mercer.Recipe{}},
		"words, centres":     {mixed(400), scaledBy(onCentres("gaussian", "0.1", ""), "")},
		"a column of an id": {called("client_id", func(i int) int { return 5*i*i + 3 }, shardtest.Generated(300, shardtest.Number)),
			mercer.Recipe{}},
		"a column of dates": {called("day", func(i int) int { return 20180101 + 100*(i%12) + i/12 }, shardtest.Generated(300, shardtest.Number)),
			mercer.Recipe{}},
		"a column of counts": {called("row", func(i int) int { return i + 1 }, shardtest.Generated(300, shardtest.Number)), mercer.Recipe{}},
		"documents, centres": {shardtest.Counts(), scaledBy(onCentres("laplacian", "1", ""), "tfidf")},
		"a large cell":       {shardtest.Generated(300, shardtest.Number).Large(), mercer.Recipe{Scale: "standard"}},
	} {
		t.Run(name, func(t *testing.T) {
			whole, shards := c.table.Written(t)
			for _, fan := range []int{2, 8} {
				compare(t, whole, here{files: shards, fan: fan}, c.recipe)
			}
		})
	}
}

// A row of totals, rows without a value, amounts and codes are understood as by mercer, whatever shard shows them, and told.
func TestFitUnderstandsAsOneFile(t *testing.T) {
	for name, c := range map[string]struct {
		table shardtest.Table
		said  []string // of shards and of one file
	}{
		"totals": {below(-1, mixed(200), "Total,,,900,30000,k1"), []string{`the last row begins with "Total"`}},
		"notes below": {below(-1, mixed(200), "Total,,,900,30000,k1", "", "Source: a census of 2021"),
			[]string{"notes below the table", `"Total"`}},
		"no values":   {below(77, shardtest.Generated(200, shardtest.Kind(2, 0.1)), ",,,,,"), []string{"left out: 1 row without any value"}},
		"words, void": {below(90, mixed(200), ",,,,,"), []string{"left out: 1 row without any value"}},
		"amounts":     {amounts(200), nil},
		"codes":       {coded(shardtest.Generated(200, shardtest.Number)), []string{`"zip": codes of one length`}},
		"seeming ones": {called("n", func(i int) int { return i * i % 11 },
			below(3, shardtest.Generated(200, shardtest.Number), "01,2,3,4,5,6")), nil},
	} {
		t.Run(name, func(t *testing.T) {
			whole, shards := c.table.Written(t)
			h := here{files: shards, fan: 4}
			compare(t, whole, h, mercer.Recipe{})
			surveyed, err := shard.Survey(t.Context(), shards, h.o)
			if err != nil {
				t.Fatal(err)
			}
			_, res, err := Fit(t.Context(), surveyed, h.o, mercer.Recipe{}, h)
			if err != nil {
				t.Fatal(err)
			}
			_, warnings, err := read.Open(t.Context(), whole, read.Options{Prepare: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range c.said {
				if !strings.Contains(strings.Join(res.Warnings, "\n"), want) || !strings.Contains(fmt.Sprint(warnings), want) {
					t.Errorf("%q was not said: %q; of one file %q", want, res.Warnings, warnings)
				}
			}
		})
	}
}

// A guess that --strict does not allow is refused; and with --skip-bad, which leaves no second look, codes are numbers, and that is said.
func TestGuessesThatAreNotAllowed(t *testing.T) {
	codes, totals := coded(shardtest.Generated(100, shardtest.Number)), below(-1, mixed(100), "Total,,,900,30000,k1")
	for _, c := range []struct {
		table       shardtest.Table
		o           shard.Options
		fault, said string
	}{
		{codes, shard.Options{Strict: true},
			`column "zip": codes of one length, of which some begin with 0, are words and no numbers; say so`, ""},
		{totals, shard.Options{Strict: true}, "it has the totals and is left out; say so with a flag or by --columns, correct", ""},
		{codes, shard.Options{SkipBad: 1}, "", "some numbers begin with 0"},
	} {
		_, files := c.table.Written(t)
		surveyed, err := shard.Survey(t.Context(), files, c.o)
		if err != nil {
			t.Fatal(err)
		}
		_, res, err := Fit(t.Context(), surveyed, c.o, mercer.Recipe{}, here{files: files, o: c.o, fan: 4})
		switch {
		case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)), c.fault == "" && err != nil:
			t.Errorf("%v, want %q", err, c.fault)
		case c.said != "" && !strings.Contains(strings.Join(res.Warnings, "\n"), c.said):
			t.Errorf("%q, want %q", res.Warnings, c.said)
		}
	}
}

// A fit judged by folds, or by rows held out, is that of mercer on one file: the same rows are drawn, and left out together.
func TestFoldsAreThoseOfOneFile(t *testing.T) {
	half := shardtest.Generated(600, shardtest.Kind(2, 0.05)) // the second shard has no label
	for i := 40; i < 117; i++ {
		half.Rows[i] = half.Rows[i][:strings.LastIndex(half.Rows[i], ",")] + ","
	}
	twice := shardtest.Generated(120, shardtest.Number)
	twice.Rows = slices.Concat(twice.Rows, twice.Rows, twice.Rows[:50])
	seeded, folded := mercer.Recipe{Tune: "kfold:4", Seed: 7}, mercer.Recipe{Tune: "kfold:5"}
	fixed := mercer.Recipe{Tune: "kfold:5", Set: map[string]string{"lambda": "0.01"}}
	three := withTune(onCentres("gaussian", "0.1", ""), "kfold:5")
	for name, c := range map[string]struct {
		table  shardtest.Table
		recipe mercer.Recipe
	}{
		"numbers":      {shardtest.Generated(500, shardtest.Number), folded},
		"another seed": {shardtest.Generated(300, shardtest.Number), seeded},
		"no offset": {shardtest.Generated(300, shardtest.Number),
			mercer.Recipe{Tune: "kfold:3", Scale: "standard", Offset: "no"}},
		"mean squares":       {shardtest.Generated(300, shardtest.Number), judged(mercer.Recipe{Tune: "kfold:3"}, "mse")},
		"lambda":             {shardtest.Generated(300, shardtest.Number), fixed},
		"every row a fold":   {shardtest.Generated(90, shardtest.Number), mercer.Recipe{Tune: "kfold:90"}},
		"two classes":        {shardtest.Generated(500, shardtest.Kind(2, 0.2)), folded},
		"classes, errors":    {shardtest.Generated(500, shardtest.Kind(2, 0.2)), judged(mercer.Recipe{Tune: "kfold:10"}, "error")},
		"three classes":      {shardtest.Generated(500, shardtest.Kind(3, 0.1)), judged(folded, "mse")},
		"three, errors":      {shardtest.Generated(400, shardtest.Kind(3, 0)), judged(folded, "error")},
		"inductive":          {shardtest.Generated(300, shardtest.Kind(2, 0.3)), mercer.Recipe{Tune: "kfold:5:inductive"}},
		"shards of no label": {half, folded},
		"rows twice":         {twice, folded},
		"sparse":             {shardtest.Sparse(), folded},
		"words":              {mixed(400), folded},
		"documents":          {shardtest.Counts(), mercer.Recipe{Scale: "tfidf", Tune: "kfold:5"}},
		"many numbers":       {shardtest.Generated(4500, shardtest.Number), mercer.Recipe{Tune: "kfold:20"}},
		"centres":            {shardtest.Generated(500, shardtest.Number), withTune(onCentres("gaussian", "0.02", ""), "kfold:5")},
		"centres, offset": {shardtest.Generated(500, shardtest.Kind(2, 0.2)),
			withTune(onCentres("gaussian", "0.5", "yes"), "kfold:5")},
		"centres, no offset":   {shardtest.Generated(400, shardtest.Kind(2, 0)), withTune(onCentres("laplacian", "0.1", ""), "kfold:3")},
		"centres, three":       {shardtest.Generated(500, shardtest.Kind(3, 0.1)), judged(three, "error")},
		"centres, sparse":      {shardtest.Sparse(), withTune(onCentres("laplacian", "0.1", ""), "kfold:5")},
		"held out, numbers":    {shardtest.Generated(500, shardtest.Number), mercer.Recipe{Tune: "holdout:0.3"}},
		"held out, classes":    {shardtest.Generated(500, shardtest.Kind(2, 0.2)), mercer.Recipe{Tune: "holdout:0.5"}},
		"held out, centres":    {shardtest.Generated(500, shardtest.Number), withTune(onCentres("gaussian", "0.02", ""), "holdout:0.2")},
		"few held out":         {shardtest.Generated(2000, shardtest.Number), mercer.Recipe{Tune: "holdout:0.01"}},
		"held out, no label":   {half, mercer.Recipe{Tune: "holdout:0.5"}},
		"loo, mean of squares": {shardtest.Generated(300, shardtest.Kind(3, 0)), judged(mercer.Recipe{Tune: "loo:error"}, "mse")},
	} {
		t.Run(name, func(t *testing.T) {
			whole, shards := c.table.Written(t)
			compare(t, whole, here{files: shards, fan: 2 + len(name)%7}, c.recipe)
		})
	}
}

// judged is a recipe of another loss of rows left out.
func judged(r mercer.Recipe, loss string) mercer.Recipe {
	set := map[string]string{task.Outer.Name: loss}
	for name, v := range r.Set {
		set[name] = v
	}
	r.Set = set
	return r
}

// onCentres is a recipe of a kernel on 25 centres.
func onCentres(kernel, gamma, offset string) mercer.Recipe {
	set := map[string]string{"choose": "random"}
	if gamma != "" {
		set["gamma"] = gamma
	}
	return mercer.Recipe{Kernel: kernel, Basis: "25", Set: set, Offset: offset, Scale: "standard"}
}

func withTune(r mercer.Recipe, score string) mercer.Recipe {
	r.Tune = score
	return r
}

func compare(t *testing.T, whole string, h here, r mercer.Recipe) {
	t.Helper()
	ctx := context.Background()
	r.Method = "rls"
	if r.Kernel == "" {
		r.Kernel = "linear"
	}
	set, _, err := read.Open(ctx, whole, read.Options{Prepare: true})
	if err != nil {
		t.Fatal(err)
	}
	want, told, err := mercer.Fit(ctx, mercer.Input{Set: set}, r, mercer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	surveyed, err := shard.Survey(ctx, h.files, h.o)
	if err != nil {
		t.Fatal(err)
	}
	got, res, err := Fit(ctx, surveyed, h.o, r, h)
	if err != nil {
		t.Fatal(err)
	}
	exact := max(1e-9, 2*told.Certificate.Residual) // of one file, which is in the tables of rows that lose digits over a small ridge
	near(t, "lambda", res.Params["lambda"].(float64), told.Params["lambda"].(float64), 1e-12)
	near(t, "score", res.Tuning.Value, told.Tuning.Value, 1e-9)
	near(t, "objective", res.Certificate.Objective, told.Certificate.Objective, 1e-9)
	if e, f := res.Estimate, told.Estimate; e == nil || f == nil || e.Measure != f.Measure || e.Rows != f.Rows {
		t.Errorf("estimate %+v, of one file %+v", e, f)
	} else if e.From != f.From {
		t.Errorf("estimate from %s, of one file from %s", e.From, f.From)
	} else if e.Corrected == f.Corrected { // mercer corrects that of few rows for the choice of the ridge
		near(t, "estimate", e.Error, f.Error, 1e-9)
		near(t, "its upper end", e.High, f.High, 1e-9)
	}
	for name, v := range res.Metrics["labelled"] {
		near(t, name, v, told.Metrics["labelled"][name], exact)
	}
	if res.Rows != told.Rows || res.Scaling != told.Scaling || !slices.Equal(res.Classes, told.Classes) {
		t.Errorf("%+v, %s; of one file %+v, %s", res.Rows, res.Scaling, told.Rows, told.Scaling)
	}
	same(t, got, want, set.Rows, exact)
}

// same compares what two models say of rows and keep.
func same(t *testing.T, got, want *model.Model, rows data.Rows, exact float64) {
	t.Helper()
	ctx := context.Background()
	if rows.IsSparse() {
		rows.Sparse.C = want.Columns
	}
	a, errA := got.Predict(ctx, rows)
	b, errB := want.Predict(ctx, rows)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	if !mat.EqualApprox(a, b, exact) {
		t.Error("predictions differ")
	}
	if got.Label != want.Label || !slices.Equal(got.Features, want.Features) || got.Sparse != want.Sparse {
		t.Errorf("label %q, features %v; of one file %q, %v", got.Label, got.Features, want.Label, want.Features)
	}
	if d := cmp.Diff(want.Table, got.Table); d != "" {
		t.Error(d)
	}
	if !slices.Equal(got.Fill, want.Fill) {
		t.Errorf("medians %v, of one file %v", got.Fill, want.Fill)
	}
	profiled(t, remembered(t, got), remembered(t, want))
	if len(got.Classes) == 2 {
		p, errP := got.Probabilities(a)
		q, errQ := want.Probabilities(b)
		if errP != nil || errQ != nil || !mat.EqualApprox(p, q, 10*exact) {
			t.Error("probabilities differ", errP, errQ)
		}
	}
	if want.Residuals == nil {
		return
	}
	lo, hi, err := got.Interval(0.9)
	low, high, errWant := want.Interval(0.9)
	if err != nil || errWant != nil || lo > low || hi < high || lo < low-0.001*math.Abs(low)-1e-12 || hi > high+0.001*math.Abs(high)+1e-12 {
		t.Errorf("interval %g to %g (%v), of one file %g to %g (%v)", lo, hi, err, low, high, errWant)
	}
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Max(1e-6, math.Abs(want))) {
		t.Errorf("%s is %v, of one file %v", what, got, want)
	}
}

// Faults of labels name the shard and the line, and what is no least squares is refused with the remedy.
func TestFitRefuses(t *testing.T) {
	words := shardtest.Generated(200, shardtest.Number)
	words.Rows[130] = words.Rows[130][:strings.LastIndex(words.Rows[130], ",")] + ",high"
	ids := shardtest.Generated(1200, func(r *rand.Rand, _ []float64) string { return fmt.Sprint(r.IntN(1e9)) })
	names := shardtest.Generated(1200, func(r *rand.Rand, _ []float64) string { return fmt.Sprint("n", r.IntN(1e9)) })
	for name, c := range map[string]struct {
		table  shardtest.Table
		recipe mercer.Recipe
		want   string
	}{
		"a word among numbers": {words, mercer.Recipe{Task: "regression"}, `part-02.csv:15: label "high" is no number`},
		"whole numbers":        {ids, mercer.Recipe{}, "more than 1000 different whole numbers; say --task regression"},
		"names":                {names, mercer.Recipe{}, "more than 1000 different labels"},
		"one class":            {shardtest.Generated(90, shardtest.Kind(1, 0)), mercer.Recipe{}, "two classes are needed"},
		"no label":             {shardtest.Generated(90, shardtest.Kind(1, 1)), mercer.Recipe{}, "no row of column"},
		"three classes": {shardtest.Generated(200, shardtest.Kind(3, 0)), mercer.Recipe{Tune: "loo:logloss"},
			"choose --tune loo:press"},
		"C of the linear name": {words, mercer.Recipe{Method: "linear-rls", Set: map[string]string{"C": "1"}}, "give --set lambda"},
		"another method":       {words, mercer.Recipe{Method: "svm"}, "choose --method rls"},
		"another kernel":       {words, mercer.Recipe{Kernel: "gaussian"}, "choose --kernel linear"},
		"no centres": {shardtest.Generated(90, shardtest.Number), mercer.Recipe{Kernel: "2*linear", Basis: "9",
			Set: map[string]string{"choose": "random", "weight": "2"}}, "has no centres"},
		"too many centres":     {shardtest.Generated(20, shardtest.Number), onCentres("gaussian", "1", ""), "25 of 20 labelled rows"},
		"a width that is free": {shardtest.Generated(90, shardtest.Number), onCentres("gaussian", "", ""), "add --set sigma=VALUE"},
		"greedy centres": {shardtest.Generated(90, shardtest.Number),
			mercer.Recipe{Kernel: "gaussian", Basis: "9", Set: map[string]string{"gamma": "1"}},
			"add --set choose=random"},
		"folds of many classes": {shardtest.Generated(200, shardtest.Kind(3, 0)), mercer.Recipe{Tune: "kfold:5"},
			"--set outer=mse or outer=error"},
		"another loss": {words, judged(mercer.Recipe{Tune: "kfold:5"}, "quartic"), "choose outer=logloss, mse or error"},
		"too many folds": {shardtest.Generated(20, shardtest.Number), mercer.Recipe{Tune: "kfold:21"},
			"21 folds of 20 labelled rows; use 2 to 20"},
		"numbers of folds": {shardtest.Generated(300, shardtest.Number), mercer.Recipe{Tune: "kfold:256"}, "at most 255 folds"},
		"sums of folds": {shardtest.Generated(3000, shardtest.Number), mercer.Recipe{Kernel: "gaussian", Basis: "3000", Tune: "kfold:15",
			Set: map[string]string{"choose": "random", "gamma": "1"}}, "ask for at most 14 folds"},
		"one row to learn from": {shardtest.Generated(2, shardtest.Number), mercer.Recipe{Tune: "kfold:2", Task: "regression"},
			"make more and smaller folds"},
		"outer folds": {words, mercer.Recipe{CV: 5}, "keep some shards back"},
		"tfidf":       {words, mercer.Recipe{Scale: "tfidf"}, "choose --scale unit or standard"},
	} {
		_, files := c.table.Written(t)
		surveyed, err := shard.Survey(context.Background(), files, shard.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err = Fit(context.Background(), surveyed, shard.Options{}, c.recipe, here{files: files, fan: 8}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// More than two classes are chosen by loo:press unless another score is asked for, and that there are no probabilities is said.
func TestManyClasses(t *testing.T) {
	_, files := shardtest.Generated(300, shardtest.Kind(3, 0)).Written(t)
	surveyed, err := shard.Survey(context.Background(), files, shard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := here{files: files, fan: 8}
	m, res, err := Fit(context.Background(), surveyed, h.o, result.Recipe{}, h)
	if err != nil || res.Tuning.Score != "loo:press" || m.HasProbabilities() || len(res.Warnings) != 1 ||
		!strings.Contains(res.Warnings[0], "no probabilities") {
		t.Errorf("%+v, %v", res, err)
	}
}

// A wrong guess of the best ridge costs a pass and no number.
func TestDetailOfAnotherFit(t *testing.T) {
	_, files := shardtest.Generated(300, shardtest.Number).Written(t)
	surveyed, err := shard.Survey(context.Background(), files, shard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := here{files: files, fan: 8}
	for _, recipe := range []result.Recipe{{}, {Tune: "kfold:5"}, {Tune: "holdout:0.5"}} {
		_, want, err := Fit(context.Background(), surveyed, h.o, recipe, h)
		if err != nil {
			t.Fatal(err)
		}
		_, got, err := Fit(context.Background(), surveyed, h.o, recipe, &misled{here: h})
		if err != nil {
			t.Fatal(err)
		}
		mae := func(res *mercer.Result) float64 { return res.Metrics["labelled"]["mae"] }
		if !reflect.DeepEqual(got.Estimate, want.Estimate) || mae(got) != mae(want) || *got.Interval != *want.Interval {
			t.Errorf("%s: %+v, want %+v", recipe.Tune, got.Estimate, want.Estimate)
		}
	}
}

// misled keeps more of the worst fits at first.
type misled struct {
	here
	passes int
}

func (m *misled) LeftOut(ctx context.Context, plan *Plan) (*Left, error) {
	if m.passes++; m.passes == 1 {
		plan.Details = []int{0}
	}
	return m.here.LeftOut(ctx, plan)
}

// Every order statistic lies within its interval, and the intervals are narrow.
func TestQuantiles(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	var q Quantiles
	var list []float64
	for range 5000 {
		v := r.NormFloat64() * math.Exp(3*r.NormFloat64())
		list = append(list, v)
		q.Add(v)
	}
	slices.Sort(list)
	kept := q.Residuals()
	for i, k := range kept.Ranks {
		v, exact := kept.Values[i], list[k-1]
		outwards := v <= exact
		if 2*k > len(list)+1 {
			outwards = v >= exact
		}
		if !outwards || math.Abs(v-exact) > math.Abs(exact)/1000 {
			t.Errorf("rank %d is %g, not %g", k, v, exact)
		}
	}
	if err := kept.Check(); err != nil {
		t.Error(err)
	}
}
