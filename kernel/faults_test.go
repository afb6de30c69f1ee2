package kernel_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/kerneltest"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// A sum with a term that depends on its training rows expands term by term, and
// what cannot be expanded says so.
func TestForeignKernels(t *testing.T) {
	rows := cloud(20, 5, 6)
	foreign := other{kernel.Gaussian{Sigma: 2}}
	kerneltest.Run(t, kernel.Sum{Terms: []kernel.Kernel{kernel.Linear{}, foreign}}, rows)
	kerneltest.Run(t, kernel.Scaled{Weight: 3, Base: foreign}, rows)
	parts, err := bind(t, kernel.Sum{Terms: []kernel.Kernel{kernel.Linear{}, foreign}}, rows, nil).Expand(mat.NewDense(20, 1, nil), nil)
	if err != nil || len(parts) != 2 {
		t.Errorf("%d expansions (%v), expected 2", len(parts), err)
	}
	for _, k := range []kernel.Kernel{
		kernel.Product{Terms: []kernel.Kernel{foreign}}, kernel.Normalised{Base: foreign}, kernel.Columns{Base: foreign, Columns: []int{0}},
	} {
		if _, err := bind(t, k, rows, nil).Expand(mat.NewDense(20, 1, nil), nil); err == nil {
			t.Errorf("%T of a foreign kernel was expanded", k)
		}
	}
}

// other is a kernel of another package.
type other struct{ kernel.Gaussian }

func (o other) With(theta []float64) (kernel.Kernel, error) {
	k, err := o.Gaussian.With(theta)
	if err != nil {
		return nil, err
	}
	return other{k.(kernel.Gaussian)}, nil
}

func (o other) Adapt(rows data.Rows) kernel.Kernel {
	return other{o.Gaussian.Adapt(rows).(kernel.Gaussian)}
}

