package calibrate

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/internal/test/pathtest"
)

// everyWay is a calibration of each kind, with its numbers of outputs and of classes.
func everyWay() map[string]struct {
	c                Calibration
	outputs, classes int
} {
	return map[string]struct {
		c                Calibration
		outputs, classes int
	}{
		"sigmoid":  {Sigmoid{Slope: 2, Offset: -0.3}, 1, 2},
		"isotonic": {Isotonic{Score: []float64{-1, 0, 2}, P: []float64{0.1, 0.5, 0.8}}, 1, 2},
		"softmax":  {Softmax{Temperature: 1.5}, 3, 3},
		"pairs":    {Pairs{Classes: 3, Pair: []Sigmoid{{Slope: 1}, {Slope: 2, Offset: 0.1}, {Slope: 3}}, Power: 1.7}, 3, 3},
	}
}

// An output that is not finite is refused with its row and place, whatever makes the probabilities of it.
func TestRowsThatAreNotFinite(t *testing.T) {
	for name, w := range everyWay() {
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			scores := mat.NewDense(3, w.outputs, nil)
			scores.Set(2, w.outputs-1, v)
			err := w.c.Probabilities(mat.NewDense(3, w.classes, nil), scores, []int{0, 1, 0})
			failtest.Refused(t, err, fmt.Sprintf("calibrate: row 2: output %d is %g; outputs must be finite numbers", w.outputs-1, v))
		}
		scores := mat.NewDense(3, w.outputs, nil)
		scores.Set(1, 0, 0.4)
		dst := mat.NewDense(3, w.classes, nil)
		if err := w.c.Probabilities(dst, scores, []int{0, 1, 0}); err != nil {
			t.Fatal(name, err)
		}
		for i, winner := range []int{0, 1, 0} {
			row := slices.Clone(dst.RawRowView(i))
			if sum := mat.Sum(mat.NewVecDense(len(row), row)); math.Abs(sum-1) > 1e-12 {
				t.Errorf("%s: row %d adds up to %g", name, i, sum)
			}
			for j, p := range row {
				if j != winner && row[winner] < p+Margin*(1-1e-9) {
					t.Errorf("%s: row %d has %v, decided for %d", name, i, row, winner)
				}
			}
		}
		failtest.Panics(
			t,
			fmt.Sprintf(
				"calibrate: 3 x %d outputs and 2 winners into 3 x %d; %d outputs and %d classes are due",
				w.outputs,
				w.classes,
				w.outputs,
				w.classes,
			),
			func() { _ = w.c.Probabilities(dst, scores, []int{0, 1}) },
		)
		failtest.Panics(
			t,
			fmt.Sprintf(
				"calibrate: 3 x %d outputs and 3 winners into 2 x %d; %d outputs and %d classes are due",
				w.outputs,
				w.classes,
				w.outputs,
				w.classes,
			),
			func() { _ = w.c.Probabilities(mat.NewDense(2, w.classes, nil), scores, []int{0, 1, 0}) },
		)
	}
	failtest.Panics(t, "calibrate: 3 x 2 outputs and 3 winners into 3 x 2; 1 outputs and 2 classes are due", func() {
		_ = Sigmoid{}.Probabilities(mat.NewDense(3, 2, nil), mat.NewDense(3, 2, nil), []int{0, 1, 0})
	})
	failtest.Panics(t, "calibrate: 3 x 1 outputs and 3 winners into 3 x 3; 1 outputs and 2 classes are due", func() {
		_ = Sigmoid{}.Probabilities(mat.NewDense(3, 3, nil), mat.NewDense(3, 1, nil), []int{0, 1, 0})
	})
}

