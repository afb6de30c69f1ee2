package calibrate

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A sigmoid of summaries is that of the rows, whether the classes overlap, are apart, or say nothing.
func TestFitSigmoidCellsIsThatOfRows(t *testing.T) {
	const width = 1.0 / 128
	for name, shift := range map[string]float64{"overlap": 1, "apart": 8, "nothing": 0, "the wrong way": -1} {
		r := rand.New(rand.NewPCG(3, 4))
		var scores []float64
		var second []bool
		var cells [2]map[int]*Cell
		for k := range cells {
			cells[k] = map[int]*Cell{}
		}
		for i := range 3000 {
			class := 0
			f := r.NormFloat64() - shift/2 - 0.3
			if i%3 == 0 {
				class, f = 1, f+shift
			}
			scores, second = append(scores, f), append(second, class == 1)
			at := int(math.Floor(f / width))
			c := cells[class][at]
			if c == nil {
				c = &Cell{Middle: (float64(at) + 0.5) * width}
				cells[class][at] = c
			}
			p := 1.0
			for k := range c.Moments {
				c.Moments[k] += p
				p *= f - c.Middle
			}
		}
		want, err := FitSigmoid(scores, second, nil)
		if err != nil {
			t.Fatal(err)
		}
		var list [2][]Cell
		for k := range cells {
			for _, c := range cells[k] {
				list[k] = append(list[k], *c)
			}
		}
		got, err := FitSigmoidCells(list[0], list[1])
		if err != nil || math.Abs(got.Slope-want.Slope) > 1e-7*(1+want.Slope) ||
			math.Abs(got.Offset-want.Offset) > 1e-7*(1+math.Abs(want.Offset)) {
			t.Errorf("%s: %+v (%v), of rows %+v", name, got, err, want)
		}
	}
	if _, err := FitSigmoidCells(nil, nil); err == nil {
		t.Error("a sigmoid of no row")
	}
}

// Of wide cells the value is nearly that of the rows, and its derivatives are its differences; the two classes count with their rows.
func TestWideCells(t *testing.T) {
	rows := [2][]float64{{-0.9, -0.55, -0.45, 1.1}, {0.05, 0.9, 1.2, 1.45}}
	var s summaries
	for k, list := range rows {
		s[k].target = 0.2 + 0.5*float64(k)
		for _, middle := range []float64{-0.75, -0.25, 0.25, 0.75, 1.25} {
			c := Cell{Middle: middle}
			for _, f := range list {
				if math.Abs(f-middle) <= 0.25 {
					for q := range c.Moments {
						c.Moments[q] += math.Pow(f-middle, float64(q))
					}
				}
			}
			s[k].cells = append(s[k].cells, c)
		}
	}
	const h = 1e-5
	for _, at := range [][2]float64{{0.4, 0}, {1.5, -0.6}, {3, 0.5}} {
		a, b := at[0], at[1]
		want := 0.0
		for k, list := range rows {
			for _, f := range list {
				want += Softplus(a*f+b) - s[k].target*(a*f+b)
			}
		}
		if got := s.value(a, b); math.Abs(got-want) > 1e-5 {
			t.Errorf("at %v the loss is %g, of rows %g", at, got, want)
		}
		ga, gb, haa, hab, hbb := s.derivatives(a, b)
		up, upB, _, _, _ := s.derivatives(a+h, b)
		down, downB, _, _, _ := s.derivatives(a-h, b)
		_, above, _, _, _ := s.derivatives(a, b+h)
		_, below, _, _, _ := s.derivatives(a, b-h)
		for what, c := range map[string][2]float64{
			"by a": {ga, (s.value(a+h, b) - s.value(a-h, b)) / (2 * h)}, "by b": {gb, (s.value(a, b+h) - s.value(a, b-h)) / (2 * h)},
			"twice by a": {haa, (up - down) / (2 * h)}, "by both": {hab, (upB - downB) / (2 * h)}, "twice by b": {hbb, (above - below) / (2 * h)},
		} {
			if math.Abs(c[0]-c[1]) > 1e-8 {
				t.Errorf("at %v the derivative %s is %.12g, differences %.12g", at, what, c[0], c[1])
			}
		}
	}
	// As many rows of both classes.
	var cells [2][]Cell
	var scores []float64
	var second []bool
	for k, list := range rows {
		for _, f := range list {
			cells[k] = append(cells[k], Cell{Middle: f, Moments: [6]float64{1}})
			scores, second = append(scores, f), append(second, k == 1)
		}
	}
	want, err := FitSigmoid(scores, second, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := FitSigmoidCells(cells[0], cells[1]); err != nil || math.Abs(got.Slope-want.Slope) > 1e-7 ||
		math.Abs(got.Offset-want.Offset) > 1e-7 {
		t.Errorf("%+v (%v), of rows %+v", got, err, want)
	}
}

// The loss of a row and its derivatives are finite and right however far its output is from zero.
func TestTaylorFarOut(t *testing.T) {
	var g [8]float64
	for z, want := range map[float64][3]float64{ // of t = 1/4: the loss and two derivatives
		0: {math.Ln2, 0.25, 0.25}, 1000: {750, 0.75, 0}, -1000: {250, -0.25, 0}, 40: {30, 0.75, math.Exp(-40)},
		-40: {10, -0.25, math.Exp(-40)},
	} {
		taylor(&g, z, 0.25)
		for k, v := range want {
			if math.Abs(g[k]-v) > 1e-15*(1+math.Abs(v)) {
				t.Errorf("at %g: derivative %d is %g, want %g", z, k, g[k], v)
			}
		}
	}
}
