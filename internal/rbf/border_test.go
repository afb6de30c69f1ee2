package rbf

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestEnlarged(t *testing.T) {
	rows, y := regression(40, 1, 6)
	m := MOBJ{Widths: Widths{Lo: 0.1, Hi: 0.4, Steps: 4}, MaxQ: 5, Steps: 10}
	f := fit(t, m, rows, y)
	some, why := m.Enlarged([]*Front{f}, []int{len(f.Elements) - 1})
	larger := some.(MOBJ)
	if larger.MaxQ != 10 || !strings.Contains(why, "complexity") || !strings.Contains(why, "width") {
		t.Errorf("%q: %+v", why, larger)
	}
	grid, err := larger.Widths.Grid(ctx, rows)
	if err != nil || math.Abs(grid[len(grid)-1]-0.8) > 1e-12 || math.Abs(grid[1]/grid[0]-f.Widths[1]/f.Widths[0]) > 1e-12 {
		t.Errorf("enlarged grid %v: %v", grid, err)
	}
	fixed := m
	fixed.Widths.Rule = Asked
	some, why = fixed.Enlarged([]*Front{f}, []int{len(f.Elements) - 1})
	if same := some.(MOBJ); same.MaxQ != 10 || same.Widths != fixed.Widths || strings.Contains(why, "width") {
		t.Errorf("widths that are fixed: %q: %+v", why, same)
	}
	inner := &Front{Widths: []float64{1, 2, 3}, MaxQ: 10, Elements: []Element{{Q: 5, Units: []Unit{{0, 1}}, Coef: []float64{1}}}}
	if _, why := m.Enlarged([]*Front{inner}, []int{0}); why != "" {
		t.Errorf("an inner element is at the border: %s", why)
	}
	// A forward selection ends by itself, and targets of one value leave nothing to choose.
	s, err := ROFS{Widths: Widths{Lo: 0.3, Hi: 3, Steps: 4}}.Fit(ctx, rows, y)
	if err != nil || strings.Contains(s[0].Fronts[0].Border(0), "complexity") {
		t.Errorf("forward selection: %q, %v", s[0].Fronts[0].Border(0), err)
	}
	one, err := MOBJ{Widths: m.Widths}.Fit(ctx, rows, mat.NewDense(40, 1, nil))
	if err != nil || one[0].Border(0) != "" {
		t.Errorf("constant network: %q, %v", one[0].Border(0), err)
	}
	// One output at the narrow end, one at the wide: both ends move.
	ends := &Front{
		Widths:   []float64{1, 2, 4},
		MaxQ:     10,
		Elements: []Element{{Units: []Unit{{0, 0}}, Coef: []float64{1}}, {Units: []Unit{{0, 2}}, Coef: []float64{1}}},
	}
	some, _ = m.Enlarged([]*Front{ends, ends}, []int{0, 1})
	if w := some.(MOBJ).Widths; w.Lo != 0.5 || w.Hi != 8 || w.Steps != 4 {
		t.Errorf("both ends: %+v", w)
	}
}

// most chooses the most complex network of each front.
func most(fronts []*Front) (chosen []int, err error) {
	for _, f := range fronts {
		chosen = append(chosen, len(f.Elements)-1)
	}
	return chosen, nil
}

// The least error on other rows lies outside of too small a range, and inside of what it grows to; a
// choice that is always the last grows the range as often as allowed, and says so.
func TestInside(t *testing.T) {
	rows, y := regression(80, 1, 28)
	other, z := regression(80, 1, 29)
	best := func(fronts []*Front) ([]int, error) {
		v, err := fronts[0].Validate(ctx, other, mat.Col(nil, 0, z))
		if err != nil {
			return nil, err
		}
		at := 0
		for i, sse := range v.SSE {
			if sse < v.SSE[at] {
				at = i
			}
		}
		return []int{at}, nil
	}
	for name, r := range map[string]Enlargeable{
		"one width":      MOBJ{Widths: Widths{Lo: 0.1, Hi: 0.3, Steps: 4}, MaxQ: 2, Steps: 50},
		"several widths": Joint{Widths: Widths{Lo: 0.3, Hi: 3, Steps: 4}, MaxQ: 2, Steps: 50},
		"error":          Joint{Widths: Widths{Lo: 0.3, Hi: 3, Steps: 4}, MinShare: 0.5, Steps: 50},
	} {
		c, err := Inside(ctx, r, rows, y, 12, best)
		if err != nil {
			t.Fatal(name, err)
		}
		if c.Border != "" || len(c.Enlarged) == 0 || c.Fronts[0].Border(c.Chosen[0]) != "" {
			t.Errorf("%s: %d times, then %q", name, len(c.Enlarged), c.Border)
		}
		first, err := Inside(ctx, r, rows, y, 0, best)
		if err != nil {
			t.Fatal(name, err)
		}
		if len(first.Enlarged) != 0 || first.Border == "" || first.Border != c.Enlarged[0] {
			t.Errorf("%s: said %q, then enlarged for %q", name, first.Border, c.Enlarged[0])
		}
		if c, err = Inside(ctx, r, rows, y, 2, most); err != nil || len(c.Enlarged) != 2 || c.Border == "" {
			t.Errorf("%s: the last network: %v, %q, %v", name, c.Enlarged, c.Border, err)
		}
	}
}

// An interrupt while ranges grow keeps the choice made before.
func TestInterruptedInside(t *testing.T) {
	rows, y := regression(40, 1, 30)
	stopped, cancel := context.WithCancel(ctx)
	decisions := 0
	c, err := Inside(
		stopped,
		MOBJ{Widths: Widths{Lo: 0.3, Hi: 2, Steps: 4}, MaxQ: 2, Steps: 10},
		rows,
		y,
		5,
		func(f []*Front) ([]int, error) {
			if decisions++; decisions == 2 {
				cancel()
			}
			return most(f)
		},
	)
	if err != nil || decisions != 2 || len(c.Enlarged) != 1 || c.Border == "" {
		t.Errorf("%d decisions: %+v, %v", decisions, c, err)
	}
	if _, err := Inside(stopped, MOBJ{}, rows, y, 5, most); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted before anything: %v", err)
	}
}
