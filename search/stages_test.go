package search_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/internal/test/searchtest"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

// Points are those that a search draws, in its order, whatever their number.
func TestPointsAreRandoms(t *testing.T) {
	drawn := thetas(mustRun(t, search.Driver{}, searchtest.Bowl{Dims: mixed()}, search.Random{N: 9, Seed: 4}).Trace)
	for _, n := range []int{0, 5, 9} {
		if got := search.Points(mixed(), n, 4); len(got) != n || n > 0 && !reflect.DeepEqual(got, drawn[:n]) {
			t.Errorf("%d points %v, expected %v", n, got, drawn[:n])
		}
	}
	if reflect.DeepEqual(search.Points(mixed(), 9, 5), drawn) {
		t.Error("another seed draws the same points")
	}
}

// A search from several starts evaluates all of them together, without gradients, and goes on from the best, or the first of equal ones;
// one that is no number is the last.
func TestStarts(t *testing.T) {
	values := map[float64]float64{1: math.NaN(), 2: 4, 3: math.Inf(1), 4: 3, 5: 3}
	for _, c := range []struct {
		at   []float64
		from float64
	}{{[]float64{1, 2, 3, 4, 5}, 4}, {[]float64{5, 4, 1}, 5}, {[]float64{1, 2}, 2}, {[]float64{1}, 1}} {
		var from []float64
		var asked [][]float64
		s := search.Starts{At: batch(c.at...), Inner: func(start []float64) search.Search {
			from = append(from, start[0])
			return points{}
		}}
		eval := func(_ context.Context, theta [][]float64, want param.Want) ([]param.Value, error) {
			asked = append(asked, theta...)
			list := make([]param.Value, len(theta))
			for i, at := range theta {
				list[i].F = values[at[0]]
			}
			if want != param.ValueOnly {
				t.Error("starts are evaluated with gradients")
			}
			return list, nil
		}
		if err := s.Run(t.Context(), square().Space(), eval); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(from, []float64{c.from}) || len(asked) < len(c.at) || !reflect.DeepEqual(asked[:len(c.at)], batch(c.at...)) {
			t.Errorf("from %v of %v, asked for %v", from, c.at, asked)
		}
	}
	broken := errors.New("broken")
	fails := func(context.Context, [][]float64, param.Want) ([]param.Value, error) { return nil, broken }
	none := search.Starts{Inner: func([]float64) search.Search { return points{} }}
	failtest.Refused(t, none.Run(t.Context(), square().Space(), fails), "no points to start from")
	none.At = batch(1)
	if err := none.Run(t.Context(), square().Space(), fails); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	inner := search.Starts{At: batch(1), Inner: func([]float64) search.Search { return search.Random{N: -1} }}
	first := true
	err := inner.Run(t.Context(), square().Space(), func(context.Context, [][]float64, param.Want) ([]param.Value, error) {
		if first {
			first = false
			return []param.Value{{F: 1}}, nil
		}
		return nil, broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("what the inner search fails at: %v", err)
	}
}

// The second stage is left out, or ended, where that is asked for: with the best score of the first stage, and those after each evaluation.
func TestCoarseStops(t *testing.T) {
	bowl := searchtest.Bowl{Dims: widths()}
	c := search.Coarse{Groups: [][]int{{0, 2}}, Start: []float64{1, 2, 4, 1}, Inner: gradientFrom, Only: true}
	first := mustRun(t, search.Driver{}, bowl, c)
	c.Only = false
	whole := mustRun(t, search.Driver{}, bowl, c)
	for _, after := range []int{0, 1, 3} {
		var lengths []int
		c.Stop = func(least float64, best []float64) bool {
			lengths = append(lengths, len(best))
			if least != first.F || len(best) > 0 && best[len(best)-1] > least || !slices.IsSortedFunc(best, func(a, b float64) int {
				return int(math.Copysign(1, b-a))
			}) {
				t.Errorf("asked with %g and %v, the first stage ended at %g", least, best, first.F)
			}
			return len(best) >= after
		}
		got := mustRun(t, search.Driver{}, bowl, c)
		if n := got.Evaluations - first.Evaluations; n != after || got.Status != search.Converged {
			t.Errorf("stopped after %d: %d evaluations of the second stage, %v", after, n, got.Status)
		}
		if !reflect.DeepEqual(thetas(got.Trace), thetas(whole.Trace[:got.Evaluations])) {
			t.Errorf("stopped after %d: another way", after)
		}
		if lengths[0] != 0 {
			t.Errorf("first asked after %d evaluations", lengths[0])
		}
	}
	c.Stop = func(float64, []float64) bool { return false }
	if got := mustRun(t, search.Driver{}, bowl, c); !reflect.DeepEqual(thetas(got.Trace), thetas(whole.Trace)) {
		t.Error("asking changes the way")
	}
	// The first stage may be another search than the second, and begins at the factor one.
	c.Stop, c.Only = nil, true
	c.First = func(start []float64) search.Search {
		if !slices.Equal(start, []float64{2, 1, 1}) { // w2, C, and the factor of the group
			t.Errorf("the first stage starts at %v", start)
		}
		return search.Random{N: 5}
	}
	if got := mustRun(t, search.Driver{}, bowl, c); got.Evaluations != 5 {
		t.Errorf("%d evaluations of another first stage", got.Evaluations)
	}
}

// A combination of as many values as are tried is tried, and one more is refused; so are points that are none.
func TestSearchesRefuseInWords(t *testing.T) {
	many := make([]float64, 1001)
	for i := range many {
		many[i] = float64(i) / 1000
	}
	one := param.Space{{Name: "x", Lo: 0, Hi: 1}}
	whole := func(n float64) param.Space {
		return param.Space{{Name: "k", Kind: param.Integer, Lo: 1, Hi: n, Default: 1}}
	}
	var weights param.Space
	for i := range 12 {
		weights = append(weights, param.Dim{Name: fmt.Sprintf("mu%d", i+1), Kind: param.Simplex, Default: 1.0 / 12, Group: 1})
	}
	tried := func(v []float64) search.Search {
		return search.Enumerate{Inner: search.Random{N: 1}, Values: map[string][]float64{"x": v}}
	}
	fixed := widths()
	fixed[0].Fixed = true
	for name, c := range map[string]struct {
		searching search.Search
		space     param.Space
		say       string
	}{
		"no inner search":   {search.Enumerate{}, one, "enumerate: no inner search"},
		"1000 combinations": {tried(many[:1000]), one, ""},
		"1001 combinations": {tried(many), one, "enumerate: 1001 combinations, at most 1000: give fewer values"},
		"ten values":        {search.Enumerate{Inner: search.Random{N: 1}}, whole(10), ""},
		"eleven values":     {search.Enumerate{Inner: search.Random{N: 1}}, whole(11), "enumerate: k has 11 values: say which to try, or fix it"},
		"unknown value": {search.Enumerate{Inner: search.Random{N: 1}, Values: map[string][]float64{"y": {1}}}, one,
			"can be given: x"},
		"no point":           {search.Grid{Points: -1}, one, "grid: -1 points a dimension: must be positive"},
		"no value":           {search.Grid{Values: map[string][]float64{"x": {}}}, one, "grid: no values for x"},
		"many weights":       {search.Grid{Points: 16}, weights, "grid: more than 1048576 combinations of 12 weights: give fewer points"},
		"short start":        {search.NelderMead{Start: []float64{1, 2}}, one, "start: 2 values for 1 hyper-parameters"},
		"short coarse start": {search.Coarse{Inner: gradientFrom, Start: []float64{1}}, widths(), "start: 1 values for 4 hyper-parameters"},
		"whole numbers":      {search.RPROP{}, whole(5), "rprop: k is an integer and has no derivative"},
		"tied and fixed": {search.Coarse{Groups: [][]int{{0, 1}}, Inner: gradientFrom}, fixed,
			"search: only free parameters on a log scale can be tied"},
		"tied and real": {search.Coarse{Groups: [][]int{{0}}, Inner: gradientFrom}, one,
			"search: only free parameters on a log scale can be tied"},
	} {
		_, err := search.Driver{Budget: 2000}.Run(t.Context(), searchtest.Bowl{Dims: c.space}, c.searching)
		if (err == nil) != (c.say == "") || err != nil && !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: error %v, expected %q", name, err, c.say)
		}
	}
}

