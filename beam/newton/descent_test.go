package newton

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/beam/squares"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/moments"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
)

// rowsOf draws rows of d columns about a mean, and targets that follow the first column.
func rowsOf(seed uint64, n, d int, mean float64) squares.Known {
	r := rand.New(rand.NewPCG(seed, 7))
	k := squares.Known{X: mat.NewDense(n, d, nil), Y: mat.NewDense(n, 1, nil), Class: make([]int, n)}
	for i := range n {
		for j := range d {
			k.X.Set(i, j, mean+r.NormFloat64())
		}
		k.Y.Set(i, 0, -1)
		if k.X.At(i, 0)+0.5*r.NormFloat64() > mean+0.2 {
			k.Y.Set(i, 0, 1)
			k.Class[i] = 1
		}
	}
	return k
}

// sumsAt are those of rows at a point, made of so many parts.
func sumsAt(v learn.Loss, k squares.Known, p Point, parts int) *Sums {
	n, d := k.X.Dims()
	all := newSums(d)
	for q := range parts {
		lo, hi := q*n/parts, (q+1)*n/parts
		one := squares.Known{X: k.X.Slice(lo, hi, 0, d).(*mat.Dense), Y: k.Y.Slice(lo, hi, 0, 1).(*mat.Dense)}
		e := evaluation{loss: v, points: []Point{p}}
		e.outputs(one.X)
		s := e.sums(one, 0)
		all.join(&s)
	}
	return &all
}

// losses are those of this package, of which the second has rows without curvature.
func losses() []learn.Loss { return []learn.Loss{learn.Logistic(), learn.SquaredHinge()} }

// Sums of parts are those of all rows; gradient and Hessian are differences of the loss; and at zero they follow from least squares.
func TestSums(t *testing.T) {
	k := rowsOf(1, 90, 3, 2)
	for _, v := range losses() {
		p := Point{W: []float64{0.3, -0.2, 0.1}, B: -0.15}
		whole, parts := sumsAt(v, k, p, 1), sumsAt(v, k, p, 7)
		if !floats.EqualApprox(whole.Scatter, parts.Scatter, 1e-12) || !floats.EqualApprox(whole.Mean, parts.Mean, 1e-13) ||
			!floats.EqualApprox(whole.Grad[1], parts.Grad[1], 1e-12) || math.Abs(whole.Value[0]-parts.Value[0]) > 1e-12 {
			t.Errorf("%s: %+v, of parts %+v", v.Name(), whole, parts)
		}
		const h = 1e-6
		for j := range 3 {
			up, down := p, p
			up.W, down.W = append([]float64(nil), p.W...), append([]float64(nil), p.W...)
			up.W[j] += h
			down.W[j] -= h
			a, b := sumsAt(v, k, up, 1), sumsAt(v, k, down, 1)
			if d := (a.Value[0] + a.Value[1] - b.Value[0] - b.Value[1]) / (2 * h); math.Abs(d-whole.Grad[0][j]-whole.Grad[1][j]) > 1e-6 {
				t.Errorf("%s: slope %g, of differences %g", v.Name(), whole.Grad[0][j]+whole.Grad[1][j], d)
			}
			bent := whole.Scatter[j*(j+1)/2] + whole.Weight*whole.Mean[j]*whole.Mean[0]
			if d := (a.Grad[0][0] + a.Grad[1][0] - b.Grad[0][0] - b.Grad[1][0]) / (2 * h); math.Abs(d-bent) > 1e-5*bent {
				t.Errorf("%s: curvature %g, of differences %g", v.Name(), bent, d)
			}
		}
		nothing := Point{W: make([]float64, 3)}
		got, want := zero(v, moments.New(k.X, k.Y, nil, 0), 0), sumsAt(v, k, nothing, 1)
		if !floats.EqualApprox(got.Scatter, want.Scatter, 1e-10) || !floats.EqualApprox(got.Mean, want.Mean, 1e-12) ||
			!floats.EqualApprox(got.Grad[0], want.Grad[0], 1e-10) || !floats.EqualApprox(got.Grad[1], want.Grad[1], 1e-10) ||
			!floats.EqualApprox(got.Slope[:], want.Slope[:], 1e-10) || !floats.EqualApprox(got.Value[:], want.Value[:], 1e-10) {
			t.Errorf("%s at zero: %+v, of least squares %+v", v.Name(), want, got)
		}
	}
}

