package fit

import (
	"context"
	"math"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/result"
)

// TestFrontOfAGivenWidth: where the width is the one that a front has chosen, networks are as complex as they were, and as near to the
// rows: the width is given, and the range of complexities grows.
func TestFrontOfAGivenWidth(t *testing.T) {
	const n = 40
	set := &data.Set{Source: "parabola", Features: []string{"a"}, Rows: data.Rows{Dense: mat.NewDense(n, 1, nil)}}
	for i := range n {
		x := 3 * math.Sin(float64(7*i))
		set.Rows.Dense.Set(i, 0, x)
		set.Answers = append(set.Answers, strconv.FormatFloat(x*x+0.3*math.Sin(float64(97*i)), 'g', -1, 64))
	}
	r := result.Recipe{Method: "mobj-rbf", Decision: "bic", Set: map[string]string{}}
	_, free, err := Fit(context.Background(), result.Input{Set: set}, r, result.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.Set["sigma"] = strconv.FormatFloat(free.Params["sigma"].(float64), 'g', -1, 64)
	_, given, err := Fit(context.Background(), result.Input{Set: set}, r, result.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, b := free.Metrics["labelled"]["rmse"], given.Metrics["labelled"]["rmse"]
	if b > 1.2*a || given.Params["sigma"] != free.Params["sigma"] {
		t.Errorf("by widths that were found the error is %g, by the same that was given %g: %v, %v", a, b, free.Params, given.Params)
	}
}