// A grid of one point is at the middle, on the scale that is searched, and without a number there are three.
func TestGridOfOnePoint(t *testing.T) {
	s := param.Space{{Name: "x", Lo: -1, Hi: 4}, {Name: "w", Kind: param.Log, Lo: 1, Hi: 16, Default: 2}}
	for points, want := range map[int][][]float64{
		1: {{1.5, 4}}, 2: {{-1, 1}, {-1, 16}, {4, 1}, {4, 16}},
		0: {{-1, 1}, {-1, 4}, {-1, 16}, {1.5, 1}, {1.5, 4}, {1.5, 16}, {4, 1}, {4, 4}, {4, 16}},
	} {
		if got := thetas(mustRun(t, search.Driver{}, flat{s}, search.Grid{Points: points}).Trace); !reflect.DeepEqual(got, want) {
			t.Errorf("%d points: %v, expected %v", points, got, want)
		}
		if n, err := (search.Grid{Points: points}).Size(s); err != nil || int(n) != len(want) {
			t.Errorf("%d points: size %g, %v", points, n, err)
		}
	}
}

// A context that has ended says by what: its time, or an interrupt.
func TestEnded(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if got := search.Ended(ctx); got != search.Interrupted {
		t.Errorf("interrupted: %v", got)
	}
	late, end := context.WithCancelCause(t.Context())
	end(fmt.Errorf("over: %w", context.DeadlineExceeded))
	if got := search.Ended(late); got != search.TimeLimit {
		t.Errorf("after its time: %v", got)
	}
}