// Values that are no calibration make no probabilities, and the first row is named.
func TestValuesThatAreNoCalibration(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]Calibration{
		"sigmoid": Sigmoid{Slope: nan}, "isotonic": Isotonic{Score: []float64{-1, 1}, P: []float64{nan, nan}},
		"softmax": Softmax{Temperature: nan},
		"pairs":   Pairs{Classes: 3, Pair: []Sigmoid{{Slope: 1}, {Slope: nan}, {Slope: 1}}},
	} {
		outputs, classes := everyWay()[name].outputs, everyWay()[name].classes
		err := c.Probabilities(mat.NewDense(2, classes, nil), mat.NewDense(2, outputs, nil), []int{0, 0})
		failtest.Refused(t, err, "calibrate: row 0: probability of class 0 is NaN; it must be finite and not negative")
		if c.Check() == nil {
			t.Errorf("%s: %+v is taken", name, c)
		}
		if err := everyWay()[name].c.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	three := []Sigmoid{{}, {}, {}}
	for want, p := range map[string]Pairs{
		"pairs: 2 sigmoids for 3 classes": {Classes: 3, Pair: three[:2]}, "pairs: 0 sigmoids for 1 classes": {Classes: 1},
		"pairs: power -1; it must be finite and not negative": {Classes: 3, Pair: three, Power: -1},
		"pairs: power +Inf; it must be finite and not negative": {Classes: 3, Pair: three,
			Power: math.Inf(1)},
		"pairs: power NaN; it must be finite and not negative": {Classes: 3, Pair: three, Power: nan},
		"pairs: pair 1: sigmoid: slope -2, offset 0; both must be finite, the slope not negative": {Classes: 3,
			Pair: []Sigmoid{{}, {Slope: -2}, {}}},
	} {
		failtest.Refused(t, p.Check(), want)
	}
	for _, s := range []Sigmoid{{Slope: math.Inf(1)}, {Offset: nan}, {Offset: math.Inf(-1)}} {
		failtest.Refused(
			t,
			s.Check(),
			fmt.Sprintf("sigmoid: slope %g, offset %g; both must be finite, the slope not negative", s.Slope, s.Offset),
		)
	}
}

// What cannot be made to agree, with its row.
func TestWhatCannotAgree(t *testing.T) {
	for _, c := range []struct {
		p    []float64
		want string
	}{
		{[]float64{0.5, -0.1}, "probability of class 1 is -0.1; it must be finite and not negative"},
		{[]float64{math.NaN(), 1}, "probability of class 0 is NaN; it must be finite and not negative"},
		{[]float64{1, math.Inf(1)}, "probability of class 1 is +Inf; it must be finite and not negative"},
		{[]float64{0, 0, 0}, "the probabilities add up to 0"},
		{[]float64{math.MaxFloat64, math.MaxFloat64}, "the probabilities add up to +Inf"},
	} {
		failtest.Refused(t, Agree(slices.Clone(c.p), 0), c.want)
		failtest.Refused(t, agreeRow(4, slices.Clone(c.p), 1), "calibrate: row 4: "+c.want)
	}
	failtest.Panics(t, "calibrate: winner 2 of 2 classes", func() { _ = Agree([]float64{1, 1}, 2) })
	failtest.Panics(t, "calibrate: winner -1 of 2 classes", func() { _ = Agree([]float64{1, 1}, -1) })
	p := []float64{2, 0, 6}
	if err := Agree(p, 2); err != nil || math.Abs(p[0]-0.25) > 1e-11 || math.Abs(p[1]-1e-12) > 1e-20 || math.Abs(p[2]-0.75) > 1e-11 {
		t.Errorf("%v, %v", p, err)
	}
}

