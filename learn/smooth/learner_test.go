package smooth_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/kept"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
	"gonum.org/v1/gonum/mat"
)

// A warm start from far off, where no row lies in the narrow curved zone of the loss, ends
// at the machine of a cold start, to what rounding leaves.
func TestFarWarmStart(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	const n = 80
	x := mat.NewDense(n, 3, nil)
	p := &learn.Problem{Task: data.Classification, Classes: []string{"a", "b"}, Coding: learn.Coding{Classes: 2}}
	for i := range n {
		p.Labelled, p.Class = append(p.Labelled, i), append(p.Class, i%2)
		for j := range 3 {
			x.Set(i, j, rng.NormFloat64()+0.8*float64(i%2))
		}
	}
	p.Rows, p.Y = data.Rows{Dense: x}, p.Coding.Code(p.Class)
	ctx := context.Background()
	times := 2.0 // the residual of a cold start
	if !kept.Rounds() {
		times = 10
	}
	for _, k := range []kernel.Kernel{kernel.Polynomial{Degree: 1, Scale: 1, Offset: 1}, kernel.Polynomial{Degree: 2, Scale: 1, Offset: 1},
		kernel.Linear{}} {
		g, err := k.Bind(ctx, p.Rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, eps := range []float64{1e-5, 1e-3, 0.125} {
			tr, err := smooth.Learner{Loss: learn.Quartic(eps), Offset: smooth.Free}.Bind(ctx, g, p)
			if err != nil {
				t.Fatal(err)
			}
			train := func(c float64, warm *learn.Machine) *learn.Machine {
				m, err := tr.Train(ctx, nil, []float64{c}, warm)
				if err != nil {
					t.Fatal(err)
				}
				return m
			}
			for _, far := range []float64{1, -1e3, 1e5} { // as where a penalty drops by as much
				start := train(100, nil)
				start.Coef.Scale(far, start.Coef)
				warm, cold := train(1e4, start), train(1e4, nil)
				if r := warm.Certificate.Residual; r > max(1e-6, times*cold.Certificate.Residual) {
					t.Errorf("eps %g from %g times the machine: residual %.2g, cold %.2g", eps, far, r, cold.Certificate.Residual)
				}
			}
		}
	}
}
