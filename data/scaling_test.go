package data

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestScalingSays: the kind that is chosen for columns of a spread, and why in words.
func TestScalingSays(t *testing.T) {
	thin := Rows{Sparse: CSRFromDense(mat.NewDense(2, 1, []float64{1, 3}))}
	for _, c := range []struct {
		kind     string
		rows     Rows
		got      string
		constant int
		reason   string
	}{
		{ScaleAuto, dense(2, 2, 0, 0, 1, 2), ScaleNone, 0,
			"features left as they are: the largest standard deviation is 2 times the median"},
		{ScaleAuto, dense(2, 2, 5, 0, 5, 2), ScaleNone, 1,
			"features left as they are: the largest standard deviation is 1 times the median"},
		{ScaleAuto, dense(2, 2, 5, 5, 5, 5), ScaleNone, 2,
			"features left as they are: the largest standard deviation is 1 times the median"},
		{ScaleAuto, dense(2, 2, 0, 0, 1, 20), ScaleStandard, 0,
			"features standardised: the largest standard deviation is 20 times the median"},
		{ScaleAuto, dense(2, 1, 0, 3e70), ScaleStandard, 0,
			"features standardised: the squares of a standard deviation of 1.5e+70 are out of range"},
		{ScaleAuto, dense(2, 1, 0, 1.5e70), ScaleNone, 0,
			"features left as they are: the largest standard deviation is 1 times the median"},
		{ScaleAuto, dense(2, 1, 0, 1e-70), ScaleStandard, 0,
			"features standardised: the squares of a standard deviation of 5e-71 are out of range"},
		{ScaleAuto, dense(2, 1, 0, 3e-70), ScaleNone, 0, "features left as they are: the largest standard deviation is 1 times the median"},
		{ScaleAuto, dense(2, 2, 9, 0, 11, 2), ScaleNone, 0, "features left as they are: the largest standard deviation is 1 times the median"},
		{ScaleAuto, dense(2, 2, 99, 0, 101, 2), ScaleStandard, 0,
			"features standardised: the columns' means are 70.7 standard deviations from zero"},
		{ScaleAuto, dense(2, 2, 900, 0, 900, 2), ScaleNone, 1,
			"features left as they are: the largest standard deviation is 1 times the median"},
		{ScaleAuto, thin, ScaleNone, 0, "sparse features are left as they are"},
		{ScaleNone, thin, ScaleNone, 0, "features left as they are, as asked"},
		{ScaleUnit, thin, ScaleUnit, 0, "rows scaled to length 1, as asked"},
		{ScaleStandard, thin, ScaleStandard, 0, "features standardised, as asked; not shifted, so that they stay sparse"},
		{ScaleMinMax, dense(2, 1, 0, 1), ScaleMinMax, 0, "features scaled to [0, 1], as asked"},
	} {
		s, reason, err := FitScaling(c.kind, c.rows)
		if err != nil || s.Kind != c.got || s.Constant != c.constant || reason != c.reason {
			t.Errorf("%s: %s, %d constant, %q, %v; want %+v", c.kind, s.Kind, s.Constant, reason, err, c)
		}
	}
	_, _, err := FitScaling("z", thin)
	if err == nil || err.Error() != `unknown scaling "z"; one of auto, none, standard, minmax, unit, tfidf` {
		t.Error(err)
	}
}

// TestScalesOfKnownColumns: shift and scale of columns whose statistics are plain, at the ends of what a
// float can hold too.
func TestScalesOfKnownColumns(t *testing.T) {
	tiny := 5e-324
	for _, c := range []struct {
		kind         string
		lo, hi       float64
		thin         bool
		shift, scale float64
	}{
		{ScaleStandard, 2, 6, false, 4, 2}, {ScaleMinMax, 2, 6, false, 2, 4}, {ScaleStandard, 2, 6, true, 0, 2},
		{ScaleMinMax, 2, 6, true, 0, 6}, {ScaleMinMax, -6, -2, true, 0, 6},
		{ScaleStandard, 3, 3, false, 3, 1}, {ScaleMinMax, 3, 3, true, 0, 1}, {ScaleMinMax, -1.5e308, 1.5e308, false, -1.5e308, 1},
		{ScaleStandard, 0, 4e-150, false, 2e-150, 2e-150},
		{ScaleStandard, 0, 1e-160, false, 5e-161, 1e-160}, {ScaleMinMax, 0, tiny, false, 0, tiny},
		{ScaleStandard, -1e200, 1e200, false, 0, 2e200},
	} {
		rows := dense(2, 1, c.lo, c.hi)
		if c.thin {
			rows = Rows{Sparse: CSRFromDense(rows.Dense)}
		}
		s, _, err := FitScaling(c.kind, rows)
		if err != nil || len(s.Scale) != 1 || (s.Shift == nil) != c.thin {
			t.Fatalf("%+v: %+v, %v", c, s, err)
		}
		if math.Abs(s.Scale[0]-c.scale) > 1e-14*c.scale || !c.thin && math.Abs(s.Shift[0]-c.shift) > 1e-14*math.Abs(c.shift) {
			t.Errorf("%+v: shift %v, scale %v", c, s.Shift, s.Scale)
		}
	}
}

