package columns

import "testing"

// TestPlaces: numbers and dates are places; a cell that is missing, or is neither, is a fault with its line.
func TestPlaces(t *testing.T) {
	lines := []int{2, 3, 4}
	for _, cells := range [][]string{{"1", "2.5", "-3"}, {"2020-01-02", "2020-01-03", "2019-12-31"},
		{"01.02.2020", "13.02.2020", "02.01.2020"},
		{"2018", "2019", "2017"}, {"2,5", "3,5", "1,5"}} {
		p, fault := Places("t", Settings{}, cells, lines)
		if fault != nil || !(p[2] < p[0] && p[0] < p[1]) {
			t.Errorf("%q: %v %v", cells, p, fault)
		}
	}
	for _, cells := range [][]string{{"1", "2", ""}, {"2020-01-02", "2020-01-03", "soon"}, {"a", "b", "c"}, {"1", "2", "?"}} {
		if _, fault := Places("t", Settings{}, cells, lines); fault == nil || fault.Line < 2 || fault.What == "" || fault.Remedy == "" {
			t.Errorf("%q: %+v", cells, fault)
		}
	}
}
