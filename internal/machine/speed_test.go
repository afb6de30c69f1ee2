package machine

import "testing"

// TestSpeed: no machine that runs this is slower or faster than these.
func TestSpeed(t *testing.T) {
	s := MeasuredSpeed()
	for name, v := range map[string][3]float64{"products": {s.Products, 1e7, 1e15}, "values": {s.Values, 1e5, 1e13},
		"passes": {s.Passes, 1e7, 1e14}} {
		if !(v[0] > v[1] && v[0] < v[2]) {
			t.Errorf("%s: %g a second", name, v[0])
		}
	}
	t.Logf("%.3g flop/s, %.3g values/s, %.3g byte/s", s.Products, s.Values, s.Passes)
	if again := MeasuredSpeed(); again != s {
		t.Errorf("measured again: %v, was %v", again, s)
	}
}
