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
		want, err := FitSigmoid(scores, second)
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
