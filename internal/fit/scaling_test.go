package fit

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/result"
)

// columns of these deviations, of which the first `useful` make the answers.
func columnsOf(n int, useful int, deviations ...float64) *data.Set {
	rng := rand.New(rand.NewPCG(7, 8))
	x := mat.NewDense(n, len(deviations), nil)
	set := &data.Set{Source: "made", LabelName: "label", Rows: data.Rows{Dense: x}}
	for i := range n {
		sum := 0.1 * rng.NormFloat64()
		for j, d := range deviations {
			z := rng.NormFloat64()
			x.Set(i, j, d*z)
			if j < useful {
				sum += z
			}
		}
		set.Answers = append(set.Answers, fmt.Sprint(sum > 0))
	}
	for j := range deviations {
		set.Features = append(set.Features, fmt.Sprint("x", j))
	}
	return set
}

// The rule looks at deviations alone, the labels at what they tell: small columns that matter are standardised, and small ones that
// are noise are left small. The reason is told, and the recipe stays as it was asked.
func TestScalingByTheLabels(t *testing.T) {
	noise := append([]float64{5, 5}, make([]float64, 12)...)
	for j := 2; j < len(noise); j++ {
		noise[j] = 0.3
	}
	for _, c := range []struct {
		name string
		set  *data.Set
		want string // the kind; "": as the rule has it
	}{
		{"small columns matter", columnsOf(300, 3, 1, 1, 1, 8, 8, 8, 8), data.ScaleStandard},
		{"the rule is right", columnsOf(300, 4, 1, 1, 1, 1), ""},
		{"large columns matter", columnsOf(300, 2, append(noise, 1e-3, 1e-3, 1e-3)...), data.ScaleNone},
		{"few labels", columnsOf(scalingLabels-1, 3, 1, 1, 1, 8, 8, 8, 8), ""},
	} {
		in := result.Input{Set: c.set}
		kind, why, err := chooseScaling(context.Background(), in, result.Recipe{}, result.Options{})
		if err != nil || kind != c.want || (kind == "") != (why == "") {
			t.Errorf("%s: %q, %q, %v; want %q", c.name, kind, why, err, c.want)
		}
		m, res, err := Fit(context.Background(), in, result.Recipe{Method: "rls"}, result.Options{})
		if err != nil {
			t.Fatal(err)
		}
		told := strings.Contains(res.Scaling, "left-out log loss") && !strings.Contains(string(m.Recipe), "scale")
		if c.want != "" && (m.Scaling.Kind != c.want || !told) {
			t.Errorf("%s: %s, %q, recipe %s", c.name, m.Scaling.Kind, res.Scaling, m.Recipe)
		}
		for _, r := range []result.Recipe{{Scale: "none"}, {Tune: "none", Method: "rls"}, {Scale: "minmax"}} {
			if kind, _, err := chooseScaling(context.Background(), in, r, result.Options{}); kind != "" || err != nil {
				t.Errorf("%s, %+v: %q, %v", c.name, r, kind, err)
			}
		}
	}
}

// Counts of words whose documents differ in length by chance alone take TF-IDF; weighted words are left as they are.
func TestScalingOfCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	const n, words = 300, 200
	set := &data.Set{Source: "made", LabelName: "label"}
	counts := mat.NewDense(n, words, nil)
	for i := range n {
		topic := i % 2
		for range 5 + rng.IntN(300)*rng.IntN(2) {
			j := rng.IntN(20) // common to both
			if rng.Float64() < 0.3 {
				j = 20 + topic*90 + rng.IntN(90)
			}
			counts.Set(i, j, counts.At(i, j)+1)
		}
		set.Answers = append(set.Answers, fmt.Sprint(topic))
	}
	set.Rows = data.Rows{Sparse: data.CSRFromDense(counts)}
	kind, why, err := chooseScaling(context.Background(), result.Input{Set: set}, result.Recipe{}, result.Options{})
	if err != nil || kind != data.ScaleTFIDF {
		t.Errorf("%q, %q, %v", kind, why, err)
	}
	set.Rows.Sparse.Value[0] = 0.5
	kind, _, err = chooseScaling(context.Background(), result.Input{Set: set}, result.Recipe{}, result.Options{})
	if kind != "" || err != nil {
		t.Errorf("weighted words: %q, %v", kind, err)
	}
}

// A method with a kernel of its own is scaled by the labels as one without: the kernel was not asked for.
func TestScalingOfAMethodWithAKernel(t *testing.T) {
	large := append([]float64{5, 5}, make([]float64, 12)...)
	for j := 2; j < len(large); j++ {
		large[j] = 0.3
	}
	in := result.Input{Set: columnsOf(300, 2, append(large, 1e-3, 1e-3, 1e-3)...)}
	p, err := read(in, result.Recipe{Method: "linear-rls"}, result.Options{})
	if err != nil || p.request.Recipe.Kernel == "" || p.recipe.Kernel != "" {
		t.Fatalf("%+v, %v", p, err)
	}
	for _, c := range []struct{ kernel, want string }{{"", data.ScaleNone}, {"linear", data.ScaleStandard}} {
		m, _, err := Fit(t.Context(), in, result.Recipe{Method: "linear-rls", Kernel: c.kernel}, result.Options{})
		if err != nil || m.Scaling.Kind != c.want {
			t.Errorf("kernel %q: scaled %q, want %q, %v", c.kernel, m.Scaling.Kind, c.want, err)
		}
	}
}

