package score_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/internal/test/learntest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

// paired is a problem of pairs of four classes with outputs, of which some rows have weights.
func paired() (*learn.Problem, *mat.Dense) {
	p := learntest.Clusters(60, 3, 4, 8).OneVersusOne()
	o := mat.NewDense(len(p.Labelled), p.Outputs(), nil)
	o.Apply(func(i, j int, _ float64) float64 { return float64((7*i+3*j)%11)/3 - 1.4 }, o)
	for i := range p.Labelled {
		p.Weight = append(p.Weight, []float64{1, 2, 0.5}[i%3])
	}
	return p, o
}

// The pairs that a row's class has no part in change nothing and have no derivative, of every criterion.
func TestPairsWithoutPart(t *testing.T) {
	p, o := paired()
	l, c := o.Dims()
	other := mat.DenseCopyOf(o)
	for i := range l {
		for j := range c {
			if p.Y.At(i, j) == 0 {
				other.Set(i, j, 1.3-0.1*float64(j))
			}
		}
	}
	if mat.Equal(o, other) {
		t.Fatal("every class has a part in every pair")
	}
	for _, v := range []score.Criterion{score.Press{}, score.LogLoss{}, score.Risk{Loss: learn.Logistic()}, score.Risk{Loss: learn.Square()}} {
		bar := mat.NewDense(l, c, nil)
		near(t, fmt.Sprint(v, " of other outputs"), v.Eval(p, nil, other, nil), v.Eval(p, nil, o, bar), 1e-9)
		const h = 1e-5
		for i := range l {
			for j := range c {
				at := func(by float64) float64 {
					x := mat.DenseCopyOf(o)
					x.Set(i, j, x.At(i, j)+by)
					return v.Eval(p, nil, x, nil)
				}
				near(t, fmt.Sprint(v, " derivative"), bar.At(i, j), (at(h)-at(-h))/(2*h), 1e-6)
			}
		}
	}
}

// Press, risk and log loss of pairs are those of the two-class problems that they are.
func TestPairsAreTwoClassProblems(t *testing.T) {
	p, o := paired()
	p.Weight = nil
	var press, risk, loss float64
	l := float64(len(p.Labelled))
	sharp, unseen := score.Temperature(p, nil, o), 1/(l+2)
	for i := range p.Labelled {
		for j, y := range p.Y.RawRowView(i) {
			if y != 0 {
				press += (y - o.At(i, j)) * (y - o.At(i, j)) / 2
				risk += math.Log1p(math.Exp(-y*o.At(i, j))) / l
				m := sharp * y * o.At(i, j)
				loss += (math.Log1p(math.Exp(-m)) + unseen*m) / l / 3
			}
		}
	}
	near(t, "press", score.Press{}.Eval(p, nil, o, nil), press, 1e-12)
	near(t, "log loss", score.LogLoss{}.Eval(p, nil, o, nil), loss, 1e-12)
	near(t, "risk", score.Risk{Loss: learn.Logistic()}.Eval(p, nil, o, nil), risk, 1e-12)
}

// Errors of negative rows count as those of positive ones, where no weight is given: not twice, nor half.
func TestWeightOfNegatives(t *testing.T) {
	p := learntest.Clusters(36, 3, 2, 8)
	o := mat.NewDense(len(p.Labelled), 1, nil)
	o.Apply(func(i, _ int, _ float64) float64 { return float64(i%5) - 2.2 }, o)
	got := score.SmoothWeighted{}.Eval(p, nil, o, nil)
	if want := (score.SmoothWeighted{Eta: 1}).Eval(p, nil, o, nil); got != want {
		t.Errorf("%g, with the weight one %g", got, want)
	}
	if other := (score.SmoothWeighted{Eta: 2}).Eval(p, nil, o, nil); got == other {
		t.Errorf("%g with every weight", got)
	}
	near(t, "one weight", got, score.SmoothError{}.Eval(p, nil, o, nil), 1e-12)
}

// What a criterion cannot judge is the caller's mistake.
func TestCriteriaPanic(t *testing.T) {
	p := learntest.Clusters(36, 3, 3, 8)
	o := mat.NewDense(len(p.Labelled), 3, nil)
	failtest.Panics(t, "score: the error count has no derivative; use SmoothError", func() { score.Error{}.Eval(p, nil, o, o) })
	for _, c := range []score.Criterion{score.SmoothWeighted{}, score.SmoothF{}} {
		failtest.Panics(t, "score: this criterion is for two classes", func() { c.Eval(p, nil, o, nil) })
	}
}

// Outputs that are all zero, or not finite, have the temperature zero.
func TestTemperatureOfNothing(t *testing.T) {
	p := learntest.Clusters(36, 3, 2, 8)
	for _, v := range []float64{0, math.Inf(1), math.NaN()} {
		o := mat.NewDense(len(p.Labelled), 1, nil)
		o.Set(4, 0, v)
		if got := score.Temperature(p, nil, o); got != 0 {
			t.Errorf("an output of %g has the temperature %g", v, got)
		}
	}
}

