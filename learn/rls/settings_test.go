package rls_test

import (
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/internal/test/learntest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// The ridge is searched by the mean diagonal; least squares without one have no parameter.
func TestSpaces(t *testing.T) {
	want := param.Dim{Name: "lambda", Kind: param.Log, Lo: 0x1p-28, Hi: 4096, Default: 0x1p-8}
	if got := (rls.Learner{}).Space(4, 9); len(got) != 1 || got[0] != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := (rls.MinimumNorm{}).Space(4, 9); got != nil {
		t.Errorf("%+v of the minimum norm", got)
	}
}

// What has no answer is refused in words that say why, by every way to the fit.
func TestRefusedInWords(t *testing.T) {
	ctx, one, none := t.Context(), mat.NewDense(1, 1, []float64{1}), &mat.Dense{}
	two := mat.NewDense(2, 2, []float64{2, 0, 0, 3})
	y := mat.NewDense(2, 1, []float64{1, 2})
	const alone = "one labelled row cannot determine an offset"
	p := learntest.Clusters(9, 2, 3, 2)
	g := gramOf(t, kernel.Gaussian{Sigma: 1}, p)
	for name, c := range map[string]struct {
		words string
		f     func() error
	}{
		"path of one row":    {alone, func() error { _, err := rls.NewPath(ctx, one, one, nil, true); return err }},
		"solve of one row":   {alone, func() error { _, err := rls.Solve(ctx, one, one, nil, true, 1); return err }},
		"columns of one row": {alone, func() error { _, err := rls.NewColumns(ctx, one, one, nil, true); return err }},
		"no row":             {"no labelled row", func() error { _, err := rls.NewPath(ctx, none, none, nil, false); return err }},
		"lambda":             {"lambda", func() error { _, err := rls.Solve(ctx, two, y, nil, false, -1); return err }},
		"lambda of folds":    {"lambda", func() error { _, err := (&rls.Folds{K: two, Y: y}).LeaveOut(ctx, 0); return err }},
		"pairs":              {"pairs of classes", func() error { _, err := rls.Learner{}.Bind(ctx, g, p.OneVersusOne()); return err }},
		"no rows to train on": {"no labelled row", func() error {
			tr, err := rls.Learner{}.Bind(ctx, g, p)
			if err == nil {
				_, err = tr.Train(ctx, []int{}, []float64{1}, nil)
			}
			return err
		}},
		"minus an eigenvalue": {"lambda = 2 is minus an eigenvalue of the indefinite kernel", func() error {
			path, err := rls.NewPath(ctx, mat.NewDense(2, 2, []float64{-2, 0, 0, 3}), y, nil, false)
			if err == nil {
				_, err = path.At(2)
			}
			return err
		}},
	} {
		if err := c.f(); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v, want %q", name, err, c.words)
		}
	}
	for _, err := range []error{
		func() error { _, err := rls.NewPath(ctx, one, one, nil, false); return err }(),
		func() error { _, err := rls.NewPath(ctx, two, y, nil, true); return err }(),
		func() error { _, err := rls.NewColumns(ctx, one, one, nil, false); return err }(),
	} {
		if err != nil {
			t.Errorf("refused: %v", err)
		}
	}
	for words, f := range map[string]func(){
		"Gram matrix 2x2, targets of 1 rows": func() { _, _ = rls.NewPath(ctx, two, one, nil, false) },
		"Gram matrix 2x1, targets of 2 rows": func() { _, _ = rls.NewPath(ctx, y, y, nil, false) },
		"features of 2 rows, targets of 1":   func() { _, _ = rls.NewColumns(ctx, two, one, nil, false) },
	} {
		failtest.Names(t, words, f)
	}
}

// A machine of some rows solves the system of these rows, and its certificate is the objective of the
// definition and a violation of nearly nothing.
func TestMachineOfSomeRows(t *testing.T) {
	p := weightedValues()
	g := gramOf(t, kernel.Gaussian{Sigma: 1.5}, p)
	const lambda = 0.7
	for _, rows := range [][]int{nil, {4, 0, 3, 1}} {
		at := p.Subset(rows)
		n := len(at)
		k := mat.NewDense(n, n, nil)
		g.Block(k, at, at)
		w := p.WeightOf(rows)
		for _, offset := range []bool{false, true} {
			tr, err := rls.Learner{Offset: offset}.Bind(t.Context(), g, p)
			if err != nil {
				t.Fatal(err)
			}
			m, err := tr.Train(t.Context(), rows, []float64{lambda}, nil)
			if err != nil {
				t.Fatal(err)
			}
			var objective, total float64
			for i := range n {
				f := 0.0
				if offset {
					f = m.Offset[0]
				}
				for j := range n {
					f += k.At(i, j) * m.Coef.At(j, 0)
					objective += lambda * m.Coef.At(i, 0) * k.At(i, j) * m.Coef.At(j, 0)
				}
				place := i
				if rows != nil {
					place = rows[i]
				}
				e := p.Y.At(place, 0) - f
				near(t, "lambda alpha = w e", lambda*m.Coef.At(i, 0), w[i]*e, 1e-12)
				objective += w[i] * e * e
				total += m.Coef.At(i, 0)
			}
			near(t, "objective", m.Certificate.Objective, objective, 1e-12)
			if m.Certificate.Residual > 1e-13 || m.Certificate.Least != 0 || (m.Offset != nil) != offset || offset && math.Abs(total) > 1e-13 {
				t.Errorf("offset %v: %+v, coefficients of sum %g", offset, m.Certificate, total)
			}
		}
	}
}

