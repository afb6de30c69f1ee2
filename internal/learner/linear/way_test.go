package linear

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/learner/s3vm"
	"github.com/mercer-ml/mercer/internal/passes"
	"github.com/mercer-ml/mercer/internal/test/pathtest"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// drawn is a problem of n rows whose sides overlap, in another order than that of the rows.
func drawn(n, l, push int) *s3vm.Problem {
	x, side := waves(n, float64(push)/10)
	p := &s3vm.Problem{X: x, Positive: 0.4, Offset: push%2 == 0, C: float64(1 + push), Unlabelled: 0.5 + float64(push)/4}
	for i := range n {
		p.Rows = append(p.Rows, (i*7+3)%n)
	}
	for q := range l {
		p.Y, p.Weight = append(p.Y, side[p.Rows[q]]), append(p.Weight, 1+float64(q%3)/2)
	}
	return p
}

// Every machine ends where it ended before, after as many systems and steps, and says the same of it.
func TestWayOfMachines(t *testing.T) {
	var path pathtest.Path
	for push := range 5 {
		for _, s := range []s3vm.Solver{
			Switching{}, Switching{Switches: 1}, Switching{Switches: 3, Tolerance: 1e-3}, Annealing{}, Annealing{Temperature: 0.5},
			Annealing{Tolerance: 1e-4},
		} {
			p := drawn(50, 6, push)
			a, err := s.Solve(t.Context(), p, nil)
			if err != nil {
				t.Fatal(err)
			}
			c := a.Certificate
			path.Add(
				fmt.Sprintf("%T%+v, problem %d", s, s, push),
				c.Objective,
				c.Steps,
				c.Limited,
				a.Offset,
				a.Fitted[0],
				a.Fitted[6],
				a.Fitted[49],
			)
		}
		for _, s := range []s3vm.Solver{Switching{}, Annealing{}} {
			p := drawn(50, 6, push)
			p.Unlabelled = 0
			a, err := s.Solve(t.Context(), p, nil)
			if err != nil {
				t.Fatal(err)
			}
			path.Add(fmt.Sprintf("%T of labels alone, problem %d", s, push), a.Certificate.Objective, a.Certificate.Steps, a.Fitted[49])
		}
		x, side := waves(200, float64(push)/10)
		for _, lambda := range []float64{1e-4, 0.1, 10} {
			for _, fine := range []float64{1e-6, 1e-2, 0.5} {
				m := newMachine(withConstant(x, push%2 == 1), lambda)
				m.fine = fine
				for i, y := range side {
					if m.priced(i, y, 1); i%5 == 0 {
						m.up[i], m.down[i] = 0.7, 0.4
					}
				}
				limited, err := m.train(t.Context(), false)
				if err != nil {
					t.Fatal(err)
				}
				systems, steps := m.systems, m.steps
				for i := range 20 {
					m.priced(i, -side[i], 0.5)
				}
				again, err := m.train(t.Context(), true)
				path.Add(
					fmt.Sprintf("machine, push %d, lambda %g, tolerance %g", push, lambda, fine),
					limited,
					systems,
					steps,
					again,
					m.systems,
					m.steps,
					m.f,
					err,
				)
			}
		}
	}
	rng := rand.New(rand.NewPCG(3, 4))
	wide, sign := mat.NewDense(200, 30, nil), make([]float64, 200)
	for i := range sign {
		for j := range 30 {
			wide.Set(i, j, rng.NormFloat64()*math.Exp2(-float64(j)/3))
		}
		if sign[i] = 1; wide.At(i, 0)+wide.At(i, 4)+0.3*rng.NormFloat64() < 0 {
			sign[i] = -1
		}
	}
	for _, lambda := range []float64{1e-8, 1e-4, 0.1, 10} {
		for _, fine := range []float64{1e-12, 1e-6, 1e-2} {
			m := newMachine(passes.New(data.Rows{Dense: wide}, nil).WithConstant(), lambda)
			m.fine = fine
			for i, y := range sign {
				if m.priced(i, y, 1); i%9 == 0 {
					m.up[i], m.down[i] = 0.7, 0.4
				}
			}
			limited, err := m.train(t.Context(), false)
			path.Add(fmt.Sprintf("wide machine, lambda %g, tolerance %g", lambda, fine), limited, m.systems, m.steps, m.f, err)
		}
	}
	for _, s := range []s3vm.Solver{Switching{}, Switching{Switches: 1}, Annealing{}} {
		p := &s3vm.Problem{X: data.Rows{Dense: wide}, Rows: upTo(200), Y: sign[:12], Positive: 0.45, Offset: true, C: 20, Unlabelled: 1}
		a, err := s.Solve(t.Context(), p, nil)
		if err != nil {
			t.Fatal(err)
		}
		path.Add(
			fmt.Sprintf("wide %T%+v", s, s),
			a.Certificate.Objective,
			a.Certificate.Steps,
			a.Certificate.Limited,
			a.Offset,
			a.Fitted[0],
			a.Fitted[199],
		)
	}
	r := chain(t, 60)
	for _, v := range []learn.Loss{learn.Square(), learn.SquaredHinge(), learn.Logistic(), learn.HuberHinge(0.5)} {
		for _, ratio := range []float64{0, 0.5, 30} {
			for _, free := range []bool{false, true} {
				x, side := waves(60, 0.3)
				p := newSmoothed(withConstant(x, !free), r, ratio, v, labels{upTo(20), side[:20], constant(5, 20)})
				p.free = free
				steps, limited, err := p.solve(t.Context(), 1e-7)
				path.Add(fmt.Sprintf("%s along a graph, ratio %g, free %v", v.Name(), ratio, free), steps, limited, p.f, p.b, err)
			}
		}
	}
	path.Compare(t, "machines")
}

