package answer

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
)

// plain is a model whose output is the one feature.
func plain(classes ...string) *model.Model { return steep(1, classes...) }

// steep is a model whose output is a multiple of the one feature.
func steep(slope float64, classes ...string) *model.Model {
	m := &model.Model{Method: "rls", Task: data.Classification, Classes: classes, Columns: 1, Scaling: data.Scaling{Kind: data.ScaleNone}}
	if classes == nil {
		m.Task = data.Regression
	}
	one := kernel.Expansion{
		Kernel:  kernel.Linear{},
		Centres: data.Rows{Dense: mat.NewDense(1, 1, []float64{1})},
		Coef:    mat.NewDense(1, 1, []float64{slope}),
	}
	m.Parts = model.Single([]kernel.Expansion{one}, nil)
	return m
}

// around is a model whose errors lay between lower and upper.
func around(lower, upper float64) *model.Model {
	m, errs := plain(), make([]float64, 19)
	errs[0], errs[18] = lower, upper
	r, err := model.NewResiduals(errs)
	if err != nil {
		panic(err)
	}
	m.Residuals = &r
	return m
}

func column(v ...float64) data.Rows { return data.Rows{Dense: mat.NewDense(len(v), 1, v)} }

// TestEvaluate: measures by hand; rows without an answer are left out, and classes never seen count as
// errors and leave the other measures out.
func TestEvaluate(t *testing.T) {
	rows := column(-2, -1, 1, 2, 3)
	for name, c := range map[string]struct {
		m       *model.Model
		answers data.Answers
		n       int
		want    map[string]float64
	}{
		"two classes": {plain("a", "b"), data.Answers{"a", "b", "", "b", "a"}, 4, map[string]float64{"error": 0.5, "balanced_accuracy": 0.5,
			"auc": 0.5, "prbep": 0.5}},
		"unseen": {plain("a", "b"), data.Answers{"a", "new", "b", "", "b"}, 4, map[string]float64{"error": 0.25}},
		"one class": {plain("a", "b"), data.Answers{"", "", "b", "b", "a"}, 3, map[string]float64{"error": 1. / 3,
			"balanced_accuracy": 0.5, "auc": 0, "prbep": 0.5}},
		"positives": {plain("a", "b"), data.Answers{"", "", "b", "b", "b"}, 3, map[string]float64{"error": 0, "balanced_accuracy": 1}},
		"numbers": {plain(), data.Answers{"-1", "-1", "", "2", "5"}, 4, map[string]float64{"rmse": math.Sqrt(5. / 4), "mae": 3. / 4,
			"r2": 1 - 5/24.75}},
		"numbers with intervals": {around(-1, 0.5), data.Answers{"-1.25", "-1", "", "2.5", "3.25"}, 4, map[string]float64{
			"rmse": math.Sqrt(0.875 / 4), "mae": 1.5 / 4, "r2": 1 - 0.875/(1.5625+1+6.25+10.5625-3.5*3.5/4), "coverage_90": 0.75}},
	} {
		met, n, err := Evaluate(t.Context(), c.m, rows, c.answers)
		if err != nil || n != c.n || len(met) != len(c.want) {
			t.Errorf("%s: %v of %d rows, %v", name, met, n, err)
		}
		for measure, v := range c.want {
			if math.Abs(met[measure]-v) > 1e-12 {
				t.Errorf("%s: %s %g, want %g", name, measure, met[measure], v)
			}
		}
	}
	if met, n, err := Evaluate(t.Context(), plain("a", "b"), rows, make(data.Answers, 5)); met != nil || n != 0 || err != nil {
		t.Errorf("no answers: %v, %d, %v", met, n, err)
	}
	sure := plain("a", "b")
	sure.Calibration = calibrate.Sigmoid{Slope: 1}
	met, _, err := Evaluate(t.Context(), sure, column(0, 0), data.Answers{"a", "b"})
	if err != nil || math.Abs(met["log_loss"]-math.Ln2) > 1e-9 {
		t.Errorf("log loss %v, %v", met, err)
	}
	if _, _, err := Evaluate(t.Context(), plain(), rows, data.Answers{"1", "x", "", "", ""}); err == nil {
		t.Error("an answer that is no number is measured")
	}
	// The row without a finite output is numbered among all.
	var row *model.RowError
	far := column(1, 2, math.MaxFloat64, 4, 5)
	_, _, err = Evaluate(t.Context(), steep(10, "a", "b"), far, data.Answers{"", "a", "b", "", "a"})
	if !errors.As(err, &row) || row.Row != 2 {
		t.Errorf("%v", err)
	}
}

// TestKnownOneClass: for a model of one class every answer but -1 is that class.
func TestKnownOneClass(t *testing.T) {
	m := plain("-1", "1")
	m.Method = "one-class"
	labels, unseen, err := Known(m, data.Answers{"-1", "odd", "", "1"})
	if err != nil || len(unseen) > 0 || labels.Class[0] != 0 || labels.Class[1] != 1 || labels.Class[2] != data.Unlabelled ||
		labels.Class[3] != 1 {
		t.Errorf("%v, %v, %v", labels.Class, unseen, err)
	}
	if _, unseen, err := Known(plain("-1", "1"), data.Answers{"-1", "odd", "odd", "1"}); err != nil || unseen["odd"] != 2 {
		t.Errorf("%v, %v", unseen, err)
	}
}

// TestSums: weighted sums of vectors and expansions, joined where the kernel and the rows are the same.
func TestSums(t *testing.T) {
	if s := addScaled(nil, 2, []float64{1, 3}); s[0] != 2 || s[1] != 6 {
		t.Errorf("%v", s)
	}
	if s := addScaled([]float64{1, 1}, -1, nil); s[0] != 1 || s[1] != 1 {
		t.Errorf("%v", s)
	}
	a := kernel.Expansion{Kernel: kernel.Gaussian{Sigma: 1}, Centres: column(1, 2), Coef: mat.NewDense(2, 1, []float64{1, 2})}
	other := a
	other.Kernel = kernel.Gaussian{Sigma: 2}
	sum := addExpansion(addExpansion(addExpansion(nil, a, 3), a, 0.5), other, 1)
	if len(sum) != 2 || sum[0].Coef.At(1, 0) != 7 || sum[1].Coef.At(1, 0) != 2 || a.Coef.At(1, 0) != 2 {
		t.Errorf("%v", sum)
	}
	if n := support(mat.NewDense(3, 2, []float64{0, 0, 0, 1, 1, 0})); n != 2 {
		t.Errorf("%d rows have a coefficient", n)
	}
	if p := pick(mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6}), []int{2, 0}); p.At(0, 1) != 6 || p.At(1, 0) != 1 {
		t.Errorf("%v", p)
	}
}

// TestSpacedRows: of more than 2000 rows so many, evenly spaced, of fewer all.
func TestSpacedRows(t *testing.T) {
	rows, idx := make([]float64, 4010), []int{}
	for i := range rows {
		rows[i] = float64(i)
		if i >= 10 {
			idx = append(idx, i)
		}
	}
	few, many := spaced(column(rows...), idx[:1990]), spaced(column(rows...), idx)
	if few.Len() != 1990 || few.Dense.At(1989, 0) != 1999 || many.Len() != 2000 ||
		many.Dense.At(0, 0) != 10 || many.Dense.At(1999, 0) != 4008 {
		t.Errorf("%d and %d rows, the last %g", few.Len(), many.Len(), many.Dense.At(many.Len()-1, 0))
	}
}