// Scalings are compared by the weights of the rows: a row of weight 2 counts as two, and weights that are alike change nothing.
func TestDifferenceByWeights(t *testing.T) {
	a, b, alike := []float64{3, 1, 5}, []float64{1, 2, 3}, []float64{7, 7, 7}
	mean, spread := difference(a, b, nil)
	if m, s := difference(a, b, alike); math.Abs(m-mean) > 1e-15 || math.Abs(s-spread) > 1e-15 {
		t.Errorf("%g +- %g, with equal weights %g +- %g", mean, spread, m, s)
	}
	twice, _ := difference([]float64{3, 3, 1, 5}, []float64{1, 1, 2, 3}, nil)
	if m, _ := difference(a, b, []float64{2, 1, 1}); math.Abs(m-twice) > 1e-15 {
		t.Errorf("%g, of rows that stand twice %g", m, twice)
	}
	set := columnsOf(150, 1, 1, 8)
	for i := range set.Answers {
		set.Weight = append(set.Weight, float64(1+i%2))
	}
	p, err := read(result.Input{Set: set}, result.Recipe{Method: "rls"}, result.Options{})
	if err != nil {
		t.Fatal(err)
	}
	one, err := p.answer(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if losses, weight := one.LeftOutLosses(); len(weight) != len(losses) || 2*weight[0] != weight[1] {
		t.Errorf("%d losses have the weights %v", len(losses), weight)
	}
}

// judging is a crew that knows the losses of both scalings.
type judging [2][]float64

func (judging) Apart() bool { return true }

func (j judging) Begin(context.Context, string, int, result.Piece) (result.Piece, error) {
	return func(context.Context, int) ([]byte, error) {
		var b bytes.Buffer
		err := gob.NewEncoder(&b).Encode(struct {
			Known bool
			Loss  [2][]float64
		}{true, j})
		return b.Bytes(), err
	}, nil
}

// From a hundred labels on the other scaling is taken where its loss is less by more than two standard errors and by more than a
// twentieth; no more than 300 rows judge, and the reason says how many.
func TestWhenScalingsAreChanged(t *testing.T) {
	const n = 100
	for _, c := range []struct {
		name   string
		labels int
		by     float64 // of a loss of one
		errors float64 // standard errors that this is; 0: each row says the same
		want   string  // in the reason; "": the scaling stays
	}{
		{"few labels", 99, 0.5, 0, ""}, {"as many as are needed", 100, 0.5, 0, "of 100 labelled rows"},
		{"as many as judge", 300, 0.5, 0, "of 300 labelled rows"}, {"more than judge", 350, 0.5, 0, "of 300 labelled rows"},
		{"less than a twentieth", 100, 0.049, 0, ""}, {"more than a twentieth", 100, 0.051, 0, "of 100"},
		{"less than two errors", 100, 0.5, 1.95, ""}, {"more than two errors", 100, 0.5, 2.05, "of 100"},
	} {
		var losses judging
		for i := range n {
			d := 0.0
			if c.errors > 0 {
				d = c.by / c.errors * math.Sqrt(n-1) * float64(2*(i%2)-1)
			}
			losses[0], losses[1] = append(losses[0], 1+d), append(losses[1], 1-c.by)
		}
		in := result.Input{Set: columnsOf(c.labels, 1, 1, 1)}
		kind, why, err := chooseScaling(t.Context(), in, result.Recipe{}, result.Options{Share: losses})
		if err != nil || (kind == "") != (c.want == "") || !strings.Contains(why, c.want) {
			t.Errorf("%s: %q, %q, %v", c.name, kind, why, err)
		}
	}
}

// away is a crew whose members are all gone.
type away struct{ err error }

func (away) Apart() bool { return false }

func (a away) Begin(context.Context, string, int, result.Piece) (result.Piece, error) {
	return nil, a.err
}

// TestScalingsThatAreNotCompared: where a crew cannot compare scalings the fit fails with it, and does not go on as if they were alike.
func TestScalingsThatAreNotCompared(t *testing.T) {
	in, gone := result.Input{Set: columnsOf(300, 3, 1, 1, 1, 8, 8, 8, 8)}, errors.New("nobody is left")
	o := result.Options{Share: away{gone}}
	if kind, _, err := chooseScaling(context.Background(), in, result.Recipe{}, o); !errors.Is(err, gone) {
		t.Errorf("%q, %v", kind, err)
	}
	if _, res, err := Fit(context.Background(), in, result.Recipe{Method: "rls"}, o); !errors.Is(err, gone) {
		t.Errorf("%+v, %v", res, err)
	}
}
