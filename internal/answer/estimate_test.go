package answer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// TestEstimateOfClasses: the bounds of Clopper and Pearson against binomial sums, and the ends.
func TestEstimateOfClasses(t *testing.T) {
	losses := Losses{Task: data.Classification, Each: make([]float64, 20)}
	none := losses.Estimate(0.9, "leave-one-out", true)
	if none.Error != 0 || none.Low != 0 || math.Abs(none.High-(1-math.Pow(0.05, 1./20))) > 1e-12 {
		t.Errorf("no error of 20: %+v", none)
	}
	for i := range 3 {
		losses.Each[i] = 1
	}
	e := losses.Estimate(0.9, "leave-one-out", true)
	atMost := func(k int, p float64) (sum float64) {
		term := math.Pow(1-p, 20)
		for j := range k + 1 {
			sum += term
			term *= float64(20-j) / float64(j+1) * p / (1 - p)
		}
		return sum
	}
	if math.Abs(atMost(3, e.High)-0.05) > 1e-9 || math.Abs(1-atMost(2, e.Low)-0.05) > 1e-9 {
		t.Errorf("3 errors of 20: %+v has tails %g and %g", e, atMost(3, e.High), 1-atMost(2, e.Low))
	}
	if (Losses{}).Estimate(0.9, "", true) != nil {
		t.Error("an estimate of nothing")
	}
}

// TestEstimateOfNumbers: the interval holds the root of the mean square, is as wide for every unit, and narrows as rows grow.
func TestEstimateOfNumbers(t *testing.T) {
	squares := func(n int, unit float64) Losses {
		l := Losses{Task: data.Regression}
		for i := range n {
			r := unit * float64(i%7-3)
			l.Each = append(l.Each, r*r)
		}
		return l
	}
	a, b, c := squares(70, 1).Estimate(0.9, "", true), squares(70, 10).Estimate(0.9, "", true), squares(700, 1).Estimate(0.9, "", true)
	if !(a.Low < 2 && 2 < a.High && a.Low < a.Error && a.Error < a.High) || a.Measure != "rmse" {
		t.Errorf("rmse 2: %+v", a)
	}
	if math.Abs(b.Low-10*a.Low) > 1e-9 || math.Abs(b.Error-10*a.Error) > 1e-9 {
		t.Errorf("in another unit %+v, not ten times %+v", b, a)
	}
	if c.High-c.Low > (a.High-a.Low)/2 {
		t.Errorf("700 rows: %+v, 70 rows: %+v", c, a)
	}
	if (Losses{Task: data.Regression, Each: []float64{math.Inf(1), 1}}).Estimate(0.9, "", true) != nil {
		t.Error("an estimate of an error that is not finite")
	}
}

// TestUnequalClasses: a class is rare that has less than half of an even share of the labels.
func TestUnequalClasses(t *testing.T) {
	for _, c := range []struct {
		of      [3]int
		classes int
		want    bool
	}{{[3]int{1, 3}, 2, false}, {[3]int{1, 4}, 2, true}, {[3]int{2, 5, 5}, 3, false}, {[3]int{2, 5, 6}, 3, true}, {[3]int{5}, 1, false},
		{[3]int{0, 3}, 2, true}} {
		var class []int
		for k, n := range c.of {
			class = append(class, slices.Repeat([]int{k}, n)...)
		}
		if got := unequal(class, c.classes); got != c.want {
			t.Errorf("%v: %v", c.of, got)
		}
	}
}

// TestThreshold: the share of the probabilities above it is what was asked for.
func TestThreshold(t *testing.T) {
	for _, share := range []float64{0.01, 0.2, 0.5, 0.99} {
		p := []float64{0.9, 0.1, 0.3, 0.7, 0.2, 0.6, 0.8, 0.4, 0.55, 0.05}
		at, above := threshold(p, share), 0.0
		for _, v := range p {
			if v > at {
				above++
			}
		}
		if above != math.Round(10*share) || !(at > 0 && at < 1) {
			t.Errorf("%g: %g of 10 are above %g", share, above, at)
		}
	}
}

// TestEstimateOfGroups: rows of groups of one are rows; of groups whose rows are alike the interval is that of so many rows; what lies
// between is between; and intervals hold the mean that they are of.
func TestEstimateOfGroups(t *testing.T) {
	const groups, size = 30, 4
	rng := rand.New(rand.NewPCG(3, 3))
	for _, task := range []data.Task{data.Classification, data.Regression} {
		draw := func() float64 {
			if v := rng.ExpFloat64(); task == data.Regression {
				return v
			}
			return float64(rng.IntN(2))
		}
		var alike, mixed, single Losses
		alike.Task, mixed.Task, single.Task = task, task, task
		for g := range groups {
			v := draw()
			single.Each, single.Group = append(single.Each, v), append(single.Group, "")
			for range size {
				alike.Each, alike.Group = append(alike.Each, v), append(alike.Group, fmt.Sprint(g))
				mixed.Each, mixed.Group = append(mixed.Each, draw()), append(mixed.Group, fmt.Sprint(g))
			}
		}
		width := func(l Losses) float64 {
			e := l.Estimate(0.9, "", true)
			if !(e.Low <= e.Error && e.Error <= e.High) {
				t.Errorf("%v: %+v", task, e)
			}
			return e.High - e.Low
		}
		rows := func(l Losses) float64 { l.Group = nil; return width(l) }
		if a, b := width(single), rows(single); a != b {
			t.Errorf("%v: rows on their own have an interval of %g, rows %g", task, a, b)
		}
		if a, b := width(alike), rows(single); a < 0.95*b || a > 1.15*b {
			t.Errorf("%v: groups of alike rows have an interval of %g, so many rows %g", task, a, b)
		}
		if a := width(mixed); a < 0.999*rows(mixed) || a > 1.5*rows(mixed) {
			t.Errorf("%v: groups of unlike rows have an interval of %g, so many rows %g", task, a, rows(mixed))
		}
	}
	none := Losses{Each: []float64{0, 0, 0, 0}, Group: []string{"a", "a", "b", "b"}, Task: data.Classification}
	two := Losses{Each: []float64{0, 0}, Task: data.Classification}
	if a, b := none.Estimate(0.9, "", true), two.Estimate(0.9, "", true); a.High != b.High || a.Rows != 4 {
		t.Errorf("without an error: %+v, of two rows %+v", a, b)
	}
}

// TestStretches: judged rows of a fit in order are in as many stretches of it as a choice is made anew for, whatever their places in the
// file.
func TestStretches(t *testing.T) {
	a := sixRows(nil, nil)
	a.Task.Labels = data.Labels{Task: data.Regression, Value: []float64{0, 1, 2, 3, 4, 5}, Order: []float64{60, 50, 40, 30, 20, 10}}
	a.Task.Problem.Labelled = []int{0, 1, 2, 3, 4, 5}
	if got := a.stretches([]int{0, 1, 2, 3, 4}); !slices.Equal(got, []string{"4", "3", "2", "1", "0", ""}) {
		t.Errorf("stretches %q", got)
	}
	a.Task.Problem.Labelled = []int{0, 1}
	if got := a.stretches([]int{0, 1}); got != nil {
		t.Errorf("of some of the labelled rows: %q", got)
	}
}
