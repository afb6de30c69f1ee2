package search_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/searchtest"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

// table41 is the box of Becker 2013, table 4.1.
func table41() param.Space {
	return param.Space{
		{Name: "gamma_a", Kind: param.Log, Lo: math.Exp2(-20), Hi: 1, Default: 1},
		{Name: "sigma", Kind: param.Log, Lo: 0.25, Hi: 32, Default: 1},
		{Name: "neighbours", Kind: param.Integer, Lo: 2, Hi: 50, Default: 10},
		{Name: "power", Kind: param.Integer, Lo: 1, Hi: 5, Default: 2},
		{Name: "gamma_i", Kind: param.Log, Lo: math.Exp2(-20), Hi: 1024, Default: 1},
	}
}

func even() param.Space {
	return param.Space{
		{Name: "a", Kind: param.Log, Lo: math.Exp2(-20), Hi: 1, Default: 1},
		{Name: "b", Kind: param.Real, Lo: -2, Hi: 3, Default: 0},
		{Name: "mu1", Kind: param.Simplex, Default: 0.2, Group: 1},
		{Name: "mu2", Kind: param.Simplex, Default: 0.3, Group: 1},
		{Name: "mu3", Kind: param.Simplex, Default: 0.5, Group: 1},
		{Name: "set", Kind: param.Log, Lo: 1, Hi: 2, Default: 8, Fixed: true},
	}
}

// widths has parameters of two groups and one of none.
func widths() param.Space {
	var s param.Space
	for _, name := range []string{"w1", "w2", "w3", "C"} {
		s = append(s, param.Dim{Name: name, Kind: param.Log, Lo: 0x1p-10, Hi: 0x1p10, Default: 1})
	}
	return s
}

func gradientFrom(start []float64) search.Search { return search.Gradient{Start: start} }

func mixed() param.Space {
	return append(even(),
		param.Dim{Name: "k", Kind: param.Integer, Lo: 1, Hi: 4, Default: 2},
		param.Dim{Name: "weight", Kind: param.Choice, Lo: 0, Hi: 1, Default: 0})
}

func TestConformance(t *testing.T) {
	values := map[string][]float64{"neighbours": {2, 10, 50}, "power": {1, 2, 5}}
	for name, c := range map[string]struct {
		searching search.Search
		space     param.Space
	}{
		"grid":                 {search.Grid{}, table41()},
		"grid, mixed":          {search.Grid{Points: 2}, mixed()},
		"random":               {search.Random{Seed: 3}, mixed()},
		"random, N":            {search.Random{N: 20, Seed: 3}, table41()},
		"nelder-mead":          {search.NelderMead{}, table41()},
		"nelder-mead, weights": {search.NelderMead{}, even()},
		"gradient":             {search.Gradient{}, even()},
		"gradient, starts":     {search.Gradient{Starts: 3, Seed: 1}, even()},
		"rprop":                {search.RPROP{}, even()},
		"coarse":               {search.Coarse{Groups: [][]int{{0, 2}, {1}}, Inner: gradientFrom}, widths()},
		"enumerate gradient":   {search.Enumerate{Inner: search.Gradient{}}, mixed()},
		"enumerate best first": {search.Enumerate{Inner: search.Gradient{}, BestFirst: true}, mixed()},
		"enumerate near": {search.Enumerate{Inner: search.Gradient{}, BestFirst: true, Values: values,
			Near: gradientFrom}, table41()},
		"enumerate nelder-mead": {search.Enumerate{Inner: search.NelderMead{}, Values: values}, table41()},
		"literature":            {search.Literature{}, mixed()},
	} {
		t.Run(name, func(t *testing.T) {
			searchtest.Search(t, c.searching, searchtest.Bowl{Dims: c.space})
			if !strings.HasPrefix(name, "literature") {
				searchtest.Search(t, c.searching, searchtest.Bowl{Dims: c.space, Edge: -9.5}) // the middle of gamma_a is still feasible
			}
		})
	}
}

