package s3vm

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/test/slowtest"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
)

func solved(t testing.TB, a Solver, p *Problem) Solution {
	t.Helper()
	s, err := a.Solve(t.Context(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The behaviour that the specification (T4) states of sets made by formula. Objectives are of the source's scale,
// lambda times ours.
func TestAnnealingOnFormulas(t *testing.T) {
	usual := [][2]int{{10, 110}, {50, 150}, {5, 190}, {25, 125}, {90, 105}}
	hinge := slices.Concat(usual[:5], [][2]int{{0, 100}, {99, 199}, {70, 130}})
	for _, c := range []struct {
		set           string
		pairs         [][2]int
		loss          learn.Loss
		offset        bool
		sigma, lambda float64
		lo, hi        float64 // of the objective
	}{
		{"moons-det", hinge, learn.Hinge(), true, 0.15, 0.01, 0.1429, 0.1434},
		{"moons-det", hinge[:5], learn.Hinge(), true, 0.2, 0.01, 0, 1},
		{"moons-det", hinge[6:], learn.Hinge(), true, 0.2, 0.01, 0, 1},
		{"circles-det:n=100", [][2]int{{0, 50}, {0, 75}, {10, 97}}, learn.Hinge(), true, 0.25, 0.01, 0.1326, 0.1336},
		{"moons-det", usual, learn.SquaredHinge(), false, 0.15, 0.1, 0.3955, 0.398},
		{"moons-det", usual, learn.Square(), false, 0.15, 0.1, 0.3955, 0.398},
	} {
		if !slowtest.Asked() {
			c.pairs = c.pairs[:2]
		}
		for _, pair := range c.pairs {
			p, truth := formula(t, c.set, c.sigma, pair[0], pair[1])
			p.Offset = c.offset
			p.C = 1 / (c.lambda * 2)
			if c.loss != learn.Hinge() {
				p.C /= 2
			}
			s := solved(t, Annealing{Loss: c.loss}, p)
			objective := c.lambda * s.Certificate.Objective
			if n := wrong(s.Fitted, truth); n > 0 || objective < c.lo || objective > c.hi {
				t.Errorf("%s, %s, sigma %g, pair %v: %d errors, objective %.5f", c.set, c.loss.Name(), c.sigma, pair, n, objective)
			}
			if s.Certificate.Residual > 1e-3 || s.Certificate.Limited != "" {
				t.Errorf("%s, %s, pair %v: residual %g, %q", c.set, c.loss.Name(), pair, s.Certificate.Residual, s.Certificate.Limited)
			}
		}
	}
}

// Where no output is outside [-1, 1] and no labelled one beyond its margin, the square and the squared hinge are one
// problem, and the ways to it are the same.
func TestSquaresAreOne(t *testing.T) {
	p, _ := formula(t, "moons-det", 0.15, 10, 110)
	p.C = 2.5
	a, b := solved(t, Annealing{Loss: learn.Square()}, p), solved(t, Annealing{}, p)
	for i, f := range a.Fitted {
		if math.Abs(f) > 1 || i < 2 && f*p.Y[i] > 1 {
			t.Fatalf("row %d has the output %g", i, f)
		}
	}
	if !near(a.Fitted, b.Fitted, 1e-6) || math.Abs(a.Certificate.Objective-b.Certificate.Objective) > 1e-6 {
		t.Errorf("objectives %.9g and %.9g", a.Certificate.Objective, b.Certificate.Objective)
	}
}

// At a fixed temperature J_T never rises, and the mean of the probabilities is the share after every step.
func TestTurnsLower(t *testing.T) {
	for _, v := range losses() {
		for _, temperature := range []float64{1, 0.1, 0.01} {
			p := clouds(60, 8, 2, true)
			a, err := begun(t.Context(), Annealing{Loss: v}, p)
			if err != nil {
				t.Fatal(err)
			}
			share, last := a.start(), math.Inf(1)
			for turn := range 30 {
				now, err := a.turn(t.Context(), share, temperature, min(a.fine, 1e-6))
				if err != nil {
					t.Fatal(err)
				}
				if now > last+1e-6*math.Abs(last) {
					t.Errorf("%s, T %g, turn %d: J_T is %.10g, was %.10g", v.Name(), temperature, turn, now, last)
				}
				last = now
				mean := 0.0
				for _, q := range a.p {
					mean += q / float64(len(a.p))
				}
				if math.Abs(mean-share) > 1e-9 || math.Abs(share*52-21) > 1e-9 { // 0.4 of 52 rows
					t.Errorf("%s, T %g: the mean is %.12g, the share %g", v.Name(), temperature, mean, share)
				}
			}
		}
	}
}

// J_T is what the formula says.
func TestAnnealedObjective(t *testing.T) {
	for _, v := range losses() {
		p := clouds(20, 5, 3, true)
		a, err := begun(t.Context(), Annealing{Loss: v}, p)
		if err != nil {
			t.Fatal(err)
		}
		const temperature = 0.3
		if _, err := a.turn(t.Context(), a.start(), temperature, a.fine); err != nil {
			t.Fatal(err)
		}
		alpha := mat.NewVecDense(20, nil)
		for q, i := range p.Rows {
			alpha.SetVec(i, a.at.alpha[q])
		}
		// As the source has it: lambda/2 ||f||^2 + means of losses, of squares halved.
		scale, lambda := 1.0, 1/(p.C*5)
		if v != learn.Hinge() {
			scale, lambda = 0.5, 1/(2*p.C*5)
		}
		want := lambda / 2 * mat.Inner(alpha, p.K, alpha)
		for i, y := range p.Y {
			want += scale * p.Weight[i] * v.Value(y, a.at.f[i]) / 5
		}
		for j, q := range a.p {
			f := a.at.f[5+j]
			want += p.Unlabelled * scale * (q*v.Value(1, f) + (1-q)*v.Value(-1, f)) / 15
			want += temperature * (q*math.Log(q) + (1-q)*math.Log(1-q)) / 15
		}
		if got := lambda * a.annealed(temperature); math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s: %.12g, not %.12g", v.Name(), got, want)
		}
	}
}

// The labels of least cost are those of least cost among all of their balance, and no annealing is better than
// the best labels of all.
func TestAnnealingAgainstAllLabels(t *testing.T) {
	for _, v := range losses() {
		for seed := range uint64(6) {
			p := clouds(11, 3, seed, seed%2 == 1)
			p.Positive = 0.5
			s := solved(t, Annealing{Loss: v, Tolerance: 1e-6}, p)
			y := make([]float64, 11)
			p.decided(y, s.Fitted)
			sys := newSystem(p)
			at := &function{alpha: s.Alpha, f: s.Fitted, b: s.Offset}
			own, best := sys.value(v, at, y), math.Inf(1)
			if math.Abs(own-s.Certificate.Objective) > 1e-6*own {
				t.Errorf("%s: the objective is %g, said %g", v.Name(), own, s.Certificate.Objective)
			}
			for set := range 1 << 8 {
				other := slices.Concat(p.Y[:3], make([]float64, 8))
				count := 0
				for j := range 8 {
					other[3+j] = -1
					if set>>j&1 == 1 {
						other[3+j] = 1
						count++
					}
				}
				if count != p.Count() {
					continue
				}
				if value := sys.value(v, at, other); value < own-1e-9 {
					t.Errorf("%s: labels %v cost %g, those decided %g", v.Name(), other, value, own)
				}
				_, _, f := minimised(t, p, v, other, 1e-6)
				best = min(best, sys.value(v, f, other))
			}
			if own < best*(1-1e-5) || own > 1.2*best {
				t.Errorf("%s, seed %d: annealing has %g, the best labels %g", v.Name(), seed, own, best)
			}
		}
	}
}

// Without unlabelled rows, or where they weigh nothing, the machine is the supervised one.
func TestAnnealingWithoutUnlabelled(t *testing.T) {
	whole := clouds(24, 24, 4, true)
	weightless := clouds(60, 24, 4, true)
	weightless.Unlabelled = 0
	for _, v := range losses()[:2] {
		for _, p := range []*Problem{whole, weightless} {
			s := solved(t, Annealing{Loss: v}, p)
			k := mat.NewDense(24, 24, nil)
			for a := range 24 {
				for b := range 24 {
					k.Set(a, b, p.K.At(p.Rows[a], p.Rows[b]))
				}
			}
			want := supervised(t, smooth.Learner{Loss: v, Offset: smooth.Free}, k, p.Y, p.Weight, p.C)
			if !near(s.Alpha[:24], mat.Col(nil, 0, want.Coef), 1e-6) || math.Abs(s.Offset-want.Offset[0]) > 1e-6 ||
				math.Abs(s.Certificate.Objective-want.Certificate.Objective) > 1e-6 {
				t.Errorf("%s: objective %.9g, of the supervised machine %.9g", v.Name(), s.Certificate.Objective,
					want.Certificate.Objective)
			}
			for i, a := range s.Alpha {
				f := s.Offset
				for j, b := range s.Alpha {
					f += p.K.At(p.Rows[i], p.Rows[j]) * b
				}
				if i >= 24 && a != 0 || math.Abs(f-s.Fitted[i]) > 1e-9 {
					t.Errorf("%s: row %d has the coefficient %g and the output %g, not %g", v.Name(), i, a, s.Fitted[i], f)
				}
			}
		}
	}
}

// One temperature alone: the hotter, the less sure the machine is of the unlabelled rows.
func TestFixedTemperature(t *testing.T) {
	for _, v := range losses() {
		last := math.Inf(1)
		for _, temperature := range []float64{0.001, 0.1, 1, 10} {
			p := clouds(60, 8, 5, false)
			s := solved(t, Annealing{Loss: v, Temperature: temperature}, p)
			sure := 0.0
			for _, f := range s.Fitted[8:] {
				sure += math.Abs(f)
			}
			if sure > last*1.001 || s.Certificate.Residual > 1e-3 {
				t.Errorf("%s at T = %g: sum |f| is %g, of the one before %g; residual %g", v.Name(), temperature, sure, last,
					s.Certificate.Residual)
			}
			last = sure
		}
	}
}

// Rows that are the same with labels that contradict each other are met in the middle, and a share of 0 or 1 gives
// all unlabelled rows to one class.
func TestAnnealingExtremes(t *testing.T) {
	for _, v := range losses() {
		p := clouds(20, 4, 6, true)
		p.Y[0], p.Y[1], p.Weight = 1, -1, nil
		for i := range 20 {
			p.K.Set(p.Rows[1], i, p.K.At(p.Rows[0], i))
			p.K.Set(i, p.Rows[1], p.K.At(p.Rows[0], i))
		}
		p.K.Set(p.Rows[1], p.Rows[1], 1)
		p.K.Set(p.Rows[0], p.Rows[1], 1)
		p.K.Set(p.Rows[1], p.Rows[0], 1)
		if s := solved(t, Annealing{Loss: v}, p); math.Abs(s.Fitted[0]-s.Fitted[1]) > 1e-3 || math.Abs(s.Fitted[0]) > 1 {
			t.Errorf("%s: one row with two labels has the outputs %g and %g", v.Name(), s.Fitted[0], s.Fitted[1])
		}
		p.Positive, p.C = 1, 100
		y := slices.Concat(p.Y[:4], slices.Repeat([]float64{1}, 16))
		_, _, at := minimised(t, p, v, y, 1e-6)
		if s := solved(t, Annealing{Loss: v, Tolerance: 1e-6}, p); !near(s.Fitted, at.f, 1e-4) {
			t.Errorf("%s: not the machine of rows that are all positive", v.Name())
		}
	}
}

// A kernel that is not positive is refused by the solvers that need it positive.
func TestIndefiniteKernel(t *testing.T) {
	p := clouds(12, 4, 7, false)
	p.K.Scale(-1, p.K)
	for _, v := range losses()[:2] {
		_, err := Annealing{Loss: v}.Solve(t.Context(), p, nil)
		if err == nil || !strings.Contains(err.Error(), "choose one that is, such as gaussian") {
			t.Errorf("%s: %v", v.Name(), err)
		}
	}
}

// An annealing that is interrupted gives the best of what it has seen, and says so; before, it is an error.
func TestAnnealingInterrupted(t *testing.T) {
	for _, v := range losses() {
		p := clouds(60, 8, 8, true)
		for _, temperature := range []float64{0, 0.1} {
			whole := solved(t, Annealing{Loss: v, Temperature: temperature}, p)
			kept := 0
			for _, looks := range []int{0, 1, 2, 3, 6, 12, 25, 50, 100, 200, 400, 100000} {
				s, err := Annealing{Loss: v, Temperature: temperature}.Solve(stoptest.After(t.Context(), looks), p, nil)
				switch {
				case errors.Is(err, context.Canceled):
				case err != nil:
					t.Fatal(err)
				case s.Certificate.Limited != "":
					kept++
					if !strings.Contains(s.Certificate.Limited, "the best until then") || math.IsNaN(s.Certificate.Objective) {
						t.Errorf("%s: %+v", v.Name(), s.Certificate)
					}
				case !near(s.Fitted, whole.Fitted, 0):
					t.Errorf("%s, %d looks: another machine without a word", v.Name(), looks)
				}
			}
			if kept == 0 && temperature == 0 {
				t.Errorf("%s: nothing was kept", v.Name())
			}
		}
	}
}
