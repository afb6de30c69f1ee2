package primal

import "testing"

// A strip is whole rows, and no more, of one panel.
func TestStrip(t *testing.T) {
	const n = 2*panelHeight + 5
	x := newTriangle(n)
	for _, c := range []struct{ lo, hi, stride, mirrored int }{
		{0, 3, panelHeight, 0}, {4, panelHeight, panelHeight, 0},
		{panelHeight, panelHeight + 1, 2 * panelHeight, panelHeight}, {2*panelHeight + 1, n, n, 2 * panelHeight},
	} {
		rows, stride, mirrored := x.strip(c.lo, c.hi)
		if len(rows) != (c.hi-c.lo)*c.stride || stride != c.stride || mirrored != c.mirrored {
			t.Errorf("rows %d to %d: %d numbers, stride %d, mirrored %d", c.lo, c.hi-1, len(rows), stride, mirrored)
		}
	}
}
