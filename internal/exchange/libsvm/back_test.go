package libsvm

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
)

// TestThereAndBack: a file whose classes are in order comes back as it was, with its probabilities, of every kind of machine and kernel.
func TestThereAndBack(t *testing.T) {
	sorted := strings.Replace(small, "label 3 -1 2", "label -1 2 3", 1)
	two := strings.Replace(classifier, "nr_sv", "probA -1.5\nprobB 0.25\nnr_sv", 1)
	plain := strings.Replace(outlier, "prob_density_marks -5 -4 -3 -2 -1 1 2 3 4 5\n", "", 1)      // which have no place here
	bent := func(text, kernel string) string { return strings.Replace(text, "linear", kernel, 1) } // a linear one is weights here
	for _, text := range []string{
		sorted, bent(two, "rbf\ngamma 0.5"), bent(classifier, "rbf\ngamma 0.125"), bent(regression, "rbf\ngamma 0.5"),
		bent(plain, "polynomial\ndegree 2\ngamma 0.5\ncoef0 0"), bent(two, "sigmoid\ngamma 0.5\ncoef0 -0.25"),
	} {
		m := parse(t, text)
		ours, err := m.ToModel()
		if err != nil {
			t.Fatal(err)
		}
		back, ranges, err := FromModel(ours)
		if err != nil || ranges != nil {
			t.Fatal(ranges, err)
		}
		back.Gamma = math.Round(back.Gamma*1e12) / 1e12 // of the width there is a root
		if d := cmp.Diff(m, back); d != "" {
			t.Errorf("%s\n%s", text, d)
		}
	}
}

// TestTableGoesBack: the centres of a precomputed kernel are known by the numbers of their rows.
func TestTableGoesBack(t *testing.T) {
	m := parse(t, table)
	e := &Expansion{Kernel: kernel.Precomputed{}, Centres: data.Rows{Dense: mat.NewDense(3, 1, nil), ID: []int{2, 5, 0}},
		Coef: mat.NewDense(3, 1, []float64{1, 0, -2}), Offset: []float64{-0.5}}
	back, err := FromExpansion(EpsilonSVR, e)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(m, back); d != "" {
		t.Error(d)
	}
}

// TestWithoutClassesOfCentres: of two classes the sign of its coefficient says which one a centre is of, of which the outputs are as
// they were; centres without a coefficient are left out, and all of them may be.
func TestWithoutClassesOfCentres(t *testing.T) {
	e := &Expansion{Kernel: kernel.Gaussian{Sigma: 1}, Centres: data.Rows{Dense: rows(4, 2, 1)},
		Coef: mat.NewDense(4, 1, []float64{1, -1, 0, 2}), Offset: []float64{0.5}, Labels: []int{3, 4}}
	m, err := FromExpansion(CSVC, e)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.Counts, []int{1, 2}) || !slices.Equal(m.Coef[0], []float64{1, -1, -2}) || m.Gamma != 0.5 {
		t.Errorf("%+v", m)
	}
	e.Coef.Zero()
	e.Centres = data.Rows{Sparse: data.CSRFromDense(e.Centres.Dense)}
	if m, err = FromExpansion(CSVC, e); err != nil || m.Len() != 0 || m.SV.C != 2 || !slices.Equal(m.Counts, []int{0, 0}) {
		t.Errorf("%+v, %v", m, err)
	}
}

// TestRangesOfScalings: svm-scale with the ranges of a model's scaling does what the scaling does.
func TestRangesOfScalings(t *testing.T) {
	x := data.Rows{Dense: rows(6, 3, 7)}
	for _, s := range []data.Scaling{
		{Kind: data.ScaleStandard, Shift: []float64{1, -2, 0.5}, Scale: []float64{2, 0.5, 1}},
		{Kind: data.ScaleMinMax, Shift: []float64{1, -2, 0.5}, Scale: []float64{2, 0.5, 1}},
		{Kind: data.ScaleStandard, Scale: []float64{2, 0.5, 1}},
	} {
		m := &model.Model{Method: "svr", Task: data.Regression, Columns: 3, Scaling: s, Parts: model.Single(
			[]kernel.Expansion{{Kernel: kernel.Gaussian{Sigma: 1}, Centres: x, Coef: rows(6, 1, 8)}}, nil)}
		theirs, ranges, err := FromModel(m)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := ranges.Apply(x).Dense, s.Apply(x).Dense; !mat.EqualApprox(got, want, 1e-12) {
			t.Errorf("%s: %v, want %v", s.Kind, mat.Formatted(got), mat.Formatted(want))
		}
		if len(theirs.Rho) != 1 || theirs.Rho[0] != 0 || theirs.Type != EpsilonSVR || theirs.SV == nil {
			t.Errorf("%s: without an offset rho is %v, of %s", s.Kind, theirs.Rho, theirs.Type)
		}
		linear := linearModels()[0]
		linear.Scaling = s
		if _, of, err := LinearFromModel(linear); err != nil || !cmp.Equal(of, ranges) {
			t.Errorf("%s: the ranges of a linear model are %+v, %v", s.Kind, of, err)
		}
	}
	if none := (&Ranges{Upper: 1, Columns: []Range{{0, 0, 1}}}).Apply(data.Rows{Dense: new(mat.Dense)}); none.Len() != 0 {
		t.Errorf("%d rows of none", none.Len())
	}
}

// TestLogisticGoesBack: a logistic machine is L2R_LR, any other of classes a support vector machine, and the output is of the first label.
func TestLogisticGoesBack(t *testing.T) {
	for method, solver := range map[string]string{
		"logistic": "L2R_LR", "linear-logistic": "L2R_LR", "linear-svm": "L2R_L2LOSS_SVC", "linear-rls": "L2R_L2LOSS_SVC",
	} {
		for _, m := range linearModels() {
			if m.Method = method; m.Classes == nil {
				continue
			}
			out, _, err := LinearFromModel(m)
			if err != nil || out.Solver != solver || out.Bias != 1 {
				t.Fatal(out, err)
			}
			if two := len(m.Classes) == 2; two != (out.Labels[0] > out.Labels[1]) {
				t.Errorf("the labels are %v", out.Labels)
			}
			back, err := out.ToModel()
			if err != nil {
				t.Fatal(err)
			}
			certain := back.Calibration == calibrate.Sigmoid{Slope: 1}
			if certain != (solver == "L2R_LR" && len(m.Classes) == 2) || (back.Method == "logistic") != (solver == "L2R_LR") {
				t.Errorf("%s of %d classes comes back as %s with the calibration %v", method, len(m.Classes), back.Method, back.Calibration)
			}
		}
	}
	pairs := linearModels()[11]
	pairs.Pairs = true
	if _, _, err := LinearFromModel(pairs); err == nil || !strings.Contains(err.Error(), "--multiclass one-vs-rest") {
		t.Error(err)
	}
}
