package s3vm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/learn"
)

// Every exchange lowers the objective at the costs of the time, and so does every training; the balance is kept,
// and in the end no exchange of a pair lowers it.
func TestSwitchingDescends(t *testing.T) {
	exchanges := 0
	for _, v := range []learn.Loss{learn.Hinge(), learn.SquaredHinge()} {
		for try := range 8 {
			p := clouds(40, 6, uint64(try), try%2 == 0)
			s := newSwitched(p, v, 1+3*(try%4/2))
			copy(s.y, p.Y)
			for i, r := range p.Rows { // labels that fit nothing
				if i >= 6 {
					s.y[i] = -1
				}
				if i >= 6 && i < 6+p.Count() {
					s.y[i] = 1
				}
				s.label(r, s.y[i], s.costs[i])
			}
			s.weight = [2]float64{0.3, 0.7}
			last := math.Inf(1)
			for range 200 {
				for i := 6; i < 40; i++ {
					s.relabel(i)
				}
				before := s.objective()
				if before >= last {
					t.Fatalf("%s, problem %d: an exchange leads from %g to %g", v.Name(), try, last, before)
				}
				if err := s.train(t.Context()); err != nil {
					t.Fatal(err)
				}
				if last = s.objective(); last > before*(1+1e-6) {
					t.Fatalf("%s, problem %d: training leads from %g to %g", v.Name(), try, before, last)
				}
				s.gather()
				if !s.exchange() {
					break
				}
				exchanges++
			}
			plus := 0
			for i := 6; i < 40; i++ {
				if s.y[i] > 0 {
					plus++
				}
				for j := 6; j < 40; j++ {
					if s.y[i] > 0 && s.y[j] < 0 && s.gain(i, j) > 1e-9 {
						t.Errorf("%s, problem %d: exchanging %d and %d gains %g", v.Name(), try, i, j, s.gain(i, j))
					}
				}
			}
			if plus != p.Count() {
				t.Errorf("%s, problem %d: %d rows of label +1, want %d", v.Name(), try, plus, p.Count())
			}
		}
	}
	if exchanges < 30 {
		t.Errorf("only %d exchanges", exchanges)
	}
}

// The gain of an exchange is the difference of objectives.
func TestSwitchingGain(t *testing.T) {
	rnd := rand.New(rand.NewPCG(6, 2))
	p := clouds(12, 2, 1, false)
	for _, v := range []learn.Loss{learn.Hinge(), learn.SquaredHinge()} {
		s := newSwitched(p, v, 1)
		copy(s.y, []float64{1, -1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1})
		s.weight = [2]float64{0.2, 0.9}
		set := func() {
			for i := 2; i < 12; i++ {
				s.relabel(i)
			}
		}
		alpha := make([]float64, 12)
		for i := range alpha {
			alpha[i] = 2 * rnd.NormFloat64()
		}
		s.start(alpha, 0)
		s.gather()
		for i := 2; i < 7; i++ {
			for j := 7; j < 12; j++ {
				set()
				before := s.objective()
				s.y[i], s.y[j] = -1, 1
				set()
				if got, want := s.gain(i, j), before-s.objective(); math.Abs(got-want) > 1e-12*before {
					t.Errorf("%s: gain %g, of objectives %g", v.Name(), got, want)
				}
				s.y[i], s.y[j] = 1, -1
			}
		}
	}
}

// No algorithm finds less than branch and bound, and all keep what they were told: the objective that they state is
// that of labels in balance for the function that they return.
func TestSolversAboveBranch(t *testing.T) {
	for try := range 8 {
		p := clouds(15, 4, uint64(try), try%2 == 0)
		for _, v := range []learn.Loss{learn.Hinge(), learn.SquaredHinge()} {
			best, err := Branch{Loss: v}.Solve(t.Context(), p, nil)
			if err != nil {
				t.Fatal(err)
			}
			if best.Certificate.Limited != "" {
				t.Fatalf("problem %d: %s", try, best.Certificate.Limited)
			}
			solvers := []Solver{Switching{Loss: v}, Switching{Loss: v, Switches: 10}}
			for q, solver := range solvers {
				s, err := solver.Solve(t.Context(), p, nil)
				if err != nil {
					t.Fatal(err)
				}
				if s.Certificate.Objective < best.Certificate.Objective*(1-1e-5) {
					t.Errorf("problem %d, %s: solver %d finds %g, less than %g", try, v.Name(), q, s.Certificate.Objective,
						best.Certificate.Objective)
				}
				if o := objectiveOf(p, v, s); math.Abs(o-s.Certificate.Objective) > 1e-8*o {
					t.Errorf("problem %d, %s: solver %d says %g of %g", try, v.Name(), q, s.Certificate.Objective, o)
				}
			}
		}
	}
}

// objectiveOf is that of a function and the labels in balance of its largest outputs, from the coefficients.
func objectiveOf(p *Problem, v learn.Loss, s Solution) float64 {
	f := make([]float64, len(p.Rows))
	var sum float64
	for i, r := range p.Rows {
		for j, q := range p.Rows {
			f[i] += p.K.At(r, q) * s.Alpha[j]
		}
		sum += s.Alpha[i] * f[i] / 2
		f[i] += s.Offset
	}
	y := make([]float64, len(f))
	p.decided(y, f)
	for i, c := range p.Costs() {
		sum += c * v.Value(y[i], f[i])
	}
	return sum
}

// A context that ends in the midst leaves the best known, and says so; before anything is known it is an error.
func TestInterrupted(t *testing.T) {
	p := clouds(40, 4, 3, false)
	p.Positive = 0.25
	for q, solver := range []Solver{
		Switching{}, Switching{Loss: learn.SquaredHinge()}, Concave{Decisions: true}, Branch{}, Branch{Seeds: []Solver{Switching{}}},
	} {
		kept, failed := 0, 0
		for looks := range 80 {
			s, err := solver.Solve(stoptest.After(t.Context(), looks), p, nil)
			switch {
			case err != nil:
				failed++
			case s.Certificate.Limited != "":
				if kept++; len(s.Alpha) != 40 || len(s.Fitted) != 40 {
					t.Fatalf("solver %d: no solution", q)
				}
			}
		}
		if kept == 0 || failed == 0 {
			t.Errorf("solver %d: %d times the best was kept, %d times there was none", q, kept, failed)
		}
	}
}

// Labels are exchanged for what is more than rounding of the objective: of ten rows with a loss of some 1 each an exchange that gains
// 2e-10 is made, one that gains 2e-13 is not.
func TestLeastGainOfAnExchange(t *testing.T) {
	for by, want := range map[float64]bool{1e-10: true, 1e-13: false, 0: false} {
		s := newSwitched(clouds(12, 2, 1, false), learn.Hinge(), 1)
		s.weight = [2]float64{1, 1}
		for i := 2; i < 12; i++ {
			s.y[i] = float64(1 - 2*(i%2))
			s.f[i] = 0.9 * s.y[i]
			s.relabel(i)
		}
		s.f[4], s.f[7] = 0.3, 0.3+by
		s.start(make([]float64, 12), 0)
		if got := s.exchange(); got != want || (s.y[4] < 0) != want || (s.y[7] > 0) != want {
			t.Errorf("outputs apart by %g: exchanged is %v, labels %v", by, got, s.y)
		}
	}
}