// The levels of the unlabelled cost begin at a hundred thousandth of a label's, grow by a half and end at their own.
func TestLevels(t *testing.T) {
	for _, unlabelled := range []float64{1, 0.2, 40} {
		list := Levels(unlabelled)
		if list[0] != 1e-5/unlabelled || list[len(list)-1] != 1 || list[len(list)-2] >= 1 || list[len(list)-2] < 1/1.5-1e-9 {
			t.Errorf("levels %v", list)
		}
		for k := 1; k < len(list)-1; k++ {
			if math.Abs(list[k]/list[k-1]-1.5) > 1e-12 {
				t.Errorf("level %d is %g times the one before", k, list[k]/list[k-1])
			}
		}
	}
	for _, unlabelled := range []float64{1e-5, 1e-9} {
		if list := Levels(unlabelled); !slices.Equal(list, []float64{1}) {
			t.Errorf("of a weight of %g: %v", unlabelled, list)
		}
	}
}

// Pairs are those in the wrong order inside the margin, the worst first, no more than are asked for.
func TestPairs(t *testing.T) {
	p := drawn(12, 2, 1)
	s := &switched{transduced: begun(p, 0), y: make([]float64, 12)}
	out := []float64{9, 9, 0.3, 0.3, -0.5, 1, 1.5, -0.2, 0.9, -1, -3, 0.1} // of the problem's rows
	side := []float64{1, -1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1}
	for i, r := range p.Rows {
		s.o[r], s.y[i] = out[i], side[i]
	}
	want := [][2]int{{4, 6}, {2, 8}}
	if got := s.pairs(); !slices.Equal(got, want) {
		t.Errorf("pairs %v, expected %v", got, want)
	}
	if s.most = 1; !slices.Equal(s.pairs(), want[:1]) {
		t.Errorf("one pair is %v", s.pairs())
	}
	s.o[p.Rows[8]] = 0.3 // as much as the other
	if s.most = 5; !slices.Equal(s.pairs(), want[:1]) {
		t.Errorf("with equal outputs the pairs are %v", s.pairs())
	}
	if got, want := s.byOutput(), []int{6, 5, 2, 3, 8, 11, 7, 4, 9, 10}; !slices.Equal(got, want) {
		t.Errorf("by output the rows are %v, expected %v", got, want)
	}
}

// The solution is written over the rows, and its objective is that of the documents.
func TestTransducedSolution(t *testing.T) {
	for push := range 4 {
		for _, solver := range []s3vm.Solver{Switching{}, Annealing{}, Annealing{Temperature: 0.3}} {
			p := drawn(40, 6, push)
			s, err := solver.Solve(t.Context(), p, nil)
			if err != nil {
				t.Fatal(err)
			}
			w := weights(p, s)
			for i, r := range p.Rows {
				o := floats.Dot(p.X.Dense.RawRowView(r), w[:3])
				if p.Offset {
					o += w[3]
				}
				if math.Abs(o-s.Fitted[i]) > 1e-4 {
					t.Errorf("%T, problem %d: row %d has %g, its coefficients give %g", solver, push, i, s.Fitted[i], o)
				}
			}
			if !p.Offset && s.Offset != 0 {
				t.Errorf("%T, problem %d: the offset is %g", solver, push, s.Offset)
			}
			want, costs := 0.0, p.Costs()
			for _, v := range w[:3] {
				want += v * v / 2
			}
			want += s.Offset * s.Offset / 2
			for i, o := range s.Fitted {
				if i < len(p.Y) {
					o *= p.Y[i]
				} else {
					o = math.Abs(o)
				}
				want += costs[i] * max(0, 1-o) * max(0, 1-o)
			}
			if math.Abs(s.Certificate.Objective-want) > 1e-4*want {
				t.Errorf("%T, problem %d: objective %g, by its formula %g", solver, push, s.Certificate.Objective, want)
			}
			Switching{}.InColumns()
			Annealing{}.InColumns()
		}
	}
}

