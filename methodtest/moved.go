package methodtest

import (
	"errors"
	"math"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/method"
)

// movedNumbers is the check that numbers to learn have no zero of their own: with 1000 added to all of them the outputs are 1000 larger.
// Where the loss is the square they have no unit either: ten times as large, the outputs are too.
func movedNumbers(t *testing.T, m method.Method) {
	if m.For == data.Classification {
		return
	}
	in := sample(t, widths)
	for _, r := range recipes(m) {
		was, err := numbersOf(t, in, r)
		var usage *mercer.UsageError
		if errors.As(err, &usage) {
			return // it is for classes
		}
		if err != nil {
			t.Fatalf("%+v: %v", r, err)
		}
		for _, by := range []struct{ times, plus float64 }{{1, 1000}, {10, 0}} {
			if by.times != 1 && !m.Offers(nil).Closed {
				continue
			}
			now, err := numbersOf(t, asNumbers(in, func(v float64) float64 { return by.times*v + by.plus }), r)
			if err != nil {
				t.Fatalf("%+v: %v", r, err)
			}
			worst := 0.0
			for i, v := range now.RawMatrix().Data {
				worst = max(worst, math.Abs(v-by.times*was.RawMatrix().Data[i]-by.plus))
			}
			if !(worst <= 2e-3*by.times) { // the default tolerance of dual solvers, of numbers from 0.1 to 2.5
				t.Errorf("%+v: of numbers times %g plus %g the outputs are off by %g", r, by.times, by.plus, worst)
			}
		}
	}
}

// numbersOf are the outputs on all rows.
func numbersOf(t *testing.T, in mercer.Input, r mercer.Recipe) (*mat.Dense, error) {
	f, err := fit(t.Context(), in, r, mercer.Options{})
	if err != nil {
		return nil, err
	}
	return f.model.Predict(t.Context(), in.Set.Rows)
}

// asNumbers is the set with every number that is seen changed.
func asNumbers(in mercer.Input, f func(float64) float64) mercer.Input {
	set := *in.Set
	set.Answers = make(data.Answers, len(in.Set.Answers))
	for i, a := range in.Set.Answers {
		if v, err := strconv.ParseFloat(a, 64); err == nil {
			set.Answers[i] = strconv.FormatFloat(f(v), 'g', -1, 64)
		}
	}
	return mercer.Input{Set: &set}
}
