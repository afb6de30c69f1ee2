package search_test

import (
	"context"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/searchtest"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

// rough is a bowl, one above zero, whose values with gradient are off by up to a share of the
// bowl, the same at the same point; it says so if told to. Derivatives by logarithms are off
// by up to slope. Values without gradient are exact.
type rough struct {
	searchtest.Bowl
	share, slope float64
	says         bool
	calls        *int
	seed         uint64
}

func (r rough) Eval(ctx context.Context, theta []float64, want param.Want) (param.Value, error) {
	*r.calls++
	v, err := r.Bowl.Eval(ctx, theta, want)
	v.F++
	if want == param.WithGradient {
		mixed := r.seed
		for _, x := range theta {
			mixed = (mixed ^ math.Float64bits(x)) * 0x9e3779b97f4a7c15
		}
		off := float64(mixed>>11)/0x1p52 - 1
		v.F *= 1 + r.share*off
		for k := range v.Grad {
			if d := r.Dims[k]; d.Kind == param.Log {
				v.Grad[k] += r.slope * off / theta[k]
			}
		}
		if r.says {
			v.Noise = r.share * v.F
		}
	}
	return v, err
}

func byGradients() map[string]search.Search {
	return map[string]search.Search{
		"gradient": search.Gradient{},
		"sqp":      search.Gradient{SQP: true},
		"rprop":    search.RPROP{},
		"coarse":   search.Coarse{Groups: [][]int{{0}}, Inner: gradientFrom},
	}
}

// Whatever the search, the value of the answer is that of the objective without noise, its
// evaluation counts and is the last of the trace, and the trace replays.
func TestTheAnswerIsExact(t *testing.T) {
	for name, s := range byGradients() {
		for _, budget := range []int{2, 5, 60} {
			o := rough{searchtest.Bowl{Dims: even()}, 0.02, 0, true, new(int), 0}
			res := mustRun(t, search.Driver{Budget: budget}, o, s)
			at, _ := o.Bowl.Eval(context.Background(), res.Theta, param.ValueOnly)
			last := res.Trace[len(res.Trace)-1]
			if res.F != at.F+1 || res.Noise != 0 || !last.Exact || last.GradAsked {
				t.Errorf("%s, budget %d: %.9g, exact %.9g, last record %+v", name, budget, res.F, at.F+1, last)
			}
			if res.Evaluations != len(res.Trace) || res.Evaluations > budget || *o.calls != res.Evaluations-res.Replayed {
				t.Errorf(
					"%s, budget %d: %d evaluations, %d in the trace, %d calls",
					name,
					budget,
					res.Evaluations,
					len(res.Trace),
					*o.calls,
				)
			}
			for _, r := range res.Trace { // no other point is better by more than its noise
				if !r.Exact && r.F+r.Noise < res.F &&
					!slices.ContainsFunc(res.Trace, func(e search.Record) bool { return e.Exact && reflect.DeepEqual(e.Theta, r.Theta) }) {
					t.Errorf("%s, budget %d: %g +- %g at %v was not looked at, answer %g", name, budget, r.F, r.Noise, r.Theta, res.F)
				}
			}
			var kept []search.Record // through the file's form
			for _, r := range res.Trace {
				b, err := json.Marshal(r)
				if err != nil {
					t.Fatal(err)
				}
				var back search.Record
				if err := json.Unmarshal(b, &back); err != nil {
					t.Fatal(err)
				}
				kept = append(kept, back)
			}
			*o.calls = 0
			again := mustRun(t, search.Driver{Budget: budget, Replay: kept}, o, s)
			if *o.calls != 0 || again.F != res.F || !reflect.DeepEqual(again.Theta, res.Theta) ||
				!reflect.DeepEqual(thetas(again.Trace), thetas(res.Trace)) {
				t.Errorf("%s, budget %d: the replay made %d calls and ended at %g", name, budget, *o.calls, again.F)
			}
			// A longer run goes on from the points of the search, whatever came after them.
			longer, straight := mustRun(
				t,
				search.Driver{Budget: budget + 3, Replay: kept},
				o,
				s,
			), mustRun(
				t,
				search.Driver{Budget: budget + 3},
				o,
				s,
			)
			if !reflect.DeepEqual(thetas(longer.Trace), thetas(straight.Trace)) || longer.F != straight.F {
				t.Errorf("%s, budget %d: three more evaluations after a replay go elsewhere", name, budget)
			}
		}
	}
}

// A value too good to be true gives way to the point that is the best.
func TestALuckyValueIsNotTheAnswer(t *testing.T) {
	values := map[float64]param.Value{1: {F: 1, Noise: 0.5}, 2: {F: 3, Noise: 0.1}, 3: {F: 3.05, Noise: 0.1}, 4: {F: 2.5, Noise: 2}}
	exact := map[float64]float64{1: 4, 2: 3.02, 3: 3.1, 4: 4.2}
	o := told{values, exact}
	res := mustRun(t, search.Driver{}, o, points{batches: [][][]float64{batch(1, 2, 3, 4)}, want: param.WithGradient})
	if res.Theta[0] != 2 || res.F != 3.02 || res.Evaluations != 6 {
		t.Errorf("%g at %v after %d evaluations, want 3.02 at 2 after 6", res.F, res.Theta, res.Evaluations)
	}
	// An interrupt leaves no time for it: the noise stays with the value.
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cut, err := search.Driver{OnEval: func(r search.Record) {
		if r.N == 2 {
			cancel()
		}
	}}.Run(ctx, o, points{batches: [][][]float64{batch(1, 2), batch(3)}, want: param.WithGradient})
	if err != nil || cut.Status != search.Interrupted || cut.F != 1 || cut.Noise != 0.5 {
		t.Errorf("%+v, %v", cut, err)
	}
}

// told has a value with gradient and one without for each point.
type told struct {
	with    map[float64]param.Value
	without map[float64]float64
}

func (o told) Space() param.Space { return param.Space{{Name: "x", Lo: 0, Hi: 10}} }

func (o told) Eval(_ context.Context, theta []float64, want param.Want) (param.Value, error) {
	if want == param.ValueOnly {
		return param.Value{F: o.without[theta[0]]}, nil
	}
	v := o.with[theta[0]]
	v.Grad = []float64{1}
	return v, nil
}

// A search stops by what is left to gain relative to the score, whatever its unit, and does
// not follow the noise that the score tells of.
func TestStopsAreRelativeAndKnowNoise(t *testing.T) {
	const draws = 10 // of the noise
	for _, name := range []string{"gradient", "sqp"} {
		s := byGradients()[name].(search.Gradient)
		s.Decrease = 1e-4
		var first int
		for _, unit := range []float64{1, 1e-3, 1e3} {
			res := mustRun(t, search.Driver{}, scaled{searchtest.Bowl{Dims: widths()}, unit}, s)
			if first == 0 {
				first = res.Evaluations
			}
			if res.F > unit*(1+1e-4) || unit != 1 && res.Evaluations > first+5 {
				t.Errorf("%s, unit %g: %g after %d evaluations", name, unit, res.F/unit, res.Evaluations)
			}
		}
		runs := map[bool]int{}
		for seed := range uint64(draws) { // one may stop early by chance
			for _, says := range []bool{false, true} {
				o := rough{searchtest.Bowl{Dims: widths()}, 1e-8, 1e-4, says, new(int), seed}
				res := mustRun(t, search.Driver{Budget: 400}, o, search.Gradient{SQP: s.SQP, Decrease: 1e-15})
				runs[says] += res.Evaluations
				if res.F > 1+1e-7 {
					t.Errorf("%s: %g", name, res.F)
				}
			}
		}
		if runs[true] > 25*draws || runs[false] < runs[true]+10*draws {
			t.Errorf("%s: %d evaluations knowing the noise, %d without: nothing is tested", name, runs[true], runs[false])
		}
	}
}

// scaled is a bowl, one above zero, in another unit.
type scaled struct {
	searchtest.Bowl
	unit float64
}

func (s scaled) Eval(ctx context.Context, theta []float64, want param.Want) (param.Value, error) {
	v, err := s.Bowl.Eval(ctx, theta, want)
	v.F = s.unit * (1 + v.F)
	for k := range v.Grad {
		v.Grad[k] *= s.unit
	}
	return v, err
}

// An answer on a bound is named; weights, choices and fixed values have none, and an answer
// inside is not named.
func TestOnBound(t *testing.T) {
	space := param.Space{
		{
			Name:    "C",
			Kind:    param.Log,
			Lo:      0.01,
			Hi:      1e4,
			Default: 1,
		}, {Name: "real", Lo: -1, Hi: 1}, {Name: "neighbours", Kind: param.Integer, Lo: 2, Hi: 50, Default: 5},
		{Name: "choice", Kind: param.Choice, Hi: 2}, {Name: "fixed", Lo: 0, Hi: 1, Fixed: true},
		{Name: "mu1", Kind: param.Simplex, Group: 1}, {Name: "mu2", Kind: param.Simplex, Group: 1, Default: 1},
	}
	for _, c := range []struct {
		theta []float64
		want  []string
	}{
		{[]float64{0.01, 0, 5, 0, 0, 0, 1}, []string{"C"}},
		{[]float64{1e4 * (1 - 1e-9), -1, 50, 2, 0, 1, 0}, []string{"C", "real", "neighbours"}},
		{[]float64{0.02, 0.99, 3, 0, 0, 0, 1}, nil},
	} {
		res := mustRun(t, search.Driver{}, flat{space}, search.Literature{Theta: c.theta})
		if !slices.Equal(res.OnBound, c.want) {
			t.Errorf("%v: %v, want %v", c.theta, res.OnBound, c.want)
		}
	}
}

type flat struct{ dims param.Space }

func (f flat) Space() param.Space { return f.dims }

func (f flat) Eval(context.Context, []float64, param.Want) (param.Value, error) {
	return param.Value{}, nil
}

// Searches of planned points end complete, those that look for the end of a way converged.
func TestStatusSaysHowItEnded(t *testing.T) {
	for name, c := range map[string]struct {
		searching search.Search
		want      search.Status
	}{
		"grid": {search.Grid{}, search.Complete}, "literature": {search.Literature{}, search.Complete},
		"random, N": {search.Random{N: 10}, search.Complete}, "random": {search.Random{}, search.Budget},
		"gradient": {search.Gradient{}, search.Converged}, "cut grid": {search.Grid{Points: 50}, search.Budget},
	} {
		if res := mustRun(t, search.Driver{Budget: 100}, searchtest.Bowl{Dims: widths()[:2]}, c.searching); res.Status != c.want {
			t.Errorf("%s: %s, want %s", name, res.Status, c.want)
		}
	}
}

// The seed is what random points come from: one repeats, two differ.
func TestSeeds(t *testing.T) {
	for name, at := range map[string]func(seed uint64) search.Search{
		"random":           func(seed uint64) search.Search { return search.Random{N: 5, Seed: seed} },
		"gradient, starts": func(seed uint64) search.Search { return search.Gradient{Starts: 2, Seed: seed} },
	} {
		run := func(seed uint64) [][]float64 {
			return thetas(mustRun(t, search.Driver{}, searchtest.Bowl{Dims: even()}, at(seed)).Trace)
		}
		if !reflect.DeepEqual(run(3), run(3)) {
			t.Errorf("%s: one seed gives two runs", name)
		}
		if reflect.DeepEqual(run(3), run(4)) {
			t.Errorf("%s: two seeds give one run", name)
		}
	}
}

// TestNoiseThatIsShown: a value that is known to a ten-millionth is told as it is, one less well known is evaluated once more.
func TestNoiseThatIsShown(t *testing.T) {
	for share, want := range map[float64]int{0.9e-7: 1, 1.1e-7: 2} {
		o := told{map[float64]param.Value{1: {F: 2, Noise: 2 * share}}, map[float64]float64{1: 3}}
		res := mustRun(t, search.Driver{}, o, points{batches: [][][]float64{batch(1)}, want: param.WithGradient})
		if res.Evaluations != want || res.F != float64(1+want) {
			t.Errorf("noise of %g: %g after %d evaluations, want %d", share, res.F, res.Evaluations, want)
		}
	}
}
