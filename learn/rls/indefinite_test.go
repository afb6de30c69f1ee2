package rls_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// indefinite returns a symmetric matrix with eigenvalues of both signs, about half each.
func indefinite(l, c int, seed uint64) (k, y *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 2))
	k = mat.NewDense(l, l, nil)
	for i := range l {
		for j := range i + 1 {
			v := rng.NormFloat64() / math.Sqrt(float64(l))
			k.Set(i, j, v)
			k.Set(j, i, v)
		}
	}
	_, y = instance(l, c, seed)
	return k, y
}

// eigenvalues of a symmetric matrix, ascending; centred: of P k P.
func eigenvalues(k *mat.Dense, centred bool) []float64 {
	l, _ := k.Dims()
	p := mat.NewDense(l, l, nil)
	for i := range l {
		p.Set(i, i, 1)
		for j := range l {
			if centred {
				p.Set(i, j, p.At(i, j)-1/float64(l))
			}
		}
	}
	var pkp mat.Dense
	pkp.Product(p, k, p)
	s := mat.NewSymDense(l, nil)
	for i := range l {
		for j := range i + 1 {
			s.SetSym(i, j, pkp.At(i, j))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, false) {
		panic("eigenvalues")
	}
	return e.Values(nil)
}

// An indefinite matrix must be solved as it is: by the path, at one lambda, above and
// below its negative eigenvalues; its smallest is reported.
func TestIndefiniteSolvesTheBorderedSystem(t *testing.T) {
	k, y := indefinite(12, 3, 7)
	for _, offset := range []bool{false, true} {
		p, err := rls.NewPath(context.Background(), k, y, nil, offset)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "smallest eigenvalue", p.Least(), eigenvalues(k, offset)[0], 1e-12)
		for _, lambda := range []float64{1e-3, 0.11, 0.7, 4} {
			alpha, b := bordered(k, y, lambda, offset)
			one, err := rls.Solve(context.Background(), k, y, nil, offset, lambda)
			if err != nil {
				t.Fatal(err)
			}
			for name, f := range map[string]*rls.Fit{"path": fit(t, k, y, lambda, offset), "one lambda": one} {
				for i := range 12 {
					for j := range 3 {
						near(t, name, f.Alpha.At(i, j), alpha.At(i, j), 1e-10)
					}
				}
				for j := range b {
					near(t, name+", b", f.B[j], b[j], 1e-10)
				}
				if r := f.Residual(); !(r < 1e-11) {
					t.Errorf("%s, offset %v, lambda %g: residual %g", name, offset, lambda, r)
				}
			}
		}
	}
}

// lost says by brute force whether the refit without a fold has fewer negative
// eigenvalues than the fit.
func lost(k, y *mat.Dense, fold []int, lambda float64, offset bool) bool {
	count := func(k *mat.Dense) (n int) {
		for _, w := range eigenvalues(k, offset) {
			if w+lambda < 0 && (!offset || math.Abs(w) > 1e-12) {
				n++
			}
		}
		return n
	}
	sub, _, _ := without(k, y, fold)
	return count(sub) != count(k)
}

// Left-out predictions by an indefinite matrix must equal the refits; a lambda at which
// a refit is of another kind is infeasible, and no other.
func TestIndefiniteLeaveOutEqualsRefits(t *testing.T) {
	feasible := map[bool]int{}
	for seed := range uint64(12) {
		k, y := indefinite(14, 2, 3+seed)
		// Few small negative eigenvalues leave lambdas below them that are feasible.
		for i := range 14 {
			k.Set(i, i, k.At(i, i)+1.2)
		}
		for _, offset := range []bool{false, true} {
			for _, lambda := range []float64{0.02, 0.1, 0.3, 0.6, 2} {
				f := fit(t, k, y, lambda, offset)
				for name, fs := range foldings {
					infeasible := false
					for _, b := range singles(14, fs) {
						infeasible = infeasible || lost(k, y, b, lambda, offset)
					}
					got, err := f.LeaveOut(context.Background(), fs)
					if errors.Is(err, rls.ErrLeverage) != infeasible {
						t.Errorf("seed %d, %s, lambda %g, offset %v: %v; infeasible: %v", seed, name, lambda, offset, err, infeasible)
					}
					if err != nil {
						continue
					}
					feasible[eigenvalues(k, offset)[0]+lambda > 0]++
					for _, b := range singles(14, fs) {
						for _, i := range b {
							near(t, name, got.At(i, 1), refit(k, y, b, lambda, offset, i, 1), 1e-8)
						}
					}
				}
			}
		}
	}
	if feasible[true] == 0 || feasible[false] == 0 {
		t.Errorf("feasible with K + lambda I definite, and not: %v", feasible)
	}
}

