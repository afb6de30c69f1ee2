package smooth

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// numbered is a regression of n rows of d features, dense or sparse.
func numbered(n, d int, sparse bool) *learn.Problem {
	x, y := mat.NewDense(n, d, nil), make([]float64, n)
	x.Apply(func(i, j int, _ float64) float64 { return math.Sin(float64(1 + i + 7*j)) }, x)
	for i := range y {
		y[i] = math.Cos(float64(i * i))
	}
	rows := data.Rows{Dense: x}
	if sparse {
		rows = data.Rows{Sparse: data.CSRFromDense(x)}
	}
	return learn.NewProblem(rows, data.Labels{Task: data.Regression, Value: y})
}

func bind(t *testing.T, s Learner, k kernel.Kernel, p *learn.Problem) (learn.Trainer, error) {
	t.Helper()
	g, err := k.Bind(t.Context(), p.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s.Bind(t.Context(), g, p)
}

// The linear form is taken where there are fewer features than rows, or where the learner descends or passes over sparse rows.
func TestBindChoosesTheForm(t *testing.T) {
	square := Learner{Loss: learn.Square()}
	passes, descent := square, square
	passes.Passes, descent.Descent = true, true
	for _, c := range []struct {
		name   string
		s      Learner
		k      kernel.Kernel
		d      int
		sparse bool
		linear bool
	}{
		{"fewer features", square, kernel.Linear{}, 9, false, true},
		{"as many features", square, kernel.Linear{}, 10, false, false},
		{"as many sparse features", square, kernel.Linear{}, 10, true, false},
		{"passes over sparse features", passes, kernel.Linear{}, 10, true, true},
		{"passes over dense features", passes, kernel.Linear{}, 10, false, false},
		{"descent", descent, kernel.Linear{}, 10, false, true},
		{"another kernel", square, kernel.Gaussian{Sigma: 1}, 9, false, false},
	} {
		tr, err := bind(t, c.s, c.k, numbered(10, c.d, c.sparse))
		if _, linear := tr.(*linearTrainer); err != nil || linear != c.linear {
			t.Errorf("%s: %T, %v", c.name, tr, err)
		}
	}
	if _, err := bind(t, descent, kernel.Gaussian{Sigma: 1}, numbered(10, 2, false)); err == nil ||
		!strings.Contains(err.Error(), "gradient descent works on features") {
		t.Errorf("descent without features: %v", err)
	}
	none := numbered(10, 2, false)
	none.Labelled = nil
	if _, err := bind(t, square, kernel.Linear{}, none); err == nil || !strings.Contains(err.Error(), "no labelled row") {
		t.Errorf("without labels: %v", err)
	}
	for _, k := range []kernel.Kernel{kernel.Linear{}, kernel.Gaussian{Sigma: 1}} {
		tr, err := bind(t, square, k, numbered(10, 2, false))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tr.Train(t.Context(), []int{}, []float64{1}, nil); err == nil || !strings.Contains(err.Error(), "no labelled row") {
			t.Errorf("%T, trained on nothing: %v", k, err)
		}
	}
	for columns, same := range map[int]bool{1 << 16: true, 1<<16 + 1: false} {
		c := &data.CSR{R: 2, C: columns, Start: []int{0, 1, 2}, Index: []int32{int32(columns - 1), 3}, Value: []float64{1, 2}}
		p := learn.NewProblem(data.Rows{Sparse: c}, data.Labels{Task: data.Regression, Value: []float64{1, 2}})
		tr, err := bind(t, passes, kernel.Linear{}, p)
		if err != nil {
			t.Fatal(err)
		}
		if got := tr.(*linearTrainer).x.Sparse.Index[0]; (got == c.Index[0]) != same {
			t.Errorf("%d columns: the last one is column %d", columns, got)
		}
	}
}

// Up to sixty rows are left out by training again, more by one step of Newton's method.
func TestFewRowsAreLeftOutByTraining(t *testing.T) {
	for n, want := range map[int]bool{60: false, 61: true} {
		tr, err := bind(t, Learner{Loss: learn.Square(), Offset: Free}, kernel.Linear{}, numbered(n, 3, false))
		if err != nil {
			t.Fatal(err)
		}
		o, m, ok, err := tr.(*linearTrainer).LeaveOneOut(t.Context(), []float64{0.5}, nil)
		if err != nil || ok != want || (o != nil) != want || (m != nil) != want {
			t.Errorf("%d rows: %v, %v", n, ok, err)
		}
	}
}

// The certificate of a piece is that of its solution, the gap relative, and a limit that ended it is told.
func TestPieces(t *testing.T) {
	s := &linearSolution{Beta: []float64{1, 2}, B: 3, F: []float64{4, 5}, Objective: -8, Gradient: 0.25, Gap: 2, Steps: 7}
	for status, limited := range map[status]string{
		gradientSmall: "", budgetSpent: "the solver of the linear form stopped at its limit of 7 steps; the machine is not exact",
		noProgress: "the solver of the linear form finds no way down where the gradient is 0.25 of its parts, as happens with features whose " +
			"mean is large beside their spread; the machine is not exact; scale the features",
	} {
		s.Status = status
		got := linearPiece(s)
		if want := (learn.Certificate{Objective: -8, Residual: 0.25, Gap: 0.25, Steps: 7, Limited: limited}); got.Certificate != want {
			t.Errorf("%v: %+v, want %+v", status, got.Certificate, want)
		}
		if got.Offset != 3 || got.Coef[1] != 2 || got.Fitted[0] != 4 {
			t.Errorf("%+v", got)
		}
	}
	// In the kernel form, as Newton's method itself has it.
	p := numbered(12, 2, false)
	for i := range 12 {
		p.Weight = append(p.Weight, 0.5+float64(i%3))
	}
	learner := Learner{Loss: learn.SquaredEpsilon(0), Offset: Free}
	tr, err := bind(t, learner, kernel.Gaussian{Sigma: 1}, p)
	if err != nil {
		t.Fatal(err)
	}
	m, err := tr.Train(t.Context(), nil, []float64{3, 0.2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Newton(t.Context(), problem{K: tr.(*trainer).block, Y: mat.Col(nil, 0, p.Y), Weight: p.Weight, C: 3,
		Loss: learn.SquaredEpsilon(0.2), Offset: Free}, options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := learn.Certificate{Objective: want.Objective, Residual: want.Gradient, Gap: want.Gap / want.Objective, Steps: want.Steps}
	if m.Certificate != c || m.Offset[0] != want.B || m.Coef.At(3, 0) != want.Beta[3] || m.Fitted.At(4, 0) != want.F[4] {
		t.Errorf("%+v, want %+v", m.Certificate, c)
	}
}

// A free offset that no row bends goes to the middle of where the slope vanishes, between the rows that bend at its ends, and stays
// where that is not so.
func TestPlateau(t *testing.T) {
	for _, c := range []struct {
		f    []float64
		want float64
		ends [2]int
	}{
		{[]float64{3, -5, 9}, 1, [2]int{0, 1}}, // down by 2, up by 4
		{[]float64{5, -3, 9}, -1, [2]int{0, 1}},
		{[]float64{9, -3, 5}, -1, [2]int{2, 1}},
		{[]float64{1, -1, 9}, 0, [2]int{0, 1}},
		{[]float64{0.5, -5, 9}, 0, [2]int{-1, -1}}, // the first row slopes
	} {
		terms, err := newTerms(learn.SquaredHinge(), []float64{1, -1, 1}, 2, nil, Free)
		if err != nil {
			t.Fatal(err)
		}
		terms.eval(c.f)
		if got, ends := plateau(terms, c.f); math.Abs(got-c.want) > 1e-9 || ends != c.ends {
			t.Errorf("outputs %v: a shift of %g between rows %v, want %g between %v", c.f, got, ends, c.want, c.ends)
		}
	}
}

// Dual coefficients are made feasible by scaling the larger side, and the rest of the gap is what the conjugates leave.
func TestFeasible(t *testing.T) {
	y, f := []float64{1, -2, 0.5}, []float64{0.5, 1, 0.25}
	terms, err := newTerms(learn.Square(), y, 2, []float64{1, 0.5, 3}, Free)
	if err != nil {
		t.Fatal(err)
	}
	terms.eval(f)
	for _, c := range []struct {
		a, want []float64
		free    bool
	}{
		{[]float64{3, -1, 1}, []float64{0.75, -1, 0.25}, true}, {[]float64{-3, 1, -1}, []float64{-0.75, 1, -0.25}, true},
		{[]float64{3, -1, 1}, []float64{3, -1, 1}, false}, {[]float64{1, -2, 1}, []float64{1, -2, 1}, true},
		{[]float64{1, 0, 2}, []float64{0, 0, 0}, true},
	} {
		a := append([]float64(nil), c.a...)
		slack := terms.feasible(a, f, c.free)
		var want float64
		for i, v := range c.want {
			if math.Abs(a[i]-v) > 1e-15 {
				t.Errorf("%v made feasible: %v, want %v", c.a, a, c.want)
			}
			// V + V* - u f of the square loss: (f - y - u/2)^2.
			u := -v / terms.c[i]
			want += terms.c[i] * (f[i] - y[i] - u/2) * (f[i] - y[i] - u/2)
		}
		if math.Abs(slack-want) > 1e-12*(1+want) {
			t.Errorf("%v: %g is left, want %g", c.a, slack, want)
		}
	}
}

// What counts as a plateau: slopes that cancel to 1e-12 of their sum, looked for a millionth of the largest output beyond where a row
// still bends a little.
func TestEndsOfAPlateau(t *testing.T) {
	// The first two rows cancel and bend far off, at shifts of 5.9 and -3.9.
	far, y := []float64{-5, 3}, []float64{1, -1}
	for _, c := range []struct {
		name   string
		f, y   []float64 // of further rows
		weight float64   // of these
		want   float64
	}{
		{"the two rows", nil, nil, 1, 1},
		{"a slope of rounding", []float64{0.5}, []float64{1}, 1e-12, 1},
		{"a slope of more", []float64{0.5}, []float64{1}, 1e-11, 0},
		// A row bends up to a shift of 2e-5 and the other from there on; a millionth of the largest output is 5e-6.
		{"a plateau wider than the look", []float64{1.1 - 2e-5, -1.1 - 2.6e-5}, []float64{1, -1}, 1, 2.3e-5},
		{"a plateau narrower", []float64{1.1 - 2e-5, -1.1 - 2.4e-5}, []float64{1, -1}, 1, 0},
	} {
		f, targets, weights := slices.Concat(far[:2], c.f), slices.Concat(y[:2], c.y), []float64{1, 1}
		for range c.f {
			weights = append(weights, c.weight)
		}
		terms, err := newTerms(learn.HuberHinge(0.1), targets, 2, weights, Free)
		if err != nil {
			t.Fatal(err)
		}
		terms.eval(f)
		if got, _ := plateau(terms, f); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: a shift of %g, want %g", c.name, got, c.want)
		}
	}
}

// On a matrix that is not semi-definite Newton's method may find no way down. That is said where the gradient is more than a thousandth
// of its parts and the gap more than a millionth of the objective.
func TestStuckIsSaid(t *testing.T) {
	// The full step of the first row goes far beyond what it should, and along it the objective rises. The second row makes the gap,
	// (k-1)/2 times its squared slope of c/2. The third, where there is one, is at its solution and makes the parts large.
	const c = 3.6
	const stuck = "Newton's method finds no way down where the gradient is "
	for _, s := range []struct {
		k, third float64
		want     string
	}{
		{1 + 0.9e-6*16*math.Ln2/c, 0, ""},
		{1 + 1.1e-6*16*math.Ln2/c, 0, stuck + "1 of its parts"},
		{2, c / 2 / 0.9e-3, ""},
		{2, c / 2 / 1.1e-3, stuck + "0.0011 of its parts"},
	} {
		part := learn.Part{Rows: []int{0, 1, 2}, Y: []float64{1, 1, 1}, Weight: []float64{1, 1, s.third / c}}
		k := mat.NewDense(3, 3, []float64{-1, 0, 0, 0, s.k, 0, 0, 0, 0})
		if s.third > 0 {
			k.Set(2, 2, -40/s.third)
			part.Start = []float64{0, 0, s.third}
		}
		tr := &trainer{learner: Learner{Loss: learn.Logistic()}}
		got, err := tr.output(t.Context(), part, []float64{c}, k)
		if err != nil {
			t.Fatal(err)
		}
		if said := got.Certificate.Limited; (said == "") != (s.want == "") || !strings.HasPrefix(said, s.want) {
			t.Errorf("gradient %g, gap %g: %q", got.Certificate.Residual, got.Certificate.Gap, said)
		}
	}
}
