package newton

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/beam/shard/shardtest"
	"github.com/mercer-ml/mercer/beam/squares"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/model"
)

// here goes over the shards in this process.
type here struct {
	files  []string
	fan    int
	passes *int // made
	folder string
	room   int64 // for features that are kept there
}

func (h here) Sum(ctx context.Context, ask squares.Ask) (*squares.Part, error) {
	return shardtest.Tree(len(h.files), h.fan, (*squares.Part).Join, func(i int) (*squares.Part, error) {
		return squares.Sum(ctx, h.files[i], i, shard.Options{}, ask)
	})
}

func (h here) Look(ctx context.Context, ask squares.Ask) (*squares.Looked, error) {
	return shardtest.Tree(len(h.files), h.fan, (*squares.Looked).Join, func(i int) (*squares.Looked, error) {
		return squares.Look(ctx, h.files[i], i, shard.Options{}, ask)
	})
}

func (h here) Sample(ctx context.Context, plan *squares.Plan) (*squares.Picked, error) {
	return passed(ctx, h, plan, (*squares.Picked).Join, squares.Sample)
}

func (h here) Pick(ctx context.Context, plan *squares.Plan) (*squares.Picked, error) {
	return passed(ctx, h, plan, (*squares.Picked).Join, squares.Pick)
}

func (h here) Products(ctx context.Context, plan *squares.Plan) (*squares.Summed, error) {
	return passed(ctx, h, plan, (*squares.Summed).Join, squares.Products)
}

func (h here) Evaluate(ctx context.Context, plan *Plan) (*All, error) {
	return passed(ctx, h, plan, (*All).Join, Evaluate)
}

func (h here) LeftOut(ctx context.Context, plan *Plan) (*Left, error) {
	return passed(ctx, h, plan, (*Left).Join, LeftOut)
}

func (h here) Transduce(ctx context.Context, plan *Plan) (*AllBoth, error) {
	return passed(ctx, h, plan, (*AllBoth).Join, Transduce)
}

// passed goes over the shards with a plan that has travelled.
func passed[P, T any](
	ctx context.Context, h here, plan *P, join func(a, b *T), pass func(context.Context, string, int, shard.Options, *P) (*T, error),
) (*T, error) {
	*h.passes++
	text, err := squares.Encode(plan)
	if err != nil {
		return nil, err
	}
	sent := new(P)
	if err := squares.Decode(text, sent); err != nil {
		return nil, err
	}
	if of, ok := any(sent).(interface{ KeepIn(string, int64) }); ok && h.room > 0 {
		of.KeepIn(h.folder, h.room)
	}
	return shardtest.Tree(len(h.files), h.fan, join, func(i int) (*T, error) { return pass(ctx, h.files[i], i, shard.Options{}, sent) })
}

// with is a recipe of a method and settings, NAME, VALUE, ..., driven to a tight tolerance.
func with(method string, settings ...string) mercer.Recipe {
	r := mercer.Recipe{Method: method, Kernel: "linear", Scale: "standard", Tune: "loo:logloss", Tolerance: 1e-12, Set: map[string]string{}}
	for i := 0; i < len(settings); i += 2 {
		r.Set[settings[i]] = settings[i+1]
	}
	return r
}

// onCentres is the same with a Gaussian kernel on 25 centres.
func onCentres(r mercer.Recipe) mercer.Recipe {
	r.Kernel, r.Basis = "gaussian", "25"
	r.Set["choose"], r.Set["gamma"] = "random", "0.1"
	return r
}

func tuned(r mercer.Recipe, score string) mercer.Recipe {
	r.Tune = score
	return r
}

func scaled(r mercer.Recipe, kind, offset string) mercer.Recipe {
	r.Scale, r.Offset = kind, offset
	return r
}

