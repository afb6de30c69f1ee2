package rbf

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestLambdaOfFreedom(t *testing.T) {
	rows, y := regression(30, 1, 14)
	for _, st := range []Stabiliser{RKHS, Ridge, Norm, Reference} {
		g := GRN{Stabiliser: st, Centres: Centres{Overlap: -1}}
		p, err := newPoints(rows, rows, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, sigma := range []float64{0.2, 2, 20} {
			s, err := g.width(ctx, p, sigma, y)
			if err != nil {
				t.Fatal(err)
			}
			for _, df := range []float64{1e-3, 0.1, 3, 0.95 * float64(s.rank())} {
				if got := s.At(s.Lambda(df)).DF; math.Abs(got-df) > 1e-6*df {
					t.Errorf("stabiliser %d, sigma %g: %g degrees of freedom in the place of %g", st, sigma, got, df)
				}
			}
		}
	}
}

// The front is the definition over all pairs of width and lambda, though Q_ref spans thirty decades.
func TestGRNFrontIsTheDefinition(t *testing.T) {
	rows, y := regression(30, 1, 15)
	g := GRN{Widths: Widths{Lo: 0.3, Hi: 6, Steps: 3}, Stabiliser: Reference}
	for e := -4; e <= 16; e++ {
		g.Lambdas = append(g.Lambdas, math.Pow(10, float64(e)))
	}
	f, _, err := g.Fit(ctx, rows, y)
	if err != nil {
		t.Fatal(err)
	}
	var all []Element
	for _, sigma := range f[0].Widths {
		for _, lambda := range g.Lambdas {
			one := g
			one.Widths, one.Lambdas, one.Centres = Widths{Hi: sigma, Steps: -1}, []float64{lambda}, Centres{Given: f[0].Centres}
			e, _, err := one.Fit(ctx, rows, y)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, e[0].Elements...)
		}
	}
	const near = 1e-9 // what rounding may decide
	for _, a := range all {
		surely, perhaps, reached := false, false, false
		for _, b := range all {
			surely = surely || b.SSE < a.SSE*(1-near) && b.Q < a.Q*(1-near)
			perhaps = perhaps || b.SSE < a.SSE*(1+near) && b.Q < a.Q*(1-near) || b.SSE < a.SSE*(1-near) && b.Q < a.Q*(1+near)
		}
		for _, b := range f[0].Elements {
			reached = reached || b.Lambda == a.Lambda && math.Abs(b.SSE/a.SSE-1) < near && math.Abs(b.Q/a.Q-1) < near
		}
		if surely && reached || !perhaps && !reached {
			t.Errorf("lambda %g, (%g, %g): dominated %v, on the front %v", a.Lambda, a.SSE, a.Q, surely, reached)
		}
	}
}

// The front by default goes from nearly the constant network to nearly interpolation whatever the
// stabiliser, and contains a network that cross-validates as well as the best of 31 decades.
func TestGRNDefaultLambdas(t *testing.T) {
	rows, y := regression(60, 1, 16)
	folds := [][]int{{}, {}, {}, {}}
	for i := range 60 {
		folds[i%4] = append(folds[i%4], i)
	}
	for _, st := range []Stabiliser{Norm, Reference} {
		g := GRN{Widths: Widths{Lo: 0.3, Hi: 6, Steps: 8}, Stabiliser: st}
		least := func() (float64, *Front, []float64) {
			f, df, err := g.Fit(ctx, rows, y)
			if err != nil {
				t.Fatal(err)
			}
			v, err := g.CrossValidate(ctx, f, rows, y, folds)
			if err != nil {
				t.Fatal(err)
			}
			return slices.Min(v[0].SSE), f[0], df[0]
		}
		got, f, df := least()
		bar, _ := new(points).centred(mat.Col(nil, 0, y))
		if c := constant(bar, 0).SSE; f.Elements[0].SSE < 0.8*c || df[0] > 1 {
			t.Errorf("stabiliser %d: the front begins at SSE %g of %g, %g degrees of freedom", st, f.Elements[0].SSE, c, df[0])
		}
		if last := df[len(df)-1]; last < 50 || last > 58 {
			t.Errorf("stabiliser %d: the front ends at %g degrees of freedom", st, last)
		}
		for e := -24; e <= 100; e++ {
			g.Lambdas = append(g.Lambdas, math.Pow(10, float64(e)/4))
		}
		if want, _, _ := least(); got > 1.02*want {
			t.Errorf("stabiliser %d: least squared error of folds %g, of all lambdas %g", st, got, want)
		}
	}
}