// Whichever look at its context tells a machine to stop, it is an error or said.
func TestStoppedAnywhere(t *testing.T) {
	for solver, says := range map[s3vm.Solver]string{
		Switching{}:               "label switching was stopped; the machine is that of the labels until then",
		Annealing{}:               "the annealing was stopped; the machine is the best of those that it came by",
		Annealing{Temperature: 1}: "the annealing was stopped; the machine is the best of those that it came by",
	} {
		for looks := 0; ; looks++ {
			c := stoptest.After(t.Context(), looks)
			s, err := solver.Solve(c, golden(), nil)
			switch {
			case err != nil && (!c.Ended() || !errors.Is(err, context.Canceled)):
				t.Errorf("%T after %d looks: %v", solver, looks, err)
			case err == nil && (s.Certificate.Limited != "") != c.Ended(), err == nil && c.Ended() && s.Certificate.Limited != says:
				t.Errorf("%T after %d looks: %+v, told to stop: %v", solver, looks, s.Certificate, c.Ended())
			}
			if !c.Ended() {
				break
			}
		}
	}
}

// A machine that stops at its limits says so, and what is met is no limit.
func TestLimitsSaid(t *testing.T) {
	x, side := waves(60, 0.3)
	p := newSmoothed(passes.New(x, nil).WithConstant(), chain(t, 60), 1, learn.Logistic(), labels{upTo(20), side[:20], constant(5, 20)})
	if _, limited, err := p.solve(t.Context(), 1e-20); !limited || err != nil {
		t.Error("a tolerance that rounding forbids is met")
	}
	exact := p.certificate(3, false)
	if exact.Limited != "" || exact.Steps != 3 || exact.Objective != p.f || exact.Residual != p.residual() ||
		exact.Gap != floats.Dot(p.grad, p.grad)/2/p.f {
		t.Errorf("%+v", exact)
	}
	if c := p.certificate(3, true); c.Limited != "Newton's method stopped at its limit; the machine is not exact" {
		t.Error(c.Limited)
	}
	nothing := newSmoothed(passes.New(x, nil).WithConstant(), nil, 0, learn.Square(), labels{upTo(2), []float64{0, 0}, constant(5, 2)})
	nothing.free = true
	if steps, limited, err := nothing.solve(t.Context(), 1e-9); steps != 0 || limited || err != nil || nothing.residual() != 0 ||
		nothing.certificate(0, false).Gap != 0 {
		t.Errorf("targets of zero take %d steps, %v, %v", steps, limited, err)
	}
	stoptest.Everywhere(t, func(ctx context.Context) error {
		p := newSmoothed(passes.New(x, nil).WithConstant(), chain(t, 60), 1, learn.Logistic(), labels{upTo(20), side[:20], constant(5, 20)})
		_, _, err := p.solve(ctx, 1e-9)
		return err
	})
	none := newMachine(passes.New(x, nil).WithConstant(), 1)
	if limited, err := none.train(t.Context(), false); limited || err != nil || none.residual() != 0 || none.f != 0 {
		t.Errorf("without prices: %v, %v, residual %g", limited, err, none.residual())
	}
}