// Derivatives by an indefinite matrix must equal differences, above its negative
// eigenvalues and below.
func TestIndefiniteDerivatives(t *testing.T) {
	const h = 1e-6
	_, bar := instance(9, 2, 12)
	checked := 0
	for seed := range uint64(8) {
		k, y := indefinite(9, 2, 40+seed)
		for i := range 9 {
			k.Set(i, i, k.At(i, i)+0.9)
		}
		for _, offset := range []bool{false, true} {
			for _, lambda := range []float64{0.3, 3} {
				for _, folds := range [][][]int{nil, {{0, 2, 4}, {1, 3, 5}, {6, 7, 8}}} {
					f := fit(t, k, y, lambda, offset)
					leave := func(k *mat.Dense, lambda float64) float64 {
						o, err := fit(t, k, y, lambda, offset).LeaveOut(context.Background(), folds)
						if err != nil {
							return math.Inf(1)
						}
						o.MulElem(o, bar)
						return mat.Sum(o)
					}
					if v := leave(k, lambda); math.IsInf(v, 1) || math.Abs(v) > 1e3 {
						continue // infeasible, or near the edge
					}
					checked++
					g, d, err := f.PullLeaveOut(context.Background(), folds, bar)
					if err != nil {
						t.Fatal(err)
					}
					gcv := func(k *mat.Dense, lambda float64) float64 {
						v, _, _, _ := fit(t, k, y, lambda, offset).GCV(context.Background(), param.ValueOnly)
						return v
					}
					sample := func(k *mat.Dense, lambda float64) float64 {
						v, _, _, _ := fit(t, k, y, lambda, offset).InSample(context.Background(), 0.3, param.ValueOnly)
						return v
					}
					_, gGCV, dGCV, _ := f.GCV(context.Background(), param.WithGradient)
					_, gIn, dIn, _ := f.InSample(context.Background(), 0.3, param.WithGradient)
					for _, c := range []struct {
						name  string
						value func(*mat.Dense, float64) float64
						g     *mat.Dense
						d     float64
					}{{"leave-out", leave, g, d}, {"GCV", gcv, gGCV, dGCV}, {"in sample", sample, gIn, dIn}} {
						near(t, c.name+", by lambda", c.d, (c.value(k, lambda+h)-c.value(k, lambda-h))/(2*h), 1e-4)
						near(
							t,
							c.name+", by K",
							2*c.g.At(2, 6),
							(c.value(nudged(k, 2, 6, h), lambda)-c.value(nudged(k, 2, 6, -h), lambda))/(2*h),
							1e-4,
						)
						near(
							t,
							c.name+", by its diagonal",
							c.g.At(3, 3),
							(c.value(nudged(k, 3, 3, h), lambda)-c.value(nudged(k, 3, 3, -h), lambda))/(2*h),
							1e-4,
						)
					}
				}
			}
		}
	}
	if checked < 30 {
		t.Errorf("%d cases were feasible", checked)
	}
}

