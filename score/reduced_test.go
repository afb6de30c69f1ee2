package score_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/test/learntest"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/learn/smooth"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

// reduced is the score with m landmarks.
func reduced(p *learn.Problem, m int, g graph.Recipe) *score.Reduced {
	return &score.Reduced{
		Laplacian: score.Laplacian{Base: kernel.Gaussian{Sigma: 1.2}, Graph: g, Problem: p, Criterion: score.LogLoss{}},
		Landmarks: kernel.Landmarks{Count: m, Choice: kernel.PlusPlus, Seed: 2},
	}
}

// few and many landmarks for the 12 labelled of 36 rows of clusters: derivatives by
// panels on the features, by panels on the block, and by functions.
var landmarks = []int{8, 20, 36}

func TestReducedEqualsLaplacian(t *testing.T) {
	ctx := context.Background()
	p := learntest.Clusters(36, 3, 3, 8)
	folds := [][]int{{0, 4, 8}, {1, 5, 9}, {2, 6, 10}, {3, 7, 11}}
	for _, g := range []graph.Recipe{{Neighbours: 4, Degree: 2}, {Neighbours: 3, Degree: 1, Weights: graph.Heat, Width: 2}} {
		for _, offset := range []bool{false, true} {
			for _, f := range [][][]int{nil, folds} {
				o := reduced(p, 36, g)
				o.Offset, o.Folds = offset, f
				theta := o.Space().Defaults()
				theta[len(theta)-2], theta[len(theta)-1] = 3, 0.02
				got, err := o.Eval(ctx, theta, param.WithGradient)
				if err != nil {
					t.Fatal(err)
				}
				want, err := o.Laplacian.Eval(ctx, theta, param.WithGradient)
				if err != nil {
					t.Fatal(err)
				}
				near(t, "score", got.F, want.F, 1e-8)
				if len(o.Space()) != len(o.Laplacian.Space()) || len(got.Grad) != len(want.Grad) {
					t.Fatal("other parameters")
				}
				for q, d := range o.Space() {
					if !d.Fixed {
						near(t, d.Name, got.Grad[q], want.Grad[q], 1e-8)
					}
				}
			}
		}
	}
}

func TestReducedGradientEqualsDifferences(t *testing.T) {
	folds := [][]int{{0, 4, 8}, {1, 5, 9}, {2, 6, 10}, {3, 7, 11}}
	heat := graph.Recipe{Neighbours: 4, Degree: 2, Weights: graph.Heat, Width: 2}
	for _, m := range landmarks {
		for _, classes := range []int{2, 3} {
			p := learntest.Clusters(36, 3, classes, 8)
			o := reduced(p, m, heat)
			theta := []float64{1.2, 4, 2, 2, 3, 0.02}
			for _, offset := range []bool{false, true} {
				for _, c := range []score.Criterion{score.LogLoss{}, score.Press{}} {
					for _, f := range [][][]int{nil, folds} {
						o.Offset, o.Criterion, o.Folds = offset, c, f
						checkGradient(t, "heat "+c.String(), o, theta, 1, 2)
					}
				}
				o.GCV = true
				checkGradient(t, "heat gcv", o, theta, 1, 2)
				o.GCV = false
			}
			ard := reduced(p, m, graph.Recipe{Neighbours: 4, Degree: 2})
			ard.Base = kernel.ARDGaussian{Sigma: []float64{1, 2, 0.7}}
			checkGradient(t, "ard", ard, []float64{1, 2, 0.7, 4, 2, 3, 0.02}, 3, 4)
		}
	}
}

// Without a graph the labelled rows among the landmarks make the machine exact.
func TestReducedWithoutGraphIsExact(t *testing.T) {
	p := learntest.Clusters(60, 3, 3, 8)
	for _, c := range []kernel.LandmarkChoice{kernel.PlusPlus, kernel.Means} {
		o := reduced(p, 45, graph.Recipe{})
		o.Landmarks.Choice = c
		got, err := o.Eval(context.Background(), []float64{1.2, 4, 1, 0, 0.01}, param.ValueOnly)
		if err != nil {
			t.Fatal(err)
		}
		s := score.LeaveOut{Kernel: kernel.Gaussian{}, Problem: p, Criterion: score.LogLoss{}}
		want, err := s.Eval(context.Background(), []float64{1.2, 0.01 * float64(len(p.Labelled))}, param.ValueOnly)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "score", got.F, want.F, 1e-8)
	}
}