// The residual is the gradient over the larger of its parts, by differences of the objective.
func TestResidualByDifferences(t *testing.T) {
	x, side := waves(30, 0.2)
	m := newMachine(passes.New(x, nil).WithConstant(), 0.3)
	for i, y := range side {
		m.priced(i, y, 0.5)
	}
	m.up[4], m.down[4] = 0.2, 0.3
	copy(m.w, []float64{0.3, -0.2, 0.5, 0.1})
	at := func(w []float64) float64 {
		o := make([]float64, 30)
		m.x.Mul(o, w, nil)
		return m.objective(w, o)
	}
	m.x.Mul(m.o, m.w, nil)
	grad := make([]float64, 4)
	for j := range grad {
		up, down := slices.Clone(m.w), slices.Clone(m.w)
		up[j], down[j] = up[j]+1e-5, down[j]-1e-5
		grad[j] = (at(up) - at(down)) / 2e-5
	}
	data := slices.Clone(grad)
	floats.AddScaled(data, -0.3, m.w)
	want := floats.Norm(grad, 2) / max(floats.Norm(data, 2), 0.3*floats.Norm(m.w, 2))
	if got := m.residual(); math.Abs(got-want) > 1e-6*want {
		t.Errorf("the residual is %g, by differences %g", got, want)
	}
}

// labelledWaves is a learning problem on waves: classes by side, or numbers, on every third row.
func labelledWaves(n, classes int) *learn.Problem {
	x, _ := waves(n, 0.4)
	l := data.Labels{Task: data.Classification, Class: make([]int, n), Value: make([]float64, n)}
	for k := range classes {
		l.Classes = append(l.Classes, string(rune('a'+k)))
	}
	if classes == 0 {
		l.Task, l.Class = data.Regression, nil
	}
	for i := range n {
		l.Value[i] = math.NaN()
		if l.Class != nil {
			l.Class[i] = data.Unlabelled
		}
		if i%3 == 0 {
			if l.Value[i] = math.Sin(float64(i)) + 2; l.Class != nil {
				l.Class[i] = (i / 3) % classes
			}
		}
	}
	return learn.NewProblem(x, l)
}

