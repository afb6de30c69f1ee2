package s3vm

import (
	"math"
	"testing"
)

// TestHingeAllows: outputs that a coefficient allows are those whose losses, as a function of the output, have minus it as a slope
// between that to the left and that to the right.
func TestHingeAllows(t *testing.T) {
	const c, step = 3, 1e-4
	for _, y := range []float64{-1, -1 + 1e-12, -0.4, 0, 0.7, 1 - 1e-12, 1} {
		loss := func(f float64) float64 { return c * ((1+y)/2*max(0, 1-f) + (1-y)/2*max(0, 1+f)) }
		for _, a := range []float64{-c * (1 - y) / 2, -c*(1-y)/2 + c*(1+y)/8, c * y, c*y + c*(1-y)/8, c * (1 + y) / 2} {
			lo, _ := allowed(a+1e-9*c, c, y)
			_, hi := allowed(a-1e-9*c, c, y)
			for _, f := range []float64{-5, -1.5, -1, -0.3, 0, 0.9, 1, 1.2, 7} {
				left, right := (loss(f)-loss(f-step))/step, (loss(f+step)-loss(f))/step
				want := left <= -a+1e-8 && -a <= right+1e-8
				if got := lo <= f && f <= hi; got != want {
					t.Errorf("y = %v, coefficient %v: output %v allowed %v, want %v", y, a, f, got, want)
				}
			}
		}
	}
	h := &hinge{system: &system{cost: []float64{c, c}}}
	at := &function{alpha: []float64{c, c}, f: []float64{1.25, -2}}
	if got := h.residual(at, []float64{1 - 1e-13, 1}); math.Abs(got-0.25) > 1e-12 {
		t.Errorf("residual %v of an output 0.25 beyond the margin", got)
	}
}
