package linear

import (
	"math"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/internal/learner/s3vm"
	"github.com/mercer-ml/mercer/internal/passes"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
)

// golden is the problem of the golden values: lambda 0.01, so C = 1/(2 lambda l).
func golden() *s3vm.Problem {
	x, side := waves(24, 0.6)
	return &s3vm.Problem{X: x, Rows: upTo(24), Y: side[:4], Positive: 0.5, Offset: true, C: 1 / (2 * 0.01 * 4), Unlabelled: 1}
}

// weights are sum_i alpha_i x_i and the offset.
func weights(p *s3vm.Problem, s s3vm.Solution) []float64 {
	r := passes.New(p.X, nil)
	n, d := r.Dims()
	alpha := make([]float64, n)
	for i, row := range p.Rows {
		alpha[row] = s.Alpha[i]
	}
	w := make([]float64, d, d+1)
	r.MulT(w, alpha, nil)
	return append(w, s.Offset)
}

// The golden values of both transductive machines, in the order of rows as they come and in another.
func TestTransductiveGolden(t *testing.T) {
	for _, c := range []struct {
		solver    s3vm.Solver
		w         []float64
		objective float64
		tol       float64
	}{
		{Switching{Switches: 1}, []float64{.301201126, .822840417, 1.499624923, .171393082}, .0516030813, 1e-5},
		{Switching{Switches: 10}, []float64{.301201126, .822840417, 1.499624923, .171393082}, .0516030813, 1e-5},
		{Switching{}, []float64{.301201126, .822840417, 1.499624923, .171393082}, .0516030813, 1e-5},
		{Annealing{}, []float64{.890335591, 2.551050552, -.465103917, .419759215}, .0586855557, 1e-4},
	} {
		p := golden()
		s, err := c.solver.Solve(t.Context(), p, nil)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "w", weights(p, s), c.w, c.tol)
		near(t, "objective", []float64{0.01 * s.Certificate.Objective}, []float64{c.objective}, 1e-7)
		if s.Certificate.Residual > 1e-5 || s.Certificate.Limited != "" {
			t.Errorf("%T: %+v", c.solver, s.Certificate)
		}
		back := golden()
		slices.Reverse(back.Rows[4:])
		b, err := c.solver.Solve(t.Context(), back, nil)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "w in another order", weights(back, b), weights(p, s), 1e-5)
	}
}

// Without a weight, or an unlabelled row, both are the supervised machine.
func TestSupervisedLimit(t *testing.T) {
	for _, solver := range []s3vm.Solver{Switching{}, Annealing{}} {
		p := golden()
		p.Unlabelled = 0
		s, err := solver.Solve(t.Context(), p, nil)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "w without a weight", weights(p, s), []float64{.58587332, .82920214, .238054098, -.051830469}, 1e-5)
		q := golden()
		q.Rows, q.X = q.Rows[:4], q.X.Select(upTo(4))
		if s, err = solver.Solve(t.Context(), q, nil); err != nil {
			t.Fatal(err)
		}
		near(t, "w of the labels alone", weights(q, s), []float64{.58587332, .82920214, .238054098, -.051830469}, 1e-5)
	}
}

