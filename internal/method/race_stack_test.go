package method

import (
	"math"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/design"
	"github.com/mercer-ml/mercer/internal/relevance"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/result"
	"gonum.org/v1/gonum/mat"
)

// Errors and log losses of a stack are those of the rows asked for, by its shares: with one factor and no offset the logarithm of the
// odds of two classes is the difference of their shares.
func TestErrorsOfStack(t *testing.T) {
	p := &learn.Problem{Class: []int{0, 1, 1, 0}, Classes: []string{"a", "b"}}
	c := &choose.Choice{Shares: &calibrate.Shares{Linear: 1, Offset: []float64{0, 0}}}
	out := mat.NewDense(4, 1, []float64{-1, 1, -0.5, 0.5}) // the third and the fourth row are taken for the other class
	for _, s := range []struct {
		rows []int
		want float64
	}{{[]int{0, 1}, 0}, {[]int{2, 3}, 1}, {[]int{0, 1, 2}, 1. / 3}} {
		if got := errorOf(p, c, out, s.rows); math.Abs(got-s.want) > 1e-15 {
			t.Errorf("rows %v: error %g, want %g", s.rows, got, s.want)
		}
		loss, err := lossOf(p, c, out, s.rows)
		var want float64
		for _, i := range s.rows {
			odds := out.At(i, 0) // of the second class: (1+f)/2 - (1-f)/2
			if p.Class[i] == 0 {
				odds = -odds
			}
			p := (1-calibrate.ShareSmooth)/(1+math.Exp(-odds)) + calibrate.ShareSmooth/2
			want -= math.Log(p) / float64(len(s.rows))
		}
		if err != nil || math.Abs(loss-want) > 1e-9*want {
			t.Errorf("rows %v: log loss %g, want %g, %v", s.rows, loss, want, err)
		}
	}
	// A row of weight 2 is one that stands twice.
	p.Weight = []float64{1, 1, 2, 1}
	once, twice := []int{0, 2}, []int{0, 2, 2}
	weighed, failed := lossOf(p, c, out, once)
	errs := errorOf(p, c, out, once)
	p.Weight = nil
	counted, err := lossOf(p, c, out, twice)
	if err != nil || failed != nil || math.Abs(weighed-counted) > 1e-15 || errs != errorOf(p, c, out, twice) || errs != 2./3 {
		t.Errorf("weighted: error %g, log loss %g, want %g", errs, weighed, counted)
	}
	if got := intersection([]int{1, 3, 5}, []int{0, 3, 4, 5}); !slices.Equal(got, []int{3, 5}) {
		t.Errorf("both have %v", got)
	}
}

// A stack stands beside a race of classes where it could be trained alone, and not beyond 40 000 rows.
func TestStackedBeside(t *testing.T) {
	r := task.Request{Values: setting.Values{}}
	for _, c := range []struct {
		rows, labelled, features int
		want                     bool
	}{{3000, 3000, 20, true}, {2000, 2000, 20, false}, {40001, 40001, 20, false}, {3000, 2500, 20, false}, {3000, 3000, 501, false}} {
		s := task.Size{Task: data.Classification, Rows: c.rows, Labelled: c.labelled, Features: c.features}
		if got := stackedBeside(s, r); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}

// TestStackOfEfforts: a stack has as many machines with learned kernels as are forecast, two of each kernel, high effort a metric too, and
// a linear one at the end.
func TestStackOfEfforts(t *testing.T) {
	for text, high := range map[string]bool{"auto": false, "auto --effort low": false, "auto --effort high": true} {
		m, r, err := Read(asked(t, text))
		if err != nil {
			t.Fatal(err)
		}
		p, err := task.Prepare(t.Context(), inputs()["two"], r, result.Options{}, m.Coding, 0)
		if err != nil {
			t.Fatal(err)
		}
		plan := stackPlan(p)
		kernels := len(plan) - 1
		_, metric := plan[kernels-1].Own.(kernel.MetricLaplacian)
		if pairs(p.Request) != float64(2*kernels) || metric != high || !plan[kernels].Linear {
			t.Errorf("%s: %d kernels, %g machines forecast, a metric %v", text, kernels, pairs(p.Request), metric)
		}
		for _, one := range plan[:kernels] {
			if one.Maker == nil {
				t.Errorf("%s: nothing learns %T", text, one.Own)
			}
		}
	}
}

// TestCentresOfAStack: up to 3000 rows all are centres, whose tables are forecast; one more has landmarks, a thousand of low effort.
func TestCentresOfAStack(t *testing.T) {
	m, r, err := Read(asked(t, "auto --effort low"))
	if err != nil {
		t.Fatal(err)
	}
	bytes := func(rows int) float64 {
		s := task.Size{Task: data.Regression, Rows: rows, Labelled: rows, Features: 5, Outputs: 1, Stored: float64(5 * rows), Processors: 2}
		f := m.Form(s, r)
		if f.Name != "stack" {
			t.Fatalf("%d rows: %s", rows, f.Name)
		}
		return f.Bytes(s, r)
	}
	if before, last, next := bytes(2999), bytes(3000), bytes(3001); before >= last || next > last/2 {
		t.Errorf("2999 rows take %g bytes, 3000 %g, 3001 %g", before, last, next)
	}
}

// TestMetricOfManyColumns: a learned metric has a number for each pair of up to 200 columns; of more it has one for each column.
func TestMetricOfManyColumns(t *testing.T) {
	m, r, err := Read(asked(t, "auto --effort high"))
	if err != nil {
		t.Fatal(err)
	}
	for columns, pairs := range map[int]bool{200: true, 201: false} {
		p, err := task.Prepare(t.Context(), wide(columns, false), r, result.Options{}, m.Coding, 0)
		if err != nil {
			t.Fatal(err)
		}
		plan := stackPlan(p)
		one := plan[len(plan)-2].Maker.(design.Halves).Learner.(relevance.Metric)
		one.Rounds, one.Steps = 1, 2 // what is learned does not matter
		learned, err := one.Learn(t.Context(), p.Problem, p.Problem)
		if err != nil {
			t.Fatal(err)
		}
		if k := learned.Kernel.(kernel.MetricLaplacian); (k.Metric != nil) != pairs || (len(k.Diagonal) == columns) == pairs {
			t.Errorf("%d columns: a metric of pairs %t, %d numbers of columns", columns, k.Metric != nil, len(k.Diagonal))
		}
	}
}
