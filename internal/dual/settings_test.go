package dual

import (
	"fmt"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/search/param"
)

// Settings that say nothing have the defaults that Options promises, others are kept.
func TestDefaults(t *testing.T) {
	for _, c := range []struct {
		given Options
		m     int
		want  string
	}{
		{Options{}, 5, "0.001 209715200 10000000 4096"},
		{Options{Tolerance: -1, Cache: -1, MaxIterations: -1, WorkingSet: -1}, 100001, "0.001 209715200 10000100 4096"},
		{Options{Tolerance: 1e-9, Cache: 1, MaxIterations: 1, WorkingSet: 1}, 100001, "1e-09 1 1 8"},
		{Options{WorkingSet: 9}, 5, "0.001 209715200 10000000 9"},
	} {
		o := c.given.withDefaults(c.m)
		if got := fmt.Sprint(o.Tolerance, o.Cache, o.MaxIterations, o.WorkingSet); got != c.want {
			t.Errorf("%+v of %d variables: %s, want %s", c.given, c.m, got, c.want)
		}
	}
	for rows, want := range map[int]int{1: 10000, 100: 10000, 101: 10100} {
		if got := (&trainer{}).foldOptions(rows).MaxIterations; got != want {
			t.Errorf("%d steps for a fold of %d rows, want %d", got, rows, want)
		}
	}
	if got := (&trainer{options: Options{MaxIterations: 7}}).foldOptions(101).MaxIterations; got != 7 {
		t.Errorf("%d steps for a fold where 7 are given", got)
	}
}

// Machines have the parameters of their form: C by the mean diagonal, of regressions by the spread too, as epsilon is; nu fixed.
func TestSpaces(t *testing.T) {
	strength := param.Dim{Name: "C", Kind: param.Log, Lo: 0.0025, Hi: 2500, Default: 0.25}
	spread := param.Dim{Name: "C", Kind: param.Log, Lo: 0.02, Hi: 20000, Default: 2}
	tube := param.Dim{Name: "epsilon", Kind: param.Log, Lo: 0.008, Hi: 8, Default: 0.8}
	given := tube
	given.Default, given.Fixed = 0.7, true
	nu := func(v float64) param.Dim {
		return param.Dim{Name: "nu", Kind: param.Real, Hi: 1, Default: v, Fixed: true}
	}
	for _, c := range []struct {
		learner interface {
			Space(diagonal, spread float64) param.Space
		}
		want param.Space
	}{
		{Classifier{}, param.Space{strength}},
		{Classifier{Nu: 0.3}, param.Space{nu(0.3)}},
		{Regressor{}, param.Space{spread, tube}},
		{Regressor{Epsilon: 0.7}, param.Space{spread, given}},
		{Regressor{Absolute: true}, param.Space{spread}},
		{Regressor{Nu: 0.3}, param.Space{spread, nu(0.3)}},
		{Detector{}, param.Space{nu(0.1)}},
		{Detector{Nu: 0.3}, param.Space{nu(0.3)}},
	} {
		if got := c.learner.Space(4, 8); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%+v: %+v, want %+v", c.learner, got, c.want)
		}
	}
}

// A status says what happened, and a number that is none says so.
func TestStatuses(t *testing.T) {
	for s, want := range map[Status]string{
		-1: "Status(-1)", Unfinished: "unfinished", Optimal: "converged: violation of the optimality conditions below tolerance",
		Stalled:      "stopped: no further progress at single precision kernel values; raise the tolerance or scale the features",
		LimitReached: "stopped: iteration limit; raise it, scale the features or lower C", Cancelled: "stopped: cancelled", 5: "Status(5)",
	} {
		if s.String() != want || s.Converged() != (s == Optimal) {
			t.Errorf("%d: %v, %v", int(s), s, s.Converged())
		}
	}
	for b, want := range map[Bound]string{
		0: "Bound(0)", SupportVectors: "sv", JaakkolaHaussler: "jaakkola-haussler", XiAlpha: "xi-alpha", Span: "span",
		RadiusMargin: "radius-margin", 6: "Bound(6)",
	} {
		if b.String() != want {
			t.Errorf("%d: %v, want %s", int(b), b, want)
		}
	}
}

// Slices of unequal lengths and rows that are not there are the caller's mistakes.
func TestShapesOfAProblem(t *testing.T) {
	three := func() Problem { return SVC(nil, []float64{1, -1, 1}, []float64{1, 2, 3}) }
	for _, c := range []struct {
		want   string
		change func(p *Problem)
	}{
		{"3 variables with 2 signs, 3 linear terms, 3 upper bounds and 0 starts", func(p *Problem) { p.Sign = p.Sign[1:] }},
		{"3 variables with 3 signs, 2 linear terms, 3 upper bounds and 0 starts", func(p *Problem) { p.Linear = p.Linear[1:] }},
		{"3 variables with 3 signs, 3 linear terms, 2 upper bounds and 0 starts", func(p *Problem) { p.Upper = p.Upper[1:] }},
		{"3 variables with 3 signs, 3 linear terms, 3 upper bounds and 4 starts", func(p *Problem) { p.Start = make([]float64, 4) }},
		{"variable 1 has kernel row -1 of 3", func(p *Problem) { p.Row[1] = -1 }},
		{"variable 2 has kernel row 3 of 3", func(p *Problem) { p.Row[2] = 3 }},
	} {
		p := three()
		c.change(&p)
		failtest.Names(t, c.want, func() { _ = p.check(3) })
	}
	failtest.Names(t, "a start of 2 values for 3 variables", func() { _, _ = three().Warm(make([]float64, 2)) })
	failtest.Names(t, "SVC of 2 examples with 2 rows and 3 bounds", func() { SVC([]int{0, 1}, make([]float64, 2), make([]float64, 3)) })
	failtest.Names(t, "SVR of 3 examples with 2 rows and 3 bounds", func() { SVR([]int{0, 1}, make([]float64, 3), make([]float64, 3), 0) })
}
