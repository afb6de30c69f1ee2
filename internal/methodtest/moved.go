package methodtest

import (
	"errors"
	"maps"
	"math"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/method"
)

// movedNumbers is the check that numbers to learn have no zero of their own: with 1000 added to all of them the outputs are 1000 larger.
// Nor have they a unit: ten times as large, the outputs are too, where the loss is the square with the parameters as they are, and of
// the tube with its width ten times as large, and the loss's weight too, unless it is squared.
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
			if by.times != 1 && m.Has("epsilon") {
				continue // scaledTube
			}
			now, err := numbersOf(t, asNumbers(in, func(v float64) float64 { return by.times*v + by.plus }), r)
			if err != nil {
				t.Fatalf("%+v: %v", r, err)
			}
			off := farthest(now, was, by.times, by.plus)
			if !(off <= 2e-3*by.times) { // the default tolerance of dual solvers, of numbers from 0.1 to 2.5
				t.Errorf("%+v: of numbers times %g plus %g the outputs are off by %g", r, by.times, by.plus, off)
			}
		}
	}
	if m.Has("epsilon") {
		scaledTube(t, in, m)
	}
}

// scaledTube compares numbers ten times as large in a tube ten times as wide.
func scaledTube(t *testing.T, in mercer.Input, m method.Method) {
	weak, strong := given{"C": "0.4", "epsilon": "0.05"}, given{"C": "4", "epsilon": "0.5"}
	if m.Supports(nil).Graph {
		weak = given{"gamma_a": "0.1", "gamma_i": "2", "epsilon": "0.05"}
		strong = given{"gamma_a": "0.01", "gamma_i": "0.2", "epsilon": "0.5"}
	}
	squared := maps.Clone(weak)
	squared["epsilon"], squared["loss"] = strong["epsilon"], "squared-epsilon"
	for _, pair := range [][2]given{{weak, strong}, {and(weak, given{"loss": "squared-epsilon"}), squared}} {
		base := with(mercer.Recipe{Method: m.ID, Tolerance: exactly}, alone)
		was, err := numbersOf(t, in, with(base, pair[0]))
		if err != nil {
			t.Fatal(err)
		}
		now, err := numbersOf(t, asNumbers(in, func(v float64) float64 { return 10 * v }), with(base, pair[1]))
		if err != nil {
			t.Fatal(err)
		}
		if off := farthest(now, was, 10, 0); !(off <= 1e-5) {
			t.Errorf("%s %v: of numbers ten times as large the outputs are off by %g", m.ID, pair[0], off)
		}
	}
}

// farthest is the largest difference of outputs from others times and plus a number.
func farthest(now, was *mat.Dense, times, plus float64) (off float64) {
	for i, v := range now.RawMatrix().Data {
		off = max(off, math.Abs(v-times*was.RawMatrix().Data[i]-plus))
	}
	return off
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
