package design

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/moments"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
)

// A machine of least squares on centres has the weights of its features, which a small ridge makes known to many more digits than the
// coefficients of the rows: sums over the rows give the same outputs.
func TestOnCentresAsBySums(t *testing.T) {
	const n = 400
	rng := rand.New(rand.NewPCG(5, 4))
	x := mat.NewDense(n, 2, nil)
	labels := data.Labels{Task: data.Regression, Value: make([]float64, n)}
	for i := range n {
		x.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64()})
		labels.Value[i] = math.Sin(2*x.At(i, 0)) + x.At(i, 1) + rng.NormFloat64()
	}
	rows := data.Rows{Dense: x}
	p := learn.NewProblem(rows, labels)
	k := kernel.LowRank{Base: kernel.Gaussian{Sigma: 2}, Centres: rows.Select([]int{3, 50, 101, 202, 303, 399})}
	const lambda = 1e-7
	b := Bench{Score: score.LeaveOut{Kernel: k, Problem: p, Criterion: score.Press{}, Offset: true}, Lambda: lambda}
	s, err := b.Run(t.Context(), []*choose.Candidate{{Method: "rls", Width: 1}})
	if err != nil {
		t.Fatal(err)
	}
	g, err := k.Bind(context.Background(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	phi, _ := kernel.Features(g)
	path, err := moments.New(phi.Dense, p.Y, nil, 0).Path(true)
	if err != nil {
		t.Fatal(err)
	}
	f, err := path.At(lambda)
	if err != nil {
		t.Fatal(err)
	}
	want := new(mat.Dense)
	want.Mul(phi.Dense, f.W)
	m, e := s.Members[0].Machine, s.Members[0].Machine.Expansions[0]
	over, err := e.Kernel.Bind(context.Background(), e.Centres, nil)
	if err != nil {
		t.Fatal(err)
	}
	cross := mat.NewDense(n, e.Centres.Len(), nil)
	if err := over.Cross(cross, rows, nil); err != nil {
		t.Fatal(err)
	}
	expanded := new(mat.Dense)
	expanded.Mul(cross, e.Coef)
	for i := range n {
		to := want.At(i, 0) + f.B[0]
		if a, b := m.Outputs.At(i, 0)-to, expanded.At(i, 0)+m.B[0]-to; math.Abs(a) > 1e-11 || math.Abs(b) > 1e-11 {
			t.Fatalf("row %d: output %.1e away, by the centres %.1e", i, a, b)
		}
	}
}
