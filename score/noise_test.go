package score_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/test/testdata"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

// The noise that a value tells follows its true error over ten orders: never much below it,
// and above it by what worst cases cost.
func TestRefitTellsItsNoise(t *testing.T) {
	ctx := context.Background()
	p, f := blobs(60, 50, 4, 2, 5), folds(50, 5)
	seen := 0
	for _, v := range []learn.Loss{learn.Quartic(0.25), learn.Logistic()} {
		for _, k := range []kernel.Kernel{kernel.Linear{}, kernel.Gaussian{Sigma: 2}} {
			refit := func(tol float64) *score.Refit {
				return &score.Refit{
					Kernel:    k,
					Problem:   p,
					Folds:     f,
					Criterion: score.Risk{Loss: learn.Square()},
					Learner:   smooth.Learner{Loss: v, Offset: smooth.Free, Tolerance: tol},
				}
			}
			for _, tol := range []float64{1e-2, 1e-4, 1e-6, 1e-9} {
				for _, c := range []float64{0.01, 1, 100} {
					theta := refit(tol).Space().Defaults()
					theta[len(theta)-1] = c
					rough, exact := value(t, refit(tol), theta), value(t, refit(1e-14), theta)
					off := math.Abs(rough.F - exact.F)
					if off < 1e-13 { // rounding
						continue
					}
					seen++
					if off > 100*rough.Noise || off < 1e-5*rough.Noise {
						t.Errorf("%s, %T, tolerance %g, C = %g: off by %.2g, noise %.2g", v.Name(), k, tol, c, off, rough.Noise)
					}
				}
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d values were inexact", seen)
	}
	v, err := (&score.Refit{Kernel: kernel.Linear{}, Problem: p, Folds: f, Criterion: score.Risk{Loss: learn.Square()}, Inexact: true,
		Learner: smooth.Learner{Loss: learn.Logistic()}}).Eval(ctx, []float64{1}, param.ValueOnly)
	if want := value(t, &score.Refit{Kernel: kernel.Linear{}, Problem: p, Folds: f, Criterion: score.Risk{Loss: learn.Square()},
		Learner: smooth.Learner{Loss: learn.Logistic()}}, []float64{1}); err != nil || v.F != want.F {
		t.Errorf("without gradient %.15g, exact %.15g", v.F, want.F)
	}
}

// An inexact value is off by no more than a share of what its gradient can gain, and a value
// on a bound, where there is nothing to gain, by nothing.
func TestInexactValuesAreExactWhereNothingIsToGain(t *testing.T) {
	p, f := blobs(60, 50, 4, 2, 5), folds(50, 5)
	for _, c := range []float64{1e-4, 1e4} { // at, and against, the bounds
		refit := func(inexact bool) *score.Refit {
			s := &score.Refit{
				Kernel:    kernel.Linear{},
				Problem:   p,
				Folds:     f,
				Criterion: score.Risk{Loss: learn.Square()},
				Inexact:   inexact,
				Learner:   smooth.Learner{Loss: learn.ModLogistic(12), Offset: smooth.Free},
			}
			s.Free = s.Space()
			s.Free[0].Lo, s.Free[0].Hi = 1e-4, 1e4
			return s
		}
		rough, exact := value(t, refit(true), []float64{c}), value(t, refit(false), []float64{c})
		held := c == 1e-4 && exact.Grad[0] > 0 || c == 1e4 && exact.Grad[0] < 0
		if held && rough.F != exact.F {
			t.Errorf("C = %g: %.15g, exact %.15g", c, rough.F, exact.F)
		}
		if d := math.Abs(rough.F - exact.F); d > 1e-2*math.Abs(c*exact.Grad[0]) && d > 1e-9 {
			t.Errorf("C = %g: off by %g", c, d)
		}
	}
}

// With inexact machines too the score that a search reports is the exact one of its answer.
func TestInexactSearchReportsTheExactScore(t *testing.T) {
	ctx := context.Background()
	for _, s := range []search.Search{search.Gradient{}, search.RPROP{}, search.Gradient{SQP: true}} {
		for _, budget := range []int{2, 4, 80} {
			refit := func(inexact bool) *score.Refit {
				return &score.Refit{
					Kernel:    kernel.Linear{},
					Problem:   blobs(60, 50, 4, 2, 5),
					Folds:     folds(50, 5),
					Criterion: score.Risk{Loss: learn.Square()},
					Warm:      inexact,
					Inexact:   inexact,
					Learner:   smooth.Learner{Loss: learn.ModLogistic(12), Offset: smooth.Free},
				}
			}
			res, err := search.Driver{Budget: budget}.Run(ctx, refit(true), s)
			if err != nil {
				t.Fatal(err)
			}
			if exact := value(t, refit(false), res.Theta); math.Abs(res.F-exact.F) > 2e-7*exact.F {
				t.Errorf("%T, budget %d: reported %.9g, exact %.9g", s, budget, res.F, exact.F)
			}
		}
	}
}

// On Heart the score falls along a valley in which single steps gain little: the search by
// gradients follows it to where a search without derivatives ends.
func TestGradientFollowsTheValleyOfHeart(t *testing.T) {
	ctx := context.Background()
	s, _, err := read.Open(t.Context(), testdata.Open(t, "heart_statlog.csv"), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	labels, err := data.Interpret(s.Answers, s.LabelName, data.LabelOptions{Task: data.Classification})
	if err != nil {
		t.Fatal(err)
	}
	scaling, _, err := data.FitScaling("standard", s.Rows)
	if err != nil {
		t.Fatal(err)
	}
	p := learn.NewProblem(scaling.Apply(s.Rows), labels)
	part, err := data.Folds(labels, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	refit := &score.Refit{
		Kernel:    kernel.Gaussian{}.Adapt(p.Rows),
		Learner:   smooth.Learner{Loss: learn.Quartic(0.5), Offset: smooth.Free},
		Problem:   p,
		Work:      new(kernel.Work),
		Criterion: score.LogLoss{},
		Folds:     part.Groups(),
		Warm:      true,
		Inexact:   true,
	}
	start := refit.Space().Defaults()
	run := func(budget int, s search.Search) search.Result {
		res, err := search.Driver{Budget: budget}.Run(ctx, refit, s)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	gradient, simplex := run(30, search.Gradient{Start: start, Decrease: 1e-4}), run(120, search.NelderMead{Start: start})
	if gradient.F > simplex.F*(1+1e-3) || gradient.Status != search.Converged {
		t.Errorf(
			"gradient %.6g after %d evaluations (%s), simplex %.6g after %d",
			gradient.F,
			gradient.Evaluations,
			gradient.Status,
			simplex.F,
			simplex.Evaluations,
		)
	}
}

// noisy is a smooth function of d features on n rows plus noise of the given deviation.
func noisy(n, d int, deviation float64, seed uint64) *learn.Problem {
	rng := rand.New(rand.NewPCG(seed, 3))
	x := mat.NewDense(n, d, nil)
	p := &learn.Problem{Rows: data.Rows{Dense: x}, Task: data.Regression, Y: mat.NewDense(n, 1, nil)}
	for i := range n {
		for j := range d {
			x.Set(i, j, 4*rng.Float64()-2)
		}
		p.Labelled = append(p.Labelled, i)
		p.Y.Set(i, 0, math.Sin(2*x.At(i, 0))+deviation*rng.NormFloat64())
	}
	return p
}

// The variance is that of the noise put in, in the mean over draws, with and without offset.
func TestNoiseVariance(t *testing.T) {
	const draws = 30
	for _, c := range []struct {
		n         int
		deviation float64
		offset    bool
		level     float64 // of all targets, which an offset takes
	}{{100, 0.3, false, 0}, {100, 0.3, true, 0}, {40, 1, true, 0}, {100, 1e-2, true, 0}, {100, 0.3, true, 1e7}} {
		var mean float64
		for seed := range uint64(draws) {
			p := noisy(c.n, 1, c.deviation, seed)
			p.Y.Apply(func(_, _ int, v float64) float64 { return v + c.level }, p.Y)
			s2, err := score.NoiseVariance(
				context.Background(),
				score.LeaveOut{Kernel: kernel.Gaussian{Sigma: 1}, Problem: p, Offset: c.offset},
			)
			if err != nil {
				t.Fatal(err)
			}
			mean += s2 / draws
		}
		if want := c.deviation * c.deviation; math.Abs(mean-want) > 0.12*want {
			t.Errorf("%+v: variance %g in the mean, want %g", c, mean, want)
		}
	}
}

// Where the fit through all rows has the least generalised cross-validation the estimate does
// not collapse: many features, few labels, a narrow kernel.
func TestNoiseVarianceDoesNotCollapse(t *testing.T) {
	for seed := range uint64(5) {
		for _, sigma := range []float64{0.1, 1, 5, 50} {
			for _, p := range []*learn.Problem{blobs(40, 40, 50, 2, seed), noisy(40, 10, 0.5, seed)} {
				s2, err := score.NoiseVariance(
					context.Background(),
					score.LeaveOut{Kernel: kernel.Gaussian{Sigma: sigma}, Problem: p, Offset: true},
				)
				if err != nil || s2 < 0.05 || s2 > 2 {
					t.Errorf("seed %d, sigma %g: %g, %v", seed, sigma, s2, err)
				}
			}
		}
	}
}

// Where there is nothing to estimate from it says so.
func TestNoiseVarianceRefuses(t *testing.T) {
	still := noisy(40, 1, 0, 1)
	still.Y.Scale(0, still.Y)
	for name, p := range map[string]*learn.Problem{"three rows": noisy(3, 1, 1, 1), "constant targets": still} {
		if s2, err := score.NoiseVariance(context.Background(), score.LeaveOut{Kernel: kernel.Gaussian{Sigma: 1}, Problem: p,
			Offset: true}); !errors.Is(
			err,
			score.ErrNoNoise,
		) {
			t.Errorf("%s: %g, %v", name, s2, err)
		}
	}
}

// Noise is told from rounding down to a millionth of the targets.
func TestLeastNoise(t *testing.T) {
	for deviation, told := range map[float64]bool{1e-5: true, 1e-9: false} {
		s2, err := score.NoiseVariance(
			t.Context(),
			score.LeaveOut{Kernel: kernel.Gaussian{Sigma: 1}, Problem: noisy(100, 1, deviation, 3), Offset: true},
		)
		if told && (err != nil || s2 < 0.3e-10 || s2 > 3e-10) || !told && !errors.Is(err, score.ErrNoNoise) {
			t.Errorf("a deviation of %g: variance %g, %v", deviation, s2, err)
		}
	}
}
