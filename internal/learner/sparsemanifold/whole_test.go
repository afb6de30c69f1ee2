package sparsemanifold

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/basis"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/internal/test/learntest"
	"github.com/mercer-ml/mercer/internal/test/pathtest"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
)

// dense is A^-1 of scale M + diag(add).
func dense(t *testing.T, norm *graph.Power, scale float64, add []float64) *mat.Dense {
	t.Helper()
	n := norm.Len()
	eye, m := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		eye.Set(i, i, 1)
	}
	norm.MulTo(m, eye)
	m.Scale(scale, m)
	for i, v := range add {
		m.Set(i, i, m.At(i, i)+v)
	}
	var inverse mat.Dense
	if err := inverse.Inverse(m); err != nil {
		t.Fatal(err)
	}
	return &inverse
}

// The objective that a machine's certificate has is that of its formula, and no other coefficients of its kind have less.
func TestObjectivesOfMachines(t *testing.T) {
	const c, ratio = 5.0, 0.5
	s := newTwelve(t)
	for _, classes := range []int{2, 3} {
		p := s.problem(classes)
		for _, of := range []Learner{
			{}, {Offset: true}, {Repair: BySlack, Nu: 8}, {Repair: BySlack, Nu: 8, Offset: true}, {Repair: ByDecoupling, Nu: 3},
			{Repair: BySigmoid},
			{Repair: BySigmoid, Rho: 1, Loss: learn.Logistic()}, {Loss: learn.Logistic()}, {Loss: learn.SquaredHinge(), Offset: true},
			{Loss: learn.Square()},
		} {
			of.Ratio = ratio
			for _, rows := range [][]int{nil, {0, 1, 2}} {
				m := s.train(t, of, p, rows, c)
				used := rows
				if rows == nil {
					used = []int{0, 1, 2, 3}
				}
				want := s.objective(t, of, p, used, c, m)
				if got := m.Certificate.Objective; math.Abs(got-want) > 1e-7*want {
					t.Errorf("%d classes, %+v, rows %v: the objective is %.10g, by its formula %.10g", classes, of, rows, got, want)
				}
				if m.Certificate.Limited != "" || m.Certificate.Residual > 1e-6 || !slices.Equal(m.Rows, s.centres) {
					t.Errorf("%d classes, %+v: %+v", classes, of, m.Certificate)
				}
			}
		}
	}
}

// objective is 1/2 |o|^2 + penalties + C sum V, of squares C sum (y - f)^2, with f at its best where there is slack.
func (s *twelve) objective(t *testing.T, of Learner, p *learn.Problem, rows []int, c float64, m *learn.Machine) (sum float64) {
	v := of.Loss
	if v == nil {
		v = learn.Square()
	}
	for q := range p.Outputs() {
		w := weights(s.phi, mat.Col(nil, q, m.Coef))
		b := 0.0
		if m.Offset != nil {
			b = m.Offset[q]
		}
		o := mat.NewDense(12, 1, nil)
		o.Mul(s.phi.Phi, mat.NewDense(5, 1, w))
		form := func(f *mat.Dense) float64 {
			mf := mat.NewDense(12, 1, nil)
			s.norm.MulTo(mf, f)
			return mat.Dot(f.ColView(0), mf.ColView(0))
		}
		for _, x := range w {
			sum += x * x / 2
		}
		f := mat.DenseCopyOf(o)
		y := make([]float64, 12)
		label := make([]float64, 12)
		for _, i := range rows {
			y[p.Labelled[i]], label[p.Labelled[i]] = p.Y.At(i, q), 1
		}
		switch of.Repair {
		case BySlack: // (ratio M + nu + 2C I_L) f = nu o + 2C (y - b)
			add, rhs := make([]float64, 12), mat.NewDense(12, 1, nil)
			for i := range add {
				add[i] = of.Nu + 2*c*label[i]
				rhs.Set(i, 0, of.Nu*o.At(i, 0)+2*c*label[i]*(y[i]-b))
			}
			f.Mul(dense(t, s.norm, of.Ratio, add), rhs)
		case ByDecoupling:
			add, rhs := make([]float64, 12), mat.NewDense(12, 1, nil)
			for i := range add {
				add[i] = safeguard + label[i]
				rhs.Set(i, 0, label[i]*y[i])
			}
			f.Mul(dense(t, s.norm, of.Ratio/(2*c), add), rhs)
		}
		if of.Repair == BySlack || of.Repair == ByDecoupling {
			for i := range 12 {
				sum += of.Nu / 2 * (f.At(i, 0) - o.At(i, 0)) * (f.At(i, 0) - o.At(i, 0))
			}
		}
		if of.Repair == BySigmoid {
			rho := of.Rho
			if rho == 0 {
				rho = 3
			}
			squashed := mat.NewDense(12, 1, nil)
			squashed.Apply(func(i, _ int, _ float64) float64 { return math.Tanh(rho * o.At(i, 0) / 2) }, squashed)
			sum += of.Ratio / 8 * form(squashed)
		} else {
			sum += of.Ratio / 2 * form(f)
		}
		for _, i := range rows {
			sum += c * v.Value(p.Y.At(i, q), f.At(p.Labelled[i], 0)+b)
		}
	}
	return sum
}