// Means of rows as landmarks, with and without labelled rows beside them.
func TestReducedByMeans(t *testing.T) {
	p := learntest.Clusters(36, 3, 3, 8)
	for _, m := range landmarks {
		o := reduced(p, m, graph.Recipe{Neighbours: 4, Degree: 2})
		o.Landmarks.Choice = kernel.Means
		theta := []float64{1.2, 4, 2, 3, 0.02}
		checkGradient(t, "means", o, theta, 1, 2)
		checkExpansion(t, p, solve(t, o, theta))
	}
}

// The weights of a combination, with the parts kept while the weights move.
func TestReducedGradientByWeights(t *testing.T) {
	for _, m := range landmarks {
		p := learntest.Clusters(36, 3, 3, 8)
		o := reduced(p, m, graph.Recipe{})
		terms := manifold.Cartesian(graph.Recipe{}, []int{3, 6}, []int{1, 2})
		o.Norm = manifold.Combined{Terms: terms}
		theta := []float64{1.2, 0.1, 0.2, 0.3, 0.4, 3, 0.02}
		checkGradient(t, "weights", o, theta)
		// The corners are the graphs alone.
		for j, corner := range terms {
			at := []float64{1.2, 0, 0, 0, 0, 3, 0.02}
			at[1+j] = 1
			a, err := o.Eval(context.Background(), at, param.ValueOnly)
			if err != nil {
				t.Fatal(err)
			}
			one := reduced(p, m, corner.Recipe)
			b, err := one.Eval(
				context.Background(),
				[]float64{1.2, float64(corner.Recipe.Neighbours), float64(corner.Recipe.Degree), 3, 0.02},
				param.ValueOnly,
			)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "corner", a.F, b.F, 1e-10)
		}
	}
}

func TestReducedLeaveOutEqualsRefits(t *testing.T) {
	ctx := context.Background()
	for _, m := range landmarks {
		for _, folds := range [][][]int{nil, {{0, 4, 8}, {1, 5, 9}}} {
			for _, offset := range []bool{false, true} {
				p := learntest.Clusters(36, 3, 3, 21)
				o := reduced(p, m, graph.Recipe{Neighbours: 4, Degree: 2})
				o.Folds, o.Offset = folds, offset
				theta := []float64{1.2, 4, 2, 3, 0.02}
				got, err := o.Eval(ctx, theta, param.ValueOnly)
				if err != nil {
					t.Fatal(err)
				}
				s, inner, err := o.Machine(ctx, theta)
				if err != nil {
					t.Fatal(err)
				}
				want, err := twin(*s).Eval(ctx, inner, param.ValueOnly)
				if err != nil {
					t.Fatal(err)
				}
				near(t, "score", got.F, want.F, 1e-10)
				f := solve(t, o, theta)
				left, err := f.LeaveOut(ctx, folds)
				if err != nil {
					t.Fatal(err)
				}
				near(t, "score of the fit", score.LogLoss{}.Eval(p, score.Judged(folds), left, nil), got.F, 1e-10)
				checkExpansion(t, p, f)
			}
		}
	}
}

func blockOf(g kernel.Gram, idx []int) *mat.Dense {
	b := mat.NewDense(len(idx), len(idx), nil)
	g.Block(b, idx, idx)
	return b
}

// solved is least squares at one theta with the Gram object that it was solved on.
type solved struct {
	*rls.Fit
	gram kernel.Gram
}

// values are the outputs on all rows, n x c, without the offset.
func (s solved) values(p *learn.Problem) *mat.Dense {
	_, c := s.Alpha.Dims()
	out := mat.NewDense(s.gram.Len(), c, nil)
	s.gram.(interface {
		Values(dst, alpha *mat.Dense, j []int)
	}).Values(out, s.Alpha, p.Labelled)
	return out
}