func TestFaults(t *testing.T) {
	rows := cloud(6, 3, 7)
	asymmetric := given(6)
	asymmetric.Set(0, 1, asymmetric.At(0, 1)+1)
	for _, c := range []struct {
		k    kernel.Kernel
		want string
	}{
		{kernel.Gaussian{}, "sigma is not set"},
		{kernel.Gaussian{Sigma: -1}, "sigma is -1"},
		{kernel.Gaussian{Sigma: math.Inf(1)}, "sigma is +Inf"},
		{kernel.ARDGaussian{Sigma: []float64{1, 2}}, "2 widths for rows of 3 columns"},
		{kernel.ARDGaussian{Sigma: []float64{1, 0, 2}}, "sigma[2] is not set"},
		{kernel.ANOVA{Weight: []float64{1}, Knots: [][]float64{{0, 1}}}, "sigma is not set"},
		{kernel.ANOVA{Sigma: 0.3}, "no weights"},
		{kernel.ANOVA{Weight: []float64{1, 1, 1}, Sigma: 0.001}, "sigma is 0.001"},
		{kernel.ANOVA{Weight: []float64{1, 0, 1}, Sigma: 0.3}, "weight[2] is not set"},
		{kernel.ANOVA{Weight: []float64{1, 1, 1}, Sigma: 0.3}, "knots of 0 columns for rows of 3"},
		{kernel.ANOVA{Weight: []float64{1, 1, 1}, Sigma: 0.3, Knots: [][]float64{{1, 0}, {0}, {0}}}, "knots of column 1"},
		{kernel.MetricLaplacian{}, "sigma is not set"},
		{kernel.MetricLaplacian{Sigma: 1, Diagonal: []float64{1, 2}}, "a metric of 2 columns for rows of 3"},
		{kernel.MetricLaplacian{Sigma: 1, Diagonal: []float64{1, -2, 1}}, "diagonal[2] is -2"},
		{kernel.MetricLaplacian{Sigma: 1, Metric: mat.NewDense(3, 3, []float64{1, 2, 0, 2, 1, 0, 0, 0, 1})}, "the eigenvalue -1"},
		{kernel.MetricLaplacian{Sigma: 1, Metric: mat.NewDense(3, 3, []float64{1, 2, 0, 1, 1, 0, 0, 0, 1})}, "not symmetric at (2, 1)"},
		{kernel.MetricLaplacian{Sigma: 1, Metric: mat.NewDense(3, 3, nil), Diagonal: []float64{1, 1, 1}}, "a metric and a diagonal"},
		{kernel.MetricLaplacian{Sigma: 1, Metric: mat.NewDense(3, 2, nil)}, "the metric has 3 rows and 2 columns"},
		{kernel.MetricLaplacian{Sigma: 1, Metric: mat.NewDense(2, 2, []float64{1, 0, 0, math.Inf(1)})}, "not finite or not symmetric at (2, 2)"},
		{kernel.ARDGaussian{}, "ard-gaussian: no widths"},
		{kernel.ARDL1Laplacian{}, "ard-l1-laplacian: no widths"},
		{kernel.ARDL1Laplacian{Sigma: []float64{1, 2}}, "ard-l1-laplacian: 2 widths for rows of 3 columns"},
		{kernel.ARDRational{Sigma: []float64{1, 1, 1}, Power: 1}, "alpha is not set"},
		{kernel.ARDRational{Sigma: []float64{1, 1, 1}, Alpha: 1}, "power is 0; it must be 1 or 2"},
		{kernel.ARDRational{Sigma: []float64{1, 1, 1}, Alpha: 1, Power: 3}, "power is 3"},
		{kernel.ARDRational{Sigma: []float64{1, 1, 1}, Alpha: 1, Power: -1}, "power is -1"},
		{kernel.ARDRational{Sigma: []float64{1, 1}, Alpha: 1, Power: 1}, "ard-rational: 2 widths for rows of 3 columns"},
		{kernel.ARDRational{Sigma: []float64{1, 1}, Alpha: 1, Power: 1, Names: []string{"a"}}, "1 names for 2 widths"},
		{kernel.ARDRational{Sigma: []float64{1, 0}, Alpha: 1, Power: 1, Names: []string{"a", "b"}}, "sigma[b] is not set"},
		{kernel.ARDRational{Sigma: []float64{1, 1}, Alpha: 1, Power: 1, Group: []int{0, 1, 2}}, "column 3 is of group 3 of 2"},
		{kernel.ARDRational{Sigma: []float64{1, 1}, Alpha: 1, Power: 1, Group: []int{0, -1, 1}}, "column 2 is of group 0 of 2"},
		{kernel.ARDRational{Sigma: []float64{1, 1}, Alpha: 1, Power: 1, Group: []int{0, 1}}, "2 widths for rows of 3 columns"},
		{kernel.ANOVA{Weight: []float64{1, 1}, Sigma: 0.3, Knots: [][]float64{{0}, {0}, {0}}}, "anova: 2 weights for rows of 3 columns"},
		{kernel.ANOVA{Weight: []float64{1}, Sigma: 0.3, Knots: [][]float64{{0}, {}}}, "knots of column 2"},
		{kernel.ANOVA{Weight: []float64{1}, Sigma: 0.3, Knots: [][]float64{{math.Inf(-1), 0}}}, "knots of column 1"},
		{kernel.ANOVA{Weight: []float64{1}, Sigma: 0.3, Knots: [][]float64{{0, math.Inf(1)}}}, "knots of column 1"},
		{kernel.Columns{Base: kernel.Linear{}, Columns: []int{0, 1}, Names: []string{"a"}}, "1 names for 2 columns"},
		{kernel.Columns{Base: kernel.Gaussian{}, Columns: []int{0}}, "columns: gaussian: sigma is not set"},
		{kernel.Normalised{Base: kernel.Gaussian{}}, "sigma is not set"},
		{kernel.Product{}, "product: no terms"},
		{kernel.Product{Terms: []kernel.Kernel{kernel.Linear{}, nil}}, "term 2: a kernel is missing"},
		{kernel.ARDLinear{}, "no penalties"},
		{kernel.ARDLinear{C: []float64{1, 2}}, "2 penalties for rows of 3 columns"},
		{kernel.ARDLinear{C: []float64{1, 0, 2}}, "c[2] is not set"},
		{kernel.ARDLinear{C: []float64{1, 3, math.NaN()}}, "c[3] is NaN"},
		{kernel.ExpChi2{}, "sigma is not set"},
		{kernel.Chi2Map{Harmonics: 65}, "harmonics is 65"},
		{kernel.Chi2Map{Step: math.Inf(1)}, "step is +Inf"},
		{kernel.Polynomial{Scale: 1}, "degree is 0"},
		{kernel.Polynomial{Degree: 2, Scale: 1, Offset: -1}, "offset is -1"},
		{kernel.Sigmoid{Scale: 1, Offset: math.NaN()}, "offset is NaN"},
		{kernel.Sum{}, "no terms"},
		{kernel.Sum{Terms: []kernel.Kernel{kernel.Linear{}, kernel.Gaussian{}}}, "term 2: gaussian: sigma is not set"},
		{kernel.Scaled{Weight: 1}, "a kernel is missing"},
		{kernel.Columns{Base: kernel.Linear{}}, "none listed"},
		{kernel.Columns{Base: kernel.Linear{}, Columns: []int{1, 3}}, "column number 3"},
		{kernel.Columns{Base: kernel.Gaussian{}, Columns: []int{-1}}.Adapt(rows), "column number -1"},
		{kernel.Precomputed{}, "no matrix"},
		{kernel.Precomputed{K: mat.NewDense(2, 3, nil)}, "must be square"},
		{kernel.Precomputed{K: given(5)}, "training row 5 has number 5"},
		{kernel.Precomputed{K: asymmetric}, "symmetric"},
	} {
		_, err := c.k.Bind(context.Background(), rows, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "kernel: ") {
			t.Errorf("%+v: error %v, expected kernel: ... %s", c.k, err, c.want)
		}
	}
	far := data.Rows{Dense: mat.NewDense(2, 1, nil), ID: []int{0, 9}}
	_, err := kernel.Precomputed{K: given(5)}.Bind(context.Background(), far, nil)
	if want := "training row 1 has number 9, the matrix is 5x5;"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
	dst := mat.NewDense(2, 6, nil)
	for _, k := range []kernel.Kernel{kernel.Gaussian{Sigma: 1}, kernel.Columns{Base: kernel.Linear{}, Columns: []int{0}}} {
		if err := bind(t, k, rows, nil).Cross(dst, cloud(2, 4, 8), nil); err == nil ||
			!strings.Contains(err.Error(), "4 columns, the training rows 3") {
			t.Errorf("rows of another width: error %v", err)
		}
	}
	strange := cloud(2, 3, 8)
	strange.ID = []int{0, -1}
	if err := bind(t, kernel.Precomputed{K: given(6)}, rows, nil).Cross(dst, strange, nil); err == nil ||
		!strings.Contains(err.Error(), "new row 1 is in no set") {
		t.Errorf("rows outside the matrix: error %v", err)
	}
}

