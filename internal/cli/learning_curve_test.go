package cli

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/result"
	"gonum.org/v1/gonum/mat"
)

// TestCurveUnasked: a learning curve is made of enough labels, after a fit that took little time, was given no limit of it and
// estimated an error.
func TestCurveUnasked(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end() // the fits of the parts are not waited for
	for _, c := range []struct {
		labels   int
		seconds  float64
		limit    time.Duration
		estimate bool
		want     bool
	}{
		{40, 1, 0, true, true}, {39, 1, 0, true, false}, {40, 60, 0, true, true}, {40, 60.5, 0, true, false},
		{40, 1, time.Second, true, false}, {40, 1, 0, false, false}, {1000, 1, 0, true, true},
	} {
		set := &data.Set{Source: "set", Features: []string{"a"}, Rows: data.Rows{Dense: mat.NewDense(c.labels, 1, nil)}}
		for i := range c.labels {
			set.Answers = append(set.Answers, strconv.Itoa(i%2))
		}
		l := &listening{in: &mercer.Input{Set: set}, labels: c.labels}
		res := &mercer.Result{}
		if res.Seconds.Total = c.seconds; c.estimate {
			res.Estimate = new(result.Estimate)
		}
		said := 0
		l.curve(ended, func(string, ...any) { said++ }, res, mercer.Options{TimeLimit: c.limit})
		if (said == 1) != c.want || l.run.Curve != nil {
			t.Errorf("%+v: said %d times, %v", c, said, l.run.Curve)
		}
	}
}

// TestWithout: a column goes if every cell below its head is "-"; the first stays, whatever it holds.
func TestWithout(t *testing.T) {
	for _, c := range []struct{ grid, want [][]string }{
		{[][]string{{"name", "a", "b"}, {"x", "1", "-"}}, [][]string{{"name", "a"}, {"x", "1"}}},
		{[][]string{{"name", "a", "b"}, {"x", "1", "-"}, {"y", "-", "-"}}, [][]string{{"name", "a"}, {"x", "1"}, {"y", "-"}}},
		{[][]string{{"name", "a", "b"}, {"x", "-", "2"}, {"y", "3", "-"}},
			[][]string{{"name", "a", "b"}, {"x", "-", "2"}, {"y", "3", "-"}}},
		{[][]string{{"name", "a"}, {"-", "-"}}, [][]string{{"name"}, {"-"}}},
		{[][]string{{"name", "-"}, {"x", "-"}}, [][]string{{"name"}, {"x"}}},
	} {
		if got := without(c.grid); !slices.EqualFunc(got, c.want, slices.Equal) {
			t.Errorf("%v: %v, want %v", c.grid, got, c.want)
		}
	}
}
