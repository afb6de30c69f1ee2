package libsvm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// rows draws n dense rows of d columns.
func rows(n, d int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 5))
	x := mat.NewDense(n, d, nil)
	x.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, x)
	return x
}

// Whatever the order of the labels in the file, a pair's probability is the same after a conversion,
// and so is the decision.
func TestProbabilitiesSurviveConversion(t *testing.T) {
	for _, labels := range []string{"1 -1", "-1 1", "1 2 3", "3 1 2", "2 3 1", "3 2 1", "5 -2 9 0"} {
		k := len(strings.Fields(labels))
		text := fmt.Sprintf("svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class %d\ntotal_sv %d\nrho", k, k)
		list := func(name string, value func(i int) float64) {
			text += "\n" + name
			for i := range k * (k - 1) / 2 {
				text += fmt.Sprintf(" %g", value(i))
			}
		}
		for i := range k * (k - 1) / 2 {
			text += fmt.Sprintf(" %g", 0.1*float64(i)-0.2)
		}
		text += "\nlabel " + labels
		list("probA", func(i int) float64 { return -1 - float64(i) })
		list("probB", func(i int) float64 { return 0.7 - 0.4*float64(i) })
		text += "\nnr_sv" + strings.Repeat(" 1", k) + "\nSV\n"
		for c := range k {
			for r := range k - 1 {
				text += fmt.Sprintf("%g ", float64(1-2*(c%2))*(1+0.3*float64(r+c)))
			}
			text += fmt.Sprintf("1:%g 2:%g\n", float64(c), float64(c*c)/3)
		}
		m := parse(t, text)
		ours, err := m.ToModel()
		if err != nil {
			t.Fatal(err)
		}
		x := rows(20, 2, 1)
		f, err := m.Decision(data.Rows{Dense: x})
		if err != nil {
			t.Fatal(err)
		}
		out, err := ours.Predict(t.Context(), data.Rows{Dense: x})
		if err != nil {
			t.Fatal(err)
		}
		pairs := calibrate.Pairs{}
		switch c := ours.Calibration.(type) {
		case calibrate.Sigmoid:
			pairs.Pair = []calibrate.Sigmoid{c}
		case calibrate.Pairs:
			pairs = c
		}
		at := func(class int) int { // the place in the file
			return slices.IndexFunc(m.Labels, func(l int) bool { return strconv.Itoa(l) == ours.Classes[class] })
		}
		for i := range 20 {
			for a := range k {
				for b := a + 1; b < k; b++ {
					first, second := at(a), at(b)
					o := pair(k, min(first, second), max(first, second))
					want := 1 / (1 + math.Exp(m.ProbA[o]*f.At(i, o)+m.ProbB[o])) // of the first in the file
					if first < second {
						want = 1 - want
					}
					q := pair(k, a, b)
					if got := pairs.Pair[q].Probability(out.At(i, q)); math.Abs(got-want) > 1e-12 {
						t.Fatalf(
							"labels %s, row %d, classes %s and %s: %g, LIBSVM's %g",
							labels,
							i,
							ours.Classes[a],
							ours.Classes[b],
							got,
							want,
						)
					}
				}
			}
			if got, want := ours.Classes[ours.Decide(out)[i]], m.Decide(f)[i]; got != strconv.Itoa(int(want)) && k == 2 {
				t.Errorf("labels %s, row %d: %s, LIBSVM's %g", labels, i, got, want)
			}
		}
	}
}