// minimum is that of package smooth for the rows.
func minimum(t *testing.T, k squares.Known, v smooth.Learner, c float64) (float64, Point) {
	t.Helper()
	p := &learn.Problem{Rows: data.Rows{Dense: k.X}, Y: k.Y}
	p.Labelled = p.Rows.Whole()
	g, err := kernel.Linear{}.Bind(t.Context(), p.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	trainer, err := v.Bind(t.Context(), g, p)
	if err != nil {
		t.Fatal(err)
	}
	m, err := trainer.Train(t.Context(), nil, []float64{c}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var w mat.VecDense
	w.MulVec(k.X.T(), m.Coef.ColView(0))
	at := Point{W: w.RawVector().Data}
	if m.Offset != nil {
		at.B = m.Offset[0]
	}
	return m.Certificate.Objective, at
}

// Newton's method ends at the minimum of package smooth from wherever it begins, far off by shorter steps, and the gap bounds what is
// left on the way.
func TestDescentIsThatOfSmooth(t *testing.T) {
	k := rowsOf(2, 120, 4, 1)
	shortened := 0
	for _, v := range losses() {
		for _, offset := range []smooth.Offset{smooth.None, smooth.Free, smooth.Augmented} {
			for _, c := range []float64{0.01, 1, 1000} {
				for _, far := range []float64{0, 30} {
					objective, want := minimum(t, k, smooth.Learner{Loss: v, Offset: offset, Tolerance: 1e-12}, c)
					from := Point{W: []float64{far, -far, far, far}}
					s, err := begin(from, sumsAt(v, k, from, 2), c, offset, 1e-11)
					for err == nil && !s.done {
						if s.gap()*math.Abs(s.value) < (s.value-objective)*(1-1e-6)-1e-9*objective {
							t.Errorf("%s, offset %v, C=%g: gap %g, and %g is left", v.Name(), offset, c, s.gap()*s.value, s.value-objective)
						}
						if s.step < 1 {
							shortened++
						}
						err = s.take(sumsAt(v, k, s.try, 2))
					}
					if err != nil {
						t.Fatal(err)
					}
					if !floats.EqualApprox(s.at.W, want.W, 1e-7) || math.Abs(s.at.B-want.B) > 1e-7 || s.limited {
						t.Errorf("%s, offset %v, C=%g, from %g: %v after %d steps, want %v, %g", v.Name(), offset, c, far, s.at, s.steps,
							want.W, want.B)
					}
					if math.Abs(s.value/objective-1) > 1e-10 || s.certificate().Gap > 1e-9 {
						t.Errorf("objective %g, gap %g, want %g", s.value, s.certificate().Gap, objective)
					}
				}
			}
		}
	}
	if shortened == 0 {
		t.Error("no step was shortened")
	}
}

// A descent whose tolerance is out of reach ends where rounding has the last word.
func TestDescentStalls(t *testing.T) {
	k := rowsOf(3, 60, 2, 0)
	from := Point{W: make([]float64, 2)}
	s, err := begin(from, sumsAt(learn.Logistic(), k, from, 1), 1, smooth.Free, 1e-300)
	for range mostSteps {
		if err != nil || s.done {
			break
		}
		err = s.take(sumsAt(learn.Logistic(), k, s.try, 1))
	}
	if err != nil || !s.done || s.limited || s.certificate().Residual > 1e-14 {
		t.Errorf("%v, done %v, limited %v, residual %g after %d steps", err, s.done, s.limited, s.certificate().Residual, s.steps)
	}
}
