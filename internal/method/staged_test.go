package method

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

// TestStaged: a second stage ends before it begins where no score would pay for its parameters, and later where what it gains dies down
// below their price; it goes on where that is in reach.
func TestStaged(t *testing.T) {
	after := func(by func(k float64) float64, n int) []float64 {
		list := make([]float64, n)
		for i := range list {
			list[i] = by(float64(i + 1))
		}
		return list
	}
	dying := func(k float64) float64 { return 0.5 - 0.1*(1-math.Exp(-k/5)) } // gains 10 nats of 100 rows
	for _, c := range []struct {
		name  string
		by    score.Criterion
		extra int
		best  []float64
		want  bool
	}{
		{"all of the log loss is too little", score.LogLoss{}, 50, nil, true},
		{"it may be enough", score.LogLoss{}, 49, nil, false},
		{"squares have no such limit", score.Press{}, 1000, nil, false},
		{"between two looks", score.LogLoss{}, 40, after(dying, 15), false},
		{"dying down", score.LogLoss{}, 13, after(dying, 20), true},
		{"in reach", score.LogLoss{}, 10, after(dying, 10), false},
		{"reached", score.LogLoss{}, 9, after(dying, 40), false},
		{"steady", score.LogLoss{}, 25, after(func(k float64) float64 { return 0.5 - 0.01*k }, 10), true},
		{"steady and in reach", score.LogLoss{}, 19, after(func(k float64) float64 { return 0.5 - 0.01*k }, 10), false},
	} {
		if got := staged(c.by, 100, c.extra)(0.5, c.best); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// bowl is a score with its least in the middle, with one width further out than the other.
type bowl struct{ space param.Space }

func (b bowl) Space() param.Space { return b.space }

func (b bowl) Eval(_ context.Context, theta []float64, _ param.Want) (param.Value, error) {
	x, y := math.Log2(theta[0])-1, math.Log2(theta[1])-2
	return param.Value{F: 1 + x*x + y*y, Grad: []float64{2 * x / (theta[0] * math.Ln2), 2 * y / (theta[1] * math.Ln2)}}, nil
}

// TestStagedSearch: the evaluations of a search that is ended in its second stage are those of the first, and the looks before the end.
func TestStagedSearch(t *testing.T) {
	space := param.Space{
		{Name: "sigma[1]", Kind: param.Log, Lo: 0.01, Hi: 100, Default: 1},
		{Name: "sigma[2]", Kind: param.Log, Lo: 0.01, Hi: 100, Default: 1},
	}
	bowl := bowl{space}
	count := func(stop func(float64, []float64) bool) int {
		inner := func(start []float64) search.Search { return search.Gradient{Start: start} }
		c := search.Coarse{Groups: [][]int{{0, 1}}, Stop: stop, Inner: inner}
		r, err := search.Driver{}.Run(context.Background(), bowl, c)
		if err != nil || r.Status != search.Converged {
			t.Fatal(r.Status, err)
		}
		return r.Evaluations
	}
	first := count(func(float64, []float64) bool { return true })
	if all, one := count(nil), count(func(_ float64, best []float64) bool { return len(best) == 1 }); one != first+1 || all <= one {
		t.Errorf("%d evaluations in the first stage, %d to the first of the second, %d in all", first, one, all)
	}
}
