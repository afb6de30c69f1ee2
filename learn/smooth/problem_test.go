package smooth_test

import (
	"fmt"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/learntest"
	"github.com/mercer-ml/mercer/internal/test/pathtest"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
)

// Every problem is solved on the way it was: steps, factorisations and rows with curvature, from nothing, from a
// neighbour's solution, and stopped early; in the kernel form and the linear one, by Newton's method, by accelerated
// gradients and by descent.
func TestWay(t *testing.T) {
	var path pathtest.Path
	losses := append(smoothLosses(), learn.Quartic(1e-3))
	for _, v := range losses {
		for _, offset := range offsets {
			for _, c := range []float64{0.1, 1e3} {
				name := fmt.Sprintf("%s, offset %d, C %g", learntest.Literal(v), offset, c)
				p := problem(50, v, offset, c)
				s := fit(t, p, smooth.Options{})
				path.Add(name, s.Status, s.Steps, s.Factors, s.Active(), s.Objective, s.B)
				near := p
				near.C *= 1.5
				warm, err := smooth.Newton(t.Context(), near, smooth.Options{}, s)
				if err != nil {
					t.Fatal(err)
				}
				path.Add(name+", warm", warm.Status, warm.Steps, warm.Factors, warm.Objective)
				early, err := smooth.Newton(t.Context(), p, smooth.Options{MaxSteps: 2}, nil)
				if err != nil {
					t.Fatal(err)
				}
				path.Add(name+", two steps", early.Status, early.Factors, early.Objective, early.Gradient, early.Gap)
			}
		}
	}
	path.Compare(t, "kernel")
}

// As TestWay, in the linear form.
func TestWayLinear(t *testing.T) {
	var path pathtest.Path
	for _, v := range smoothLosses() {
		for _, offset := range offsets {
			x, y := sample(60, v.Classes(), 3)
			p := smooth.LinearProblem{X: data.Rows{Dense: x}, Y: y, C: 10, Loss: v, Offset: offset}
			name := fmt.Sprintf("%s, offset %d", learntest.Literal(v), offset)
			for _, m := range []int{0, 1, 2} {
				s, err := smooth.NewtonLinear(t.Context(), p, smooth.Options{Method: smooth.Method(m)}, nil)
				if err != nil {
					t.Fatal(err)
				}
				path.Add(fmt.Sprintf("%s, method %d", name, m), s.Status, s.Steps, s.Products, s.Objective)
			}
			for _, restart := range []bool{false, true} {
				s, err := smooth.FISTALinear(t.Context(), p, smooth.FISTAOptions{Restart: restart, Tolerance: 1e-5}, nil)
				if err != nil {
					t.Fatal(err)
				}
				path.Add(fmt.Sprintf("%s, accelerated %v", name, restart), s.Status, s.Steps, s.Products, s.Objective)
			}
			s, err := smooth.Descent(t.Context(), p, smooth.DescentOptions{MaxSteps: 50}, nil)
			if err != nil {
				t.Fatal(err)
			}
			path.Add(name+", descent", s.Status, s.Steps, s.Products, s.Objective)
		}
	}
	path.Compare(t, "linear")
}
