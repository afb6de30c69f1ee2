package reproduce

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/learner/s3vm"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
)

// smallMoons are forty points with the labels of two.
func smallMoons(t *testing.T) *toy {
	t.Helper()
	moons := pairToy("moons-det:n=40", [2]int{2, 22})
	return moons
}

// TestScalesOfSums: the objective of eq. 3.1, by hand, is what branch and bound finds for its own labels, and table T4 of
// the specification of the source has it for those of the truth. It is no more than that of other labels.
func TestScalesOfSums(t *testing.T) {
	moons := smallMoons(t)
	q := minima{sigma: 0.5, gamma: 0.1}
	k := kernel.Gaussian{Sigma: q.sigma}
	truth := moons.sumsObjective(t.Context(), k, moons.truth(), q.gamma, sumsWeight)
	if want := 0.7144448325 / q.gamma; math.Abs(truth-want) > 1e-6 {
		t.Errorf("true labels: %.8f, want %.8f", truth, want)
	}
	rivals := minimaRivals()
	found := q.attempts(t.Context(), moons, rivals)
	global := found[slices.IndexFunc(rivals, func(r rival) bool { return r.name == branchBound })]
	if !global.certified || global.wrong != 0 || math.Abs(global.objective-truth) > 1e-6 {
		t.Errorf("branch and bound: %+v, true labels %.8f", global, truth)
	}
	worse := 0
	for i, a := range found {
		if a.objective < global.objective-1e-6 {
			t.Errorf("%s: %.8f is below the global minimum %.8f", rivals[i].name, a.objective, global.objective)
		}
		if a.wrong > 0 && a.objective > global.objective+1e-3 {
			worse++
		}
	}
	if worse == 0 {
		t.Error("every algorithm found the global minimum: the comparison shows nothing")
	}
}

// TestScaleOfMeans: of a machine of annealing with the squared hinge the objective of eq. 3.7 is lambda times that of its
// certificate, and that of the square, which is no less a loss, is higher than its own.
func TestScaleOfMeans(t *testing.T) {
	moons := smallMoons(t)
	const lambda = 0.1
	c := strengthOfMeans(lambda, 2, true)
	for _, v := range []learn.Loss{learn.SquaredHinge(), learn.Square()} {
		g, m := moons.train(t.Context(), kernel.Gaussian{Sigma: 0.3}, s3vm.Learner{Solver: s3vm.Annealing{Loss: v}}, c)
		out := moons.outputs(t.Context(), g, m)
		got, own := moons.meansObjective(m, out, lambda), lambda*m.Certificate.Objective
		if v == learn.SquaredHinge() && math.Abs(got-own) > 1e-9 || v == learn.Square() && got > own+1e-9 {
			t.Errorf("%s: %.10f, by its certificate %.10f", v.Name(), got, own)
		}
	}
	// The supervised machine ignores the rows without a label, whose loss its objective has.
	g, m := moons.train(t.Context(), kernel.Gaussian{Sigma: 0.3}, smooth.Learner{Loss: learn.SquaredHinge(), Offset: smooth.None}, c)
	out := moons.outputs(t.Context(), g, m)
	if got := moons.meansObjective(m, out, lambda); !(got > lambda*m.Certificate.Objective) {
		t.Errorf("supervised: %.8f, its own %.8f", got, lambda*m.Certificate.Objective)
	}
	if plain, halved := strengthOfMeans(0.01, 50, false), strengthOfMeans(0.01, 50, true); plain != 2 || halved != 1 {
		t.Errorf("C %g and %g", plain, halved)
	}
}

// TestBalanced: as many rows without a label are above zero as are of the class, wherever the outputs lie, and their
// order stays.
func TestBalanced(t *testing.T) {
	moons := smallMoons(t)
	out := mat.NewDense(40, 1, nil)
	for i := range 40 {
		out.Set(i, 0, 100+float64((i*7)%40))
	}
	moved := moons.balanced(out)
	above := 0
	for _, i := range moons.hidden() {
		if moved.At(i, 0) > 0 {
			above++
		}
		if math.Abs(moved.At(i, 0)-moved.At(0, 0)-out.At(i, 0)+out.At(0, 0)) > 1e-9 {
			t.Errorf("row %d moved by its own", i)
		}
	}
	if above != 19 || len(moons.hidden()) != 38 {
		t.Errorf("%d of %d rows are positive", above, len(moons.hidden()))
	}
	if s := moons.shares(); s[0] != 0.5 || s[1] != 0.5 {
		t.Errorf("shares %v", s)
	}
	if e := moons.wrong(moons.truth()); e != 0 {
		t.Errorf("the truth has %g %% errors", e)
	}
	flipped := moons.truth()
	flipped.Scale(-1, flipped)
	if e := moons.wrong(flipped); e != 100 {
		t.Errorf("its opposite has %g %%", e)
	}
}

