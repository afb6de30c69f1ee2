package method

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/search/param"
)

// TestUnseenRows: machines judged by rows that leave the graph have left-out outputs whose score is the one that a search sees, no
// more neighbours than the smallest training set has other rows, and the error of a context that has ended.
func TestUnseenRows(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	for _, k := range []machine{
		{id: "lap-rls", family: Warped, baseline: "rls"},
		{id: "lap-logistic", family: Warped, losses: []string{"logistic"}, baseline: "logistic"},
	} {
		m, r, err := Read(asked(t, k.id+" --tune kfold:3:inductive --search random"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := task.Prepare(t.Context(), inputs()["two"], r, result.Options{}, m.Coding, 0)
		if err != nil {
			t.Fatal(err)
		}
		of, err := k.tunable(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		f, ok := of.(*unseen)
		if !ok {
			t.Fatalf("%s is %T", k.id, of)
		}
		space := f.Space()
		if d := space[space.Index(task.Neighbours.Name)]; f.rows != 24-7 || d.Hi > float64(f.rows-1) || d.Default > d.Hi {
			t.Errorf("%s: %d rows at least, %+v", k.id, f.rows, d)
		}
		theta := space.Defaults()
		value, err := f.Eval(t.Context(), theta, param.ValueOnly)
		if err != nil {
			t.Fatal(err)
		}
		s, err := f.Train(t.Context(), theta)
		if err != nil {
			t.Fatal(err)
		}
		out := s.Members[0].Machine.LeftOut
		if again := f.Criterion.Eval(p.Problem, nil, out, nil); math.Abs(again-value.F) > 1e-9*math.Abs(value.F) {
			t.Errorf("%s: the left-out outputs have the score %g, the search sees %g", k.id, again, value.F)
		}
		if s, err := f.Train(ended, theta); !errors.Is(err, context.Canceled) {
			t.Errorf("%s of a context that has ended: %v, %v", k.id, s, err)
		}
	}
}

// TestLateWidths: kernels with a width for each column enter a race where there are several columns and not too many, the rows are
// dense and no kernel was asked for.
func TestLateWidths(t *testing.T) {
	for _, c := range []struct {
		columns      int
		sparse, asks bool
		want         bool
	}{
		{1, false, false, false}, {2, false, false, true}, {500, false, false, true}, {501, false, false, false}, {2, true, false, false},
		{2, false, true, false},
	} {
		in := wide(c.columns, c.sparse)
		r := result.Recipe{}
		if c.asks {
			r.Kernel = "gaussian"
		}
		m, q, err := Read(r)
		if err != nil {
			t.Fatal(err)
		}
		p, err := task.Prepare(t.Context(), in, q, result.Options{}, m.Coding, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := lateEntrants(p); ok != c.want {
			t.Errorf("%+v: %v", c, ok)
		}
	}
}

// wide are some rows of two classes with so many columns.
func wide(columns int, sparse bool) result.Input {
	const n = 12
	x := mat.NewDense(n, columns, nil)
	set := &data.Set{Source: "wide", Rows: data.Rows{Dense: x}}
	for j := range columns {
		set.Features = append(set.Features, fmt.Sprint("f", j))
		for i := range n {
			x.Set(i, j, math.Sin(float64(7*i+j*j)))
		}
	}
	if sparse {
		set.Rows = data.Rows{Sparse: data.CSRFromDense(x)}
	}
	for i := range n {
		set.Answers = append(set.Answers, []string{"no", "yes"}[i%2])
	}
	return result.Input{Set: set}
}

// TestSearchOnLandmarks: a search on landmarks keeps a graph of ten neighbours and degree two, or what is set, and its default is a graph
// that weighs as much as the kernel.
func TestSearchOnLandmarks(t *testing.T) {
	k := machine{id: "lap-rls", family: Warped, baseline: "rls"}
	for text, want := range map[string][]float64{"": {10, 2}, " neighbours=5 degree=3": {5, 3}} {
		m, r, err := Read(asked(t, k.id+text+" --search random"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := task.Prepare(t.Context(), inputs()["two"], r, result.Options{}, m.Coding, 0)
		if err != nil {
			t.Fatal(err)
		}
		f, err := k.tunable(p, new(kernel.Landmarks))
		if err != nil {
			t.Fatal(err)
		}
		space := f.Space()
		for q, name := range []string{task.Neighbours.Name, task.Degree.Name} {
			if d := space[space.Index(name)]; d.Default != want[q] || !d.Fixed {
				t.Errorf("%q: %+v, want %g", text, d, want[q])
			}
		}
		i, a := space[space.Index(task.GammaI.Name)].Default, space[space.Index(task.GammaA.Name)].Default
		if ratio := p.Terms().Ratio(i, a); math.Abs(ratio-1) > 1e-12 {
			t.Errorf("%q: the graph weighs %g times as much as the kernel", text, ratio)
		}
	}
}