// Degrees of freedom that exceed the rows leave no noise to estimate: every score
// must be infinite, not negative.
func TestIndefiniteInfeasible(t *testing.T) {
	k := mat.NewDense(3, 3, []float64{-1, 0, 0, 0, -1, 0, 0, 0, 2})
	y := mat.NewDense(3, 1, []float64{1, -1, 1})
	f := fit(t, k, y, 0.5, false) // N = diag(-2, -2, 0.4)
	if _, err := f.LeaveOut(context.Background(), nil); !errors.Is(err, rls.ErrLeverage) {
		t.Errorf("left out: %v", err)
	}
	if _, err := f.LeaveOut(context.Background(), [][]int{{0, 2}}); !errors.Is(err, rls.ErrLeverage) {
		t.Errorf("fold left out: %v", err)
	}
	gcv, _, _, _ := f.GCV(context.Background(), param.WithGradient)
	in, _, _, _ := f.InSample(context.Background(), 0.1, param.WithGradient)
	for name, v := range map[string]float64{"GCV": gcv, "in sample": in} {
		if !math.IsInf(v, 1) {
			t.Errorf("%s is %g", name, v)
		}
	}
	p, err := rls.NewPath(context.Background(), k, y, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.At(1); err == nil {
		t.Error("lambda 1 accepted, K + I is singular")
	}
}

// What rounding makes of a matrix of rank 3 is no negative eigenvalue, however small lambda is.
func TestRoundingIsNotIndefinite(t *testing.T) {
	x, y := instance(20, 1, 5)
	k := mat.NewDense(20, 20, nil)
	three := x.Slice(0, 20, 0, 3)
	k.Mul(three, three.T())
	for _, offset := range []bool{false, true} {
		p, err := rls.NewPath(context.Background(), k, y, nil, offset)
		if err != nil {
			t.Fatal(err)
		}
		if v := p.Least(); v != 0 {
			t.Errorf("offset %v: smallest eigenvalue %g", offset, v)
		}
		extra := 0.0
		if offset {
			extra = 1
		}
		near(t, "degrees of freedom", p.DegreesOfFreedom(1e-9), 3+extra, 1e-4)
		if df := p.DegreesOfFreedom(1e-18); !(df >= 3 && df <= 21) {
			t.Errorf("offset %v: %g degrees of freedom", offset, df)
		}
	}
}

// The unit of K must not matter, with the offset too.
func TestScaleOfTheMatrix(t *testing.T) {
	k, y := instance(12, 2, 8)
	small := mat.NewDense(12, 12, nil)
	small.Scale(1e-12, k)
	for _, offset := range []bool{false, true} {
		want, got := fit(t, k, y, 1e-3, offset), fit(t, small, y, 1e-15, offset)
		for i := range 12 {
			for j := range 2 {
				near(t, "alpha", got.Alpha.At(i, j)*1e-12, want.Alpha.At(i, j), 1e-10)
			}
		}
	}
}

// A leverage of one less 1e-11 leaves digits to predict by, less 1e-13 none: alone and as a
// fold of one row.
func TestLeverageLimit(t *testing.T) {
	for slack, ok := range map[float64]bool{1e-9: true, 1e-11: true, 1e-13: false, 1e-15: false} {
		k, y := mat.NewDense(3, 3, []float64{1 / slack, 0.5, 0.25, 0.5, 2, 1, 0.25, 1, 3}), mat.NewDense(3, 1, []float64{1, -1, 2})
		f := fit(t, k, y, 1, false)
		for name, folds := range map[string][][]int{"row": nil, "fold": {{0}}} {
			o, err := f.LeaveOut(context.Background(), folds)
			if (err == nil) != ok || err != nil && !errors.Is(err, rls.ErrLeverage) {
				t.Errorf("%s of slack %g: %v", name, slack, err)
			}
			if err == nil && slack == 1e-9 {
				near(t, name, o.At(0, 0), refit(k, y, []int{0}, 1, false, 0, 0), 1e-4)
			}
			if _, _, err := f.PullLeaveOut(context.Background(), folds, mat.NewDense(3, 1, []float64{1, 0, 0})); (err == nil) != ok {
				t.Errorf("cotangent of %s of slack %g: %v", name, slack, err)
			}
		}
	}
}

// Coefficients that solve the first equations but do not sum to zero are no solution.
func TestResidualCountsTheSum(t *testing.T) {
	k, y := instance(8, 1, 9)
	f := fit(t, k, y, 0.3, true)
	ones := mat.NewDense(8, 1, []float64{1, 1, 1, 1, 1, 1, 1, 1})
	v, _ := bordered(k, ones, 0.3, false) // (K + lambda I) v = 1
	f.Alpha.Add(f.Alpha, v)
	f.B[0]--
	largest := 0.0
	for i := range 8 {
		largest = max(largest, math.Abs(y.At(i, 0)))
	}
	near(t, "residual", f.Residual(), 0.3*mat.Sum(v)/largest, 1e-9)
}

// A machine says that its kernel is indefinite, and only then.
func TestLearnerReportsIndefinite(t *testing.T) {
	x, y := instance(20, 1, 5)
	p := &learn.Problem{
		Rows:     data.Rows{Dense: x},
		Task:     data.Regression,
		Labelled: []int{1, 3, 4, 8, 10, 11, 15},
		Y:        mat.DenseCopyOf(y.Slice(0, 7, 0, 1)),
	}
	for _, k := range []kernel.Kernel{kernel.Sigmoid{Scale: 1, Offset: -1}, kernel.Gaussian{Sigma: 1e3}} {
		g, err := k.Bind(context.Background(), p.Rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := rls.Learner{}.Bind(context.Background(), g, p)
		if err != nil {
			t.Fatal(err)
		}
		m, err := tr.Train(context.Background(), nil, []float64{0.1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		block := mat.NewDense(7, 7, nil)
		g.Block(block, p.Labelled, p.Labelled)
		want := 0.0
		if !kernel.Semidefinite(g) {
			want = eigenvalues(block, false)[0]
		}
		near(t, "smallest eigenvalue", m.Certificate.Least, want, 1e-12)
	}
}
