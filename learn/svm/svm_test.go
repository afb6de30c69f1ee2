package svm

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/dual"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// Every setting reaches the solver, and none reaches it in the place of another.
func TestSettingsReachTheSolver(t *testing.T) {
	o, want := Options{Tolerance: 0.5, Cache: 7, MaxIterations: 9}, dual.Options{Tolerance: 0.5, Cache: 7, MaxIterations: 9}
	for _, c := range []struct{ got, want any }{
		{Classifier{Nu: 0.25, NoOffset: true, Options: o}.dual(), dual.Classifier{Nu: 0.25, NoOffset: true, Options: want}},
		{Classifier{}.dual(), dual.Classifier{}},
		{Regressor{Nu: 0.25, Epsilon: 3, Absolute: true, Options: o}.dual(),
			dual.Regressor{Nu: 0.25, Epsilon: 3, Absolute: true, Options: want}},
		{Regressor{NoOffset: true}.dual(), dual.Regressor{NoOffset: true}},
		{Detector{Nu: 0.25, Options: o}.dual(), dual.Detector{Nu: 0.25, Options: want}},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%+v, want %+v", c.got, c.want)
		}
	}
}

// Machines have the parameters of their form, by the diagonal and the spread in this order.
func TestSpaces(t *testing.T) {
	nu := func(v float64) param.Space {
		return param.Space{{Name: "nu", Kind: param.Real, Hi: 1, Default: v, Fixed: true}}
	}
	for _, c := range []struct {
		learner learn.Learner
		want    param.Space
	}{
		{Classifier{}, param.Space{learn.Strength(4)}},
		{Classifier{Nu: 0.25}, nu(0.25)},
		{Regressor{}, param.Space{learn.Strength(0.5), learn.Tube(0, 8)}},
		{Regressor{Epsilon: 3}, param.Space{learn.Strength(0.5), learn.Tube(3, 8)}},
		{Detector{}, nu(0.1)},
	} {
		if got := c.learner.Space(4, 8); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%T: %+v, want %+v", c.learner, got, c.want)
		}
	}
}

// The machines of two rows in a line are known: the classes -1 and 3 are separated at 1, with a margin of 2 on either side.
func TestTwoRows(t *testing.T) {
	rows := data.Rows{Dense: mat.NewDense(2, 1, []float64{-1, 3})}
	p := learn.NewProblem(rows, data.Labels{Task: data.Classification, Classes: []string{"a", "b"}, Class: []int{0, 1}})
	m := trained(t, Classifier{Options: Options{Tolerance: 1e-9}}, p, 10)
	for i, want := range []float64{-0.125, 0.125} { // w = 1/2
		if got := m.Coef.At(i, 0); math.Abs(got-want) > 1e-9 {
			t.Errorf("coefficient %d is %g, want %g", i, got, want)
		}
	}
	if math.Abs(m.Offset[0]+0.5) > 1e-9 || math.Abs(m.Certificate.Objective-0.125) > 1e-9 {
		t.Errorf("offset %g, objective %g", m.Offset[0], m.Certificate.Objective)
	}
	p = learn.NewProblem(rows, data.Labels{Task: data.Regression, Value: []float64{0, 6}})
	m = trained(t, Regressor{Options: Options{Tolerance: 1e-9}}, p, 10, 1) // from (-1, 1) to (3, 5): w = 1
	if w := 3*m.Coef.At(1, 0) - m.Coef.At(0, 0); math.Abs(w-1) > 1e-9 || math.Abs(m.Offset[0]-2) > 1e-9 {
		t.Errorf("slope %g, offset %g", w, m.Offset[0])
	}
	if _, err := bound(t, Detector{}, p).Train(t.Context(), nil, []float64{0.5}, nil); err == nil {
		t.Error("a one-class machine of other targets than 1")
	}
}

// The bounds have their names, and the list has them all.
func TestBounds(t *testing.T) {
	var names []string
	for _, b := range Bounds() {
		names = append(names, b.String())
	}
	if want := []string{"sv", "jaakkola-haussler", "xi-alpha", "span", "radius-margin"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
}

func bound(t *testing.T, l learn.Learner, p *learn.Problem) learn.Trainer {
	t.Helper()
	g, err := kernel.Linear{}.Bind(context.Background(), p.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := l.Bind(t.Context(), g, p)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func trained(t *testing.T, l learn.Learner, p *learn.Problem, theta ...float64) *learn.Machine {
	t.Helper()
	m, err := bound(t, l, p).Train(t.Context(), nil, theta, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
