package method

import (
	"reflect"
	"testing"

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
