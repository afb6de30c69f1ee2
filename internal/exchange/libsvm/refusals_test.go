package libsvm

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

const (
	classifier = "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0.5\nlabel 1 2\nnr_sv 1 1\nSV\n1 1:1\n-1 2:1\n"
	regression = "svm_type epsilon_svr\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0.5\nSV\n1 1:1\n"
	table      = "svm_type epsilon_svr\nkernel_type precomputed\nnr_class 2\ntotal_sv 2\nrho 0.5\nSV\n1 0:3\n-2 0:1\n"
	straight   = "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias 1\nw\n0.5\n1\n-2\n"
)

// TestMadeModelsAreNotWritten: models that were made by a program say in its words what is wrong with them, and nothing is written.
func TestMadeModelsAreNotWritten(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		text   string
		change func(*Model)
		want   string
	}{
		{classifier, func(m *Model) { m.Type = "x" }, `svm_type "x" is unknown`},
		{classifier, func(m *Model) { m.Kernel = "x" }, `kernel_type "x" is unknown`},
		{classifier, func(m *Model) { m.Classes = 0 }, "nr_class is 0 for svm_type c_svc with 2 support vectors"},
		{classifier, func(m *Model) { m.Classes = 1 }, "nr_class is 1 for svm_type c_svc with 2 support vectors"},
		{regression, func(m *Model) { m.Classes, m.SV, m.Kernel = 1, nil, Precomputed },
			"nr_class is 1 for svm_type epsilon_svr with 0 support vectors"},
		{regression, func(m *Model) { m.Classes = 3 }, "nr_class is 3; svm_type epsilon_svr has 2"},
		{regression, func(m *Model) { m.Kernel, m.Degree = Polynomial, -1 }, "degree is -1; it must not be negative"},
		{classifier, func(m *Model) { m.Labels = m.Labels[:1] }, "1 labels and 2 values of nr_sv for 2 classes"},
		{classifier, func(m *Model) { m.Counts = nil }, "2 labels and 0 values of nr_sv for 2 classes"},
		{regression, func(m *Model) { m.Labels = []int{1, 2} }, "svm_type epsilon_svr has neither label nor nr_sv"},
		{regression, func(m *Model) { m.Counts = []int{1, 0} }, "svm_type epsilon_svr has neither label nor nr_sv"},
		{classifier, func(m *Model) { m.ProbA = []float64{1, 2} }, "2 values of probA, 0 of probB, for 1 pairs of classes"},
		{classifier, func(m *Model) { m.ProbB = []float64{} }, "0 values of probA, 0 of probB, for 1 pairs of classes"},
		{outlier, func(m *Model) { m.DensityMarks = m.DensityMarks[1:] }, "9 prob_density_marks; there are 10"},
		{classifier, func(m *Model) { m.Counts[0] = -1 }, "nr_sv of class 0 is -1; all classes together have 2"},
		{classifier, func(m *Model) { m.Counts[1] = 2 }, "nr_sv of class 1 is 2; all classes together have 2"},
		{table, func(m *Model) { m.Serial[1] = 0 }, "support vector 1 has the serial number 0; they count from 1"},
		{table, func(m *Model) { m.Serial[0] = math.MaxInt32 + 1 },
			"support vector 0 has the serial number 2147483648; they count from 1"},
		{classifier, func(m *Model) { m.Gamma = nan }, "the number NaN is not finite"},
		{classifier, func(m *Model) { m.Rho[0] = math.Inf(-1) }, "the number -Inf is not finite"},
		{classifier, func(m *Model) { m.ProbA, m.ProbB = []float64{1}, []float64{nan} }, "the number NaN is not finite"},
		{outlier, func(m *Model) { m.DensityMarks[3] = nan }, "the number NaN is not finite"},
		{classifier, func(m *Model) { m.SV.Value[1] = nan }, "the number NaN is not finite"},
		{classifier, func(m *Model) { m.Coef[0][1] = nan }, "the number NaN is not finite"},
	} {
		m := parse(t, c.text)
		c.change(m)
		var b bytes.Buffer
		n, err := m.WriteTo(&b)
		failtest.Refused(t, err, c.want)
		if n > 0 || b.Len() > 0 {
			t.Errorf("%s: %d bytes are written", c.want, b.Len())
		}
	}
	for want, change := range map[string]func(*LinearModel){
		`solver_type "x" is unknown`:                                   func(m *LinearModel) { m.Solver = "x" },
		"nr_class is 0 for solver_type L2R_LR":                         func(m *LinearModel) { m.Classes = 0 },
		"nr_class is 3 for solver_type L2R_L2LOSS_SVR":                 func(m *LinearModel) { m.Solver, m.Classes = "L2R_L2LOSS_SVR", 3 },
		"2 labels for 2 classes of solver_type L2R_L2LOSS_SVR":         func(m *LinearModel) { m.Solver = "L2R_L2LOSS_SVR" },
		"1 labels for 2 classes of solver_type L2R_LR":                 func(m *LinearModel) { m.Labels = m.Labels[:1] },
		"3 rows of w for -1 features and a bias of 1":                  func(m *LinearModel) { m.Features = -1 },
		"3 rows of w for 2 features and a bias of -1":                  func(m *LinearModel) { m.Bias = -1 },
		"bias is +Inf, rho 0; they must be finite":                     func(m *LinearModel) { m.Bias = math.Inf(1) },
		"bias is 1, rho NaN; they must be finite":                      func(m *LinearModel) { m.Rho = nan },
		"label 1 stands for two classes":                               func(m *LinearModel) { m.Labels[1] = 1 },
		"row 2 of w has 2 numbers for 1 outputs, or one is not finite": func(m *LinearModel) { m.W[1] = []float64{1, 2} },
		"row 3 of w has 1 numbers for 1 outputs, or one is not finite": func(m *LinearModel) { m.W[2] = []float64{nan} },
		"row 1 of w has 1 numbers for 2 outputs, or one is not finite": func(m *LinearModel) { m.Solver = crammerSinger },
	} {
		m, err := ReadLinear(strings.NewReader(straight), "f")
		if err != nil {
			t.Fatal(err)
		}
		change(m)
		var b bytes.Buffer
		_, err = m.WriteTo(&b)
		failtest.Refused(t, err, want)
		if b.Len() > 0 {
			t.Errorf("%s: %d bytes are written", want, b.Len())
		}
	}
	for want, g := range map[string]*Ranges{
		"feature 2 after 2":              {Upper: 1, Columns: []Range{{1, 0, 1}, {1, 0, 1}}},
		"feature 0 after 0":              {Upper: 1, Columns: []Range{{-1, 0, 1}}},
		"feature 2147483648 after 0":     {Upper: 1, Columns: []Range{{math.MaxInt32, 0, 1}}},
		"feature 1 ranges from 1 to 0":   {Upper: 1, Columns: []Range{{0, 1, 0}}},
		"feature 1 ranges from NaN to 0": {Upper: 1, Columns: []Range{{0, nan, 0}}},
		"features are scaled to 1..1":    {Lower: 1, Upper: 1},
		"features are scaled to -Inf..1": {Lower: math.Inf(-1), Upper: 1},
		"targets from 2..1 to 0..1":      {Upper: 1, Target: &Target{0, 1, 2, 1}},
		"targets from 0..1 to 1..1":      {Upper: 1, Target: &Target{1, 1, 0, 1}},
		"targets from 0..+Inf to 0..1":   {Upper: 1, Target: &Target{0, 1, 0, math.Inf(1)}},
	} {
		var b bytes.Buffer
		_, err := g.WriteTo(&b)
		failtest.Refused(t, err, want)
		if b.Len() > 0 {
			t.Errorf("%s: %d bytes are written", want, b.Len())
		}
	}
}