func thetas(trace []search.Record) [][]float64 {
	var all [][]float64
	for _, r := range trace {
		all = append(all, r.Theta)
	}
	return all
}

func mustRun(t *testing.T, d search.Driver, o param.Objective, s search.Search) search.Result {
	t.Helper()
	res, err := d.Run(context.Background(), o, s)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestGridIsTheOneOfTable41(t *testing.T) {
	g := search.Grid{
		Values: map[string][]float64{
			"sigma":      {0.25, 4, 32},
			"neighbours": {2, 10, 50},
			"power":      {1, 2, 5},
			"gamma_i":    {math.Exp2(-20), 1, 1024},
		},
	}
	res := mustRun(t, search.Driver{}, searchtest.Bowl{Dims: table41()}, g)
	if res.Evaluations != 243 || res.Replayed != 0 || res.Status != search.Complete {
		t.Errorf("%d evaluations, %d of them repeated, %v", res.Evaluations, res.Replayed, res.Status)
	}
	p := thetas(res.Trace)
	for at, want := range map[int][]float64{
		0: {math.Exp2(-20), 0.25, 2, 1, math.Exp2(-20)}, 1: {math.Exp2(-20), 0.25, 2, 1, 1},
		3:  {math.Exp2(-20), 0.25, 2, 2, math.Exp2(-20)},
		81: {math.Exp2(-10), 0.25, 2, 1, math.Exp2(-20)}, 242: {1, 32, 50, 5, 1024}} {
		if !reflect.DeepEqual(p[at], want) {
			t.Errorf("point %d is %v, want %v", at, p[at], want)
		}
	}
	// 2 (a) x 2 (b) x 3 vertices x 2 (k) x 2 (weight)
	if n, err := (search.Grid{Points: 2}).Size(mixed()); err != nil || n != 48 {
		t.Errorf("size %g, %v; want 48", n, err)
	}
}

func TestRandomIsUniform(t *testing.T) {
	s := mixed()
	res := mustRun(t, search.Driver{Budget: 4000}, searchtest.Bowl{Dims: s}, search.Random{Seed: 1})
	counts := map[float64]int{}
	mean := make([]float64, len(s))
	for _, p := range thetas(res.Trace) {
		counts[p[6]]++
		for i := range p {
			mean[i] += p[i] / 4000
		}
		mean[0] += (math.Log2(p[0]) - p[0]) / 4000
	}
	for k := 1.0; k <= 4; k++ { // 1000 expected, standard deviation 27
		if math.Abs(float64(counts[k])-1000) > 5*27 {
			t.Errorf("k = %g drawn %d times of 4000", k, counts[k])
		}
	}
	// Means; standard deviations 5.77, 1.44 and (weights) 0.236 over sqrt(4000).
	for i, want := range map[int][2]float64{0: {-10, 5.77}, 1: {0.5, 1.44}, 2: {1. / 3, 0.236}, 3: {1. / 3, 0.236}, 4: {1. / 3, 0.236}} {
		if math.Abs(mean[i]-want[0]) > 5*want[1]/math.Sqrt(4000) {
			t.Errorf("mean of %s is %g, want %g", s[i].Name, mean[i], want[0])
		}
	}
}

func TestSearchesFindTheMinimum(t *testing.T) {
	b := searchtest.Bowl{Dims: even()}
	at, err := b.Eval(context.Background(), b.Best(), param.ValueOnly)
	if err != nil {
		t.Fatal(err)
	}
	// The fixed dimension stays at 8 and costs a constant.
	set, _ := b.Eval(context.Background(), append(b.Best()[:5], 8), param.ValueOnly)
	for name, c := range map[string]struct {
		searching search.Search
		most      int
		tol       float64
	}{"gradient": {search.Gradient{}, 50, 1e-7}, "nelder-mead": {search.NelderMead{}, 1200, 1e-4}} {
		res := mustRun(t, search.Driver{Budget: c.most}, b, c.searching)
		if res.F-set.F > c.tol || res.Status != search.Converged {
			t.Errorf("%s: %g above the minimum after %d evaluations (%v)", name, res.F-set.F, res.Evaluations, res.Status)
		}
	}
	if at.F != 0 {
		t.Errorf("the bowl is %g at its minimum", at.F)
	}
	// Integers: 0.4 of the way from 1 to 4 is 2.2, of the choice 0..1 is 0.4.
	res := mustRun(t, search.Driver{Budget: 400}, searchtest.Bowl{Dims: mixed()}, search.Enumerate{Inner: search.Gradient{}})
	if res.Theta[6] != 2 || res.Theta[7] != 0 || res.Status != search.Converged {
		t.Errorf("enumerate: %v, %v", res.Theta, res.Status)
	}
}

func TestEnumerateSharesTheBudget(t *testing.T) {
	res := mustRun(t, search.Driver{Budget: 40}, searchtest.Bowl{Dims: mixed()}, search.Enumerate{Inner: search.Gradient{}})
	counts := map[[2]float64]int{}
	for _, p := range thetas(res.Trace) {
		counts[[2]float64{p[6], p[7]}]++
	}
	if len(counts) != 8 {
		t.Fatalf("%d of 8 combinations visited", len(counts))
	}
	for c, n := range counts {
		if n != 5 {
			t.Errorf("combination %v had %d of 40 evaluations, want 5", c, n)
		}
	}
}

// After a round of all, the best combination is searched to its end before the next.
func TestEnumerateBestFirst(t *testing.T) {
	until := func(e search.Enumerate) int {
		res := mustRun(t, search.Driver{Budget: 400}, searchtest.Bowl{Dims: mixed()}, e)
		at, last := 0, map[[2]float64]int{}
		for i, r := range res.Trace {
			c := [2]float64{r.Theta[6], r.Theta[7]}
			if n, seen := last[c]; e.BestFirst && seen && n != i-1 && n >= 8 {
				t.Errorf("evaluation %d goes back to combination %v, left at %d", i+1, c, n+1)
			}
			last[c] = i
			if at == 0 && r.F <= res.F*(1+1e-3) {
				at = i + 1
			}
		}
		if res.Theta[6] != 2 || res.Theta[7] != 0 || res.Status != search.Converged {
			t.Errorf("%v, %v", res.Theta, res.Status)
		}
		return at
	}
	even, first := until(search.Enumerate{Inner: search.Gradient{}}), until(search.Enumerate{Inner: search.Gradient{}, BestFirst: true})
	if 2*first > even {
		t.Errorf("%d evaluations to the best score best first, %d in turn", first, even)
	}
}

// Whole numbers that are not among the values are reached by steps from the best of these.
func TestEnumerateGoesNear(t *testing.T) {
	values := map[string][]float64{"neighbours": {2, 10, 50}, "power": {1, 5}}
	run := func(e search.Enumerate) search.Result {
		e.Inner, e.Values, e.BestFirst = search.Gradient{}, values, true
		return mustRun(t, search.Driver{Budget: 1000}, searchtest.Bowl{Dims: table41()}, e)
	}
	near := run(search.Enumerate{Near: gradientFrom})
	// 0.4 of the way from 2 to 50 is 21.2, of 1 to 5 is 2.6.
	if near.Theta[2] != 21 || near.Theta[3] != 3 || near.Status != search.Converged {
		t.Errorf("%v, %v", near.Theta, near.Status)
	}
	if given := run(search.Enumerate{}); given.F <= near.F {
		t.Errorf("%g among the values, %g beside them", given.F, near.F)
	}
}

// noGradient hides a gradient.
type noGradient struct{ param.Objective }

func (o noGradient) Eval(ctx context.Context, theta []float64, _ param.Want) (param.Value, error) {
	return o.Objective.Eval(ctx, theta, param.ValueOnly)
}

func TestSearchesRefuse(t *testing.T) {
	for name, c := range map[string]struct {
		searching search.Search
		space     param.Space
		say       string
	}{
		"integer":           {search.Gradient{}, table41(), "--set neighbours=VALUE"},
		"choice":            {search.NelderMead{}, mixed(), "weight is a choice"},
		"unknown value":     {search.Grid{Values: map[string][]float64{"nu": {1}}}, table41(), "can be given: gamma_a"},
		"value outside":     {search.Grid{Values: map[string][]float64{"sigma": {99}}}, table41(), "sigma = 99"},
		"many values":       {search.Enumerate{Inner: search.Gradient{}}, table41(), "neighbours has 49 values"},
		"literature length": {search.Literature{Theta: []float64{1}}, table41(), "1 values for 5"},
		"literature value":  {search.Literature{Theta: []float64{1, 1, 1, 1, 1}}, table41(), "neighbours = 1"},
		"start":             {search.NelderMead{Start: []float64{1, 1, 1, 1, 1}}, table41(), "start: "},
	} {
		res, err := search.Driver{}.Run(context.Background(), searchtest.Bowl{Dims: c.space}, c.searching)
		if err == nil || !strings.Contains(err.Error(), c.say) || res.Status != search.Failed {
			t.Errorf("%s: error %v does not say %q", name, err, c.say)
		}
	}
	if _, err := (search.Driver{}).Run(context.Background(), noGradient{searchtest.Bowl{Dims: even()}}, search.Gradient{}); !errors.Is(
		err,
		search.ErrNoGradient,
	) {
		t.Errorf("score without gradient: %v", err)
	}
}

func TestGradientLeavesAnInfeasibleStart(t *testing.T) {
	b := searchtest.Bowl{Dims: even(), Edge: -11} // the midpoint is log2 a = -10, the minimum -12
	res := mustRun(t, search.Driver{Budget: 100}, b, search.Gradient{})
	if math.Abs(math.Log2(res.Theta[0])+12) > 1e-3 || !math.IsInf(res.Trace[0].F, 1) {
		t.Errorf("ended at %v, F = %g", res.Theta, res.F)
	}
}

// The first stage keeps the ratios of a group and its gradient is that of the common
// factor; the second ends at the minimum.
func TestCoarse(t *testing.T) {
	bowl := searchtest.Bowl{Dims: widths()}
	c := search.Coarse{Groups: [][]int{{0, 2}}, Start: []float64{1, 2, 4, 1}, Inner: gradientFrom, Only: true}
	tied := mustRun(t, search.Driver{}, bowl, c)
	for _, r := range tied.Trace {
		if math.Abs(r.Theta[2]/r.Theta[0]-4) > 1e-12 {
			t.Fatalf("evaluation %d: w3/w1 = %g", r.N, r.Theta[2]/r.Theta[0])
		}
	}
	// (u1 - c)^2 + 3 (u1 + 2 - c)^2, c = -2: least at u1 = c - 3/2, where it is 3/4 + 3/4.
	if math.Abs(tied.F-3) > 1e-8 || tied.Status != search.Converged {
		t.Errorf("first stage: %g, %v", tied.F, tied.Status)
	}
	c.Only = false
	if full := mustRun(t, search.Driver{}, bowl, c); full.F > 1e-8 ||
		!reflect.DeepEqual(thetas(full.Trace[:tied.Evaluations]), thetas(tied.Trace)) {
		t.Errorf("second stage: %g", full.F)
	}
}

// On a raw scale the quadratic score of a log parameter is searched as it is.
func TestRaw(t *testing.T) {
	bowl := searchtest.Bowl{Dims: widths()[:1]}
	for _, s := range []search.Search{search.Gradient{Raw: true}, search.RPROP{Raw: true, Start: []float64{1}}} {
		res := mustRun(t, search.Driver{}, bowl, s)
		if math.Abs(res.Theta[0]-bowl.Best()[0]) > 1e-3*bowl.Best()[0] {
			t.Errorf("%T: %g, want %g", s, res.Theta[0], bowl.Best()[0])
		}
	}
}

// A grid of weights of which one is fixed has the multiples of what that leaves, in order.
func TestGridLeavesAFixedWeight(t *testing.T) {
	s := param.Space{
		{
			Name:    "mu1",
			Kind:    param.Simplex,
			Default: 0.4,
			Group:   1,
		}, {Name: "mu2", Kind: param.Simplex, Default: 0.25, Group: 1, Fixed: true},
		{Name: "mu3", Kind: param.Simplex, Default: 0.35, Group: 1}, {Name: "nu1", Kind: param.Simplex, Default: 1, Group: 2},
	}
	for points, want := range map[int][][]float64{
		1: {{0.375, 0.25, 0.375, 1}},
		3: {{0.75, 0.25, 0, 1}, {0.375, 0.25, 0.375, 1}, {0, 0.25, 0.75, 1}},
	} {
		res := mustRun(t, search.Driver{}, flat{s}, search.Grid{Points: points})
		if got := thetas(res.Trace); !reflect.DeepEqual(got, want) {
			t.Errorf("%d points: %v, want %v", points, got, want)
		}
	}
}

// From where the best inner search ended its whole numbers go on by one, to the double and to
// the half, each once and in the box; a fixed one stays.
func TestEnumerateGoesBesideTheBest(t *testing.T) {
	s := param.Space{
		{
			Name:    "k",
			Kind:    param.Integer,
			Lo:      2,
			Hi:      50,
			Default: 2,
		}, {Name: "p", Kind: param.Integer, Lo: 1, Hi: 5, Default: 3, Fixed: true},
		{Name: "x", Lo: -1, Hi: 1},
	}
	literature := search.Literature{}
	for from, want := range map[float64][]float64{9: {9, 8, 10, 4, 18}, 2: {2, 3, 4}, 50: {50, 49, 25}, 25: {25, 24, 26, 12, 50},
		4: {4, 3, 5, 2, 8}} {
		e := search.Enumerate{
			Inner:     literature,
			BestFirst: true,
			Values:    map[string][]float64{"k": {from}},
			Near:      func([]float64) search.Search { return literature },
		}
		res := mustRun(t, search.Driver{}, peak{s, from}, e)
		var tried []float64
		for _, theta := range thetas(res.Trace) {
			tried = append(tried, theta[0])
			if theta[1] != 3 {
				t.Errorf("the fixed number is %g", theta[1])
			}
		}
		if !reflect.DeepEqual(tried, want) {
			t.Errorf("from %g: %v, want %v", from, tried, want)
		}
	}
}

// peak is least where the first parameter is at.
type peak struct {
	dims param.Space
	at   float64
}

func (p peak) Space() param.Space { return p.dims }

func (p peak) Eval(_ context.Context, theta []float64, _ param.Want) (param.Value, error) {
	return param.Value{F: math.Abs(theta[0] - p.at)}, nil
}

// TestGradientGivesUp: where no start is feasible twenty random points are tried beside it, and not as many for each run.
func TestGradientGivesUp(t *testing.T) {
	for _, starts := range []int{0, 3} {
		o := scalar{func(context.Context, float64) (float64, error) { return math.NaN(), nil }, new(atomic.Int64)}
		res, err := search.Driver{Budget: 100}.Run(context.Background(), o, search.Gradient{Starts: starts})
		if !errors.Is(err, search.ErrInfeasible) || res.Evaluations != 21 {
			t.Errorf("%d starts: %d evaluations, %v", starts, res.Evaluations, err)
		}
	}
}

// The factor of a group is one where a search of the first stage begins at the defaults.
func TestDefaultOfTiedFactors(t *testing.T) {
	start := []float64{1, 2, 4, 1}
	c := search.Coarse{Groups: [][]int{{0, 2}}, Start: start, Only: true,
		Inner: func([]float64) search.Search { return search.Literature{} }}
	res := mustRun(t, search.Driver{}, searchtest.Bowl{Dims: widths()}, c)
	if got := res.Trace[0].Theta; got[0] != start[0] || got[2] != start[2] {
		t.Errorf("the first point is %v, want the widths of %v", got, start)
	}
}
