package score_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/test/learntest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/learn/smooth"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

// objectives are makers of every kind of score, each with a point at which it can be computed.
func objectives() map[string]func() (param.Objective, []float64) {
	p, two := learntest.Clusters(36, 3, 3, 8), learntest.Clusters(36, 3, 2, 8)
	parts := [][]int{{0, 4, 8}, {1, 5, 9}, {2, 6, 10}, {3, 7, 11}}
	g := graph.Recipe{Neighbours: 4, Degree: 2}
	warped := warp(kernel.Gaussian{Sigma: 1.2}, graph.Recipe{Neighbours: 4, Weights: graph.Heat, Width: 2, Degree: 2}, 20)
	lap := []float64{1.2, 4, 2, 3, 0.02}
	return map[string]func() (param.Objective, []float64){
		"leave-one-out": func() (param.Objective, []float64) {
			return &score.LeaveOut{Kernel: kernel.Gaussian{Sigma: 1}, Problem: p, Criterion: score.LogLoss{}}, []float64{1.2, 0.3}
		},
		"warped, folds": func() (param.Objective, []float64) {
			return &score.LeaveOut{
					Kernel:    warped,
					Problem:   p,
					Criterion: score.Press{},
					Folds:     parts,
					Offset:    true,
				}, []float64{
					1.2,
					2,
					20,
					0.3,
				}
		},
		"system": func() (param.Objective, []float64) {
			return &score.SystemPress{Warp: warped, Problem: p}, []float64{1.2, 2, 20, 0.3}
		},
		"laplacian": func() (param.Objective, []float64) {
			return &score.Laplacian{Base: kernel.Gaussian{Sigma: 1.2}, Graph: g, Problem: p, Criterion: score.LogLoss{}}, lap
		},
		"laplacian of a learner": func() (param.Objective, []float64) {
			return &score.Laplacian{
				Base:      kernel.Gaussian{Sigma: 1.2},
				Graph:     g,
				Problem:   two,
				Criterion: score.LogLoss{},
				Folds:     parts,
				Learner:   smooth.Learner{Loss: learn.Logistic()},
			}, lap
		},
		"few landmarks":  func() (param.Objective, []float64) { return reduced(p, 8, g), lap },
		"many landmarks": func() (param.Objective, []float64) { return reduced(p, 30, g), lap },
		"landmarks of a learner": func() (param.Objective, []float64) {
			o := reduced(two, 20, g)
			o.Learner, o.Folds = smooth.Learner{Loss: learn.Logistic()}, parts
			return o, lap
		},
		"refit": func() (param.Objective, []float64) {
			return &score.Refit{
					Kernel:    kernel.Gaussian{Sigma: 1},
					Learner:   smooth.Learner{Loss: learn.SquaredHinge()},
					Problem:   p,
					Criterion: score.LogLoss{},
					Folds:     parts,
				}, []float64{
					1.2,
					0.7,
				}
		},
		"refit, warm": func() (param.Objective, []float64) {
			return &score.Refit{
					Kernel:    warped,
					Learner:   smooth.Learner{Loss: learn.Logistic()},
					Problem:   p,
					Criterion: score.LogLoss{},
					Folds:     parts,
					Warm:      true,
				}, []float64{
					1.2,
					2,
					20,
					0.7,
				}
		},
		"refit without a derivative": func() (param.Objective, []float64) {
			return &score.Refit{
					Kernel:    warped,
					Learner:   svm.Classifier{},
					Problem:   p,
					Criterion: score.LogLoss{},
					Folds:     parts,
					Inductive: true,
				}, []float64{
					1.2,
					2,
					20,
					0.7,
				}
		},
		"bound of the hinge": func() (param.Objective, []float64) {
			return &score.Bound{
					Kernel:  kernel.Gaussian{Sigma: 1},
					Problem: p,
					Learner: score.Bounded{Learner: svm.Classifier{}, Bound: svm.XiAlpha},
				}, []float64{
					1.2,
					0.7,
				}
		},
		"radius-margin of the hinge": func() (param.Objective, []float64) {
			return &score.Bound{
					Kernel:  kernel.Gaussian{Sigma: 1},
					Problem: two,
					Learner: score.Bounded{Learner: svm.Classifier{}, Bound: svm.RadiusMargin},
				}, []float64{
					1.2,
					0.7,
				}
		},
		"bound": func() (param.Objective, []float64) {
			return &score.Bound{
					Kernel:  kernel.Gaussian{Sigma: 1},
					Problem: p,
					Learner: score.Bounded{
						Learner: smooth.Learner{Loss: learn.SquaredHinge(), Offset: smooth.Free},
						Bound:   svm.RadiusMargin,
					},
				}, []float64{
					1.2,
					0.7,
				}
		},
	}
}