// stumbling is an objective that fails at one of its evaluations and at no other.
type stumbling struct {
	param.Objective
	left *int
}

var errStumbling = errors.New("stumbled")

func (s stumbling) Eval(ctx context.Context, theta []float64, want param.Want) (param.Value, error) {
	if *s.left--; *s.left == -1 {
		return param.Value{}, errStumbling
	}
	return s.Objective.Eval(ctx, theta, want)
}

// What an objective fails at once, at whichever evaluation, ends every search, at its last look at the answer too.
func TestObjectiveThatFailsOnce(t *testing.T) {
	bowl := func(s param.Space) param.Objective { return searchtest.Bowl{Dims: s} }
	values := map[string][]float64{"neighbours": {2, 10, 50}, "power": {1, 2, 5}}
	coarse := search.Coarse{Groups: [][]int{{0, 2}, {1}}, Inner: gradientFrom}
	asked := coarse
	asked.Stop = func(float64, []float64) bool { return false }
	for name, c := range map[string]struct {
		searching search.Search
		o         param.Objective
	}{
		"grid": {search.Grid{Points: 2}, bowl(mixed())}, "random": {search.Random{Seed: 3}, bowl(mixed())},
		"random, N": {search.Random{N: 20}, bowl(mixed())}, "nelder-mead": {search.NelderMead{}, bowl(even())},
		"gradient": {search.Gradient{}, bowl(even())}, "gradient, starts": {search.Gradient{Starts: 2, Seed: 1}, bowl(even())},
		"sqp": {sqp(), bowl(even())}, "rprop": {search.RPROP{}, bowl(even())}, "literature": {search.Literature{}, bowl(mixed())},
		"coarse": {coarse, bowl(widths())}, "coarse, asked": {asked, bowl(widths())},
		"starts":               {search.Starts{At: search.Points(even(), 3, 1), Inner: gradientFrom}, bowl(even())},
		"enumerate":            {search.Enumerate{Inner: search.Gradient{}}, bowl(mixed())},
		"enumerate best first": {search.Enumerate{Inner: search.Gradient{}, BestFirst: true}, bowl(mixed())},
		"enumerate near": {search.Enumerate{Inner: search.Gradient{}, BestFirst: true, Values: values, Near: gradientFrom},
			bowl(table41())},
		"enumerate nelder-mead": {search.Enumerate{Inner: search.NelderMead{}, Values: values}, bowl(table41())},
		"an answer that is looked at once more": {search.Gradient{},
			rough{searchtest.Bowl{Dims: even()}, 0.02, 0, true, new(int), 0}},
	} {
		left := math.MaxInt
		run := func() error {
			_, err := search.Driver{Budget: 25}.Run(t.Context(), stumbling{c.o, &left}, c.searching)
			return err
		}
		if err := run(); err != nil {
			t.Fatalf("%s: it fails by itself: %v", name, err)
		}
		for n := range math.MaxInt - left {
			if left = n; !errors.Is(run(), errStumbling) {
				t.Errorf("%s: failing at evaluation %d alone says nothing", name, n+1)
			}
		}
	}
}

// Starts that are none and spaces that are none are refused by every search that takes them, and so is a score without the gradient that
// an inner search needs.
func TestSearchesRefuseTheirStarts(t *testing.T) {
	short, outside := []float64{1}, even().Defaults()
	outside[1] = 99
	none := param.Space{{Name: "x", Lo: 2, Hi: 1}}
	const few, far = "start: 1 values for 6 hyper-parameters", "start: hyper-parameters: b = 99"
	const bounds = "x: bounds 2..1 are not an interval"
	for name, c := range map[string]struct {
		searching search.Search
		space     param.Space
		say       string
	}{
		"gradient, short":   {search.Gradient{Start: short}, even(), few},
		"gradient, outside": {search.Gradient{Start: outside}, even(), far},
		"rprop, short":      {search.RPROP{Start: short}, even(), few}, "rprop, outside": {search.RPROP{Start: outside}, even(), far},
		"grid": {search.Grid{}, none, bounds}, "random": {search.Random{N: 1}, none, bounds}, "rprop": {search.RPROP{}, none, bounds},
		"nelder-mead": {search.NelderMead{}, none, bounds}, "gradient": {search.Gradient{}, none, bounds},
	} {
		_, err := search.Driver{}.Run(t.Context(), searchtest.Bowl{Dims: c.space}, c.searching)
		if err == nil || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: error %v, expected %s", name, err, c.say)
		}
	}
	for _, first := range []bool{false, true} {
		e := search.Enumerate{Inner: search.Gradient{}, BestFirst: first}
		_, err := search.Driver{}.Run(t.Context(), noGradient{searchtest.Bowl{Dims: mixed()}}, e)
		if !errors.Is(err, search.ErrNoGradient) {
			t.Errorf("best first %v: error %v", first, err)
		}
	}
}