// solve trains the machine at theta as a fit does.
func solve(t *testing.T, o *score.Reduced, theta []float64) solved {
	t.Helper()
	ctx, p := context.Background(), o.Problem
	s, inner, err := o.Machine(ctx, theta)
	if err != nil {
		t.Fatal(err)
	}
	k, err := s.Kernel.With(inner[:len(inner)-1])
	if err != nil {
		t.Fatal(err)
	}
	g, err := k.Bind(ctx, p.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := rls.Solve(ctx, blockOf(g, p.Labelled), p.Y, p.Weight, o.Offset, inner[len(inner)-1])
	if err != nil {
		t.Fatal(err)
	}
	return solved{f, g}
}

// What a model stores must predict the training rows.
func checkExpansion(t *testing.T, p *learn.Problem, f solved) {
	t.Helper()
	parts, err := f.gram.Expand(f.Alpha, p.Labelled)
	if err != nil {
		t.Fatal(err)
	}
	values := f.values(p)
	n, c := values.Dims()
	got := mat.NewDense(n, c, nil)
	for _, e := range parts {
		g, err := e.Kernel.Bind(context.Background(), e.Centres, nil)
		if err != nil {
			t.Fatal(err)
		}
		k := mat.NewDense(n, g.Len(), nil)
		if err := g.Cross(k, p.Rows, nil); err != nil {
			t.Fatal(err)
		}
		var v mat.Dense
		v.Mul(k, e.Coef)
		got.Add(got, &v)
	}
	for i := range n {
		near(t, "prediction", got.At(i, 0), values.At(i, 0), 1e-8)
	}
}

// Evaluations must not depend on those before them.
func TestReducedKeepsNothingWrong(t *testing.T) {
	ctx := context.Background()
	p := learntest.Clusters(36, 3, 3, 8)
	fresh := func(combined bool) *score.Reduced {
		o := reduced(p, 20, graph.Recipe{Neighbours: 4})
		if combined {
			o.Norm = manifold.Combined{Terms: manifold.Cartesian(graph.Recipe{}, []int{3, 6}, []int{1, 2})}
		}
		return o
	}
	for _, points := range [][][]float64{
		{{1.2, 4, 1, 3, 0.02}, {1.2, 4, 1, 30, 0.02}, {1.2, 4, 2, 30, 0.01}, {0.8, 4, 2, 30, 0.01}, {1.2, 4, 1, 3, 0.02}},
		{{1.2, .1, .2, .3, .4, 3, .02}, {1.2, .4, .2, .3, .1, 30, .02}, {1.2, 1, 0, 0, 0, 3, .02}, {2, 1, 0, 0, 0, 3, .02},
			{1.2, .1, .2, .3, .4, 3, .02}},
	} {
		combined := len(points[0]) == 7
		o := fresh(combined)
		for _, theta := range points {
			got, err := o.Eval(ctx, theta, param.WithGradient)
			if err != nil {
				t.Fatal(err)
			}
			want, err := fresh(combined).Eval(ctx, theta, param.WithGradient)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "score", got.F, want.F, 1e-12)
			for q, d := range o.Space() {
				if !d.Fixed {
					near(t, d.Name, got.Grad[q], want.Grad[q], 1e-9)
				}
			}
		}
	}
}