// ending is a context that ends when it has been asked for its end so many times.
type ending struct {
	context.Context
	left atomic.Int64
}

func (c *ending) Err() error {
	if c.left.Add(-1) >= 0 {
		return nil
	}
	return context.Canceled
}

// TestObjectivesEnd: whenever an evaluation is interrupted it ends with an error; one that is not is the
// same as before, whatever was kept of those that were.
func TestObjectivesEnd(t *testing.T) {
	for name, make := range objectives() {
		t.Run(name, func(t *testing.T) {
			o, theta := make()
			asked := param.WithGradient
			if slices.Contains([]string{"refit without a derivative", "bound of the hinge"}, name) {
				asked = param.ValueOnly
			}
			want, err := o.Eval(t.Context(), theta, asked)
			if err != nil || math.IsNaN(want.F) || math.IsInf(want.F, 0) || asked == param.WithGradient && len(want.Grad) != len(theta) {
				t.Fatal(want, err)
			}
			o, _ = make()
			for n := range int64(400) {
				ctx := &ending{Context: t.Context()}
				ctx.left.Store(n)
				got, err := o.Eval(ctx, theta, asked)
				switch {
				case err == nil && ctx.left.Load() < 0 && got.F != want.F:
					t.Fatalf("interrupted at look %d: %g and no error, left alone %g", n, got.F, want.F)
				case err == nil:
					near(t, "the value", got.F, want.F, 1e-7)
					for k, d := range got.Grad {
						if math.IsNaN(d) && math.IsNaN(want.Grad[k]) {
							continue // a whole number has no derivative
						}
						near(t, o.Space()[k].Name, got.Grad[k], want.Grad[k], 1e-5)
					}
					return
				}
			}
			t.Error("never ends")
		})
	}
}

// TestObjectivesRefuse: a parameter that is no number, or not positive, is an error or the worst of scores.
func TestObjectivesRefuse(t *testing.T) {
	for name, make := range objectives() {
		o, theta := make()
		for k, d := range o.Space() {
			for _, bad := range []float64{math.NaN(), -1} {
				at := slices.Clone(theta)
				at[k] = bad
				if v, err := o.Eval(t.Context(), at, param.ValueOnly); err == nil && !math.IsInf(v.F, 1) {
					t.Errorf("%s: %s = %g scores %g", name, d.Name, bad, v.F)
				}
			}
		}
		if v, err := o.Eval(t.Context(), theta, param.ValueOnly); err != nil || math.IsInf(v.F, 0) {
			t.Errorf("%s, after what is refused: %v, %v", name, v, err)
		}
	}
}

