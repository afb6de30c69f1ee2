package smooth_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/pathtest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
	"gonum.org/v1/gonum/mat"
)

// What is no problem is refused in the words it was, in both forms, and what lies just inside a border is not.
func TestMessages(t *testing.T) {
	var path pathtest.Path
	for _, c := range []struct {
		name string
		f    func(p *smooth.LinearProblem)
	}{
		{"none", func(*smooth.LinearProblem) {}}, {"C -1", func(p *smooth.LinearProblem) { p.C = -1 }},
		{"C infinite", func(p *smooth.LinearProblem) { p.C = math.Inf(1) }},
		{"C NaN", func(p *smooth.LinearProblem) { p.C = math.NaN() }}, {"C not given", func(p *smooth.LinearProblem) { p.C = 0 }},
		{"target 2", func(p *smooth.LinearProblem) { p.Y[5] = 2 }},
		{"target NaN", func(p *smooth.LinearProblem) { p.Loss = learn.Square(); p.Y[6] = math.NaN() }},
		{"weight -1", func(p *smooth.LinearProblem) { p.Weight = []float64{1, 1, 1, -1, 1, 1, 1, 1} }},
		{"weight 0", func(p *smooth.LinearProblem) { p.Weight = []float64{1, 1, 1, 0, 1, 1, 1, 1} }},
		{"weight infinite", func(p *smooth.LinearProblem) { p.Weight = []float64{1, 1, 1, 1, 1, 1, 1, math.Inf(1)} }},
		{"one class", func(p *smooth.LinearProblem) { p.Weight = []float64{1, 0, 0, 1, 1, 0, 0, 1} }},
		{"one class, no offset", func(p *smooth.LinearProblem) { p.Offset = smooth.None; p.Weight = []float64{1, 0, 0, 1, 1, 0, 0, 1} }},
		{"not finite", func(p *smooth.LinearProblem) { p.X.Dense.Set(2, 1, math.Inf(1)) }},
		{"no row", func(p *smooth.LinearProblem) { p.X, p.Y = data.Rows{Dense: &mat.Dense{}}, nil }},
	} {
		p := fixture(learn.Logistic(), smooth.Free, fixtureLambda)
		c.f(&p)
		_, linear := smooth.NewtonLinear(t.Context(), p, smooth.Options{}, nil)
		_, descent := smooth.Descent(t.Context(), p, smooth.DescentOptions{MaxSteps: 3}, nil)
		_, step := smooth.Descent(t.Context(), p, smooth.DescentOptions{MaxSteps: 3, Step: -1}, nil)
		path.Add(c.name, linear, descent, step)
		if len(p.Y) > 0 {
			_, kernel := smooth.Newton(t.Context(), kernelForm(p), smooth.Options{}, nil)
			_, columns := smooth.Path(t.Context(), kernelForm(p), []float64{1, 0}, smooth.Options{})
			path.Add(c.name+", kernel", kernel, columns)
		}
	}
	path.Compare(t, "messages")
}

