package calibrate

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// drawnMargins are margins of rows, more of them right than wrong, as they are and summarised.
func drawnMargins(n int, seed uint64) ([]float64, *Margins) {
	r := rand.New(rand.NewPCG(seed, 5))
	rows, s := make([]float64, n), new(Margins)
	for i := range rows {
		rows[i] = 2*r.NormFloat64() + 0.7
		s.Add(rows[i])
	}
	return rows, s
}

// The log loss of summaries and its derivatives are those of the rows, at slopes small and large.
func TestMarginsAreThoseOfRows(t *testing.T) {
	for _, n := range []int{1, 50} {
		rows, s := drawnMargins(n, uint64(n))
		e := 1 / float64(n+2)
		order := make([]int32, 0, len(s.Cells))
		for at := range s.Cells {
			order = append(order, at)
		}
		slices.Sort(order)
		for _, slope := range []float64{0.01, 0.6, 3, 12} {
			var want [3]float64
			for _, m := range rows {
				wrong := 1 / (1 + math.Exp(slope*m))
				want[0] += math.Log1p(math.Exp(-slope*m)) + e*slope*m
				want[1] += m * (e - wrong)
				want[2] += m * m * wrong * (1 - wrong)
			}
			var got [3]float64
			got[0], got[1], got[2] = s.at(order, slope)
			for k, v := range got {
				if w := want[k] / float64(n); math.Abs(v-w) > 1e-9*(1+math.Abs(w)) {
					t.Errorf("%d rows, slope %g: derivative %d is %.12g, of rows %.12g", n, slope, k, v, w)
				}
			}
		}
	}
}

// The temperature is that of the least loss, and the loss is the one there; summaries joined are those of all rows.
func TestTemperatureOfMargins(t *testing.T) {
	rows, s := drawnMargins(60, 3)
	of := func(temperature float64) (loss float64) {
		for _, m := range rows {
			loss += (math.Log1p(math.Exp(-temperature*m)) + temperature*m/62) / 60
		}
		return loss
	}
	loss, temperature := s.LogLoss()
	if math.Abs(loss-of(temperature)) > 1e-10 || of(1.01*temperature) < loss || of(temperature/1.01) < loss || temperature < 0.1 {
		t.Errorf("the loss is %g at %g, near it %g and %g", loss, temperature, of(1.01*temperature), of(temperature/1.01))
	}
	joined := new(Margins)
	for k := range 3 {
		part := new(Margins)
		for _, m := range rows[20*k : 20*k+20] {
			part.Add(m)
		}
		joined.Join(part)
	}
	again, same := joined.LogLoss()
	if math.Abs(again-loss) > 1e-12 || math.Abs(same/temperature-1) > 1e-9 || joined.Rows != 60 || joined.Largest != s.Largest {
		t.Errorf("joined: %g at %g, expected %g at %g", again, same, loss, temperature)
	}
	// In other units of the outputs the temperature is in these, and the loss the same.
	for _, unit := range []float64{1e-9, 1e-4, 1e-2, 64, 1e5} {
		scaled := new(Margins)
		for _, m := range rows {
			scaled.Add(unit * m)
		}
		if again, same := scaled.LogLoss(); math.Abs(again-loss) > 1e-6 || math.Abs(unit*same/temperature-1) > 1e-6 {
			t.Errorf("%g times as large: %g at %g", unit, again, same)
		}
	}
	for _, m := range []float64{0, math.NaN(), math.Inf(-1), 1e300} {
		none := new(Margins)
		none.Add(m)
		if loss, temperature := none.LogLoss(); loss != math.Ln2 || temperature != 0 || none.Rows != 1 {
			t.Errorf("of a margin of %g: %g at %g", m, loss, temperature)
		}
	}
	wrong := new(Margins)
	wrong.Add(-4)
	if _, temperature := wrong.LogLoss(); math.Abs(4*temperature/1e-6-1) > 1e-12 {
		t.Errorf("of a margin of the wrong sign the temperature is %g", temperature)
	}
	small := new(Margins)
	for _, m := range []float64{0.25, 0.5, -0.125} {
		small.Add(m)
	}
	if loss, temperature := small.LogLoss(); !(loss < math.Ln2) || !(temperature > 0) {
		t.Errorf("of small margins: %g at %g", loss, temperature)
	}
}

// Outputs of a class are its margins times its sign, as cells of what they are.
func TestOutputsOfMargins(t *testing.T) {
	rows, s := drawnMargins(40, 4)
	for _, y := range []float64{1, -1} {
		want := map[float64]*Cell{}
		for _, m := range rows {
			at, _ := intervalOf(m)
			middle := y * middleOf(at)
			if want[middle] == nil {
				want[middle] = &Cell{Middle: middle}
			}
			for k := range want[middle].Moments {
				want[middle].Moments[k] += math.Pow(y*m-middle, float64(k))
			}
		}
		cells := s.Outputs(y)
		ordered := slices.IsSortedFunc(cells, func(a, b Cell) int { return cmp.Compare(y*a.Middle, y*b.Middle) })
		if len(cells) != len(want) || !ordered {
			t.Errorf("%d cells, expected %d in order", len(cells), len(want))
		}
		for _, c := range cells {
			for k, v := range c.Moments {
				if w := want[c.Middle]; w == nil || math.Abs(v-w.Moments[k]) > 1e-12 {
					t.Fatalf("sign %g: the cell %+v is of %+v", y, c, w)
				}
			}
		}
	}
}

// TestSigmoidOfMargins: the sigmoid of outputs that are known by their margins is that of the rows, in any unit of the outputs.
func TestSigmoidOfMargins(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 5))
	outputs, second := make([]float64, 2000), make([]bool, 2000)
	for i := range outputs {
		outputs[i], second[i] = r.NormFloat64()-0.8, i%3 == 0
		if second[i] {
			outputs[i] += 1.5
		}
	}
	for _, unit := range []float64{1e-8, 1e-3, 1, 1e4} {
		scaled, margins := make([]float64, len(outputs)), [2]Margins{}
		for i, o := range outputs {
			if scaled[i] = unit * o; second[i] {
				margins[1].Add(scaled[i])
			} else {
				margins[0].Add(-scaled[i])
			}
		}
		want, err := FitSigmoid(scaled, second, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := FitSigmoidCells(margins[0].Outputs(-1), margins[1].Outputs(1))
		if err != nil || math.Abs(got.Slope/want.Slope-1) > 1e-6 || math.Abs(got.Offset-want.Offset) > 1e-6 {
			t.Errorf("unit %g: %+v (%v), of rows %+v", unit, got, err, want)
		}
	}
}