// Machines of many labels and many centres, which panels do not hold, are those of the formulas.
func TestManyLabelsAndCentres(t *testing.T) {
	const n = 300
	x := mat.NewDense(n, 2, nil)
	for i := range n {
		x.SetRow(i, []float64{math.Sin(float64(3 * i)), math.Cos(float64(i*i) / 7)})
	}
	rows := data.Rows{Dense: x}
	g, err := graph.Recipe{Neighbours: 4, Laplacian: graph.Combinatorial}.Build(t.Context(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	norm := &graph.Power{L: g.Laplacian(), P: 1}
	gram, err := kernel.Laplacian{Sigma: 0.5}.Bind(t.Context(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	phi, err := kernel.NewNystrom(t.Context(), gram, n, learn.Others(n-10, nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	var labelled []int
	for i := range 70 {
		labelled = append(labelled, 4*i+1)
	}
	pick := func(a mat.Matrix) *mat.Dense {
		out := mat.NewDense(70, 70, nil)
		out.Apply(func(i, j int, _ float64) float64 { return a.At(labelled[i], labelled[j]) }, out)
		return out
	}
	for _, nu := range []float64{math.Inf(1), 6} {
		w, err := NewWarp(t.Context(), phi, norm, labelled, 0.4, nu)
		if err != nil {
			t.Fatal(err)
		}
		// (Phi Phi')^-1 + ratio M with slack 1/nu between: K~ = Phi (I + Phi'R Phi)^-1 Phi' of the plain machine.
		var kernelOf mat.Dense
		if math.IsInf(nu, 1) {
			mphi := mat.NewDense(n, 290, nil)
			norm.MulTo(mphi, phi.Phi)
			var inside, inverse, left mat.Dense
			inside.Mul(phi.Phi.T(), mphi)
			inside.Scale(0.4, &inside)
			for k := range 290 {
				inside.Set(k, k, inside.At(k, k)+1)
			}
			if err := inverse.Inverse(&inside); err != nil {
				t.Fatal(err)
			}
			left.Mul(phi.Phi, &inverse)
			kernelOf.Mul(&left, phi.Phi.T())
		} else { // f = o + e: the space of o + e with |e|^2 nu, warped: ((Phi Phi' + I/nu)^-1 + ratio M)^-1
			var sum, inverse mat.Dense
			sum.Mul(phi.Phi, phi.Phi.T())
			for i := range n {
				sum.Set(i, i, sum.At(i, i)+1/nu)
			}
			if err := inverse.Inverse(&sum); err != nil {
				t.Fatal(err)
			}
			eye, m := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
			for i := range n {
				eye.Set(i, i, 1)
			}
			norm.MulTo(m, eye)
			m.Scale(0.4, m)
			m.Add(m, &inverse)
			if err := kernelOf.Inverse(m); err != nil {
				t.Fatal(err)
			}
		}
		if want := pick(&kernelOf); !mat.EqualApprox(w.Kernel, want, 1e-7) {
			t.Errorf("nu %g: the warped kernel is not that of its formula", nu)
		}
		if math.IsInf(nu, 1) && w.Given != w.Kernel {
			t.Error("without slack there are two matrices")
		}
	}
	// The sigmoid's Hessian of so many centres is that of differences.
	one := &Sigmoid{
		Phi:      phi.Phi,
		Norm:     norm,
		Labelled: labelled[:3],
		Y:        []float64{1, -1, 1},
		Loss:     learn.Square(),
		GammaA:   0.3,
		GammaI:   0.2,
		Rho:      1,
	}
	one.begin(1)
	at := make([]float64, 290)
	for k := range at {
		at[k] = math.Sin(float64(k)) / 9
	}
	grad, step := make([]float64, 290), make([]float64, 290)
	one.outputs(one.o, at)
	one.gradient(grad, at)
	if err := one.direction(t.Context(), step, grad); err != nil {
		t.Fatal(err)
	}
	const h = 1e-5
	side := [2][]float64{}
	for q, sign := range []float64{1, -1} {
		moved := slices.Clone(at)
		for k := range moved {
			moved[k] += sign * h * step[k]
		}
		side[q] = make([]float64, 290)
		one.outputs(one.o, moved)
		one.gradient(side[q], moved)
	}
	for k := range at {
		if hs := (side[0][k] - side[1][k]) / (2 * h); math.Abs(hs+grad[k]) > 1e-6 {
			t.Errorf("entry %d of the Hessian's product is %g, expected %g", k, hs, -grad[k])
			break
		}
	}
}

// Every machine and choice ends where it ended before, after as many steps.
func TestWayOfMachines(t *testing.T) {
	var path pathtest.Path
	s := newTwelve(t)
	for _, rho := range []float64{0.5, 3, 12} {
		for _, v := range []learn.Loss{nil, learn.Logistic(), learn.SquaredHinge()} {
			for _, weight := range []float64{1e-3, 0.1, 5} {
				for _, logistic := range []bool{false, true} {
					p := newSigmoid(s, rho, logistic)
					p.Loss, p.GammaI = v, weight
					w, c, err := p.Solve(t.Context(), nil)
					if err != nil {
						t.Fatal(err)
					}
					_, again, err := p.Solve(t.Context(), w)
					_, start, failed := p.Solve(t.Context(), make([]float64, 5))
					path.Add(
						fmt.Sprintf("rho %g, %s, gamma_I %g, printed %v", rho, strings.TrimSuffix(learntest.Literal(v), "{}"), weight, logistic),
						c.Objective,
						c.Steps,
						c.Limited,
						again.Objective,
						again.Steps,
						start.Objective,
						start.Steps,
						err,
						failed,
					)
				}
			}
		}
	}
	p := s.problem(3)
	for _, of := range []Learner{{}, {Repair: BySlack, Nu: 8}, {Repair: BySlack, Nu: 8, Slackened: true},
		{Repair: ByDecoupling, Nu: 3}, {Repair: BySigmoid}} {
		of.Norm, of.Ratio, of.Chooser, of.Size = s.norm, 0.5, basis.Greedy{}, 4
		trainer, err := of.Bind(t.Context(), s.gram, p)
		if err != nil {
			t.Fatal(err)
		}
		for _, rows := range [][]int{nil, {0, 1, 2}} {
			m, err := trainer.Train(t.Context(), rows, []float64{5}, nil)
			if err != nil {
				t.Fatal(err)
			}
			path.Add(
				fmt.Sprintf("repair %d, slackened %v, rows %v", of.Repair, of.Slackened, rows),
				fmt.Sprint(m.Rows),
				m.Certificate.Objective,
			)
		}
	}
	path.Compare(t, "ways")
}

// What is refused, in its words.
func TestWordsOfRefusals(t *testing.T) {
	s := newTwelve(t)
	p := s.problem(2)
	bind := func(of Learner, p *learn.Problem) error {
		of.Norm = s.norm
		_, err := of.Bind(t.Context(), s.gram, p)
		return err
	}
	none, weighted, pairs := *p, *p, *p
	none.Labelled = nil
	weighted.Weight = []float64{1, 1, 1, 1}
	pairs.Coding.Pairs = true
	given := Learner{Centres: s.centres}
	failtest.Refused(t, bind(given, &none), "sparsemanifold: no labelled row")
	failtest.Refused(
		t,
		bind(given, &weighted),
		"sparsemanifold: rows with weights and pairs of classes are for other methods, such as lap-svm",
	)
	failtest.Refused(
		t,
		bind(given, &pairs),
		"sparsemanifold: rows with weights and pairs of classes are for other methods, such as lap-svm",
	)
	failtest.Refused(t, bind(Learner{Centres: s.centres, Repair: ByDecoupling, Nu: 1, Loss: learn.Logistic()}, p),
		"sparsemanifold: decoupled machines have the square loss alone, in which labels spread over the graph")
	for _, repair := range []Repair{BySigmoid, ByDecoupling} {
		failtest.Refused(t, bind(Learner{Centres: s.centres, Repair: repair, Nu: 1, Offset: true}, p),
			"sparsemanifold: sigmoid and decoupled machines have no offset; fit without it")
	}
	failtest.Refused(
		t,
		bind(Learner{Centres: []int{3, 4, 3}}, p),
		"sparsemanifold: row 3 is listed twice among the centres; list every centre once",
	)
	if err := bind(Learner{Centres: s.centres, Repair: ByDecoupling, Nu: 1, Loss: learn.Square()}, p); err != nil {
		t.Error(err)
	}
	failtest.Panics(t, "sparsemanifold: a learner with neither centres nor a chooser", func() { _ = bind(Learner{}, p) })
	const words = "sparsemanifold: gamma_I/gamma_A = %g and nu/gamma_A = %g; the first must be finite and not negative, the second positive"
	for _, c := range [][2]float64{{-1, 2}, {math.Inf(1), 2}, {math.NaN(), 2}, {1, 0}, {1, -3}, {1, math.NaN()}} {
		_, err := NewWarp(t.Context(), s.phi, s.norm, s.labelled, c[0], c[1])
		failtest.Refused(t, err, fmt.Sprintf(words, c[0], c[1]))
	}
	for _, ratio := range []float64{0, 0.3} {
		if _, err := NewWarp(t.Context(), s.phi, s.norm, s.labelled, ratio, 2); err != nil {
			t.Error(err)
		}
	}
	const slack = "sparsemanifold: nu %g and gamma_I %g; nu must be positive, gamma_I not negative, both finite"
	for _, c := range [][2]float64{{0, 1}, {-1, 1}, {math.Inf(1), 1}, {math.NaN(), 1}, {1, -1}, {1, math.Inf(1)}, {1, math.NaN()}} {
		_, err := NewSlack(t.Context(), s.norm, s.labelled, s.y, c[1], c[0])
		failtest.Refused(t, err, fmt.Sprintf(slack, c[0], c[1]))
	}
	if _, err := NewSlack(t.Context(), s.norm, s.labelled, s.y, 0, 1); err != nil {
		t.Error(err)
	}
	failtest.Panics(
		t,
		"sparsemanifold: 4 targets for 3 labelled rows",
		func() { _, _ = NewSlack(t.Context(), s.norm, s.labelled[:3], s.y, 1, 1) },
	)
	for _, gamma := range []float64{0, -1, math.Inf(1), math.NaN()} {
		_, _, _, err := Spread(t.Context(), s.norm, s.labelled, s.y, gamma)
		failtest.Refused(t, err, fmt.Sprintf("sparsemanifold: gamma_I = %g spreads no label; it must be positive and finite", gamma))
	}
	for _, rho := range []float64{0, -1, math.Inf(1), math.NaN()} {
		one := newSigmoid(s, 3, false)
		one.Rho = rho
		_, _, err := one.Solve(t.Context(), nil)
		failtest.Refused(t, err, fmt.Sprintf("sparsemanifold: rho = %g; it must be positive and finite", rho))
	}
	if _, err := Regress(s.phi, learn.Others(12, nil), mat.NewDense(12, 1, nil), -1e9); err == nil ||
		!strings.HasPrefix(err.Error(), "sparsemanifold: regression on 5 centres with gamma_A/nu = -1e+09: ") {
		t.Errorf("a negative penalty: %v", err)
	}
	negative := newSigmoid(s, 3, false)
	negative.GammaA = -1e9
	if _, _, err := negative.Solve(t.Context(), nil); err == nil ||
		!strings.HasPrefix(err.Error(), "sparsemanifold: the 5x5 Hessian of the sigmoid machine: ") ||
		!strings.HasSuffix(err.Error(), "; take a larger gamma_A") {
		t.Errorf("a negative penalty: %v", err)
	}
	trainer, err := Learner{Norm: s.norm, Centres: s.centres}.Bind(t.Context(), s.gram, p)
	if err != nil {
		t.Fatal(err)
	}
	_, err = trainer.Train(t.Context(), []int{}, []float64{1}, nil)
	failtest.Refused(t, err, "sparsemanifold: no labelled row")
	if got := (Learner{}).Space(3, 8); len(got) != 1 || got[0] != learn.Strength(3) {
		t.Errorf("%+v", got)
	}
}

// A label reaches what edges join with it, and spreads no further.
func TestReached(t *testing.T) {
	l := data.CSRFromDense(mat.NewDense(6, 6, []float64{
		1, -1, 0, 0, 0, 0,
		-1, 2, -1, 0, 0, 0,
		0, -1, 1, 0, 0, 0,
		0, 0, 0, 1, -1, 0,
		0, 0, 0, -1, 1, 0,
		0, 0, 0, 0, 0, 0,
	}))
	norm := &graph.Power{L: l, P: 1}
	for _, c := range []struct{ labelled, want []int }{{[]int{2}, []int{0, 1, 2}}, {[]int{4, 0}, []int{0, 1, 2, 3, 4}},
		{[]int{5}, []int{5}}, {nil, nil}} {
		if got := Reached(norm, c.labelled); !slices.Equal(got, c.want) {
			t.Errorf("%v reach %v, expected %v", c.labelled, got, c.want)
		}
	}
	stored := &data.CSR{R: 2, C: 2, Start: []int{0, 2, 4}, Index: []int32{0, 1, 0, 1}, Value: []float64{1, 0, 0, 1}} // an edge of zero
	if got := Reached(&graph.Power{L: stored, P: 1}, []int{0}); !slices.Equal(got, []int{0}) {
		t.Errorf("along an edge of zero %v are reached", got)
	}
	f, reached, _, err := Spread(t.Context(), norm, []int{1}, mat.NewDense(1, 2, []float64{3, -2}), 0.5)
	if err != nil || !slices.Equal(reached, []int{0, 1, 2}) {
		t.Fatal(reached, err)
	}
	for i := range 6 {
		for j, v := range []float64{3, -2} {
			if i > 2 {
				v = 0
			}
			if math.Abs(f.At(i, j)-v) > 1e-6 {
				t.Errorf("row %d has %g, expected %g", i, f.At(i, j), v)
			}
		}
	}
	// Rows that are not reached are no part of the regression.
	s := newTwelve(t)
	some := []int{1, 3, 4, 8, 10}
	target := mat.NewDense(12, 1, nil)
	for i := range 12 {
		target.Set(i, 0, math.Sin(float64(i)))
	}
	beta, err := Regress(s.phi, some, target, 0.3)
	if err != nil {
		t.Fatal(err)
	}
	w := weights(s.phi, mat.Col(nil, 0, beta))
	for k := range 5 { // the derivative of its risk is zero
		slope := 0.3 * w[k]
		for _, i := range some {
			slope += s.phi.Phi.At(i, k) * (mat.Dot(mat.NewVecDense(5, s.phi.Phi.RawRowView(i)), mat.NewVecDense(5, w)) - target.At(i, 0))
		}
		if math.Abs(slope) > 1e-10 {
			t.Errorf("the derivative by weight %d is %g", k, slope)
		}
	}
}

// Machines, choices and scores are stopped wherever they ask, and go on with nothing that was not computed.
func TestStopsAnywhere(t *testing.T) {
	s := newTwelve(t)
	p := s.problem(2)
	train := func(of Learner) func(context.Context) error {
		of.Norm, of.Ratio = s.norm, 0.5
		return func(ctx context.Context) error {
			trainer, err := of.Bind(ctx, s.gram, p)
			if err != nil {
				return err
			}
			if _, err := trainer.Train(ctx, nil, []float64{5}, nil); err != nil {
				return err
			}
			_, _, _, err = trainer.(interface {
				LeaveOneOut(context.Context, []float64, *learn.Machine) (*mat.Dense, *learn.Machine, bool, error)
			}).LeaveOneOut(ctx, []float64{5}, nil)
			return err
		}
	}
	late := map[string]int{"logistic": 2, "chosen": 3} // what these ask after the end, of several tiles or outputs at once
	for name, f := range map[string]func(context.Context) error{
		"plain": train(Learner{Centres: s.centres}), "slack": train(Learner{Centres: s.centres, Repair: BySlack, Nu: 8}),
		"offset":           train(Learner{Centres: s.centres, Offset: true}),
		"decoupled":        train(Learner{Centres: s.centres, Repair: ByDecoupling, Nu: 3}),
		"sigmoid":          train(Learner{Centres: s.centres, Repair: BySigmoid}),
		"logistic":         train(Learner{Centres: s.centres, Loss: learn.Logistic()}),
		"chosen":           train(Learner{Chooser: basis.Greedy{}, Size: 3, Repair: BySlack, Nu: 8, Slackened: true}),
		"chosen decoupled": train(Learner{Chooser: basis.Greedy{}, Size: 3, Repair: ByDecoupling, Nu: 8}),
	} {
		t.Run(name, func(t *testing.T) {
			stoptest.Everywhere(t, f)
			for looks := 0; looks < 400; looks++ {
				c := stoptest.After(t.Context(), looks)
				if err := f(c); (err != nil) != c.Ended() || err != nil && !errors.Is(err, context.Canceled) {
					t.Errorf("told to stop after %d looks: %v", looks, err)
				}
				if c.Late() > late[name] {
					t.Errorf("told to stop after %d looks it goes on, and asks %d times more", looks, c.Late())
				}
				if !c.Ended() {
					break
				}
			}
		})
	}
}

// Closed leave-one-out is that of single folds; where there is none it says so.
func TestClosedLeaveOneOut(t *testing.T) {
	s := newTwelve(t)
	p := s.problem(2)
	lone := p.Only([]int{1})
	type closed interface {
		learn.Folder
		LeaveOneOut(context.Context, []float64, *learn.Machine) (*mat.Dense, *learn.Machine, bool, error)
	}
	for _, c := range []struct {
		of   Learner
		p    *learn.Problem
		want bool
	}{
		{Learner{Centres: s.centres}, p, true}, {Learner{Centres: s.centres, Repair: BySlack, Nu: 2, Offset: true}, p, true},
		{Learner{Centres: s.centres, Loss: learn.Logistic()}, p, false}, {Learner{Centres: s.centres, Repair: BySigmoid}, p, false},
		{Learner{Centres: s.centres, Repair: ByDecoupling, Nu: 1}, p, false}, {Learner{Chooser: basis.Greedy{}, Size: 2}, p, false},
		{Learner{Centres: s.centres, Offset: true}, lone, false}, {Learner{Centres: s.centres}, lone, true},
	} {
		c.of.Norm, c.of.Ratio = s.norm, 0.5
		trainer, err := c.of.Bind(t.Context(), s.gram, c.p)
		if err != nil {
			t.Fatal(err)
		}
		out, m, ok, err := trainer.(closed).LeaveOneOut(t.Context(), []float64{5}, nil)
		if err != nil || ok != c.want || (out != nil) != c.want || m == nil {
			t.Errorf("%+v: closed %v, %v", c.of, ok, err)
			continue
		}
		if !ok {
			continue
		}
		var single [][]int
		for i := range c.p.Labelled {
			single = append(single, []int{i})
		}
		folds, machines, _, err := trainer.(closed).Folds(t.Context(), single, []float64{5}, nil)
		if err != nil || !mat.Equal(out, folds) || len(machines) != len(single) || slices.Contains(machines, nil) {
			t.Errorf("%+v: single folds differ, %v", c.of, err)
		}
		if _, _, _, err := trainer.(closed).Folds(t.Context(), single, []float64{math.NaN()}, nil); err == nil {
			t.Errorf("%+v: C of NaN leaves rows out", c.of)
		}
	}
}

// A graph with a negative form makes no warp, a negative coupling no regression, and where labels decide their rows alone none is left
// out in closed form.
func TestMachinesThatCannotBe(t *testing.T) {
	s := newTwelve(t)
	form := s.norm.L
	negative := &data.CSR{R: form.R, C: form.C, Start: form.Start, Index: form.Index}
	for _, v := range form.Value {
		negative.Value = append(negative.Value, -v)
	}
	_, err := NewWarp(t.Context(), s.phi, &graph.Power{L: negative, P: 1}, s.labelled, 1e6, math.Inf(1))
	if err == nil || !strings.HasPrefix(err.Error(), "sparsemanifold: the graph on 5 centres with gamma_I/gamma_A = 1e+06: ") {
		t.Errorf("a negative form: %v", err)
	}
	bind := func(of Learner) learn.Trainer {
		of.Norm, of.Ratio, of.Centres = s.norm, 0.5, s.centres
		trainer, err := of.Bind(t.Context(), s.gram, s.problem(2))
		if err != nil {
			t.Fatal(err)
		}
		return trainer
	}
	_, err = bind(Learner{Repair: ByDecoupling, Nu: -1e-9}).Train(t.Context(), nil, []float64{5}, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "sparsemanifold: regression on 5 centres with gamma_A/nu = ") {
		t.Errorf("a negative coupling: %v", err)
	}
	exact := bind(Learner{Repair: BySlack, Nu: 8}).(learn.Folder)
	if out, _, _, err := exact.Folds(t.Context(), [][]int{{0}, {2}}, []float64{1e15}, nil); !errors.Is(err, rls.ErrLeverage) {
		t.Errorf("rows that are met exactly are left out: %v, %v", out, err)
	}
}
