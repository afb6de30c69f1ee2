package sparsemanifold

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/basis"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
)

// problem has two classes, coded as -1 and +1, or three.
func (s *twelve) problem(classes int) *learn.Problem {
	labels := data.Labels{Task: data.Classification, Classes: []string{"a", "b", "c"}[:classes], Class: make([]int, 12)}
	for i := range labels.Class {
		labels.Class[i] = data.Unlabelled
	}
	for q, i := range s.labelled {
		labels.Class[i] = (q + 1) % classes
	}
	return learn.NewProblem(data.Rows{Dense: mat.NewDense(12, 1, nil)}, labels)
}

func (s *twelve) train(t *testing.T, of Learner, p *learn.Problem, rows []int, c float64) *learn.Machine {
	t.Helper()
	of.Norm, of.Centres = s.norm, s.centres
	trainer, err := of.Bind(t.Context(), s.gram, p)
	if err != nil {
		t.Fatal(err)
	}
	m, err := trainer.Train(t.Context(), rows, []float64{c}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestPlainMachineIsTheFitOfTheBasis(t *testing.T) {
	s := newTwelve(t)
	m := s.train(t, Learner{Ratio: gammaI / gammaA}, s.problem(2), nil, 1/(2*gammaA))
	fit, err := basis.Fit(t.Context(), basis.Laplacian(s.gram, s.labelled, s.y, nil, s.norm, gammaA, gammaI), s.centres)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "beta", mat.Col(nil, 0, m.Coef), mat.Col(nil, 0, fit.Beta), 1e-8)
	if m.Certificate.Residual > 1e-12 {
		t.Errorf("residual %g", m.Certificate.Residual)
	}
}

// Strong coupling leaves no slack; weak coupling, with gammaA/nu as it is, spreads the labels first.
func TestSlackLimits(t *testing.T) {
	s, p := newTwelve(t), newTwelve(t).problem(2)
	plain := s.train(t, Learner{Ratio: gammaI / gammaA}, p, nil, 1/(2*gammaA))
	tight := s.train(t, Learner{Ratio: gammaI / gammaA, Repair: BySlack, Nu: 1e9}, p, nil, 1/(2*gammaA))
	near(t, "tight", mat.Col(nil, 0, tight.Coef), mat.Col(nil, 0, plain.Coef), 1e-6)
	apart := s.train(t, Learner{Ratio: gammaI / gammaA, Repair: ByDecoupling, Nu: 1 / 0.3}, p, nil, 1/(2*gammaA))
	var last float64
	for _, nu := range []float64{1e-3, 1e-4, 1e-5} {
		a := 0.3 * nu
		m := s.train(t, Learner{Ratio: gammaI / a, Repair: BySlack, Nu: nu / a}, p, nil, 1/(2*a))
		var d float64
		for i := range s.centres {
			d = max(d, math.Abs(m.Coef.At(i, 0)-apart.Coef.At(i, 0)))
		}
		if last > 0 && !(d < 0.12*last) {
			t.Errorf("at nu = %g the machine is %g from the decoupled one, %g before; the difference is of the order of nu", nu, d, last)
		}
		last = d
	}
}

// Classes that change places change the sign of every machine.
func TestLabelFlip(t *testing.T) {
	s := newTwelve(t)
	p := s.problem(2)
	q := *p
	q.Y = mat.DenseCopyOf(p.Y)
	q.Y.Scale(-1, q.Y)
	for _, of := range []Learner{
		{}, {Repair: BySlack, Nu: 8}, {Repair: BySigmoid}, {Repair: ByDecoupling, Nu: 3}, {Repair: BySigmoid, Loss: learn.Logistic()},
		{Repair: BySlack, Nu: 8, Loss: learn.SquaredHinge(), Offset: true},
	} {
		of.Ratio = 0.5
		a, b := s.train(t, of, p, nil, 5), s.train(t, of, &q, nil, 5)
		b.Coef.Scale(-1, b.Coef)
		near(t, "coefficients", mat.Col(nil, 0, b.Coef), mat.Col(nil, 0, a.Coef), 1e-7)
	}
}

// What the closed forms leave out is what trainings without it give.
func TestFoldsAreRefits(t *testing.T) {
	s := newTwelve(t)
	for _, classes := range []int{2, 3} {
		p := s.problem(classes)
		for _, of := range []Learner{
			{Ratio: 0.5}, {Ratio: 0.5, Offset: true}, {Ratio: 0.5, Repair: BySlack, Nu: 8},
			{Ratio: 0, Repair: BySlack, Nu: 8, Offset: true},
		} {
			of.Norm, of.Centres = s.norm, s.centres
			trainer, err := of.Bind(t.Context(), s.gram, p)
			if err != nil {
				t.Fatal(err)
			}
			for _, folds := range [][][]int{{{0}, {1}, {2}, {3}}, {{0, 2}, {1}}} {
				out, _, ok, err := trainer.(learn.Folder).Folds(t.Context(), folds, []float64{5}, nil)
				if err != nil || !ok {
					t.Fatal(err, ok)
				}
				slow, _, err := score.LeftOut(t.Context(), s.gram, struct{ learn.Trainer }{trainer}, p, folds, []float64{5}, nil)
				if err != nil {
					t.Fatal(err)
				}
				near(t, "left out", out.RawMatrix().Data, slow.RawMatrix().Data, 1e-9)
			}
		}
	}
}

// Newton's method on coefficients and f together finds the machine that the warped kernel gives, for losses that are not square.
func TestSlackOfOtherLosses(t *testing.T) {
	const ratio, nu, c, n, d = 0.5, 8.0, 5.0, 12, 5
	s := newTwelve(t)
	lap := s.norm.L.ToDense()
	phi := s.phi.Phi
	for _, v := range []learn.Loss{learn.SquaredHinge(), learn.Logistic()} {
		m := s.train(t, Learner{Ratio: ratio, Repair: BySlack, Nu: nu, Loss: v}, s.problem(2), nil, c)
		x := mat.NewVecDense(d+n, nil) // w, f
		for range 60 {
			h, g := mat.NewDense(d+n, d+n, nil), mat.NewVecDense(d+n, nil)
			for k := range d {
				h.Set(k, k, 1)
			}
			for i := range n {
				for j := range n {
					h.Set(d+i, d+j, h.At(d+i, d+j)+ratio*lap.At(i, j))
				}
				b := make([]float64, d+n) // v/2 (f_i - phi_i w)^2
				for k := range d {
					b[k] = -phi.At(i, k)
				}
				b[d+i] = 1
				for k := range b {
					for q := range b {
						h.Set(k, q, h.At(k, q)+nu*b[k]*b[q])
					}
				}
			}
			g.MulVec(h, x)
			for q, i := range s.labelled {
				d1, d2 := v.Derivatives(s.y.At(q, 0), x.AtVec(d+i))
				g.SetVec(d+i, g.AtVec(d+i)+c*d1)
				h.Set(d+i, d+i, h.At(d+i, d+i)+c*d2)
			}
			step := mat.NewVecDense(d+n, nil)
			if err := step.SolveVec(h, g); err != nil {
				t.Fatal(err)
			}
			x.SubVec(x, step)
		}
		near(t, v.Name(), weights(s.phi, mat.Col(nil, 0, m.Coef)), x.RawVector().Data[:d], 1e-6)
	}
}

// The source alternates between f and beta; the objective never rises and ends at that of the closed form.
func TestAlternationEndsAtTheClosedForm(t *testing.T) {
	s := newTwelve(t)
	const nu = 0.8
	k, err := NewSlack(t.Context(), s.norm, s.labelled, s.y, gammaI, nu)
	if err != nil {
		t.Fatal(err)
	}
	problem := k.Basis(s.gram, gammaA)
	fit, err := basis.Fit(t.Context(), problem, s.centres)
	if err != nil {
		t.Fatal(err)
	}
	o, mf := mat.NewDense(12, 1, nil), mat.NewDense(12, 1, nil)
	last := math.Inf(1)
	for sweep := range 3000 {
		f, _, err := k.Transductive(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		beta, err := Regress(s.phi, learn.Others(12, nil), f, gammaA/nu)
		if err != nil {
			t.Fatal(err)
		}
		w := weights(s.phi, mat.Col(nil, 0, beta))
		o.Mul(s.phi.Phi, mat.NewDense(5, 1, w))
		s.norm.MulTo(mf, f)
		value := gammaI/2*mat.Dot(f.ColView(0), mf.ColView(0)) + gammaA/2*mat.Dot(mat.NewVecDense(5, w), mat.NewVecDense(5, w))
		for i := range 12 {
			value += nu / 2 * (f.At(i, 0) - o.At(i, 0)) * (f.At(i, 0) - o.At(i, 0))
		}
		for q, i := range s.labelled {
			value += (f.At(i, 0) - s.y.At(q, 0)) * (f.At(i, 0) - s.y.At(q, 0)) / 2
		}
		if value > last+1e-13 {
			t.Fatalf("sweep %d raises the objective from %.15g to %.15g", sweep, last, value)
		}
		last = value
	}
	near(t, "objective", []float64{last}, []float64{fit.Objective}, 1e-8)
	near(t, "outputs", mat.Col(nil, 0, o), mat.Col(nil, 0, fit.Outputs), 1e-5)
}

func TestRefusals(t *testing.T) {
	s := newTwelve(t)
	p := s.problem(2)
	for name, of := range map[string]Learner{
		"twice":     {Centres: []int{3, 4, 3}},
		"decoupled": {Centres: s.centres, Repair: ByDecoupling, Nu: 1, Loss: learn.Logistic()},
		"offset":    {Centres: s.centres, Repair: BySigmoid, Offset: true},
		"nu":        {Centres: s.centres, Repair: BySlack},
		"ratio":     {Centres: s.centres, Ratio: math.NaN()},
	} {
		of.Norm = s.norm
		if _, err := of.Bind(t.Context(), s.gram, p); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Transductive is f for the outputs o (n x c), with the certificate of its system.
func (s *Slack) Transductive(ctx context.Context, o *mat.Dense) (*mat.Dense, learn.Certificate, error) {
	b, f := mat.NewDense(s.Len(), o.RawMatrix().Cols, nil), mat.DenseCopyOf(o)
	b.Scale(s.Nu, o)
	b.Add(b, s.y)
	c, err := s.solve.Solve(ctx, f, b)
	return f, c, err
}