// A fit over shards is that of mercer on one file: the same C, score, estimate, objective, predictions and probabilities.
func TestFitIsThatOfOneFile(t *testing.T) {
	two, three := shardtest.Generated(500, shardtest.Kind(2, 0.2)), shardtest.Generated(500, shardtest.Kind(3, 0.1))
	for name, c := range map[string]struct {
		table  shardtest.Table
		recipe mercer.Recipe
	}{
		"logistic, C":           {two, with("linear-logistic", "C", "3")},
		"logistic, no score":    {two, tuned(with("linear-logistic", "C", "3"), "none")},
		"logistic, C of many":   {two, with("linear-logistic")},
		"logistic, errors":      {two, tuned(with("linear-logistic"), "loo:error")},
		"logistic, as they are": {two, scaled(with("linear-logistic"), "none", "no")},
		"logistic, large C":     {two, tuned(with("linear-logistic", "C", "1e4"), "none")},
		"logistic, three":       {three, tuned(with("linear-logistic"), "loo:press")},
		"svm, C":                {two, with("linear-svm", "C", "0.5")},
		"svm, no score":         {two, tuned(with("linear-svm", "C", "3"), "none")},
		"svm, C of many":        {two, with("linear-svm")},
		"svm, squares":          {two, scaled(tuned(with("linear-svm"), "loo:press"), "minmax", "")},
		"svm, three":            {three, tuned(with("linear-svm"), "loo:error")},
		"svm, sparse":           {shardtest.Sparse(), scaled(with("linear-svm"), "", "")},
		"documents":             {shardtest.Counts(), scaled(with("linear-logistic"), "tfidf", "")},
		"few rows":              {shardtest.Generated(58, shardtest.Kind(2, 0)), tuned(with("linear-svm", "C", "1"), "none")},
		"free offset":           {two, with("logistic")},
		"free offset, far off":  {two, scaled(with("l2-svm"), "none", "")},
		"free offset, none":     {two, scaled(with("l2-svm", "C", "2"), "unit", "no")},
		"augmented":             {two, with("l2-svm", "offset", "augmented", "C", "2")},
		"centres":               {two, onCentres(with("logistic", "C", "10"))},
		"centres, C of many":    {two, onCentres(with("logistic"))},
		"centres, svm":          {two, onCentres(with("l2-svm"))},
		"centres, augmented":    {two, onCentres(with("l2-svm", "offset", "augmented"))},
		"centres, three":        {three, onCentres(tuned(with("logistic", "C", "1"), "loo:error"))},
		"a large cell":          {two.Large(), with("linear-svm")},
		"centres, sparse":       {shardtest.Sparse(), scaled(onCentres(with("logistic", "C", "1")), "", "")},
	} {
		t.Run(name, func(t *testing.T) {
			whole, shards := c.table.Written(t)
			passes := 0
			compare(t, whole, here{files: shards, fan: 8, passes: &passes}, c.recipe)
			if passes > 20 { // a pass is a Newton step of all machines
				t.Errorf("%d passes", passes)
			}
		})
	}
}