// The unlabelled rows that label switching decides +1 are as many as were asked for; the objective of annealing is no
// larger than that of any temperature alone.
func TestBalanceAndBest(t *testing.T) {
	p := golden()
	p.Positive = 0.3
	s, err := Switching{}.Solve(t.Context(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	up := 0
	for _, a := range s.Alpha[4:] {
		if a > 0 {
			up++
		}
	}
	if up > p.Count() {
		t.Errorf("%d rows pull up, %d were asked for", up, p.Count())
	}
	best, err := Annealing{}.Solve(t.Context(), golden(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, temperature := range []float64{0.1, 1} {
		one, err := Annealing{Temperature: temperature}.Solve(t.Context(), golden(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if one.Certificate.Objective < best.Certificate.Objective*(1-1e-9) {
			t.Errorf("temperature %g alone: %g, annealed %g", temperature, one.Certificate.Objective, best.Certificate.Objective)
		}
	}
}

// What is stopped keeps what it has, and says so; stopped at once it is an error.
func TestStopped(t *testing.T) {
	for _, solver := range []s3vm.Solver{Switching{}, Annealing{}} {
		kept := false
		for n := range 400 {
			c := stoptest.After(t.Context(), n)
			s, err := solver.Solve(c, golden(), nil)
			if c.Late() > 2 {
				t.Errorf("%T, asked %d times: it goes on, and asks %d times more", solver, n, c.Late())
			}
			switch {
			case err != nil && n > 200:
				t.Fatalf("%T, asked %d times: %v", solver, n, err)
			case err == nil && s.Certificate.Limited != "":
				kept = true
				if s.Certificate.Residual > 0.2 {
					t.Errorf("%T, asked %d times: what is kept is no minimum of anything: residual %g", solver, n, s.Certificate.Residual)
				}
				if slices.ContainsFunc(s.Fitted, math.IsNaN) {
					t.Fatalf("%T: %v", solver, s.Fitted)
				}
			}
		}
		if !kept {
			t.Errorf("%T never kept what it had", solver)
		}
	}
}

// Labels are exchanged of rows inside the margin alone, those that are most wrong first, and at most as many pairs as are asked for.
func TestPairsInsideTheMargin(t *testing.T) {
	x, side := waves(6, 0.3)
	p := &s3vm.Problem{X: x, Y: side[:2], Rows: upTo(6), C: 1, Unlabelled: 1}
	for _, c := range []struct {
		up, down [2]float64 // outputs of the rows labelled +1 and -1
		most     int
		want     [][2]int
	}{
		{[2]float64{0.5, -0.25}, [2]float64{0, 0.75}, 0, [][2]int{{3, 5}}},
		{[2]float64{-0.5, -0.25}, [2]float64{0, 0.75}, 0, [][2]int{{2, 5}, {3, 4}}},
		{[2]float64{-0.5, -0.25}, [2]float64{0, 0.75}, 1, [][2]int{{2, 5}}},
		{[2]float64{1, 1.5}, [2]float64{2, 3}, 0, nil},
		{[2]float64{-2, -3}, [2]float64{-1, -1.5}, 0, nil},
		{[2]float64{0.875, 1.5}, [2]float64{2, 3}, 0, [][2]int{{2, 5}}},
		{[2]float64{0.5, 0.5}, [2]float64{0.5, 0.25}, 0, nil},
	} {
		s := &switched{transduced: begun(p, 0), most: c.most, y: []float64{1, -1, 1, 1, -1, -1}}
		for k := range 2 {
			s.o[2+k], s.o[4+k] = c.up[k], c.down[k]
		}
		if got := s.pairs(); !slices.Equal(got, c.want) {
			t.Errorf("outputs %v of +1 and %v of -1, at most %d: %v, expected %v", c.up, c.down, c.most, got, c.want)
		}
	}
}

// TestDefaultTolerance: 0 is the default, and a tolerance that is given is taken.
func TestDefaultTolerance(t *testing.T) {
	x, side := waves(6, 0.3)
	p := &s3vm.Problem{X: x, Y: side[:2], Rows: upTo(6), C: 1, Unlabelled: 1}
	if got := begun(p, 0).fine; got != tolerance {
		t.Errorf("0 is %g, the default %g", got, tolerance)
	}
	if got := begun(p, 0.5).fine; got != 0.5 {
		t.Errorf("0.5 is %g", got)
	}
}

// A tolerance below rounding is not asked of conjugate gradients, which would leave the solution for it.
func TestToleranceBelowRounding(t *testing.T) {
	for _, fine := range []float64{1e-12, 1e-17, 1e-300} {
		for _, solver := range []s3vm.Solver{Switching{Tolerance: fine}, Annealing{Tolerance: fine}} {
			for _, p := range []*s3vm.Problem{golden(), drawn(50, 6, 1)} {
				s, err := solver.Solve(t.Context(), p, nil)
				if err != nil || s.Certificate.Residual > 1e-9 || s.Certificate.Limited != "" {
					t.Errorf("%T with a tolerance of %g: %+v, %v", solver, fine, s.Certificate, err)
				}
			}
		}
	}
}

// Machines stop at 1e-6 unless another tolerance is given, and at 1e-12 where that is less.
func TestTolerances(t *testing.T) {
	x, side := waves(6, 0.3)
	p := &s3vm.Problem{X: x, Y: side[:2], Rows: upTo(6), C: 1, Unlabelled: 1}
	for given, want := range map[float64]float64{0: 1e-6, 0.5: 0.5, 2e-12: 2e-12, 1e-12: 1e-12, 0.5e-12: 1e-12, 1e-17: 1e-12} {
		if got := begun(p, given).fine; got != want {
			t.Errorf("a tolerance of %g is taken as %g, want %g", given, got, want)
		}
	}
}
