package smooth_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
)

// halved are n rows of two classes, as many of each.
func halved(n int, seed uint64) (x *mat.Dense, class []int) {
	rng := rand.New(rand.NewPCG(seed, 4))
	x, class = mat.NewDense(n, 3, nil), make([]int, n)
	for i := range n {
		class[i] = i % 2
		for j := range 3 {
			x.Set(i, j, rng.NormFloat64()+float64(class[i]))
		}
	}
	return x, class
}

// The offset is the same in whatever order the rows come, where it is free in an interval whose rim the solver may stop at.
func TestPlateauInAnyOrder(t *testing.T) {
	const n = 16
	rng := rand.New(rand.NewPCG(3, 8))
	for seed := range uint64(4) {
		x, class := halved(n, seed)
		for _, loss := range []learn.Loss{learn.Quartic(0), learn.HuberHinge(0)} {
			var first [2]float64
			for round := range 5 {
				rows, labels := mat.NewDense(n, 3, nil), data.Labels{Task: data.Classification, Classes: []string{"a", "b"}, Class: make([]int, n)}
				order := rng.Perm(n)
				for q, i := range order {
					rows.SetRow(q, x.RawRowView(i))
					labels.Class[q] = class[i]
				}
				p := learn.NewProblem(data.Rows{Dense: rows}, labels)
				linear, dual, _ := bindBoth(t, smooth.Learner{Loss: loss, Offset: smooth.Free}, p)
				for form, tr := range []learn.Trainer{linear, dual} {
					b := train(t, tr, nil, []float64{0.01}, nil).Offset[0]
					if round == 0 {
						first[form] = b
					}
					near(t, fmt.Sprintf("%s, form %d, order %d", loss.Name(), form, round), b, first[form], 1e-6)
				}
			}
			near(t, loss.Name()+", both forms", first[0], first[1], 1e-6)
		}
	}
}

// The offset in the middle of a plateau moves with the outputs on the two rows at its ends.
func TestDerivativesOnAPlateau(t *testing.T) {
	x, class := halved(17, 2)
	p := learn.NewProblem(data.Rows{Dense: x}, data.Labels{Task: data.Classification, Classes: []string{"a", "b"}, Class: class})
	rows, judged := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, []int{12, 13, 16}
	bar := mat.NewDense(len(judged), 1, []float64{1, 0.5, 2})
	for _, loss := range []learn.Loss{learn.Quartic(0), learn.HuberHinge(0)} {
		linear, dual, _ := bindBoth(t, smooth.Learner{Loss: loss, Offset: smooth.Free, Tolerance: 1e-12}, p)
		for name, tr := range map[string]learn.Trainer{"linear": linear, "kernel": dual} {
			value := func(c float64) (sum float64) {
				m, out := train(t, tr, rows, []float64{c}, nil), mat.NewDense(len(judged), 1, nil)
				tr.(learn.Sensitive).Outputs(out, m, judged)
				for a := range judged {
					sum += bar.At(a, 0) * out.At(a, 0)
				}
				return sum
			}
			const c, h = 0.01, 1e-5
			theta := []float64{c}
			_, _, grad, err := tr.(learn.Sensitive).Pull(t.Context(), train(t, tr, rows, theta, nil), rows, theta, judged, bar)
			if err != nil {
				t.Fatal(err)
			}
			want := (value(c+h) - value(c-h)) / (2 * h)
			near(t, loss.Name()+", "+name, grad[0], want, 1e-3*math.Abs(want))
		}
	}
}
