package drawn

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer"
)

// moons are two half circles with noise, three points of each with their label.
func moons() Request {
	r := Request{Width: 1.5, Height: 1, Columns: 12, Rows: 8}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		angle := math.Pi * (float64(i) + 0.5) / 60
		off := func() float64 { return 0.02 * random.NormFloat64() }
		label := 0
		if i == 8 || i == 30 || i == 51 {
			label = 1
		}
		r.Points = append(r.Points, [2]float64{0.6 + 0.37*math.Cos(angle) + off(), 0.45 + 0.4*math.Sin(angle) + off()},
			[2]float64{0.9 - 0.37*math.Cos(angle) + off(), 0.58 - 0.4*math.Sin(angle) + off()})
		r.Labels = append(r.Labels, label, 2*label)
	}
	return r
}

// TestMoons: both moons have the class of their labels, and the plane the probability of the moon that is there.
func TestMoons(t *testing.T) {
	r := moons()
	for _, method := range []string{"", "lap-svm"} {
		r.Method = method
		a, err := Learn(t.Context(), r, nil)
		if err != nil {
			t.Fatal(err)
		}
		wrong := 0
		for i, k := range a.Class {
			if k != 1+i%2 || (k == 2) != (a.Points[i] >= 0.5) {
				wrong++
			}
		}
		if wrong > 0 || len(a.Plane) != 96 || a.Found == "" || a.Error == "" || a.Tried == 0 {
			t.Errorf("%s: %d wrong of %d, found %q, error %q, %d tried", method, wrong, len(a.Class), a.Found, a.Error, a.Tried)
		}
		top, bottom := a.Plane[1*12+4], a.Plane[6*12+7] // (0.56, 0.81) on the first moon, (0.94, 0.19) on the second
		if !(top < 0.5 && bottom > 0.5) {
			t.Errorf("%s: probabilities %g on the first moon, %g on the second", method, top, bottom)
		}
	}
}

// TestFaults: what is no drawing is refused, with what to do.
func TestFaults(t *testing.T) {
	for want, change := range map[string]func(*Request){
		"give each point one":       func(r *Request) { r.Labels = r.Labels[1:] },
		"no point is orange":        func(r *Request) { r.Labels[16], r.Labels[60], r.Labels[102] = 0, 0, 0 },
		"no point is purple":        func(r *Request) { r.Labels[17], r.Labels[61], r.Labels[103] = 0, 0, 0 },
		"it is 0, 1 or 2":           func(r *Request) { r.Labels[0] = 3 },
		"at no finite place":        func(r *Request) { r.Points[5][1] = math.NaN() },
		"no cells or too many":      func(r *Request) { r.Rows = 1 << 40 },
		"is not offered here":       func(r *Request) { r.Method = "tsvm" },
		"take some away":            func(r *Request) { r.Points = make([][2]float64, 601); r.Labels = make([]int, 601) },
		"a positive width and heig": func(r *Request) { r.Width = 0 },
	} {
		r := moons()
		change(&r)
		if _, err := Learn(t.Context(), r, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestFound: the parameters that people know are told in a fixed order, numbers in three digits.
func TestFound(t *testing.T) {
	r := &mercer.Result{Params: map[string]any{
		"neighbours": 6, "degree": "real", "sigma": 1.23456, "other": 1.0, "gamma_i": 5e-4, "C": 10.0, "lambda": []float64{1},
	}}
	if got, want := found(r), "sigma 1.23, C 10, gamma_i 0.0005, neighbours 6"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := found(&mercer.Result{}); got != "" {
		t.Errorf("of nothing %q", got)
	}
}