// What no calibration can be fitted on.
func TestWhatIsNotFitted(t *testing.T) {
	const none = "calibrate: no held-out row to fit probabilities on; hold some out"
	nan := math.NaN()
	for _, c := range []struct {
		want string
		f    func() error
	}{
		{none, func() error { _, err := FitSigmoid(nil, nil, nil); return err }},
		{none, func() error { _, err := FitSoftmax(&mat.Dense{}, nil, nil); return err }},
		{none, func() error { _, err := FitSigmoidCells(nil, []Cell{}); return err }},
		{"calibrate: row 1: output 0 is NaN; outputs must be finite numbers",
			func() error { _, err := FitSigmoid([]float64{1, nan}, make([]bool, 2), nil); return err }},
		{"calibrate: row 0: output 1 is NaN; outputs must be finite numbers", func() error {
			_, err := FitSoftmax(mat.NewDense(1, 2, []float64{1, nan}), []int{0}, nil)
			return err
		}},
		{"calibrate: row 2: output 1 is +Inf; outputs must be finite numbers", func() error {
			_, err := FitPairs(pairOutputs(2, 1, math.Inf(1)), []int{0, 1, 2, 0}, 3, nil)
			return err
		}},
		{"calibrate: no held-out row of class 1 or 2; hold some of every class out", func() error {
			_, err := FitPairs(pairOutputs(0, 0, 1), []int{0, 0, 0, 0}, 3, nil)
			return err
		}},
	} {
		failtest.Refused(t, c.f(), c.want)
	}
	failtest.Panics(t, "calibrate: 2 outputs, 3 classes", func() { _, _ = FitSigmoid(make([]float64, 2), make([]bool, 3), nil) })
	failtest.Panics(
		t,
		"calibrate: 2 x 2 outputs for 1 classes of rows; at least 2 columns",
		func() { _, _ = FitSoftmax(mat.NewDense(2, 2, nil), []int{0}, nil) },
	)
	failtest.Panics(
		t,
		"calibrate: 1 x 1 outputs for 1 classes of rows; at least 2 columns",
		func() { _, _ = FitSoftmax(mat.NewDense(1, 1, nil), []int{0}, nil) },
	)
	failtest.Panics(t, "calibrate: row 1 has class 2 of 2", func() { _, _ = FitSoftmax(mat.NewDense(2, 2, nil), []int{1, 2}, nil) })
	failtest.Panics(t, "calibrate: row 0 has class -1 of 2", func() { _, _ = FitSoftmax(mat.NewDense(2, 2, nil), []int{-1, 1}, nil) })
	failtest.Panics(t, "calibrate: 1 classes have no pair", func() { _, _ = FitPairs(nil, nil, 1, nil) })
	failtest.Panics(
		t,
		"calibrate: 4 x 3 outputs for 3 rows and 3 pairs",
		func() { _, _ = FitPairs(pairOutputs(0, 0, 0), []int{0, 1, 2}, 3, nil) },
	)
	failtest.Panics(
		t,
		"calibrate: 4 x 3 outputs for 4 rows and 6 pairs",
		func() { _, _ = FitPairs(pairOutputs(0, 0, 0), []int{0, 1, 2, 3}, 4, nil) },
	)
	failtest.Panics(
		t,
		"calibrate: 2 x 1 outputs for 3 x 2 probabilities",
		func() { FitMatching(mat.NewDense(2, 1, nil), mat.NewDense(3, 2, nil)) },
	)
	failtest.Panics(
		t,
		"calibrate: 2 x 1 outputs for 2 x 3 probabilities",
		func() { FitMatching(mat.NewDense(2, 1, nil), mat.NewDense(2, 3, nil)) },
	)
	failtest.Panics(
		t,
		"calibrate: 2 x 1 outputs for 2 x 1 probabilities",
		func() { FitMatching(mat.NewDense(2, 1, nil), mat.NewDense(2, 1, nil)) },
	)
	if p := (Isotonic{}).Probability(3); p != 0.5 {
		t.Errorf("nothing known is %g", p)
	}
}

// pairOutputs are four rows of three pairs with one output set.
func pairOutputs(i, j int, v float64) *mat.Dense {
	m := mat.NewDense(4, 3, []float64{-1, -2, 1, 1, 0.5, -1, 0.3, 2, 1, -1, -1, 0.2})
	m.Set(i, j, v)
	return m
}

