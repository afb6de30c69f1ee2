package smooth_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/learntest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
	"gonum.org/v1/gonum/mat"
)

// Trainings and derivatives end with the error of their context, wherever they are stopped, in the
// kernel form and the linear one, by every solver.
func TestStoppedAnywhere(t *testing.T) {
	p := learntest.Clusters(60, 3, 2, 2)
	for name, l := range map[string]smooth.Learner{
		"Newton": {Loss: learn.Logistic(), Offset: smooth.Free}, "quartic": {Loss: learn.Quartic(1e-3), Offset: smooth.Free},
		"no offset":   {Loss: learn.SquaredHinge()},
		"accelerated": {Loss: learn.Logistic(), Offset: smooth.Free, Solver: smooth.ByFISTARestart},
	} {
		t.Run(name+", kernel", func(t *testing.T) { learntest.Stopped(t, l, kernel.Gaussian{Sigma: 1}, p, []float64{3}) })
		t.Run(name+", linear", func(t *testing.T) { learntest.Stopped(t, l, kernel.Linear{}, p, []float64{3}) })
	}
	descent := smooth.Learner{Loss: learn.Logistic(), Offset: smooth.Free, Descent: true}
	t.Run("descent", func(t *testing.T) { learntest.Stopped(t, descent, kernel.Linear{}, p, []float64{3}) })
}

// values are n rows with targets of regression, one in five not labelled and of unequal weights.
func values(n, d int) *learn.Problem {
	x, y := sample(n, false, 5)
	rows := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			rows.Set(i, j, x.At(i, j%2)+0.3*math.Sin(float64(i*(j+2))))
		}
		if i%5 == 4 {
			y[i] = math.NaN()
		}
	}
	p := learn.NewProblem(data.Rows{Dense: rows}, data.Labels{Task: data.Regression, Value: y})
	for i := range p.Labelled {
		p.Weight = append(p.Weight, 0.5+float64(i%3))
	}
	return p
}

// Derivatives of outputs by C and the width of the tube are central differences of them, in both forms; and the outputs are those
// of the machine.
func TestDerivativesOfATube(t *testing.T) {
	p := values(40, 3)
	rows, judged := []int{0, 2, 3, 4, 6, 7, 8, 10, 11, 12, 14, 15, 16, 18, 19, 20, 22, 23, 24, 26, 27, 28}, []int{1, 5, 9, 13, 17}
	bar := mat.NewDense(len(judged), 1, []float64{1, -0.5, 2, 0, 0.25})
	for _, offset := range offsets {
		linear, kernelForm, g := bindBoth(t, smooth.Learner{Loss: learn.SquaredEpsilon(0), Offset: offset, Tolerance: 1e-12}, p)
		for name, tr := range map[string]learn.Trainer{"linear": linear, "kernel": kernelForm} {
			theta := []float64{0.3, 0.11}
			value := func(theta []float64) (sum float64) {
				m, out := train(t, tr, rows, theta, nil), mat.NewDense(len(judged), 1, nil)
				tr.(learn.Sensitive).Outputs(out, m, judged)
				want := mat.NewDense(len(judged), 1, nil)
				if err := m.Evaluate(t.Context(), want, g, p.Subset(judged)); err != nil {
					t.Fatal(err)
				}
				for a := range judged {
					near(t, name+" output", out.At(a, 0), want.At(a, 0), 1e-12)
					sum += bar.At(a, 0) * out.At(a, 0)
				}
				return sum
			}
			_, _, grad, err := tr.(learn.Sensitive).Pull(t.Context(), train(t, tr, rows, theta, nil), rows, theta, judged, bar)
			if err != nil {
				t.Fatal(err)
			}
			const h = 1e-6
			for k := range theta {
				up, down := slices.Clone(theta), slices.Clone(theta)
				up[k], down[k] = up[k]+h, down[k]-h
				near(t, fmt.Sprintf("%s, offset %v, derivative %d", name, offset, k), grad[k], (value(up)-value(down))/(2*h), 1e-5)
			}
		}
	}
}

