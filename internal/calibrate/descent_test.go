package calibrate

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/test/failtest"
)

// bowl is a function of a and b with its least value at the place to, and what it says its Hessian is.
type bowl struct {
	to    [2]float64
	loss  func(r float64) (f, first, second float64) // of the distance along each of the two
	wrong bool                                       // the Hessian is that of a saddle
	asked *int
}

func (w bowl) value(a, b float64) float64 {
	*w.asked++
	f, _, _ := w.loss(a - w.to[0])
	g, _, _ := w.loss(b - w.to[1])
	return f + g
}

func (w bowl) derivatives(a, b float64) (ga, gb, haa, hab, hbb float64) {
	_, ga, haa = w.loss(a - w.to[0])
	_, gb, hbb = w.loss(b - w.to[1])
	if w.wrong {
		hab = 2 * max(haa, hbb)
	}
	return ga, gb, haa, hab, hbb
}

// slanted is a square with its least value at (2, 1) and a Hessian that is no diagonal.
type slanted struct{ asked *int }

func (w slanted) value(a, b float64) float64 {
	*w.asked++
	a, b = a-2, b-1
	return (3*a*a + 2*a*b + b*b) / 2
}

func (w slanted) derivatives(a, b float64) (ga, gb, haa, hab, hbb float64) {
	a, b = a-2, b-1
	return 3*a + b, a + b, 3, 1, 1
}

// Newton's steps are shortened where they overshoot, and replaced by the gradient where there is no direction in them; the slope is
// in the units of the outputs, and not negative.
func TestLeastSigmoid(t *testing.T) {
	square := func(r float64) (f, first, second float64) { return r * r / 2, r, 1 }
	root := func(r float64) (f, first, second float64) { // Newton's own steps leave its minimum beyond a distance of one
		s := math.Sqrt(1 + r*r)
		return s, r / s, 1 / (s * s * s)
	}
	straight := func(r float64) (f, first, second float64) { // without curvature far from its minimum
		if math.Abs(r) < 0.5 {
			return r * r, 2 * r, 2
		}
		return math.Abs(r) - 0.25, math.Copysign(1, r), 0
	}
	for name, c := range map[string]struct {
		f    bowl
		most int // values asked for
	}{
		"a square":              {bowl{to: [2]float64{3, -1}, loss: square}, 2},
		"overshooting":          {bowl{to: [2]float64{3, -1}, loss: root}, 60},
		"without curvature":     {bowl{to: [2]float64{3, -1}, loss: straight}, 500},
		"a saddle":              {bowl{to: [2]float64{3, -1}, loss: square, wrong: true}, 2},
		"from its minimum in b": {bowl{to: [2]float64{2, 0}, loss: square}, 2},
	} {
		asked := 0
		c.f.asked = &asked
		s := leastSigmoid(c.f, 10, 0.5, 4)
		if math.Abs(s.Slope-c.f.to[0]/4) > 1e-8 || math.Abs(s.Offset-c.f.to[1]) > 1e-8 || asked > c.most {
			t.Errorf("%s: %+v after %d values", name, s, asked)
		}
	}
	asked := 0
	// A step from the best constant counts by the value there, which is that of (0, log 3) and not of (log 3, 0).
	only := bowl{to: [2]float64{math.Log(3), 0}, loss: square, asked: &asked}
	if s := leastSigmoid(only, 10, 0.75, 1); math.Abs(s.Slope-math.Log(3)) > 1e-8 || math.Abs(s.Offset) > 1e-8 {
		t.Errorf("from an offset that is no minimum: %+v", s)
	}
	asked = 0
	if s := leastSigmoid(slanted{&asked}, 10, 0.5, 1); math.Abs(s.Slope-2) > 1e-12 || math.Abs(s.Offset-1) > 1e-12 || asked > 2 {
		t.Errorf("a slanted square: %+v after %d values", s, asked)
	}
	for mean, want := range map[float64]float64{0.5: 0, 0.2: math.Log(0.25), 0.75: math.Log(3)} {
		s := leastSigmoid(bowl{to: [2]float64{-1, 9}, loss: square, asked: &asked}, 10, mean, 1)
		if s.Slope != 0 || math.Abs(s.Offset-want) > 1e-15 {
			t.Errorf("a falling slope becomes %+v", s)
		}
		if s := leastSigmoid(bowl{to: [2]float64{0, 9}, loss: square, asked: &asked}, 10, mean, 1); s.Slope != 0 {
			t.Errorf("no slope becomes %+v", s)
		}
	}
	// A gradient below the tolerance of so many rows is none.
	for n, moves := range map[int]bool{10: true, 1000: false} {
		s := leastSigmoid(bowl{to: [2]float64{5e-8, 0}, loss: square, asked: &asked}, n, 0.5, 1)
		if (s.Slope > 0) != moves {
			t.Errorf("%d rows: %+v", n, s)
		}
	}
}

// Whatever cannot agree in a row is told with the row, by every way to probabilities.
func TestProbabilitiesThatAreNone(t *testing.T) {
	nan := math.NaN()
	one, two := mat.NewDense(2, 1, []float64{-1, 1}), mat.NewDense(2, 2, nil)
	isotonic := Isotonic{Score: []float64{-1, 1}, P: []float64{0.2, nan}}
	failtest.Refused(t, isotonic.Probabilities(two, one, []int{0, 1}),
		"calibrate: row 1: probability of class 0 is NaN; it must be finite and not negative")
	failtest.Refused(t, Sigmoid{Slope: nan}.Probabilities(two, one, []int{0, 1}),
		"calibrate: row 0: probability of class 0 is NaN; it must be finite and not negative")
	failtest.Refused(t, Softmax{Temperature: nan}.Probabilities(two, mat.NewDense(2, 2, []float64{1, 2, 3, 4}), []int{0, 1}),
		"calibrate: row 0: probability of class 0 is NaN; it must be finite and not negative")
	for k, want := range map[int]string{0: "", 1: "calibrate: row 1: output 0 is NaN; outputs must be finite numbers"} {
		x := mat.NewDense(2, 1, []float64{-1, 1})
		if k == 1 {
			x.Set(1, 0, nan)
		}
		err := Isotonic{Score: []float64{-1, 1}, P: []float64{0.2, 0.9}}.Probabilities(two, x, []int{0, 1})
		if want != "" {
			failtest.Refused(t, err, want)
		} else if err != nil || math.Abs(two.At(0, 1)-0.2) > 1e-9 || math.Abs(two.At(1, 0)-0.1) > 1e-9 {
			t.Errorf("%v, %v", two, err)
		}
	}
}

// falling falls with the slope, as far as it says, and has the curvature that it says.
type falling struct{ far, curvature float64 }

func (w falling) value(a, b float64) float64 {
	if a > w.far {
		return 1
	}
	return b*b/2 - a
}

func (w falling) derivatives(_, b float64) (ga, gb, haa, hab, hbb float64) {
	return -1, b, w.curvature, 0, 1
}

// Newton's method ends after a hundred steps, which without curvature are as long as the ridge of 1e-12 has them, and halves a step 49
// times at most.
func TestLimitsOfLeastSigmoid(t *testing.T) {
	for _, c := range []struct {
		f    falling
		want float64
	}{{falling{far: math.Inf(1)}, 100 * 1e12}, {falling{0x1p-49, 1}, 0x1p-49}, {falling{0x1p-50, 1}, 0}} {
		if s := leastSigmoid(c.f, 10, 0.5, 1); math.Abs(s.Slope-c.want) > 1e-9*c.want {
			t.Errorf("%+v: slope %g, want %g", c.f, s.Slope, c.want)
		}
	}
}
