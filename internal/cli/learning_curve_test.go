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
	"github.com/mercer-ml/mercer/search/param"
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

// TestSurfacesThatAreCheap: a page has contours where 3e10 operations make them, by 25 values of a parameter or by 15: of n rows in a graph
// a score takes n^3, of l labels without one 50 l^3.
func TestSurfacesThatAreCheap(t *testing.T) {
	for _, c := range []struct {
		second               string // parameter, beside sigma
		rows, labels, points int
	}{
		{"lambda", 900, 98, 25}, {"lambda", 900, 99, 15}, {"lambda", 900, 138, 15}, {"lambda", 900, 139, 0},
		{"gamma_i", 363, 200, 25}, {"gamma_i", 364, 200, 15}, {"gamma_i", 510, 200, 15}, {"gamma_i", 511, 200, 0},
	} {
		set := &data.Set{Rows: data.Rows{Dense: mat.NewDense(c.rows, 1, nil)}}
		l := &listening{in: &mercer.Input{Set: set}, labels: c.labels, visited: [][]float64{{1, 1}, {2, 4}}}
		space := param.Space{{Name: "sigma", Kind: param.Log, Lo: 1e-3, Hi: 1e3}, {Name: c.second, Kind: param.Log, Lo: 1e-3, Hi: 1e3}}
		scored := 0
		err := l.surface(t.Context(), space, func(context.Context, []float64) (float64, error) { scored++; return 0, nil })
		if err != nil || scored != c.points*c.points || (l.run.Surface != nil) != (c.points > 0) {
			t.Errorf("%+v: %d scores, %v", c, scored, err)
		}
	}
}
