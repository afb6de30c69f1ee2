package mercer

import (
	"context"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
)

// shifted is a set of two classes of unlike size on a line that does not part them at the origin.
func shifted(n, few int) *data.Set {
	rng := rand.New(rand.NewPCG(7, 3))
	x := mat.NewDense(n, 2, nil)
	set := &data.Set{Name: "shifted", Source: "shifted", LabelName: "label", Features: []string{"a", "b"}, Answers: make(data.Answers, n)}
	for i := range n {
		class, at := "no", -0.6
		if i < few {
			class, at = "yes", 1.2
		}
		x.Set(i, 0, at+rng.NormFloat64()/2)
		x.Set(i, 1, rng.NormFloat64())
		set.Answers[i] = class
	}
	set.Rows = data.Rows{Dense: x}
	return set
}

// A linear machine has an offset unless it is told not to: without one its classes meet at the
// origin, wherever they are.
func TestLinearKernelHasAnOffset(t *testing.T) {
	in := Input{Set: shifted(120, 18)}
	for _, kernel := range []string{"linear", "ard-linear"} {
		errors := map[string]float64{}
		for _, offset := range []string{"", "yes", "no"} {
			_, res, err := Fit(context.Background(), in, Recipe{Method: "rls", Kernel: kernel, Offset: offset, Scale: "none"}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			errors[offset] = res.Metrics["labelled"]["error"]
		}
		if errors[""] != errors["yes"] || errors["no"] < 2*errors["yes"] {
			t.Errorf("%s: errors %v", kernel, errors)
		}
	}
}