// TestSpaces: the parameters of every kind of score with their ranges and defaults.
func TestSpaces(t *testing.T) {
	// 12 of 36 rows have a label: gamma_a is lambda/12, and gamma_i 36^2 ratio gamma_a.
	const a, i = 1. / 12, 36 * 36 / 12.
	lap := [][3]float64{{}, {2, 35, 4}, {1, 5, 2}, {0x1p-30 * i, 0x1p40 * i, 0x1p4 * i}, {0x1p-30 * a, 0x1p10 * a, 0x1p-10 * a}}
	for name, want := range map[string][][3]float64{
		"leave-one-out": {{}, {0x1p-30, 0x1p10, 0x1p-10}},
		"laplacian":     lap,
		"few landmarks": lap,
	} {
		o, _ := objectives()[name]()
		s := o.Space()
		if len(s) != len(want) {
			t.Fatalf("%s: %v", name, s.Names())
		}
		for k, w := range want {
			if w == ([3]float64{}) {
				continue // of the kernel
			}
			near(t, name+", lower "+s[k].Name, s[k].Lo/w[0], 1, 1e-12)
			near(t, name+", upper "+s[k].Name, s[k].Hi/w[1], 1, 1e-12)
			near(t, name+", default "+s[k].Name, s[k].Default/w[2], 1, 1e-12)
		}
	}
}

// TestSteepness: smooth errors are as steep as 10 where nothing is said.
func TestSteepness(t *testing.T) {
	p := learntest.Clusters(36, 3, 2, 8)
	out := mat.NewDense(12, 1, nil)
	for i := range 12 {
		out.Set(i, 0, p.Y.At(i, 0)*(0.3-0.05*float64(i)))
	}
	for _, c := range [][2]score.Criterion{
		{score.SmoothError{}, score.SmoothError{Rho: 10}}, {score.SmoothWeighted{Eta: 2}, score.SmoothWeighted{Eta: 2, Rho: 10}},
		{score.SmoothF{}, score.SmoothF{Rho: 10}},
	} {
		a, b := mat.NewDense(12, 1, nil), mat.NewDense(12, 1, nil)
		near(t, c[0].String(), c[0].Eval(p, nil, out, a), c[1].Eval(p, nil, out, b), 1e-15)
		if !mat.EqualApprox(a, b, 1e-15) {
			t.Errorf("%v: another derivative", c[0])
		}
	}
	// By hand: the mean of 1/(1 + exp(10 m)) over the margins m.
	sum := 0.0
	for i := range 12 {
		sum += 1 / (1 + math.Exp(10*(0.3-0.05*float64(i)))) / 12
	}
	near(t, "smooth error", score.SmoothError{}.Eval(p, nil, out, nil), sum, 1e-12)
}

// TestWholeNumbersOfGraphs: neighbours and degree that are no whole numbers from 1 are refused by their names.
func TestWholeNumbersOfGraphs(t *testing.T) {
	o := &score.Laplacian{Base: kernel.Gaussian{Sigma: 1.2}, Problem: learntest.Clusters(30, 3, 3, 8), Criterion: score.LogLoss{}}
	for place, name := range map[int]string{1: "neighbours", 2: "degree"} {
		for v, good := range map[float64]bool{1: true, 3: true, 0: false, 1.5: false} {
			theta := []float64{1.2, 4, 2, 3, 0.02} // sigma, neighbours, degree, gamma_i, gamma_a
			theta[place] = v
			want := "<nil>"
			if !good {
				want = fmt.Sprintf("score: %s = %g; it must be a whole number from 1", name, v)
			}
			if _, _, err := o.Machine(theta); fmt.Sprint(err) != want {
				t.Errorf("%s = %g: %v, want %s", name, v, err, want)
			}
		}
	}
}

// stumbling is a Gaussian kernel of which one call fails, to bind it or to what it is bound to, and no other.
type stumbling struct {
	kernel.Gaussian
	left *atomic.Int64
}

var errStumbling = errors.New("stumbled")

func (k stumbling) fails() bool { return k.left.Add(-1) == -1 }

func (k stumbling) With(theta []float64) (kernel.Kernel, error) {
	g, err := k.Gaussian.With(theta)
	if err != nil {
		return nil, err
	}
	return stumbling{g.(kernel.Gaussian), k.left}, nil
}

