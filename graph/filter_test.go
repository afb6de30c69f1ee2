package graph

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// The heat semigroup is the exponential of the Laplacian and a real power agrees with the whole ones; their derivatives are those of
// differences, their traces those of their matrices.
func TestFilters(t *testing.T) {
	l := build(t, Recipe{Neighbours: 4}, rowsOf(normal(3, 30, 2))).Laplacian()
	for name, c := range map[string]struct {
		make   func(context.Context, *data.CSR, float64) (Tunable, error)
		t      float64
		lo, hi float64
		want   func() *mat.Dense
	}{
		"semigroup": {NewSemigroup, 0.7, 0x1p-6, 32, func() *mat.Dense {
			var e, scaled mat.Dense
			scaled.Scale(0.7, l.ToDense())
			e.Exp(&scaled)
			return &e
		}},
		"degree": {NewRealPower, 3, 0.25, 8, func() *mat.Dense {
			var p mat.Dense
			p.Pow(l.ToDense(), 3)
			return &p
		}},
	} {
		o, err := c.make(t.Context(), l, c.t)
		if err != nil {
			t.Fatal(err)
		}
		want := c.want()
		if got := matrix(o); !mat.EqualApprox(got, want, 1e-10) {
			t.Errorf("%s: another matrix", name)
		}
		near(t, name+": trace", o.(interface{ Trace() float64 }).Trace(), mat.Trace(want), 1e-10)
		if d := o.Space()[0]; len(o.Space()) != 1 || d != (param.Dim{Name: name, Kind: param.Log, Lo: c.lo, Hi: c.hi, Default: c.t}) {
			t.Errorf("%s: space %+v", name, o.Space())
		}
		u, v := normal(5, 30, 2), normal(6, 30, 2)
		at := func(x float64) (sum float64) {
			moved, err := o.With([]float64{x})
			if err != nil {
				t.Fatal(err)
			}
			var ku mat.Dense
			ku.Mul(matrix(moved), v)
			ku.MulElem(&ku, u)
			return mat.Sum(&ku)
		}
		const h = 1e-5
		grad := []float64{1}
		o.Pull(grad, u, v)
		near(t, name+": derivative", grad[0]-1, (at(c.t+h)-at(c.t-h))/(2*h), 1e-6)
		for _, bad := range []float64{0, -1, math.Inf(1), math.NaN()} {
			_, err := c.make(t.Context(), l, bad)
			_, err2 := o.With([]float64{bad})
			for _, err := range []error{err, err2} {
				if err == nil || !strings.HasPrefix(err.Error(), "graph: "+name+" ") || !strings.HasSuffix(err.Error(), "must be positive and finite") {
					t.Errorf("%s of %g: error %v", name, bad, err)
				}
			}
		}
		_, err = c.make(t.Context(), &data.CSR{R: 5001, C: 5001}, 1)
		failtest.Refused(t, err, "graph: a real "+name+" needs all eigenvectors, at most 5000 rows; there are 5001; take a whole degree")
		failtest.Panics(t, "graph: 2 parameters given for a real "+name, func() { _, _ = o.With([]float64{1, 2}) })
	}
	zero := &data.CSR{R: 2, C: 2, Start: make([]int, 3)}
	for want, f := range map[float64]func(context.Context, *data.CSR, float64) (Tunable, error){0: NewRealPower, 1: NewSemigroup} {
		o, err := f(t.Context(), zero, 2)
		if err != nil || !mat.Equal(matrix(o), mat.NewDense(2, 2, []float64{want, 0, 0, want})) {
			t.Errorf("without edges: %v", err)
		}
	}
}

// stiff is an operator with a parameter that cannot be moved.
type stiff struct{ Operator }

func (stiff) Space() param.Space {
	return param.Space{{Name: "width", Kind: param.Log, Lo: 1, Hi: 2, Default: 1}}
}

// A combination says which of its operators cannot be what is asked of it, and is normalised by one where there is nothing to normalise by.
func TestCombinationFaults(t *testing.T) {
	g := build(t, Recipe{Neighbours: 4, Weights: Heat}, rowsOf(normal(3, 30, 2)))
	o := g.Operator()
	one, err := Combine(nil, []Operator{o, stiff{o}}, None)
	if err != nil {
		t.Fatal(err)
	}
	_, err = one.With([]float64{0.5, 0.5, 1, 1})
	failtest.Refused(t, err, "graph: operator 1 of a combination has parameters but no With")
	_, err = one.With([]float64{0.5, 0.5, -1, 1})
	failtest.Refused(t, err, "graph: operator 0 of a combination: graph: width -1 must be positive and finite")
	failtest.Panics(t, "graph: 3 parameters given for a combination with 4", func() { _, _ = one.With([]float64{1, 1, 1}) })
	failtest.Panics(t, "graph: 2 parameters given for the heat width", func() { _, _ = o.(Tunable).With([]float64{1, 2}) })
	for _, bad := range []float64{0, math.Inf(1), math.NaN()} {
		if _, err := o.(Tunable).With([]float64{bad}); err == nil {
			t.Errorf("a width of %g", bad)
		}
	}
	_, err = Combine(nil, []Operator{o}, 3)
	failtest.Refused(t, err, "graph: normalise 3 is none of none, trace, spectral")
	_, err = Combine(nil, nil, None)
	failtest.Refused(t, err, "graph: a combination needs at least one operator")
	none := &Power{L: &data.CSR{R: 30, C: 30, Start: make([]int, 31)}, P: 1}
	_, err = Combine(nil, []Operator{none, &Power{L: &data.CSR{R: 2, C: 2, Start: make([]int, 3)}, P: 1}}, None)
	failtest.Refused(t, err, "graph: operator 1 of a combination has 2 rows, the first has 30")
	for _, by := range []Normalisation{Trace, Spectral} {
		c, err := Combine([]float64{2}, []Operator{none}, by)
		if err != nil || c.scales[0].c != 1 {
			t.Errorf("%v of no edges: %v", by, err)
		}
	}
}