// The parts stay while the weights of a combination move, for they are the cost of an evaluation, and are made anew for another base.
func TestReducedKeepsPartsOfWeights(t *testing.T) {
	o := reduced(learntest.Clusters(36, 3, 3, 8), 20, graph.Recipe{})
	o.Base = kernel.ARDGaussian{Sigma: []float64{1, 2, 0.7}}
	o.Norm = manifold.Combined{Terms: manifold.Cartesian(graph.Recipe{}, []int{3, 6}, []int{1, 2})}
	before := o.Kept()
	for _, c := range []struct {
		theta []float64
		stay  bool
	}{
		{[]float64{1, 2, 0.7, 0.1, 0.2, 0.3, 0.4, 3, 0.02}, false},
		{[]float64{1, 2, 0.7, 0.4, 0.2, 0.3, 0.1, 3, 0.02}, true},
		{[]float64{1, 2, 0.7, 1, 0, 0, 0, 30, 0.01}, true},
		{[]float64{1, 2, 0.9, 1, 0, 0, 0, 30, 0.01}, false},
	} {
		if _, err := o.Eval(t.Context(), c.theta, param.ValueOnly); err != nil {
			t.Fatal(err)
		}
		if o.Kept() == nil || (o.Kept() == before) != c.stay {
			t.Errorf("%v: the parts stay: %t, want %t", c.theta, o.Kept() == before, c.stay)
		}
		before = o.Kept()
	}
}

// Another learner on the reduced kernel, by training again.
func TestReducedTrainsSmoothMachines(t *testing.T) {
	p := learntest.Clusters(36, 3, 2, 8)
	o := reduced(p, 20, graph.Recipe{Neighbours: 4})
	o.Learner = smooth.Learner{Loss: learn.Logistic()}
	o.Folds = [][]int{{0, 4, 8}, {1, 5, 9}, {2, 6, 10}, {3, 7, 11}}
	checkGradient(t, "logistic", o, []float64{1.2, 4, 1, 3, 0.02}, 1, 2)
}

func TestReducedRefuses(t *testing.T) {
	ctx := context.Background()
	p := learntest.Clusters(36, 3, 2, 8)
	o := reduced(p, 20, graph.Recipe{Neighbours: 4})
	if _, err := o.Eval(ctx, []float64{1.2, 4.5, 1, 3, 0.02}, param.ValueOnly); err == nil {
		t.Error("4.5 neighbours")
	}
	if _, err := o.Eval(ctx, []float64{math.NaN(), 4, 1, 3, 0.02}, param.ValueOnly); err == nil {
		t.Error("a width of NaN")
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := o.Eval(cancelled, []float64{1.2, 4, 1, 3, 0.02}, param.ValueOnly); err == nil {
		t.Error("a cancelled context")
	}
	if _, err := o.Eval(ctx, []float64{1.2, 4, 1, 3, 0.02}, param.ValueOnly); err != nil {
		t.Error(err)
	}
}

func BenchmarkReduced(b *testing.B) {
	set, err := data.Builtin("manifolds:n=20000,labelled=20")
	if err != nil {
		b.Fatal(err)
	}
	labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{Task: data.Classification})
	if err != nil {
		b.Fatal(err)
	}
	p := learn.NewProblem(set.Rows, labels)
	ctx := context.Background()
	for _, k := range []kernel.Kernel{kernel.Gaussian{}, kernel.ARDGaussian{}} {
		o := &score.Reduced{Laplacian: score.Laplacian{Base: k.Adapt(p.Rows), Problem: p, Criterion: score.LogLoss{}}}
		theta := o.Space().Defaults()
		if _, err := o.Eval(ctx, theta, param.ValueOnly); err != nil {
			b.Fatal(err)
		}
		for _, c := range []struct {
			name string
			want param.Want
			keep bool
		}{{"value", param.ValueOnly, false}, {"gradient", param.WithGradient, false}, {"ratio", param.ValueOnly, true}} {
			b.Run(fmt.Sprintf("%T/%s", k, c.name), func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					if !c.keep {
						o.Release()
					}
					theta[len(theta)-2] *= 1.01 // gamma_i
					if v, err := o.Eval(ctx, theta, c.want); err != nil || math.IsInf(v.F, 0) {
						b.Fatal(v, err)
					}
				}
			})
		}
	}
}