// A linear model keeps its outputs, the bias times its weight with them: by definition, for classes
// in either order, several classes, regressions and one-class machines, dense weights and few.
func TestLinearConversion(t *testing.T) {
	for name, text := range map[string]string{
		"two":     "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 3\nbias 2.5\nw\n0.5\n-1\n2\n0.75\n",
		"turned":  "solver_type L2R_LR\nnr_class 2\nlabel -1 1\nnr_feature 3\nbias 2.5\nw\n0.5\n-1\n2\n0.75\n",
		"no bias": "solver_type L2R_L2LOSS_SVC\nnr_class 2\nlabel 1 -1\nnr_feature 3\nbias -1\nw\n0.5\n-1\n2\n",
		"bias 0":  "solver_type L2R_L2LOSS_SVC\nnr_class 2\nlabel 1 -1\nnr_feature 3\nbias 0\nw\n0.5\n-1\n2\n0.75\n",
		"three":   "solver_type MCSVM_CS\nnr_class 3\nlabel 3 1 2\nnr_feature 3\nbias 0.5\nw\n1 2 3\n-1 0.5 0\n0 0 1\n3 -2 1\n",
		"sparse": "solver_type L1R_LR\nnr_class 3\nlabel 3 1 2\nnr_feature 30\nbias 0.5\nw\n" + strings.Repeat("0 0 0\n", 29) +
			"0 0 1\n3 -2 1\n",
		"regression": "solver_type L2R_L2LOSS_SVR\nnr_class 2\nnr_feature 3\nbias 2.5\nw\n0.5\n-1\n2\n0.75\n",
		"one class":  "solver_type ONECLASS_SVM\nnr_class 2\nnr_feature 3\nbias -1\nrho 0.25\nw\n0.5\n-1\n2\n",
	} {
		m, err := ReadLinear(strings.NewReader(text), "f")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		ours, err := m.ToModel()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		x := rows(12, m.Features, 2)
		for _, form := range []data.Rows{{Dense: x}, {Sparse: data.CSRFromDense(x)}} {
			out, err := ours.Predict(t.Context(), form)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for i := range 12 {
				for c := range m.Outputs() {
					want := -m.Rho
					for j := range m.Features {
						want += m.W[j][c] * x.At(i, j)
					}
					if m.Bias >= 0 {
						want += m.Bias * m.W[m.Features][c]
					}
					o := c
					if m.Outputs() > 1 {
						o = slices.Index(ours.Classes, strconv.Itoa(m.Labels[c]))
					} else if m.Labels != nil && m.Labels[0] < m.Labels[1] {
						want = -want // LIBLINEAR's output is positive for its first label
					}
					if got := out.At(i, o); math.Abs(got-want) > 1e-13 {
						t.Errorf("%s, row %d, output %d: %g, want %g", name, i, o, got, want)
					}
				}
			}
		}
		if _, ok := ours.Parts[0].Functions[0].(model.Linear); ok == (name == "sparse") {
			t.Errorf("%s: stored as %T", name, ours.Parts[0].Functions[0])
		}
	}
}

// A linear machine goes to LIBSVM's form and back, whichever form its model has here.
func TestLinearGoesBack(t *testing.T) {
	x, fresh := rows(12, 3, 3), data.Rows{Dense: rows(9, 3, 4)}
	for outputs, classes := range map[int][]string{1: {"-1", "1"}, 3: {"1", "2", "3"}} {
		ours := &model.Model{
			Method:  "svm",
			Task:    data.Classification,
			Classes: classes,
			Pairs:   outputs > 1,
			Columns: 3,
			Scaling: data.Scaling{Kind: data.ScaleNone},
			Parts: model.Single(
				[]kernel.Expansion{{Kernel: kernel.Linear{}, Centres: data.Rows{Dense: x}, Coef: rows(12, outputs, 5)}},
				make([]float64, outputs),
			),
		}
		theirs, _, err := FromModel(ours)
		if err != nil {
			t.Fatal(err)
		}
		back, err := theirs.ToModel()
		if err != nil {
			t.Fatal(err)
		}
		a, errA := ours.Predict(t.Context(), fresh)
		b, errB := back.Predict(t.Context(), fresh)
		if errA != nil || errB != nil || !mat.EqualApprox(a, b, 1e-12) {
			t.Errorf("%d outputs: other predictions (%v, %v)", outputs, errA, errB)
		}
	}
}

