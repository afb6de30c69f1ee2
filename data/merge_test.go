package data

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Statistics of parts of rows, merged, are those of all rows; columns that a part lacks are zero in its rows.
func TestColumnStatsMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	x := mat.NewDense(200, 3, nil)
	for i := range 200 {
		for j := range 3 {
			x.Set(i, j, 1e6+r.NormFloat64()*float64(j)) // the first column is constant
		}
		if i < 70 {
			x.Set(i, 2, 0)
		}
	}
	part := func(lo, hi, d int) *ColumnStats { return Rows{Dense: x.Slice(lo, hi, 0, d).(*mat.Dense)}.ColumnStats() }
	got, want := NewColumnStats(0), part(0, 200, 3)
	for _, p := range []*ColumnStats{part(0, 1, 2), part(1, 70, 2), NewColumnStats(3), part(70, 200, 3)} {
		got.Merge(p)
	}
	if got.N != 200 || !slices.Equal(got.Min, want.Min) || !slices.Equal(got.Max, want.Max) || !got.Constant(0) ||
		!slices.Equal(got.NonZero, want.NonZero) || got.NonZero[2] != 130 {
		t.Errorf("%+v, want %+v", got, want)
	}
	for j := range 3 {
		if math.Abs(got.Mean[j]-want.Mean[j]) > 1e-12*math.Abs(want.Mean[j]) || math.Abs(got.SD(j)-want.SD(j)) > 1e-9*want.SD(j) {
			t.Errorf("column %d: mean %v, deviation %v; want %v, %v", j, got.Mean[j], got.SD(j), want.Mean[j], want.SD(j))
		}
	}
}

// Answers that are counted say what the answers themselves say, however often each comes.
func TestInterpretCounts(t *testing.T) {
	for _, raw := range []Answers{
		{"1", "2", "", "2", "NA", "1", "1"}, {"a", "b", "a", ""}, {"1.5", "2", "2"}, {"01", "1", "2", "01"},
		{"5", "9", "70", "5"}, {"?", ""}, {"x", "x"},
	} {
		want, errWant := Interpret(raw, "y", LabelOptions{})
		got, err := InterpretCounts(raw.counts(), "y", LabelOptions{})
		if (err == nil) != (errWant == nil) || got.Task != want.Task || got.Decided != want.Decided || !slices.Equal(got.Classes, want.Classes) {
			t.Errorf("%q: %+v, %v; want %+v, %v", raw, got, err, want, errWant)
		}
	}
}