func compare(t *testing.T, whole string, h here, r mercer.Recipe) {
	t.Helper()
	ctx := context.Background()
	set, _, err := read.Open(ctx, whole, read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want, told, err := mercer.Fit(ctx, mercer.Input{Set: set}, r, mercer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, res := fitted(t, h, r)
	near(t, "C", res.Params["C"].(float64), told.Params["C"].(float64), 1e-12)
	near(t, "score", res.Tuning.Value, told.Tuning.Value, 1e-8)
	near(t, "objective", res.Certificate.Objective, told.Certificate.Objective, 1e-9)
	if res.Certificate.Gap < 0 || res.Certificate.Gap > 1e-8 {
		t.Errorf("gap %g", res.Certificate.Gap)
	}
	switch e, f := res.Estimate, told.Estimate; {
	case e == nil || f == nil:
		if e != nil || f != nil {
			t.Errorf("estimate %+v, of one file %+v", e, f)
		}
	case e.Measure != f.Measure || e.Rows != f.Rows || e.From != f.From:
		t.Errorf("estimate %+v, of one file %+v", e, f)
	case e.Corrected == f.Corrected: // mercer corrects that of few rows for the choice of C
		near(t, "estimate", e.Error, f.Error, 1e-9)
	}
	for name, v := range res.Metrics["labelled"] {
		near(t, name, v, told.Metrics["labelled"][name], 1e-9)
	}
	if res.Rows != told.Rows || res.Scaling != told.Scaling || !slices.Equal(res.Classes, told.Classes) || res.Support != told.Support {
		t.Errorf("%+v, %s, support %d; of one file %+v, %s, %d", res.Rows, res.Scaling, res.Support, told.Rows, told.Scaling, told.Support)
	}
	if set.Rows.IsSparse() {
		set.Rows.Sparse.C = want.Columns
	}
	a, errA := got.Predict(ctx, set.Rows)
	b, errB := want.Predict(ctx, set.Rows)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	if !mat.EqualApprox(a, b, 1e-8) {
		t.Error("predictions differ")
	}
	if !slices.Equal(got.Fill, want.Fill) || got.Label != want.Label || !slices.Equal(got.Features, want.Features) {
		t.Errorf("medians %v, label %q, features %v; of one file %v, %q, %v",
			got.Fill, got.Label, got.Features, want.Fill, want.Label, want.Features)
	}
	if len(got.Classes) > 2 {
		return
	}
	if got.HasProbabilities() != want.HasProbabilities() {
		t.Errorf("calibration %v, of one file %v", got.Calibration, want.Calibration)
	} else if got.HasProbabilities() {
		p, errP := got.Probabilities(a)
		q, errQ := want.Probabilities(b)
		if errP != nil || errQ != nil || !mat.EqualApprox(p, q, 1e-7) {
			t.Errorf("probabilities differ: %v, of one file %v (%v, %v)", got.Calibration, want.Calibration, errP, errQ)
		}
	}
}

func fitted(t *testing.T, h here, r mercer.Recipe) (*model.Model, *mercer.Result) {
	t.Helper()
	surveyed, err := shard.Survey(context.Background(), h.files, shard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, res, err := Fit(context.Background(), surveyed, shard.Options{}, r, h)
	if err != nil {
		t.Fatal(err)
	}
	return m, res
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Max(1e-6, math.Abs(want))) {
		t.Errorf("%s is %v, of one file %v", what, got, want)
	}
}

// Machines that have no room in the same passes are trained one after the other, with the same answer.
func TestGroups(t *testing.T) {
	_, shards := shardtest.Generated(500, shardtest.Kind(2, 0.2)).Written(t)
	surveyed, err := shard.Survey(context.Background(), shards, shard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []mercer.Recipe{with("linear-svm"), onCentres(with("logistic"))} {
		once, several := 0, 0
		a, one, err := fit(context.Background(), surveyed, shard.Options{}, r, here{files: shards, fan: 8, passes: &once}, groupNumbers)
		if err != nil {
			t.Fatal(err)
		}
		b, other, err := fit(context.Background(), surveyed, shard.Options{}, r, here{files: shards, fan: 8, passes: &several}, 30)
		if err != nil {
			t.Fatal(err)
		}
		if once >= several {
			t.Errorf("%d passes, in groups %d", once, several)
		}
		near(t, "score", other.Tuning.Value, one.Tuning.Value, 1e-8)
		near(t, "C", other.Params["C"].(float64), one.Params["C"].(float64), 1e-12)
		near(t, "objective", other.Certificate.Objective, one.Certificate.Objective, 1e-9)
		if !slices.Equal(a.Fill, b.Fill) {
			t.Errorf("medians %v, in groups %v", a.Fill, b.Fill)
		}
	}
}

// What is not fitted over shards is refused with the remedy.
func TestFitRefuses(t *testing.T) {
	two, three := shardtest.Generated(200, shardtest.Kind(2, 0)), shardtest.Generated(200, shardtest.Kind(3, 0))
	kernel := with("logistic")
	kernel.Kernel = "gaussian"
	pairs := with("linear-svm")
	pairs.Multiclass = "one-vs-one"
	for name, c := range map[string]struct {
		table  shardtest.Table
		recipe mercer.Recipe
		want   string
	}{
		"numbers":          {shardtest.Generated(200, shardtest.Number), with("linear-svm"), "choose --method rls"},
		"three classes":    {three, tuned(with("linear-logistic"), "loo:logloss"), "choose --tune loo:press"},
		"pairs of classes": {three, pairs, "each class is against the rest"},
		"folds":            {two, tuned(with("logistic"), "kfold:5"), "choose loo:press"},
		"gcv":              {two, tuned(with("logistic"), "gcv"), "--tune gcv"},
		"a kernel":         {two, kernel, "add --basis 1000"},
		"several C":        {two, with("linear-svm", "C", "1,2"), "takes one number"},
		"another solver":   {two, with("linear-svm", "solver", "gradient"), "only C, choose"},
		"a word":           {two, with("linear-svm", "offset", "augmented"), "offset"},
		"too many centres": {shardtest.Generated(20, shardtest.Kind(2, 0)), onCentres(with("logistic")), "25 of 20 labelled rows"},
		"a C out of range": {two, with("l2-svm", "C", "1e300"), "choose a smaller C"},
		"negative counts":  {two, scaled(with("logistic"), "tfidf", ""), "choose --scale unit or standard"},
	} {
		_, files := c.table.Written(t)
		surveyed, err := shard.Survey(context.Background(), files, shard.Options{})
		if err != nil {
			t.Fatal(err)
		}
		passes := 0
		_, _, err = Fit(context.Background(), surveyed, shard.Options{}, c.recipe, here{files: files, fan: 8, passes: &passes})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