// TestFaultsOfLinearFiles: fields that stand twice, before others or not at all, and lines that are too long or short.
func TestFaultsOfLinearFiles(t *testing.T) {
	for _, c := range []struct{ old, text, want string }{
		{"bias 1\n", "bias 1\nbias 1\n", "f:6: bias stands twice"},
		{"nr_class 2\nlabel 1 -1\n", "label 1 -1\nnr_class 2\n", "f:2: label before nr_class"},
		{"bias 1\n", "", "f:5: no bias before the line w"},
		{"solver_type L2R_LR\n", "", "f:5: no solver_type before the line w"},
		{"nr_class 2\nlabel 1 -1\n", "", "f:4: no nr_class before the line w"},
		{"nr_feature 2\n", "", "f:5: no nr_feature before the line w"},
		{"label 1 -1\n", "", "f: 0 labels for 2 classes of solver_type L2R_LR"},
		{"-2\n", "-2\n3\n", "f:10: more than the 3 x 1 numbers of w"},
		{"-2\n", "", "f:8: the file ends within w"},
		{"nr_class 2", "nr_class 0", `f:2: nr_class: "0" is no whole number from 1 to 2^31-1`},
		{"nr_feature 2", "nr_feature -1", `f:4: nr_feature: "-1" is no whole number from 0 to 2^31-1`},
	} {
		_, err := ReadLinear(strings.NewReader(strings.Replace(straight, c.old, c.text, 1)), "f")
		if err == nil || !strings.HasPrefix(err.Error(), c.want+"; ") {
			t.Errorf("%v, want %s", err, c.want)
		}
		checkFault(t, err)
	}
}

