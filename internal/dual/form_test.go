package dual

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/pathtest"
	"github.com/mercer-ml/mercer/learn"
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

// Every form has the variables that its definition lists, for rows in another order, unequal classes and unequal weights.
func TestForms(t *testing.T) {
	rows, y, c := []int{4, 0, 2}, []float64{1, -1, -1}, []float64{2, 0.5, 3}
	z := []float64{0.25, -1, 3}
	nuSVC, err1 := NuSVC(rows, y, c, 0.4)  // each class: 0.4 5.5/2 = 1.1
	nuSVR, err2 := NuSVR(rows, z, c, 0.8)  // each sign: 0.8 5.5/2 = 2.2
	one, err3 := OneClass(rows, c, 0.4)    // 0.4 5.5 = 2.2
	inOrder, err4 := NuSVC(nil, y, c, 0.4) // rows in their order
	for _, err := range []error{err1, err2, err3, err4} {
		if err != nil {
			t.Fatal(err)
		}
	}
	both := []float64{1, 1, 1, -1, -1, -1}
	twice, twiceC := []int{4, 0, 2, 4, 0, 2}, []float64{2, 0.5, 3, 2, 0.5, 3}
	for _, f := range []struct {
		name      string
		got, want Problem
	}{
		{"svc", SVC(rows, y, c), Problem{Row: rows, Sign: y, Upper: c, Linear: []float64{-1, -1, -1}, Offset: true}},
		{"svr", SVR(rows, z, c, 0.125), Problem{Row: twice, Sign: both, Upper: twiceC, Offset: true,
			Linear: []float64{-0.125, 1.125, -2.875, 0.375, -0.875, 3.125}}},
		{"nu-svc", nuSVC, Problem{Row: rows, Sign: y, Upper: c, Linear: make([]float64, 3), Offset: true, Nu: true, Form: NuClasses,
			Start: []float64{1.1, 0.5, 0.6}}},
		{"rows in their order", inOrder, Problem{Row: []int{0, 1, 2}, Sign: y, Upper: c, Linear: make([]float64, 3), Offset: true, Nu: true,
			Form: NuClasses, Start: []float64{1.1, 0.5, 0.6}}},
		{"nu-svr", nuSVR, Problem{Row: twice, Sign: both, Upper: twiceC, Offset: true, Nu: true, Form: NuTube,
			Linear: []float64{-0.25, 1, -3, 0.25, -1, 3}, Start: []float64{2, 0.2, 0, 2, 0.2, 0}}},
		{"one-class", one, Problem{Row: rows, Sign: []float64{1, 1, 1}, Upper: c, Linear: make([]float64, 3), Offset: true,
			Start: []float64{2, 0.2, 0}}},
	} {
		near(t, f.name+", start", f.got.Start, f.want.Start, 1e-12)
		f.got.Start, f.want.Start = nil, nil
		if !reflect.DeepEqual(f.got, f.want) {
			t.Errorf("%s: %+v, want %+v", f.name, f.got, f.want)
		}
	}
}

// A solution is read in the terms of its form: variables of a row are added, and those of nu-SVC divided by the scale.
func TestMachineOfASolution(t *testing.T) {
	s := &Solution{A: []float64{1, 4, 2}, Rho: 6, Scale: 2, Objective: -12, Gap: 3, Gradient: []float64{5, 7, 1}}
	p := Problem{Row: []int{3, 1, 3}, Sign: []float64{1, -1, -1}, Linear: []float64{1, 2, -1}}
	for _, c := range []struct {
		form    Form
		want    Machine
		primal  float64
		outputs []float64 // without the offset
	}{
		{Plain, Machine{Coef: []float64{0, -4, 0, -1, 0}, B: -6, Objective: -12}, 15, []float64{4, -5, -2}},
		{NuClasses, Machine{Coef: []float64{0, -2, 0, -0.5, 0}, B: -3, Objective: -3}, 3.75, []float64{2, -2.5, -1}},
		{NuTube, Machine{Coef: []float64{0, -4, 0, -1, 0}, B: -6, Epsilon: -2, Objective: -12}, 15, []float64{4, -5, -2}},
	} {
		p.Form = c.form
		m, err := p.Machine(s, 5)
		if err != nil || !reflect.DeepEqual(m, c.want) {
			t.Errorf("form %d: %+v, %v, want %+v", c.form, m, err, c.want)
		}
		if got := m.primal(s); got != c.primal {
			t.Errorf("form %d: primal objective %g, want %g", c.form, got, c.primal)
		}
		for u, want := range c.outputs {
			if got := fitted(p, s, u); got != want {
				t.Errorf("form %d: output %g of variable %d, want %g", c.form, got, u, want)
			}
		}
	}
	for _, without := range []Solution{{Objective: -12, Gap: math.Inf(1)}, {Gap: 3}} {
		if got := (Machine{Objective: -12}).primal(&without); got != 12 {
			t.Errorf("primal objective %g without a gap, want the dual's", got)
		}
	}
	p.Form, s.Scale = NuClasses, 0
	if _, err := p.Machine(s, 5); err == nil || !strings.Contains(err.Error(), "the margin of nu-SVC is 0") {
		t.Errorf("a margin of nothing: %v", err)
	}
}