// TestScalingCheck: a scaling read from a file is refused where its lists do not fit its kind or the columns.
func TestScalingCheck(t *testing.T) {
	two, one := []float64{1, 2}, []float64{1}
	for _, c := range []struct {
		s    Scaling
		want string
	}{
		{Scaling{}, ""}, {Scaling{Kind: ScaleUnit}, ""}, {Scaling{Kind: ScaleStandard, Shift: two, Scale: two}, ""},
		{Scaling{Kind: ScaleMinMax, Scale: two}, ""}, {Scaling{Kind: ScaleTFIDF, Scale: two}, ""},
		{Scaling{Kind: ScaleTFIDF, Shift: two, Scale: two}, "tfidf with 2 shifts and 2 scales for 2 columns"},
		{Scaling{Kind: "z"}, `unknown kind "z"`}, {Scaling{Kind: ScaleAuto}, `unknown kind "auto"`},
		{Scaling{Kind: ScaleStandard}, "standard with 0 shifts and 0 scales for 2 columns"},
		{Scaling{Kind: ScaleStandard, Scale: one}, "standard with 0 shifts and 1 scales for 2 columns"},
		{Scaling{Kind: ScaleMinMax, Shift: one, Scale: two}, "minmax with 1 shifts and 2 scales for 2 columns"},
		{Scaling{Kind: ScaleNone, Shift: two}, "none with 2 shifts and 0 scales for 2 columns"},
		{Scaling{Kind: ScaleUnit, Scale: two}, "unit with 0 shifts and 2 scales for 2 columns"},
		{Scaling{Kind: ScaleStandard, Scale: []float64{1, 0}}, "scale 0"},
		{Scaling{Kind: ScaleStandard, Scale: []float64{1, math.NaN()}}, "scale NaN"},
		{Scaling{Kind: ScaleStandard, Scale: []float64{-1, 1}}, "scale -1"},
	} {
		err := c.s.Check(2)
		if err == nil != (c.want == "") || err != nil && err.Error() != c.want {
			t.Errorf("%+v: %v, want %q", c.s, err, c.want)
		}
	}
}

// TestScalingUndo: undone, scaled rows are what they were, dense or sparse; of rows of a length alone the length is lost.
func TestScalingUndo(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{1, -20, 4, 0, 2, 50})
	for _, kind := range []string{ScaleNone, ScaleStandard, ScaleMinMax, ScaleUnit} {
		for _, rows := range []Rows{{Dense: x}, {Sparse: CSRFromDense(x)}} {
			s, _, err := FitScaling(kind, rows)
			if err != nil {
				t.Fatal(err)
			}
			scaled := s.Apply(rows)
			got, want := s.Undo(scaled), rows
			if kind == ScaleUnit {
				want = scaled
			}
			if got.IsSparse() != want.IsSparse() {
				t.Fatalf("%s: rows of another form", kind)
			}
			for i := range 3 {
				var a, b [2]float64
				got.copyRow(a[:], i)
				want.copyRow(b[:], i)
				if math.Abs(a[0]-b[0]) > 1e-13 || math.Abs(a[1]-b[1]) > 1e-13 {
					t.Errorf("%s, sparse %t: row %v, want %v", kind, rows.IsSparse(), a, b)
				}
			}
		}
	}
}

// TestUnitRows: rows whose squares leave the range of a float are scaled as exactly as others.
func TestUnitRows(t *testing.T) {
	for _, u := range []float64{1, 1e-146, 1e-150, 1e-160, 1e160} {
		m := mat.NewDense(2, 2, []float64{3 * u, -4 * u, 0, 0})
		for _, r := range []Rows{{Dense: m}, {Sparse: CSRFromDense(m)}} {
			out := Scaling{Kind: ScaleUnit}.Apply(r)
			if out.IsSparse() {
				out.Dense = out.Sparse.ToDense()
			}
			if math.Abs(out.Dense.At(0, 0)-0.6) > 1e-14 || math.Abs(out.Dense.At(0, 1)+0.8) > 1e-14 || out.Dense.At(1, 0) != 0 {
				t.Errorf("size %g, sparse %t: %v", u, r.IsSparse(), out.Dense.RawMatrix().Data)
			}
		}
	}
	defer func() {
		if p, _ := recover().(string); !strings.Contains(p, "scaling of 1 columns applied to 2") {
			t.Errorf("panic %q", p)
		}
	}()
	Scaling{Kind: ScaleStandard, Scale: []float64{1}}.Apply(dense(1, 2, 1, 2))
}