// TestCoefficientsAreThoseOfTheWeights: X'Beta, from which a model is made, is W also where C is so large that outputs are rounded by more
// than their residuals are.
func TestCoefficientsAreThoseOfTheWeights(t *testing.T) {
	x := mat.NewDense(60, 2, nil)
	y := make([]float64, 60)
	for i := range y {
		a := float64(i*37%60) * 16.7
		x.SetRow(i, []float64{a, float64(i * i % 7)})
		y[i] = a - 3*x.At(i, 1)
	}
	for _, offset := range []smooth.Offset{smooth.None, smooth.Free, smooth.Augmented} {
		for _, c := range []float64{1, 1e4, 1e8} {
			p := smooth.LinearProblem{X: data.Rows{Dense: x}, Y: y, C: c, Loss: learn.Square(), Offset: offset}
			s, err := smooth.NewtonLinear(t.Context(), p, smooth.Options{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for j, w := range s.W {
				sum := 0.0
				for i, b := range s.Beta {
					sum += b * x.At(i, j)
				}
				if math.Abs(sum-w) > 1e-9*math.Abs(w) {
					t.Errorf("offset %v, C %g: X'Beta has %.12g, W %.12g", offset, c, sum, w)
				}
			}
		}
	}
}

// TestMachineOfAFarColumn: outputs by the coefficients are those of the certificate where a column is far from zero.
func TestMachineOfAFarColumn(t *testing.T) {
	for _, mean := range []float64{0, 1e3, 1e5} {
		x, y := mat.NewDense(200, 8, nil), make([]float64, 200)
		for i := range y {
			for j := range 8 {
				x.Set(i, j, float64((i*(7+j)+i*i*(j+1))%11)/11)
			}
			y[i] = math.Copysign(1, float64((i*29)%13)-5.5+3*x.At(i, 1))
			x.Set(i, 0, x.At(i, 0)+mean)
		}
		for name, loss := range map[string]learn.Loss{"logistic": learn.Logistic(), "squared hinge": learn.SquaredHinge()} {
			p := smooth.LinearProblem{X: data.Rows{Dense: x}, Y: y, C: 10, Loss: loss, Offset: smooth.Free}
			s, err := smooth.NewtonLinear(t.Context(), p, smooth.Options{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			w := mat.NewVecDense(8, nil)
			w.MulVec(x.T(), mat.NewVecDense(200, s.Beta))
			for i := range y {
				if out := mat.Dot(x.RowView(i), w) + s.B; math.Abs(out-s.F[i]) > 1e-3 {
					t.Fatalf("%s, mean %g: row %d has %g by the coefficients, %g", name, mean, i, out, s.F[i])
				}
			}
		}
	}
}

// TestFeaturesTooLargeForAStep: where squares of features overflow, of tall rows and of wide ones, no step is known and descent says so.
func TestFeaturesTooLargeForAStep(t *testing.T) {
	for _, x := range []*mat.Dense{mat.NewDense(2, 1, []float64{1e200, -1}), mat.NewDense(2, 3, []float64{1e200, 1, 2, 3, 4, 5})} {
		p := smooth.LinearProblem{X: data.Rows{Dense: x}, Y: []float64{1, -1}, C: 1, Loss: learn.Logistic()}
		_, err := smooth.Descent(t.Context(), p, smooth.DescentOptions{MaxSteps: 3}, nil)
		if err == nil || !strings.HasPrefix(err.Error(), "smooth: largest singular value of the features: ") {
			n, d := x.Dims()
			t.Errorf("%d rows of %d features: %v", n, d, err)
		}
	}
}

// TestStrengthsThatAreNone: a C that is none is refused by every learner in both forms, and by leave-one-out.
func TestStrengthsThatAreNone(t *testing.T) {
	p := clouds(20, 2, []string{"a", "b"}, false)
	x, y := sample(6, true, 1)
	for _, c := range []float64{-1, math.Inf(1), math.NaN()} {
		words := fmt.Sprintf("C = %g; it must be positive and finite", c)
		for name, l := range map[string]smooth.Learner{
			"Newton": {Loss: learn.Logistic()}, "accelerated": {Loss: learn.Logistic(), Solver: smooth.ByFISTA},
			"restarted": {Loss: learn.Logistic(), Solver: smooth.ByFISTARestart}, "descent": {Loss: learn.Logistic(), Descent: true},
		} {
			for _, k := range []kernel.Kernel{kernel.Linear{}, kernel.Gaussian{Sigma: 1}} {
				if _, linear := k.(kernel.Linear); l.Descent && !linear {
					continue // which works on features alone
				}
				g, err := k.Bind(t.Context(), p.Rows, nil)
				if err != nil {
					t.Fatal(err)
				}
				tr, err := l.Bind(t.Context(), g, p)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := tr.Train(t.Context(), nil, []float64{c}, nil); err == nil || !strings.Contains(err.Error(), words) {
					t.Errorf("%s, %T: error %v", name, k, err)
				}
			}
		}
		q := smooth.LinearProblem{X: data.Rows{Dense: x}, Y: y, C: c, Loss: learn.Logistic()}
		if _, err := q.LeaveOneOut(t.Context(), &smooth.LinearSolution{}); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("leave-one-out: error %v", err)
		}
	}
}

// TestFeaturesTooLargeForNewton: where squares of features overflow neither the Hessian nor the Gram matrix has a factor.
func TestFeaturesTooLargeForNewton(t *testing.T) {
	x := data.Rows{Dense: mat.NewDense(2, 1, []float64{1e200, -1})}
	p := smooth.LinearProblem{X: x, Y: []float64{1, -1}, C: 1, Loss: learn.Square()}
	for method, words := range map[smooth.Method]string{
		smooth.Cholesky: "the Hessian of 1 features is not finite at this C", smooth.Gram: "is not positive semidefinite",
	} {
		s, err := smooth.NewtonLinear(t.Context(), p, smooth.Options{Method: method}, nil)
		if s != nil || err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%v: error %v, expected %s", method, err, words)
		}
	}
}