// A class-wise norm hands on what its operator refuses, and lists that do not fit are the caller's mistake.
func TestClassesThatDoNotFit(t *testing.T) {
	class := make([]int, 30)
	r := Recipe{Neighbours: 4, Weights: Heat}
	g := build(t, r, rowsOf(normal(3, 30, 2)))
	o, err := g.OperatorWithin(class, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.(Tunable).With([]float64{1, -1}); err == nil || !strings.Contains(err.Error(), "width -1") {
		t.Errorf("error %v", err)
	}
	if _, err := o.(Tunable).With([]float64{-1, 1}); err == nil || !strings.Contains(err.Error(), "phi[0]") {
		t.Errorf("error %v", err)
	}
	failtest.Panics(t, "graph: 1 parameters for a class-wise norm with 2", func() { _, _ = o.(Tunable).With([]float64{1}) })
	failtest.Panics(t, "graph: 29 classes for 30 rows", func() { g.Within(class[:29]) })
	failtest.Panics(t, "graph: 29 classes for 30 rows", func() { _, _ = r.BuildWithin(t.Context(), rowsOf(normal(3, 30, 2)), class[:29]) })
	if _, err := (Recipe{Neighbours: -1}).BuildWithin(t.Context(), rowsOf(normal(3, 30, 2)), class); err == nil {
		t.Error("a recipe that is none was built")
	}
}

// Names of all choices are read as they are written, in any case, and others are refused with the list.
func TestNamesOfSearches(t *testing.T) {
	for v, want := range []string{"auto", "exact", "approximate", "unknown(3)"} {
		b, err := Method(v).MarshalText()
		if err != nil || string(b) != want || Method(v).String() != want {
			t.Errorf("%d is called %s, %v", v, b, err)
		}
		var back Method
		if err := back.UnmarshalText([]byte(strings.ToUpper(want))); (err == nil) != (v < 3) || v < 3 && back != Method(v) {
			t.Errorf("%s is read as %v, %v", want, back, err)
		}
	}
	failtest.Refused(t, new(Method).UnmarshalText([]byte("fast")), `graph: search "fast": want one of auto, exact, approximate`)
	if s := Method(-1).String(); s != "unknown(-1)" {
		t.Error(s)
	}
}

// The sample by which recall is measured has the number asked for, or its default; and what makes no search is refused before it begins.
func TestSearchSettings(t *testing.T) {
	if a, b := (NeighbourSearch{}).sampleRows(), (NeighbourSearch{Sample: 7}).sampleRows(); a != recallSample || b != 7 {
		t.Errorf("samples of %d and %d rows", a, b)
	}
	_, err := NeighbourSearch{Recall: 2}.Find(t.Context(), rowsOf(normal(1, 20, 2)), 3, Euclidean)
	failtest.Refused(t, err, "graph: recall 2 must be between 0 and 1 (0 for 0.95)")
	_, err = NeighbourSearch{Sample: -1}.Find(t.Context(), rowsOf(normal(1, 20, 2)), 3, Euclidean)
	failtest.Refused(t, err, "graph: sample -1 must be at least 1 (0 for 1000)")
}

// losing is an operator with a parameter; above the middle of its range products are no numbers.
type losing struct {
	Operator
	at float64
}

func (o losing) Space() param.Space {
	return param.Space{{Name: "width", Kind: param.Log, Lo: 1, Hi: 2, Default: o.at}}
}

func (o losing) With(theta []float64) (Operator, error) { return losing{o.Operator, theta[0]}, nil }

func (o losing) MulTo(dst, x *mat.Dense) {
	if o.Operator.MulTo(dst, x); o.at > 1.5 {
		dst.Set(0, 0, math.NaN())
	}
}

// An operator without a largest eigenvalue cannot be divided by it, from the beginning or once its parameter has moved.
func TestCombinationWithoutEigenvalue(t *testing.T) {
	o := build(t, Recipe{Neighbours: 4}, rowsOf(normal(3, 30, 2))).Operator()
	const words = "graph: operator 1 of a combination: largest eigenvalue: "
	if _, err := Combine(nil, []Operator{o, losing{o, 2}}, Spectral); err == nil || !strings.HasPrefix(err.Error(), words) {
		t.Errorf("from the beginning: %v", err)
	}
	c, err := Combine(nil, []Operator{o, losing{o, 1}}, Spectral)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.With([]float64{0.5, 0.5, 2}); err == nil || !strings.HasPrefix(err.Error(), words) {
		t.Errorf("moved: %v", err)
	}
}