// evaluated are the outputs of a trained machine on all rows.
func evaluated(t *testing.T, s Laplacian, p *learn.Problem, rows []int, c float64, warm *learn.Machine) (*mat.Dense, *learn.Machine) {
	t.Helper()
	g, err := kernel.Linear{}.Bind(t.Context(), p.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	trainer, err := s.Bind(t.Context(), g, p)
	if err != nil {
		t.Fatal(err)
	}
	m, err := trainer.Train(t.Context(), rows, []float64{c}, warm)
	if err != nil {
		t.Fatal(err)
	}
	out := mat.NewDense(p.Rows.Len(), p.Outputs(), nil)
	if err := m.Evaluate(t.Context(), out, g, nil); err != nil {
		t.Fatal(err)
	}
	return out, m
}

// The learner's machine of the square loss is the solution of the normal equations, on the rows that are trained on, with
// the weights of these and each form of the offset, in every output.
func TestLaplacianLearner(t *testing.T) {
	const n, c = 36, 0.8
	r := chain(t, n)
	for _, classes := range []int{0, 2, 3} {
		for _, ratio := range []float64{0, 2} {
			for _, form := range []Laplacian{{}, {Offset: true}, {Offset: true, Free: true}} {
				for _, rows := range [][]int{nil, {0, 1, 4, 5, 7, 8, 11}} {
					p := labelledWaves(n, classes)
					if classes == 2 {
						for q := range p.Labelled {
							p.Weight = append(p.Weight, 1+float64(q%2))
						}
					}
					s := form
					s.Loss, s.Norm, s.Ratio, s.Tolerance = learn.Square(), r, ratio, 1e-9
					got, m := evaluated(t, s, p, rows, c, nil)
					if len(m.Rows) != n || m.Certificate.Limited != "" || m.Certificate.Residual > 1e-9*float64(p.Outputs()) {
						t.Errorf("%+v: %+v", s, m.Certificate)
					}
					used := rows
					if rows == nil {
						used = upTo(len(p.Labelled))
					}
					want := byNormalEquations(t, s, p, used, c)
					if !mat.EqualApprox(got, want, 1e-6) {
						t.Errorf("%d classes, %+v, rows %v: outputs differ", classes, s, rows)
					}
					warm, again := evaluated(t, s, p, rows, c, m)
					if !mat.EqualApprox(warm, got, 1e-6) || again.Certificate.Steps > m.Certificate.Steps && !form.Free {
						t.Errorf(
							"%d classes, %+v, rows %v: %d steps from the solution, %d from nothing",
							classes,
							s,
							rows,
							again.Certificate.Steps,
							m.Certificate.Steps,
						)
					}
				}
			}
		}
	}
}

// byNormalEquations are the outputs of the minimum of the square loss.
func byNormalEquations(t *testing.T, s Laplacian, p *learn.Problem, used []int, c float64) *mat.Dense {
	t.Helper()
	n, d := p.Rows.Len(), 4
	full := mat.NewDense(n, d, nil)
	for i := range n {
		copy(full.RawRowView(i), p.Rows.Dense.RawRowView(i))
		if s.Offset {
			full.Set(i, 3, 1)
		}
	}
	rx, h := mat.NewDense(n, d, nil), mat.NewDense(d, d, nil)
	s.Norm.MulTo(rx, full)
	h.Mul(full.T(), rx)
	h.Scale(s.Ratio, h)
	for j := range d {
		if s.Free {
			h.Set(j, 3, 0)
			h.Set(3, j, 0)
		}
	}
	for j := range d {
		if !s.Free || j < 3 {
			h.Set(j, j, h.At(j, j)+1)
		}
	}
	rhs := mat.NewDense(d, p.Outputs(), nil)
	for _, q := range used {
		weight := 2 * c
		if p.Weight != nil {
			weight *= p.Weight[q]
		}
		row := mat.NewVecDense(d, full.RawRowView(p.Labelled[q]))
		h.RankOne(h, weight, row, row)
		for o := range p.Outputs() {
			for j := range d {
				rhs.Set(j, o, rhs.At(j, o)+weight*p.Y.At(q, o)*row.AtVec(j))
			}
		}
	}
	var w, out mat.Dense
	if err := w.Solve(h, rhs); err != nil {
		t.Fatal(err)
	}
	out.Mul(full, &w)
	return &out
}

// From the solution of a smooth loss next to no steps are left, and without a tolerance it is 1e-4.
func TestLaplacianLearnerWarm(t *testing.T) {
	p := labelledWaves(36, 2)
	s := Laplacian{Loss: learn.Logistic(), Norm: chain(t, 36), Ratio: 1, Offset: true}
	cold, m := evaluated(t, s, p, nil, 5, nil)
	if m.Certificate.Residual > 1e-4 || m.Certificate.Steps < 2 {
		t.Errorf("%+v", m.Certificate)
	}
	given := s
	given.Tolerance = 1e-4
	same, _ := evaluated(t, given, p, nil, 5, nil)
	if !mat.Equal(cold, same) {
		t.Error("the default tolerance is not 1e-4")
	}
	if _, again := evaluated(t, s, p, nil, 5, m); again.Certificate.Steps > 1 {
		t.Errorf("from its solution it takes %d steps", again.Certificate.Steps)
	}
}

// What the learner cannot do is said, and its context is heeded.
func TestLaplacianLearnerRefuses(t *testing.T) {
	p := labelledWaves(12, 2)
	g, err := kernel.Linear{}.Bind(t.Context(), p.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	other, err := kernel.Gaussian{Sigma: 1}.Bind(t.Context(), p.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := Laplacian{Loss: learn.SquaredHinge(), Norm: graph.Operator(nil)}
	if _, err := s.Bind(t.Context(), other, p); err == nil ||
		err.Error() != "linear: the kernel has no features; choose the linear kernel" {
		t.Errorf("a Gaussian kernel: %v", err)
	}
	none := *p
	none.Labelled = nil
	if _, err := s.Bind(t.Context(), g, &none); err == nil || err.Error() != "linear: no labelled row" {
		t.Errorf("no label: %v", err)
	}
	trainer, err := s.Bind(t.Context(), g, p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := trainer.Train(t.Context(), []int{}, []float64{1}, nil); err == nil || !strings.Contains(err.Error(), "no labelled row") {
		t.Errorf("no row to train on: %v", err)
	}
	if got := s.Space(2, 7); len(got) != 1 || got[0] != learn.Strength(2) {
		t.Errorf("%+v", got)
	}
	s.Norm, s.Ratio = chain(t, 12), 1
	stoptest.Everywhere(t, func(ctx context.Context) error {
		trainer, err := s.Bind(ctx, g, p)
		if err != nil {
			return err
		}
		_, err = trainer.Train(ctx, nil, []float64{1}, nil)
		return err
	})
}

// Where nothing moves a ray ends at once.
func TestRaysWithoutAnEnd(t *testing.T) {
	x, side := waves(30, 0.2)
	m := newMachine(passes.New(x, nil).WithConstant(), 0.3)
	for i, y := range side {
		m.priced(i, y, 0.5)
	}
	if delta := m.ray(m.o, m.o, 0, 0); delta != 0 {
		t.Errorf("without a way it goes %g of it", delta)
	}
	if delta := m.ray(m.o, m.o, -1, -2); delta != 0 {
		t.Errorf("where the slope falls for ever it goes %g", delta)
	}
}
