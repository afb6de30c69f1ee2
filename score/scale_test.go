package score_test

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

// Features in another unit make another C, in a range that moves with it, and the same machine:
// a search goes the same way and its answer is not on a bound. The features have a scale at
// which a range for kernels of order one ends far too early.
func TestRangesScaleWithTheKernel(t *testing.T) {
	p := blobs(60, 50, 4, 2, 5)
	in := func(unit float64) *score.Refit {
		q := *p
		x := mat.DenseCopyOf(p.Rows.Dense)
		x.Scale(unit, x)
		q.Rows = data.Rows{Dense: x}
		return &score.Refit{
			Kernel:    kernel.Linear{},
			Problem:   &q,
			Folds:     folds(50, 5),
			Criterion: score.Risk{Loss: learn.Square()},
			Learner:   smooth.Learner{Loss: learn.ModLogistic(12), Offset: smooth.Free},
		}
	}
	run := func(s param.Objective) search.Result {
		res, err := search.Driver{}.Run(context.Background(), s, search.Gradient{Start: s.Space().Defaults()})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	base := run(in(1))
	for _, unit := range []float64{1.0 / 64, 256} {
		s := in(unit)
		one, other := in(1).Space()[0], s.Space()[0]
		for name, pair := range map[string][2]float64{"lower bound": {one.Lo, other.Lo}, "upper bound": {one.Hi, other.Hi},
			"start": {one.Default, other.Default}} {
			if math.Abs(pair[1]*unit*unit/pair[0]-1) > 1e-12 {
				t.Errorf("unit %g: %s %g, in unit one %g", unit, name, pair[1], pair[0])
			}
		}
		res := run(s)
		if len(res.OnBound) > 0 || math.Abs(res.F-base.F) > 1e-6*base.F ||
			math.Abs(math.Log2(res.Theta[0]*unit*unit/base.Theta[0])) > 0.05 {
			t.Errorf("unit %g: %.8g at C = %g on %v, in unit one %.8g at %g", unit, res.F, res.Theta[0], res.OnBound, base.F, base.Theta[0])
		}
		r := in(unit)
		bound := &score.Bound{
			Kernel:  r.Kernel,
			Problem: r.Problem,
			Learner: score.Bounded{Learner: svm.Classifier{}, Bound: svm.RadiusMargin},
		}
		if got := bound.Space()[0]; got != other {
			t.Errorf("unit %g: the bound's C is %+v, that of training again %+v", unit, got, other)
		}
	}
}

// A Gaussian kernel has scale one, and with it the range and the start that LIBSVM's users know.
func TestRangesOfAGaussianAreLIBSVMs(t *testing.T) {
	s := &score.Refit{Kernel: kernel.Gaussian{Sigma: 2}, Learner: smooth.Learner{Loss: learn.Logistic()}, Problem: blobs(20, 20, 2, 2, 1)}
	if d := s.Space()[1]; d.Lo != 1e-2 || d.Hi != 1e4 || d.Default != 1 {
		t.Errorf("%+v", d)
	}
}

// The strength of a machine whose loss has the unit of the targets is searched in this unit, on warped kernels too.
func TestStrengthHasTheUnitOfTheTargets(t *testing.T) {
	p := blobs(20, 20, 2, 2, 1)
	p.Class, p.Classes, p.Task, p.Coding = nil, nil, data.Regression, learn.Coding{}
	space := func(l learn.Learner) param.Dim {
		s := (&score.Laplacian{Base: kernel.Gaussian{Sigma: 2}, Learner: l, Problem: p}).Space()
		return s[s.Index("gamma_a")]
	}
	one, squares := space(svm.Regressor{}), space(smooth.Learner{Loss: learn.SquaredEpsilon(0)})
	p.Y.Scale(1024, p.Y)
	now := space(svm.Regressor{})
	for _, v := range [][2]float64{{one.Lo, now.Lo}, {one.Hi, now.Hi}, {one.Default, now.Default}} {
		if math.Abs(v[0]/v[1]-1024) > 1e-9*1024 {
			t.Errorf("%g, of targets in units of 1/1024 %g", v[0], v[1])
		}
	}
	if again := space(smooth.Learner{Loss: learn.SquaredEpsilon(0)}); again != squares {
		t.Errorf("of a loss of squares %+v, in another unit %+v", squares, again)
	}
}
