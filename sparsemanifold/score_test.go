package sparsemanifold

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/score"
)

func newScore(t *testing.T, classes int) (Score, *twelve) {
	s := newTwelve(t)
	x := mat.NewDense(12, 2, nil)
	for i := range 12 {
		x.SetRow(i, []float64{math.Sin(float64(i + 1)), math.Cos(float64(i+1) / 2)})
	}
	p := s.problem(classes)
	p.Rows = data.Rows{Dense: x}
	z := mat.NewDense(3, 2, []float64{0.5, 0.2, -0.4, 0.7, 0.1, -0.8}) // no rows
	return Score{
		Base: kernel.Gaussian{Sigma: 0.9}, Centres: data.Rows{Dense: z}, Norm: s.norm, Problem: p, Ratio: 0.6, Lambda: 0.2,
		Criterion: score.LogLoss{},
	}, s
}

// Gradients agree with central differences, in kernel, strengths and positions.
func TestScoreGradient(t *testing.T) {
	for _, classes := range []int{2, 3} {
		for _, nu := range []float64{0, 3} {
			for _, offset := range []bool{false, true} {
				for _, folds := range [][][]int{nil, {{0, 2}, {1}}} {
					s, _ := newScore(t, classes)
					s.Nu, s.Offset, s.Folds, s.Move = nu, offset, folds, true
					theta := s.Space().Defaults()
					v, err := s.Eval(t.Context(), theta, true)
					if err != nil || len(v.Grad) != len(theta) {
						t.Fatal(err, len(v.Grad), len(theta))
					}
					for k := range theta {
						const h = 1e-5
						up, down := append([]float64(nil), theta...), append([]float64(nil), theta...)
						up[k] += h
						down[k] -= h
						a, err := s.Eval(t.Context(), up, false)
						if err != nil {
							t.Fatal(err)
						}
						b, err := s.Eval(t.Context(), down, false)
						if err != nil {
							t.Fatal(err)
						}
						if want := (a.F - b.F) / (2 * h); math.Abs(v.Grad[k]-want) > 1e-6*max(1, math.Abs(want)) {
							t.Errorf("%d classes, nu %g, offset %v, folds %v: derivative by %s is %.9g, by differences %.9g", classes, nu, offset, folds,
								s.Space()[k].Name, v.Grad[k], want)
						}
					}
				}
			}
		}
	}
}

// The score is that of what the learner leaves out.
func TestScoreIsThatOfTheLearner(t *testing.T) {
	s, set := newScore(t, 2)
	s.Nu = 4
	s.Centres = s.Problem.Rows.Select(set.centres)
	s.Base = kernel.Gaussian{Sigma: 1}
	v, err := s.Eval(t.Context(), s.Space().Defaults(), false)
	if err != nil {
		t.Fatal(err)
	}
	of := Learner{Norm: set.norm, Ratio: s.Ratio, Nu: s.Nu, Repair: BySlack, Centres: set.centres}
	trainer, err := of.Bind(t.Context(), set.gram, s.Problem)
	if err != nil {
		t.Fatal(err)
	}
	out, _, err := score.LeftOut(t.Context(), set.gram, trainer, s.Problem, nil, []float64{1 / (2 * s.Lambda)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "score", []float64{v.F}, []float64{s.Criterion.Eval(s.Problem, nil, out, nil)}, 1e-9)
}

// Centres that are no Gaussian's have no derivative by their positions, and say so.
func TestPositionsNeedTheGaussian(t *testing.T) {
	s, _ := newScore(t, 2)
	s.Base, s.Move = kernel.Laplacian{Sigma: 1}, true
	if _, err := s.Eval(t.Context(), s.Space().Defaults(), true); err == nil {
		t.Error("no error")
	}
}
