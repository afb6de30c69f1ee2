package smooth_test

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/pathtest"
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
