package rbf

import (
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
)

// The certificate is the duality gap of the worst element, by the definition.
func TestCertificateIsTheGap(t *testing.T) {
	rows, y := regression(40, 1, 23)
	for _, plain := range []bool{false, true} {
		f := fit(t, MOBJ{Widths: Widths{Lo: 0.3, Hi: 3, Steps: 6}, MaxQ: 60, Steps: 20, NoOffset: plain}, rows, y)
		if f.Violation > 1e-12 {
			t.Errorf("violation %g of a front of exact paths", f.Violation)
		}
		bar, _ := (&points{plain: plain}).centred(mat.Col(nil, 0, y))
		for i := range f.Elements { // optimal no longer
			e := &f.Elements[i]
			for q := range e.Coef {
				e.Coef[q] *= 1 + 0.1*math.Sin(float64(i+3*q))
			}
			e.Q = e.L1() / math.Pow(f.Sigma(i), 2)
			if len(e.Units) == 0 {
				e.Q = 0
			}
		}
		p, err := newPoints(rows, f.Centres, plain)
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.certify(ctx, p, bar)
		if err != nil {
			t.Fatal(err)
		}
		var want float64
		for i := range f.Elements {
			if len(f.Elements[i].Units) > 0 {
				share, sse := gap(t, f, i, rows, y)
				want = max(want, share*sse)
			}
		}
		if want /= constant(bar, 0).SSE; want < 1e-4 || math.Abs(got-want) > 1e-9*want {
			t.Errorf("certificate %g, by the definition %g", got, want)
		}
	}
}

// Targets without noise: paths go on to lambda = 0, where nothing holds relative to lambda. The
// front is exact, and is said to be.
func TestCertificateWithoutNoise(t *testing.T) {
	x, y := mat.NewDense(50, 1, nil), mat.NewDense(50, 1, nil)
	for i := range 50 {
		v := -10 + 20*float64(i)/49
		x.Set(i, 0, v)
		y.Set(i, 0, math.Sin(v)/v)
	}
	m := MOBJ{Widths: Widths{Lo: 0.5, Hi: 8, Steps: 20}}
	if f := fit(t, m, data.Rows{Dense: x}, y); f.Violation > 1e-8 {
		t.Errorf("certificate %g", f.Violation)
	}
	j, err := Joint{Widths: Widths{Lo: 0.5, Hi: 8, Steps: 20}, MinShare: -1, Steps: 50}.Fit(ctx, data.Rows{Dense: x}, y)
	if err != nil || j[0].Violation > 1e-8 {
		t.Errorf("several widths: certificate %g, %v", j[0].Violation, err)
	}
}

// TestUnitsOfBlocks: each unit is visited once, in the block that has its column, with its coefficient in the scale of that column.
func TestUnitsOfBlocks(t *testing.T) {
	f := &Front{Widths: []float64{0.5, 2, 4}, Order: 2, Elements: []Element{
		{Units: []Unit{{Centre: 0, Width: 1}, {Centre: 3, Width: 1}, {Centre: 0, Width: 2}}, Coef: []float64{1, 2, 3}},
		{Units: []Unit{{Centre: 2, Width: 2}}, Coef: []float64{4}},
	}}
	want := map[[2]int][]float64{{1, 0}: {1. / 4}, {1, 3}: {2. / 4}, {1, 4}: {3. / 16}, {0, 6}: {4. / 16}} // by element and column
	for _, size := range []int{1, 3, 4, 8} {
		got := map[[2]int][]float64{}
		for lo := 0; lo < 8; lo += size {
			f.units(&dictionary{p: &points{m: 4}}, 1, []int{1, 0}, lo, min(lo+size, 8), func(k, column int, beta float64) {
				at := [2]int{k, lo + column}
				got[at] = append(got[at], beta)
			})
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("blocks of %d columns: %v, want %v", size, got, want)
		}
	}
}