// Least squares without a ridge go through the weighted least squares line, and their certificate is the sum of what it misses.
func TestMinimumNormOfALine(t *testing.T) {
	p := weightedValues()
	g := gramOf(t, kernel.Linear{}, p)
	for _, rows := range [][]int{nil, {4, 0, 3, 1}} {
		for _, offset := range []bool{false, true} {
			tr, err := rls.MinimumNorm{Offset: offset}.Bind(t.Context(), g, p)
			if err != nil {
				t.Fatal(err)
			}
			m, err := tr.Train(t.Context(), rows, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			which := rows
			if rows == nil {
				which = []int{0, 1, 2, 3, 4}
			}
			var sw, sx, sy, sxx, sxy float64
			for _, i := range which {
				w, x, y := p.Weight[i], p.Rows.Dense.At(p.Labelled[i], 0), p.Y.At(i, 0)
				sw, sx, sy, sxx, sxy = sw+w, sx+w*x, sy+w*y, sxx+w*x*x, sxy+w*x*y
			}
			slope, b := sxy/sxx, 0.0
			if offset {
				slope = (sw*sxy - sx*sy) / (sw*sxx - sx*sx)
				b = (sy - slope*sx) / sw
				near(t, "offset", m.Offset[0], b, 1e-10)
			}
			var got, missed float64
			for q, i := range which {
				x := p.Rows.Dense.At(p.Labelled[i], 0)
				got += m.Coef.At(q, 0) * x
				near(t, "fitted", m.Fitted.At(q, 0), slope*x+b, 1e-10)
				e := p.Y.At(i, 0) - slope*x - b
				missed += p.Weight[i] * e * e
			}
			near(t, "slope", got, slope, 1e-10)
			near(t, "objective", m.Certificate.Objective, missed, 1e-10)
			if m.Certificate.Residual > 1e-10 {
				t.Errorf("K r is %g", m.Certificate.Residual)
			}
		}
	}
}

// Directions that features do not have are eigenvalues of 0, one less with an offset.
func TestEigenvaluesOfColumns(t *testing.T) {
	x := mat.NewDense(4, 1, []float64{1, 2, 3, 6})
	y := mat.NewDense(4, 1, []float64{1, 0, 2, 1})
	for offset, want := range map[bool][]float64{false: {0, 0, 0, 50}, true: {0, 0, 14}} {
		p, err := rls.NewColumns(t.Context(), x, y, nil, offset)
		if err != nil {
			t.Fatal(err)
		}
		got := p.Eigenvalues()
		if len(got) != len(want) {
			t.Fatalf("offset %v: %v, want %v", offset, got, want)
		}
		for i, v := range want {
			near(t, "eigenvalue", got[i], v, 1e-12)
		}
		df := want[len(want)-1] / (want[len(want)-1] + 2)
		if offset {
			df++
		}
		near(t, "degrees of freedom", p.DegreesOfFreedom(2), df, 1e-12)
		if p.Least() != 0 {
			t.Errorf("a least eigenvalue of %g", p.Least())
		}
	}
}

// weightedValues are five values of six rows, weighing unlike.
func weightedValues() *learn.Problem {
	p := learn.NewProblem(data.Rows{Dense: mat.NewDense(6, 1, []float64{1, -2, 0.5, 3, 7, 2})},
		data.Labels{Task: data.Regression, Value: []float64{2, -1, math.NaN(), 4, 5, 0}})
	p.Weight = []float64{0.5, 2, 1, 3, 0.25}
	return p
}

func gramOf(t *testing.T, k kernel.Kernel, p *learn.Problem) kernel.Gram {
	t.Helper()
	g, err := k.Bind(t.Context(), p.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Asked for its value alone, or where it is infinite, a criterion has neither a cotangent nor a derivative.
func TestCriteriaWithoutDerivatives(t *testing.T) {
	k, y := instance(8, 2, 5)
	left := mat.NewDense(2, 2, []float64{1e15, 0, 0, 2e15}) // no degree of freedom is left
	for _, c := range []struct {
		f    *rls.Fit
		want param.Want
		inf  bool
	}{
		{fit(t, k, y, 0.2, true), param.ValueOnly, false},
		{fit(t, left, mat.NewDense(2, 1, []float64{1, 2}), 1, false), param.WithGradient, true},
	} {
		a, ga, da, err1 := c.f.InSample(t.Context(), 0.37, c.want)
		b, gb, db, err2 := c.f.GCV(t.Context(), c.want)
		if err1 != nil || err2 != nil || ga != nil || gb != nil || da != 0 || db != 0 || math.IsInf(a, 1) != c.inf || math.IsInf(b, 1) != c.inf {
			t.Errorf("%g, %v, %g, %v and %g, %v, %g, %v", a, ga, da, err1, b, gb, db, err2)
		}
	}
}

// A ridge that is none is refused when a machine is to be trained with it.
func TestRidgesThatAreNone(t *testing.T) {
	p := learntest.Clusters(9, 2, 3, 2)
	tr, err := rls.Learner{Offset: true}.Bind(t.Context(), gramOf(t, kernel.Gaussian{Sigma: 1}, p), p)
	if err != nil {
		t.Fatal(err)
	}
	for _, lambda := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := tr.Train(t.Context(), nil, []float64{lambda}, nil); err == nil || !strings.Contains(err.Error(), "lambda = ") {
			t.Errorf("lambda %g: error %v", lambda, err)
		}
	}
}
