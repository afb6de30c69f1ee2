package method

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

// TestSeedOfSearch: the points that a random search looks at are drawn from the recipe's seed, which is 1 unless it is given.
func TestSeedOfSearch(t *testing.T) {
	space := param.Space{
		{Name: "sigma", Kind: param.Log, Lo: 0.01, Hi: 100, Default: 1},
		{Name: "lambda", Kind: param.Log, Lo: 0.01, Hi: 100, Default: 1},
	}
	points := func(seed uint64) (list [][]float64) {
		s := searching{word: "random", t: &task.Task{Request: task.Request{Recipe: result.Recipe{Seed: seed}}}}
		r, err := search.Driver{}.Run(t.Context(), bowl{space}, s.search(space, 5))
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range r.Trace {
			list = append(list, one.Theta)
		}
		return list
	}
	none, one, two := points(0), points(1), points(2)
	if len(one) != 5 || !reflect.DeepEqual(none, one) || reflect.DeepEqual(one, two) {
		t.Errorf("without a seed %v, of 1 %v, of 2 %v", none, one, two)
	}
}

// impatient is a score that may not be asked often.
type impatient struct {
	bowl
	left *int
}

func (s impatient) Eval(context.Context, []float64, param.Want) (param.Value, error) {
	if *s.left--; *s.left < 0 {
		return param.Value{}, errors.New("asked too often")
	}
	return param.Value{F: 1}, nil
}

func (s impatient) Train(context.Context, []float64) (*choose.Candidates, error) {
	return new(choose.Candidates), nil
}

// TestLargeGrids: without a budget all points of a grid are tried, but of a million and more only as many as of other searches.
func TestLargeGrids(t *testing.T) {
	space := param.Space{
		{Name: "sigma", Kind: param.Real, Lo: 1, Hi: 2000, Default: 1}, {Name: "lambda", Kind: param.Real, Lo: 1, Hi: 2000, Default: 1},
	}
	for _, c := range []struct {
		sigmas, lambdas int
		cut             bool
	}{{999, 1001, false}, {1000, 1000, true}} {
		values := map[string][]float64{}
		for name, n := range map[string]int{"sigma": c.sigmas, "lambda": c.lambdas} {
			for v := range n {
				values[name] = append(values[name], float64(v+1))
			}
		}
		left := search.DefaultBudget + 100
		of := &task.Task{Request: task.Request{Kernel: values}, Input: result.Input{Set: &data.Set{Source: "rows"}}}
		found, _, err := searching{word: "grid", t: of}.run(t.Context(), impatient{bowl{space}, &left}, space, 0)
		if cut := err == nil && found.Evaluations == search.DefaultBudget; cut != c.cut {
			t.Errorf("%d x %d points: %d evaluations, %v", c.sigmas, c.lambdas, found.Evaluations, err)
		}
	}
}