// TestWithoutProbabilities: who has none says how to have some, and one class alone is certain.
func TestWithoutProbabilities(t *testing.T) {
	x := data.Rows{Dense: mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})}
	const none = "libsvm: the model has no probabilities; train it with svm-train -b 1"
	half := parse(t, classifier)
	half.ProbA = []float64{1}
	marks := parse(t, outlier)
	marks.DensityMarks = nil
	laplace := parse(t, regression)
	laplace.ProbA = []float64{1}
	for _, c := range []struct {
		m    *Model
		want string
	}{
		{parse(t, classifier), none}, {half, none}, {marks, none},
		{laplace, "libsvm: a regression has no probabilities; ProbA is the scale of its Laplace noise"},
	} {
		_, err := c.m.Probabilities(x)
		failtest.Refused(t, err, c.want)
		_, err = c.m.Couple(mat.NewDense(1, 1, nil))
		failtest.Refused(t, err, c.want)
	}
	linear, err := ReadLinear(strings.NewReader(strings.Replace(straight, "L2R_LR", "L2R_L2LOSS_SVC", 1)), "f")
	if err != nil {
		t.Fatal(err)
	}
	_, err = linear.Probabilities(x)
	failtest.Refused(t, err, "libsvm: solver_type L2R_L2LOSS_SVC has no probabilities; train a logistic regression, -s 0, 6 or 7")
	one := parse(t, "svm_type c_svc\nkernel_type rbf\ngamma 1\nnr_class 1\ntotal_sv 0\nrho\nlabel 7\nprobA\nprobB\nnr_sv 0\nSV\n")
	if p, err := one.Probabilities(x); err != nil || !mat.Equal(p, mat.NewDense(2, 1, []float64{1, 1})) {
		t.Errorf("one class has the probabilities %v, %v", p, err)
	}
	if p := within(5, parse(t, outlier).DensityMarks); p != 0 {
		t.Errorf("at the last mark the probability is %g, LIBSVM's 0", p)
	}
}