// Rows of no length have no direction: their normalised kernel is 0.
func TestNormalisedZeroRow(t *testing.T) {
	rows := data.Rows{Dense: mat.NewDense(2, 1, []float64{0, 3})}
	m := full(bind(t, kernel.Normalised{Base: kernel.Linear{}}, rows, nil))
	if want := mat.NewDense(2, 2, []float64{0, 0, 0, 1}); distance(t, m, want) > 1e-15 {
		t.Errorf("got %v", m)
	}
}

// A binding to columns must not read the tables of other columns.
func TestWorkScopes(t *testing.T) {
	rows := cloud(20, 3, 8)
	w := new(kernel.Work)
	g := kernel.Gaussian{Sigma: 1}
	for _, k := range []kernel.Kernel{
		g, kernel.Columns{Base: g, Columns: []int{0}}, kernel.Columns{Base: g, Columns: []int{1, 2}},
		kernel.Columns{Base: kernel.Columns{Base: g, Columns: []int{0}}, Columns: []int{1, 2}},
	} {
		if e := distance(t, full(bind(t, k, rows, w)), full(bind(t, k, rows, nil))); e > 1e-14 {
			t.Errorf("%+v: a Work changes the matrix by %g", k, e)
		}
	}
}

// The simplexes of two terms stay two simplexes.
func TestGroupsOfTerms(t *testing.T) {
	s := kernel.Sum{Terms: []kernel.Kernel{grouped{}, kernel.Gaussian{Sigma: 1}, grouped{}}}.Space()
	var got []int
	for _, d := range s {
		got = append(got, d.Group)
	}
	if want := []int{1, 2, 0, 3, 4}; !slices.Equal(got, want) {
		t.Errorf("groups %v, expected %v", got, want)
	}
	if s[2].Name != "2.sigma" || s[4].Name != "3.b" {
		t.Errorf("names %s, %s", s[2].Name, s[4].Name)
	}
}

type grouped struct{ kernel.Linear }