// On many rows of curved surfaces few landmarks must do what all rows do: errors on the
// hidden labels within half a point, far below those of least squares on the labels alone.
func TestReducedErrsAsTheExactMachine(t *testing.T) {
	set, err := data.Builtin("manifolds:n=1500,noise=0.05")
	if err != nil {
		t.Fatal(err)
	}
	o := data.LabelOptions{Task: data.Classification}
	truth, err := data.Interpret(set.Answers, set.LabelName, o)
	if err != nil {
		t.Fatal(err)
	}
	keep, err := data.DrawPerClass(truth, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	answers, _ := data.Hide(set.Answers, keep)
	labels, err := data.Interpret(answers, set.LabelName, o)
	if err != nil {
		t.Fatal(err)
	}
	p := learn.NewProblem(set.Rows, labels)
	wrong := func(m int, gammaI float64) float64 {
		s := reduced(p, m, graph.Recipe{})
		s.Landmarks.Choice = kernel.Means
		theta := []float64{0.6, 10, 1, gammaI, 1e-5}
		errors := 0
		for i, c := range p.Coding.Decide(solve(t, s, theta).values(p)) {
			if c != truth.Class[i] {
				errors++
			}
		}
		return 100 * float64(errors) / 1500
	}
	exact, few, alone := wrong(1500, 2000), wrong(300, 2000), wrong(300, 0)
	if math.Abs(few-exact) > 0.5 || few > alone/3 {
		t.Errorf("errors: exact %.2f %%, 300 landmarks %.2f %%, without the graph %.2f %%", exact, few, alone)
	}
}

// A penalty counts however many landmarks there are, and needs no criterion.
func TestReducedPenalty(t *testing.T) {
	p := learntest.Clusters(36, 3, 2, 8)
	for _, m := range landmarks {
		var last float64
		for k, penalty := range []float64{1, 2} {
			o := reduced(p, m, graph.Recipe{Neighbours: 4})
			o.Criterion, o.Penalty = nil, penalty
			v, err := o.Eval(t.Context(), []float64{1.2, 4, 1, 3, 0.02}, param.ValueOnly)
			if err != nil {
				t.Fatal(err)
			}
			if k > 0 && !(v.F > last) {
				t.Errorf("%d landmarks: %g with the penalty %g, %g with half of it", m, v.F, penalty, last)
			}
			last = v.F
		}
	}
}

// An evaluation that was interrupted on its way to other weights leaves nothing behind that the next ones would take for theirs.
func TestReducedAfterAnInterrupt(t *testing.T) {
	p := learntest.Clusters(36, 3, 3, 8)
	fresh := func() *score.Reduced {
		o := reduced(p, 20, graph.Recipe{})
		o.Norm = manifold.Combined{Terms: manifold.Cartesian(graph.Recipe{}, []int{3, 6}, []int{1, 2})}
		return o
	}
	first, second := []float64{1.2, 0.1, 0.2, 0.3, 0.4, 3, 0.02}, []float64{1.2, 0.4, 0.2, 0.3, 0.1, 3, 0.02}
	want := value(t, fresh(), second)
	for looks := 0; ; looks++ {
		o, ctx := fresh(), stoptest.After(t.Context(), looks)
		value(t, o, first)
		if v, err := o.Eval(ctx, second, param.WithGradient); err == nil {
			near(t, fmt.Sprintf("the score ended at look %d", looks+1), v.F, want.F, 1e-12)
		}
		near(t, fmt.Sprintf("the score after an end at look %d", looks+1), value(t, o, second).F, want.F, 1e-12)
		if !ctx.Ended() {
			return
		}
	}
}

// Folds that leave fewer rows than there are features have a score or none, however little is added to the diagonal.
func TestReducedFoldsOfTinyRidges(t *testing.T) {
	o := reduced(learntest.Clusters(36, 3, 3, 8), 8, graph.Recipe{Neighbours: 4, Degree: 2})
	o.Criterion, o.Folds = score.Press{}, [][]int{{0, 1, 2, 3, 4, 5, 6, 7, 8}, {9, 10, 11}}
	for _, gamma := range []float64{1e-2, 1e-10, 1e-14, 1e-16, 1e-18, 1e-20, 1e-40, 1e-100} {
		if v, err := o.Eval(t.Context(), []float64{1.2, 4, 2, gamma, gamma}, param.ValueOnly); err != nil || math.IsNaN(v.F) {
			t.Errorf("gamma = %g: %v, %v", gamma, v.F, err)
		}
	}
}
