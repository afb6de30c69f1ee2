package primal_test

import (
	"fmt"
	"testing"

	"github.com/mercer-ml/mercer/internal/learner/primal"
	"github.com/mercer-ml/mercer/internal/test/pathtest"
	"github.com/mercer-ml/mercer/learn"
)

// Machines over all rows are trained on the way they were: iterations, products and landmarks.
func TestWay(t *testing.T) {
	var path pathtest.Path
	for _, c := range []struct {
		name string
		p    primal.Machine
	}{
		{"hinge", primal.Machine{Ambient: 1e-2, Intrinsic: 1}}, {"bias", primal.Machine{Ambient: 1e-3, Intrinsic: 0.1, Bias: true}},
		{"logistic", primal.Machine{Loss: learn.Logistic(), Ambient: 1e-2, Intrinsic: 1e-2, Bias: true}},
		{"supervised", primal.Machine{Ambient: 1e-2, Bias: true}},
		{"weaker", primal.Machine{Ambient: 1e-3, Intrinsic: 1}},
	} {
		in := noise(t, 90, 2, 1)
		s := in.newton(t, c.p)
		path.Add(c.name+", Newton", s.Status, s.Iterations, s.Products, s.Objective, s.B)
		for _, landmarks := range []int{0, -1, 10} {
			for _, o := range []primal.Options{{Landmarks: landmarks}, {Landmarks: landmarks, Exact: true, Tolerance: 1e-6},
				{Landmarks: landmarks, MaxIterations: 4}} {
				s := in.cg(t, c.p, o)
				path.Add(
					fmt.Sprintf("%s, landmarks %d, %v, %d", c.name, landmarks, o.Exact, o.MaxIterations),
					s.Status,
					s.Iterations,
					s.Products,
					s.Landmarks,
					fmt.Sprintf("%.4g %.4g", s.Objective[0], s.Objective[1]),
				)
			}
		}
	}
	path.Compare(t, "primal")
}

// The matrix is kept where the memory that is given holds it, or that of the machine where none is.
func TestMemoryOfProducts(t *testing.T) {
	in := noise(t, 90, 1, 1)
	for _, c := range []struct {
		memory int64
		kept   bool
	}{{0, true}, {1 << 20, true}, {100, false}} {
		p, err := primal.NewProduct(t.Context(), in.g, c.memory)
		if err != nil {
			t.Fatal(err)
		}
		if panels := fmt.Sprintf("%T", p) == fmt.Sprintf("%T", primal.PanelProduct(in.g)); panels == c.kept {
			t.Errorf("%d bytes: %T", c.memory, p)
		}
	}
}