func (grouped) Space() param.Space {
	return param.Space{{Name: "a", Kind: param.Simplex, Group: 1}, {Name: "b", Kind: param.Simplex, Group: 2}}
}

// Rows of another number of columns are refused by every kernel that compares columns.
func TestRowsOfAnotherWidth(t *testing.T) {
	dense := cloud(40, 5, 7)
	for _, rows := range []data.Rows{dense, {Sparse: data.CSRFromDense(dense.Dense)}} {
		for _, k := range append(kernels(), kernel.LowRank{Base: kernel.Gaussian{Sigma: 1}, Centres: cloud(3, 5, 8)}) {
			if _, ok := k.(kernel.Precomputed); ok {
				continue
			}
			err := bind(t, k, rows, nil).Cross(mat.NewDense(2, 40, nil), cloud(2, 4, 8), nil)
			if err == nil || !strings.Contains(err.Error(), "the new rows have 4 columns, the training rows 5") {
				t.Errorf("%T: error %v", k, err)
			}
		}
	}
}

// Shapes that do not fit are the caller's mistake.
func TestShapesThatDoNotFit(t *testing.T) {
	g := bind(t, kernel.Gaussian{Sigma: 1}, cloud(6, 2, 1), nil)
	m := func(r, c int) *mat.Dense { return mat.NewDense(r, c, nil) }
	for want, f := range map[string]func(){
		"block of 6x2 in a matrix of 6x3": func() { g.Block(m(6, 3), nil, []int{0, 1}) },
		"block of 1x6 in a matrix of 2x6": func() { g.Block(m(2, 6), []int{0}, nil) },
		"cross of 2x6 in a matrix of 2x5": func() { _ = g.Cross(m(2, 5), cloud(2, 2, 1), nil) },
		"cross of 2x6 in a matrix of 3x6": func() { _ = g.Cross(m(3, 6), cloud(2, 2, 1), nil) },
		"gradient of length 2 for 1":      func() { _ = g.Pull([]float64{0, 0}, kernel.Cotangent{D: m(6, 6)}) },
		"only one of U and V":             func() { _ = g.Pull([]float64{0}, kernel.Cotangent{U: m(6, 1)}) },
		"with U 5x1 and V 6x1":            func() { _ = g.Pull([]float64{0}, kernel.Cotangent{U: m(5, 1), V: m(6, 1)}) },
		"with U 6x1 and V 5x1":            func() { _ = g.Pull([]float64{0}, kernel.Cotangent{U: m(6, 1), V: m(5, 1)}) },
		"with U 6x1 and V 6x2":            func() { _ = g.Pull([]float64{0}, kernel.Cotangent{U: m(6, 1), V: m(6, 2)}) },
		"of 6x6 with D 6x5":               func() { _ = g.Pull([]float64{0}, kernel.Cotangent{D: m(6, 5)}) },
		"of 6x6 with D 5x6":               func() { _ = g.Pull([]float64{0}, kernel.Cotangent{D: m(5, 6)}) },
		"5 coefficients for 6 rows":       func() { _, _ = g.Expand(m(5, 1), nil) },
		"2 coefficients for 1 rows":       func() { _, _ = g.Expand(m(2, 1), []int{3}) },
		"2 values for 1 parameters":       func() { _, _ = kernel.Gaussian{}.With([]float64{1, 2}) },
		"landmark 6 of 6 rows":            func() { _, _ = kernel.Landmarks{Count: 2}.Choose(t.Context(), g, []int{6}) },
		"landmark -1 of 6 rows":           func() { _, _ = kernel.Landmarks{Count: 2}.Choose(t.Context(), g, []int{-1}) },
		"landmark 3 of 6 rows":            func() { _, _ = kernel.Landmarks{Count: 2}.Choose(t.Context(), g, []int{3, 3}) },
	} {
		failtest.Names(t, want, f)
	}
}

// A matrix that was given back is lent again where its size fits, also by way of a scope.
func TestWorkLends(t *testing.T) {
	w := new(kernel.Work)
	a, b := w.Borrow(2, 3), w.Borrow(3, 3)
	w.Return(a)
	w.Scope("columns").Return(b)
	w.Return(nil)
	if w.Borrow(2, 2) == a || w.Borrow(3, 3) != b || w.Scope("others").Borrow(2, 3) != a || w.Borrow(2, 3) == a {
		t.Error("another matrix is lent than one of the size that was given back")
	}
}