// The constraint of some variables is written in beta = s a, and reaches as far as any of them.
func TestConstraint(t *testing.T) {
	p := Problem{Sign: []float64{1, -1, 1, -1}, Upper: []float64{2, 3, math.Inf(1), 50}, Start: []float64{1, 2.5, 7, 4}}
	x := []float64{0.5, 1, 9, 20}
	c := p.constraint(x, func(u int) bool { return u < 3 })
	want := &constraint{index: []int{0, 1, 2}, beta: []float64{0.5, -1, 9}, lo: []float64{0, -3, 0}, hi: []float64{2, 0, math.Inf(1)},
		target: 5.5, least: -3, most: math.Inf(1), reach: 9}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("%+v, want %+v", c, want)
	}
	// 0.5 + t - 1 + t + 9 + t = 5.5 where no bound holds: t = -1; then the first is at 0, 8 + 2 t = 5.5.
	if got := c.multiplier(); math.Abs(got+1.25) > 1e-12 {
		t.Errorf("multiplier %g, want -1.25", got)
	}
	if got := c.moved(-1.25); got != 5.5 {
		t.Errorf("a sum of %g, want 5.5", got)
	}
	c.move(-1.25)
	near(t, "moved", c.beta, []float64{0, -2.25, 7.75}, 1e-12)
	c.target = 6
	c.move(0) // half more goes to the first variable with room
	near(t, "the rest", c.beta, []float64{0.5, -2.25, 7.75}, 1e-12)
	for sum, feasible := range map[float64]bool{-3 - 1e-9: true, -3 - 1e-8: false} {
		p := Problem{Sign: []float64{-1}, Upper: []float64{3}, Start: []float64{-sum}}
		if err := p.project([]float64{1}, func(int) bool { return true }); (err == nil) != feasible {
			t.Errorf("a sum of %.10g: %v", sum, err)
		}
	}
}

// Classes whose weights are equal but for rounding allow nu = 1; the forms with nu have an offset.
func TestNuOfEqualClasses(t *testing.T) {
	y, c := make([]float64, 100), make([]float64, 100)
	for i := range y {
		if y[i], c[i] = 1, 50.0/49; i >= 49 {
			y[i], c[i] = -1, 50.0/51
		}
	}
	p, err := NuSVC(nil, y, c, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range p.Start {
		if v < 0 || v > c[i] {
			t.Errorf("row %d starts at %g of %g", i, v, c[i])
		}
	}
	for _, l := range []learn.Learner{Classifier{Nu: 0.3, NoOffset: true}, Regressor{Nu: 0.3, NoOffset: true}} {
		if _, err := l.Bind(t.Context(), nil, nil); err == nil {
			t.Errorf("%+v is bound", l)
		}
	}
}

// A start of a form with nu whose sums the bounds no longer allow, of either class, is refused, and so is a diagonal in double precision
// that is not finite.
func TestStartsAndDiagonalsRefused(t *testing.T) {
	for q := range 2 {
		p, err := NuSVC(nil, []float64{1, -1}, constant(2, 1), 1)
		if err != nil {
			t.Fatal(err)
		}
		p.Upper[q] = 0.5 // the start has 1
		if w, err := p.Warm(constant(2, 1)); err == nil || !strings.Contains(err.Error(), "no feasible point") {
			t.Errorf("variable %d is bounded by a half and starts at %v, %v", q, w.Start, err)
		}
	}
	bad := &table{n: 2, stride: 8, k: make([]float64, 16)}
	bad.k[0], bad.k[9] = math.NaN(), 1
	if s, err := Solve(t.Context(), bad, SVC(nil, []float64{1, -1}, constant(2, 1)), Options{}); err == nil ||
		!strings.Contains(err.Error(), "kernel value (0, 0) is NaN") {
		t.Errorf("a diagonal that is no number: %+v, %v", s, err)
	}
}