// TestWhatTheFormatLacks: a model that does more than the format can say is refused, with what to do.
func TestWhatTheFormatLacks(t *testing.T) {
	ours := func(change func(*model.Model)) *model.Model {
		m, err := parse(t, classifier).ToModel()
		if err != nil {
			t.Fatal(err)
		}
		change(m)
		return m
	}
	const words = "the model makes numbers of words, dates or missing cells, which that format has no place for; fit it on numbers"
	for _, c := range []struct {
		of   *model.Model
		want string
	}{
		{ours(func(m *model.Model) { m.Parts = append(m.Parts, m.Parts[0]) }),
			"LIBSVM's format holds one machine, this model is the sum of several; fit with --method svm or svr"},
		{ours(func(m *model.Model) { m.Classes = []string{"a", "b", "c"} }),
			"LIBSVM's format holds more than two classes one-versus-one, this model has them one-versus-rest; fit with " +
				"--multiclass one-vs-one"},
		{ours(func(m *model.Model) { m.Parts[0].Columns = []int{0} }),
			"this model looks at some of its columns only, which LIBSVM's format cannot say; fit it on those columns"},
		{ours(func(m *model.Model) { m.Scaling.Kind = data.ScaleUnit }),
			"svm-scale cannot scale rows to length 1, which this model does to its rows; fit with another --scale"},
		{ours(func(m *model.Model) { m.Scaling.Kind = data.ScaleTFIDF }),
			"svm-scale cannot weigh words by TF-IDF, as this model does; fit with another --scale"},
		{ours(func(m *model.Model) {
			m.Table = data.NewTable([]data.Column{{Name: "w", Kind: data.KindCategory, Levels: []string{"a"}}})
		}), words},
		{ours(func(m *model.Model) { m.Text = &data.Text{} }),
			"the model counts words of text, of which that format has no list; fit LIBSVM text that mercer convert --text wrote"},
		{ours(func(m *model.Model) { m.Decision = &result.Decision{Rule: "balanced"} }),
			"the model decides by --decide balanced, which that format has no place for; export it as onnx or sklearn, or fit it " +
				"without --decide"},
		{ours(func(m *model.Model) {
			m.Parts = model.Single([]kernel.Expansion{{Kernel: kernel.Laplacian{Sigma: 1}, Centres: data.Rows{Dense: rows(2, 2, 1)},
				Coef: rows(2, 1, 2)}}, nil)
		}), "libsvm: LIBSVM has no kernel like kernel.Laplacian; it has linear, polynomial, gaussian, sigmoid and precomputed"},
	} {
		_, _, err := FromModel(c.of)
		failtest.Refused(t, err, c.want)
	}
	linear := linearModels()[0]
	linear.Text = &data.Text{}
	_, _, err := LinearFromModel(linear)
	failtest.Refused(t, err, "the model counts words of text, of which that format has no list; fit LIBSVM text that mercer convert "+
		"--text wrote")
	_, err = parse(t, table).ToModel()
	failtest.Refused(t, err, "libsvm: a model of a precomputed kernel has no features; it cannot be converted")
	_, err = parse(t, strings.Replace(regression, "linear", "rbf\ngamma 0", 1)).ToModel()
	failtest.Refused(t, err, "libsvm: rbf with gamma 0, coef0 0 and degree 0 is no kernel of this program; gamma must be positive, and of "+
		"a polynomial coef0 not negative, degree positive")
	two, err := ReadLinear(strings.NewReader("solver_type MCSVM_CS\nnr_class 2\nlabel 1 2\nnr_feature 1\nbias -1\nw\n1 2\n"), "f")
	if err != nil {
		t.Fatal(err)
	}
	_, err = two.ToModel()
	failtest.Refused(t, err, "libsvm: a model of MCSVM_CS with two classes has two outputs; train it with another solver")
	for _, text := range []string{"", "1\n"} {
		_, err = ReadWeights(strings.NewReader(text), "f")
		failtest.Refused(t, err, "f: a model has a feature and a constant at least; give a file of weights that svmlin wrote")
	}
	_, err = ReadWeights(strings.NewReader("1\nx\n"), "f")
	failtest.Refused(t, err, `f:2: a weight: "x" is no finite number; `+damaged)
}