// The mean of the diagonal is one of a kernel that has none, or none that is finite, and of sizes of an indefinite one.
func TestMeanDiagonal(t *testing.T) {
	x := data.Rows{Dense: mat.NewDense(3, 1, nil)}
	for _, c := range []struct {
		diagonal []float64
		want     float64
	}{{[]float64{0, 0, 0}, 1}, {[]float64{-1, 2, 6}, 3}, {[]float64{1, 1e308, 1e308}, 1}} {
		k := mat.NewDense(3, 3, nil)
		for i, v := range c.diagonal {
			k.Set(i, i, v)
		}
		g, err := kernel.Precomputed{K: k}.Bind(t.Context(), x, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := score.MeanDiagonal(g, []int{0, 1, 2}); got != c.want {
			t.Errorf("%v: %g, expected %g", c.diagonal, got, c.want)
		}
	}
}

// A kernel of fewer features than labelled rows is decomposed by its features, dense or sparse: the fits are those of its matrix.
func TestPathOfFeatures(t *testing.T) {
	for _, offset := range []bool{false, true} {
		p := weighed(3)
		want := score.LeaveOut{Kernel: kernel.Linear{}, Problem: p, Criterion: score.Press{}, Offset: offset}
		block := mat.NewDense(len(p.Labelled), len(p.Labelled), nil)
		for i, a := range p.Labelled {
			for j, b := range p.Labelled {
				block.Set(i, j, mat.Dot(p.Rows.Dense.RowView(a), p.Rows.Dense.RowView(b)))
			}
		}
		f, err := rls.Solve(t.Context(), block, p.Y, p.Weight, offset, 0.3)
		if err != nil {
			t.Fatal(err)
		}
		value, err := want.Score(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		for _, rows := range []data.Rows{p.Rows, {Sparse: data.CSRFromDense(p.Rows.Dense)}} {
			q := *p
			q.Rows = rows
			s := score.LeaveOut{Kernel: kernel.Linear{}, Problem: &q, Criterion: score.Press{}, Offset: offset}
			_, path, err := s.Bind(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			f, err := path.At(0.3)
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.Score(t.Context(), f)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "press by features", got, value, 1e-9)
		}
	}
}

// The range of lambda, which kernels of order one have, is wider than the source's.
func TestDefaultLambda(t *testing.T) {
	d := (&score.LeaveOut{Kernel: kernel.Linear{}}).Space()[0]
	if d.Name != "lambda" || d.Kind != param.Log || d.Lo != 1.0/(1<<30) || d.Hi != 1024 || d.Default != 1.0/1024 {
		t.Errorf("%+v", d)
	}
}

// Values that cannot be are refused in words, or infeasible.
func TestScoresRefuse(t *testing.T) {
	p := weighed(2)
	_, err := score.NewDirect(t.Context(), warp(kernel.Linear{}, graph.Recipe{Neighbours: 3}, 1), p, nil, []float64{1, 0.1})
	failtest.Refused(t, err, "score: the n x n system has no weights of rows; take LeaveOut, which has")
	plain := learntest.Clusters(36, 3, 2, 8)
	_, err = score.NewDirect(t.Context(), warp(kernel.Linear{}, graph.Recipe{Neighbours: 3}, 1), plain, nil, []float64{1, 0})
	failtest.Refused(t, err, "score: lambda = 0; it must be positive")
	regression := noisy(20, 2, 0.3, 1)
	_, err = score.Bounded{Learner: svm.Classifier{}, Bound: svm.RadiusMargin}.Bind(t.Context(), nil, regression)
	failtest.Refused(t, err, "score: bounds of the leave-one-out error are for classes")
	// No noise where the kernel is zero; and a kernel that cannot be bound says so.
	zero := score.LeaveOut{Kernel: kernel.Precomputed{K: mat.NewDense(20, 20, nil)}, Problem: regression}
	if _, err := score.NoiseVariance(t.Context(), zero); !errors.Is(err, score.ErrNoNoise) {
		t.Errorf("a kernel of zeros: error %v", err)
	}
	unset := score.LeaveOut{Kernel: kernel.Columns{Base: kernel.Linear{}, Columns: []int{9}}, Problem: regression}
	if _, err := score.NoiseVariance(t.Context(), unset); err == nil || !strings.Contains(err.Error(), "column number 9") {
		t.Errorf("a column that is not there: error %v", err)
	}
	four := noisy(4, 1, 1, 1)
	if _, err := score.NoiseVariance(t.Context(), score.LeaveOut{Kernel: kernel.Gaussian{Sigma: 1}, Problem: four}); err != nil {
		t.Errorf("four rows: %v", err)
	}
}
