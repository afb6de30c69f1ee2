package dual

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/pathtest"
)

// What is no problem is refused in the words it was, and what lies just inside a border is not.
func TestMessages(t *testing.T) {
	var path pathtest.Path
	k, problems := forms(t, source(3), 12)
	_, y := blobs(source(3), 12)
	c := constant(12, 1)
	for _, nu := range []float64{-1, 0, 1e-3, 0.5, 1, 1.01, math.NaN()} {
		_, e1 := NuSVC(nil, y, c, nu)
		_, e2 := NuSVR(nil, y, c, nu)
		_, e3 := OneClass(nil, c, nu)
		path.Add("nu", nu, e1, e2, e3)
	}
	uneven := constant(12, 1)
	uneven[0], uneven[2] = 7, 9
	for _, nu := range []float64{0.3, 0.5, 0.9} {
		_, err := NuSVC(nil, y, uneven, nu)
		path.Add("uneven nu", nu, err)
	}
	for _, change := range []struct {
		name string
		f    func(p *Problem)
	}{
		{"sign 0", func(p *Problem) { p.Sign[3] = 0 }}, {"sign 2", func(p *Problem) { p.Sign[11] = 2 }},
		{"linear", func(p *Problem) { p.Linear[4] = math.NaN() }},
		{"linear infinite", func(p *Problem) { p.Linear[0] = math.Inf(-1) }}, {"upper", func(p *Problem) { p.Upper[5] = -1 }},
		{"upper 0", func(p *Problem) { p.Upper[5] = 0 }},
		{"upper NaN", func(p *Problem) { p.Upper[6] = math.NaN() }}, {"upper infinite", func(p *Problem) { p.Upper[6] = math.Inf(1) }},
		{"start", func(p *Problem) { p.Start = make([]float64, 12); p.Start[7] = p.Upper[7] * 1.01 }},
		{"start negative", func(p *Problem) { p.Start = make([]float64, 12); p.Start[7] = -0.1 }},
		{"start at the border", func(p *Problem) { p.Offset = false; p.Start = make([]float64, 12); p.Start[7] = p.Upper[7] }},
	} {
		p := problems["svc"]
		p.Sign, p.Linear, p.Upper = append(
			[]float64(nil),
			p.Sign...), append(
			[]float64(nil),
			p.Linear...), append(
			[]float64(nil),
			p.Upper...)
		change.f(&p)
		_, err := Solve(t.Context(), k, p, Options{})
		path.Add(change.name, err)
	}
	for _, at := range [][2]int{{0, 0}, {3, 8}} {
		bad := &dense{n: 12, k: append([]float32(nil), k.k...)}
		bad.k[at[0]*12+at[1]], bad.k[at[1]*12+at[0]] = float32(math.NaN()), float32(math.NaN())
		for _, direct := range []int{directSize, 0} {
			_, err := run(t.Context(), bad, problems["svc"], Options{WorkingSet: 8}, direct, nil)
			path.Add("kernel value", direct, err)
		}
	}
	path.Compare(t, "messages")
}