// TestSelected: points of equal validation error count alike, others not at all.
func TestSelected(t *testing.T) {
	got := selected([]outcome{{10, 50, 50, 5}, {5, 2, 3, 1}, {5, 4, 5, 3}, {7, 0, 0, 0}, {5, 6, 7, 2}})
	want := outcome{5, 4, 5, 2}
	if math.Abs(got.unlabelled-want.unlabelled)+math.Abs(got.test-want.test)+math.Abs(got.objective-want.objective) > 1e-12 ||
		got.validation != want.validation {
		t.Errorf("%+v, want %+v", got, want)
	}
	if j := leastMean([][]float64{{3, 1, 2}, {3, 4, 2}}); j != 2 {
		t.Errorf("column %d", j)
	}
	if e := solvedMost([][][]float64{{{0, 1, 0}}, {{5, 1, 3}}}, 0); !slices.Equal(e, []float64{0, 3}) {
		t.Errorf("errors %v", e)
	}
}

// TestAnnealedLoss: it is the least over the probability of the label, and ends at the effective loss.
func TestAnnealedLoss(t *testing.T) {
	for _, v := range effectiveLosses {
		for _, temperature := range []float64{10, 1, 0.1, 0} {
			for _, f := range []float64{-2.5, -0.3, 0, 0.8, 1.7} {
				plus, minus := v.part*v.loss.Value(1, f), v.part*v.loss.Value(-1, f)
				least := math.Inf(1)
				for k := range 20001 {
					p := float64(k) / 20000
					value := p*plus + (1-p)*minus
					for _, part := range []float64{p, 1 - p} {
						if part > 0 {
							value += temperature * part * math.Log(part)
						}
					}
					least = min(least, value)
				}
				if got := annealedLoss(temperature, plus, minus); math.Abs(got-least) > 1e-6 {
					t.Errorf("%s, T %g, f %g: %.8f, want %.8f", v.name, temperature, f, got, least)
				}
			}
		}
	}
}

// TestPartedSizes: the parts of table 3.5 are all rows of the sets, of the letters those kept, and every letter has a
// class.
func TestPartedSizes(t *testing.T) {
	for q, s := range partedSets {
		if n := s.labelled + s.unlabelled + s.validation + s.test; n != [...]int{1500, 1500, 1946, 2700}[q] {
			t.Errorf("%s: %d rows", s.name, n)
		}
	}
	if k := spokenLetters(); len(k) != 9 || k["1"] != "0" || k["4"] != "0" || k["6"] != "1" || k["25"] != "1" || k["0"] != "" {
		t.Errorf("%v", k)
	}
}

// TestDrawnLosses: a loss is drawn at 121 outputs from -3 to 3, and its slope in the table is that at 1.5.
func TestDrawnLosses(t *testing.T) {
	l := newLab(t, "", 1)
	picture := lossFigure("losses", "")
	l.drawLoss(&picture, "cube", func(f float64) float64 { return f * f * f })
	c := picture.Curves[0]
	if len(c.X) != 121 || len(c.Y) != 121 {
		t.Fatalf("%d outputs, %d losses", len(c.X), len(c.Y))
	}
	for k, f := range c.X {
		if math.Abs(f-(-3+0.05*float64(k))) > 1e-12 || c.Y[k] != f*f*f {
			t.Errorf("output %d is %g, its loss %g", k, f, c.Y[k])
		}
	}
	if slope := l.cell("losses, cube", "slope at f = 1.5").values[0]; math.Abs(slope-3*1.5*1.5) > 1e-6 {
		t.Errorf("slope %g", slope)
	}
}
