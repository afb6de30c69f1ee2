package search_test

import (
	"context"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/test/learntest"
	"github.com/mercer-ml/mercer/internal/test/searchtest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

func sqp() search.Gradient { return search.Gradient{SQP: true} }

// weighed is a strictly convex function of q weights and a number a in -2..1,
// sum_j (j+1)/2 (mu_j - c_j)^2 + level sum_j mu_j + (a - 2)^2: a ends at its bound.
type weighed struct {
	c     []float64
	level float64
}

func (o weighed) Space() param.Space {
	var s param.Space
	for j := range o.c {
		s = append(s, param.Dim{Name: "mu" + string(rune('a'+j)), Kind: param.Simplex, Default: 1 / float64(len(o.c)), Group: 3})
	}
	return append(s, param.Dim{Name: "a", Kind: param.Real, Lo: -2, Hi: 1})
}

func (o weighed) Eval(ctx context.Context, theta []float64, _ param.Want) (param.Value, error) {
	a := theta[len(o.c)] - 2
	v := param.Value{F: a * a, Grad: make([]float64, len(theta))}
	v.Grad[len(o.c)] = 2 * a
	for j, c := range o.c {
		w, d := float64(j+1), theta[j]-c
		v.F += w*d*d/2 + o.level*theta[j]
		v.Grad[j] = w*d + o.level
	}
	return v, ctx.Err()
}

// best is the minimiser: mu_j = max(c_j - nu/(j+1), 0), nu by bisection of the sum.
func (o weighed) best() []float64 {
	mu := make([]float64, len(o.c))
	lo, hi := -100.0, 100.0
	for range 200 {
		nu, sum := (lo+hi)/2, 0.0
		for j, c := range o.c {
			mu[j] = max(c-nu/float64(j+1), 0)
			sum += mu[j]
		}
		if sum > 1 {
			lo = nu
		} else {
			hi = nu
		}
	}
	return append(mu, 1)
}

func TestSQPConforms(t *testing.T) {
	starts := sqp()
	starts.Starts, starts.Seed = 3, 1
	mixedUp := search.Enumerate{Inner: sqp()}
	for name, c := range map[string]struct {
		searching search.Search
		space     param.Space
	}{"sqp": {sqp(), even()}, "starts": {starts, even()}, "no weights": {sqp(), widths()}, "enumerate": {mixedUp, mixed()}} {
		t.Run(name, func(t *testing.T) {
			searchtest.Search(t, c.searching, searchtest.Bowl{Dims: c.space})
			searchtest.Search(t, c.searching, searchtest.Bowl{Dims: c.space, Edge: -9.5})
		})
	}
}

// Optima inside the simplex, on its faces and at its corners: weights that do not serve are
// exactly zero, every point is feasible, the number meets its bound exactly.
func TestSQPFindsFacesExactly(t *testing.T) {
	for name, o := range map[string]weighed{
		"inside":       {c: []float64{0.4, 0.3, 0.2, 0.3}},
		"face":         {c: []float64{0.7, -0.4, 0.6, -0.1}},
		"corner":       {c: []float64{-3, 4, -2, -3}},
		"heavy corner": {c: []float64{30, -2, -2}},
		"two":          {c: []float64{0.1, 2}},
		"many":         {c: []float64{0.5, -1, 0.1, -0.3, 0.4, -2, 0.05, 0.1, -1, 0.2, -0.1, 0.3}},
	} {
		want := o.best()
		d := search.Driver{OnEval: func(r search.Record) {
			sum := 0.0
			for _, m := range r.Theta[:len(o.c)] {
				if m < 0 {
					t.Errorf("%s: evaluation %d has weights %v", name, r.N, r.Theta)
				}
				sum += m
			}
			if a := r.Theta[len(o.c)]; math.Abs(sum-1) > 1e-15*float64(len(o.c)) || a < -2 || a > 1 {
				t.Errorf("%s: evaluation %d is off by %g, a = %g", name, r.N, sum-1, a)
			}
		}}
		res := mustRun(t, d, o, sqp())
		for k, w := range want {
			if (w == 0 || w == 1 || k == len(o.c)) && res.Theta[k] != w || math.Abs(res.Theta[k]-w) > 1e-4 {
				t.Errorf("%s: parameter %d is %g, want %g", name, k, res.Theta[k], w)
			}
		}
		if res.Status != search.Converged || res.Evaluations > 50 {
			t.Errorf("%s: %v after %d evaluations", name, res.Status, res.Evaluations)
		}
		// The corner is where it stays, and is left from elsewhere.
		from := sqp()
		from.Start = slices.Clone(want)
		if again := mustRun(t, search.Driver{}, o, from); again.Evaluations > 12 || again.F > res.F {
			t.Errorf("%s: from the optimum %d evaluations to %g, was %g", name, again.Evaluations, again.F, res.F)
		}
		for k := range o.c {
			clear(from.Start)
			from.Start[k], from.Start[len(o.c)] = 1, -2
			if other := mustRun(t, search.Driver{}, o, from); other.F > res.F+1e-8 {
				t.Errorf("%s: from corner %d to %g, the optimum is %g", name, k, other.F, res.F)
			}
		}
	}
}

// The weights have one sum: a constant added to their derivatives says nothing. What is left of it
// is its rounding, 1e-16 of the level.
func TestSQPIgnoresTheLevel(t *testing.T) {
	o := weighed{c: []float64{0.7, -0.4, 0.6, 0.3}}
	low := mustRun(t, search.Driver{}, o, sqp())
	o.level = 1000
	high := mustRun(t, search.Driver{}, o, sqp())
	for i := range min(6, len(low.Trace), len(high.Trace)) {
		for k, v := range low.Trace[i].Theta {
			if d := math.Abs(high.Trace[i].Theta[k] - v); d > 1e-9 {
				t.Errorf("evaluation %d, parameter %d: %g apart", i+1, k, d)
			}
		}
	}
}

// Some weights fixed: the others share what they leave, and where nothing is left rest at zero.
func TestSQPKeepsFixedWeights(t *testing.T) {
	for _, mass := range []float64{0.75, 0} {
		o := weighed{c: []float64{0.9, 0.3, -0.2, 0}}
		s := o.Space()
		s[3].Fixed, s[3].Default = true, 1-mass
		for k := range 3 {
			s[k].Default = mass / 3
		}
		res := mustRun(t, search.Driver{}, inSpace{o, s}, sqp())
		if sum := res.Theta[0] + res.Theta[1] + res.Theta[2]; math.Abs(sum-mass) > 1e-15 || res.Theta[3] != 1-mass || res.Theta[2] != 0 {
			t.Errorf("weights %v, want %g in the first two", res.Theta[:4], mass)
		}
	}
}

type inSpace struct {
	param.Objective
	space param.Space
}

func (o inSpace) Space() param.Space { return o.space }

// The score of C-LapRLS: both routes from one start end at one optimum, inside or at
// an edge; where weights end at zero the others' derivatives are equal and theirs no less
// (Karush, Kuhn, Tucker), and the score is no worse than that of the softmax, which cannot get there.
func TestSQPTunesCombinedLaplacians(t *testing.T) {
	zeros, inside := 0, 0
	for seed := uint64(1); seed <= 4; seed++ {
		p := learntest.Clusters(48, 3, 3, seed)
		o := &score.Laplacian{Base: kernel.Gaussian{Sigma: 1.2}, Problem: p, Criterion: score.Press{}, Work: new(kernel.Work),
			Norm: manifold.Combined{Terms: manifold.Cartesian(graph.Recipe{}, []int{3, 6, 12}, []int{1, 2}), Normalise: graph.Trace}}
		start := o.Space().Defaults()
		soft := mustRun(t, search.Driver{Budget: 400}, o, search.Gradient{Start: start, Decrease: 1e-12})
		hard := mustRun(t, search.Driver{Budget: 400}, o, search.Gradient{Start: start, Decrease: 1e-12, SQP: true})
		if hard.F > soft.F*(1+1e-3) {
			t.Errorf(
				"seed %d: sqp %.9g after %d, softmax %.9g after %d evaluations",
				seed,
				hard.F,
				hard.Evaluations,
				soft.F,
				soft.Evaluations,
			)
		}
		v, err := o.Eval(context.Background(), hard.Theta, param.WithGradient)
		if err != nil {
			t.Fatal(err)
		}
		least := math.Inf(1)
		for k, d := range o.Space() {
			if d.Kind == param.Simplex && hard.Theta[k] > 0 {
				least = min(least, v.Grad[k])
			}
		}
		for k, d := range o.Space() {
			if d.Kind != param.Simplex {
				continue
			}
			off := v.Grad[k] - least // of a positive weight: zero
			if hard.Theta[k] == 0 {
				zeros++
				off = min(off, 0)
			} else {
				inside++
			}
			if math.Abs(off) > 1e-3*math.Abs(hard.F) {
				t.Errorf("seed %d: weight %s = %g has derivative %g, the least is %g", seed, d.Name, hard.Theta[k], v.Grad[k], least)
			}
		}
		t.Logf(
			"seed %d: sqp %.9g after %d, softmax %.9g after %d evaluations; %v",
			seed,
			hard.F,
			hard.Evaluations,
			soft.F,
			soft.Evaluations,
			hard.Theta,
		)
	}
	if zeros == 0 || inside < 5 {
		t.Errorf("%d weights ended at zero and %d above: the cases show too little", zeros, inside)
	}
}

func TestSQPRefuses(t *testing.T) {
	var many param.Space
	for range 201 {
		many = append(many, param.Dim{Name: "w" + string(rune('A'+len(many))), Kind: param.Real, Lo: 0, Hi: 1})
	}
	for name, c := range map[string]struct {
		space param.Space
		want  string
	}{
		"whole numbers": {mixed(), "sqp: k is an integer"},
		"many":          {many, "201 free hyper-parameters"},
	} {
		_, err := search.Driver{}.Run(context.Background(), searchtest.Bowl{Dims: c.space}, sqp())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	start := even().Defaults()
	start[2] = 0.9
	if _, err := (search.Driver{}).Run(context.Background(), searchtest.Bowl{Dims: even()},
		search.Gradient{SQP: true, Start: start}); err == nil {
		t.Error("weights of sum 1.7 were searched from")
	}
}

// Where everything is fixed there is one point, which is scored.
func TestSQPWithoutParameters(t *testing.T) {
	o := weighed{c: []float64{0.9, 0.3, -0.2, 0}}
	s := o.Space()
	for k := range s {
		s[k].Fixed = true
	}
	res := mustRun(t, search.Driver{}, inSpace{o, s}, sqp())
	if res.Evaluations != 1 || !slices.Equal(res.Theta, s.Defaults()) {
		t.Errorf("%d evaluations, of %v", res.Evaluations, res.Theta)
	}
}

// curve is a score of a number from -1 to 1, with what it says its derivative is.
type curve func(x float64) (value, slope float64)

func (curve) Space() param.Space { return param.Space{{Name: "x", Lo: -1, Hi: 1}} }

func (c curve) Eval(_ context.Context, theta []float64, _ param.Want) (param.Value, error) {
	v, slope := c(theta[0])
	return param.Value{F: v, Grad: []float64{slope}}, nil
}

// Short steps alone end no search by SQP: towards a flat minimum it goes on while there is something to gain. A score that does not fall
// where its derivative says so is given up after 21 steps, each half as long as the one before.
func TestSQPGoesOnAndGivesUp(t *testing.T) {
	const at = 0.005
	flat := curve(func(x float64) (float64, float64) { return 1 + 1e6*math.Pow(x-at, 4), 4e6 * math.Pow(x-at, 3) })
	if res := mustRun(t, search.Driver{}, flat, sqp()); math.Abs(res.Theta[0]-at) > 5e-4 {
		t.Errorf("the search ends at %g, the minimum is at %g", res.Theta[0], at)
	}
	level := curve(func(float64) (float64, float64) { return 1, 1 })
	if res := mustRun(t, search.Driver{}, level, sqp()); res.Evaluations != 22 {
		t.Errorf("%d evaluations, want the start and 21 steps", res.Evaluations)
	}
}

// A search by gradients that is told nothing ends at a decrease of a thousand-millionth.
func TestUsualDecrease(t *testing.T) {
	for _, way := range []search.Gradient{{}, sqp()} {
		told := way
		told.Decrease = 1e-9
		for _, o := range []param.Objective{
			weighed{c: []float64{0.5, -1, 0.1, -0.3, 0.4, -2, 0.05, 0.1, -1, 0.2, -0.1, 0.3}}, weighed{c: []float64{0.7, -0.4, 0.6, -0.1}},
			curve(func(x float64) (float64, float64) { return 1 + math.Pow(x-0.1, 4), 4 * math.Pow(x-0.1, 3) }),
		} {
			got, want := mustRun(t, search.Driver{}, o, way), mustRun(t, search.Driver{}, o, told)
			if !reflect.DeepEqual(thetas(got.Trace), thetas(want.Trace)) {
				t.Errorf("SQP %v, %T: %d evaluations, by a decrease of 1e-9 %d", way.SQP, o, got.Evaluations, want.Evaluations)
			}
		}
	}
}

// bent is 1 + 1e8 a^2 + b^2 + c^4: curvatures of all sizes.
type bent struct{}

func (bent) Space() param.Space {
	return param.Space{{Name: "a", Kind: param.Real, Lo: -5, Hi: 7}, {Name: "b", Kind: param.Real, Lo: -5, Hi: 9},
		{Name: "c", Kind: param.Real, Lo: -5, Hi: 8}}
}

func (bent) Eval(ctx context.Context, x []float64, _ param.Want) (param.Value, error) {
	a, b, c := x[0], x[1], x[2]
	return param.Value{F: 1 + 1e8*a*a + b*b + c*c*c*c, Grad: []float64{2e8 * a, 2 * b, 4 * c * c * c}}, ctx.Err()
}

// raw is a bowl in logarithms, seen in natural units: curvatures differ by many orders of magnitude.
type raw struct{}

func (raw) Space() param.Space {
	return param.Space{{Name: "lambda", Kind: param.Log, Lo: 1e-9, Hi: 1e3, Default: 1e-3},
		{Name: "w", Kind: param.Log, Lo: 1e-2, Hi: 1e2, Default: 1}}
}

func (raw) Eval(ctx context.Context, x []float64, _ param.Want) (param.Value, error) {
	a, b := math.Log(x[0]/1e-3), math.Log(x[1]/3)
	return param.Value{F: 1 + a*a + b*b + a*b/2, Grad: []float64{(2*a + b/2) / x[0], (2*b + a/2) / x[1]}}, ctx.Err()
}

// TestSQPOfAllCurvatures: neither a model that knows the stiffest direction alone nor one that has become singular ends a search above
// the minimum.
func TestSQPOfAllCurvatures(t *testing.T) {
	for name, c := range map[string]struct {
		o param.Objective
		g search.Gradient
	}{"bent": {bent{}, sqp()}, "raw": {raw{}, search.Gradient{SQP: true, Raw: true}}} {
		if res := mustRun(t, search.Driver{Budget: 500}, c.o, c.g); math.Abs(res.F-1) > 1e-4 {
			t.Errorf("%s: %g at %v after %d evaluations, the minimum is 1", name, res.F, res.Theta, res.Evaluations)
		}
	}
}