func (k stumbling) Bind(ctx context.Context, rows data.Rows, w *kernel.Work) (kernel.Gram, error) {
	if k.fails() {
		return nil, errStumbling
	}
	g, err := k.Gaussian.Bind(ctx, rows, w)
	return stumblingGram{g, k}, err
}

type stumblingGram struct {
	kernel.Gram
	k stumbling
}

func (g stumblingGram) Semidefinite() bool { return true }

func (g stumblingGram) Cross(dst *mat.Dense, x data.Rows, j []int) error {
	if g.k.fails() {
		return errStumbling
	}
	return g.Gram.Cross(dst, x, j)
}

func (g stumblingGram) Pull(grad []float64, bar kernel.Cotangent) error {
	if g.k.fails() {
		return errStumbling
	}
	return g.Gram.Pull(grad, bar)
}

// TestKernelsThatFailOnce: what a kernel fails at once, at whichever of its calls, ends the evaluation with its error, and is neither the
// worst of scores nor lost.
func TestKernelsThatFailOnce(t *testing.T) {
	p, two := learntest.Clusters(36, 3, 3, 8), learntest.Clusters(36, 3, 2, 8)
	parts := [][]int{{0, 4, 8}, {1, 5, 9}}
	g := graph.Recipe{Neighbours: 4, Degree: 2}
	left := new(atomic.Int64)
	base := stumbling{kernel.Gaussian{Sigma: 1.2}, left}
	warped := warp(base, graph.Recipe{Neighbours: 4, Weights: graph.Heat, Width: 2, Degree: 2}, 20)
	lap := []float64{1.2, 4, 2, 3, 0.02}
	landmarked := func(m int) func() param.Objective {
		return func() param.Objective {
			o := reduced(p, m, g)
			o.Base = base
			return o
		}
	}
	refit := func(l learn.Learner, inductive bool) func() param.Objective {
		return func() param.Objective {
			return &score.Refit{Kernel: base, Learner: l, Problem: two, Criterion: score.LogLoss{}, Folds: parts, Inductive: inductive}
		}
	}
	squared := score.Bounded{Learner: smooth.Learner{Loss: learn.SquaredHinge()}, Bound: svm.RadiusMargin}
	for name, c := range map[string]struct {
		fresh func() param.Objective
		theta []float64
	}{
		"leave-one-out": {func() param.Objective {
			return &score.LeaveOut{Kernel: base, Problem: p, Criterion: score.LogLoss{}}
		}, []float64{1.2, 0.3}},
		"system": {func() param.Objective { return &score.SystemPress{Warp: warped, Problem: p} }, []float64{1.2, 2, 20, 0.3}},
		"laplacian": {func() param.Objective {
			return &score.Laplacian{Base: base, Graph: g, Problem: p, Criterion: score.LogLoss{}}
		}, lap},
		"few landmarks": {landmarked(8), lap}, "many landmarks": {landmarked(30), lap},
		"refit":     {refit(smooth.Learner{Loss: learn.Logistic()}, false), []float64{1.2, 0.7}},
		"inductive": {refit(rls.Learner{}, true), []float64{1.2, 0.3}},
		"bound": {func() param.Objective {
			return &score.Bound{Kernel: base, Problem: two, Learner: squared}
		}, []float64{1.2, 0.7}},
	} {
		evaluate := func() error { _, err := c.fresh().Eval(t.Context(), c.theta, param.WithGradient); return err }
		left.Store(math.MaxInt64)
		if err := evaluate(); err != nil {
			t.Fatalf("%s: it fails by itself: %v", name, err)
		}
		for n := range math.MaxInt64 - left.Load() {
			left.Store(n)
			if err := evaluate(); !errors.Is(err, errStumbling) {
				t.Errorf("%s: failing at call %d alone gives the error %v", name, n+1, err)
			}
		}
	}
}