// The constant of the gradient is one more than the curvature times the largest eigenvalue of the weighted features with the
// offset's constant, for fewer rows than features and for more; above thousands of both it is bounded by their sum of squares.
func TestLipschitzConstant(t *testing.T) {
	for _, shape := range [][2]int{{4, 7}, {7, 4}, {600, 3}} {
		n, d := shape[0], shape[1]
		for _, offset := range offsets {
			x, weight := mat.NewDense(n, d, nil), make([]float64, n)
			x.Apply(func(i, j int, _ float64) float64 { return math.Cos(float64(3*i + 5*j*j)) }, x)
			columns := d
			if offset != smooth.None {
				columns++
			}
			scaled, y := mat.NewDense(n, columns, nil), make([]float64, n)
			for i := range n {
				weight[i], y[i] = 0.5+float64(i%3), float64(i)
				for j := range columns {
					v := 1.0
					if j < d {
						v = x.At(i, j)
					}
					scaled.Set(i, j, v*math.Sqrt(2.5*weight[i]))
				}
			}
			p := smooth.LinearProblem{X: data.Rows{Dense: x}, Y: y, C: 2.5, Weight: weight, Loss: learn.Square(), Offset: offset}
			got, err := smooth.Lipschitz(p)
			if err != nil {
				t.Fatal(err)
			}
			if offset == smooth.Free { // whose features are centred
				for j := range d {
					mean := mat.Sum(x.ColView(j)) / float64(n)
					for i := range n {
						scaled.Set(i, j, (x.At(i, j)-mean)*math.Sqrt(2.5*weight[i]))
					}
				}
			}
			var svd mat.SVD
			svd.Factorize(scaled, mat.SVDNone)
			want := 1 + 2*svd.Values(nil)[0]*svd.Values(nil)[0]
			near(t, fmt.Sprintf("%d rows of %d features, offset %v", n, d, offset), got, want, 1e-9*want)
		}
	}
	const many = 2049
	c := &data.CSR{R: many, C: many, Start: []int{0}}
	for i := range many {
		c.Start, c.Index, c.Value = append(c.Start, i+1), append(c.Index, int32(i)), append(c.Value, 3)
	}
	p := smooth.LinearProblem{X: data.Rows{Sparse: c}, Y: make([]float64, many), C: 0.5, Loss: learn.Square()}
	if got, err := smooth.Lipschitz(p); err != nil || math.Abs(got-(1+9*many)) > 1e-6 {
		t.Errorf("%d rows of as many features: %g, %v", many, got, err)
	}
}

// A step that is none, or none at all left, is refused or said, and a start of other features is the caller's mistake.
func TestDescentSettings(t *testing.T) {
	x, y := sample(20, false, 2)
	p := smooth.LinearProblem{X: data.Rows{Dense: x}, Y: y, C: 0.5, Loss: learn.Square(), Offset: smooth.Augmented}
	for _, step := range []float64{-1, math.Inf(1), math.NaN()} {
		if _, err := smooth.Descent(t.Context(), p, smooth.DescentOptions{Step: step}, nil); err == nil ||
			!strings.Contains(err.Error(), "of gradient descent; it must be positive and finite") {
			t.Errorf("step %g: %v", step, err)
		}
	}
	// One step from zero by its definition: -step times the gradient, of which the offset's part is the sum.
	s, err := smooth.Descent(t.Context(), p, smooth.DescentOptions{Step: 0.01, MaxSteps: 1}, nil)
	if err != nil || s.Steps != 1 || s.Status.Converged() {
		t.Fatal(s, err)
	}
	_, d := x.Dims()
	var b float64
	w := make([]float64, d)
	for i, v := range y {
		g := 0.5 * -2 * v
		b -= 0.01 * g
		for j := range w {
			w[j] -= 0.01 * g * x.At(i, j)
		}
		near(t, "dual coefficient", s.Beta[i], -0.01*g, 1e-14)
	}
	near(t, "offset", s.B, b, 1e-13)
	for j := range w {
		near(t, "weight", s.W[j], w[j], 1e-13)
	}
	// Slow steps end at the default limit.
	if s, err = smooth.Descent(t.Context(), p, smooth.DescentOptions{Step: 1e-9}, nil); err != nil ||
		s.Steps != 10000 || s.Status.Converged() {
		t.Errorf("%d steps, %v, %v", s.Steps, s.Status, err)
	}
}

// kinked is a loss with a kink at its target that is told to be none, so that no machine is reached.
type kinked struct{ learn.Loss }

func (kinked) Derivatives(y, f float64) (d1, d2 float64) { return math.Copysign(1, f-y), 2 }

// A machine that is far from the minimum has no derivatives, in neither form.
func TestUnsolvedHaveNoDerivatives(t *testing.T) {
	x, y := mat.NewDense(6, 2, nil), make([]float64, 6)
	for i := range y { // one and the same row, whose targets no whole number of unit slopes meets
		x.SetRow(i, []float64{0.3, 0.4})
		y[i] = 0.6 + 0.01*float64(i)
	}
	p := learn.NewProblem(data.Rows{Dense: x}, data.Labels{Task: data.Regression, Value: y})
	judged := []int{5}
	rows, theta, bar := learn.Others(6, judged), []float64{1}, mat.NewDense(1, 1, []float64{1})
	for _, k := range []kernel.Kernel{kernel.Linear{}, kernel.Gaussian{Sigma: 1}} {
		g, err := k.Bind(t.Context(), p.Rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := smooth.Learner{Loss: kinked{learn.Square()}}.Bind(t.Context(), g, p)
		if err != nil {
			t.Fatal(err)
		}
		m := train(t, tr, rows, theta, nil)
		if !(m.Certificate.Residual > 1e-2) {
			t.Fatalf("%T: the gradient is %g", k, m.Certificate.Residual)
		}
		if _, _, _, err := tr.(learn.Sensitive).Pull(t.Context(), m, rows, theta, judged, bar); !errors.Is(err, learn.ErrUnsolved) {
			t.Errorf("%T: error %v", k, err)
		}
	}
}
