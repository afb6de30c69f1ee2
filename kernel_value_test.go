package mercer_test

import (
	"context"
	"errors"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/kerneltest"
	"github.com/mercer-ml/mercer/search/param"
)

// student is the kernel 1/(1 + |x - z|^2/w^2), written as somebody would who uses the library.
type student struct{ Width float64 }

func (k student) Space() param.Space {
	return param.Space{{Name: "reach", Kind: param.Log, Lo: k.Width / 100, Hi: k.Width * 100, Default: k.Width}}
}

func (k student) With(theta []float64) (kernel.Kernel, error) {
	if !(theta[0] > 0) || math.IsInf(theta[0], 0) {
		return nil, errors.New("student: the width must be positive")
	}
	return student{theta[0]}, nil
}

func (k student) Adapt(rows data.Rows) kernel.Kernel {
	if k.Width == 0 {
		k.Width = math.Sqrt(float64(rows.Dim()))
	}
	return k
}

func (k student) Bind(ctx context.Context, train data.Rows, _ *kernel.Work) (kernel.Gram, error) {
	if !(k.Width > 0) {
		return nil, errors.New("student: the width must be positive")
	}
	return students{k, dense(train)}, ctx.Err()
}

func dense(rows data.Rows) *mat.Dense {
	if rows.IsSparse() {
		return rows.Sparse.ToDense()
	}
	return rows.Dense
}

// students is the kernel on rows.
type students struct {
	k    student
	rows *mat.Dense
}

func (g students) Len() int { return g.rows.RawMatrix().Rows }

func (g students) at(x, z []float64) (distance, value float64) {
	for c, v := range x {
		distance += (v - z[c]) * (v - z[c])
	}
	return distance, 1 / (1 + distance/(g.k.Width*g.k.Width))
}

func (g students) all(i []int) []int {
	if i != nil {
		return i
	}
	for r := range g.Len() {
		i = append(i, r)
	}
	return i
}

func (g students) Block(dst *mat.Dense, i, j []int) {
	for p, a := range g.all(i) {
		for q, b := range g.all(j) {
			_, v := g.at(g.rows.RawRowView(a), g.rows.RawRowView(b))
			dst.Set(p, q, v)
		}
	}
}

func (g students) Cross(dst *mat.Dense, x data.Rows, j []int) error {
	if x.Dim() != g.rows.RawMatrix().Cols {
		return errors.New("student: rows of another number of columns")
	}
	d := dense(x)
	for p := range x.Len() {
		for q, b := range g.all(j) {
			_, v := g.at(d.RawRowView(p), g.rows.RawRowView(b))
			dst.Set(p, q, v)
		}
	}
	return nil
}

func (g students) Pull(grad []float64, bar kernel.Cotangent) error {
	w := g.k.Width
	for p, a := range g.all(bar.I) {
		for q, b := range g.all(bar.J) {
			c := 0.0
			if bar.U != nil {
				c += mat.Dot(bar.U.RowView(p), bar.V.RowView(q))
			}
			if bar.D != nil {
				c += bar.D.At(p, q)
			}
			d, v := g.at(g.rows.RawRowView(a), g.rows.RawRowView(b))
			grad[0] += c * v * v * 2 * d / (w * w * w)
		}
	}
	return nil
}

func (g students) Expand(alpha *mat.Dense, j []int) ([]kernel.Expansion, error) {
	return []kernel.Expansion{{Kernel: g.k, Centres: data.Rows{Dense: g.rows}.Select(g.all(j)), Coef: alpha}}, nil
}

// What the tests below rely on.
func TestKernelOfTheTests(t *testing.T) {
	kerneltest.Run(t, student{1.5}, moons(t, "").Set.Rows)
}

