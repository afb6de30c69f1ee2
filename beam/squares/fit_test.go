package squares

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/drift"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/rls"
	"github.com/mercer-ml/mercer/task"
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

func (h here) Products(ctx context.Context, plan *Plan) (*rls.Sums, error) {
	return passed(ctx, h, plan, (*rls.Sums).Join, Products)
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
	var list []*T
	for i := range h.files {
		v, err := each(i)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	for len(list) > 1 {
		var next []*T
		for group := range slices.Chunk(list, h.fan) {
			for _, v := range group[1:] {
				join(group[0], v)
			}
			next = append(next, group[0])
		}
		list = next
	}
	return list[0], nil
}

// table is generated text: a header, "" of LIBSVM, and rows.
type table struct {
	header, ending string
	rows           []string
}

// rows of five columns and a label made of them.
func generated(n int, label func(r *rand.Rand, x []float64) string) table {
	r := rand.New(rand.NewPCG(3, 9))
	t := table{header: "a,b,c,d,e,label", ending: ".csv"}
	for range n {
		x := make([]float64, 5)
		var cells []string
		for j := range x {
			x[j] = r.NormFloat64()*float64(1+3*j) + 7
			cells = append(cells, fmt.Sprint(x[j]))
		}
		t.rows = append(t.rows, strings.Join(append(cells, label(r, x)), ","))
	}
	return t
}

// written writes the rows to one file, and to shards of unequal sizes.
func (t table) written(tb testing.TB) (whole string, shards []string) {
	dir := tb.TempDir()
	write := func(name string, rows []string) string {
		path := filepath.Join(dir, name+t.ending)
		text := strings.Join(rows, "\n") + "\n"
		if t.header != "" {
			text = t.header + "\n" + text
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			tb.Fatal(err)
		}
		return path
	}
	for k, lo := 0, 0; lo < len(t.rows); k++ {
		hi := min(len(t.rows), lo+40+37*(k%3))
		shards = append(shards, write(fmt.Sprintf("part-%02d", k), t.rows[lo:hi]))
		lo = hi
	}
	return write("whole", t.rows), shards
}

func number(r *rand.Rand, x []float64) string {
	return fmt.Sprint(2 + x[0] - 0.3*x[3] + r.NormFloat64())
}

func kind(classes int, unlabelled float64) func(*rand.Rand, []float64) string {
	return func(r *rand.Rand, x []float64) string {
		if r.Float64() < unlabelled {
			return ""
		}
		return fmt.Sprintf("k%d", min(classes-1, max(0, int(math.Floor((x[0]-6+r.NormFloat64()*0.7)/2*float64(classes))))))
	}
}

func sparseTable() table {
	t := generated(300, kind(2, 0))
	t.header, t.ending = "", ".svm"
	for i, row := range t.rows {
		cells := strings.Split(row, ",")
		line := []string{strings.TrimPrefix(cells[5], "k")}
		for j := range 5 {
			if (i+j)%3 > 0 {
				line = append(line, fmt.Sprintf("%d:%s", j+1+i/100, cells[j])) // later rows have further columns
			}
		}
		t.rows[i] = strings.Join(line, " ")
	}
	return t
}

// counts are sparse rows without a negative value, some of them unlabelled.
func counts() table {
	t := sparseTable()
	for i, row := range t.rows {
		row = strings.ReplaceAll(row, ":-", ":")
		if _, words, _ := strings.Cut(row, " "); i%7 == 3 {
			row = "? " + words
		}
		t.rows[i] = row
	}
	return t
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
func mixed(n int) table {
	t := generated(n, kind(2, 0.1))
	t.header = "a,town,since,size,b,label"
	for i, row := range t.rows {
		c := strings.Split(row, ",")
		town, size := []string{"Ulm", "Bonn", "", "Kiel"}[i*i%7%4], c[3]
		if i%11 == 5 {
			size = "n/a"
		}
		t.rows[i] = strings.Join([]string{c[0], town, fmt.Sprintf("20%02d-%02d-11", i%20, 1+i%12), size, c[1], c[5]}, ",")
	}
	return t
}

// numbersFirst leaves nothing but numbers in the first rows, for which the columns are numbers everywhere.
func numbersFirst(t table, rows int) table {
	for i := range t.rows {
		c := strings.Split(t.rows[i], ",")
		c[2] = fmt.Sprint(i * i % 13)
		if c[1] = fmt.Sprint(i % 3); i >= rows && i%3 > 0 {
			c[1] = "many"
		}
		t.rows[i] = strings.Join(c, ",")
	}
	return t
}

// counting has a column that counts the rows besides.
func counting(t table) table {
	t.header = "row," + t.header
	for i := range t.rows {
		t.rows[i] = fmt.Sprintf("%d,%s", i+1, t.rows[i])
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
		table  table
		recipe mercer.Recipe
	}{
		"numbers":            {generated(500, number), mercer.Recipe{}},
		"standardised":       {generated(500, number), mercer.Recipe{Scale: "standard"}},
		"from 0 to 1, gcv":   {generated(300, number), mercer.Recipe{Scale: "minmax", Tune: "gcv"}},
		"unit, no offset":    {generated(300, number), mercer.Recipe{Scale: "unit", Offset: "no"}},
		"lambda":             {generated(300, number), mercer.Recipe{Set: map[string]string{"lambda": "0.01"}}},
		"two classes":        {generated(500, kind(2, 0.2)), mercer.Recipe{}},
		"two classes, press": {generated(500, kind(2, 0)), mercer.Recipe{Tune: "loo:press"}},
		"four classes":       {generated(500, kind(4, 0.1)), mercer.Recipe{Tune: "loo:press"}},
		"errors":             {generated(500, kind(3, 0)), mercer.Recipe{Tune: "loo:error"}},
		"many numbers":       {generated(4500, number), mercer.Recipe{}},
		"many of classes":    {generated(4500, kind(2, 0.01)), mercer.Recipe{}},
		"sparse":             {sparseTable(), mercer.Recipe{}},
		"centres":            {generated(500, number), onCentres("gaussian", "0.02", "")},
		"centres, offset":    {generated(500, kind(2, 0.2)), onCentres("gaussian", "0.5", "yes")},
		"centres, classes":   {generated(400, kind(2, 0)), onCentres("laplacian", "0.1", "")},
		"centres, gcv":       {generated(300, number), withTune(onCentres("gaussian", "0.5", "no"), "gcv")},
		"centres, three":     {generated(500, kind(3, 0.1)), withTune(onCentres("gaussian", "0.1", ""), "loo:error")},
		"centres, sparse":    {sparseTable(), onCentres("gaussian", "0.01", "")},
		"documents":          {counts(), mercer.Recipe{Scale: "tfidf"}},
		"words":              {mixed(500), mercer.Recipe{}},
		"words, minmax":      {mixed(300), mercer.Recipe{Scale: "minmax"}},
		"words late":         {numbersFirst(mixed(500), 120), mercer.Recipe{}},
		"words, centres":     {mixed(400), scaledBy(onCentres("gaussian", "0.1", ""), "")},
		"a column of counts": {counting(generated(300, number)), mercer.Recipe{}},
		"documents, centres": {counts(), scaledBy(onCentres("laplacian", "1", ""), "tfidf")},
	} {
		t.Run(name, func(t *testing.T) {
			whole, shards := c.table.written(t)
			for _, fan := range []int{2, 8} {
				compare(t, whole, here{files: shards, fan: fan}, c.recipe)
			}
		})
	}
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
	near(t, "lambda", res.Params["lambda"].(float64), told.Params["lambda"].(float64), 1e-12)
	near(t, "score", res.Tuning.Value, told.Tuning.Value, 1e-9)
	near(t, "objective", res.Certificate.Objective, told.Certificate.Objective, 1e-9)
	if e, f := res.Estimate, told.Estimate; e == nil || f == nil || e.Measure != f.Measure || e.Rows != f.Rows {
		t.Errorf("estimate %+v, of one file %+v", e, f)
	} else if e.Corrected == f.Corrected { // mercer corrects that of few rows for the choice of the ridge
		near(t, "estimate", e.Error, f.Error, 1e-9)
		near(t, "its upper end", e.High, f.High, 1e-9)
	}
	for name, v := range res.Metrics["labelled"] {
		near(t, name, v, told.Metrics["labelled"][name], 1e-9)
	}
	if res.Rows != told.Rows || res.Scaling != told.Scaling || !slices.Equal(res.Classes, told.Classes) {
		t.Errorf("%+v, %s; of one file %+v, %s", res.Rows, res.Scaling, told.Rows, told.Scaling)
	}
	same(t, got, want, set.Rows)
}

// same compares what two models say of rows and keep.
func same(t *testing.T, got, want *model.Model, rows data.Rows) {
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
	if !mat.EqualApprox(a, b, 1e-9) {
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
	profiled(t, got.Profile, want.Profile)
	if len(got.Classes) == 2 {
		p, errP := got.Probabilities(a)
		q, errQ := want.Probabilities(b)
		if errP != nil || errQ != nil || !mat.EqualApprox(p, q, 1e-8) {
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
	words := generated(200, number)
	words.rows[130] = words.rows[130][:strings.LastIndex(words.rows[130], ",")] + ",high"
	ids := generated(1200, func(r *rand.Rand, _ []float64) string { return fmt.Sprint(r.IntN(1e9)) })
	names := generated(1200, func(r *rand.Rand, _ []float64) string { return fmt.Sprint("n", r.IntN(1e9)) })
	for name, c := range map[string]struct {
		table  table
		recipe mercer.Recipe
		want   string
	}{
		"a word among numbers": {words, mercer.Recipe{Task: "regression"}, `part-02.csv:15: label "high" is no number`},
		"whole numbers":        {ids, mercer.Recipe{}, "more than 1000 different whole numbers; say --task regression"},
		"names":                {names, mercer.Recipe{}, "more than 1000 different labels"},
		"one class":            {generated(90, kind(1, 0)), mercer.Recipe{}, "two classes are needed"},
		"no label":             {generated(90, kind(1, 1)), mercer.Recipe{}, "no row of column"},
		"three classes":        {generated(200, kind(3, 0)), mercer.Recipe{}, "choose --tune loo:press"},
		"another method":       {words, mercer.Recipe{Method: "svm"}, "choose --method rls"},
		"another kernel":       {words, mercer.Recipe{Kernel: "gaussian"}, "choose --kernel linear"},
		"no centres": {generated(90, number), mercer.Recipe{Kernel: "2*linear", Basis: "9",
			Set: map[string]string{"choose": "random", "weight": "2"}}, "has no centres"},
		"too many centres":     {generated(20, number), onCentres("gaussian", "1", ""), "25 of 20 labelled rows"},
		"a width that is free": {generated(90, number), onCentres("gaussian", "", ""), "add --set sigma=VALUE"},
		"greedy centres": {generated(90, number), mercer.Recipe{Kernel: "gaussian", Basis: "9", Set: map[string]string{"gamma": "1"}},
			"add --set choose=random"},
		"folds": {words, mercer.Recipe{Tune: "kfold:5"}, "choose loo:press"},
		"tfidf": {words, mercer.Recipe{Scale: "tfidf"}, "choose --scale unit or standard"},
	} {
		_, files := c.table.written(t)
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

// A wrong guess of the best ridge costs a pass and no number.
func TestDetailOfAnotherFit(t *testing.T) {
	_, files := generated(300, number).written(t)
	surveyed, err := shard.Survey(context.Background(), files, shard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := here{files: files, fan: 8}
	_, want, err := Fit(context.Background(), surveyed, h.o, task.Recipe{}, h)
	if err != nil {
		t.Fatal(err)
	}
	_, got, err := Fit(context.Background(), surveyed, h.o, task.Recipe{}, &misled{here: h})
	if err != nil {
		t.Fatal(err)
	}
	mae := func(res *mercer.Result) float64 { return res.Metrics["labelled"]["mae"] }
	if *got.Estimate != *want.Estimate || mae(got) != mae(want) || *got.Interval != *want.Interval {
		t.Errorf("%+v, want %+v", got.Estimate, want.Estimate)
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
