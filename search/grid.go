package search

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/mercer-ml/mercer/search/param"
)

// Grid evaluates the product of values a hyper-parameter, the last one fastest.
// Becker 2013, section 2.4.1: 3 values in 5 dimensions, 243 points. A budget
// below the size of the product ends it early.
type Grid struct {
	// Points a dimension, evenly spaced in the search's scale (log2 for Log)
	// from Lo to Hi; default 3: lower, middle, upper. Integers are rounded and
	// double values dropped; a Choice takes all its values. Weights of a simplex
	// take the multiples of 1/(Points-1) that sum to one (a simplex lattice).
	Points int
	// Values of the dimensions named replace Points; not for weights.
	Values map[string][]float64
}

// batchSize is how many points Grid and Random offer at a time: enough for any
// number of workers, few enough to begin at once.
const batchSize = 64

// Run implements Search. Size says how many points there are.
func (g Grid) Run(ctx context.Context, s param.Space, eval Evaluate) error {
	axes, err := g.axes(s)
	if err != nil {
		return err
	}
	theta, err := base(s)
	if err != nil {
		return err
	}
	at := make([]int, len(axes))
	var batch [][]float64
	for more := true; more; {
		for a, axis := range axes {
			for k, i := range axis.dims {
				theta[i] = axis.values[at[a]][k]
			}
		}
		batch = append(batch, append([]float64(nil), theta...))
		more = false
		for a := len(axes) - 1; a >= 0 && !more; a-- {
			if at[a]++; at[a] < len(axes[a].values) {
				more = true
			} else {
				at[a] = 0
			}
		}
		if len(batch) == batchSize || !more {
			if _, err := eval(ctx, batch, param.ValueOnly); err != nil {
				return err
			}
			batch = nil
		}
	}
	return nil
}

// planned implements planner.
func (g Grid) planned() bool { return true }

// Size returns the number of points of the grid on s (+Inf beyond doubles).
func (g Grid) Size(s param.Space) (float64, error) {
	axes, err := g.axes(s)
	n := 1.0
	for _, a := range axes {
		n *= float64(len(a.values))
	}
	return n, err
}

// axis is one factor of the product: a dimension, or the weights of a simplex,
// placed where its first weight stands.
type axis struct {
	dims   []int
	values [][]float64
}

func (g Grid) axes(s param.Space) ([]axis, error) {
	points := g.Points
	if points == 0 {
		points = 3
	}
	if points < 1 {
		return nil, fmt.Errorf("grid: %d points a dimension: must be positive", points)
	}
	if err := known("grid", s, g.Values); err != nil {
		return nil, err
	}
	var axes []axis
	simplex := map[int]bool{}
	for _, i := range s.Free() {
		d := s[i]
		a := axis{dims: []int{i}}
		add := func(v float64) {
			if v = d.Round(v); len(a.values) == 0 || a.values[len(a.values)-1][0] != v {
				a.values = append(a.values, []float64{v})
			}
		}
		lo, hi := d.Lo, d.Hi
		scale := func(v float64) float64 { return v }
		if d.Kind == param.Log {
			lo, hi, scale = math.Log2(lo), math.Log2(hi), math.Exp2
		}
		switch values, given := g.Values[d.Name]; {
		case d.Kind == param.Simplex:
			if simplex[d.Group] {
				continue
			}
			simplex[d.Group] = true
			var err error
			if a, err = lattice(s, d.Group, points); err != nil {
				return nil, err
			}
		case given:
			for _, v := range values {
				a.values = append(a.values, []float64{v})
			}
		case d.Kind == param.Choice:
			for v := 0.0; v <= d.Hi; v++ {
				add(v)
			}
		case points == 1:
			add(scale(lo + (hi-lo)/2))
		default:
			for k := range points {
				add(scale(lo + (hi-lo)*float64(k)/float64(points-1)))
			}
		}
		axes = append(axes, a)
	}
	return axes, nil
}

// lattice lists the weights of a group that are multiples of 1/(points-1) of
// the mass the fixed ones leave, in descending lexicographic order; equal
// weights for one point.
func lattice(s param.Space, group, points int) (axis, error) {
	var a axis
	mass := 1.0
	for i, d := range s {
		switch {
		case d.Kind != param.Simplex || d.Group != group:
		case d.Fixed:
			mass -= d.Default
		default:
			a.dims = append(a.dims, i)
		}
	}
	q := len(a.dims)
	if points == 1 {
		equal := make([]float64, q)
		for k := range equal {
			equal[k] = mass / float64(q)
		}
		a.values = [][]float64{equal}
		return a, nil
	}
	const most = 1 << 20 // 20 weights of 3 points are 210; beyond this a grid is a mistake
	w := make([]float64, q)
	var put func(k, left int) error
	put = func(k, left int) error {
		if k == q-1 {
			if len(a.values) == most {
				return fmt.Errorf("grid: more than %d combinations of %d weights: give fewer points", most, q)
			}
			w[k] = mass * float64(left) / float64(points-1)
			a.values = append(a.values, append([]float64(nil), w...))
			return nil
		}
		for c := left; c >= 0; c-- {
			w[k] = mass * float64(c) / float64(points-1)
			if err := put(k+1, left-c); err != nil {
				return err
			}
		}
		return nil
	}
	return a, put(0, points-1)
}

// base returns a theta of the values that no search moves.
func base(s param.Space) ([]float64, error) {
	t, err := param.NewTransform(s)
	if err != nil {
		return nil, err
	}
	return t.FromSearch(t.Midpoint()), nil
}

// known checks that values are given for free dimensions of s and lie in them.
func known(search string, s param.Space, values map[string][]float64) error {
	free := map[string]param.Dim{}
	var names []string
	for _, i := range s.Free() {
		if s[i].Kind != param.Simplex {
			free[s[i].Name] = s[i]
			names = append(names, s[i].Name)
		}
	}
	found := 0
	for _, name := range names {
		v, ok := values[name]
		if !ok {
			continue
		}
		found++
		if len(v) == 0 {
			return fmt.Errorf("%s: no values for %s", search, name)
		}
		for _, x := range v {
			one := param.Space{free[name]}
			if err := one.Check([]float64{x}); err != nil {
				return fmt.Errorf("%s: %w", search, err)
			}
		}
	}
	if found < len(values) {
		return fmt.Errorf(
			"%s: values are given for a hyper-parameter that is unknown, fixed or a weight (can be given: %s)",
			search,
			strings.Join(names, ", "),
		)
	}
	return nil
}