// A kernel that the caller has written is tuned, along a graph too, decides and is saved.
func TestFitAKernelOfOnesOwn(t *testing.T) {
	in := moons(t, "")
	for name, r := range map[string]mercer.Recipe{
		"auto":               {},
		"least squares":      {Method: "rls"},
		"by gradients":       {Method: "rls", Search: "gradient"},
		"logistic":           {Method: "logistic", Tune: "kfold:3"},
		"svm":                {Method: "svm", Tune: "kfold:3"},
		"graph":              {Method: "lap-rls"},
		"graph by gradients": {Method: "lap-rls", Search: "gradient", Budget: 20},
		"few centres":        {Method: "rls", Basis: "10"},
		"set":                {Method: "rls", Set: map[string]string{"reach": "0.7"}},
		"label switching":    {Method: "tsvm", Tune: "none"},
	} {
		t.Run(name, func(t *testing.T) {
			r.KernelValue = student{}
			m, res, err := mercer.Fit(t.Context(), in, r, mercer.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if res.Kernel != "mercer_test.student" {
				t.Errorf("kernel %q", res.Kernel)
			}
			if e := res.Metrics["test"]["error"]; e > 0.25 {
				t.Errorf("test error %g", e)
			}
			width, fixed := res.Params["reach"], r.Set["reach"] != ""
			if _, ok := width.(float64); name != "auto" && !ok || fixed && width != 0.7 {
				t.Errorf("parameters %v", res.Params)
			}
			path := filepath.Join(t.TempDir(), "own.mercer")
			if err := m.Save(path); err != nil {
				t.Fatal(err)
			}
			again, err := mercer.Load(t.Context(), path, student{})
			if err != nil {
				t.Fatal(err)
			}
			want, err := m.Classify(t.Context(), in.Test.Rows)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := again.Classify(t.Context(), in.Test.Rows); err != nil || !slices.Equal(got, want) {
				t.Errorf("%v, %v; before it was saved %v", got, err, want)
			}
			_, err = mercer.Load(t.Context(), path)
			if err == nil || !strings.Contains(err.Error(), "mercer_test.student is a type of another package") {
				t.Errorf("read without the type: %v", err)
			}
		})
	}
}

// A kernel as a value is the kernel in words.
func TestFitAKernelValue(t *testing.T) {
	in := moons(t, "")
	for spec, value := range map[string]kernel.Kernel{
		"laplacian":           kernel.Laplacian{},
		"gaussian(sigma=0.5)": kernel.Gaussian{Sigma: 0.5},
		"gaussian+linear":     kernel.Sum{Terms: []kernel.Kernel{kernel.Gaussian{}, kernel.Linear{}}},
	} {
		for _, method := range []string{"rls", "lap-rls"} {
			_, words, err := mercer.Fit(t.Context(), in, mercer.Recipe{Method: method, Kernel: spec}, mercer.Options{})
			if err != nil {
				t.Fatal(err)
			}
			_, own, err := mercer.Fit(t.Context(), in, mercer.Recipe{Method: method, KernelValue: value}, mercer.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if own.Kernel != words.Kernel || own.Tuning.Value != words.Tuning.Value || !maps.Equal(own.Metrics["test"],
				words.Metrics["test"]) {
				t.Errorf("%s %s: %v and %v", method, spec, own, words)
			}
		}
	}
	var wrong *mercer.UsageError
	if err := mercer.Check(mercer.Recipe{Kernel: "linear", KernelValue: student{}}); !errors.As(err, &wrong) {
		t.Errorf("two kernels: %v", err)
	}
}

// A matrix given for all rows is a kernel: that of the Gaussian learns what the Gaussian does.
func TestFitAGivenMatrix(t *testing.T) {
	in := moons(t, "")
	n, d := in.Set.Rows.Len(), in.Set.Rows.Dim()
	all := mat.NewDense(n+in.Test.Rows.Len(), d, nil)
	all.Stack(in.Set.Rows.Dense, in.Test.Rows.Dense)
	g, err := kernel.Gaussian{Sigma: 0.4}.Bind(t.Context(), data.Rows{Dense: all}, nil)
	if err != nil {
		t.Fatal(err)
	}
	matrix := mat.NewDense(g.Len(), g.Len(), nil)
	g.Block(matrix, nil, nil)
	r := mercer.Recipe{
		Method: "rls", Scale: "none", KernelValue: kernel.Precomputed{K: matrix}, Set: map[string]string{"lambda": "0.01"},
	}
	numbered := in
	set, test := *in.Set, *in.Test
	for i := range matrix.RawMatrix().Rows {
		if i < n {
			set.Rows.ID = append(set.Rows.ID, i)
		} else {
			test.Rows.ID = append(test.Rows.ID, i)
		}
	}
	numbered.Set, numbered.Test = &set, &test
	m, res, err := mercer.Fit(t.Context(), numbered, r, mercer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r = mercer.Recipe{Method: "rls", Scale: "none", Kernel: "gaussian", Set: map[string]string{"sigma": "0.4", "lambda": "0.01"}}
	_, want, err := mercer.Fit(t.Context(), in, r, mercer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := res.Tuning.Value, want.Tuning.Value; math.Abs(got-want) > 1e-9*math.Abs(want) {
		t.Errorf("score %g, of the Gaussian %g", got, want)
	}
	path := filepath.Join(t.TempDir(), "matrix.mercer")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	if _, err := mercer.Load(t.Context(), path); err != nil {
		t.Error(err)
	}
}