// TestShapesThatCannotBe: numbers of another shape than the machine's are a fault of the caller.
func TestShapesThatCannotBe(t *testing.T) {
	m := parse(t, small)
	linear, err := ReadLinear(strings.NewReader(straight), "f")
	if err != nil {
		t.Fatal(err)
	}
	e, err := m.Expansion()
	if err != nil {
		t.Fatal(err)
	}
	const shape = "libsvm: 3 outputs and 2 offsets for 3 labels, 4 coefficients and 4 classes for 4 centres"
	for want, f := range map[string]func(){
		"libsvm: 2 decision values for 3 pairs": func() { m.Decide(mat.NewDense(1, 2, nil)) },
		"libsvm: 4 decision values for 3 pairs": func() { _, _ = m.Couple(mat.NewDense(1, 4, nil)) },
		"libsvm: 2 outputs for a model of 1":    func() { linear.Decide(mat.NewDense(1, 2, nil)) },
		"libsvm: the classes of the centres are needed": func() {
			of := *e
			of.Class = nil
			_, _ = FromExpansion(CSVC, &of)
		},
		"libsvm: centre 1 has class 3 of 3": func() {
			of := *e
			of.Class = []int{0, 3, 1, 2}
			_, _ = FromExpansion(CSVC, &of)
		},
		shape: func() {
			of := *e
			of.Offset = of.Offset[:2]
			_, _ = FromExpansion(CSVC, &of)
		},
	} {
		failtest.Panics(t, want, f)
	}
}

// TestLongTokens: forty bytes of a token are repeated whole, of a longer one the first forty.
func TestLongTokens(t *testing.T) {
	for n, want := range map[int]string{40: `"` + strings.Repeat("x", 40) + `"`, 41: `"` + strings.Repeat("x", 40) + `"...`} {
		_, err := Read(strings.NewReader(strings.Repeat("x", n)+" 1\n"), "f")
		if err == nil || !strings.HasPrefix(err.Error(), "f:1: unknown field "+want+"; ") {
			t.Errorf("%d bytes: %v, want %s", n, err, want)
		}
	}
}

// TestNoWeights: what is more than weights and a scaling of svm-scale is written in neither format of weights.
func TestNoWeights(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(*model.Model)
	}{
		{"the model counts words of text, of which that format has no list; fit LIBSVM text that mercer convert --text wrote",
			func(m *model.Model) { m.Text = &data.Text{} }},
		{"svm-scale cannot scale rows to length 1, which this model does to its rows; fit with another --scale",
			func(m *model.Model) { m.Scaling.Kind = data.ScaleUnit }},
		{"this model has a kernel that is not linear; fit with --kernel linear", func(m *model.Model) {
			m.Parts[0].Functions = []model.Function{model.Expansion{
				Kernel: kernel.Gaussian{Sigma: 1}, Centres: data.Rows{Dense: rows(1, 3, 1)}, Coef: rows(1, 1, 2),
			}}
		}},
	} {
		m := linearModels()[0]
		c.change(m)
		_, _, err := LinearFromModel(m)
		failtest.Refused(t, err, c.want)
		_, _, err = WeightsFromModel(m)
		failtest.Refused(t, err, c.want)
	}
}

// TestNoAnswers: one class alone has no probabilities either without those of svm-train, kernel values with some training rows alone
// are not enough, and numbers beyond what a kernel or a file has are refused.
func TestNoAnswers(t *testing.T) {
	x := data.Rows{Dense: mat.NewDense(1, 2, []float64{1, 2})}
	one := parse(t, "svm_type c_svc\nkernel_type rbf\ngamma 1\nnr_class 1\ntotal_sv 0\nrho\nlabel 7\nnr_sv 0\nSV\n")
	_, err := one.Probabilities(x)
	failtest.Refused(t, err, "libsvm: the model has no probabilities; train it with svm-train -b 1")
	_, err = parse(t, table).Predict(x)
	failtest.Refused(t, err, "libsvm: the rows have 2 kernel values, support vector 0 is training row 3; give the kernel values with all "+
		"training rows")
	steep := parse(t, strings.Replace(regression, "linear", "rbf\ngamma 1.7e308", 1)) // whose width rounds to 0
	if _, err := steep.Predict(x); err == nil || !strings.HasPrefix(err.Error(), "libsvm: kernel: gaussian: sigma ") {
		t.Errorf("a gamma that has no width: %v", err)
	}
	e, err := parse(t, classifier).Expansion()
	if err != nil {
		t.Fatal(err)
	}
	e.Coef.Set(0, 0, math.Inf(1))
	_, err = FromExpansion(CSVC, e)
	failtest.Refused(t, err, "libsvm: the number -Inf is not finite")
}