// Rows that lack outputs of other pairs say nothing of the whole: then there is no power; of two classes there is none.
func TestPowerOfPairs(t *testing.T) {
	class := []int{0, 1, 2, 0}
	whole, err := FitPairs(pairOutputs(0, 0, -1), class, 3, nil)
	if err != nil || whole.Power == 0 {
		t.Fatalf("%+v, %v", whole, err)
	}
	part, err := FitPairs(pairOutputs(0, 2, math.NaN()), class, 3, nil) // a row of class 0 in the pair of 1 and 2
	if err != nil || part.Power != 0 || !slices.Equal(part.Pair, whole.Pair) {
		t.Errorf("%+v, %v", part, err)
	}
	again := whole
	again.Power = 9
	if err := again.FitPower(pairOutputs(0, 2, math.NaN()), class, nil); err != nil || again.Power != 0 {
		t.Errorf("the power is %g, %v", again.Power, err)
	}
	two, err := FitPairs(mat.NewDense(4, 1, []float64{-1, 1, 2, -3}), []int{0, 1, 1, 0}, 2, nil)
	if err != nil || two.Power != 0 || len(two.Pair) != 1 {
		t.Errorf("%+v, %v", two, err)
	}
	// A power of 1 and none are the same.
	one, none := whole, whole
	one.Power, none.Power = 1, 0
	a, b := mat.NewDense(4, 3, nil), mat.NewDense(4, 3, nil)
	for p, dst := range map[*Pairs]*mat.Dense{&one: a, &none: b} {
		if err := p.Probabilities(dst, pairOutputs(0, 0, -1), class); err != nil {
			t.Fatal(err)
		}
	}
	if !mat.Equal(a, b) {
		t.Error("a power of 1 changes something")
	}
}

// Fits are what they were: outputs that tell much, little and nothing, of one class alone, and of all sizes.
func TestWayOfFits(t *testing.T) {
	var path pathtest.Path
	for _, size := range []float64{1e-300, 1e-3, 1, 1e6, 1e300} {
		for _, n := range []int{1, 2, 7, 60} {
			for _, noise := range []float64{0, 0.8, 4} {
				scores, second, class := make([]float64, n), make([]bool, n), make([]int, n)
				wide := mat.NewDense(n, 3, nil)
				for i := range n {
					class[i] = (i*i + i/3) % 3
					second[i] = class[i] > 0
					side := -1.0
					if second[i] {
						side = 1
					}
					scores[i] = size * (side + noise*math.Sin(float64(7*i*i+1)))
					for k := range 3 {
						wide.Set(i, k, size*noise*math.Cos(float64(5*i+k*k)))
					}
					wide.Set(i, class[i], wide.At(i, class[i])+size)
				}
				s, err := FitSigmoid(scores, second, nil)
				soft, failed := FitSoftmax(wide, class, nil)
				path.Add(
					fmt.Sprintf("%d rows of size %g, noise %g", n, size, noise),
					s.Slope*size,
					s.Offset,
					soft.Temperature*size,
					err,
					failed,
				)
				if n == 60 && size == 1 {
					pairs, err := FitPairs(wide, class, 3, nil)
					if err != nil {
						t.Fatal(err)
					}
					path.Add("pairs", pairs.Power, pairs.Pair[0].Slope, pairs.Pair[1].Offset, pairs.Pair[2].Slope)
					given := mat.NewDense(n, 3, nil)
					if err := pairs.Probabilities(given, wide, class); err != nil {
						t.Fatal(err)
					}
					path.Add("matching", FitMatching(wide, given).(Softmax).Temperature)
					p, work := make([]float64, 3), make([]float64, 3)
					c := NewCoupling(3)
					for a := range 3 {
						for b := range a {
							c.Set(a, b, pairs.Pair[a+b-1].Probability(scores[a+b]))
						}
					}
					for _, steps := range []int{0, 1, 2, 100} {
						c.Iterate(p, work, 0.005/3, steps)
						path.Add(fmt.Sprintf("%d steps of coupling", steps), p)
					}
					c.Solve(p)
					path.Add("coupled", p)
				}
			}
		}
	}
	path.Compare(t, "fits")
}
