package score_test

import (
	"context"
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/test/learntest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

// weighed are clusters whose labelled rows have weights.
func weighed(classes int) *learn.Problem {
	p := learntest.Clusters(36, 3, classes, 8)
	for i := range p.Labelled {
		p.Weight = append(p.Weight, []float64{1, 4, 0.3}[i%3])
	}
	return p
}

// A row of weight 2 is judged as two rows, whatever the criterion.
func TestCriteriaWeighRows(t *testing.T) {
	for _, classes := range []int{2, 3} {
		criteria := []score.Criterion{score.LogLoss{}, score.Press{}, score.Error{}, score.SmoothError{},
			score.Risk{Loss: learn.Logistic()}}
		if classes == 2 {
			criteria = append(criteria, score.SmoothWeighted{Eta: 3}, score.SmoothF{})
		}
		p := learntest.Clusters(36, 3, classes, 8)
		l := len(p.Labelled)
		o := mat.NewDense(l+1, p.Outputs(), nil)
		o.Apply(func(i, j int, _ float64) float64 { return float64((7*i+3*j)%5) - 2.2 }, o)
		o.SetRow(l, o.RawRowView(3))
		twice := *p
		twice.Labelled, twice.Class = append(p.Subset(nil), p.Labelled[3]), append(append([]int{}, p.Class...), p.Class[3])
		twice.Y = mat.NewDense(l+1, p.Outputs(), nil)
		for i := range l {
			twice.Y.SetRow(i, p.Y.RawRowView(i))
		}
		twice.Y.SetRow(l, p.Y.RawRowView(3))
		p.Weight = make([]float64, l)
		for i := range p.Weight {
			p.Weight[i] = 1
		}
		p.Weight[3] = 2
		for _, c := range criteria {
			tol := 1e-12
			if c == (score.LogLoss{}) {
				tol = 2e-2 // its smoothing counts rows
			}
			first := o.Slice(0, l, 0, p.Outputs()).(*mat.Dense)
			near(t, fmt.Sprint(c, " of ", classes), c.Eval(p, nil, first, nil), c.Eval(&twice, nil, o, nil), tol)
		}
	}
}

func TestWeightedScores(t *testing.T) {
	ctx := context.Background()
	for _, folds := range [][][]int{nil, {{0, 4, 8}, {1, 5, 9}}} {
		for _, offset := range []bool{false, true} {
			for _, c := range []score.Criterion{score.LogLoss{}, score.Press{}, score.SmoothError{}} {
				s := score.LeaveOut{Kernel: kernel.Gaussian{Sigma: 1}, Problem: weighed(3), Criterion: c, Folds: folds, Offset: offset}
				theta := []float64{1.2, 0.02}
				checkGradient(t, "closed", &s, theta)
				got, err := s.Eval(ctx, theta, param.ValueOnly)
				if err != nil {
					t.Fatal(err)
				}
				want, err := twin(s).Eval(ctx, theta, param.ValueOnly)
				if err != nil {
					t.Fatal(err)
				}
				near(t, "closed and refitted", got.F, want.F, 1e-9)
			}
			for _, m := range landmarks { // labelled rows by the block, and by features
				o := reduced(weighed(3), m, graph.Recipe{Neighbours: 4, Degree: 2})
				o.Folds, o.Offset = folds, offset
				theta := []float64{1.2, 4, 2, 3, 0.02}
				checkGradient(t, "landmarks", o, theta, 1, 2)
				s, inner, err := o.Machine(ctx, theta)
				if err != nil {
					t.Fatal(err)
				}
				want, err := twin(*s).Eval(ctx, inner, param.ValueOnly)
				if err != nil {
					t.Fatal(err)
				}
				got, err := o.Eval(ctx, theta, param.ValueOnly)
				if err != nil {
					t.Fatal(err)
				}
				near(t, "landmarks refitted", got.F, want.F, 1e-9)
				o.GCV, o.Folds = true, nil
				checkGradient(t, "gcv", o, theta, 1, 2)
			}
		}
	}
}