// What the format cannot hold is refused, a weighted mean too.
func TestNoFormThere(t *testing.T) {
	e := kernel.Expansion{Kernel: kernel.Gaussian{Sigma: 1}, Centres: data.Rows{Dense: rows(4, 2, 1)}, Coef: rows(4, 1, 2)}
	for want, parts := range map[string][]model.Part{
		"weighted mean":     model.WeightedMean(e, false, nil),
		"sum of several":    model.Single([]kernel.Expansion{e, e}, nil),
		"no support vector": {{Offset: []float64{1}}},
	} {
		m := &model.Model{Method: "rls", Task: data.Regression, Columns: 2, Scaling: data.Scaling{Kind: data.ScaleNone}, Parts: parts}
		if _, _, err := FromModel(m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	shares := &model.Model{Method: "rls", Task: data.Classification, Classes: []string{"a", "b"}, Columns: 2,
		Scaling: data.Scaling{Kind: data.ScaleNone}, Parts: model.Single([]kernel.Expansion{e}, nil), Calibration: calibrate.Shares{Linear: 1}}
	if _, _, err := FromModel(shares); err == nil || !strings.Contains(err.Error(), "decides by its probabilities") {
		t.Errorf("of shares: %v", err)
	}
	two := append(model.Single([]kernel.Expansion{e}, nil), model.Single([]kernel.Expansion{e}, nil)...)
	m := &model.Model{Method: "rls", Task: data.Regression, Columns: 2, Scaling: data.Scaling{Kind: data.ScaleNone}, Parts: two}
	if _, _, err := FromModel(m); err == nil {
		t.Error("two parts became one machine")
	}
}

// A model whose support vectors have no feature at all predicts a constant.
func TestVectorsWithoutFeatures(t *testing.T) {
	for _, k := range []string{"linear", "rbf\ngamma 0.5"} {
		m := parse(t, "svm_type epsilon_svr\nkernel_type "+k+"\nnr_class 2\ntotal_sv 1\nrho 0.5\nSV\n2 \n")
		ours, err := m.ToModel()
		if err != nil {
			t.Fatal(err)
		}
		x := data.Rows{Sparse: &data.CSR{R: 1, C: ours.Columns, Start: []int{0, 0}}}
		want, err := m.Predict(x)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ours.Predict(t.Context(), x)
		if err != nil || got.At(0, 0) != want[0] {
			t.Errorf("%s: %v, want %v (%v)", k, got, want, err)
		}
	}
}

// With the ranges for its scaling a model predicts for rows as they are what it did for scaled rows,
// also where a column has one value only or is not listed: svm-scale leaves those out.
func TestRescale(t *testing.T) {
	ranges := &Ranges{Lower: -1, Upper: 1, Columns: []Range{{0, -2, 3}, {2, 1.5, 1.5}, {3, 0, 4}, {9, 0, 1}}}
	raw := data.Rows{Dense: rows(15, 5, 6)}
	for name, text := range map[string]string{
		"rbf":    "kernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho 0.5\nSV\n2 1:0.5 4:-1\n-1 1:0.2 4:0.3\n",
		"linear": "kernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0.5\nSV\n2 1:0.5 4:-1\n-1 1:0.2 4:0.3\n",
		"wide":   "kernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho 0.5\nSV\n2 1:0.5 4:-1\n-1 1:0.2 4:0.3 5:0\n",
	} {
		read := func() *model.Model {
			m, err := parse(t, "svm_type epsilon_svr\n"+text).ToModel()
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		plain, scaled := read(), read()
		own := make([]int, plain.Columns)
		for j := range own {
			own[j] = j
		}
		if err := Rescale(scaled, ranges, 1<<20); err != nil {
			t.Fatal(err)
		}
		x := raw.SelectColumns(own)
		want, errA := plain.Predict(t.Context(), ranges.Apply(x))
		got, errB := scaled.Predict(t.Context(), x)
		if errA != nil || errB != nil || !mat.EqualApprox(got, want, 1e-12) {
			t.Errorf("%s: %v, want %v (%v, %v)", name, mat.Formatted(got), mat.Formatted(want), errA, errB)
		}
		if _, _, err := FromModel(scaled); err == nil {
			t.Errorf("%s: columns that are not looked at were exported", name)
		}
	}
	m, err := parse(t, "svm_type epsilon_svr\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 1\nrho 0.5\nSV\n2 2147483647:1\n").ToModel()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		m    *model.Model
		g    *Ranges
		want string
	}{
		{m, ranges, "2147483647 columns need"},
		{&model.Model{Columns: 1, Parts: []model.Part{{}}}, &Ranges{Lower: -1, Upper: 1, Columns: []Range{{0, 2, 2}}}, "no column"},
		{&model.Model{Columns: 1, Parts: []model.Part{{}}}, &Ranges{Lower: -1, Upper: 1, Columns: []Range{{0, -1e308, 1.5e308}}},
			"feature 1"},
		{&model.Model{Columns: 1, Parts: []model.Part{{}}}, &Ranges{Target: &Target{}}, "targets were scaled"},
	} {
		if err := Rescale(c.m, c.g, 1<<20); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
